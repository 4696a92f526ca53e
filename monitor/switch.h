/* switch.h - code that goes from one stack to another. */
#ifndef SWITCH_H
#define SWITCH_H

#include <stdint.h>

#include "monitor/monitor.h"

/* Where libc has what makecontext began return to: the outermost frame of a stack that the monitor has not seen begin. 0: unknown. */
extern uintptr_t aprof_context_start HIDDEN;

#endif
