/* fork.c - what a child of fork, or of vfork, has of its parent's. */
#include "inside/process/fork.h"

#include <stddef.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cycles.h"
#include "inside/file/file.h"
#include "inside/file/nursery.h"
#include "inside/heap/places.h"
#include "inside/machine/context.h"
#include "inside/machine/front.h"
#include "inside/modules/definition.h"
#include "inside/modules/enrol.h"
#include "inside/modules/module.h"
#include "inside/modules/routine.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

static struct thread *forked_from OF_PROCESS;	/* in a child: the parent's machine of the one thread there is */
static struct frame *fork_top OF_PROCESS;		/* its top frame at the fork, */
static context_id fork_context OF_PROCESS;	/* and that one's context */
static uint64_t fork_cycles OF_PROCESS;		/* when that was, if the clock is tsc */
static bool announced OF_PROCESS;	/* fork_before was called, */
static uint32_t known_modules OF_PROCESS; /* when so many modules were known */

void fork_leave(void)
{
	file_leave();
	module_forget();
	definition_forget();
}

/* A chunk of what the parent knew is copied. */
static void moved(const struct amon_chunk *from, struct amon_chunk *to)
{
	module_moved(from, to);
	enrol_moved(from, to);
	definition_moved(from, to);
}

/* Begin in the file that children share, knowing what the parent knew; or else with nothing, in a file of its own. */
static void fork_place_take(void)
{
	void *place = announced && known_modules == module_count() ? nursery_take() : NULL;

	announced = false;
	monitor.pid = (int)sys0(getpid);
	if (!place || !file_enter(place, NURSERY_PLACE, moved))
		fork_leave();
}

/* Has a child that has not begun a place in the nursery? */
static bool fork_is_waiting(void) { return monitor_state() == MONITOR_FORKED && monitor.in_nursery; }

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
		fork_cycles = clock_is_tsc() ? cycles_now() : 0;
	}
	tls->thread = NULL;
	front_leave(tls);
	tls->last = 0;
	tls->charged = &aprof_counter_none;
	monitor.young = monitor.unmeasured = false;
	fork_place_take();
	routine_forget();
	places_forget();
	monitor.lock.taken = 0;
	monitor.threads = NULL;
	monitor.ended = NULL;
	monitor.nthreads = 0;
	monitor.thread_chunk = NULL;
	monitor.started = false;
	monitor.forked = true;
	monitor.control.taken = 0;
	monitor.state = MONITOR_FORKED;
}

/* ---- the handlers ---- */

void fork_before(void)
{
	if (monitor_state() != MONITOR_ON && !fork_is_waiting())
		return;
	nursery_prepare();
	known_modules = module_count();
	file_fork();
	announced = true;
}

void fork_in_child(void)
{
	uint64_t mask;

	if (monitor_state() != MONITOR_ON && !fork_is_waiting())
		return;
	sys_block_signals(&mask);
	if (fork_is_waiting())
		fork_place_take();			/* the place that was taken is the parent's */
	else
		child_begin();
	sys_restore_signals(&mask);
}

void fork_in_parent(void)
{
	announced = false;
	if (monitor_state() == MONITOR_ON)
		note(AMON_NOTE_FORK);
}

bool fork_unseen(void)
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
		tls->thread->stacks.vfork_last = tls->last;
	tls->last = 0;
	if (monitor_state() == MONITOR_ON)
		note(AMON_NOTE_VFORK);
}

void aprof_vfork_after(void)
{
	struct aprof_tls *tls = &aprof_tls;

	if (tls->thread) {
		front_begin(tls->thread);
		tls->last = tls->thread->stacks.vfork_last;
	}
	tls->inert = INERT_NOT;
}

/* ---- for the start of the child ---- */

/* The thread that forked is the child's first, whose number is the process's.  Others have no frames of the parent's, though they may call before it does, and
 * may have its words when it is gone. */
struct thread *fork_waits(const struct aprof_tls *tls)
{
	struct thread *parent = __atomic_load_n(&forked_from, __ATOMIC_RELAXED);

	return parent && parent->tls == tls && sys0(gettid) == sys0(getpid) ? parent : NULL;
}

struct thread *fork_from(void)
{
	return fork_waits(&aprof_tls) ? __atomic_exchange_n(&forked_from, NULL, __ATOMIC_RELAXED) : NULL;
}

bool fork_is_unmoved(void)
{
	return __atomic_load_n(&forked_from, __ATOMIC_RELAXED) && aprof_tls.top == fork_top && tls_context(&aprof_tls) == fork_context;
}

uint64_t fork_began(void)
{
	return fork_cycles;
}
