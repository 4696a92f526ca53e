/* sampler.h - the thread that looks at all others, again and again. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>

#include "inside/monitor.h"

/* A forked child's copy of the sampler's state may be anything: there is no sampler. */
void sampler_forget(void) HIDDEN;

/* Start the sampler, for monitor.clock. False: the kernel refuses it the thread. */
bool sampler_start(void) HIDDEN;

/* Is it one of the threads of this process? */
bool sampler_is_there(void) HIDDEN;

bool sampler_pause(void) HIDDEN;		/* be of no more threads than the program; false: there was no sampler */
void sampler_resume(void) HIDDEN;		/* after sampler_pause: go on */

#endif
