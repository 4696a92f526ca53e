/* In a child of fork another thread calls first: the one that forked waits for it, or has ended.  Each has its own callers.
 *
 * variants: waits ended left
 * flags: -pthread
 * files: 2
 * expect: 1 0 main
 * expect: 1 0 main forks
 * expect(waits): 10 0 main forks after
 * expect: 1 0 thread
 * expect: 100 0 thread work
 * state: ended running */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trap.h"

static int joined;

HOOKED void work(void) { KEEP(); }
HOOKED void after(void) { KEEP(); }

HOOKED void thread(void)
{
	for (int i = 0; i < 100; i++)
		work();
	KEEP();				/* Clang's -O3 writes the loop out, and the last call is one in tail position */
}

/* Has the first thread ended? */
UNHOOKED int is_gone(void)
{
	char state = 0;
	FILE *file = fopen("/proc/self/stat", "r");

	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		_exit(2);
	fclose(file);
	return state == 'Z';
}

UNHOOKED void *begin(void *unused)
{
	while (!joined && !is_gone())
		usleep(1000);
	thread();
	if (!joined)
		_exit(0);
	return unused;
}

UNHOOKED void child(const char *how)
{
	pthread_t t;

	pthread_create(&t, NULL, begin, NULL);
	if (!strcmp(how, "ended"))
		pthread_exit(NULL);
	if (!strcmp(how, "left"))
		syscall(SYS_exit, 0);
	pthread_join(t, NULL);
	for (int i = 0; i < 10; i++)
		after();
	_exit(0);
}

HOOKED int forks(const char *how)
{
	int status;

	joined = !strcmp(how, "waits");
	if (fork() == 0)
		child(how);
	wait(&status);
	return status != 0;
}

int main(int argc, char **argv)
{
	int status = forks(argv[argc - 1]);

	KEEP();
	return status;
}
