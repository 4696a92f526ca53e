/* seccomp kills the one thread that a process has: the process ends as that thread did, not as the sampler would.
 *
 * variants: strict filter
 * signal(strict): KILL
 * signal(filter): SYS
 * shell: ulimit -c 0; exec "$@"
 * state: running
 * expect: 1 0 main
 * expect: 1 3 main f */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "trap.h"

HOOKED void f(int n) { if (n) f(n - 1); KEEP(); }

UNHOOKED void forbid_getppid(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	f(3);
	if (!strcmp(argv[argc - 1], "strict"))
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else
		forbid_getppid();
	syscall(SYS_getppid);
	return 0;
}
