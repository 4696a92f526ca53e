/* look.c - looks at threads: where each is, and what time is charged there.
 *
 * Clock tick.  A look, at a random moment of the wall clock, is a fair sample of what a thread does if the thread runs at that moment:
 *   1. on another processor: its CPU clock goes on between two readings; or
 *   2. on ours: it had a processor all the time since the last look, but for what the sampler took, so the sampler stopped it and nobody else did.
 * Such a look charges what the thread spent since the last one that was, which is pending until then, to the context that it is in.  A look at a thread that
 * does not run charges nothing: where a thread waits, for a processor or for anything else, says nothing of where it worked.
 *
 * Invariant: thread-local words are read only under look_lock and only while t->watched, which the
 * thread itself takes back, under the lock, before they vanish. */
#include "inside/clock/look.h"

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/account.h"
#include "inside/clock/cycles.h"
#include "inside/clock/slices.h"
#include "inside/clock/status.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/process/reset.h"
#include "inside/process/thread.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

static struct sys_lock look_lock OF_PROCESS;
static volatile uint32_t stopped OF_PROCESS;	/* no more looks */

/* What one look at a thread sees. */
struct look {
	uint64_t before;		/* its CPU clock, ns */
	context_id at;			/* its context; 0: nowhere */
	bool busy;			/* it is in the monitor */
	uint64_t after;			/* its CPU clock again, ns */
};

/* The context of T; 0 while it changes stacks. */
static context_id context_now(const struct thread *t)
{
	struct frame *top = __atomic_load_n(&t->tls->top, __ATOMIC_RELAXED);
	struct shadow *s = __atomic_load_n(&t->stacks.shadow, __ATOMIC_RELAXED);
	context_id current = __atomic_load_n(&t->tls->current, __ATOMIC_RELAXED);

	if (current)
		return current;
	if (!s || top < s->base || top >= s->end)
		return 0;
	while (top > s->base && !__atomic_load_n(&top->cfa, __ATOMIC_ACQUIRE))
		top--;
	return __atomic_load_n(&top->context, __ATOMIC_RELAXED);
}

static struct look look_at(const struct thread *t)
{
	int clock = sys_thread_clock(t->tid);
	struct look l = { .before = sys_clock(clock) };

	l.after = l.before;
	if (l.before == t->clock.sampled_cpu && monitor.clock.clock == AMON_CLOCK_TICK)
		return l;		/* it has not run at all */
	l.at = context_now(t);
	l.busy = t->busy == BUSY || t->busy == busy_open(l.at);
	l.after = sys_clock(clock);
	return l;
}

/* TICKS samples found T in ITEM, and stand for NSEC. */
static void charge_item(struct thread *t, uint32_t item, uint64_t nsec, uint32_t ticks)
{
	machine_charge(t, item, nsec, ticks);
	slices_charge(t, item, nsec, ticks);
	t->record->ticks += ticks;
}

/* How unequal what samples bring is, is told by the sum of its squares. */
static void add_square(struct thread *t, uint64_t nsec)
{
	uint64_t usec = nsec / 1000;

	t->record->squares += usec * usec;
}

/* Charge NSEC to where the look L found T.  False: it was nowhere that is known. */
static bool charge(struct thread *t, const struct look *l, uint64_t nsec)
{
	uint32_t item = machine_item(t, l->at);

	if (l->busy) {
		t->record->monitor += nsec;
		t->record->monitor_ticks++;
		t->record->ticks++;
		slices_charge(t, AMON_NONE, nsec, 1);
	} else if (item != AMON_NONE) {
		charge_item(t, item, nsec, 1);
		add_square(t, nsec);
	} else {
		return false;
	}
	return true;
}

/* T's time is of no look to come. */
static void forget_pending(struct thread *t)
{
	t->clock.pending = 0;
}

static void place_pending(struct thread *t, const struct look *l)
{
	if (charge(t, l, t->clock.pending))
		t->record->unplaced -= t->clock.pending;
	forget_pending(t);
}

