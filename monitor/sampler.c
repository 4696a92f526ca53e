/* sampler.c - a thread of the monitor's own that looks at all others: clocks tick and wall.
 *
 * It is made by a raw clone, unknown to libc, with every signal blocked, a descriptor table of its
 * own and nobody's thread-local storage.  So it sends the program nothing: no signal, no EINTR, no
 * descriptor, no lock that a thread of the program could wait for longer than one look.
 *
 * Clock tick.  At each look, at a random moment of the wall clock, a thread's CPU clock tells what it
 * spent since the last look; that is pending until a look finds the thread at work, and is then
 * charged to where it is.  A thread that sleeps is not at work, whatever it spent since the last
 * look: its last burst did not belong to the routine in which it now waits.  What "at work" is:
 *   1. the clock goes on between two readings: it runs on another processor; or
 *   2. it could run, and did not sleep since it was last asked, or a processor was taken from it since the last look: by us, just
 *      now.
 * (A thread that only waits for a processor, in the routine in which it has just been woken, is not.)
 *
 * Invariant: thread-local words are read only under look_lock and only while t->watched, which the
 * thread itself takes back, under the lock, before they vanish. */
#include "monitor/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

#include "format/amon.h"
#include "monitor/clock.h"
#include "monitor/context.h"
#include "monitor/layout.h"
#include "monitor/machine.h"
#include "monitor/pc.h"
#include "monitor/process.h"
#include "monitor/reset.h"
#include "monitor/stack.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

enum {
	STACK = 65536,			/* bytes; the handler of SIGBUS may run on it */
	SLICE = 100000,			/* ns of a processor at a time */
	SHARE = 100,			/* we take at most about one part in SHARE of the processors that the program uses, one at least; */
	SHARE_MOST = 32,		/* or one in that, if a rate was asked for, or time is lost */
	LONGEST = 10000000,		/* ns between two looks in the mean, whatever they cost: as gprof's samples */
	IDLE_ROUNDS = 32,		/* rounds without work before it asks whether it is alone */
	MEASURE_ROUNDS = 16,		/* rounds between two looks at what a round costs */
	WHOLE = 1024,			/* a processor, in pace.used */
	FOLLOW_ROUNDS = 32,		/* rounds between two looks at the program's credentials and modes */
};

static struct sys_lock look_lock;
static volatile uint32_t stopped;	/* no more looks */
static char *stack;			/* of the sampler; kept for a forked child's */
static uint64_t tls_none[64];		/* its thread-local storage: none, but a self pointer for the ABI */
static uint64_t random_state;
static int proc = -1;			/* /proc/self, in our descriptor table; -1: we have none of our own */
static int sampler_tid;			/* of the sampler at work, or the last one */
static uint32_t credentials[2][4];	/* its user and group ids: real, effective, saved, of the file system */
static struct {
	uint64_t cost;			/* CPU time of a round, to sleep and to be woken included, ns: a mean of the last ones */
	uint64_t used;			/* processors that the program used, in parts of WHOLE: the same; at least WHOLE */
	uint64_t share;			/* at most about one part in that of them is ours */
} pace;

/* ---- the state of another thread ---- */

static char *put_number(char *at, uint32_t n)
{
	char digits[12], *d = digits;

	do
		*d++ = (char)('0' + n % 10);
	while (n /= 10);
	while (d > digits)
		*at++ = *--d;
	return at;
}

static void state_close(struct thread *t)
{
	if (t->state_fd)
		sys1(close, t->state_fd);
	t->state_fd = 0;
	t->state_tid = 0;
}

static void state_open(struct thread *t)
{
	char path[40] = "task/";
	char *at = put_number(path + 5, (uint32_t)t->tid);
	long fd;

	state_close(t);
	mem_copy(at, "/status", 8);
	fd = sys4(openat, proc, path, O_RDONLY | O_CLOEXEC, 0);
	t->state_fd = sys_failed(fd) ? 0 : (int)fd;
	t->state_tid = t->tid;
	t->slept = t->preempted = 0;
}

/* What follows WORD in TEXT, or NULL. */
static const char *after(const char *text, const char *word)
{
	for (; *text; text++) {
		size_t i = 0;

		while (word[i] && text[i] == word[i])
			i++;
		if (!word[i])
			return text + i;
	}
	return NULL;
}

