/* mcount.h - what mcount.c and mcount.S know of each other. */
#ifndef MCOUNT_H
#define MCOUNT_H

#include "monitor.h"

/* Where redirected routines return to. */
extern const char aprof_mcount_return[] HIDDEN;

/* The doubles of slots, by region (mcount.c); mcount.S reads them. */
extern intptr_t aprof_mcount_doubles[] HIDDEN;

/* May returns not be redirected in this process?  After its start. */
bool mcount_is_refused(void) HIDDEN;

/* An entry of the routine at CFA that mcount.S does not answer: enter it and redirect its return. */
void aprof_mcount_slow(uintptr_t routine, uintptr_t cfa) HIDDEN;

/* The same where SLOT may not be the routine's true slot: FRAME is its frame pointer if it came by mcount, 0 by __fentry__; CHAIN
 * and BEHIND are its r10 and r13, which may point behind the true one. */
void aprof_mcount_odd(uintptr_t routine, uintptr_t *slot, uintptr_t frame, uintptr_t chain, uintptr_t behind) HIDDEN;

/* Redirect the return of a routine that was entered, if that may be. */
void aprof_mcount_redirect(uintptr_t *slot) HIDDEN;

/* The routine at CFA has returned.  Returns where to. */
uintptr_t aprof_mcount_leave(uintptr_t cfa) HIDDEN;

#endif
