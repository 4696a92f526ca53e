/* look.c - looks at threads: where each is, and what time is charged there.
 *
 * Clock tick.  At each look, at a random moment of the wall clock, a thread's CPU clock tells what it
 * spent since the last look; that is pending until a look finds the thread at work, and is then
 * charged to where it is.  A thread that sleeps is not at work, whatever it spent since the last
 * look: its last burst did not belong to the routine in which it now waits.  What "at work" is:
 *   1. it had a processor all the time since the last look, but for what the sampler took of it; or
 *   2. the clock goes on between two readings: it runs on another processor; or
 *   3. it could run, and did not sleep then or since when it was last asked, or it ran until we began, on its processor.
 * Where the kernel tells when it had a processor (ran.h), it is at work if it had one when the look was due; a look that came late tells only of those that
 * never sleep.
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

enum {
	AT_ONCE = 8000,			/* ns, at most, from when the sampler could run to its first look, if it need not wait for a processor; */
	IN_KERNEL = 20000,		/* and if it waits for a thread to leave the kernel, where on many systems no processor is taken from anybody */
	OFTEN = 4,			/* times, in what a sample is to stand for and once more, that a thread leaves its processor and yet computes */
	MOST_PENDING = 20,		/* of what a sample is to stand for, that waits for a look that comes in time */
};

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
	} else {
		return false;
	}
	return true;
}

/* T's time is of no look to come. */
static void forget_pending(struct thread *t)
{
	t->pending = t->pending_late = 0;
}

static void place_pending(struct thread *t, const struct look *l)
{
	if (charge(t, l, t->pending))
		t->record->unplaced -= t->pending;
	forget_pending(t);
}

/* What a look says of a thread at the moment when it was due. */
enum finding {
	AWAY,				/* it had no processor */
	AT_WORK,			/* it had, in the context that it is in now */
	PASSED,				/* it had, and what it did is not known: it has worked on since */
	UNSURE,				/* it may have had, and is at work in the context that it is in now */
};

/* What T has pending was to be placed by a look that came too late for it. */
static void leave_pending(struct thread *t)
{
	monitor.header->late_left += t->pending - t->pending_late;
	t->pending_late = t->pending;
}

/* It was, and the look places it. */
static void place_late(struct thread *t, const struct look *l)
{
	monitor.header->late_left -= t->pending_late;
	monitor.header->late_charged += t->pending;
	place_pending(t, l);
}

static bool is_late(const struct look_time *when) { return when->now - when->ready > AT_ONCE; }

/* Is T at work, where the look L found it?  It is asked, which costs more than all else here, if as much time is pending as a sample was to stand for, or
 * the look is LATE. */
static bool is_at_work(struct thread *t, const struct look *l, bool late)
{
	bool asked = t->asked, runs = l->after > l->before, due = t->pending >= clock_period();

	t->asked = false;
	if (runs && !late)
		return true;
	if (!due && !late)
		return false;
	t->asked = true;
	return (status_was_preempted(t, asked) && due) || runs;
}

/* The same where the kernel does not tell.  One that slept may have had a processor when a look was due that came late, or none: if it is charged then, it
 * is for what it came to do. */
static enum finding guess(struct thread *t, const struct look *l, const struct look_time *when)
{
	uint64_t slept = t->slept;
	bool was_asleep = t->asleep;
	bool at_work = is_at_work(t, l, is_late(when));

	if (is_late(when) && (t->slept != slept || was_asleep))
		return at_work ? UNSURE : PASSED;
	return at_work ? AT_WORK : AWAY;
}

/* Did the thread of RAN, which WAITED ns ago had the sampler's processor, leave it to the sampler, being where it is since then?  It was in user mode, and a
 * processor was taken from it at once; or it had to end a system call before, or was about to sleep.  One that slept later may have come from anywhere. */
static bool made_way(const struct ran *ran, uint64_t waited)
{
	return ran->had && !ran->has && ran->nsec + AT_ONCE >= waited && waited <= (ran->preempted ? IN_KERNEL : AT_ONCE);
}

