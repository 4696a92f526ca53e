/* young_process.c - processes that have worked for some milliseconds at most.
 *
 * Most processes of a shell or of a build end before a sampler would have looked at them once.  To make its thread, to open what it reads, and to end it
 * take longer than they do.  So a forked child begins with nothing but a timer on its CPU clock, which fires when the scheduler's clock next interrupts it, most
 * often after two milliseconds in the mean, as that is in no step with when processes begin.  Who ends before adds what it spent to what waits
 * for all that share its file (nursery.h); whom the timer interrupts takes all that waits, and is charged for it where it is, as who looks at threads
 * charges what they spent since the last look (look.c).  So no time is lost, and each context gets its part in the mean.
 *
 * Under the timer only the first thread runs: with a second one the process is grown.  A program that is executed may be about to block all signals and wait for
 * one, as servers do: it has a sampler from the start, which asks each thread's mask before it has it interrupted. */
#include "inside/process/young_process.h"

#include <signal.h>
#include <time.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/account.h"
#include "inside/clock/look.h"
#include "inside/clock/pc.h"
#include "inside/file/nursery.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

enum { YOUTH = 3000000 };		/* CPU time of a process, ns, from which on the timer makes it grow */

static struct {
	int timer;			/* its number; < 0: there is none */
	void (*grow)(void);
} young OF_PROCESS = { .timer = -1 };

/* Let the timer fire as soon as the kernel looks at it. */
static void timer_arm(void)
{
	static const struct itimerspec soon = { .it_value = { .tv_nsec = 1 } };

	sys4(timer_settime, young.timer, 0, &soon, NULL);
}

static bool timer_make(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF, .sigev_value.sival_ptr = pc_timer_mark() };
	int id;

	((int *)&event.sigev_notify)[1] = (int)sys0(gettid);	/* sigev_notify_thread_id, which not every libc names */
	if (sys_failed(sys3(timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &id)))
		return false;
	young.timer = id;
	timer_arm();
	return true;
}

/* What T has spent since that was last asked. */
static uint64_t spent_since(struct thread *t, uint64_t now)
{
	uint64_t spent = now > t->clock.sampled_cpu ? now - t->clock.sampled_cpu : 0;

	t->clock.sampled_cpu += spent;
	return spent;
}

/* A sample found T, the calling thread, in context AT: it stands for all that waits. */
static void young_process_charge(struct thread *t, context_id at, uint64_t nsec)
{
	uint32_t item = at ? machine_item(t, at) : AMON_NONE;

	t->record->cpu_last += nsec;
	if (t->busy == BUSY || t->busy == busy_open(at)) {
		t->record->monitor += nsec;
		t->record->monitor_ticks++;
	} else if (item != AMON_NONE) {
		machine_charge(t, item, nsec, 1);
	} else {
		t->record->unplaced += nsec;
		return;
	}
	t->record->ticks++;
}

/* The timer has fired, in the thread that it is for, in the context AT; 0: it is not known. */
static void process_young_tick(context_id at)
{
	struct thread *t = aprof_tls.thread;
	uint64_t now = sys_clock(CLOCK_THREAD_CPUTIME_ID);

	if (!monitor.young || !t)
		return;
	young_process_charge(t, at, spent_since(t, now) + nursery_waits_take());
	if (now >= YOUTH)
		young_process_grow();
	else
		timer_arm();
}

bool young_process_begin(void (*grow)(void))
{
	bool is_tick = monitor.clock.clock == AMON_CLOCK_TICK;

	young.timer = -1;			/* a forked child has none of its parent's */
	pc_take_no_more();
	if (monitor.clock.clock == AMON_CLOCK_WALL || monitor.verify || monitor.intervals)
		return false;
	if (!monitor.in_nursery || (is_tick && (monitor.sigprof_blocked || !pc_take(process_young_tick) || !timer_make())))
		return false;
	young.grow = grow;
	monitor.young = true;
	return true;
}

void young_process_grow(void)
{
	uint64_t mask;

	if (!__atomic_exchange_n(&monitor.young, false, __ATOMIC_ACQ_REL))
		return;
	sys_block_signals(&mask);
	if (young.timer >= 0)
		sys1(timer_delete, young.timer);
	young.timer = -1;
	pc_take_no_more();
	young.grow();
	sys_restore_signals(&mask);
}

void young_process_settle(void)
{
	struct thread *t = aprof_tls.thread;

	uint64_t now;

	if (!t || aprof_tls.inert == INERT_VFORK || sys0(getpid) != monitor.pid)
		return;
	if (!monitor.young || monitor.clock.clock != AMON_CLOCK_TICK) {
		look_hold();
		look_release();
		return;
	}
	now = sys_clock(CLOCK_THREAD_CPUTIME_ID);
	if (monitor.nursery)
		nursery_waits_add(spent_since(t, now));
	else
		account_advance(t, now);
}
