/* number.h - whole numbers that a user wrote. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Sets *VALUE to the decimal number that TEXT is, all of it; blanks and a sign may stand before it.  False: it is none, or none from
 * LEAST to MOST. */
bool number_read(const char *text, int64_t least, int64_t most, int64_t *value);

#endif
