/* sampler.c - a thread of the monitor's own that looks at all others: clocks tick and wall.
 *
 * It is made by a raw clone, unknown to libc, with every signal blocked, a descriptor table of its
 * own and nobody's thread-local storage.  So it sends the program nothing: no signal, no EINTR, no
 * descriptor, no lock that a thread of the program could wait for longer than one look. */
#include "inside/clock/sampler.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "contract/amon.h"
#include "inside/clock/account.h"
#include "inside/clock/credentials.h"
#include "inside/clock/look.h"
#include "inside/clock/pc.h"
#include "inside/clock/status.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

enum {
	STACK = 65536,			/* bytes; the handler of SIGBUS may run on it */
	SLICE = 100000,			/* ns of a processor at a time */
	FIRST = -20,			/* niceness */
	SHARE = 10000,			/* in parts of that is told what we take of the CPU time of the program: */
	OF_CLOCK = 100,			/* looks and interrupts together, */
	OF_LOOKS = 40,			/* looks, where interrupts cost what they do by perf, */
	OF_ASKED = 2000,		/* looks, where a rate was asked for */
	LONGEST = 200000000,		/* ns between two looks in the mean, at most, of a program that sleeps */
	SMOOTHED = 300000000,		/* ns over which the processors that it uses are a mean */
	MISSED = 8,			/* rounds in which more threads were missed than met, before we go elsewhere */
	IDLE_ROUNDS = 32,		/* rounds without work before it asks whether it is alone, */
	SELDOM = 10000000,		/* ns between rounds, from which on it asks at each of these */
	MEASURE_ROUNDS = 16,		/* rounds between two looks at what a round costs, unless that is too much, */
	YOUNG = 32,			/* or the round is one of the first so many */
	WHOLE = 65536,			/* a processor, in pace.used */
	PROCESSORS = 8192,		/* that the kernel may have, at most */
	FOLLOW_ROUNDS = 32,		/* rounds between two looks at the program's credentials and modes */
};

static char *stack;			/* of the sampler; kept for a forked child's */
static uint64_t tls_none[64];		/* its thread-local storage: none, but a self pointer for the ABI */
static uint64_t random_state;
static int sampler_tid OF_PROCESS;			/* of the sampler at work, or the last one */
static struct {
	uint64_t cost;			/* CPU time of a round, to sleep and to be woken included, ns: a mean of the last ones */
	uint64_t used;			/* processors that the program used, in parts of WHOLE: a mean over SMOOTHED */
	uint64_t cpu;			/* our CPU clock at the end of the last round, ns */
	uint64_t took;			/* CPU time from the end of the round before to that */
} pace;

/* What part of the program's CPU time looks may take, of SHARE. */
static uint64_t share(void)
{
	if (monitor.clock.is_rate_asked)
		return OF_ASKED;
	return monitor.header->pc_source == AMON_SOURCE_PERF ? OF_LOOKS : OF_CLOCK;
}

/* The mean time between two looks, ns: a longer one than was asked for if we should take more than our share, but for LONGEST. */
static uint64_t period(void)
{
	uint64_t asked = clock_period(), least = pace.cost * SHARE / share() * WHOLE / (pace.used | 1);

	if (least > LONGEST)
		least = LONGEST;
	return asked > least ? asked : least;
}

