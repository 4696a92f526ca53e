/* The monitor changes nothing that the program can see: what this prints is the same without it, by each clock.
 *
 * flags: -pthread -lm -D_GNU_SOURCE
 * link: -lm
 * variants: tick timer perf tsc wall none
 * env(tick): APROF_CLOCK=tick
 * env(timer): APROF_PC=timer APROF_RATE=5000
 * env(perf): APROF_PC=perf APROF_RATE=5000
 * env(tsc): APROF_CLOCK=tsc
 * env(wall): APROF_CLOCK=wall
 * env(none): APROF_CLOCK=none
 * expect: 1 0 main
 * ignore: work
 * ignore: on_signal
 * note: foreign_stack 0.. */
#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

static char stack[65536];

HOOKED int work(int n) { int sum = n > 0 ? work(n - 1) : 0; KEEP(); return sum + 1; }

UNHOOKED void burn(long msec)
{
	struct timespec now, start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		work(100);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < msec);
}

/* SIGPROF and SIGBUS are the monitor's until the program asks for them, but it does not see that. */
UNHOOKED void tell_signals(void)
{
	sigset_t blocked, pending;
	struct sigaction action;
	stack_t alternate;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigpending(&pending);
	for (int i = 1; i < 65; i++)
		if (sigaction(i, NULL, &action) == 0)
			printf("signal %d: handler %d flags %x blocked %d pending %d mask %d\n", i, action.sa_handler != SIG_DFL,
			       action.sa_flags & 0xffffff, sigismember(&blocked, i), sigismember(&pending, i),
			       sigismember(&action.sa_mask, SIGINT));
	sigaltstack(NULL, &alternate);
	printf("altstack: %d %zu %x\n", alternate.ss_sp == stack, alternate.ss_size, alternate.ss_flags);
}

UNHOOKED void tell_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int next = dup(0);

	printf("descriptors:");
	for (int fd = 0; fd < 100; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0 && fd != dirfd(dir) && fd != next)
			printf(" %d", fd);
	}
	printf(" next %d\n", next);
	close(next);
	while ((entry = readdir(dir)))
		;
	closedir(dir);
}

UNHOOKED void tell_arithmetic(void)
{
	unsigned mxcsr = 0;
	unsigned short control = 0;

#if defined(__x86_64__)
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(control));
#endif
	printf("rounding %d mxcsr %x control %x exceptions %x\n", fegetround(), mxcsr, control, fetestexcept(FE_ALL_EXCEPT));
}

UNHOOKED void tell_process(void)
{
	struct itimerval timer;
	struct rlimit limit;
	struct sched_param param;
	char name[16], cwd[4096];
	mode_t mask = umask(0);

	umask(mask);
	for (int i = 0; i < 3; i++) {
		getitimer(i, &timer);
		printf("itimer %d: %ld %ld\n", i, (long)timer.it_interval.tv_usec, (long)timer.it_value.tv_usec);
	}
	for (int i = 0; i < RLIM_NLIMITS; i++)
		if (getrlimit(i, &limit) == 0)
			printf("limit %d: %lx %lx\n", i, (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max);
	sched_getparam(0, &param);
	prctl(PR_GET_NAME, name);
	printf("umask %o priority %d policy %d %d name %s dumpable %d slack %d cwd %d stop %d subreaper %d\n", mask,
	       getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), param.sched_priority, name, prctl(PR_GET_DUMPABLE),
	       prctl(PR_GET_TIMERSLACK), getcwd(cwd, sizeof cwd) != NULL, prctl(PR_GET_PDEATHSIG, &mask), (int)mask);
}

UNHOOKED void tell(const char *when)
{
	int error = errno;

	printf("-- %s: errno %d\n", when, error);
	tell_signals();
	tell_descriptors();
	tell_arithmetic();
	tell_process();
}

HOOKED void on_signal(int sig)
{
	work(sig);
	tell("handler");
}

/* What a program started from here has got: no signal blocked or ignored and no descriptor that this one's were not. */
UNHOOKED void tell_inherited(void)
{
	char *const masks[] = { "grep", "^Sig[BI]", "/proc/self/status", NULL }, *const fds[] = { "ls", "/proc/self/fd", NULL };
	int error = errno;
	pid_t pid;

	fflush(stdout);
	if (posix_spawnp(&pid, *masks, NULL, NULL, masks, environ) == 0)
		waitpid(pid, NULL, 0);
	if (posix_spawnp(&pid, *fds, NULL, NULL, fds, environ) == 0)
		waitpid(pid, NULL, 0);
	errno = error;
}

UNHOOKED void *thread(void *unused)
{
	sigset_t all;

	errno = 77;
	fesetround(FE_DOWNWARD);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	burn(20);
	tell("thread");
	tell_inherited();
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NODEFER };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	sigset_t some;
	pthread_t t;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	tell("start");
	errno = 42;
	fesetround(FE_UPWARD);
	feraiseexcept(FE_OVERFLOW);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, NULL);
	raise(SIGUSR1);
	sigaction(SIGINT, &action, NULL);
	signal(SIGCHLD, SIG_IGN);
	sigaltstack(&alternate, NULL);
	close(0);
	errno = 42;
	burn(40);
	tell("changed");
	errno = 43;
	raise(SIGINT);
	tell("handled");
	tell_inherited();
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	burn(20);
	tell("end");
	return 0;
}
