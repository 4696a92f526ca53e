/* trace.c - seize, interrupt, look, go on. */
#include "record/sample/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/sample/permission.h"
#include "record/sample/tracees.h"

#if defined(__x86_64__)

enum {
	MOST_RATE = 97,			/* looks a second */
	SCAN = 10,			/* ms between looks for new threads and processes */
	PART = 50,			/* of the time at most goes into looking what there is */
	LAST = 100,			/* ms that threads have to come to the last stop */
	SWITCH = 20000,			/* ns that the kernel takes at most to put one thread in another's place, twice */
};

/* What is done again and again, but for a PARTth of the time at most. */
struct rounds {
	uint64_t next;			/* CLOCK_MONOTONIC, ns */
	uint64_t took;			/* the last one, of our CPU time, ns */
};

struct trace {
	struct source source;
	pid_t *roots;
	struct tracees all;
	size_t at;			/* in its queue: what is told next */
	struct rounds looks, scans;
	pid_t held;			/* thread that is stopped until its sample has been taken; 0: none */
	struct happening sample;
	struct sleeper_memory memory;	/* of the thread that the sample is of */
	struct sleeper outside;		/* the same, if it was not stopped */
	bool wall;			/* the clock is elapsed time */
	size_t unseen;			/* clock wall: threads before this one have been looked at */
	uint64_t begun, told;		/* the same: when that look began, and the last one that was finished, CLOCK_MONOTONIC ns */
	uint64_t cpu;			/* CPU time of ours then, ns */
	uint64_t woken;			/* when we last began to work, CLOCK_MONOTONIC ns */
	char name[16];
	int children;			/* eventfd: one of them stopped, perhaps */
	struct sigaction old;
};

static int stopped = -1;		/* the same, for the handler */

static uint64_t trace_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* CPU time of this thread, ns. */
static uint64_t own_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The round that began at BEGUN (CLOCK_MONOTONIC, ns), when our CPU time was CPU, is over: the next one is PERIOD ns later, or later still if rounds take
 * much.  One that alone took much does not count: it read a file for the first time, or the machine was taken from us meanwhile. */
static void trace_round_end(struct rounds *rounds, uint64_t begun, uint64_t cpu, uint64_t period)
{
	uint64_t took = own_cpu() - cpu, least = took < rounds->took ? took : rounds->took;

	rounds->next = begun + (least * PART > period ? least * PART : period);
	rounds->took = took;
}

static void on_child(int sig)
{
	int saved = errno;
	ssize_t n = write(stopped, &(uint64_t){ 1 }, sizeof(uint64_t));

	(void)sig, (void)n;
	errno = saved;
}

/* ---- stops ---- */

/* System calls that a stop ends with EINTR though no signal came: signal(7). */
static bool is_to_be_repeated(uint64_t call)
{
	switch (call) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return true;
	default:
		return false;
	}
}

/* The thread, stopped with registers R, is to find its system call as if it had not begun yet. */
static void call_repeat(const struct traced_thread *t, struct user_regs_struct *r)
{
	enum { SYSCALL_SIZE = 2 };	/* bytes of the instruction */

	if ((int64_t)r->orig_rax < 0 || (int64_t)r->rax != -EINTR || !is_to_be_repeated(r->orig_rax) || tracee_has_signal(t))
		return;
	r->rax = r->orig_rax;
	r->rip -= SYSCALL_SIZE;
	ptrace(PTRACE_SETREGS, t->tid, 0, r);
}

/* Clock wall: the sample H of THREAD, stopped with registers R, stands for all the time since the last one; the thread waits if the stop found it in a call. */
static void wall_stopped(struct happening *h, struct traced_thread *thread, const struct user_regs_struct *r)
{
	enum { RESTARTSYS = 512, RESTARTNOINTR, RESTARTNOHAND, RESTART_RESTARTBLOCK = 516 };	/* the kernel's own, to itself */
	int64_t result = -(int64_t)r->rax;

	h->period = h->time > thread->charged ? h->time - thread->charged : 0;
	thread->charged = h->time;
	h->waits = h->kernel && ((result == EINTR && is_to_be_repeated(r->orig_rax)) || result == RESTARTSYS || result == RESTARTNOINTR || result == RESTARTNOHAND || result == RESTART_RESTARTBLOCK);
	thread->sleeps = thread->stopped = h->waits;
	tracee_slices(thread, &thread->slices);
}

