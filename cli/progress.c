/* progress.c - SIGALRM shows the line after a second, and again at every step from then on.
 *
 * The handler only calls write(), on strings that never change. */
#include "cli/progress.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *volatile current = "starting";
static volatile sig_atomic_t active, shown;

static void put(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

static void show(int signal)
{
	(void)signal;
	shown = 1;
	put("\r\033[Kaprof: ");
	put(current);
	put(" ...");
}

void progress_begin(void)
{
	struct sigaction action = { .sa_handler = show, .sa_flags = SA_RESTART };

	if (active || !isatty(STDERR_FILENO))
		return;
	active = 1;
	shown = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
}

void progress_step(const char *what)
{
	current = what;
	if (shown)
		show(0);
}

void progress_end(void)
{
	if (!active)
		return;
	alarm(0);
	active = 0;
	if (shown)
		put("\r\033[K");
	shown = 0;
}
