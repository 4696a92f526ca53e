/* process.c - the start of the process, as the monitor sees it.
 *
 * It is lazy: the first hook, which may run before any constructor, does it, with raw
 * system calls and static memory.  What needs libc waits (load.c). */
#include "inside/process/process.h"

#include <stddef.h>
#include <sys/mman.h>

#include "contract/amon.h"
#include "inside/clock/calibrate.h"
#include "inside/clock/clock.h"
#include "inside/clock/cost.h"
#include "inside/file/file.h"
#include "inside/file/sigbus.h"
#include "inside/modules/enrol.h"
#include "inside/modules/module.h"
#include "inside/monitor.h"
#include "inside/origin.h"
#include "inside/process/fork.h"
#include "inside/process/phase.h"
#include "inside/process/young_process.h"
#include "inside/state.h"
#include "inside/sys.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* What the header is before there is a file: as large as a page. */
static union { struct amon_header header; char page[AMON_PAGE]; } early;
static uint32_t always_alive = 1;

static bool inside_process_start(void)
{
	long alive;

	monitor.header = &early.header;
	monitor.alive = &always_alive;
	if (origin_is_secure())
		return false;
	origin_fill(monitor.header);
	/* A child keeps what the parent found: a program that shows a title has overwritten its arguments and its
	 * environment by now, and a daemon has gone to the root directory. */
	if (!monitor.forked)
		origin_read(monitor.header);
	clock_choose();
	if (!file_open(origin_env_number("APROF_MEMORY", UINT64_C(1) << 30)))
		return false;
	alive = sys6(mmap, NULL, AMON_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed(alive) && !sys_failed(sys3(madvise, alive, AMON_PAGE, MADV_WIPEONFORK))) {
		monitor.alive = (uint32_t *)alive;
		*monitor.alive = 1;
	}
	monitor.header->notes[AMON_NOTE_EARLY] = monitor.early_calls;
	monitor.early_calls = 0;
	module_scan();
	sigbus_begin();
	if (monitor.nroutines && !enrol_all()) {
		note(AMON_NOTE_OUT_OF_MEMORY);
		return false;
	}
	return true;
}

/* A forked child in the nursery has all that its parent knew.  What its own children have of it stands in its header all the while: one of them, forked before
 * this start, may be copying that just now. */
static bool start_in_nursery(void)
{
	struct amon_header *h = monitor.header, *own = &early.header;

	mem_copy(own, h, sizeof *own);
	origin_fill(own);
	own->used = h->used;
	own->memory_bound = h->memory_bound;
	own->way = h->way;
	mem_copy(h, own, sizeof *h);
	clock_inherit();
	cost_record();
	*monitor.alive = 1;
	sigbus_inherit();
	return true;
}

static bool inside_process_begin(void)
{
	if (monitor.in_nursery && monitor.pid == (int)sys0(getpid))
		return start_in_nursery();
	if (monitor.in_nursery)			/* the place is of a parent whose fork nobody saw */
		fork_leave();
	return inside_process_start();
}

bool process_start(void)
{
	uint32_t fresh = monitor_state() == MONITOR_FORKED ? MONITOR_FORKED : MONITOR_NEW;

	if (__atomic_compare_exchange_n(&monitor.state, &fresh, MONITOR_STARTING, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		__atomic_store_n(&monitor.state, inside_process_begin() ? MONITOR_ON : MONITOR_OFF, __ATOMIC_RELEASE);
	while (monitor_state() == MONITOR_STARTING)
		sys0(sched_yield);
	return monitor_state() == MONITOR_ON;
}

/* The process is young no longer. */
static void process_grown(void)
{
	file_move_out();
	monitor.unmeasured = true;
	clock_start();
}

void process_started(void)
{
	if (__atomic_exchange_n(&monitor.started, true, __ATOMIC_ACQ_REL))
		return;
	clock_begin();
	if (!young_process_begin(process_grown)) {
		file_move_out();
		clock_start();
	}
	phase_begin();
}

void process_measure(const struct hooks *hooks)
{
	if (!__atomic_exchange_n(&monitor.unmeasured, false, __ATOMIC_RELAXED))
		return;
	calibrate(hooks);
	cost_record();
}
