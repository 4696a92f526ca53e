/* command_line.h - a command of somebody else's, run to its end in a folder, with its output in files. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdbool.h>

struct command_line {
	const char *const *argv; /* argv[0] looked up in PATH; NULL at the end */
	const char *folder;	/* where it runs; NULL: here */
	const char *in;		/* what it reads from its standard input; NULL: nothing */
	const char *out;	/* file for its standard output, written anew; NULL: none is kept */
	const char *err;	/* the same for its standard error; equal to OUT: both go there */
};

/* Run C and wait for it.  Returns its status as a shell has it, 128 + n after signal n; -1 with errno set where no process
 * could be started.  A signal to this process does not end the waiting. */
int command_line_run(const struct command_line *c);

#endif
