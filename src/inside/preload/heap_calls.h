/* heap_calls.h - what libaprof-heap.so knows of the process beside its allocations. */
#ifndef HEAP_CALLS_H
#define HEAP_CALLS_H

#include <stdbool.h>

#include "inside/monitor.h"

extern bool heap_is_locked HIDDEN;	/* the program has asked for memory that stays, by mlockall */

#endif
