/* join.h - exact contexts joined with the call stacks beside them: the steps of input_build. */
#ifndef INPUT_JOIN_H
#define INPUT_JOIN_H

#include "understand/input/input.h"

/* Are the exact contexts of IN, which is read, to be split by the call stacks beside them?  So they are if that is asked for, there are such, and they have times. */
bool input_is_split(const struct input *in);

/* Before symbols are opened: see that the exact profile knows the modules of the stacks, and what these carry of symbols.  False with *ERR set: out of memory. */
bool input_adopt(struct input *in, struct error *err);

/* With symbols and overhead: split the times (read/profile/stack_join.h, understand/overhead/split.h).  PROGRAM is as in input_build.  False with *ERR set. */
bool input_split(struct input *in, const char *program, struct error *err);

/* With symbols, where it is a value that the call stacks beside alone have (profile_value_is_beside): give the exact contexts what these have of it,
 * split if times are to be. */
bool input_charge(struct input *in, const char *program, struct error *err);

#endif
