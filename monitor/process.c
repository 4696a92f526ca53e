/* process.c - the process as the monitor sees it: start, fork, exit.
 *
 * The start is lazy: the first hook, which may run before any constructor, does it, with raw
 * system calls and static memory.  Handlers that need libc (fork, exit, thread exit) are
 * registered by a constructor, which no hook waits for. */
#include "monitor/process.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "format/amon.h"
#include "monitor/clock.h"
#include "monitor/context.h"
#include "monitor/environment.h"
#include "monitor/file.h"
#include "monitor/front.h"
#include "monitor/calibrated.h"
#include "monitor/identity.h"
#include "monitor/jump.h"
#include "monitor/layout.h"
#include "monitor/machine.h"
#include "monitor/module.h"
#include "monitor/monitor.h"
#include "monitor/phase.h"
#include "monitor/routine.h"
#include "monitor/stack.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/timing.h"
#include "monitor/tls.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* What the header is before there is a file: as large as a page. */
static union { struct amon_header header; char page[AMON_PAGE]; } early;
static uint32_t always_alive = 1;
static pthread_key_t thread_key;
static bool has_key;
static struct thread *forked_from;	/* in a child: the parent's machine of the one thread there is */
static struct frame *fork_top;		/* its top frame at the fork, */
static context_id fork_context;	/* and that one's context */
static uint64_t fork_cycles;		/* when that was, if the clock is tsc */

/* ---- start ---- */

static bool start(void)
{
	long alive;

	monitor.header = &early.header;
	monitor.alive = &always_alive;
	if (identity_is_secure())
		return false;
	identity_fill(monitor.header);
	/* A child keeps what the parent found: a program that shows a title has overwritten its arguments and its
	 * environment by now, and a daemon has gone to the root directory. */
	if (!monitor.forked) {
		environment_read();
		identity_read(monitor.header);
	}
	timing_choose();
	if (!file_open(environment_number("APROF_MEMORY", UINT64_C(1) << 30)))
		return false;
	alive = sys6(mmap, NULL, AMON_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed(alive) && !sys_failed(sys3(madvise, alive, AMON_PAGE, MADV_WIPEONFORK))) {
		monitor.alive = (uint32_t *)alive;
		*monitor.alive = 1;
	}
	monitor.header->notes[AMON_NOTE_EARLY] = monitor.early_calls;
	monitor.early_calls = 0;
	module_scan();
	file_sigbus();
	if (monitor.nroutines && !routine_record_all()) {
		note(AMON_NOTE_OUT_OF_MEMORY);
		return false;
	}
	return true;
}

