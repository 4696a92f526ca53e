/* A process dies when its file is there but its clock does not run yet: here it is killed at the first call of the system behind.
 * What siblings have is reported with its file all the same.
 *
 * need: jq
 * variants: tick wall none tsc
 * na(reads): its clock is tsc; the variant tsc is the same
 * env(tick): APROF_CLOCK=tick
 * env(wall): APROF_CLOCK=wall
 * env(none): APROF_CLOCK=none
 * env(tsc): APROF_CLOCK=tsc
 * note(tsc): clock_changed 0..
 * files: 2
 * state: ended running
 * after: set -- amon.out*; "$APROF" report "$@" | grep -q works
 * after: for f in amon.out*; do "$APROF" info --json $f | jq -r .clock; done | sort -u | wc -l | grep -qx 1 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

HOOKED void works(void) { KEEP(); }

/* What the monitor does next when it has made its file. */
UNHOOKED void die_there(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_WIPEONFORK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(99);
}

int main(void)
{
	int child = fork();

	if (child == 0) {
		die_there();
		works();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	works();
	return 0;
}
