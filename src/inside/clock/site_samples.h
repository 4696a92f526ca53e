/* site_samples.h - where call sites are told apart: on whose behalf the time passes. */
#ifndef SITE_SAMPLES_H
#define SITE_SAMPLES_H

#include "inside/monitor.h"

struct thread;

/* A sample found T, the calling thread's, at what the signal handler's third argument UCONTEXT tells of: count the call sites of the arcs that are open
 * there.  In the handler. */
void site_samples_take(struct thread *t, const void *ucontext) HIDDEN;

#endif
