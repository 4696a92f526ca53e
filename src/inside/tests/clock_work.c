/* clock_work.c - programs for clock_test.py: each does a known amount of work, in CPU time of the thread,
 * in known routines, and prints what it did. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUTINE __attribute__((noipa))
#define BARE __attribute__((no_instrument_function))

static volatile long sink;
static int zero;			/* /dev/zero */
static char buffer[1 << 14];

BARE static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Spend until the thread's CPU clock stands at END, ns. */
#define SPEND(end, step) do { step; } while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < (end))

/* The thirds of a millisecond's work: 10, 30 and 60 parts, the last in the kernel.  The clock of the whole
 * is one, so that what is between them belongs to the next. */
ROUTINE static void small(uint64_t end) { SPEND(end, for (int i = 0; i < 300; i++) sink++); sink++; }
ROUTINE static void middle(uint64_t end) { SPEND(end, for (int i = 0; i < 300; i++) sink++); sink++; }
ROUTINE static void reader(uint64_t end) { SPEND(end, sink += read(zero, buffer, sizeof buffer)); sink++; }
ROUTINE static void burn(uint64_t nsec)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + nsec;

	SPEND(end, for (int i = 0; i < 5000; i++) sink++);	/* so many that asking for the clock takes a small part of it */
	sink++;
}

/* Long code without a loop: a program counter is seldom where another was. */
ROUTINE static void straight(long msec)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)msec * 1000000;
	int x = 0;

#ifdef __x86_64__
	SPEND(end, __asm__ volatile(".rept 50000\n\tincl %0\n\t.endr" : "+m"(x)));
#else
	SPEND(end, __asm__ volatile(".rept 50000\n\tadd %w0, %w0, 1\n\t.endr" : "+r"(x)));
#endif
}

static void shares(long rounds)
{
	uint64_t at = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	zero = open("/dev/zero", O_RDONLY);
	for (long i = 0; i < rounds; i++, at += 1000000) {
		small(at + 100000);
		middle(at + 400000);
		reader(at + 1000000);
	}
	printf("%d\n", zero);
}


/* A loop with the period of a naive clock: 0.1 ms in one routine, 0.9 ms in another. */
static void periodic(long rounds)
{
	uint64_t at = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (long i = 0; i < rounds; i++, at += 1000000) {
		small(at + 100000);
		middle(at + 1000000);
	}
}

/* ---- an event loop ---- */

ROUTINE static int await(int msec) { int n = poll(NULL, 0, msec); sink++; return n; }
ROUTINE static void serve(uint64_t nsec) { burn(nsec); sink++; }

static void loop(long rounds)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), served = 0;

	for (long i = 0; i < rounds; i++) {
		uint64_t before;

		await(1);
		before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		serve(200000);
		served += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	}
	printf("%.6f\n", (double)served / (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start));
}

/* ---- a server ---- */

ROUTINE static bool request(int peer) { char byte; bool there = read(peer, &byte, 1) == 1; sink++; return there; }
ROUTINE static void respond(int peer) { sink += write(peer, "", 1); }

/* Asks and is answered, with as much work of its own. */
static void client(int peer, long rounds)
{
	for (long i = 0; i < rounds; i++) {
		char byte;

		burn(30000);
		if (write(peer, "", 1) != 1 || read(peer, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* Wakes, serves for 30 us, and sleeps again, thousands of times a second; so does its client, beside it or on the same processor. */
static void server(long rounds)
{
	uint64_t start, served = 0;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || fork() == 0)
		client(pair[1], rounds);
	close(pair[1]);
	start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (request(pair[0])) {
		uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		burn(30000);
		served += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
		respond(pair[0]);
	}
	printf("%.6f\n", (double)served / (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start));
}

/* ---- threads ---- */

ROUTINE static void idle(void *thread) { pthread_join(*(pthread_t *)thread, NULL); sink++; }
static void *burner(void *nsec) { burn((uint64_t)(uintptr_t)nsec); return NULL; }

static void sleeper_and_burner(long msec)
{
	pthread_t thread;

	pthread_create(&thread, NULL, burner, (void *)(uintptr_t)(msec * 1000000));
	idle(&thread);
}

/* COUNT threads, one after another, of MSEC each. */
static void threads_of(long count, long msec)
{
	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, burner, (void *)(uintptr_t)(msec * 1000000)))
			exit(3);
		pthread_join(thread, NULL);
	}
}