/* Read what /proc tells of T to TEXT, with a final NUL.  False: nothing. */
static bool state_read(struct thread *t, char *text, size_t size)
{
	long n;

	if (proc >= 0 && t->state_tid != t->tid)
		state_open(t);
	n = t->state_fd ? sys4(pread64, t->state_fd, text, size - 1, 0) : 0;
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Read the number that follows WORD in *TEXT, and go behind it; *TEXT NULL: it is not there. */
static uint64_t read_number(const char **text, const char *word)
{
	uint64_t n = 0;

	*text = *text ? after(*text, word) : NULL;
	for (; *text && **text >= '0' && **text <= '9'; ++*text)
		n = n * 10 + (uint64_t)(**text - '0');
	return n;
}

/* Was a processor taken from T, which could run on?  It did not sleep since this was asked last, or that was JUST, and one was
 * taken from it since. Where /proc does not tell: yes. */
static bool was_preempted(struct thread *t, bool just)
{
	char text[2048];
	const char *state, *at;
	uint64_t slept = t->slept, preempted = t->preempted;

	if (!state_read(t, text, sizeof text))
		return true;
	at = state = after(text, "\nState:\t");
	t->slept = read_number(&at, "\nvoluntary_ctxt_switches:\t");
	t->preempted = read_number(&at, "\nnonvoluntary_ctxt_switches:\t");
	return !at || (*state == 'R' && (t->slept == slept || (just && t->preempted != preempted)));
}

/* ---- credentials ---- */

/* Four numbers that follow WORD in TEXT.  False: they are not there. */
static bool read_ids(const char *text, const char *word, uint32_t *ids)
{
	const char *s = after(text, word);

	for (int i = 0; i < 4 && s; i++, s++)
		for (ids[i] = 0; *s >= '0' && *s <= '9'; s++)
			ids[i] = ids[i] * 10 + (uint32_t)(*s - '0');
	return s;
}

static bool same_ids(const uint32_t *a, const uint32_t *b)
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

/* The supplementary groups that TEXT tells, as many as fit. */
static void follow_groups(const char *text)
{
	uint32_t groups[64];
	const char *s = after(text, "\nGroups:\t");
	size_t n = 0;

	while (s && *s >= '0' && *s <= '9' && n < sizeof groups / sizeof *groups) {
		for (groups[n] = 0; *s >= '0' && *s <= '9'; s++)
			groups[n] = groups[n] * 10 + (uint32_t)(*s - '0');
		n++;
		s += *s == ' ';
	}
	sys2(setgroups, n, groups);
}

/* To the kernel each thread has its own credentials, and libc, which does not know us, changes those of its own
 * threads only: be who the program is, so that nobody keeps a right that it gave up.  T: any of its threads. */
static void follow_credentials(struct thread *t)
{
	char text[2048];
	uint32_t user[4], group[4];

	if (!state_read(t, text, sizeof text) || !read_ids(text, "\nUid:\t", user) || !read_ids(text, "\nGid:\t", group) ||
	    (same_ids(user, credentials[0]) && same_ids(group, credentials[1])))
		return;
	follow_groups(text);
	sys3(setresgid, group[0], group[1], group[2]);
	sys1(setfsgid, group[3]);
	sys3(setresuid, user[0], user[1], user[2]);
	sys1(setfsuid, user[3]);
	mem_copy(credentials[0], user, sizeof user);
	mem_copy(credentials[1], group, sizeof group);
}

/* What we have from who made us. */
static void credentials_begin(void)
{
	for (int i = 0; i < 2; i++) {
		uint32_t *ids = credentials[i];

		if (i == 0)
			sys3(getresuid, &ids[0], &ids[1], &ids[2]);
		else
			sys3(getresgid, &ids[0], &ids[1], &ids[2]);
		ids[3] = ids[1];
	}
}

static void follow_somebody(void)
{
	for (struct thread *t = monitor.threads; t; t = t->next)
		if (t->watched) {
			follow_credentials(t);
			return;
		}
}

bool sampler_is_blocked(struct thread *t, int sig)
{
	char text[2048];
	const char *mask = state_read(t, text, sizeof text) ? after(text, "\nSigBlk:\t") : NULL;
	uint64_t blocked = 0;

	for (; mask && *mask > ' '; mask++)
		blocked = blocked << 4 | (uint64_t)(*mask <= '9' ? *mask - '0' : *mask - 'a' + 10);
	return blocked >> (sig - 1) & 1;
}

static uint64_t period_asked(void) { return 1000000000u / monitor.clock.rate; }

/* The mean time between two looks, ns: a longer one than was asked for if we should take more than our share, but for LONGEST. */
static uint64_t period(void)
{
	uint64_t asked = period_asked(), least = pace.cost * pace.share * WHOLE / pace.used;

	if (least > LONGEST)
		least = LONGEST;
	return asked > least ? asked : least;
}

/* ---- looks ---- */

/* What one look at a thread sees. */
struct look {
	uint64_t before;		/* its CPU clock, ns */
	context_id at;			/* its context; 0: nowhere */
	bool busy;			/* it is in the monitor */
	uint64_t after;			/* its CPU clock again, ns */
};

/* The context of T; 0 while it changes stacks. */
static context_id context_now(const struct thread *t)
{
	struct frame *top = __atomic_load_n(&t->tls->top, __ATOMIC_RELAXED);
	struct shadow *s = __atomic_load_n(&t->shadow, __ATOMIC_RELAXED);
	context_id current = __atomic_load_n(&t->tls->current, __ATOMIC_RELAXED);

	if (current)
		return current;
	if (!s || top < s->base || top >= s->end)
		return 0;
	while (top > s->base && !__atomic_load_n(&top->cfa, __ATOMIC_ACQUIRE))
		top--;
	return __atomic_load_n(&top->context, __ATOMIC_RELAXED);
}

static struct look look_at(const struct thread *t)
{
	int clock = sys_thread_clock(t->tid);
	struct look l = { .before = sys_clock(clock) };

	l.after = l.before;
	if (l.before == t->sampled_cpu && monitor.clock.clock == AMON_CLOCK_TICK)
		return l;		/* it has not run at all */
	l.at = context_now(t);
	l.busy = t->busy == BUSY || t->busy == busy_open(l.at);
	l.after = sys_clock(clock);
	return l;
}

/* Charge NSEC to where the look L found T.  False: it was nowhere. */
static bool charge(struct thread *t, const struct look *l, uint64_t nsec)
{
	uint32_t item = machine_item(t, l->at);

	if (l->busy) {
		t->record->monitor += nsec;
		t->record->monitor_ticks++;
	} else if (item != AMON_NONE) {
		machine_charge(t, item, nsec, 1);
	} else {
		return false;
	}
	t->record->ticks++;
	return true;
}

/* T is in no known context, behind a jump: NSEC waits for the one that is found. */
static void keep_lost(struct thread *t, uint64_t nsec)
{
	t->lost_time += nsec;
	__atomic_store_n(&t->lost_ticks, t->lost_ticks + 1, __ATOMIC_RELEASE);
}

static void forget_lost(struct thread *t)
{
	t->lost_time = 0;
	__atomic_store_n(&t->lost_ticks, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&t->found, 0, __ATOMIC_RELEASE);
}

/* It is found: what waits for it is placed. */
static void place_lost(struct thread *t)
{
	context_id found = __atomic_load_n(&t->found, __ATOMIC_ACQUIRE);
	uint32_t item = found ? machine_item(t, found) : AMON_NONE;

	if (item == AMON_NONE)
		return;
	machine_charge(t, item, t->lost_time, t->lost_ticks);
	t->record->ticks += t->lost_ticks;
	if (monitor.clock.clock == AMON_CLOCK_TICK)
		t->record->unplaced -= t->lost_time;
	forget_lost(t);
}

static bool is_lost(const struct look *l) { return l->at == LOST_ID && !l->busy; }

static void place_pending(struct thread *t, const struct look *l)
{
	place_lost(t);
	if (is_lost(l))
		keep_lost(t, t->pending);
	else if (charge(t, l, t->pending))
		t->record->unplaced -= t->pending;
	t->pending = 0;
}

/* Is T at work, which the look L found to have spent SPENT of the PASSED ns since the last one?  One that had a processor all the time
 * did not sleep.  The others are asked, which costs more than all else here, if as much time is pending as a sample was to stand for. */
static bool is_at_work(struct thread *t, const struct look *l, uint64_t spent, uint64_t passed)
{
	bool asked = t->asked;

	t->asked = false;
	if (l->after > l->before || spent >= passed - passed / 16)
		return true;
	if (t->pending < period_asked())
		return false;
	t->asked = true;
	return was_preempted(t, asked);
}

static void tick(struct thread *t, uint64_t now)
{
	struct look l = look_at(t);
	uint64_t spent = l.after - t->sampled_cpu, passed = now - t->sampled_wall;

	t->sampled_wall = now;
	if (!l.before)
		t->watched = 0;		/* gone, without a word */
	if (l.after <= t->sampled_cpu)
		return;
	clock_advance(t, l.after);
	if (is_at_work(t, &l, spent, passed))
		place_pending(t, &l);
}

static void tick_wall(struct thread *t, uint64_t now)
{
	struct look l = look_at(t);

	if (!l.before)
		t->watched = 0;
	clock_advance(t, l.after);
	place_lost(t);
	if (now > t->sampled_wall && is_lost(&l))	/* else the clock was set back */
		keep_lost(t, now - t->sampled_wall);
	else if (now > t->sampled_wall)
		charge(t, &l, now - t->sampled_wall);
	t->sampled_wall = now;
}

/* Look at every thread, at NOW. Returns what all have worked since the last round, ns. */
static uint64_t round_all(uint64_t now)
{
	uint64_t worked = 0;

	for (struct thread *t = monitor.threads; t; t = t->next) {
		uint64_t before = t->sampled_cpu;

		sys_lock(&look_lock);
		if (t->watched && !stopped) {
			if (monitor.clock.clock == AMON_CLOCK_WALL)
				tick_wall(t, now);
			else
				tick(t, now);
		} else if (t->state_fd) {
			state_close(t);
		}
		sys_unlock(&look_lock);
		worked += t->sampled_cpu - before;
	}
	return worked;
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

/* The same without /proc: the first thread has given up the memory, and none of those that called a hook is there. */
static bool is_left(void)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &byte, 1 };

	for (struct thread *t = monitor.threads; t; t = t->next)
		if (t->tid != monitor.pid && sys3(tgkill, monitor.pid, t->tid, 0) != -ESRCH)
			return false;
	return sys6(process_vm_readv, monitor.pid, &to, 1, &from, 1, 0) == -ESRCH;
}

