/* pc.c - where the program was: program counters with their contexts, counted by a signal handler.
 *
 * The sampler makes, for each thread, what interrupts it: a perf software clock, in the sampler's own
 * descriptor table, which counts and interrupts user mode only, so that no system call of the program ever
 * fails with EINTR; or, where that is not permitted, a POSIX timer on the thread's CPU clock, which keeps step with the kernel's clock and sees the kernel's
 * work, too.  Both send SIGPROF to that thread.
 *
 * SIGPROF is taken only while it is nobody's, and given up when the program takes it.
 *
 * Each thread has a table, and when that is half full one of twice its size beside it, which takes what comes from then on.
 *
 * Invariant: a slot of a thread's table is filled by that thread alone, its PC last, and never emptied but
 * by a reset; so its counts may be a sample short after one, and nothing worse. */
#include "inside/clock/pc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <ucontext.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/handler_mask.h"
#include "inside/clock/site_samples.h"
#include "inside/clock/status.h"
#include "inside/file/file.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/process/thread.h"
#include "inside/stacks/lost_context.h"
#include "inside/stacks/verify.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"
#include "inside/x86_64/restorer.h"

enum {
	SLOTS = 1024,			/* of a thread's first table: 16 KB */
	MOST_PROBES = 32,
	SHARE = 10000,			/* in parts of that is told what interrupts may take of the CPU time of the program: */
	OF_INTERRUPTS = 60,		/* so much, where no rate was asked for, */
	OF_ASKED = 2500,		/* and so much where one was, since a program that is interrupted all the time does not go on */
	MEASURED = 6,			/* interrupts by which it is found what one costs */
	LEAST_PHASE = 32,		/* of a period, one in this is the least to the first sample */
	BETWEEN = 100000,		/* ns, at least, between two interrupts: on a virtual machine one may take 40000, and a processor that is
					 * interrupted before it is done with the last one does nothing else, in the kernel, for ever */
	VERIFY_PARTS = 4,		/* of a period, where stacks are held against contexts: how many are is what counts then */
	CHECK_ROUNDS = 256,		/* rounds between two looks at a thread's signal mask, */
	HELD_ROUNDS = 16,		/* and at the program's handlers */
	BLOCKED = -5000,		/* in the place of a handle: SIGPROF was blocked; it may be for a moment, as around a fork.  Less 1: and was at the
					 * next look; and so on down to */
	BLOCKED_LONG = -5008,		/* and was all the time */
};

static volatile uint32_t source;	/* enum amon_source; NONE: no samples */
static uint32_t rounds;			/* of the sampler */
static char ours;			/* its address tells our timers' signals from others' */
static uint64_t interrupt_cost;		/* of one by perf, ns; 0: not measured.  A forked child has its parent's */
static char young_s;			/* the same of the timer of a young process */
static pc_tick *young_tick OF_PROCESS;		/* what that one's signal calls; NULL: there is none */
static struct sys_lock sealing OF_PROCESS;		/* between the sampler and the end of the process */
static bool sealed OF_PROCESS;			/* that has come */

/* ---- the tables ---- */

uint32_t pc_slots(uint32_t i) { return (uint32_t)SLOTS << i; }

/* The next table of T, twice as large, takes what comes from now on.  False: there is no room for one. */
static bool table_add(struct thread *t)
{
	uint32_t n = t->clock.npcs;
	struct amon_chunk *c = n < THREAD_PCS ? file_chunk(AMON_PCS, t->index, pc_slots(n), sizeof(struct amon_pc)) : NULL;

	if (!c)
		return false;
	t->clock.pcs[n] = c;
	__atomic_store_n(&t->clock.npcs, n + 1, __ATOMIC_RELEASE);
	return true;
}

/* The thread that fills the table of T is another one: there must be room for what comes until the next round. */
static void table_grow(struct thread *t)
{
	if (!t->clock.npcs || t->clock.pcs[t->clock.npcs - 1]->count <= pc_slots(t->clock.npcs - 1) / 2)
		return;
	sys_lock(&sealing);
	if (!sealed)
		table_add(t);
	sys_unlock(&sealing);
}

