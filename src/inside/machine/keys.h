/* keys.h - the keys of a machine's transitions. */
#ifndef KEYS_H
#define KEYS_H

#include <stdint.h>

#include "inside/monitor.h"

struct thread;

/* Hide the transitions into a module at START .. END, as routine_hide does, and show them; they are kept for its return.  Threads may run meanwhile, but not in it. */
void keys_hide(struct thread *t, uintptr_t start, uintptr_t end, uintptr_t tag) HIDDEN;
void keys_show(struct thread *t, uintptr_t tag) HIDDEN;

#endif
