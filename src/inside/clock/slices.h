/* slices.h - what samples charge, by interval of the run: only where APROF_INTERVALS asks for it.  Under the lock of looks. */
#ifndef SLICES_H
#define SLICES_H

#include <stdint.h>

#include "inside/monitor.h"

struct thread;

/* So much TIME, by TICKS samples, was charged to ITEM of T just now; AMON_NONE: to the monitor itself. */
void slices_charge(struct thread *t, uint32_t item, uint64_t time, uint32_t ticks) HIDDEN;
void slices_reset(struct thread *t) HIDDEN;	/* what was charged before is forgotten */

#endif
