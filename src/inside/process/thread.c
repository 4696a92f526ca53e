/* thread.c - a thread's machine is made at its first hook, and used again when the kernel
 * has forgotten the thread.
 *
 * Invariant: a struct thread is in monitor.threads for ever; its record and counters stay in the file.
 * Signals are blocked. */
#include "inside/process/thread.h"

#include <errno.h>
#include <pthread.h>

#include "contract/amon.h"
#include "inside/clock/clock.h"
#include "inside/clock/cycles.h"
#include "inside/clock/look.h"
#include "inside/file/file.h"
#include "inside/machine/front.h"
#include "inside/machine/machine.h"
#include "inside/process/fork.h"
#include "inside/process/process.h"
#include "inside/process/young_process.h"
#include "inside/stacks/cancel.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

enum {
	PER_CHUNK = 25,		/* threads in a chunk */
	KEPT_APART = 64,	/* ended ones that keep their own records */
	ASKED = 16,		/* of those that told their end: so many does a start ask whether they are gone */
	LONGEST_HOLD = 4096,	/* calls, about, for which a start that failed is not tried again */
};

static bool is_gone(int tid)
{
	return sys3(tgkill, monitor.pid, tid, 0) == -ESRCH;
}

/* ---- machines to be used again: under the lock ---- */

/* T's thread is over, or will soon be. */
static void ended_add(struct thread *t)
{
	t->chain.ended = true;
	t->chain.next_ended = NULL;
	if (monitor.ended)
		monitor.ended_last->chain.next_ended = t;
	else
		monitor.ended = t;
	monitor.ended_last = t;
}

static struct thread *ended_pop(void)
{
	struct thread *t = monitor.ended;

	if (t) {
		monitor.ended = t->chain.next_ended;
		t->chain.ended = false;
	}
	return t;
}

/* Find those whose end nobody told, by asking for each thread.  It is done once in half as many starts as there are machines: in as many it would
 * never be, since each start makes one more as long as none is found. */
static void ended_find(void)
{
	monitor.starts = 0;
	for (struct thread *t = monitor.threads; t; t = t->chain.next) {
		int tid = __atomic_load_n(&t->tid, __ATOMIC_RELAXED);

		if (!t->chain.ended && tid && is_gone(tid))
			ended_add(t);
	}
}

/* A machine whose thread is gone, if there are enough of them to fold. */
static struct thread *take_ended(void)
{
	struct thread *t;

	monitor.starts++;
	if (monitor.nthreads < KEPT_APART)
		return NULL;
	if (monitor.starts > monitor.nthreads / 2)
		ended_find();
	for (int i = 0; i < ASKED && (t = ended_pop()); i++) {
		if (is_gone(t->tid)) {
			clock_thread_end(t);
			return t;
		}
		ended_add(t);		/* its destructors run */
	}
	return NULL;
}

/* ---- machines of their own ---- */

static bool thread_record_new(struct thread *t)
{
	struct amon_chunk *c = monitor.thread_chunk;

	if (!c || c->count == c->capacity) {
		c = file_chunk(AMON_THREADS, AMON_NONE, PER_CHUNK, sizeof *t->record);
		if (!c)
			return false;
		monitor.thread_chunk = c;
	}
	t->record = (struct amon_thread *)((char *)c + c->first) + c->count;
	t->record->current = AMON_NONE;
	t->index = monitor.nthreads++;
	__atomic_store_n(&c->count, c->count + 1, __ATOMIC_RELEASE);
	return true;
}

/* A machine that no thread has used; in a forked child PARENT is the one that the thread had before.  Not yet in monitor.threads. */
static struct thread *machine_new(struct aprof_tls *tls, struct thread *parent)
{
	struct thread *t = sys_memory(sizeof *t, false);

	if (!t || !thread_record_new(t))
		return NULL;
	t->tls = tls;
	t->chain.forked_from = parent;
	return machine_init(t) ? t : NULL;
}

static void process_thread_begin(struct thread *t)
{
	struct amon_thread *r = t->record;

	__atomic_store_n(&t->tid, (int)sys0(gettid), __ATOMIC_RELAXED);
	r->tid = (uint32_t)t->tid;
	r->folded++;
	r->state = r->folded > 1 ? AMON_THREAD_FOLDED : AMON_THREAD_LIVE;
	r->current = AMON_NONE;
	if (r->folded == 1)
		r->start_monotonic = sys_clock(1 /* CLOCK_MONOTONIC */);
	else
		note(AMON_NOTE_THREAD_FOLDED);
	sys5(prctl, 16 /* PR_GET_NAME */, r->name, 0, 0, 0);
}

/* What a start that failed half-way has taken is lost, and it would be tried again at each call. So it is tried again after
 * twice as many calls each time, about. */
