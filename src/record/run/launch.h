/* launch.h - running the program of aprof run, as a shell would, with its signals and status passed through. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { LAUNCH_NOT_EXECUTABLE = 126, LAUNCH_NOT_FOUND = 127 };	/* the shell's statuses */

struct launch {
	pid_t pid;		/* of the program; meaningful if started */
	bool started;		/* false: it could not be executed, error says why */
	int error;		/* errno of the failed exec */
	int wait_status;	/* as wait gives it; meaningful if started */
	uint64_t used, used_below; /* CPU time of the program, and with it that of all that it started and waited for, ns; 0: not known; meaningful if started */
	int status;		/* exit status to pass on: 128 + n after signal n */
};

/* The file that execvp would take for NAME; NULL: none.  To be freed. */
char *launch_find(const char *name);

/* Run ARGV (argv[0] looked up in PATH) with the caller's streams, and wait for it.  Signals of the terminal go to
 * the program alone; SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGALRM are passed on.  WATCH, unless NULL, is called with ARG and the process before that
 * becomes the program, with all signals blocked.  False when the system refuses a process, with errno set. */
bool launch(char **argv, struct launch *l, void (*watch)(void *arg, pid_t pid), void *arg);

#endif
