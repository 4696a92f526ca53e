/* beside.h - call stacks that were sampled beside exact contexts: found, told, and joined with these. */
#ifndef INPUT_BESIDE_H
#define INPUT_BESIDE_H

#include "input/input.h"

/* Add to P, which was just read from the exact profile at PATH alone and has no call stacks beside, those that were left in a file of their own of the same process:
 * PATH.stacks, or stacks.PID.N in the same folder, as a run that was killed leaves them.  Returns its name, which the caller frees; NULL: there is none. */
char *beside_find(struct profile *p, const char *path);

/* IN, which is read, is to be the call stacks beside its exact contexts, alone.  False with *ERR set: it has none, or out of memory. */
bool input_take_stacks(struct input *in, struct error *err);

/* Can IN be split if it must be?  False with *ERR set. */
bool input_check_leaves(const struct input *in, struct error *err);

/* Are the exact contexts of IN, which is read, to be split by the call stacks beside them?  So they are if that is asked for, there are such, and they have times. */
bool input_is_split(const struct input *in);

/* Before symbols are opened: see that the exact profile knows the modules of the stacks, and what these carry of symbols.  False with *ERR set: out of memory. */
bool input_adopt(struct input *in, struct error *err);

/* With symbols and overhead: split the times (profile/below.h, overhead/split.h).  PROGRAM is as in input_build.  False with *ERR set. */
bool input_split(struct input *in, const char *program, struct error *err);

#endif
