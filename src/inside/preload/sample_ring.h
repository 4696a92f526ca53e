/* sample_ring.h - samples on their way to a recorder: the program's side of contract/ring.h.
 *
 * The ring is made by the first sample of a process, so that those that take no time leave nothing. */
#ifndef SAMPLE_RING_H
#define SAMPLE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

/* Rings are to be made in DIRECTORY, which is copied, for programs as roll_started has them.  False: its name is too long. */
bool sample_ring_begin(const char *directory) HIDDEN;

/* Post where the calling thread was, by CONTEXT, a signal handler's, and that it took PERIOD ns to come there.  For a handler with all signals blocked.  False:
 * nobody wants any, or they cannot be given. */
bool sample_ring_sample(const void *context, uint64_t period) HIDDEN;

/* The calling thread ends. */
void sample_ring_end(void) HIDDEN;

#endif