/* Make the sample of THREAD, stopped with registers R. */
static void sample_make(struct trace *t, struct traced_thread *thread, const struct user_regs_struct *r)
{
	enum { CS_64 = 0x33 };
	struct happening *h = &t->sample;
	const uint64_t regs[HAPPENING_REGS] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10, r->r11,
					   r->r12, r->r13, r->r14, r->r15, r->rip };

	*h = (struct happening){
		.kind = HAPPENED_SAMPLE, .pid = (uint32_t)thread->process->pid, .tid = (uint32_t)thread->tid, .time = trace_now(),
		.period = thread->seen - thread->cpu, .cpu = thread->seen - thread->cpu, .kernel = (int64_t)r->orig_rax >= 0, .readable = r->cs == CS_64,
		.stack = t->memory.stack, .more = sleeper_more, .more_arg = &t->memory, .name = t->name,
	};
	sleeper_memory_read(&t->memory, thread->tid, r->rsp);
	h->stack_size = t->memory.stack_size;
	memcpy(h->regs, regs, sizeof regs);
	tracee_name(thread->process->pid, thread->tid, t->name, sizeof t->name);
	thread->cpu = thread->seen;
	thread->sampled = true;
	if (t->wall) {
		wall_stopped(h, thread, r);
		thread->stack = sleeper_stack(&t->memory);
	}
	t->held = thread->tid;
}

static void let_go(struct trace *t)
{
	if (t->held)
		ptrace(PTRACE_CONT, t->held, 0, 0);
	t->held = 0;
}

/* Did THREAD, which is stopped, have a processor when it was asked to?  It goes on at its stop with the same turn then; or has a new one, after a wait
 * no longer than we were at work: we took its processor.  One that waited before, or was about to, only comes to a processor to stop: where it is says little of
 * what it spent, which is left to the next look; but on a crowded machine a brief thread has no other one that finds it at work, and is known by this or not at all. */
static bool was_running(const struct traced_thread *thread)
{
	struct tracee_time time = tracee_time(thread);
	uint64_t turns = time.slices - thread->before.slices;
	uint64_t work = (thread->rested_at ? thread->rested_at : trace_now()) - thread->asked_at;

	return turns == 0 || (turns == 1 && time.waited - thread->before.waited <= work + SWITCH);
}

/* THREAD stopped as we asked it to.  True: a sample is made, and it is held until that is taken. */
static bool stop_take(struct trace *t, struct traced_thread *thread, bool sampled)
{
	struct user_regs_struct r, changed;

	thread->asked = false;
	if (thread->process->left) {
		ptrace(PTRACE_DETACH, thread->tid, 0, 0);
		tracees_end(&t->all, thread);
		return false;
	}
	if (ptrace(PTRACE_GETREGS, thread->tid, 0, &r) != 0)
		return false;
	changed = r;
	call_repeat(thread, &changed);
	if (sampled && (t->wall || !thread->sampled || was_running(thread)))
		sample_make(t, thread, &r);
	else {
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
		return false;
	}
	return true;
}

/* THREAD has ended, and is not waited for yet: a first one when all others of its process have. */
static void used_tell(struct trace *t, const struct traced_thread *thread)
{
	uint64_t cpu = tracee_cpu(thread);

	if (thread->tid == thread->process->pid)
		thread->process->used = tracee_process_cpu(thread->tid);
	else if (thread->process->told && cpu > thread->met)
		tracees_tell(&t->all, &(struct happening){ .kind = HAPPENED_USED, .pid = (uint32_t)thread->process->pid, .tid = (uint32_t)thread->tid,
							     .cpu = cpu - thread->met, .time = trace_now() });
}

