/* process.h - the start of the process. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>

#include "inside/monitor.h"

struct hooks;

bool process_start(void) HIDDEN;		/* at the first hook; false: stay out */
void process_started(void) HIDDEN;		/* the first thread has its machine: the process is young, or the clock starts */
void process_measure(const struct hooks *hooks) HIDDEN; /* the same, if it is young no longer and that is not done; in a thread that has a machine */

#endif
