/* load.c - what libc calls: when the monitor is loaded, and as late as can be.
 *
 * No hook waits for it: handlers that need libc (fork, exit, thread exit) are registered here. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/amon.h"
#include "inside/clock/clock.h"
#include "inside/clock/pack.h"
#include "inside/file/file.h"
#include "inside/hooks/slow.h"
#include "inside/monitor.h"
#include "inside/process/fork.h"
#include "inside/process/leave.h"
#include "inside/process/thread.h"
#include "inside/process/young_process.h"
#include "inside/state.h"
#include "inside/sys.h"

/* At exit, as late as can be. */
static void load_finish(void)
{
	uint64_t mask;

	if (monitor_state() != MONITOR_ON && monitor_state() != MONITOR_FORKED)
		return;
	sys_block_signals(&mask);
	if (monitor_state() == MONITOR_FORKED)	/* a child that called nothing */
		slow_start((uintptr_t)__builtin_frame_address(0));
	if (monitor_state() != MONITOR_ON || sys0(getpid) != monitor.pid) {
		sys_restore_signals(&mask);
		return;
	}
	leave_routines();
	slow_measure();
	young_process_settle();
	clock_stop();
	pack_pcs();
	monitor.header->end_monotonic = sys_clock(1);
	monitor.header->cpu_total = sys_clock(2);
	monitor.header->state = AMON_ENDED;
	file_finish();
	sys_restore_signals(&mask);
}

void aprof_monitor(void) __attribute__((visibility("default")));
void aprof_monitor_here(void) HIDDEN;

/* A shared monitor that came with a library, into a program that has one: no hook ever calls it. */
static bool load_is_idle(void)
{
	void (*volatile used)(void) = aprof_monitor;

	return used != aprof_monitor_here;
}

/* Children that end soon do not measure the hooks: they have what their parent knows. */
static void load_before_fork(void)
{
	uint64_t mask;

	if (monitor.unmeasured && monitor_state() == MONITOR_ON) {
		sys_block_signals(&mask);
		slow_measure();
		sys_restore_signals(&mask);
	}
	fork_before();
}

static void __attribute__((constructor(101))) on_load(void)
{
	if (load_is_idle())
		return;
	thread_watch_begin();
	pthread_atfork(load_before_fork, fork_in_parent, fork_in_child);
}

static void __attribute__((destructor(101))) on_unload(void)
{
	load_finish();
}
