/* sampler.c - a thread of the monitor's own that looks at all others: clocks tick and wall.
 *
 * It is made by a raw clone, unknown to libc, with every signal blocked, a descriptor table of its
 * own and nobody's thread-local storage.  So it sends the program nothing: no signal, no EINTR, no
 * descriptor, no lock that a thread of the program could wait for longer than one look. */
#include "monitor/sampler.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "format/amon.h"
#include "monitor/account.h"
#include "monitor/credentials.h"
#include "monitor/look.h"
#include "monitor/pc.h"
#include "monitor/ran.h"
#include "monitor/state.h"
#include "monitor/status.h"
#include "monitor/sys.h"
#include "monitor/thread.h"

enum {
	STACK = 65536,			/* bytes; the handler of SIGBUS may run on it */
	SLICE = 100000,			/* ns of a processor at a time */
	FIRST = -20,			/* niceness */
	AWAKE = 5000,			/* ns, at most, from when it has one to its first look */
	SHARE = 100,			/* we take at most about one part in SHARE of the processors that the program uses, one at least; */
	SHARE_MOST = 32,		/* or one in that, if a rate was asked for, or time is lost */
	LONGEST = 10000000,		/* ns between two looks in the mean, whatever they cost: as gprof's samples */
	IDLE_ROUNDS = 32,		/* rounds without work before it asks whether it is alone */
	MEASURE_ROUNDS = 16,		/* rounds between two looks at what a round costs, unless that is too much, */
	YOUNG = 32,			/* or the round is one of the first so many */
	WHOLE = 1024,			/* a processor, in pace.used */
	FOLLOW_ROUNDS = 32,		/* rounds between two looks at the program's credentials and modes */
};

static char *stack;			/* of the sampler; kept for a forked child's */
static uint64_t tls_none[64];		/* its thread-local storage: none, but a self pointer for the ABI */
static uint64_t random_state;
static int sampler_tid;			/* of the sampler at work, or the last one */
static struct {
	uint64_t cost;			/* CPU time of a round, to sleep and to be woken included, ns: a mean of the last ones */
	uint64_t used;			/* processors that the program used, in parts of WHOLE: the same; at least WHOLE */
	uint64_t share;			/* at most about one part in that of them is ours */
	uint64_t cpu;			/* our CPU clock at the end of the last round, ns */
	uint64_t took;			/* CPU time from the end of the round before to that */
} pace;

/* The mean time between two looks, ns: a longer one than was asked for if we should take more than our share, but for LONGEST. */
static uint64_t period(void)
{
	uint64_t asked = clock_period(), least = pace.cost * pace.share * WHOLE / pace.used;

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

/* The round of looks that was due at DUE begins.  Until it ends our own CPU clock is not to be read: the scheduler would note anew when we began (status.c). */
static struct look_time round_begin(uint64_t due)
{
	uint64_t waited = monitor.clock.clock == AMON_CLOCK_TICK ? status_waited() : UINT64_MAX;
	struct look_time when = { .ready = due, .now = sys_clock(CLOCK_MONOTONIC), .took = pace.took };

	if (waited < UINT64_MAX && waited + AWAKE < when.now - due)
		when.ready = when.now - waited - AWAKE;	/* the timer was late, and no thread had to do with it */
	return when;
}

static void pace_follow(uint64_t worked, uint64_t passed)
{
	uint64_t used = passed ? worked * WHOLE / passed : 0;

	pace.used = mean_add(pace.used, used > WHOLE ? used : WHOLE);
}

/* A round is at its end.  Returns our CPU clock. */
static uint64_t round_end(void)
{
	uint64_t cpu = sys_clock(CLOCK_THREAD_CPUTIME_ID);

	pace.took = cpu - pace.cpu;
	return pace.cpu = cpu;
}

/* A round has cost COST ns, the NTH.  What is dear once, as to open what tells of a thread, is soon forgotten, and at the beginning, when most is opened, at once. */
static void pace_set(uint64_t cost, uint32_t nth)
{
	uint64_t less = nth < YOUNG ? cost : (pace.cost + cost) / 2;

	pace.cost = cost < pace.cost ? less : mean_add(pace.cost, cost);
	pace.share = monitor.clock.is_rate_asked || look_is_losing() ? SHARE_MOST : SHARE;
}

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

/* Before a call that does not return Clang's AddressSanitizer asks libc for the thread's words, and here there are none. */
static void __attribute__((noreturn, no_sanitize("address"))) sampler(void)
{
	uint64_t bus = 1u << (SIGBUS - 1), now = sys_clock(CLOCK_MONOTONIC), due = now;
	struct look_time when;
	uint32_t rounds = 0, idle = 0;
	bool own_descriptors;
	int status = 0;

	sys2(prctl, 15 /* PR_SET_NAME */, "aprof");
	sys2(prctl, 29 /* PR_SET_TIMERSLACK */, 1);
	/* Others may cut the file under us: sigbus.c mends that, and a blocked SIGBUS would be death. */
	sys4(rt_sigprocmask, SIG_UNBLOCK, &bus, NULL, sizeof bus);
	pace.cost = 0;
	pace.used = WHOLE;
	pace.share = SHARE;
	pace.cpu = 0;
	precedence_set();
	own_descriptors = status_begin();
	credentials_begin();
	ran_begin(own_descriptors);
	pc_begin(own_descriptors);
	round_end();
	while (!look_is_stopped() && (++idle % IDLE_ROUNDS || !status_is_alone(&status))) {
		bool measure = ++rounds % MEASURE_ROUNDS == 0 || rounds < YOUNG || period() > clock_period();
		uint64_t began = measure ? sys_clock(CLOCK_THREAD_CPUTIME_ID) : 0, before = now, worked, ended;

		due = next_look(due, now);
		sleep_until(due);
		when = round_begin(due);
		now = when.now;
		worked = look_round(&when);
		ended = round_end();
		if (worked)
			idle = 0;
		pace_follow(worked, now - before);
		if (measure)
			pace_set(ended - began, rounds);
		pc_round();
		if (rounds % FOLLOW_ROUNDS == 0) {
			credentials_follow();
			account_modes(true);
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
	ran_forget();
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
	ran_reserve();
	sys_block_signals(&mask);
	ret = clone_sampler(stack + STACK - 64);
	sys_restore_signals(&mask);
	sampler_tid = sys_failed(ret) ? 0 : (int)ret;
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
	for (struct thread *t = monitor.threads; t; t = t->next)
		t->state_fd = t->sched_fd = t->state_tid = 0;
	pc_forget();
	return true;
}

void sampler_resume(void)
{
	look_resume();
	if (!sampler_start())
		note(AMON_NOTE_TIMER_FAILED);
}
