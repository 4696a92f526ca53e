/* A short child that gets a file of its own, since it has a second thread: from when the file has its name it says that its process runs.  For a moment it has no
 * lock, and who finds it then would take it for a dead one's, and in.
 *
 * flags: -pthread
 * expect: 1 0 main
 * expect: 1 0 called
 * files: 2
 * note: fork 1
 * note: other_name 0..1
 * output: it runs */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

enum { START_TICKS = 64 };	/* where a profile has it: with the number of its process it says which one wrote it (doc/format.md) */

HOOKED void *called(void *arg)
{
	KEEP();
	return arg;
}

/* Does the file at PATH, if there is one, say who writes it? */
UNHOOKED static int says_who(const char *path)
{
	uint64_t ticks = 1;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return 1;
	if (pread(fd, &ticks, sizeof ticks, START_TICKS) != sizeof ticks)
		ticks = 0;
	close(fd);
	return ticks != 0;
}

/* Let CHILD run to its end, looking at its file before and behind each of its system calls. */
UNHOOKED static int trace(pid_t child)
{
	char path[64];
	int status, runs = 1;

	snprintf(path, sizeof path, "amon.out.%d", (int)child);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);

		if (signal == SIGSTOP)
			ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
		runs &= says_who(path);
		ptrace(PTRACE_SYSCALL, child, NULL, (long)(signal == SIGSTOP || signal == (SIGTRAP | 0x80) ? 0 : signal));
	}
	return runs && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
	pid_t child = fork();
	pthread_t thread;

	if (child != 0) {
		puts(trace(child) ? "it runs" : "it seems dead");
		return 0;
	}
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
		raise(SIGSTOP);
	if (pthread_create(&thread, NULL, called, NULL) == 0)
		pthread_join(thread, NULL);
	return 0;
}