bool process_start(void)
{
	uint32_t fresh = monitor_state() == MONITOR_FORKED ? MONITOR_FORKED : MONITOR_NEW;

	if (__atomic_compare_exchange_n(&monitor.state, &fresh, MONITOR_STARTING, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		__atomic_store_n(&monitor.state, start() ? MONITOR_ON : MONITOR_OFF, __ATOMIC_RELEASE);
	while (monitor_state() == MONITOR_STARTING)
		sys0(sched_yield);
	return monitor_state() == MONITOR_ON;
}

struct thread *process_forked_from(void)
{
	return __atomic_load_n(&forked_from, __ATOMIC_RELAXED) ? __atomic_exchange_n(&forked_from, NULL, __ATOMIC_RELAXED) : NULL;
}

void process_started(void (*calibrate)(void))
{
	if (__atomic_exchange_n(&monitor.started, true, __ATOMIC_ACQ_REL))
		return;
	if (calibrate)
		calibrate();
	hook_cost_record();
	timing_start();
	phase_begin();
}

bool process_unmoved(void)
{
	return __atomic_load_n(&forked_from, __ATOMIC_RELAXED) && aprof_tls.top == fork_top && tls_context(&aprof_tls) == fork_context;
}

uint64_t process_forked_at(void)
{
	return fork_cycles;
}

bool process_watch_thread(void)
{
	/* Only keys that glibc keeps in the thread itself: others would cost a malloc. */
	return has_key && thread_key < 32 && pthread_setspecific(thread_key, &aprof_tls) == 0;
}

static void on_thread_exit(void *arg)
{
	struct thread *t = thread_live(arg);

	if (t)
		thread_end(t);
}

/* ---- fork ---- */

/* From here on nothing of the parent's is written: the file is let go, the thread begins
 * anew at its next hook, in a new machine that adopts the contexts of its open frames.
 * If a signal handler forked, the hook that it interrupted goes on here: it may have read the front table's mask already. */
static void child_begin(void)
{
	struct aprof_tls *tls = &aprof_tls;

	if (tls->thread) {
		forked_from = tls->thread;
		fork_top = tls->top;
		fork_context = tls_context(tls);
		fork_cycles = clock_is_tsc() ? clock_cycles() : 0;
	}
	tls->thread = NULL;
	front_leave(tls);
	tls->last = 0;
	tls->charged = &aprof_counter_none;
	file_leave();
	module_forget();
	routine_forget();
	monitor.lock.taken = 0;
	monitor.threads = NULL;
	monitor.ended = NULL;
	monitor.nthreads = 0;
	monitor.thread_chunk = NULL;
	monitor.started = false;
	monitor.forked = true;
	monitor.control_lock.taken = 0;
	monitor.state = MONITOR_FORKED;
}

static void on_fork_child(void)
{
	if (monitor_state() == MONITOR_ON)
		child_begin();
}

static void on_fork_parent(void)
{
	if (monitor_state() == MONITOR_ON)
		note(AMON_NOTE_FORK);
}

bool process_child_unseen(void)
{
	note(AMON_NOTE_FORK_UNSEEN);		/* in the parent's file, whose counts have ours in them */
	child_begin();
	return true;
}

/* A child of vfork runs in our memory and counts for nobody: the thread is out until its parent goes on. */
void aprof_vfork_before(void)
{
	struct aprof_tls *tls = &aprof_tls;

	tls->inert = INERT_VFORK;
	front_none(tls);
	if (tls->thread)
		tls->thread->vfork_last = tls->last;
	tls->last = 0;
	if (monitor_state() == MONITOR_ON)
		note(AMON_NOTE_VFORK);
}

void aprof_vfork_after(void)
{
	struct aprof_tls *tls = &aprof_tls;

	if (tls->thread) {
		front_begin(tls->thread);
		tls->last = tls->thread->vfork_last;
	}
	tls->inert = INERT_NOT;
}

/* ---- exit ---- */

/* The frames that are open now stay open: what follows, handlers of exit, runs under the root. */
void process_leave(void)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = tls->thread;

	if (!t || monitor_state() != MONITOR_ON || t->record->current != AMON_NONE)
		return;
	if (tls->current == LOST_ID)
		tls->current = jump_here(t);
	t->record->current = machine_item(t, tls_context(tls));
	t->record->depth = (uint32_t)(tls->top - t->shadow->base);
	if (clock_is_tsc())
		clock_charge_tsc(t, tls_context(tls));
	stack_push_root(t);
}

void process_finish(void)
{
	uint64_t mask;

	if (monitor_state() != MONITOR_ON && monitor_state() != MONITOR_FORKED)
		return;
	sys_block_signals(&mask);
	if (monitor_state() == MONITOR_FORKED)	/* a child that called nothing */
		thread_start((uintptr_t)__builtin_frame_address(0), NULL);
	if (monitor_state() != MONITOR_ON || sys0(getpid) != monitor.pid) {
		sys_restore_signals(&mask);
		return;
	}
	process_leave();
	timing_stop();
	monitor.header->end_monotonic = sys_clock(1);
	monitor.header->cpu_total = sys_clock(2);
	monitor.header->state = AMON_ENDED;
	file_finish();
	sys_restore_signals(&mask);
}

/* ---- what libc calls ---- */

void aprof_monitor(void) __attribute__((visibility("default")));
void aprof_monitor_here(void) HIDDEN;

/* A shared monitor that came with a library, into a program that has one: no hook ever calls it. */
static bool is_idle(void)
{
	void (*volatile used)(void) = aprof_monitor;

	return used != aprof_monitor_here;
}

static void __attribute__((constructor(101))) on_load(void)
{
	if (is_idle())
		return;
	has_key = pthread_key_create(&thread_key, on_thread_exit) == 0;
	if (aprof_tls.thread)
		process_watch_thread();
	pthread_atfork(NULL, on_fork_parent, on_fork_child);
}

static void __attribute__((destructor(101))) on_unload(void)
{
	process_finish();
}
