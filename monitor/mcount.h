/* mcount.h - what mcount.c and mcount.S know of each other. */
#ifndef MCOUNT_H
#define MCOUNT_H

#include "monitor.h"

/* Where redirected routines return to. */
extern const char aprof_mcount_return[] HIDDEN;

/* The doubles of slots, by region (mcount.c); mcount.S reads them. */
extern intptr_t aprof_mcount_doubles[] HIDDEN;

/* An entry of ROUTINE, whose return address is in SLOT: enter it, and redirect its return.  FRAME is its frame pointer if
 * it came by mcount, 0 by __fentry__; CHAIN and BEHIND are its r10 and r13, which may point behind the true slot. */
void aprof_mcount_slow(uintptr_t routine, uintptr_t *slot, uintptr_t frame, uintptr_t chain, uintptr_t behind) HIDDEN;

/* The routine at CFA has returned.  Returns where to. */
uintptr_t aprof_mcount_leave(uintptr_t cfa) HIDDEN;

#endif
