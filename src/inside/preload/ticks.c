/* ticks.c - samples of call stacks, taken within a program that has no hooks: libaprof-stacks.so, preloaded by aprof run where perf events are refused.
 *
 * Each thread has a timer on its own CPU clock, which sends it SIGPROF; the handler copies registers and the top of the stack into memory that the
 * recorder reads (contract/ring.h), and that is all that happens here: nothing is allocated by malloc, nothing waits, and a thread that sleeps
 * is never woken.  A program that handles SIGPROF itself has it: the timers are deleted, and the recorder, told so, takes another source.
 *
 * One that filters its system calls (seccomp) is left alone from then on: the handler makes some that it would be killed for.  What a process and its
 * children used, as far as they are waited for, stands in the roll (contract/roll.h).
 *
 * A program that blocks all signals in its workers, as many do, does not mean this one, which it never sees: it stays unblocked, and the program is told
 * what it wants to hear.
 *
 * Invariant: a timer exists only while SIGPROF is ours. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "contract/ring.h"
#include "inside/clock/handler_mask.h"
#include "inside/preload/sample_ring.h"
#include "inside/preload/roll.h"
#include "inside/sys.h"
#include "inside/x86_64/restorer.h"

#define EXPORTED __attribute__((visibility("default")))

enum { USUAL_RATE = 997, MOST_RATE = 10000, RING_SIZE = 2 << 20 };

/* A thread that has a timer. */
struct ticking {
	int taken;			/* 1: in use */
	int tid;
	int timer;			/* -1: none */
};

enum { BLOCK = 128 };

/* All of them, in blocks that are never freed. */
struct block {
	struct block *next;
	struct ticking threads[BLOCK];
};

/* What a new thread is to do. */
struct beginning {
	int taken;
	void *(*function)(void *arg);
	void *arg;
	bool hides;			/* as its creator */
};

static struct block first, *blocks = &first;
static struct beginning beginnings[64];
static volatile int on;			/* SIGPROF is ours */
static uint64_t period, least, tick;	/* ns: wanted; what the kernel's clock allows; its period */
static char ours;			/* its address tells our timers' signals from others' */
static pthread_key_t key;		/* a thread's struct ticking, until it ends */
static __thread uint64_t charged;	/* CPU time of this thread that samples stand for, ns */
static __thread bool ticked;		/* it had a sample; the first stands for a whole period, since the last one may come to nothing */
static __thread bool hides;		/* the program wants SIGPROF blocked in this thread, and may believe that it is */

static struct {
	int (*sigaction)(int sig, const struct sigaction *action, struct sigaction *old);
	sighandler_t (*signal)(int sig, sighandler_t handler);
	int (*pthread_sigmask)(int how, const sigset_t *set, sigset_t *old);
	int (*sigprocmask)(int how, const sigset_t *set, sigset_t *old);
	int (*pthread_create)(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *arg), void *arg);
	int (*sigaltstack)(const stack_t *stack, stack_t *old);
	pid_t (*wait4)(pid_t pid, int *status, int options, struct rusage *usage);
	int (*clone)(int (*function)(void *arg), void *stack, int flags, void *arg, ...);
	int (*prctl)(int option, ...);
} next;

void aprof_before_syscall(long nr, long a) HIDDEN;	/* of syscall.S */

/* The function NAME of the libraries behind us; WHERE keeps it. */
static void *ticks_find(void *where, const char *name)
{
	void **kept = where;

	if (!*kept)
		*kept = dlsym(RTLD_NEXT, name);
	return *kept;
}

#define NEXT(name) (ticks_find(&next.name, #name), next.name)

/* ---- timers ---- */

static struct ticking *ticking_take(void)
{
	for (struct block *b = blocks; b; b = b->next)
		for (int i = 0; i < BLOCK; i++)
			if (!__atomic_load_n(&b->threads[i].taken, __ATOMIC_RELAXED) && !__atomic_exchange_n(&b->threads[i].taken, 1, __ATOMIC_ACQUIRE)) {
				b->threads[i].timer = -1;
				return &b->threads[i];
			}
	return NULL;
}

/* A place for a thread, of a new block if there is none; NULL: no memory. */
static struct ticking *ticking_new(void)
{
	struct ticking *t = ticking_take();
	struct block *b = t ? NULL : sys_memory(sizeof *b, false);

