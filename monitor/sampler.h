/* sampler.h - the thread that looks at all others, again and again. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>

#include "monitor/monitor.h"

struct thread;

/* A forked child's copy of the sampler's state may be anything: there is no sampler and no lock is taken. */
void sampler_forget(void) HIDDEN;

/* Start the sampler, for monitor.clock. False: the kernel refuses it the thread. */
bool sampler_start(void) HIDDEN;

/* Is it one of the threads of this process? */
bool sampler_is_there(void) HIDDEN;

/* No more samples; the last look at every thread. */
void sampler_stop(void) HIDDEN;

void sampler_hold(void) HIDDEN;			/* all time up to now is charged, and no more until sampler_release */
void sampler_release(void) HIDDEN;
bool sampler_pause(void) HIDDEN;		/* be of no more threads than the program; false: there was no sampler */
void sampler_resume(void) HIDDEN;		/* after sampler_pause: go on */

/* May the sampler look at T's thread-local words?  When this is back with false it does not and will
 * not.  Returns what was so before. */
bool sampler_watch(struct thread *t, bool watched) HIDDEN;

/* T is about to end, or has: the last of its time is in its accounts, and nobody looks at it any more. */
void sampler_end(struct thread *t) HIDDEN;

/* Has T the signal SIG blocked?  For the sampler's thread only. Where /proc does not tell: no. */
bool sampler_is_blocked(struct thread *t, int sig) HIDDEN;

#endif
