/* pager.c - a stream of stdio that becomes a pipe to a pager once it holds more than a screen. */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/message.h"
#include "record/run/launch.h"

static const int ignored[] = { SIGPIPE, SIGINT, SIGQUIT };	/* while a pager runs: they are its own */
enum { IGNORED = sizeof ignored / sizeof *ignored };

static struct {
	FILE *terminal;			/* what stdout was; NULL: there is none to page */
	const char *command;		/* of the pager */
	char *kept;			/* what was printed so far, as long as it may fit */
	size_t size, room;		/* bytes of it; allocated */
	size_t line;			/* where its last line begins */
	size_t rows, columns, height;	/* rows that its whole lines take; the terminal's */
	pid_t pid;			/* of the pager; 0: not started; -1: it cannot be, and all goes to the terminal */
	int pipe;			/* to it; -1: closed */
	int error;			/* a copy of standard error, to go back to; -1: that is untouched */
	struct sigaction old[IGNORED];
} pager;

/* Write it all; what nobody reads any more is thrown away. False: trouble. */
static bool pager_put(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE && fd == pager.pipe;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

/* In the child: become the pager. */
static void pager_execute(int end)
{
	for (int i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &pager.old[i], NULL);
	dup2(end, STDIN_FILENO);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", pager.command, (char *)NULL);
	_exit(LAUNCH_NOT_FOUND);
}

static void pager_signals_end(void)
{
	for (int i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &pager.old[i], NULL);
}

/* Start the pager, or set its pid to -1. */
static void pager_start(void)
{
	int ends[2];

	pager.pid = -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	for (int i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &(struct sigaction){ .sa_handler = SIG_IGN }, &pager.old[i]);
	pager.pid = fork();
	if (pager.pid == 0)
		pager_execute(ends[0]);
	close(ends[0]);
	if (pager.pid < 0) {
		pager_signals_end();
		close(ends[1]);
		return;
	}
	pager.pipe = ends[1];
	pager.error = isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
	if (pager.error >= 0)
		dup2(pager.pipe, STDERR_FILENO);
}

/* Where what is printed goes once the pager is started, or cannot be. */
static int pager_output(void)
{
	return pager.pid > 0 ? pager.pipe : STDOUT_FILENO;
}

/* Print what is kept. */
static bool pager_release(void)
{
	bool ok = pager_put(pager_output(), pager.kept, pager.size);

	free(pager.kept);
	pager.kept = NULL;
	pager.size = pager.room = 0;
	return ok;
}

/* Count the rows of the whole lines that are kept. */
static bool still_fits(void)
{
	char *end;

	while (pager.rows < pager.height && (end = memchr(pager.kept + pager.line, '\n', pager.size - pager.line))) {
		size_t width = print_width(pager.kept + pager.line, (size_t)(end - pager.kept) - pager.line);

		pager.rows += width == 0 ? 1 : (width + pager.columns - 1) / pager.columns;
		pager.line = (size_t)(end - pager.kept) + 1;
	}
	return pager.rows < pager.height;		/* one is for the shell's prompt */
}

static bool pager_keep(const char *data, size_t size)
{
	if (pager.size + size > pager.room) {
		size_t room = 2 * (pager.size + size);
		char *more = realloc(pager.kept, room);

		if (!more)
			return false;
		pager.kept = more;
		pager.room = room;
	}
	memcpy(pager.kept + pager.size, data, size);
	pager.size += size;
	return true;
}

static ssize_t stream_write(void *unused, const char *data, size_t size)
{
	bool ok;

	(void)unused;
	if (pager.pid != 0) {
		ok = pager_put(pager_output(), data, size);
	} else if ((ok = pager_keep(data, size)) && !still_fits()) {
		pager_start();
		ok = pager_release();
	}
	return ok ? (ssize_t)size : 0;
}

/* Can the shell be expected to find COMMAND's program?  What has characters that mean something to it is for it to tell. */
static bool pager_is_there(const char *command)
{
	char *word = strndup(command, strcspn(command, " \t")), *file = NULL;
	bool there = !word || word[strcspn(word, "|&;<>()$`\\\"'*?[]#~=%{}!")] || (file = launch_find(word));

	free(word);
	free(file);
	return there;
}

/* The command of the pager; NULL: none is wanted, or there is none. */
static const char *pager_command_find(void)
{
	const char *own = getenv("APROF_PAGER"), *command = own ? own : getenv("PAGER");

	if (!command)
		return pager_is_there("less") ? "less" : NULL;
	if (!*command || strcmp(command, "cat") == 0)
		return NULL;
	if (pager_is_there(command))
		return command;
	message("%s=%s: no such program; nothing is paged", own ? "APROF_PAGER" : "PAGER", command);
	return NULL;
}

void pager_begin(void)
{
	const char *terminal = getenv("TERM"), *command;
	struct winsize size;
	FILE *stream;

	if (!isatty(STDOUT_FILENO) || !terminal || strcmp(terminal, "dumb") == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
	    size.ws_row == 0 || size.ws_col == 0 || !(command = pager_command_find()))
		return;
	stream = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = stream_write });
	if (!stream)
		return;
	memset(&pager, 0, sizeof pager);
	pager.command = command;
	pager.height = size.ws_row;
	pager.columns = size.ws_col;
	pager.pipe = pager.error = -1;
	fflush(stdout);
	pager.terminal = stdout;
	stdout = stream;
}

/* The pager has all there is; wait for the user. */
static void pager_finish(void)
{
	if (pager.error >= 0) {
		dup2(pager.error, STDERR_FILENO);
		close(pager.error);
	}
	close(pager.pipe);
	while (waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager_signals_end();
}

void pager_end(void)
{
	FILE *stream = stdout;

	if (!pager.terminal)
		return;
	fclose(stream);
	stdout = pager.terminal;
	pager.terminal = NULL;
	if (pager.pid > 0)
		pager_finish();
	else if (!pager_release())
		message("cannot write to standard output: %s", strerror(errno));
}