/* The next stop or end of a thread, taken; false: there is none.  The end of our own child is for who waits for it: behind it nothing is seen, until that is done. */
static bool change_take(struct trace *t, siginfo_t *info)
{
	struct traced_thread *thread;

	info->si_pid = 0;
	if (waitid(P_ALL, 0, info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 || info->si_pid == 0)
		return false;
	thread = tracees_find(&t->all, info->si_pid);
	if (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED && t->all.below && info->si_pid == t->roots[0])
		return false;
	if (thread && info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED)
		used_tell(t, thread);
	waitid(P_PID, (id_t)info->si_pid, info, WSTOPPED | WEXITED | WNOHANG | __WALL);
	if (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED && thread)
		tracees_end(&t->all, thread);
	return true;
}

/* Take what threads have come to; true: one of the stops is a sample, if these are SAMPLED. */
static bool stops_take(struct trace *t, bool sampled)
{
	siginfo_t info;

	while (change_take(t, &info)) {
		struct traced_thread *thread = tracees_find(&t->all, info.si_pid);
		int event = info.si_status >> 8, signal = info.si_status & 0xff;

		if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
			continue;
		if (event != PTRACE_EVENT_STOP)
			ptrace(PTRACE_CONT, info.si_pid, 0, event ? 0 : signal);	/* on its way to it; as it would have come */
		else if (signal != SIGTRAP)
			ptrace(PTRACE_LISTEN, info.si_pid, 0, 0);	/* all of the process is stopped, and stays so */
		else if (!thread || !thread->asked)
			ptrace(PTRACE_CONT, info.si_pid, 0, 0);
		else if (stop_take(t, thread, sampled))
			return true;
	}
	return false;
}

/* Clock wall: THREAD sleeps as it did when its sample was made: its time is charged there.  One that was stopped came to a processor to go on; on a busy
 * machine that is late, its sleep may be over by then, and it goes from there into the next one, of the same call perhaps, but of another caller. */
static bool is_same_sleep(struct trace *t, struct traced_thread *thread)
{
	struct sleeper_call call;
	uint64_t slices;

	tracee_slices(thread, &slices);
	if (slices == thread->slices)
		return true;				/* one that was stopped has not gone on yet */
	if (!thread->stopped || slices != thread->slices + 1 || tracee_state(thread) != 'S' ||
	    !sleeper_in(thread->process->pid, thread->tid, &call) || !sleeper_is_same(&thread->call, &call))
		return false;
	sleeper_memory_read(&t->outside.memory, thread->tid, call.sp);
	if (sleeper_stack(&t->outside.memory) != thread->stack)
		return false;
	thread->stopped = false;			/* it went back to sleep */
	thread->slices = slices;
	return true;
}

/* Clock wall: the sample of THREAD, which sleeps and is let sleep. */
static bool look_from_outside(struct trace *t, struct traced_thread *thread)
{
	struct happening *h = &t->sample;

	tracee_slices(thread, &thread->slices);
	if (!sleeper_look(&t->outside, thread->process->pid, thread->tid))
		return false;
	*h = sleeper_happening(&t->outside);
	h->time = trace_now();
	h->period = h->time - thread->charged;
	h->cpu = thread->seen - thread->cpu;
	h->name = t->name;
	tracee_name(thread->process->pid, thread->tid, t->name, sizeof t->name);
	thread->cpu = thread->seen;
	thread->charged = h->time;
	thread->sleeps = true;
	thread->stopped = false;
	return true;
}

/* Clock wall: look at THREAD, which runs, or sleeps as it did not before.  True: the sample is made. */
static bool wall_look_at(struct trace *t, struct traced_thread *thread)
{
	char state = tracee_state(thread);
	thread->seen = tracee_cpu(thread);
	if (state != 'R' && !sleeper_in(thread->process->pid, thread->tid, &thread->call))
		return false;
	if (state != 'R' && (state != 'S' || !sleeper_goes_on(thread->process->pid, &thread->call)))
		return look_from_outside(t, thread);
	thread->asked = thread->seen > 0 && ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) == 0;
	return false;
}

/* The time of the next look: early or late by up to half a period, so as not to beat with what the program does. */
static void wall_next(struct trace *t)
{
	trace_round_end(&t->looks, t->begun, t->cpu, t->all.period / 2 + (uint64_t)random() % t->all.period);
	t->unseen = 0;
	t->told = t->begun;
}

/* Clock wall: look at the threads that are left of this look; true: a sample is made. */
static bool wall_look(struct trace *t)
{
	if (t->unseen == 0) {
		t->begun = trace_now();
		t->cpu = own_cpu();
	}
	while (t->unseen < t->all.nthreads) {
		struct traced_thread *thread = &t->all.threads[t->unseen++];

		if (thread->asked)
			continue;
		if (thread->sleeps && is_same_sleep(t, thread)) {
			thread->charged = trace_now();
			continue;
		}
		if (thread->sleeps) {
			tracees_tell(&t->all, &(struct happening){ .kind = HAPPENED_RESUMED, .pid = (uint32_t)thread->process->pid,
								  .tid = (uint32_t)thread->tid, .time = thread->charged });
			thread->sleeps = false;
			t->unseen--;			/* this comes first, and then the thread again */
			return false;
		}
		if (wall_look_at(t, thread))
			return true;
	}
	wall_next(t);
	return false;
}

