/* call_stacks.h - call stacks that were sampled beside exact contexts: found, and looked at alone. */
#ifndef INPUT_CALL_STACKS_H
#define INPUT_CALL_STACKS_H

#include "understand/input/input.h"

/* Add to P, which was just read from the exact profile at PATH alone and has no call stacks beside, those that were left in a file of their own of the same process:
 * PATH.stacks, or stacks.PID.N in the same folder, as a run that was killed leaves them.  Returns its name, which the caller frees; NULL: there is none. */
char *call_stacks_find(struct profile *p, const char *path);

/* IN, which is read, is to be the call stacks beside its exact contexts, alone.  False with *ERR set: it has none, or out of memory. */
bool input_take_stacks(struct input *in, struct error *err);

/* Can IN be split if it must be?  False with *ERR set. */
bool input_check_leaves(const struct input *in, struct error *err);

#endif
