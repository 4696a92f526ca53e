/* phase.h - phases of the run that the program tells of: under the lock of api.c, and while the sampler is held, or before there is anybody
 * else. */
#ifndef PHASE_H
#define PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

void phase_begin(void) HIDDEN;			/* process has started, or a child began anew: in the phase where it was */
void phase_set(const char *name) HIDDEN;	/* go to the phase NAME, "" for none */
void phase_stop(bool stop) HIDDEN;		/* leave out what follows, or no longer */
uint32_t phase_now(void) HIDDEN;			/* index of the phase that goes on */
void phase_reset(void) HIDDEN;			/* the counters were zeroed */

#endif
