/* timing.h - the clock that was asked for: chosen, started, stopped. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>

#include "monitor/monitor.h"

struct thread;

void timing_choose(void) HIDDEN;			/* read APROF_CLOCK, APROF_RATE, APROF_PC */
void timing_start(void) HIDDEN;			/* process has started, or a child began anew */
void timing_thread_end(struct thread *t) HIDDEN;	/* T is about to end; called in T */
void timing_thread(struct thread *t, bool end_seen) HIDDEN; /* T has begun, and its end will be told; called in T */
void timing_stop(void) HIDDEN;			/* process exits */

#endif