/* COUNT samples found T at PC in CONTEXT. */
static void pc_count(struct thread *t, uintptr_t pc, uint32_t context, uint32_t count)
{
	uint32_t last = __atomic_load_n(&t->clock.npcs, __ATOMIC_ACQUIRE) - 1;
	struct amon_chunk *table = t->clock.pcs[last];
	struct amon_pc *slots = (struct amon_pc *)(table + 1);
	uint64_t hash = (pc ^ (uint64_t)context << 40) * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (uint32_t i = 0; i < MOST_PROBES; i++) {
		struct amon_pc *s = &slots[(hash + i) & (pc_slots(last) - 1)];

		if (s->pc == pc && s->context == context) {
			s->count += count;
			return;
		}
		if (!s->pc) {
			s->context = context;
			s->count = count;
			__atomic_store_n(&s->pc, pc, __ATOMIC_RELEASE);
			table->count++;
			return;
		}
	}
	note(AMON_NOTE_PC_LOST);
}

/* ---- the handler ---- */

#if defined(__x86_64__)
static uintptr_t interrupted_at(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RIP]; }

static bool is_after_syscall(uintptr_t pc)
{
	return pc % AMON_PAGE >= 2 && *(const uint8_t *)(pc - 2) == 0x0f && *(const uint8_t *)(pc - 1) == 0x05;
}

#else
static uintptr_t interrupted_at(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.pc; }
static bool is_after_syscall(uintptr_t pc) { return *(const uint32_t *)(pc - 4) == 0xd4000001; /* svc 0 */ }
#endif

/* Somebody else sends SIGPROF: what happens is what would happen without us.  It is the end, of which pc_round is to say nothing. */
static void as_if_alone(void)
{
	struct sys_action none = { .handler = NULL };

	source = AMON_SOURCE_NONE;
	sys4(rt_sigaction, SIGPROF, &none, NULL, sizeof none.mask);
	sys3(tgkill, monitor.pid, sys0(gettid), SIGPROF);
}

/* The context of T, the calling thread's, at what was interrupted; 0: not known. */
static context_id context_at(struct thread *t, const void *interrupted)
{
	context_id c = tls_context(&aprof_tls);

	return c == LOST_ID ? lost_context_interrupted(t, interrupted) : c;
}

static void on_sigprof(int sig, siginfo_t *info, void *context)
{
	struct thread *t = aprof_tls.thread;
	uintptr_t pc = interrupted_at(context);
	uint32_t item;

	(void)sig;
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &young_s) {
		if (t && young_tick)
			young_tick(context_at(t, context));
		return;
	}
	if (info->si_code != POLL_IN && !(info->si_code == SI_TIMER && info->si_value.sival_ptr == &ours)) {
		as_if_alone();
		return;
	}
	handler_mask_look();
	if (info->si_code == POLL_IN && t && t->clock.pc_phase && t->clock.pc_phase++ != PC_FIRST) {
		t->clock.pc_phase = PC_CAME;
		return;
	}
	/* A signal that waited, blocked, comes at the call that let it in: it tells nothing of where time went. */
	if (t && t->clock.npcs && !monitor.stopped && !(source == AMON_SOURCE_PERF && is_after_syscall(pc))) {
		item = machine_item(t, context_at(t, context));
		if (item != AMON_NONE)
			pc_count(t, pc, item, info->si_code == SI_TIMER ? 1 + (uint32_t)info->si_overrun : 1);
		if (t->sites)
			site_samples_take(t, context);
		if (monitor.verify)
			verify_stack(t, context);
	}
}

static bool is_sigprof_ours(void)
{
	struct sys_action old;

	return !sys_failed(sys4(rt_sigaction, SIGPROF, NULL, &old, sizeof old.mask)) && old.handler == (void *)on_sigprof;
}

/* Take SIGPROF, if it is nobody's. */
static bool take_sigprof(void)
{
	struct sys_action old, action = {
		.handler = (void *)on_sigprof,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | 0x04000000 /* SA_RESTORER */,
		.restorer = (void *)aprof_signal_return,
		.mask = ~(UINT64_C(1) << (SIGBUS - 1)), /* the table may have been cut: sigbus.c mends that, if it is let */
	};

	if (sys_failed(sys4(rt_sigaction, SIGPROF, NULL, &old, sizeof old.mask)))
		return false;
	if (old.handler && old.handler != (void *)on_sigprof)
		return false;
	return !sys_failed(sys4(rt_sigaction, SIGPROF, &action, NULL, sizeof action.mask));
}

