/* A clock steps: the time of day by hours, as an administrator or ntpd sets it; and one that should not, the monotonic one, by a
 * twentieth of a second, to and fro.  A process beside answers the monitor's clock_gettime, 100 times a second another way.  The
 * program is counted and timed by its CPU time all the same.  (It goes on until its process has had 0.882 s; the sampler, whose readings of the
 * monotonic clock another process answers, has up to a third of them where all processors are busy.)
 *
 * na(reads): it looks at CPU time, and this clock takes elapsed time
 * bare: 21
 * variants: realtime tick wall tsc none
 * env(wall): APROF_CLOCK=wall
 * env(tsc): APROF_CLOCK=tsc
 * env(none): APROF_CLOCK=none
 * expect: 1 0 main
 * expect: 21 0 main burn
 * expect: 21 0 main other
 * expect: 21 0 main other burn
 * expect: 1.. 0 main burn f
 * expect: 1.. 0 main other burn f
 * note: clock_changed 0..
 * after: "$APROF" report amon.out > listing && grep -q burn listing
 * after: "$APROF" info --json amon.out | python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["run"]["clock"]["hook_ps"] > 1e6)'
 * after(realtime): "$APROF" contexts amon.out | awk '{ sum += $3; bad += $3 > 0.9 } END { exit !(sum > 0.6 && sum < 0.93 && !bad) }'
 * after(realtime): "$APROF" info --json amon.out | python3 -c 'import json, sys; t = json.load(sys.stdin)["run"]["times"]; sys.exit(not 6e8 < t["contexts_ns"] + t["unplaced_ns"] + t["monitor_ns"] < 9.3e8)'
 * after(tick): "$APROF" contexts amon.out | awk '{ sum += $3; bad += $3 > 0.9 } END { exit !(sum > 0.3 && sum < 0.93 && !bad) }'
 * after(wall): "$APROF" contexts amon.out | awk '{ sum += $3; bad += $3 > 10 } END { exit !(sum > 0.02 && !bad) }' */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

extern const char __executable_start[], etext[];

HOOKED void f(void) { KEEP(); }

/* CPU time up to MSEC. */
HOOKED void burn(long msec)
{
	struct timespec now;

	do {
		f();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_nsec < msec * 1000000 && now.tv_sec == 0);
}

HOOKED void other(long msec) { burn(msec); KEEP(); }

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(test, value, skip) BPF_JUMP(BPF_JMP | BPF_K | (test), (value), 0, (skip))

/* The monitor's readings of CLOCK, to be answered at the descriptor that is returned. */
UNHOOKED int intercept(int clock)
{
	uintptr_t low = (uintptr_t)__executable_start, high = (uintptr_t)etext;
	struct sock_filter filter[] = {
		LOAD(nr), UNLESS(BPF_JEQ, SYS_clock_gettime, 8),
		LOAD(args[0]), UNLESS(BPF_JEQ, (uint32_t)clock, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
		UNLESS(BPF_JEQ, (uint32_t)(low >> 32), 4),
		LOAD(instruction_pointer),
		UNLESS(BPF_JGE, (uint32_t)low, 2), BPF_JUMP(BPF_JMP | BPF_K | BPF_JGE, (uint32_t)high, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* What CLOCK shows now: it is STEP ns before or behind itself, for ten milliseconds each. */
UNHOOKED struct timespec stepping(int clock, int64_t step)
{
	struct timespec now;
	int64_t nsec;

	clock_gettime(CLOCK_MONOTONIC, &now);
	step *= now.tv_nsec / 10000000 % 2 ? 1 : -1;
	clock_gettime(clock, &now);
	nsec = now.tv_sec * 1000000000L + now.tv_nsec + step;
	return (struct timespec){ nsec / 1000000000, nsec % 1000000000 };
}

UNHOOKED _Noreturn void answer(int fd, int64_t step)
{
	for (;;) {
		struct seccomp_notif asked = { 0 };
		struct seccomp_notif_resp reply = { 0 };
		struct timespec now;
		struct iovec from = { &now, sizeof now }, to = { NULL, sizeof now };

		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
			continue;
		now = stepping((int)asked.data.args[0], step);
		to.iov_base = (void *)(uintptr_t)asked.data.args[1];
		process_vm_writev((pid_t)asked.pid, &from, 1, &to, 1, 0);
		reply.id = asked.id;
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &reply);
	}
}

__attribute__((constructor(101), no_instrument_function)) static void make_clocks_step(int argc, char **argv)
{
	int realtime = !strcmp(argv[1], "realtime"), fd = intercept(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC);
	pid_t parent = getpid();

	(void)argc;
	if (fd < 0)
		_Exit(99);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)	/* it has ended already, and nobody will ask */
			_Exit(0);
		answer(fd, realtime ? 3600 * 1000000000L : 50000000L);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	long end = argc > 2 ? atol(argv[2]) : 900;

	for (long msec = 21; msec <= end; msec += 21)	/* a step finds now the one at work, now the other */
		(msec % 2 ? burn : other)(msec);
	return 0;
}
