/* entry.h - what the entry hooks of all ways do alike out of line; they are the same code in each. */
#ifndef ENTRY_H
#define ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cycles.h"
#include "inside/machine/context.h"
#include "inside/machine/front.h"
#include "inside/machine/machine.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

/* With signals blocked, and nothing that the monitor calls counted: */
static inline void entry_block(struct aprof_tls *tls, uint64_t *mask)
{
	sys_block_signals(mask);
	if (!monitor.started)
		monitor.sigprof_blocked = *mask >> (27 /* SIGPROF */ - 1) & 1;
	tls->inert = INERT_MONITOR;
}

static inline void entry_unblock(struct aprof_tls *tls, const uint64_t *mask)
{
	tls->inert = INERT_NOT;
	sys_restore_signals(mask);
}

/* Signals were let in again behind what has charged the thread: by clock tsc that system call, too, is the monitor's, not of the routine at work. */
static inline void entry_charge_rest(const struct aprof_tls *tls)
{
	struct thread *t = clock_is_tsc() ? thread_live(tls) : NULL;

	if (t)
		cycles_charge_monitor(t);
}

/* Let signals in again, and charge the rest if an entry was made, as CHARGED says. */
static inline void entry_unblock_charged(struct aprof_tls *tls, const uint64_t *mask, bool charged)
{
	entry_unblock(tls, mask);
	if (charged)
		entry_charge_rest(tls);
}

/* Where a call of ROUTINE in T's context FROM leads, from SITE if call sites are told apart, else 0; made if need be.  0: no room. */
static inline target entry_find(struct thread *t, context_id from, uintptr_t routine, uint32_t flags, uintptr_t site)
{
	target to = machine_find(t, from, routine, site);

	return to ? to : machine_make(t, from, routine, flags, site);
}

/* TO; where there is none, the call goes to where the lost ones are counted. */
static inline target entry_or_lost(struct thread *t, target to)
{
	if (to)
		return to;
	note(AMON_NOTE_LOST_CALLS);
	return (target)machine_counter(t, t->lost);
}

/* The same, and let the hooks find it. */
static inline target entry_show(struct thread *t, target to)
{
	if (to) {
		front_grow(t);
		front_add(t, to);
	}
	return entry_or_lost(t, to);
}

#endif