/* ---- for a young process ---- */

void *pc_timer_mark(void) { return &young_s; }

bool pc_take(pc_tick *tick)
{
	if (!is_sigprof_ours()) {		/* a forked child has it from its parent */
		if (!take_sigprof())
			return false;
		handler_mask_begin();
	}
	young_tick = tick;
	return true;
}

void pc_take_no_more(void) { young_tick = NULL; }

/* ---- the sampler's part ---- */

/* Time between two interrupts of the kernel's clock, with which timers keep step, ns. */
static uint64_t kernel_tick(void)
{
	struct timespec tick = { 0, 0 };

	sys2(clock_getres, CLOCK_MONOTONIC_COARSE, &tick);
	return (uint64_t)tick.tv_nsec;
}

/* CPU time between two samples, ns: as asked, but that interrupts take no more than their share. */
static uint64_t pc_period(void)
{
	uint64_t period = clock_period() / (monitor.verify ? VERIFY_PARTS : 1);
	uint64_t share = monitor.clock.is_rate_asked || monitor.verify ? OF_ASKED : OF_INTERRUPTS;
	uint64_t least = source == AMON_SOURCE_TIMER ? kernel_tick() : interrupt_cost * SHARE / share;

	least = least > BETWEEN ? least : BETWEEN;
	return period > least ? period : least;
}

/* Descriptor of a perf event that counts PERIODs of the user mode of thread TID, or minus an errno. */
static long perf_event(int tid, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
	};

	return sys5(perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The same of one that interrupts it. */
static long perf_open(int tid, uint64_t period)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = tid };
	long fd = perf_event(tid, period);

	if (sys_failed(fd))
		return fd;
	sys3(fcntl, fd, F_SETOWN_EX, &owner);
	sys3(fcntl, fd, F_SETSIG, SIGPROF);
	sys3(fcntl, fd, F_SETFL, O_RDONLY | O_ASYNC);
	return fd;
}

/* CPU time to a thread's first sample, ns; not too little, since until its event has the period more may come. */
static uint64_t first_period(void)
{
	uint64_t period = pc_period(), least = period / LEAST_PHASE > BETWEEN ? period / LEAST_PHASE : BETWEEN;

	return least + sys_clock(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15) % (period - least + 1);
}

/* Number of a timer on the CPU clock of thread TID, or minus an errno; of a thread that has ended ESRCH, as of perf's. */
static long timer_open(int tid)
{
	uint64_t period = pc_period();
	struct timespec wait = { (time_t)(period / 1000000000u), (long)(period % 1000000000u) };
	struct itimerspec spec = { wait, wait };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF, .sigev_value.sival_ptr = &ours };
	int id;
	long ret;

	((int *)&event.sigev_notify)[1] = tid;	/* sigev_notify_thread_id, which not every libc names */
	ret = sys3(timer_create, sys_thread_clock(tid), &event, &id);
	if (sys_failed(ret))
		return ret == -EINVAL ? -ESRCH : ret;		/* there is no such clock */
	sys4(timer_settime, id, 0, &spec, NULL);
	return id;
}

static void pc_close(struct thread *t)
{
	if (t->clock.pc_tid && t->clock.pc_handle >= 0) {
		if (source == AMON_SOURCE_PERF)
			sys1(close, t->clock.pc_handle);
		else
			sys1(timer_delete, t->clock.pc_handle);
	}
	t->clock.pc_tid = 0;
}

/* For one who holds the lock against the end. */
static void open_source(struct thread *t)
{
	pc_close(t);
	t->clock.pc_tid = t->tid;
	t->clock.pc_handle = -1;
	if (!t->clock.npcs && !table_add(t)) {
		note(AMON_NOTE_PC_LOST);
		return;
	}
	t->clock.pc_phase = source == AMON_SOURCE_PERF ? PC_FIRST : 0;
	t->clock.pc_handle = (int)(source == AMON_SOURCE_PERF ? perf_open(t->tid, first_period()) : timer_open(t->tid));
	if (t->clock.pc_handle >= 0) {
		monitor.header->pc_period = pc_period();	/* first: who sees a source sees its period */
		__atomic_store_n(&monitor.header->pc_source, source, __ATOMIC_RELEASE);
	} else if (t->clock.pc_handle != -ESRCH) {
		note(AMON_NOTE_TIMER_FAILED);
	}
}

