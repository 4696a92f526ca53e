/* A child that has not called anything yet forks, and then begins while its own child does: what that one takes over from it is whole.  The first child is stopped
 * in the midst of its start, where monitors ask for the parent, until the second one is there.
 *
 * expect: 1 0 main
 * expect: 2 0 main called
 * files: 3
 * note: fork 1 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

static struct { volatile int forked, begun, there; } *shared;	/* the first child has forked; is in its start, or past it; the second one is there */
static volatile int depth;

HOOKED void called(void) { KEEP(); }

/* In a child, before the monitor's handler: the second one waits for the first one's start. */
UNHOOKED static void hold(void)
{
	while (depth == 1 && !shared->begun)
		sched_yield();
}

UNHOOKED static void first_of_all(int argc, char **argv, char **environment)
{
	(void)argc, (void)argv, (void)environment;
	pthread_atfork(NULL, NULL, hold);
}
__attribute__((section(".preinit_array"), used)) static void (*const early)(int, char **, char **) = first_of_all;

UNHOOKED static int asks_for_parent(pid_t pid)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_getppid;
}

/* Let CHILD run to its end. */
UNHOOKED static int trace(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);

		if (signal == SIGSTOP)
			ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
		if (signal == (SIGTRAP | 0x80) && shared->forked && !shared->begun && asks_for_parent(child))
			for (shared->begun = 1; !shared->there;)
				sched_yield();
		ptrace(PTRACE_SYSCALL, child, NULL, (long)(signal == SIGSTOP || signal == (SIGTRAP | 0x80) ? 0 : signal));
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void)
{
	pid_t child;
	int status = 1;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = fork();
	if (child != 0)
		return trace(child);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
		raise(SIGSTOP);
	depth = 1;
	child = fork();
	if (child == 0)
		shared->there = 1;
	else
		shared->forked = 1;
	called();
	shared->begun = 1;
	if (child == 0)
		return 0;
	waitpid(child, &status, 0);
	return status;
}
