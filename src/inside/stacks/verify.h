/* verify.h - holds stacks against contexts while the program runs (aprof run --verify). */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>

#include "inside/monitor.h"

struct thread;

/* Is T, the calling thread's, in a context that can be told?  Else the monitor is at work. */
bool verify_is_settled(const struct thread *t) HIDDEN;

/* Hold the calling thread's stack against T's context, which is the calling thread's machine; UCONTEXT is what a signal handler was given that
 * interrupted it, with signals blocked.  What comes of it is counted in the file. */
void verify_stack(struct thread *t, const void *ucontext) HIDDEN;

#endif
