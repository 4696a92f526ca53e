/* pc.h - program counters of threads, by SIGPROF. */
#ifndef PC_H
#define PC_H

#include <stdbool.h>

#include "monitor/monitor.h"

void pc_give_up(void) HIDDEN;			/* SIGPROF is ours, and the program is about to take it: it gets none of ours. There is no sampler now */
bool pc_is_handler(const void *handler) HIDDEN;	/* ours, of SIGPROF? */
bool pc_has_sigprof(void) HIDDEN;	/* is SIGPROF handled by us, for program counters? */

/* For the sampler's thread: choose the source of program counters and take SIGPROF, if both can be had;
 * then, after each round of looks, see to each thread's source. */
void pc_begin(bool own_descriptors) HIDDEN;
void pc_round(void) HIDDEN;

/* The sampler is gone, and its descriptors with it. */
void pc_forget(void) HIDDEN;

#endif
