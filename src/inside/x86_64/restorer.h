/* restorer.h - what a signal handler of the monitor returns by. */
#ifndef RESTORER_H
#define RESTORER_H

#include "inside/monitor.h"

void aprof_signal_return(void) HIDDEN;		/* sa_restorer of our handlers; never called */

#endif
