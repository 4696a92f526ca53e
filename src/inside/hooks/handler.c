/* handler.c - handlers of signals are known by two ways: the program says so (sigaction, signal), or it is seen when a routine is entered for the first
 * time.  Both come before a hook can find a transition to the routine, but where it was called by the program before it became a handler: then what the
 * hooks would find is taken away.
 *
 * Invariant: what is in the table stays there; who reads it needs no lock. */
#include "inside/hooks/handler.h"

#include "contract/amon.h"
#include "inside/machine/front.h"
#include "inside/modules/enrol.h"
#include "inside/modules/routine.h"
#include "inside/process/thread.h"
#include "inside/stacks/unwind.h"
#include "inside/state.h"
#include "inside/sys.h"

enum {
	MOST = HANDLER_SLOTS / 2,	/* beyond which handlers stay under what they interrupt */
	HOOK_NEAR = 16,			/* bytes behind a routine's start in which its hook is, where nobody tells its end */
};

uintptr_t handler_table[HANDLER_SLOTS];
uint32_t handler_count;

static uintptr_t told[MOST];		/* functions that the program made handlers of, addresses; 0: on its way */
static uint32_t ntold;			/* may be more than there is room for */

/* From now on the hooks find no transition to ROUTINE. */
static void handler_add(uintptr_t routine)
{
	uintptr_t none = 0;
	uint32_t i = handler_slot(routine);

	if (handler_is(routine) || __atomic_add_fetch(&handler_count, 1, __ATOMIC_SEQ_CST) > MOST)
		return;
	for (; !__atomic_compare_exchange_n(&handler_table[i], &none, routine, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); none = 0)
		i = (i + 1) % HANDLER_SLOTS;
	for (struct thread *t = __atomic_load_n(&monitor.threads, __ATOMIC_ACQUIRE); t; t = t->chain.next)
		front_drop(t, routine);
}

/* The code of the function at ADDRESS, *START .. *END. */
static void handler_code_of(uintptr_t address, uintptr_t *start, uintptr_t *end)
{
	struct unwind u = { .interrupted = true };

	u.reg[UNWIND_RIP] = address;
	unwind_begin(&u);
	*start = u.start ? u.start : address;
	*end = u.start ? u.end : address + HOOK_NEAR;
}

static bool handler_is_told(uintptr_t address)
{
	uint32_t n = __atomic_load_n(&ntold, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < MOST; i++)
		if (__atomic_load_n(&told[i], __ATOMIC_RELAXED) == address)
			return true;
	return false;
}

/* The function at ADDRESS may have been called before. */
static void look_for(uintptr_t address)
{
	uintptr_t start, end;
	uint32_t flags, routine;

	handler_code_of(address, &start, &end);
	routine = routine_within(start, end);
	if (routine != AMON_NONE)
		handler_add(routine_address(routine, &flags));
}

void handler_told(uintptr_t address)
{
	uint64_t mask;
	uint32_t i;

	if (handler_is_told(address) || __atomic_load_n(&ntold, __ATOMIC_RELAXED) >= MOST)
		return;
	i = __atomic_fetch_add(&ntold, 1, __ATOMIC_ACQ_REL);
	if (i >= MOST)
		return;
	__atomic_store_n(&told[i], address, __ATOMIC_RELEASE);
	if (monitor_state() != MONITOR_ON)
		return;
	sys_block_signals(&mask);
	look_for(address);
	sys_restore_signals(&mask);
}

/* Did the program say that the routine with a hook at ROUTINE is a handler? */
static bool was_told(uintptr_t routine)
{
	uint32_t n = __atomic_load_n(&ntold, __ATOMIC_ACQUIRE);
	uintptr_t start, end;

	for (uint32_t i = 0; i < n && i < MOST; i++) {
		uintptr_t address = __atomic_load_n(&told[i], __ATOMIC_ACQUIRE);

		if (!address || routine < address)
			continue;
		handler_code_of(address, &start, &end);
		if (routine >= start && routine < end)
			return true;
	}
	return false;
}

bool handler_may_be(uintptr_t routine, uint32_t flags)
{
	if (handler_is(routine))
		return true;
	if (routine_known(routine) != AMON_NONE || enrol_routine(routine, flags) == AMON_NONE)
		return false;
	if (was_told(routine))
		handler_add(routine);
	return true;
}

bool handler_runs(uintptr_t routine, uintptr_t back)
{
	struct unwind u = { .page = 1 };

	u.reg[UNWIND_RIP] = back;
	if (!unwind_is_signal_return(&u))
		return false;
	handler_add(routine);
	return handler_is(routine);
}
