/* heard.c - notes, kept. */
#include "public/heard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void heard_keep(struct heard *h, char *line)
{
	char **more = line ? reallocarray(h->notes, h->n + 1, sizeof *more) : NULL;

	if (!more)
		return;
	h->notes = more;
	h->notes[h->n++] = line;
}

static void heard_note(void *arg, const char *text)
{
	struct heard *h = arg;

	heard_keep(h, arena_copy(&h->strings, text, strlen(text)));
}

void heard_begin(struct heard *h)
{
	*h = (struct heard){ .listener = { .note = heard_note, .arg = h } };
}

void heard_free(struct heard *h)
{
	free(h->notes);
	arena_free(&h->strings);
}

void heard_lives(struct heard *h, const struct input *in)
{
	for (uint32_t i = 0; i < in->profile->nruns; i++) {
		const struct profile_run *run = &in->profile->runs[i];

		if (in->life[i] == REPORT_DIED)
			heard_keep(h, arena_printf(&h->strings, "warning: %s: incomplete: %s", run->label, life_lack(run)));
		if (in->life[i] == REPORT_RUNNING)
			heard_keep(h, arena_printf(&h->strings, "note: %s: its process is still running", run->label));
		if (run->truncated)
			heard_keep(h, arena_printf(&h->strings, "warning: %s: cut off at byte %" PRIu64 ", so it is not the whole profile", run->label, run->cut_at));
	}
}

void heard_symbols(struct heard *h, const struct symbols *s)
{
	for (const char *line; (line = symbols_warning(s, h->nwarnings)); h->nwarnings++)
		heard_keep(h, arena_printf(&h->strings, "warning: %s", line));
}