/* Is a sample of THREAD due, after CPU ns?  The first one is at once: a brief thread has no second, and what samples lack is shared (process.c). */
static bool is_due(const struct traced_thread *thread, uint64_t cpu, uint64_t period)
{
	return cpu > thread->seen && (!thread->sampled || cpu - thread->cpu >= period);
}

/* Stop those that have run since the last look, and run now.  Who sleeps by now is let sleep: its time goes to the next sample of it.
 * False: samples come with the stops. */
static bool trace_look(struct trace *t)
{
	uint64_t begun = trace_now(), spent = own_cpu(), period = t->all.period;

	for (size_t i = 0; i < t->all.nthreads; i++) {
		struct traced_thread *thread = &t->all.threads[i];
		struct tracee_time time = thread->asked ? (struct tracee_time){ 0 } : tracee_time(thread);

		if (!is_due(thread, time.cpu, period))
			continue;
		thread->seen = time.cpu;
		thread->before = time;
		thread->asked_at = t->woken;
		thread->rested_at = 0;
		if (tracee_state(thread) == 'R')
			thread->asked = ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) == 0;
	}
	trace_round_end(&t->looks, begun, spent, period);
	return false;
}

/* ---- the source ---- */

/* Why PID, of which waits are asked for if WALL, may not be traced, errno being ERROR. */
static bool trace_refuse(struct error *err, pid_t pid, bool wall, int error)
{
	struct permission permission = permission_look(pid, wall ? 1 : 2);
	char path[64], text[4096], scope[16], why[400];
	const char *at;
	int tracer;

	if (error == ESRCH)
		return tracee_missing(pid, err), false;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	tracee_read(path, text, sizeof text);
	at = strstr(text, "\nTracerPid:");
	tracer = at ? atoi(at + 11) : 0;
	if (tracer)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%d: perf events are not permitted here, and process %d, a debugger perhaps, traces it already", (int)pid, tracer);
	permission_explain(&permission, why, sizeof why);
	tracee_read("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
	if (error == EPERM && atoi(scope) > 0)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%d: neither perf events nor ptrace are permitted here: run aprof as root, or set "
				 "kernel.yama.ptrace_scope to 0 (sysctl; it is %d); of perf events: %s", (int)pid, atoi(scope), why);
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%d: perf events are not permitted here, nor is ptrace: %s", (int)pid,
			 error == EPERM ? "it is another user's, or privileged; run aprof as root" : strerror(error));
}

static bool trace_begin(struct source *source, struct error *err)
{
	struct trace *t = (struct trace *)source;
	struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_RESTART };
	pid_t pid = 0;

	if (t->wall && access("/proc/self/syscall", R_OK) != 0)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "--clock=wall: the kernel does not show where threads sleep (/proc/PID/syscall)");
	stopped = t->children;
	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, &t->old);
	if (!tracees_begin(&t->all, &pid))
		return trace_refuse(err, pid, t->wall, errno);
	return true;
}

/* We are about to sleep: whose processor we took goes on. */
static void rest_begin(struct trace *t)
{
	for (size_t i = 0; i < t->all.nthreads; i++)
		if (t->all.threads[i].asked && !t->all.threads[i].rested_at)
			t->all.threads[i].rested_at = trace_now();
}

static void trace_wait(struct source *source, int wake, int ms)
{
	struct trace *t = (struct trace *)source;
	struct pollfd fds[] = { { .fd = wake, .events = POLLIN }, { .fd = t->children, .events = POLLIN } };
	uint64_t time = trace_now();
	uint64_t next = t->looks.next < t->scans.next ? t->looks.next : t->scans.next;

	if (!t->all.nthreads)
		next = t->scans.next;
	let_go(t);
	if (next < time + (uint64_t)ms * 1000000)
		ms = next > time ? (int)((next - time) / 1000000) + 1 : 0;
	rest_begin(t);
	poll(fds, 2, ms);
	t->woken = trace_now();
}

