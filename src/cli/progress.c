/* progress.c - SIGALRM shows the line after a second, and again at every step from then on.
 *
 * The handler only calls write(), on strings that never change, and on numbers that it puts into one of its own. */
#include "cli/progress.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *volatile current = "starting";
static volatile sig_atomic_t active, shown;
static volatile size_t part, parts;	/* of the step; parts 0: it has none */
static struct timespec last;		/* when a part was shown last */

static void progress_put(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

static void put_number(size_t n)
{
	char text[24], *at = text + sizeof text;

	*--at = '\0';
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	progress_put(at);
}

static void progress_show(int signal)
{
	(void)signal;
	progress_put("\r\033[Kaprof: ");
	progress_put(current);
	if (parts) {
		progress_put(", ");
		put_number(part);
		progress_put(" of ");
		put_number(parts);
	}
	progress_put(" ...");
	shown = 1;				/* last: from now on other threads may show it again */
}

void progress_begin(void)
{
	struct sigaction action = { .sa_handler = progress_show, .sa_flags = SA_RESTART };

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
	parts = 0;
	if (shown)
		progress_show(0);
}

void progress_part(size_t done, size_t of)
{
	enum { EVERY = 100000000 };		/* ns */
	struct timespec now;

	part = done;
	parts = of;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (!shown || (now.tv_sec - last.tv_sec) * 1000000000 + now.tv_nsec - last.tv_nsec < EVERY)
		return;
	last = now;
	progress_show(0);
}

void progress_end(void)
{
	if (!active)
		return;
	alarm(0);
	active = 0;
	if (shown)
		progress_put("\r\033[K");
	shown = 0;
}
