/* ticker.h - samples that programs take of themselves: a library preloaded into them (inside/preload/ticks.c) sets a timer for each thread, and gives
 * registers and stacks away through shared memory (contract/ring.h).
 *
 * The timers are the kernel's POSIX CPU timers, which fire with its own clock: 250 times a second of CPU time on most systems, 100 to 1000 on others. */
#ifndef SAMPLE_TICKER_H
#define SAMPLE_TICKER_H

#include <sys/types.h>

#include "record/sample/source.h"

#define TICKER_LIBRARY "libaprof-stacks.so"	/* to be named in LD_PRELOAD */
#define TICKER_DIRECTORY "APROF_STACKS_DIRECTORY" /* environment: where the library leaves its rings; APROF_RATE is its rate */

/* Read the rings that programs leave in DIRECTORY.  NULL with *ERR set: out of memory. */
struct source *ticker_open(const char *directory, struct error *err);

/* Does the process PID give samples to SOURCE, a ticker? */
bool ticker_serves(void *source, pid_t pid);

#endif
