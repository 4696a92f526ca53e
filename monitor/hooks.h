/* hooks.h - code of hooks.S that is not called. */
#ifndef HOOKS_H
#define HOOKS_H

#include "monitor/monitor.h"

void aprof_signal_return(void) HIDDEN;		/* sa_restorer of our handlers */

#endif
