/* account.c - what CPU time there is to account for: a thread's, and the process's user and system time.
 *
 * Invariant of the sampled clock tick, at every moment, in the file:
 *     sum of the contexts' time + monitor + unplaced = cpu_last - cpu_first.
 * Whatever CPU time is seen is first unplaced; a sample that finds the thread at work moves it to where it
 * found it.  What it finds in no known context, behind a jump (jump.c), stays unplaced until the thread is found. */
#include "inside/clock/account.h"

#include "contract/amon.h"
#include "inside/clock/pc.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

void account_advance(struct thread *t, uint64_t cpu)
{
	uint64_t spent = cpu - t->clock.sampled_cpu;

	if (cpu <= t->clock.sampled_cpu)
		return;
	t->clock.sampled_cpu = cpu;
	t->record->cpu_last += spent;
	if (pc_is_lacking(t))
		__atomic_fetch_add(&monitor.header->pc_unsampled, spent, __ATOMIC_RELAXED);
	if (monitor.clock.clock == AMON_CLOCK_TICK) {
		t->record->unplaced += spent;
		t->clock.pending += spent;
	}
}

/* ---- user and system time ----
 *
 * The kernel counts for each of the two the timer interrupts that came in it.  That is coarse, but clock_gettime tells it, which every
 * filter of system calls permits. */

enum { OF_BOTH = -8, OF_USER = -7, OF_THREAD = 4 };	/* clocks, as the kernel numbers those of the caller's process */

struct modes {
	uint64_t user, system;		/* ns */
};

static struct modes before;		/* of the process, when counting began */
static struct modes ours;		/* of the sampler, at its last look */

static struct modes modes_now(int of)
{
	uint64_t user = sys_clock(OF_USER | of), both = sys_clock(OF_BOTH | of);

	return (struct modes){ user, both > user ? both - user : 0 };
}

static uint64_t account_less(uint64_t now, uint64_t then) { return now > then ? now - then : 0; }

void account_modes(bool is_sampler)
{
	struct modes now = modes_now(0);

	if (is_sampler)
		ours = modes_now(OF_THREAD);
	monitor.header->cpu_user = account_less(now.user, before.user + ours.user);
	monitor.header->cpu_system = account_less(now.system, before.system + ours.system);
}

void account_modes_begin(void)
{
	before = modes_now(0);
	before.user -= ours.user;
	before.system -= ours.system;
	monitor.header->cpu_user = monitor.header->cpu_system = 0;
}

void account_begin(void)
{
	ours = (struct modes){ 0 };
	account_modes_begin();
}
