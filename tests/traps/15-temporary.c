/* Killed while it makes its file, a process leaves nothing that is no profile; where a file cannot be without a name until it is one, the
 * next process clears it away.
 *
 * variants: unnamed named
 * files: 2
 * state: ended running
 * expect: 1 0 main
 * expect: 1 0 main works
 * output(unnamed): left after the kill: 0
 * output: left after the next: 0
 * note: fork 2
 * note: other_name 1 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

HOOKED void works(void) { KEEP(); }

/* From now on no file can be made without a name, if NAMED; with DEADLY, who gives a file its size is killed. */
UNHOOKED void limit(int named, int deadly)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, deadly ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 020000000 /* __O_TMPFILE */, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, named ? SECCOMP_RET_ERRNO | EOPNOTSUPP : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(99);
}

UNHOOKED void look(const char *when)
{
	DIR *folder = opendir(".");
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(folder)))
		n += strstr(entry->d_name, ".new") != NULL;
	closedir(folder);
	printf("left after the %s: %d\n", when, n);
}

UNHOOKED void child(int named, int deadly)
{
	int pid = fork();

	if (pid == 0) {
		limit(named, deadly);
		works();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	struct rlimit room = { (rlim_t)1 << 46, (rlim_t)1 << 46 };	/* where that is limited children share no file, and make one */
	int named = !strcmp(argv[argc - 1], "named");

	setrlimit(RLIMIT_AS, &room);
	fflush(stdout);
	child(named, 1);
	if (!named)
		look("kill");
	fflush(stdout);
	child(named, 0);
	look("next");
	return 0;
}
