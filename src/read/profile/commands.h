/* commands.h - the processes of a profile, added up by what was run: `git add` and `git gc` are two commands of one program. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "read/profile/profile.h"

/* Those of P, the one that took most time first: malloc'ed, *N of them.  NULL: out of memory. */
struct profile_command *commands_make(const struct profile *p, size_t *n);

#endif