/* Did a thread that spent SPENT of the PASSED ns have a processor all the time, but for what the sampler TOOK of it? */
static bool had_all(uint64_t spent, uint64_t passed, uint64_t took)
{
	return spent + took >= passed - passed / 128;
}

static void tick(struct thread *t, const struct look_time *when, struct looked *sum)
{
	struct look l = look_at(t);
	uint64_t spent = l.after - t->clock.sampled_cpu, passed = when->now - t->clock.sampled_wall;

	if (!l.before)
		t->clock.watched = 0;		/* gone, without a word */
	t->clock.sampled_wall = when->now;
	if (l.after <= t->clock.sampled_cpu)
		return;
	account_advance(t, l.after);
	sum->worked += spent;
	if (l.after > l.before || had_all(spent, passed, when->took)) {
		place_pending(t, &l);
		sum->met++;
	} else {
		sum->missed = t;
		sum->misses++;
	}
}

static void tick_wall(struct thread *t, uint64_t now, struct looked *sum)
{
	struct look l = look_at(t);

	if (!l.before)
		t->clock.watched = 0;
	sum->worked += l.after > t->clock.sampled_cpu ? l.after - t->clock.sampled_cpu : 0;
	account_advance(t, l.after);
	if (now > t->clock.sampled_wall)	/* else the clock was set back */
		charge(t, &l, now - t->clock.sampled_wall);
	t->clock.sampled_wall = now;
}

struct looked look_round(const struct look_time *when)
{
	struct looked sum = { .worked = 0 };

	for (struct thread *t = monitor.threads; t; t = t->chain.next) {
		sys_lock(&look_lock);
		if (!t->clock.watched || stopped)
			status_close(t);
		else if (monitor.clock.clock == AMON_CLOCK_WALL)
			tick_wall(t, when->now, &sum);
		else
			tick(t, when, &sum);
		sys_unlock(&look_lock);
	}
	return sum;
}

/* ---- when there are looks ---- */

void look_forget(void)
{
	look_lock.taken = 0;
	stopped = 0;
}

bool look_is_stopped(void) { return stopped; }

void look_stop(void)
{
	sys_lock(&look_lock);
	stopped = 1;
	sys_unlock(&look_lock);
}

void look_resume(void)
{
	stopped = 0;
}

void look_reset(void)
{
	sys_lock(&look_lock);
	reset_counters();
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		forget_pending(t);
	sys_unlock(&look_lock);
}

bool look_watch(struct thread *t, bool watched)
{
	bool before;

	sys_lock(&look_lock);
	before = t->clock.watched;
	t->clock.watched = watched;
	sys_unlock(&look_lock);
	return before;
}

/* Up to now T's time is in its accounts. */
static void account(struct thread *t)
{
	uint64_t cpu = sys_clock(sys_thread_clock(t->tid));

	account_advance(t, cpu);
	forget_pending(t);
	if (cpu && clock_is_tsc())		/* 0: gone, without a word */
		cycles_settle(t);
}

/* Nothing is placed: that a thread calls us, or ends, says nothing of where it worked before. */
void look_hold(void)
{
	sys_lock(&look_lock);
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		if (t->clock.watched && t->tls == &aprof_tls && monitor.clock.clock == AMON_CLOCK_TSC)
			cycles_charge(t, tls_context(t->tls));
		else if (t->clock.watched)
			account(t);
}

void look_release(void)
{
	sys_unlock(&look_lock);
}

void look_end(struct thread *t)
{
	sys_lock(&look_lock);
	if (t->clock.watched) {
		account(t);
		t->clock.watched = false;
	}
	sys_unlock(&look_lock);
}

/* The last look at T, by a thread of the program. */
static void last_look(struct thread *t)
{
	struct look l = look_at(t);

	account_advance(t, l.after);
	if (l.after > l.before && t->tid != (int)sys0(gettid))
		place_pending(t, &l);
	t->clock.watched = 0;
	forget_pending(t);
}

void look_last(void)
{
	sys_lock(&look_lock);
	stopped = 1;
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		if (t->clock.watched)
			last_look(t);
	sys_unlock(&look_lock);
}