static struct { uint32_t left, next; } held_off;

static bool is_held_off(void)
{
	uint32_t left = __atomic_load_n(&held_off.left, __ATOMIC_RELAXED);

	if (left)
		__atomic_store_n(&held_off.left, left - 1, __ATOMIC_RELAXED);
	return left;
}

static struct thread *start_failed(bool tried)
{
	note(AMON_NOTE_OUT_OF_MEMORY);
	if (tried) {
		held_off.next = held_off.next < LONGEST_HOLD ? held_off.next * 2 + 16 : held_off.next;
		__atomic_store_n(&held_off.left, held_off.next, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* The machine for the calling thread: an ended one's, or a new one, which alone can adopt contexts of PARENT. */
static struct thread *machine_take(struct aprof_tls *tls, struct thread *parent)
{
	struct thread *t = parent ? NULL : take_ended();

	if (t) {
		t->tls = tls;
		__atomic_store_n(&t->tid, (int)sys0(gettid), __ATOMIC_RELAXED);
		return front_begin(t) ? t : NULL;
	}
	t = machine_new(tls, parent);
	if (t) {
		t->chain.next = monitor.threads;
		__atomic_store_n(&monitor.threads, t, __ATOMIC_RELEASE);
	}
	return t;
}

/* T is a forked child's, which spent SPENT ns, and so many CYCLES, before this start of ours. If no routine was left meanwhile, all of it was
 * in the routine that was at work at the fork; else no sample saw where, or with clock tsc none of it is taken. */
static void account_for_fork(struct thread *t, uint64_t spent, uint64_t cycles, bool unmoved)
{
	struct amon_thread *r = t->record;
	uint32_t item = machine_item(t, tls_context(t->tls));

	if (clock_is_tsc() && unmoved) {
		t->tls->last -= cycles;
	} else if (monitor.clock.clock == AMON_CLOCK_TICK && unmoved && item != AMON_NONE && spent <= r->cpu_first) {
		machine_charge(t, item, spent, 0);	/* measured, and no sample */
		r->monitor += r->cpu_first - spent;
	} else {
		r->unplaced += r->cpu_first;
	}
	r->cpu_first = monitor.header->cpu_before = 0;
}

static pthread_key_t thread_key;	/* whose destructor tells of an end */
static bool has_key;

/* Be told when the calling thread ends; false: cannot be had. */
static bool watch(void)
{
	/* Only keys that glibc keeps in the thread itself: others would cost a malloc. */
	return has_key && thread_key < 32 && pthread_setspecific(thread_key, &aprof_tls) == 0;
}

struct thread *thread_start(uintptr_t cfa)
{
	struct aprof_tls *tls = &aprof_tls;
	bool unmoved = fork_is_unmoved();
	struct thread *t, *parent = fork_from();
	bool is_first = !monitor.started;
	uint64_t spent = parent ? sys_clock(3 /* CLOCK_THREAD_CPUTIME_ID */) : 0;
	uint64_t cycles = parent && fork_began() ? cycles_now() - fork_began() : 0;

	if (!process_start())
		return NULL;
	if (!is_first)
		file_pin();
	if (is_held_off())
		return start_failed(false);
	sys_lock(&monitor.lock);
	t = machine_take(tls, parent);
	sys_unlock(&monitor.lock);
	if (!t || !(parent ? stack_adopt(t) : stack_init(t, cfa))) {
		front_leave(tls);
		return start_failed(true);
	}
	process_thread_begin(t);
	cancel_thread();
	process_started();
	if (t->index > 0) {
		file_pin();
		young_process_grow();
	}
	tls->thread = t;
	clock_thread(t, watch());
	if (parent)
		account_for_fork(t, spent, cycles, unmoved);
	if (monitor.in_nursery)
		monitor.header->magic[0] = AMON_MAGIC[0];
	return t;
}

/* T's thread ends: its destructors run, and hooks may still follow. */
static void process_thread_end(struct thread *t)
{
	uint64_t mask;

	sys_block_signals(&mask);
	if (clock_is_tsc())
		cycles_charge(t, tls_context(t->tls));
	if (t->record->folded == 1)
		t->record->state = AMON_THREAD_ENDED;
	clock_thread_end(t);
	sys_lock(&monitor.lock);
	if (!t->chain.ended)
		ended_add(t);		/* last: once the thread is gone, the machine may be another's */
	sys_unlock(&monitor.lock);
	sys_restore_signals(&mask);
}

static void on_thread_exit(void *arg)
{
	struct thread *t = thread_live(arg);

	if (t)
		process_thread_end(t);
}

void thread_watch_begin(void)
{
	has_key = pthread_key_create(&thread_key, on_thread_exit) == 0;
	if (aprof_tls.thread)
		watch();
}
