/* told.c - see told.h. */
#include "inside/hooks/told.h"

#include "inside/clock/cycles.h"
#include "inside/hooks/slow.h"
#include "inside/machine/machine.h"
#include "inside/process/fork.h"
#include "inside/process/thread.h"
#include "inside/stacks/lost_context.h"
#include "inside/state.h"
#include "inside/tls.h"

bool told_is_out(struct aprof_tls *tls)
{
	return slow_is_early(tls) || tls->inert || monitor_state() == MONITOR_OFF;
}

struct thread *told_thread(struct aprof_tls *tls)
{
	if (monitor_state() == MONITOR_ON && !*monitor.alive)
		fork_unseen();
	return tls->thread ? tls->thread : slow_start((uintptr_t)__builtin_frame_address(0));
}

void told_go(struct aprof_tls *tls, context_id c)
{
	struct thread *t = tls->thread;

	if (UNLIKELY(clock_is_tsc()) && t)
		cycles_charge(t, tls_context(tls));
	if (LIKELY(tls->current))
		__atomic_store_n(&tls->current, c, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&tls_open(tls)->context, c, __ATOMIC_RELAXED);
}

context_id told_context(struct thread *t)
{
	context_id c = tls_context(t->tls), here = c == LOST_ID ? lost_context_here(t) : machine_here(t, c);

	if (here != c)
		told_go(t->tls, here);
	return here;
}
