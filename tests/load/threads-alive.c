/* Threads that all stay alive, and then others one after another: a start does not ask for the end of each thread that there is, and yet ended
 * ones' machines are used again: of most, for one that was waited for may still be known to the kernel when the next one starts.
 *
 * small: 300
 * full: 1000
 * flags: -pthread
 * files: 2
 * told: yes
 * note: thread_folded 0..
 * output: few */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../traps/trap.h"

enum { PASSING = 400 };		/* threads that do not stay */

/* A search for leaks at the end cannot be had in a process that is traced. */
const char *__asan_default_options(void);
UNHOOKED const char *__asan_default_options(void) { return "detect_leaks=0"; }

static pthread_barrier_t all, end;

HOOKED void leaf(void) { KEEP(); }
HOOKED void *pass(void *arg) { leaf(); return arg; }
HOOKED void *stay(void *arg) { leaf(); pthread_barrier_wait(&all); pthread_barrier_wait(&end); return arg; }

HOOKED int threads(int n)
{
	pthread_t *staying = calloc((size_t)n, sizeof *staying), passing;

	pthread_barrier_init(&all, NULL, (unsigned)n + 1);
	pthread_barrier_init(&end, NULL, (unsigned)n + 1);
	for (int i = 0; i < n; i++)
		pthread_create(&staying[i], NULL, stay, NULL);
	pthread_barrier_wait(&all);
	for (int i = 0; i < PASSING; i++) {
		pthread_create(&passing, NULL, pass, NULL);
		pthread_join(passing, NULL);
	}
	pthread_barrier_wait(&end);
	for (int i = 0; i < n; i++)
		pthread_join(staying[i], NULL);
	free(staying);
	return 0;
}

/* Whoever traces this process is told of each tgkill. */
static int tell_of_tgkill(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		return 0;
	raise(SIGSTOP);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Let CHILD and its threads run to their end. Returns how often they called tgkill; -1: CHILD failed. */
static long count(pid_t child)
{
	long told = 0, stop = PTRACE_O_TRACECLONE | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (pid == child && !WIFSTOPPED(status))
			return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? told : -1;
		if (!WIFSTOPPED(status))
			continue;
		if (pid == child && signal == SIGSTOP)
			ptrace(PTRACE_SETOPTIONS, pid, NULL, stop);
		told += status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8);
		ptrace(PTRACE_CONT, pid, NULL, (long)(signal == SIGSTOP || signal == SIGTRAP ? 0 : signal));
	}
	return -1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	FILE *told = fopen("told", "w");
	pid_t child = fork();
	long asked;

	if (child == 0) {
		tell_of_tgkill();
		exit(threads(n));
	}
	asked = count(child);
	printf(asked >= 0 && asked <= 16 * (n + PASSING) ? "few\n" : "%ld\n", asked);
	fprintf(told, "calls: %d stay\ncalls: %d pass\ncalls: %d leaf\nthreads: %d..%d\n", n, PASSING, n + PASSING, n + 2, n + 2 + PASSING / 2);
	fclose(told);
	return 0;
}