/* Does T, which spent SPENT ns since the last look, compute, as far as the kernel tells?  It has worked for as long as a sample is to stand for without sleep,
 * and left its processor as often at most as one does from which it is taken for others.  One that wakes others leaves it to them each time.  To be
 * asked at each look. */
static bool is_steady(struct thread *t, uint64_t spent)
{
	struct ran ran = ran_since(t, t->sampled_wall);

	if (!ran.known || ran.slept || ran.left > OFTEN * (1 + spent / clock_period()))
		t->slept_cpu = t->sampled_cpu;
	return t->sampled_cpu - t->slept_cpu >= clock_period();
}

/* What T does by the kernel's word, RAN, of what it did since the moment that the look at WHEN was due.  A look that came at once tells of its own
 * moment, but for who made way to the sampler.  One that came late may not count, since who did not go on meanwhile is most often one that went
 * to sleep, or woke another that took its processor.  But a thread that computes is at work whenever a look comes after it has worked, though it may wait for
 * a processor: where one is taken from it has to do with others. */
static enum finding finding_of(struct thread *t, const struct ran *ran, const struct look_time *when, uint64_t spent)
{
	bool steady = is_steady(t, spent);

	if (steady || (made_way(ran, when->now - when->ready) && ran->cpu == ran_cpu()) || (ran->has && !is_late(when)))
		return AT_WORK;
	return ran->had && is_late(when) ? PASSED : AWAY;
}

/* What the look L at T says, which did not have a processor all the time and spent SPENT ns since the last one.  What has waited too long for a look in time is
 * charged by a late one. */
static enum finding find(struct thread *t, const struct look *l, const struct look_time *when, uint64_t spent)
{
	struct ran ran = ran_since(t, when->ready);
	enum finding found = ran.known ? finding_of(t, &ran, when, spent) : guess(t, l, when);

	if (found == PASSED && ran.known && t->pending >= MOST_PENDING * clock_period() && is_at_work(t, l, true))
		return UNSURE;
	return found;
}

/* Did a thread that spent SPENT of the PASSED ns have a processor all the time, but for what the sampler TOOK of it? */
static bool had_all(uint64_t spent, uint64_t passed, uint64_t took)
{
	return spent + took >= passed - passed / 64;
}

static void tick(struct thread *t, const struct look_time *when)
{
	struct look l = look_at(t);
	uint64_t spent = l.after - t->sampled_cpu, passed = when->now - t->sampled_wall;
	enum finding found = AWAY;

	if (!l.before)
		t->watched = 0;		/* gone, without a word */
	if (l.after > t->sampled_cpu) {
		account_advance(t, l.after);
		if (had_all(spent, passed, when->took)) {
			t->asked = false;
			found = AT_WORK;
		} else {
			found = find(t, &l, when, spent);
		}
	}
	t->sampled_wall = when->now;
	if (found == AT_WORK)
		place_pending(t, &l);
	else if (found == UNSURE)
		place_late(t, &l);
	else if (found == PASSED)
		leave_pending(t);
}

static void tick_wall(struct thread *t, uint64_t now)
{
	struct look l = look_at(t);

	if (!l.before)
		t->watched = 0;
	account_advance(t, l.after);
	if (now > t->sampled_wall)	/* else the clock was set back */
		charge(t, &l, now - t->sampled_wall);
	t->sampled_wall = now;
}

uint64_t look_round(const struct look_time *when)
{
	uint64_t worked = 0;

	for (struct thread *t = monitor.threads; t; t = t->next) {
		uint64_t before = t->sampled_cpu;

		sys_lock(&look_lock);
		if (t->watched && !stopped) {
			if (monitor.clock.clock == AMON_CLOCK_WALL)
				tick_wall(t, when->now);
			else
				tick(t, when);
		} else if (t->state_fd || t->ran.tid) {
			status_close(t);
			ran_close(t);
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
		unplaced += t->record->unplaced - t->pending;
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
	for (struct thread *t = monitor.threads; t; t = t->next)
		forget_pending(t);
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
	forget_pending(t);
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
	t->watched = 0;
	forget_pending(t);
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