/* T's first interrupt came: its event gets the period. */
static void phase_end(struct thread *t)
{
	sys1(close, t->clock.pc_handle);
	t->clock.pc_handle = status_is_filtered(t) ? -1 : (int)perf_open(t->tid, pc_period());
	t->clock.pc_phase = 0;
}

static void pc_open(struct thread *t)
{
	sys_lock(&sealing);
	if (!sealed)
		open_source(t);
	sys_unlock(&sealing);
}

static bool was_blocked(const struct thread *t)
{
	return t->clock.pc_tid == t->tid && t->clock.pc_handle <= BLOCKED;
}

static bool has_none(const struct thread *t)
{
	return t->clock.pc_tid != t->tid || t->clock.pc_handle < 0;
}

bool pc_is_lacking(const struct thread *t)
{
	return monitor.clock.pc_wanted != AMON_SOURCE_NONE && !monitor.young && has_none(t);
}

/* A thread that has SIGPROF blocked may wait for signals, and is not to be sent one that it does not know. */
static void pc_watch(struct thread *t)
{
	if (status_is_blocked(t, SIGPROF)) {
		int was = was_blocked(t) ? t->clock.pc_handle : BLOCKED + 1;

		if (was == BLOCKED_LONG + 1)
			note(AMON_NOTE_PC_BLOCKED);
		pc_close(t);
		t->clock.pc_tid = t->tid;
		t->clock.pc_handle = was > BLOCKED_LONG ? was - 1 : was;
	} else if (has_none(t) && !status_is_filtered(t)) {
		pc_open(t);
	} else if (t->clock.pc_phase == PC_CAME) {
		phase_end(t);
	}
}

/* Is T's source to be seen to?  A thread gets one when it has worked for as long as a sample of the clock stands for: those that mostly wait need
 * none, nor a table.  The first, often the only one, has it from the start.  One that had SIGPROF blocked is looked at again soon, and ever less often. */
static bool is_due(const struct thread *t)
{
	if (t->clock.pc_tid == t->tid)
		return t->clock.pc_phase == PC_CAME || (rounds + t->index) % (was_blocked(t) ? 1u << (BLOCKED - t->clock.pc_handle) : CHECK_ROUNDS) == 0;
	return source == AMON_SOURCE_TIMER ? t->clock.sampled_cpu >= kernel_tick() : t->index == 0 || t->clock.sampled_cpu >= clock_period();
}

/* Of N TIMES, which are put in order, longest first, one that is long for no other reason, and is one of an interrupt. */
static uint64_t usual(uint64_t *times, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k > 0 && times[k - 1] < times[k]; k--) {
			uint64_t least = times[k - 1];

			times[k - 1] = times[k];
			times[k] = least;
		}
	return times[n * 5 / 8];
}

/* What an interrupt by perf costs here, ns: much more on a virtual machine than on a real one.  Some are sent to us, who see from one reading of the
 * clock to the next what was taken; a signal costs as much again. */
static void interrupt_measure(void)
{
	uint64_t longest[MEASURED] = { 0 }, begin = sys_clock(CLOCK_MONOTONIC), before = begin, now, least = 0;
	long fd = perf_event((int)sys0(gettid), BETWEEN);

	if (sys_failed(fd))
		return;
	while ((now = sys_clock(CLOCK_MONOTONIC)) - begin < MEASURED * BETWEEN) {
		for (uint32_t i = 1; i < MEASURED; i++)
			least = longest[i] < longest[least] ? i : least;
		if (now - before > longest[least])
			longest[least] = now - before;
		before = now;
	}
	sys1(close, fd);
	interrupt_cost = 2 * usual(longest, MEASURED);
}

/* Can the source be had at all?  Nothing of the program's is touched where it cannot. */
static bool is_permitted(uint32_t wanted, bool own_descriptors)
{
	long fd = 0;

	if (wanted == AMON_SOURCE_PERF && own_descriptors && !sys_failed(fd = perf_event((int)sys0(gettid), BETWEEN)))
		sys1(close, fd);
	return wanted == AMON_SOURCE_TIMER || (wanted == AMON_SOURCE_PERF && own_descriptors && !sys_failed(fd));
}

