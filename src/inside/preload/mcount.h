/* mcount.h - what mcount.c and mcount.S know of each other. */
#ifndef MCOUNT_H
#define MCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"
#include "inside/x86_64/copies.h"

/* Where redirected routines return to: here, or to a place in a copy. */
extern const char aprof_mcount_return[] HIDDEN;

/* The copies that patched routines jump to: those for mcount, then those for __fentry__. */
extern const char aprof_mcount_copies[] HIDDEN;

/* What stands beside a copy. */
struct copied {
	uintptr_t routine;		/* whose copy it is: where it goes on; 0: nobody's */
	uintptr_t unused[3];		/* as far from one to the next as from copy to copy */
};
_Static_assert(sizeof(struct copied) == COPY_SIZE, "mcount.S knows this");

extern struct copied aprof_mcount_routines[2 * COPIES] HIDDEN;

/* Do redirected routines return to ADDRESS? */
static inline bool mcount_is_place(uintptr_t address)
{
	return address - (uintptr_t)aprof_mcount_copies < PLACES_SIZE - COPY_SIZE;
}

/* Let ROUTINE, which has just called one of gprof's hooks and has nothing odd about its frame, jump to a copy instead from now on, if that can be
 * had and APROF_PATCH is not "no". */
void patch_routine(uintptr_t routine) HIDDEN;

/* The copy of a ROUTINE of our own, which jumps to it first of all; of one only. */
const char *patch_copy(uintptr_t routine) HIDDEN;

/* The doubles of slots, by region (mcount.c); mcount.S reads them. */
extern intptr_t aprof_mcount_doubles[] HIDDEN;

/* May returns not be redirected in this process?  After its start. */
bool mcount_is_refused(void) HIDDEN;

/* May that of a routine be whose return address is in SLOT?  No, too, where the system has no memory for the slot's double. */
bool mcount_may_redirect(const uintptr_t *slot) HIDDEN;

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
