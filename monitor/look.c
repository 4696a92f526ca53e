/* look.c - looks at threads: where each is, and what time is charged there.
 *
 * Clock tick.  At each look, at a random moment of the wall clock, a thread's CPU clock tells what it
 * spent since the last look; that is pending until a look finds the thread at work, and is then
 * charged to where it is.  A thread that sleeps is not at work, whatever it spent since the last
 * look: its last burst did not belong to the routine in which it now waits.  What "at work" is:
 *   1. the clock goes on between two readings: it runs on another processor; or
 *   2. it could run, and did not sleep since it was last asked, or it ran until we began, on its processor.
 * (A thread that only waits for a processor, in the routine in which it has just been woken, is not.  A server that sleeps a thousand times a second
 * mostly is in that state where it shares its processor.)
 *
 * Invariant: thread-local words are read only under look_lock and only while t->watched, which the
 * thread itself takes back, under the lock, before they vanish. */
#include "monitor/look.h"

#include "format/amon.h"
#include "monitor/account.h"
#include "monitor/context.h"
#include "monitor/cycles.h"
#include "monitor/layout.h"
#include "monitor/machine.h"
#include "monitor/reset.h"
#include "monitor/slices.h"
#include "monitor/stack.h"
#include "monitor/state.h"
#include "monitor/status.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

static struct sys_lock look_lock;
static volatile uint32_t stopped;	/* no more looks */

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
	struct shadow *s = __atomic_load_n(&t->shadow, __ATOMIC_RELAXED);
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
	if (l.before == t->sampled_cpu && monitor.clock.clock == AMON_CLOCK_TICK)
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

/* Charge NSEC to where the look L found T.  False: it was nowhere. */
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
	} else {
		return false;
	}
	return true;
}

/* T is in no known context, behind a jump: NSEC waits for the one that is found. */
static void keep_lost(struct thread *t, uint64_t nsec)
{
	t->lost_time += nsec;
	__atomic_store_n(&t->lost_ticks, t->lost_ticks + 1, __ATOMIC_RELEASE);
}

static void forget_lost(struct thread *t)
{
	t->lost_time = 0;
	__atomic_store_n(&t->lost_ticks, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&t->found, 0, __ATOMIC_RELEASE);
}

/* It is found: what waits for it is placed. */
static void place_lost(struct thread *t)
{
	context_id found = __atomic_load_n(&t->found, __ATOMIC_ACQUIRE);
	uint32_t item = found ? machine_item(t, found) : AMON_NONE;

	if (item == AMON_NONE)
		return;
	charge_item(t, item, t->lost_time, t->lost_ticks);
	if (monitor.clock.clock == AMON_CLOCK_TICK)
		t->record->unplaced -= t->lost_time;
	forget_lost(t);
}

static bool is_lost(const struct look *l) { return l->at == LOST_ID && !l->busy; }

static void place_pending(struct thread *t, const struct look *l)
{
	place_lost(t);
	if (is_lost(l))
		keep_lost(t, t->pending);
	else if (charge(t, l, t->pending))
		t->record->unplaced -= t->pending;
	t->pending = 0;
}

/* Is T at work, which the look L found to have spent SPENT of the PASSED ns since the last one?  One that had a processor all the time
 * did not sleep.  The others are asked, which costs more than all else here, if as much time is pending as a sample was to stand for. */
static bool is_at_work(struct thread *t, const struct look *l, uint64_t spent, uint64_t passed)
{
	bool asked = t->asked;

	t->asked = false;
	if (l->after > l->before || spent >= passed - passed / 64)
		return true;
	if (t->pending < clock_period())
		return false;
	t->asked = true;
	return status_was_preempted(t, asked);
}

static void tick(struct thread *t, uint64_t now)
{
	struct look l = look_at(t);
	uint64_t spent = l.after - t->sampled_cpu, passed = now - t->sampled_wall;

	t->sampled_wall = now;
	if (!l.before)
		t->watched = 0;		/* gone, without a word */
	if (l.after <= t->sampled_cpu)
		return;
	account_advance(t, l.after);
	if (is_at_work(t, &l, spent, passed))
		place_pending(t, &l);
}

