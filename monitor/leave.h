/* leave.h - the program exits. */
#ifndef LEAVE_H
#define LEAVE_H

#include "monitor/monitor.h"

void leave_routines(void) HIDDEN;		/* exit is called here: open frames stay open */
void aprof_exit_begun(int status) HIDDEN;	/* the function that has handlers of exit run, under the root */

#endif
