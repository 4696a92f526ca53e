/* clock.h - what time is charged by. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>

#include "inside/monitor.h"

struct thread;

void clock_choose(void) HIDDEN;			/* read APROF_CLOCK, APROF_RATE, APROF_PC */
void clock_inherit(void) HIDDEN;		/* the same in a forked child, whose parent has read them */
void clock_begin(void) HIDDEN;			/* process has started, or a child began anew: write to the file what the time will be by */
void clock_start(void) HIDDEN;			/* it begins to be taken */
void clock_thread(struct thread *t, bool end_seen) HIDDEN; /* T has begun, and its end will be told; called in T */
void clock_thread_end(struct thread *t) HIDDEN;	/* T is about to end; called in T */
void clock_stop(void) HIDDEN;			/* process exits */

#endif
