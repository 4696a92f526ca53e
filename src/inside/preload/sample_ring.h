/* sample_ring.h - samples on their way to a recorder: the program's side of contract/ring.h.
 *
 * The ring is made by the first sample of a process, so that those that take no time leave nothing. */
#ifndef SAMPLE_RING_H
#define SAMPLE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

struct ring_sample;

/* Rings of SIZE bytes, a multiple of pages, are to be made in DIRECTORY, which is copied, their names beginning with NAME, for programs as STARTED has them (NULL: nobody tells of
 * them).  False: its name is too long. */
bool sample_ring_begin(const char *directory, const char *name, uint64_t size, uint64_t (*started)(void)) HIDDEN;

/* Post where the calling thread was, by CONTEXT, a signal handler's, and that it took PERIOD ns to come there.  For a handler with all signals blocked.  False:
 * nobody wants any, or they cannot be given. */
bool sample_ring_sample(const void *context, uint64_t period) HIDDEN;

/* Post that the calling thread, whose registers S has, with what they are of still on its stack, got memory.  All signals blocked.  False: it could not be. */
bool sample_ring_allocated(struct ring_sample *s) HIDDEN;

/* Post that the allocation of that number is free again, or UNTRACKED: that nobody will know when it is.  All signals blocked. */
void sample_ring_freed(uint64_t allocation, bool untracked) HIDDEN;

/* The calling thread ends. */
void sample_ring_end(void) HIDDEN;

#endif