/* ---- the thread ---- */

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void sleep_until(uint64_t nsec)
{
	struct timespec until = { (time_t)(nsec / 1000000000u), (long)(nsec % 1000000000u) };

	sys4(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* End as STATUS says: of a signal, where seccomp killed the one thread that there was. */
static void __attribute__((noreturn)) leave(int status)
{
	struct sys_action none = { .handler = NULL };
	int sig = status & 0x7f;
	uint64_t mask = ~(UINT64_C(1) << ((sig ? sig : 1) - 1));

	if (sig) {
		sys4(rt_sigaction, sig, &none, NULL, sizeof none.mask);
		sys3(tgkill, monitor.pid, sys0(gettid), sig);
		sys4(rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
	}
	sys1(exit, status >> 8 & 0xff);
	__builtin_unreachable();
}

/* The moment of the next look after one that was due at DUE and came at NOW: early or late by up to half a period,
 * so as not to beat with a periodic program. */
static uint64_t next_look(uint64_t due, uint64_t now)
{
	if (now > due + 2 * period())
		note(AMON_NOTE_OVERRUN);
	return now + period() / 2 + random_next() % period();
}

/* MEAN with one more VALUE, the first if it is 0. */
static uint64_t mean_add(uint64_t mean, uint64_t value)
{
	return mean ? (mean * 7 + value) / 8 : value;
}

/* Over so long that it knows nothing of single bursts of work: else their ends would be looked at more often than their beginnings. */
static void pace_follow(uint64_t worked, uint64_t passed)
{
	pace.used = (pace.used * SMOOTHED + worked * WHOLE) / (SMOOTHED + passed);
}

/* A round is at its end.  Returns our CPU clock. */
static uint64_t round_end(void)
{
	uint64_t cpu = sys_clock(CLOCK_THREAD_CPUTIME_ID);

	pace.took = cpu - pace.cpu;
	if (pace.cpu)
		monitor.header->sampler_cpu += pace.took;
	return pace.cpu = cpu;
}

/* A round has cost COST ns, the NTH.  What is dear once, as to open what tells of a thread, is soon forgotten, and at the beginning, when most is opened, at once. */
static void pace_set(uint64_t cost, uint32_t nth)
{
	uint64_t less = nth < YOUNG ? cost : (pace.cost + cost) / 2;

	pace.cost = cost < pace.cost ? less : mean_add(pace.cost, cost);
}

/* ---- where it runs ---- */

/* The sampler TID may have each processor that there is but OUT, wherever the program's threads are bound to; OUT < 0: each.  False: there is no other. */
static bool processors_take(int tid, int out)
{
	uint64_t mask[PROCESSORS / 64];

	for (size_t i = 0; i < PROCESSORS / 64; i++)
		mask[i] = ~UINT64_C(0);
	if (out >= 0 && out < PROCESSORS)
		mask[out / 64] &= ~(UINT64_C(1) << out % 64);
	return !sys_failed(sys3(sched_setaffinity, tid, sizeof mask, mask));
}

/* A thread that shares our processor does not run while we look.  Where most are missed, we leave the one of the thread that was LOOKED at last in vain. */
static void place_follow(const struct looked *looked)
{
	static uint32_t missed;

	if (looked->misses > looked->met)
		missed++;
	else if (looked->met)
		missed /= 2;
	if (missed < MISSED)
		return;
	missed = 0;
	if (!status_is_filtered(looked->missed))
		processors_take(0, status_processor(looked->missed->tid));
}

static void sleeps_follow(void)
{
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		if (t->clock.watched)
			monitor.header->sleeps += status_slept(t);
}

/* ---- the thread itself ---- */

/* A short slice lets us in when our time has come (Linux 6.12), instead of when others sleep; so does the highest priority among the usual ones, for
 * whom it is permitted to. */
static void precedence_set(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = 0 };			/* for valgrind, too */

	if (!sys_failed(sys4(sched_getattr, 0, &attr, sizeof attr, 0)) && attr.policy == SCHED_OTHER) {
		attr.size = sizeof attr;
		attr.runtime = SLICE;
		sys3(sched_setattr, 0, &attr, 0);
		attr.nice = FIRST;
		sys3(sched_setattr, 0, &attr, 0);
	}
}

/* At DUE, a random part of a period after the beginning: each part of a process that ends soon is to have it.  What looks need is made then: a process that ends before is spared that, and
 * its parent, who waits for what /proc knows of it to be forgotten.  Returns when it was; *OWN_DESCRIPTORS: as status_begin. */
static uint64_t first_look(uint64_t due, bool *own_descriptors)
{
	uint64_t now;

	sleep_until(due);
	*own_descriptors = status_begin();
	credentials_begin();
	now = sys_clock(CLOCK_MONOTONIC);
	round_end();			/* what it took to begin */
	look_round(&(struct look_time){ .now = now, .took = pace.took });
	round_end();
	return now;
}

/* Before a call that does not return Clang's AddressSanitizer asks libc for the thread's words, and here there are none. */
static void __attribute__((noreturn, no_sanitize("address"))) sampler(void)
{
	uint64_t bus = 1u << (SIGBUS - 1), now = sys_clock(CLOCK_MONOTONIC), due;
	struct looked looked;
	uint32_t rounds = 0, idle = 0;
	bool own_descriptors;
	int status = 0;

	sys2(prctl, 15 /* PR_SET_NAME */, "aprof");
	sys2(prctl, 29 /* PR_SET_TIMERSLACK */, 1);
	/* Others may cut the file under us: sigbus.c mends that, and a blocked SIGBUS would be death. */
	sys4(rt_sigprocmask, SIG_UNBLOCK, &bus, NULL, sizeof bus);
	pace.cost = 0;
	pace.used = WHOLE;
	pace.cpu = 0;
	precedence_set();
	now = due = first_look(now + random_next() % clock_period(), &own_descriptors);
	pc_begin(own_descriptors);
	while (!look_is_stopped() && ((++idle % IDLE_ROUNDS && (idle == 1 || period() < SELDOM)) || !status_is_alone(&status))) {
		bool measure = ++rounds % MEASURE_ROUNDS == 0 || rounds < YOUNG || period() > clock_period();
		uint64_t began = measure ? sys_clock(CLOCK_THREAD_CPUTIME_ID) : 0, before = now, ended;

		due = next_look(due, now);
		sleep_until(due);
		now = sys_clock(CLOCK_MONOTONIC);
		looked = look_round(&(struct look_time){ .now = now, .took = pace.took });
		ended = round_end();
		if (looked.worked)
			idle = 0;
		pace_follow(looked.worked, now - before);
		place_follow(&looked);
		if (measure)
			pace_set(ended - began, rounds);
		pc_round();
		if (rounds % FOLLOW_ROUNDS == 0) {
			credentials_follow();
			account_modes(true);
			sleeps_follow();
		}
		if (monitor.header->reset_request != monitor.header->reset_done)
			look_reset();
	}
	leave(status);
}

/* Run the sampler on its stack, in a new thread.  Returns its id or minus an errno. */
static long clone_sampler(void *top)
{
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
	long ret;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = 0;
	register void *r8 __asm__("r8") = tls_none;
	register void (*r9)(void) __asm__("r9") = sampler;

	__asm__ volatile("syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 ".cfi_remember_state\n\t"
			 ".cfi_undefined %%rip\n\t"	/* unwinders of the new thread end here */
			 "xorl %%ebp, %%ebp\n\t"
			 "callq *%%r9\n\t"
			 ".cfi_restore_state\n"
			 "1:"
			 : "=a"(ret)
			 : "a"(SYS_clone), "D"(flags), "S"(top), "d"(0L), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = flags;
	register void *x1 __asm__("x1") = top;
	register long x2 __asm__("x2") = 0;
	register void *x3 __asm__("x3") = tls_none;
	register long x4 __asm__("x4") = 0;
	register void (*x5)(void) __asm__("x5") = sampler;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, xzr\n\t"
			 "blr x5\n"
			 "1:"
			 : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	ret = x0;
#endif
	return ret;
}

/* ---- when it is there ---- */

void sampler_forget(void)
{
	look_forget();
	sampler_tid = 0;
}

bool sampler_start(void)
{
	uint64_t mask;
	long ret;

	random_state = (sys_clock(CLOCK_MONOTONIC) ^ (uint64_t)monitor.pid << 32) | 1;
	tls_none[0] = (uint64_t)(uintptr_t)tls_none;
	if (!stack && (stack = sys_memory(STACK, false)))
		sys3(mprotect, stack, AMON_PAGE, PROT_NONE);
	if (!stack)
		return false;
	sys_block_signals(&mask);
	ret = clone_sampler(stack + STACK - 64);
	sys_restore_signals(&mask);
	sampler_tid = sys_failed(ret) ? 0 : (int)ret;
	if (sampler_tid)		/* by us, since it may not come to run where it is bound to */
		processors_take(sampler_tid, -1);
	return !sys_failed(ret);
}

bool sampler_is_there(void)
{
	return sampler_tid && sys3(tgkill, monitor.pid, sampler_tid, 0) == 0;
}

/* Some calls are for processes of one thread.  Waits until the kernel has forgotten the sampler, and with it its
 * descriptors. */
bool sampler_pause(void)
{
	static const struct timespec moment = { .tv_nsec = 100000 };

	if (!sampler_tid || look_is_stopped())
		return false;
	look_stop();
	for (int tries = 0; tries < 20000 && sys3(tgkill, monitor.pid, sampler_tid, 0) != -ESRCH; tries++)
		sys2(nanosleep, &moment, NULL);
	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		t->clock.state_fd = t->clock.state_tid = 0;
	pc_forget();
	return true;
}

void sampler_resume(void)
{
	look_resume();
	if (!sampler_start())
		note(AMON_NOTE_TIMER_FAILED);
}