static void tick_wall(struct thread *t, uint64_t now)
{
	struct look l = look_at(t);

	if (!l.before)
		t->watched = 0;
	account_advance(t, l.after);
	place_lost(t);
	if (now > t->sampled_wall && is_lost(&l))	/* else the clock was set back */
		keep_lost(t, now - t->sampled_wall);
	else if (now > t->sampled_wall)
		charge(t, &l, now - t->sampled_wall);
	t->sampled_wall = now;
}

uint64_t look_round(uint64_t now)
{
	uint64_t worked = 0;

	for (struct thread *t = monitor.threads; t; t = t->next) {
		uint64_t before = t->sampled_cpu;

		sys_lock(&look_lock);
		if (t->watched && !stopped) {
			if (monitor.clock.clock == AMON_CLOCK_WALL)
				tick_wall(t, now);
			else
				tick(t, now);
		} else if (t->state_fd) {
			status_close(t);
		}
		sys_unlock(&look_lock);
		worked += t->sampled_cpu - before;
	}
	return worked;
}

bool look_is_losing(void)
{
	uint64_t unplaced = 0, all = 0;

	for (struct thread *t = monitor.threads; t; t = t->next) {
		unplaced += t->record->unplaced - t->pending - (monitor.clock.clock == AMON_CLOCK_TICK ? t->lost_time : 0);
		all += t->record->cpu_last - t->record->cpu_first;
	}
	return unplaced > all / 50;
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
	for (struct thread *t = monitor.threads; t; t = t->next) {
		t->pending = 0;
		forget_lost(t);
	}
	sys_unlock(&look_lock);
}

bool look_watch(struct thread *t, bool watched)
{
	bool before;

	sys_lock(&look_lock);
	before = t->watched;
	t->watched = watched;
	sys_unlock(&look_lock);
	return before;
}

/* Up to now T's time is in its accounts. */
static void account(struct thread *t)
{
	uint64_t cpu = sys_clock(sys_thread_clock(t->tid));

	account_advance(t, cpu);
	place_lost(t);
	t->pending = 0;
	if (cpu && clock_is_tsc())		/* 0: gone, without a word */
		cycles_settle(t);
}

/* The calling thread is at work, so its time can be placed; what others spent since their last look cannot. */
void look_hold(void)
{
	sys_lock(&look_lock);
	for (struct thread *t = monitor.threads; t; t = t->next)
		if (t->watched && t->tls == &aprof_tls) {
			struct look l = look_at(t);

			account_advance(t, l.after);
			if (monitor.clock.clock == AMON_CLOCK_TICK && t->pending)
				place_pending(t, &l);
			if (monitor.clock.clock == AMON_CLOCK_TSC)
				cycles_charge(t, tls_context(t->tls));
		} else if (t->watched) {
			account(t);
		}
}

void look_release(void)
{
	sys_unlock(&look_lock);
}

void look_end(struct thread *t)
{
	sys_lock(&look_lock);
	if (t->watched) {
		account(t);
		forget_lost(t);
		t->watched = false;
	}
	sys_unlock(&look_lock);
}

void look_charge(struct thread *t, uint32_t item, uint64_t nsec)
{
	sys_lock(&look_lock);
	charge_item(t, item, nsec, 1);
	sys_unlock(&look_lock);
}

/* The last look at T, by a thread of the program. */
static void last_look(struct thread *t)
{
	struct look l = look_at(t);

	account_advance(t, l.after);
	if (l.after > l.before && t->tid != (int)sys0(gettid))
		place_pending(t, &l);
	place_lost(t);
	t->watched = 0;
	t->pending = 0;
}

void look_last(void)
{
	sys_lock(&look_lock);
	stopped = 1;
	for (struct thread *t = monitor.threads; t; t = t->next)
		if (t->watched)
			last_look(t);
	sys_unlock(&look_lock);
}
