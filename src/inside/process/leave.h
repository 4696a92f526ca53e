/* leave.h - the program exits. */
#ifndef LEAVE_H
#define LEAVE_H

#include <stdbool.h>

#include "inside/monitor.h"

struct thread;

void leave_routines(void) HIDDEN;		/* exit is called here: open frames stay open */
bool leave_was_unseen(const struct thread *t) HIDDEN; /* T has left its routines, and nobody was told of the exit before its end: the stack has them still */
void aprof_exit_begun(int status) HIDDEN;	/* the function that has handlers of exit run, under the root */

#endif
