/* Hundreds of children that end before anybody has looked at them, by each way that there is, share one file, and none of their calls is lost.  Some have a
 * thread, or children of their own; others begin in a signal's handler.
 *
 * variants: exit _exit quick exec fails abort segv kill thread nested handler silent
 * told: yes
 * calls: 1 main
 * note: fork 0..
 * state: ended running */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

enum { CHILDREN = 300 };

static const char *way;

HOOKED void leaf(void) { KEEP(); }

HOOKED void child(void)
{
	leaf();
	KEEP();
}

HOOKED void *thread(void *arg)
{
	child();
	KEEP();
	return arg;
}

UNHOOKED static int is(const char *name) { return !strcmp(way, name); }

UNHOOKED static void work(void)
{
	pthread_t id;

	if (is("silent"))
		_exit(0);
	if (!is("thread"))
		child();
	else if (pthread_create(&id, NULL, thread, NULL) == 0)
		pthread_join(id, NULL);
	if (is("nested") && fork() > 0)
		wait(NULL);
}

UNHOOKED static void end(void)
{
	if (is("_exit"))
		_exit(0);
	if (is("quick"))
		quick_exit(0);
	if (is("exec"))
		execlp("true", "true", (char *)0);
	if (is("fails")) {
		execl("/nowhere", "nowhere", "argument", (char *)0);
		leaf();
	}
	if (is("abort"))
		abort();
	if (is("segv") || is("kill"))
		kill(getpid(), is("segv") ? SIGSEGV : SIGKILL);
	exit(0);
}

UNHOOKED static void begin(int sig)
{
	(void)sig;
	if (fork() == 0) {
		work();
		end();
	}
	wait(NULL);
}

/* What must hold. */
UNHOOKED static void tell(void)
{
	int calls = is("silent") ? 0 : CHILDREN, files = is("nested") ? 2 * CHILDREN + 1 : CHILDREN + 1;
	FILE *told = fopen("told", "w");

	fprintf(told, "calls: %d child\ncalls: %d leaf\nfiles: %d..%d\n", calls, calls + 1 + (is("fails") ? CHILDREN : 0), is("silent") ? 1 : files, files);
	fclose(told);
}

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };

	way = argv[argc - 1];
	tell();
	setrlimit(RLIMIT_CORE, &none);
	signal(SIGUSR1, begin);
	leaf();
	for (int i = 0; i < CHILDREN; i++)
		if (is("handler"))
			raise(SIGUSR1);
		else
			begin(0);
	return 0;
}