/* Did the program set a filter of system calls, by which ours may be its end? */
static bool is_filtered(void)
{
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		if (t->clock.watched && status_is_filtered(t))
			return true;
	return false;
}

/* A timer stands in for perf, unless that alone was asked for, where its signal ends no system call: since Linux 5.9, which has descriptors of our own. */
static uint32_t source_choose(bool own_descriptors)
{
	uint32_t wanted = monitor.clock.pc_wanted;

	if (wanted == AMON_SOURCE_NONE || is_filtered())
		return AMON_SOURCE_NONE;
	if (is_permitted(wanted, own_descriptors))
		return wanted;
	return wanted == AMON_SOURCE_PERF && monitor.clock.is_pc_free && own_descriptors ? AMON_SOURCE_TIMER : AMON_SOURCE_NONE;
}

void pc_begin(bool own_descriptors)
{
	rounds = 0;
	source = source_choose(own_descriptors);
	if (source == AMON_SOURCE_NONE) {
		handler_mask_end();
		return;
	}
	if (!take_sigprof()) {
		source = AMON_SOURCE_NONE;
		note(AMON_NOTE_SIGPROF_TAKEN);
	} else if (source == AMON_SOURCE_PERF) {
		if (!interrupt_cost)
			interrupt_measure();
		monitor.header->interrupt_nsec = interrupt_cost;
	}
	if (source != AMON_SOURCE_NONE)
		handler_mask_begin();
	else
		handler_mask_end();
}

bool pc_has_sigprof(void)
{
	return (source != AMON_SOURCE_NONE || young_tick) && is_sigprof_ours();
}

bool pc_is_handler(const void *handler)
{
	return handler == (const void *)on_sigprof;
}

/* What is under way to some thread is dropped: the kernel does that when a signal becomes ignored. */
void pc_give_up(void)
{
	struct sys_action ignore = { .handler = (void *)1 /* SIG_IGN */ }, none = { .handler = NULL };

	for (struct thread *t = monitor.threads; t && source == AMON_SOURCE_TIMER; t = t->chain.next)
		pc_close(t);
	source = monitor.clock.pc_wanted = AMON_SOURCE_NONE;
	handler_mask_end();
	sys4(rt_sigaction, SIGPROF, &ignore, NULL, sizeof ignore.mask);
	sys4(rt_sigaction, SIGPROF, &none, NULL, sizeof none.mask);
	note(AMON_NOTE_SIGPROF_TAKEN);
}

/* ---- the end ---- */

void pc_seal(void)
{
	sys_lock(&sealing);
	sealed = true;
	sys_unlock(&sealing);
}

uint32_t pc_take_tables(struct thread *t, struct amon_chunk **tables)
{
	uint32_t n = t->clock.npcs;

	for (uint32_t i = 0; i < n; i++)
		tables[i] = t->clock.pcs[i];
	__atomic_store_n(&t->clock.npcs, 0, __ATOMIC_RELEASE);
	return n;
}

void pc_renew(void)
{
	sealing.taken = 0;
	sealed = false;
}

/* ---- for the sampler ---- */

void pc_forget(void)
{
	for (struct thread *t = monitor.threads; t && source == AMON_SOURCE_PERF; t = t->chain.next)
		t->clock.pc_tid = 0;
}

void pc_round(void)
{
	if (source == AMON_SOURCE_NONE)
		return;
	if (!is_sigprof_ours()) {
		if (source == AMON_SOURCE_NONE)
			return;		/* since just now */
		note(AMON_NOTE_SIGPROF_TAKEN);
		for (struct thread *t = monitor.threads; t; t = t->chain.next)
			pc_close(t);
		source = AMON_SOURCE_NONE;
		handler_mask_end();
		return;
	}
	if (++rounds % HELD_ROUNDS == 0)
		handler_mask_round();
	for (struct thread *t = monitor.threads; t; t = t->chain.next) {
		if (!t->clock.watched)
			pc_close(t);
		else if (is_due(t))
			pc_watch(t);
		table_grow(t);
	}
}
