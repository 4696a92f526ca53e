/* spent.h - where call sites are told apart: on whose behalf the time passes. */
#ifndef SPENT_H
#define SPENT_H

#include "inside/monitor.h"

struct thread;

/* A sample found T, the calling thread's, at what the signal handler's third argument UCONTEXT tells of: count the call sites of the arcs that are open
 * there.  In the handler. */
void spent_sample(struct thread *t, const void *ucontext) HIDDEN;

#endif