	if (!b)
		return t;
	b->threads[0] = (struct ticking){ .taken = 1, .timer = -1 };
	do
		b->next = __atomic_load_n(&blocks, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&blocks, &b->next, b, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return &b->threads[0];
}

static void timer_end(struct ticking *t)
{
	int timer = __atomic_exchange_n(&t->timer, -1, __ATOMIC_ACQ_REL);

	if (timer >= 0)
		sys1(timer_delete, timer);
}

static bool is_blocked(void)
{
	uint64_t mask = 0;

	sys4(rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
	return mask >> (SIGPROF - 1) & 1;
}

/* When a timer is to expire first: at a random moment of the time that a sample stands for, so that of many brief threads as many have one as their time is
 * worth.  The kernel's own clock, at which timers are looked at, is such a moment within its period. */
static struct timespec first_time(void)
{
	uint64_t x = sys_clock(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15), at = (x >> 32) % (period / tick + 1) * tick;

	return (struct timespec){ (time_t)(at / 1000000000), (long)(at % 1000000000) + (at == 0) };
}

/* Give the calling thread, T, its timer. */
static void timer_begin(struct ticking *t)
{
	struct timespec every = { (time_t)(period / 1000000000), (long)(period % 1000000000) };
	struct itimerspec spec = { every, first_time() };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF, .sigev_value.sival_ptr = &ours };
	int timer;

	t->tid = (int)sys0(gettid);
	ticked = false;
	charged = sys_clock(CLOCK_THREAD_CPUTIME_ID);
	((int *)&event.sigev_notify)[1] = t->tid;	/* sigev_notify_thread_id, which not every libc names */
	if (sys_failed(sys3(timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer)))
		return;
	__atomic_store_n(&t->timer, timer, __ATOMIC_RELEASE);
	sys4(timer_settime, timer, 0, &spec, NULL);
	if (!on)
		timer_end(t);
}

static void unblock(void)
{
	uint64_t set = UINT64_C(1) << (SIGPROF - 1);

	sys4(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof set);
}

/* A thread begins. */
static void ticks_thread_begin(void)
{
	struct ticking *t = on ? ticking_new() : NULL;

	if (t && pthread_setspecific(key, t) == 0)
		timer_begin(t);
	else if (t)
		__atomic_store_n(&t->taken, 0, __ATOMIC_RELEASE);
	if (t)
		unblock();
}

static void ticks_thread_end(void *arg)
{
	struct ticking *t = arg;
	uint64_t mask;

	if (!on) {				/* no system call: there may be a filter */
		__atomic_store_n(&t->taken, 0, __ATOMIC_RELEASE);
		return;
	}
	sys_block_signals(&mask);
	timer_end(t);
	sample_ring_end();
	__atomic_store_n(&t->taken, 0, __ATOMIC_RELEASE);
	sys_restore_signals(&mask);
}

/* Give SIGPROF up, and say WHY.  What is under way to some thread is dropped: the kernel does that when a signal becomes ignored. */
static void give_up(enum roll_closed why)
{
	struct sys_action ignore = { .handler = (void *)SIG_IGN }, none = { .handler = NULL };

	on = 0;
	for (struct block *b = blocks; b; b = b->next)
		for (int i = 0; i < BLOCK; i++)
			if (b->threads[i].taken)
				timer_end(&b->threads[i]);
	handler_mask_end();
	sys4(rt_sigaction, SIGPROF, &ignore, NULL, sizeof ignore.mask);
	sys4(rt_sigaction, SIGPROF, &none, NULL, sizeof none.mask);
	roll_close(why);
}

/* ---- the handler ---- */

static void on_tick(int sig, siginfo_t *info, void *context)
{
	uint64_t cpu, spent;

	(void)sig;
	if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &ours) {
		give_up(ROLL_SIGPROF);		/* somebody else sends SIGPROF: what happens is what would happen without us */
		sys3(tgkill, sys0(getpid), sys0(gettid), SIGPROF);
		return;
	}
	cpu = sys_clock(CLOCK_THREAD_CPUTIME_ID);
	spent = cpu > charged ? cpu - charged : 0;
	if (spent && !sample_ring_sample(context, ticked || spent > least ? spent : least))
		give_up(ROLL_RING);
	charged = cpu;
	ticked = true;
}

static bool ticks_take_sigprof(void)
{
	struct sys_action old, action = {
		.handler = (void *)on_tick,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | 0x04000000 /* SA_RESTORER */,
		.restorer = (void *)aprof_signal_return,
		.mask = ~UINT64_C(0),
	};

	if (sys_failed(sys4(rt_sigaction, SIGPROF, NULL, &old, sizeof old.mask)) || old.handler || is_blocked())
		return false;
	if (sys_failed(sys4(rt_sigaction, SIGPROF, &action, NULL, sizeof action.mask)))
		return false;
	handler_mask_begin();
	return true;
}

