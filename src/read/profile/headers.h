/* headers.h - what the headers of several files say together.
 *
 * The sum is the same in whatever order they come, and whatever was summed before: of what cannot be added up it has what the process says
 * that began first, or the largest; of means it keeps what they are of. */
#ifndef HEADERS_H
#define HEADERS_H

#include "read/profile/profile.h"

/* The header of a file that is the sum of RUN alone. */
struct amon_header headers_of(const struct profile_run *run);

/* Add O, which is of headers_of, too, to SUM. */
void headers_add(struct amon_header *sum, const struct amon_header *o);

/* Work out the means of SUM. */
void headers_settle(struct amon_header *sum);

#endif