/* Is the process nothing but us and the remains of its first thread?  Then *STATUS is how that one ended, as wait tells it,
 * which the last to leave makes the end of the process; without /proc it is not known. */
static bool is_alone(int *status)
{
	char text[1024];
	long n = proc < 0 ? -1 : sys_read_file("/proc/self/stat", text, sizeof text - 1), last = n;
	int field = 3, code = 0;

	if (n <= 0)
		return is_left();
	text[n] = 0;
	while (n > 0 && text[n] != ')')		/* the name before may hold anything */
		n--;
	if (text[n + 2] != 'Z')
		return false;
	for (n += 2; text[n] && field < 20; n++) /* the number of threads */
		field += text[n] == ' ';
	while (last > n && text[last - 1] != ' ')
		last--;
	while (text[last] >= '0' && text[last] <= '9')
		code = code * 10 + (text[last++] - '0');
	*status = code;
	return text[n] == '2' && text[n + 1] == ' ';
}

/* End as STATUS says: of a signal, where seccomp killed the one thread that there was. */
static void __attribute__((noreturn)) leave(int status)
{
	struct { void *handler; unsigned long flags; void *restorer; uint64_t mask; } none = { .handler = NULL };
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

/* A descriptor table of our own, with /proc/self in it.  False: the table is the program's. */
static bool descriptors_begin(void)
{
	proc = -1;
	if (sys_failed(sys3(close_range, 0, ~0u, CLOSE_RANGE_UNSHARE)))
		return false;
	sys4(openat, AT_FDCWD, "/proc/self", O_PATH | O_CLOEXEC, 0);	/* 0 stands for none */
	proc = (int)sys4(openat, AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (proc < 0)
		note_once(AMON_NOTE_NO_PROC);
	return true;
}

/* Zero the counters, with nobody between a look and its charge. */
static void reset(void)
{
	sys_lock(&look_lock);
	reset_all();
	for (struct thread *t = monitor.threads; t; t = t->next) {
		t->pending = 0;
		forget_lost(t);
	}
	sys_unlock(&look_lock);
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

/* Is more than a fiftieth of the program's time in no context, since threads end before they are looked at? */
static bool is_losing(void)
{
	uint64_t unplaced = 0, all = 0;

	for (struct thread *t = monitor.threads; t; t = t->next) {
		unplaced += t->record->unplaced - t->pending - (monitor.clock.clock == AMON_CLOCK_TICK ? t->lost_time : 0);
		all += t->record->cpu_last - t->record->cpu_first;
	}
	return unplaced > all / 50;
}

static void pace_follow(uint64_t worked, uint64_t passed)
{
	uint64_t used = passed ? worked * WHOLE / passed : 0;

	pace.used = mean_add(pace.used, used > WHOLE ? used : WHOLE);
}

/* A round has cost COST ns. */
static void pace_set(uint64_t cost)
{
	pace.cost = mean_add(pace.cost, cost);
	pace.share = monitor.clock.is_rate_asked || is_losing() ? SHARE_MOST : SHARE;
}

/* A short slice lets us in when our time has come (Linux 6.12), instead of when others sleep. */
static void slice_set(void)
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
	}
}

/* Before a call that does not return Clang's AddressSanitizer asks libc for the thread's words, and here there are none. */
static void __attribute__((noreturn, no_sanitize("address"))) sampler(void)
{
	uint64_t bus = 1u << (SIGBUS - 1), now = sys_clock(CLOCK_MONOTONIC), due = now;
	uint32_t rounds = 0, idle = 0;
	bool own_descriptors;
	int status = 0;

	sys2(prctl, 15 /* PR_SET_NAME */, "aprof");
	sys2(prctl, 29 /* PR_SET_TIMERSLACK */, 1);
	/* Others may cut the file under us: file.c mends that, and a blocked SIGBUS would be death. */
	sys4(rt_sigprocmask, SIG_UNBLOCK, &bus, NULL, sizeof bus);
	pace.cost = 0;
	pace.used = WHOLE;
	pace.share = SHARE;
	slice_set();
	own_descriptors = descriptors_begin();
	credentials_begin();
	pc_begin(own_descriptors);
	while (!stopped && (++idle % IDLE_ROUNDS || !is_alone(&status))) {
		bool measure = ++rounds % MEASURE_ROUNDS == 0 || rounds < MEASURE_ROUNDS / 4;
		uint64_t began = measure ? sys_clock(CLOCK_THREAD_CPUTIME_ID) : 0, before = now, worked;

		due = next_look(due, now);
		sleep_until(due);
		now = sys_clock(CLOCK_MONOTONIC);
		worked = round_all(now);
		if (worked)
			idle = 0;
		pace_follow(worked, now - before);
		if (measure)
			pace_set(sys_clock(CLOCK_THREAD_CPUTIME_ID) - began);
		pc_round();
		if (rounds % FOLLOW_ROUNDS == 0) {
			follow_somebody();
			clock_modes(true);
		}
		if (monitor.header->reset_request != monitor.header->reset_done)
			reset();
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
			 "xorl %%ebp, %%ebp\n\t"
			 "callq *%%r9\n"
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

/* ---- for clock.c ---- */

void sampler_forget(void)
{
	look_lock.taken = 0;
	stopped = 0;
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

	if (!sampler_tid || stopped)
		return false;
	sys_lock(&look_lock);
	stopped = 1;
	sys_unlock(&look_lock);
	for (int tries = 0; tries < 20000 && sys3(tgkill, monitor.pid, sampler_tid, 0) != -ESRCH; tries++)
		sys2(nanosleep, &moment, NULL);
	for (struct thread *t = monitor.threads; t; t = t->next)
		t->state_fd = t->state_tid = 0;
	pc_forget();
	return true;
}

void sampler_resume(void)
{
	stopped = 0;
	if (!sampler_start())
		note(AMON_NOTE_TIMER_FAILED);
}

bool sampler_watch(struct thread *t, bool watched)
{
	bool before;

	sys_lock(&look_lock);
	before = t->watched;
	t->watched = watched;
	sys_unlock(&look_lock);
	return before;
}

/* Up to now T's time is in its accounts. */
static void account(struct thread *t)
{
	uint64_t cpu = sys_clock(sys_thread_clock(t->tid));

	clock_advance(t, cpu);
	place_lost(t);
	t->pending = 0;
	if (cpu && clock_is_tsc())		/* 0: gone, without a word */
		clock_settle_tsc(t);
}

/* The calling thread is at work, so its time can be placed; what others spent since their last look cannot. */
void sampler_hold(void)
{
	sys_lock(&look_lock);
	for (struct thread *t = monitor.threads; t; t = t->next)
		if (t->watched && t->tls == &aprof_tls) {
			struct look l = look_at(t);

			clock_advance(t, l.after);
			if (monitor.clock.clock == AMON_CLOCK_TICK && t->pending)
				place_pending(t, &l);
			if (monitor.clock.clock == AMON_CLOCK_TSC)
				clock_charge_tsc(t, tls_context(t->tls));
		} else if (t->watched) {
			account(t);
		}
}

void sampler_release(void)
{
	sys_unlock(&look_lock);
}

void sampler_end(struct thread *t)
{
	sys_lock(&look_lock);
	if (t->watched) {
		account(t);
		forget_lost(t);
		t->watched = false;
	}
	sys_unlock(&look_lock);
}

/* The last look at T, by a thread of the program. */
static void look_last(struct thread *t)
{
	struct look l = look_at(t);

	clock_advance(t, l.after);
	if (l.after > l.before && t->tid != (int)sys0(gettid))
		place_pending(t, &l);
	place_lost(t);
	t->watched = 0;
	t->pending = 0;
}

void sampler_stop(void)
{
	sys_lock(&look_lock);
	stopped = 1;
	for (struct thread *t = monitor.threads; t; t = t->next)
		if (t->watched)
			look_last(t);
	sys_unlock(&look_lock);
}