/* ---- what the program calls ---- */

/* Is SIGPROF ours, so that what a call of this kind says of it is to be as without us?  If it is to be CHANGED, it is the program's from now on. */
static bool is_hidden(int sig, bool changed)
{
	if (sig != SIGPROF || !on)
		return false;
	if (changed)
		give_up(ROLL_SIGPROF);
	return !changed;
}

EXPORTED int sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction room;
	const struct sigaction *set;
	int ret;

	if (is_hidden(sig, action && !(action->sa_handler == SIG_DFL && !(action->sa_flags & SA_SIGINFO)))) {
		if (old)
			mem_zero(old, sizeof *old);
		return 0;
	}
	if (!on)
		return NEXT(sigaction)(sig, action, old);
	set = action ? handler_mask_action(sig, action, &room) : NULL;
	ret = NEXT(sigaction)(sig, set, old);
	if (ret == 0)
		handler_mask_done(sig, action, old);
	return ret;
}

EXPORTED sighandler_t signal(int sig, sighandler_t handler)
{
	return is_hidden(sig, handler != SIG_DFL) ? SIG_DFL : NEXT(signal)(sig, handler);
}

EXPORTED int sigaltstack(const stack_t *stack, stack_t *old)
{
	if (on && stack)
		handler_mask_stack(stack);
	return NEXT(sigaltstack)(stack, old);
}

typedef int change_mask(int how, const sigset_t *set, sigset_t *old);

/* What MASK does of HOW, SET and OLD, but SIGPROF stays as it is, and the program sees it as it wanted it. */
static int mask_change(change_mask *mask, int how, const sigset_t *set, sigset_t *old)
{
	bool before = hides, names = set && sigismember(set, SIGPROF) == 1;
	sigset_t others;
	int ret;

	if (names && how != SIG_UNBLOCK) {
		others = *set;
		sigdelset(&others, SIGPROF);
	}
	ret = mask(how, names && how != SIG_UNBLOCK ? &others : set, old);
	if (ret != 0)
		return ret;
	if (set && (how == SIG_SETMASK || names))
		hides = names && how != SIG_UNBLOCK;
	if (old && before)
		sigaddset(old, SIGPROF);
	return ret;
}

EXPORTED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return on ? mask_change(NEXT(pthread_sigmask), how, set, old) : NEXT(pthread_sigmask)(how, set, old);
}

EXPORTED int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return on ? mask_change(NEXT(sigprocmask), how, set, old) : NEXT(sigprocmask)(how, set, old);
}

/* A new thread's first function.  It leaves no frame: what it calls last takes its place. */
static void *ticks_begin(void *arg)
{
	struct beginning *b = arg, copy = *b;

	__atomic_store_n(&b->taken, 0, __ATOMIC_RELEASE);
	hides = copy.hides;
	ticks_thread_begin();
	return copy.function(copy.arg);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *arg), void *arg)
{
	struct beginning *b = NULL;
	int error;

	for (size_t i = 0; on && !b && i < sizeof beginnings / sizeof *beginnings; i++)
		if (!__atomic_exchange_n(&beginnings[i].taken, 1, __ATOMIC_ACQUIRE))
			b = &beginnings[i];
	if (!b)
		return NEXT(pthread_create)(thread, attr, function, arg);
	b->function = function;
	b->arg = arg;
	b->hides = hides;
	error = NEXT(pthread_create)(thread, attr, ticks_begin, b);
	if (error)
		__atomic_store_n(&b->taken, 0, __ATOMIC_RELEASE);
	return error;
}

/* A filter of system calls is about to be set. */
static void before_filter(void)
{
	if (on)
		give_up(ROLL_FILTER);
}

void aprof_before_syscall(long nr, long a)
{
	if (nr == SYS_seccomp || a == PR_SET_SECCOMP)
		before_filter();
}

EXPORTED int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list list;

	va_start(list, option);
	a = va_arg(list, unsigned long);
	b = va_arg(list, unsigned long);
	c = va_arg(list, unsigned long);
	d = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP)
		before_filter();
	return NEXT(prctl)(option, a, b, c, d);
}

