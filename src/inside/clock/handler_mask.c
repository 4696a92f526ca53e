/* handler_mask.c - which handlers have SIGPROF blocked for us.
 *
 * Invariant: a signal's bit in `added` says that SIGPROF stands in the mask of its handler by our doing alone.  Between the kernel's
 * word and ours somebody may come: what is at stake then is one look of the program at its own action. */
#include "inside/clock/handler_mask.h"

#include "inside/sys.h"

enum {
	SMALL = 65536,			/* bytes: room for two of the kernel's frames, of 11 KB at most, our handler and the program's */
	SIGNALS = 64,
};

#define PROF (UINT64_C(1) << (SIGPROF - 1))

static volatile bool wanted = true;	/* SIGPROF is ours, or may soon be: handlers that run when it becomes so are to be safe, too */
static volatile bool ours;		/* it is */
static volatile bool small;		/* a small signal stack was seen */
static volatile uint64_t added;		/* a bit for each signal */

static bool handler_mask_holds(void) { return wanted && small; }

static uint64_t bit(int sig) { return UINT64_C(1) << ((unsigned)(sig - 1) % SIGNALS); }

static void set_added(int sig, bool is)
{
	if (is)
		__atomic_fetch_or(&added, bit(sig), __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&added, ~bit(sig), __ATOMIC_RELAXED);
}

static bool is_added(int sig) { return added & bit(sig); }

static bool handler_mask_read_action(int sig, struct sys_action *a)
{
	return !sys_failed(sys4(rt_sigaction, sig, NULL, a, sizeof a->mask)) && (uintptr_t)a->handler > 1;
}

static bool handler_mask_is_same(const struct sys_action *a, const struct sys_action *b)
{
	return a->handler == b->handler && a->flags == b->flags && a->mask == b->mask;
}

/* Set NEW in the place of WAS. False: that was not there any more, and what was is again. */
static bool handler_mask_exchange(int sig, const struct sys_action *was, const struct sys_action *new)
{
	struct sys_action before;

	if (sys_failed(sys4(rt_sigaction, sig, new, &before, sizeof before.mask)))
		return false;
	if (handler_mask_is_same(&before, was))
		return true;
	sys4(rt_sigaction, sig, &before, NULL, sizeof before.mask);
	return false;
}

/* Our own handler runs where the interrupted code does. */
static void leave_stacks(void)
{
	struct sys_action a, now;

	if (!handler_mask_read_action(SIGPROF, &a) || !(a.flags & SA_ONSTACK))
		return;
	now = a;
	now.flags &= ~(unsigned long)SA_ONSTACK;
	handler_mask_exchange(SIGPROF, &a, &now);
}

static void hold(int sig)
{
	struct sys_action a, now;

	if (!handler_mask_read_action(sig, &a) || !(a.flags & SA_ONSTACK) || a.mask & PROF)
		return;
	now = a;
	now.mask |= PROF;
	if (handler_mask_exchange(sig, &a, &now))
		set_added(sig, true);
}

static void hold_all(void)
{
	struct sys_action a;

	if (ours)
		leave_stacks();
	else if (handler_mask_read_action(SIGPROF, &a))
		return;				/* it is the program's */
	for (int sig = 1; sig <= SIGNALS; sig++)
		if (sig != SIGPROF)
			hold(sig);
}

static void handler_mask_release(int sig)
{
	struct sys_action a, now;

	set_added(sig, false);
	if (!handler_mask_read_action(sig, &a))
		return;
	now = a;
	now.mask &= ~PROF;
	handler_mask_exchange(sig, &a, &now);
}

void handler_mask_begin(void)
{
	ours = wanted = true;
	if (small)
		hold_all();
}

void handler_mask_end(void)
{
	ours = wanted = false;
	for (int sig = 1; sig <= SIGNALS; sig++)
		if (is_added(sig))
			handler_mask_release(sig);
}

void handler_mask_stack(const stack_t *s)
{
	if (small || s->ss_flags & SS_DISABLE || !s->ss_size || s->ss_size >= SMALL)
		return;
	small = true;
	handler_mask_round();
}

void handler_mask_look(void)
{
	stack_t s;

	if (!small && !sys_failed(sys2(sigaltstack, NULL, &s)))
		handler_mask_stack(&s);
}

void handler_mask_round(void)
{
	if (handler_mask_holds())
		hold_all();
}

/* The first words of libc's set are the kernel's. */
static uint64_t *handler_mask_mask_of(struct sigaction *a) { return (uint64_t *)&a->sa_mask; }

/* Does ACTION, for SIG, run where SIGPROF is to be held back, and does not say so itself? */
static bool is_to_hold(int sig, const struct sigaction *action)
{
	return handler_mask_holds() && sig != SIGPROF && action->sa_flags & SA_ONSTACK && action->sa_handler != SIG_DFL &&
		action->sa_handler != SIG_IGN &&
	       !(*(const uint64_t *)&action->sa_mask & PROF);
}

const struct sigaction *handler_mask_action(int sig, const struct sigaction *action, struct sigaction *room)
{
	if (!is_to_hold(sig, action))
		return action;
	mem_copy(room, action, sizeof *room);
	*handler_mask_mask_of(room) |= PROF;
	return room;
}

void handler_mask_done(int sig, const struct sigaction *action, struct sigaction *old)
{
	if (old && is_added(sig))
		*handler_mask_mask_of(old) &= ~PROF;
	if (action)
		set_added(sig, is_to_hold(sig, action));
}

bool handler_mask_is_small(void)
{
	stack_t s;

	return small && !sys_failed(sys2(sigaltstack, NULL, &s)) && s.ss_flags & SS_ONSTACK && s.ss_size < SMALL;
}
