/* young_process.h - a process is young until it has worked for some milliseconds: it has no sampler, and its hooks were not measured.
 *
 * It knows its CPU time exactly, but not where that went: a timer that goes by the scheduler's clock interrupts it at most once or twice, which is a
 * sample of all that young processes have spent since the last one of any of them. */
#ifndef YOUNG_PROCESS_H
#define YOUNG_PROCESS_H

#include <stdbool.h>

#include "inside/monitor.h"

/* The first thread has its machine: the process is young.  GROW is called when it is no longer, in a signal's handler or with signals blocked, and once at
 * most.  False: it cannot be young. */
bool young_process_begin(void (*grow)(void)) HIDDEN;

void young_process_grow(void) HIDDEN;			/* it is young no longer.  Where it is not, nothing */
void young_process_settle(void) HIDDEN;			/* the calling thread is about to end the process, or to exec: what it has spent is told. It may go on */

#endif
