/* launch.c - fork, exec, wait; the reason of a failed exec comes back through a pipe that exec closes. */
#include "record/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;

char *launch_find(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return strdup(name);
	for (const char *p = path ? path : "/bin:/usr/bin"; *p; p += strcspn(p, ":"), p += *p == ':') {
		int n = (int)strcspn(p, ":");
		char *file = NULL;

		if (asprintf(&file, "%.*s%s%s", n, p, n ? "/" : "", name) < 0)
			return NULL;
		if (access(file, X_OK) == 0)
			return file;
		free(file);
	}
	return NULL;
}

static void launch_pass_on(int signal)
{
	int saved = errno;

	if (child > 0)
		kill(child, signal);
	errno = saved;
}

/* The signals that change their meaning while the program runs, and what they were. */
enum { SIGNALS = 7 };
static const int signals[SIGNALS] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM };

static void signals_begin(struct sigaction *old)
{
	for (int i = 0; i < SIGNALS; i++) {
		struct sigaction action = { .sa_handler = signals[i] == SIGINT || signals[i] == SIGQUIT ? SIG_IGN : launch_pass_on };

		sigaction(signals[i], NULL, &old[i]);
		if (old[i].sa_handler == SIG_IGN)	/* nohup: so it stays */
			action.sa_handler = SIG_IGN;
		sigemptyset(&action.sa_mask);
		sigaction(signals[i], &action, NULL);
	}
}

static void launch_signals_end(const struct sigaction *old)
{
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &old[i], NULL);
}

/* In the child: when GO says so, which nobody writes to, become the program, or tell REPORT why not. */
static void launch_execute(char **argv, const struct sigaction *old, const sigset_t *mask, int go, int report)
{
	int error;
	ssize_t n;

	n = read(go, &error, sizeof error);
	launch_signals_end(old);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	n = write(report, &error, sizeof error);
	(void)n;
	_exit(LAUNCH_NOT_FOUND);
}

/* Wait for the end of PID.  Its stops, where a thread of ours traces it, are that thread's: nobody may take them who waits by wait(2). */
static void end_wait(pid_t pid)
{
	struct pollfd fd = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };

	while (fd.fd >= 0 && poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
	if (fd.fd >= 0)
		close(fd.fd);
}

/* CPU time of the process PID, which has ended and is waited for, ns. */
static uint64_t used_by(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t launch_nsec_of(const struct timeval *t) { return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000; }

/* Wait for the program; what the pipe says tells whether it was started. */
static void launch_finish(struct launch *l, int report)
{
	struct rusage all = { 0 };
	ssize_t n;

	do
		n = read(report, &l->error, sizeof l->error);
	while (n < 0 && errno == EINTR);
	l->started = n != (ssize_t)sizeof l->error;
	end_wait(l->pid);
	l->used = used_by(l->pid);
	while (wait4(l->pid, &l->wait_status, 0, &all) < 0 && errno == EINTR)
		;
	l->used_below = launch_nsec_of(&all.ru_utime) + launch_nsec_of(&all.ru_stime);
	child = 0;
	if (!l->started)
		l->status = l->error == ENOENT || l->error == ENOTDIR ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
	else
		l->status = WIFSIGNALED(l->wait_status) ? 128 + WTERMSIG(l->wait_status) : WEXITSTATUS(l->wait_status);
}

bool launch(char **argv, struct launch *l, void (*watch)(void *arg, pid_t pid), void *arg)
{
	struct sigaction old[SIGNALS];
	sigset_t all, mask;
	int report[2], go[2];

	*l = (struct launch){ 0 };
	if (pipe2(report, O_CLOEXEC) != 0)
		return false;
	if (pipe2(go, O_CLOEXEC) != 0) {
		close(report[0]);
		close(report[1]);
		return false;
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);	/* no signal between fork and the handlers */
	signals_begin(old);
	l->pid = fork();
	if (l->pid == 0) {
		close(go[1]);
		launch_execute(argv, old, &mask, go[0], report[1]);
	}
	child = l->pid;
	if (watch && l->pid > 0)
		watch(arg, l->pid);
	close(go[0]);
	close(go[1]);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	if (l->pid > 0)
		launch_finish(l, report[0]);
	close(report[0]);
	launch_signals_end(old);
	return l->pid > 0;
}
