/* browser.c - asks for it as a desktop does. */
#include "cli/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"

extern char **environ;

/* Start PROGRAM with WHAT, its output nowhere: it belongs to nobody who reads ours.  What went wrong, or 0. */
static int browser_start(char *program, char *what)
{
	char *words[] = { program, what, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);	/* ^C ends the page, and not the browser */
		error = posix_spawnp(&pid, program, &actions, &attributes, words, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

bool browser_open(const char *what)
{
	const char *wanted = getenv("BROWSER");
	size_t n = wanted ? strcspn(wanted, ":") : 0;	/* the first of those that it lists */
	char *program = n ? strndup(wanted, n) : strdup("xdg-open"), *address = strdup(what);
	int error = 0;

	if (!program || !address)
		message("out of memory");
	else if ((error = browser_start(program, address)) != 0)
		message("--open: %s: cannot be executed: %s; BROWSER names another browser", program, strerror(error));
	error |= !program || !address;
	free(program);
	free(address);
	return error == 0;
}