/* What a child used is known when somebody waits for it, and to nobody else. */
static pid_t ticks_wait_for(pid_t pid, int *status, int options, struct rusage *usage)
{
	struct rusage own;
	int how;
	pid_t ended;

	usage = usage ? usage : &own;
	ended = NEXT(wait4)(pid, &how, options, usage);
	if (ended > 0 && status)
		*status = how;
	if (ended > 0 && (WIFEXITED(how) || WIFSIGNALED(how)))
		roll_waited(ended, (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000 +
			    (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000);
	return ended;
}

EXPORTED pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) { return ticks_wait_for(pid, status, options, usage); }
EXPORTED pid_t wait3(int *status, int options, struct rusage *usage) { return ticks_wait_for(-1, status, options, usage); }
EXPORTED pid_t waitpid(pid_t pid, int *status, int options) { return ticks_wait_for(pid, status, options, NULL); }
EXPORTED pid_t wait(int *status) { return ticks_wait_for(-1, status, 0, NULL); }

/* ---- the beginning ---- */

/* A child has none of its parent's timers. */
static void forked(void)
{
	struct ticking *own = pthread_getspecific(key);

	for (struct block *b = blocks; b; b = b->next)
		for (int i = 0; i < BLOCK; i++) {
			b->threads[i].timer = -1;
			b->threads[i].taken = &b->threads[i] == own;
		}
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		beginnings[i].taken = 0;
	on = on && roll_enter();
	if (on && own)
		timer_begin(own);
}

/* What a child by clone is to do. */
struct cloned {
	int (*function)(void *arg);
	void *arg;
};

static int clone_begin(void *arg)
{
	struct cloned c = *(struct cloned *)arg;

	forked();
	return c.function(c.arg);
}

EXPORTED int clone(int (*function)(void *arg), void *stack, int flags, void *arg, ...)
{
	struct cloned c = { function, arg };
	void *parent, *tls, *child;
	va_list list;

	va_start(list, arg);
	parent = va_arg(list, void *);
	tls = va_arg(list, void *);
	child = va_arg(list, void *);
	va_end(list);
	if (on && function && !(flags & CLONE_VM))	/* a copy of all memory, C too */
		return NEXT(clone)(clone_begin, stack, flags, &c, parent, tls, child);
	return NEXT(clone)(function, stack, flags, arg, parent, tls, child);
}

static void __attribute__((destructor)) end(void)
{
	if (on)
		roll_end(sys_clock(CLOCK_PROCESS_CPUTIME_ID));
}

/* Go's runtime takes SIGPROF by system calls of its own, which nobody sees.  Its programs have a note of its; 1: this is one, else 2. */
static int look_for_go(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr, end = at + p->p_memsz;

		while (p->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *note = (const void *)at;

			if (note->n_namesz == 4 && str_equal((const char *)(note + 1), "Go"))
				return 1;
			at += sizeof *note + (note->n_namesz + 3) / 4 * 4 + (note->n_descsz + 3) / 4 * 4;
		}
	}
	return 2;
}

static uint64_t rate_wanted(void)
{
	const char *text = getenv("APROF_RATE");
	unsigned long rate = text ? strtoul(text, NULL, 10) : 0;

	return rate >= 1 && rate <= MOST_RATE ? rate : USUAL_RATE;
}

static void __attribute__((constructor)) ticks_start(void)
{
	const char *directory = getenv("APROF_STACKS_DIRECTORY");
	struct timespec coarse = { 0 };

	ticks_find(&next.sigaction, "sigaction");
	ticks_find(&next.signal, "signal");
	ticks_find(&next.pthread_sigmask, "pthread_sigmask");
	ticks_find(&next.sigprocmask, "sigprocmask");
	ticks_find(&next.pthread_create, "pthread_create");
	ticks_find(&next.sigaltstack, "sigaltstack");
	ticks_find(&next.wait4, "wait4");
	ticks_find(&next.clone, "clone");
	ticks_find(&next.prctl, "prctl");
	if (!directory || getauxval(AT_SECURE) || dl_iterate_phdr(look_for_go, NULL) == 1 || pthread_key_create(&key, ticks_thread_end) != 0)
		return;
	period = least = 1000000000 / rate_wanted();
	sys2(clock_getres, CLOCK_MONOTONIC_COARSE, &coarse);
	tick = coarse.tv_nsec > 0 ? (uint64_t)coarse.tv_nsec : period;
	if (tick > least)
		least = tick;
	if (!sample_ring_begin(directory, RING_NAME, RING_SIZE, roll_started) || !roll_open(directory) || !roll_enter())
		return;
	if (roll_is_filtered()) {
		roll_close(ROLL_FILTER);
		return;
	}
	if (pthread_atfork(NULL, NULL, forked) != 0 || !ticks_take_sigprof()) {
		roll_close(ROLL_SIGPROF);
		return;
	}
	on = 1;
	ticks_thread_begin();
}
