/* listener.c - steps and notes on the terminal. */
#include "cli/listener.h"

#include "cli/message.h"
#include "cli/progress.h"

static void listener_step(void *arg, const char *what)
{
	(void)arg;
	if (!what) {
		progress_end();
		return;
	}
	progress_begin();
	progress_step(what);
}

static void listener_part(void *arg, size_t done, size_t of)
{
	(void)arg;
	progress_part(done, of);
}

static void listener_note(void *arg, const char *text)
{
	(void)arg;
	message("%s", text);
}

const struct input_listener listener = { .step = listener_step, .part = listener_part, .note = listener_note };
