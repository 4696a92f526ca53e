/* handler.h - which routines are handlers of signals.
 *
 * Whoever is interrupted has not called the handler, so that is entered from the root, whatever the context is, and what was interrupted goes on when it
 * returns.  That it runs as a handler its return address tells, which is the kernel's way back; called by the program it is a routine like any other.
 * So that each entry can be told apart the hooks find no transition to such a routine: they come out of line, and no other routine's entry
 * costs more than it did. */
#ifndef HANDLER_H
#define HANDLER_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

enum { HANDLER_SLOTS = 512 };		/* of the table: half as many handlers, whatever signals there are */
extern uintptr_t handler_table[HANDLER_SLOTS] HIDDEN; /* addresses as the hooks see them, open addressing; 0: free */
extern uint32_t handler_count HIDDEN;	/* of them */

static inline uint32_t handler_slot(uintptr_t routine) { return (uint32_t)(routine * UINT64_C(0x9e3779b97f4a7c15) >> 32) % HANDLER_SLOTS; }

/* Is the routine at ADDRESS, as its hook sees it, known to be one? Any time. */
static inline bool handler_is(uintptr_t routine)
{
	uintptr_t at;

	if (LIKELY(!__atomic_load_n(&handler_count, __ATOMIC_RELAXED)))
		return false;
	for (uint32_t i = handler_slot(routine); (at = __atomic_load_n(&handler_table[i], __ATOMIC_RELAXED)); i = (i + 1) % HANDLER_SLOTS)
		if (at == routine)
			return true;
	return false;
}

/* The program is about to let a signal be handled by the function at ADDRESS. Any time. */
void handler_told(uintptr_t address) HIDDEN;

/* ROUTINE is entered, with FLAGS as its hook says, and signals blocked.  May that be for a signal?  It may if it is a handler, or nobody has
 * called it before, so that nothing is known of it yet. */
bool handler_may_be(uintptr_t routine, uint32_t flags) HIDDEN;

/* It may, and it returns to BACK.  Is it? */
bool handler_runs(uintptr_t routine, uintptr_t back) HIDDEN;

#endif