static void many_threads(long count) { threads_of(count, 5); }
static void longer_threads(long count) { threads_of(count, 25); }

static void first_thread_leaves(long status)
{
	pthread_t thread;

	if (status)
		syscall(SYS_exit, status);
	pthread_create(&thread, NULL, burner, (void *)50000000);
	pthread_exit(NULL);
}

/* ---- signals ---- */

static void blocked(long msec)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	burn((uint64_t)msec * 1000000);
	sigpending(&all);
	printf("%d\n", sigismember(&all, SIGPROF));
}

/* Signals blocked for a moment, as glibc does while it makes a thread, and then not. */
static void blocked_briefly(long msec)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	burn(20000000);
	sigprocmask(SIG_SETMASK, &before, NULL);
	burn((uint64_t)msec * 1000000);
}

static void interrupted(long msec)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)msec * 1000000;
	long failures = 0;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		struct timespec pause = { 0, 50000 };

		failures += nanosleep(&pause, NULL) < 0;
		burn(20000);
		failures += ppoll(NULL, 0, &pause, NULL) < 0;
		burn(20000);
	}
	printf("%ld\n", failures);
}

static volatile long profs;
BARE static void on_prof(int sig) { (void)sig; profs++; }

/* The program's own SIGPROF: LATE, it takes it when the clock has. */
static void own_sigprof(long late)
{
	struct sigaction action = { .sa_handler = on_prof }, old;
	long before;

	if (late)
		burn(50000000);
	sigaction(SIGPROF, &action, &old);
	burn(50000000);
	before = profs;
	burn(100000000);
	printf("%d %ld\n", old.sa_handler == SIG_DFL, profs - before);
}

static void kill_prof(long unused)
{
	(void)unused;
	burn(20000000);
	kill(getpid(), SIGPROF);
	burn(20000000);
}

/* ---- processes ---- */

static void burn_only(long msec) { burn((uint64_t)msec * 1000000); }

static void exec_burner(long msec)
{
	char text[24];

	burn(100000000);
	snprintf(text, sizeof text, "%ld", msec);
	execl("/proc/self/exe", "clock_work", "burn", text, (char *)NULL);
	exit(4);
}

static void forked(long msec)
{
	int status;

	small(clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)msec * 1000000);
	if (fork() == 0) {
		burn((uint64_t)msec * 1000000);
		exit(0);
	}
	wait(&status);
	exit(WEXITSTATUS(status));
}

static void descriptors(long unused)
{
	int fd[3];

	(void)unused;
	for (int i = 0; i < 3; i++, burn(5000000))
		fd[i] = dup(0);
	printf("%d %d %d\n", fd[0], fd[1], fd[2]);
}

/* Run the rest of the command line with perf_event_open refused, as containers do. */
BARE static int refuse_perf(char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execv(argv[0], argv);
	return 5;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(long); } modes[] = {
		{ "shares", shares }, { "periodic", periodic }, { "loop", loop }, { "server", server }, { "sleeper", sleeper_and_burner },
		{ "threads", many_threads }, { "longer", longer_threads }, { "leave", first_thread_leaves }, { "blocked", blocked }, { "briefly", blocked_briefly },
		{ "eintr", interrupted }, { "sigprof", own_sigprof }, { "killprof", kill_prof }, { "burn", burn_only }, { "straight", straight },
		{ "exec", exec_burner }, { "fork", forked }, { "descriptors", descriptors },
	};

	for (size_t i = 0; argc == 3 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run(atol(argv[2]));
			return 0;
		}
	return argc > 3 && !strcmp(argv[1], "--no-perf") ? refuse_perf(argv + 2) : 2;
}
