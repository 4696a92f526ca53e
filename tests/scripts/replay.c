/* replay.c - does what a file says, one operation a line, by the API for interpreters: script_test.py makes the file, and simulates it.
 *
 *     e N  enter routine N        u N  unwind to depth N          c    call the C function `nested`, which goes on until
 *     l    leave                  a N  add N to the clock         x    it returns
 *     n    a new stack            r N  resume stack N             b    back to the stack that was in use before
 *     s N  use stack N            f    fork; the child goes on, the parent waits and ends
 *     t    go on in a new thread, and wait for it                  k    be killed
 *     y N  N bytes were moved     p N  be stopped, 1, or go on, 0  z    reset all counters
 *     h N  abort unless a profile has begun, 1, or has not, 0 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <aprof.h>

enum { ROUTINES = 8, MOST = 100000 };

static FILE *file;
static aprof_routine routines[ROUTINES];
static struct aprof_stack *stacks[MOST], *before[MOST];
static int nstacks, nbefore;

void nested(void);

#define PLAIN static __attribute__((noinline, no_instrument_function))

PLAIN void *thread(void *arg)
{
	nested();
	return arg;
}

PLAIN void elsewhere(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread, NULL) == 0)
		pthread_join(t, NULL);
}

PLAIN void parted(void)
{
	pid_t pid = fork();

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		exit(0);
	}
}

__attribute__((noinline)) void nested(void)
{
	char op;
	int n;

	while (fscanf(file, " %c %d", &op, &n) == 2) {
		switch (op) {
		case 'e': aprof_enter(routines[n]); break;
		case 'l': aprof_leave(); break;
		case 'u': aprof_unwind((unsigned)n); break;
		case 'a': aprof_add((unsigned)n); break;
		case 'c': nested(); break;
		case 'x': return;
		case 'n': stacks[nstacks++] = aprof_stack_new(); break;
		case 's': before[nbefore++] = aprof_stack_use(stacks[n]); break;
		case 'r': before[nbefore++] = aprof_stack_resume(stacks[n]); break;
		case 'b': aprof_stack_use(before[--nbefore]); break;
		case 'd': if (aprof_depth() != (unsigned)n) abort(); break;
		case 't': elsewhere(); break;
		case 'f': parted(); break;
		case 'y': aprof_bytes((unsigned)n); break;
		case 'p': (n ? aprof_stop : aprof_start)(); break;
		case 'z': aprof_reset(); break;
		case 'h': if (aprof_has_begun() != n) abort(); break;
		case 'k': raise(SIGKILL);
		}
	}
}

int main(int argc, char **argv)
{
	char name[8] = "f0";

	file = argc > 1 ? fopen(argv[1], "r") : NULL;
	if (!file)
		return 1;
	setvbuf(file, NULL, _IONBF, 0);		/* a child reads on where its parent was */
	for (int i = 0; i < ROUTINES; i++, name[1]++)
		routines[i] = aprof_define("sim", name, "/src/sim.s", i + 1);
	nested();
	return 0;
}
