/* fit.h - the data file in less room than it wants. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

bool fit_write(long fd, uint64_t limit) HIDDEN;	/* all that is mapped to FD, an empty file, in LIMIT bytes at most; false: not even the header */

#endif
