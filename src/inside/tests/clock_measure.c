/* clock_measure.c - what doc/design.md says of the sources of ticks that were tried: this measures them.
 *
 * clock_measure SOURCE WORKLOAD SECONDS, where SOURCE is none, timer (a POSIX timer on the thread's CPU
 * clock), perf (the perf task clock, user mode only) or kperf (kernel mode too), and WORKLOAD is
 *   burn   user mode only            read   10 % user mode, 90 % in read()
 *   sleep  nanosleep and poll of 50 us, with 20 us of work after each
 * Prints the samples asked for and delivered at 997 a second of CPU time, those in read(), and the calls
 * that failed with EINTR.  Not a test: its results are read by people. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RATE = 997 };

static volatile long samples, in_read, reading, sink;
static long eintr, calls;

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void on_sample(int sig)
{
	(void)sig;
	samples++;
	in_read += reading;
}

static int start_timer(void)
{
	struct itimerspec spec = { { 0, 1000000000 / RATE }, { 0, 1000000000 / RATE } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	timer_t timer;

	((int *)&event.sigev_notify)[1] = (int)syscall(SYS_gettid);
	return timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) || timer_settime(timer, 0, &spec, NULL);
}

static int start_perf(int kernel_too)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000 / RATE, .exclude_kernel = !kernel_too, .exclude_hv = 1, .wakeup_events = 1,
	};
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	return fd < 0 || fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETSIG, SIGPROF) || fcntl(fd, F_SETFL, O_ASYNC);
}

static void work(double cpu)
{
	double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu;

	do
		for (int i = 0; i < 300; i++)
			sink++;
	while (seconds(CLOCK_THREAD_CPUTIME_ID) < end);
}

static void read_some(double cpu)
{
	static char buffer[1 << 16];
	double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu;
	int zero = open("/dev/zero", O_RDONLY);

	reading = 1;
	do
		sink += read(zero, buffer, sizeof buffer);
	while (seconds(CLOCK_THREAD_CPUTIME_ID) < end);
	reading = 0;
	close(zero);
}

static void sleep_some(void)
{
	struct timespec pause = { 0, 50000 };

	calls += 2;
	eintr += nanosleep(&pause, NULL) && errno == EINTR;
	work(20e-6);
	eintr += ppoll(NULL, 0, &pause, NULL) < 0 && errno == EINTR;
	work(20e-6);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_sample, .sa_flags = SA_RESTART };
	double start, cpu, end;

	if (argc != 4)
		return 2;
	sigaction(SIGPROF, &action, NULL);
	if ((!strcmp(argv[1], "timer") && start_timer()) ||
	    (strstr(argv[1], "perf") && start_perf(argv[1][0] == 'k'))) {
		printf("%s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
	start = seconds(CLOCK_MONOTONIC);
	end = start + atof(argv[3]);
	while (seconds(CLOCK_MONOTONIC) < end) {
		if (!strcmp(argv[2], "burn")) {
			for (int i = 0; i < 100000; i++)
				sink++;
		} else if (!strcmp(argv[2], "read")) {
			work(100e-6);
			read_some(900e-6);
		} else {
			sleep_some();
		}
	}
	cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
	printf("%s %s: %.2f s CPU, %.0f samples due, %ld delivered, %ld in read(), %ld EINTR in %ld calls\n", argv[1], argv[2],
	       cpu, cpu * RATE, samples, in_read, eintr, calls);
	return 0;
}
