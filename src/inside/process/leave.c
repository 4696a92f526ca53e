/* leave.c - exit is called (--wrap): handlers of exit run under the root, not under the routine that called it. */
#include "inside/process/leave.h"

#include <stddef.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cycles.h"
#include "inside/machine/machine.h"
#include "inside/process/thread.h"
#include "inside/stacks/originals.h"
#include "inside/stacks/lost_context.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/tls.h"

/* The frames that are open now stay open: what follows, handlers of exit, runs under the root. */
void leave_routines(void)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = tls->thread;

	if (!t || monitor_state() != MONITOR_ON || t->record->current != AMON_NONE)
		return;
	if (tls->current == LOST_ID)
		tls->current = lost_context_here(t);
	t->record->current = machine_item(t, tls_context(tls));
	t->record->depth = (uint32_t)(tls->top - t->stacks.shadow->base);
	if (clock_is_tsc())
		cycles_charge(t, tls_context(tls));
	stack_push_root(t);
}

static bool exit_seen;

bool leave_was_unseen(const struct thread *t)
{
	return t->record->current != AMON_NONE && !exit_seen;
}

void __real_exit(int status) __attribute__((noreturn));
EXPORTED void __wrap_exit(int status) __attribute__((noreturn));

void __wrap_exit(int status)
{
	exit_seen = true;
	leave_routines();
	__real_exit(status);
}

/* By a name that is nobody else's: whoever walks the stack stops here. */
extern __typeof(__wrap_exit) aprof_exit_begun __attribute__((alias("__wrap_exit"), noreturn));

#ifdef APROF_MCOUNT
FRONT(exit) __attribute__((noreturn));
#endif
