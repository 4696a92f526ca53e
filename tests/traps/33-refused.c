/* A sandbox that refuses what profilers use, to the whole process and from its start: perf_event_open, timer_create, process
 * clocks' timers, extended scheduling, /proc by openat2.  The program runs and is counted, and timed all the same.
 *
 * na(reads): there is no sampler
 * need: jq
 * variants: EPERM ENOSYS auto perf timer
 * env(perf): APROF_PC=perf
 * env(timer): APROF_PC=timer
 * flags: -no-pie
 * expect: 1 0 main
 * expect: 1 0 main burn
 * note: timer_failed 0..
 * note: clock_changed 0..
 * after: "$APROF" info amon.out | grep -q 'time by sampler, program counters by none'
 * after: test $("$APROF" info --json amon.out | jq '.threads[0].ticks > 0') = true */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "trap.h"

HOOKED void burn(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_nsec < 200000000 && now.tv_sec == 0);
}

#define REFUSE(call, error) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

__attribute__((constructor(101), no_instrument_function)) static void refuse(int argc, char **argv)
{
	int error = strcmp(argv[argc - 1], "ENOSYS") ? EPERM : ENOSYS;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(perf_event_open, error), REFUSE(timer_create, error), REFUSE(timer_settime, error), REFUSE(setitimer, error),
		REFUSE(sched_setattr, error), REFUSE(close_range, error), REFUSE(ptrace, error), REFUSE(process_vm_readv, error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_Exit(99);
}

int main(void)
{
	burn();
	return 0;
}