/* Find who is new and who is gone, as often as that costs little. */
static void scan(struct trace *t)
{
	uint64_t spent = own_cpu();

	tracees_scan(&t->all);
	t->source.refused = t->all.nrefused;
	trace_round_end(&t->scans, trace_now(), spent, SCAN * UINT64_C(1000000));
}

static bool trace_next(struct source *source, uint64_t before, struct happening *h)
{
	struct trace *t = (struct trace *)source;
	uint64_t woken;
	ssize_t n;

	let_go(t);
	if (t->at > 0) {
		free((char *)t->all.queue[t->at - 1].name);
		t->all.queue[t->at - 1].name = NULL;
	}
	if (t->at == t->all.nqueue)
		t->at = t->all.nqueue = 0;
	if (t->at == 0 && before != UINT64_MAX && trace_now() >= t->scans.next)
		scan(t);
	if (t->at == t->all.nqueue && before != UINT64_MAX && trace_now() >= t->looks.next && (t->wall ? wall_look(t) : trace_look(t))) {
		*h = t->sample;
		return true;
	}
	if (t->at < t->all.nqueue) {
		*h = t->all.queue[t->at++];
		return true;
	}
	n = read(t->children, &woken, sizeof woken);
	(void)n;
	if (!stops_take(t, true))
		return false;
	*h = t->sample;
	return true;
}

/* Threads that were asked to stop are waited for, so that their system calls are as they were; then the end of this thread lets all go. */
static void trace_close(struct source *source)
{
	struct trace *t = (struct trace *)source;
	uint64_t end = trace_now() + LAST * UINT64_C(1000000);
	bool asked = true;

	let_go(t);
	while (asked && trace_now() < end) {
		stops_take(t, false);
		asked = false;
		for (size_t i = 0; i < t->all.nthreads; i++)
			asked |= t->all.threads[i].asked && tracee_cpu(&t->all.threads[i]);
		if (asked)
			poll(NULL, 0, 1);
	}
	if (stopped == t->children) {
		sigaction(SIGCHLD, &t->old, NULL);
		stopped = -1;
	}
	tracees_free(&t->all);
	if (t->children >= 0)
		close(t->children);
	free(t->roots);
	free(t);
}

static uint64_t trace_told(struct source *source)
{
	return ((struct trace *)source)->told;
}

static const struct source_kind by_ptrace = {
	.number = AMON_SOURCE_PTRACE, .begin = trace_begin, .wait = trace_wait, .next = trace_next, .told = trace_told, .close = trace_close,
};

struct source *trace_open(const pid_t *pids, size_t n, unsigned rate, bool wall, struct error *err)
{
	struct trace *t = calloc(1, sizeof *t);

	if (t) {
		t->wall = wall;
		t->source = (struct source){ .kind = &by_ptrace, .rate = rate < MOST_RATE ? rate : MOST_RATE, .sees_kernel = true };
		t->children = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		t->roots = calloc(n, sizeof *t->roots);
		t->all = (struct tracees){ .roots = t->roots, .nroots = n, .period = 1000000000 / t->source.rate };
	}
	if (t && t->roots && t->children >= 0) {
		memcpy(t->roots, pids, n * sizeof *pids);
		return &t->source;
	}
	error_no_memory(err, NULL);
	if (t)
		trace_close(&t->source);
	return NULL;
}

struct source *trace_open_below(pid_t pid, unsigned rate, bool wall, bool late, bool (*serves)(void *arg, pid_t pid), void *arg, struct error *err)
{
	struct source *source = trace_open(&pid, 1, rate, wall, err);
	struct trace *t = (struct trace *)source;

	if (!t)
		return NULL;
	t->all.below = true;
	t->all.late = late;
	t->all.serves = serves;
	t->all.arg = arg;
	return source;
}

#else

struct source *trace_open(const pid_t *pids, size_t n, unsigned rate, bool wall, struct error *err)
{
	(void)pids, (void)n, (void)rate, (void)wall;
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "call stacks are sampled on x86-64 only"), NULL;
}

struct source *trace_open_below(pid_t pid, unsigned rate, bool wall, bool late, bool (*serves)(void *arg, pid_t pid), void *arg, struct error *err)
{
	(void)late, (void)serves, (void)arg;
	return trace_open(&pid, 1, rate, wall, err);
}

#endif
