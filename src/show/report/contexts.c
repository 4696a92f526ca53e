/* contexts.c - every context, one a line, for programs to read:
 *
 *     entries recursive seconds history
 *     12 0 0.004 Main P' Q R P
 *
 * An apostrophe follows each unmarked entry; blanks inside a name are `\x20`, so that blanks separate.
 * Names are escaped once, not once for each of their millions of places. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/report/report.h"
#include "show/report/share.h"
#include "base/print.h"

/* Names of all routines as words, and room for a history. */
struct words {
	history_entry *history;	/* of the context being printed */
	char *text;		/* all of them, one after the other */
	size_t *start;		/* of routine r: text[start[r] .. start[r + 1]) */
};

static void contexts_words_free(struct words *w)
{
	free(w->history);
	free(w->text);
	free(w->start);
}

static bool contexts_words_make(struct words *w, const struct graph *g, unsigned flags, struct error *err)
{
	size_t size = 1;

	for (uint32_t i = 0; i < g->nroutines; i++)
		size += escape_string(NULL, 0, g->routines[i].name.name, flags);
	w->text = malloc(size);
	w->start = calloc((size_t)g->nroutines + 1, sizeof *w->start);
	w->history = calloc((size_t)g->longest + 1, sizeof *w->history);
	if (!w->text || !w->start || !w->history) {
		contexts_words_free(w);
		return error_no_memory(err, NULL);
	}
	for (uint32_t i = 0; i < g->nroutines; i++)
		w->start[i + 1] = w->start[i] + escape_string(w->text + w->start[i], size - w->start[i],
							      g->routines[i].name.name, flags);
	return true;
}

/* The N entries of HISTORY, each after a blank but the first; the root, where nothing is active, is a dash. */
static void contexts_history_print(const struct words *w, const history_entry *history, size_t n, FILE *out)
{
	if (n == 0)
		putc_unlocked('-', out);
	for (size_t i = 0; i < n; i++) {
		history_entry e = history[i];
		uint32_t routine = history_routine(e);

		if (i > 0)
			putc_unlocked(' ', out);
		fwrite_unlocked(w->text + w->start[routine], 1, w->start[routine + 1] - w->start[routine], out);
		if (!history_is_marked(e))
			putc_unlocked('\'', out);
	}
}

/* What focus leaves out is not shown, nor what nothing was counted in: the root as a rule, and much after a reset. */
static bool contexts_is_shown(const struct graph_context *c)
{
	return c->kept && (c->entries || c->recursive || c->time || c->ticks || c->bytes);
}

bool contexts_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct graph *g = in->graph;
	struct words words;

	if (!contexts_words_make(&words, g, ESCAPE_WORD | (options->style.utf8 ? 0 : ESCAPE_ASCII), err))
		return false;
	for (uint32_t i = 0; i < g->ncontexts; i++) {
		const struct graph_context *c = &g->contexts[i];

		if (!contexts_is_shown(c))
			continue;
		fprintf(out, "%" PRIu64 " %" PRIu64 " ", c->entries, c->recursive);
		print_exact(out, c->time, figure_unit(g));
		putc_unlocked(' ', out);
		contexts_history_print(&words, words.history, graph_history(g, i, words.history), out);
		putc_unlocked('\n', out);
	}
	contexts_words_free(&words);
	return true;
}

/* The history as in the text, in one string: an array of names would be ten times as large. */
static json_t *contexts_history_json(const struct words *w, const struct graph *g, uint32_t context)
{
	size_t n = graph_history(g, context, w->history);
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	json_t *value = NULL;

	if (!memory)
		return NULL;
	if (n > 0)
		contexts_history_print(w, w->history, n, memory);
	if (fclose(memory) == 0)
		value = json_stringn(text, size);
	free(text);
	return value;
}

/* What is counted in context I, PCS program counters among it. */
static json_t *context_json(const struct words *w, const struct graph *g, uint32_t i, uint64_t pcs)
{
	const struct graph_context *c = &g->contexts[i];
	json_t *item = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "entries", emit_count(c->entries), "recursive", emit_count(c->recursive),
				 "time_ns", emit_count(c->time), "error_ns", share_json(graph_run_error(g, c->time, &c->evidence), g->time + g->outside),
				 "ticks", emit_count(c->ticks), "pc_samples", emit_count(pcs), "history", contexts_history_json(w, g, i));

	if (c->bytes)
		json_object_set_new(item, "bytes", emit_count(c->bytes));
	return item;
}

/* By context, how many program counters tell that it ran: malloc'ed.  NULL with *ERR set: out of memory. */
static uint64_t *pcs_count(const struct graph *g, struct error *err)
{
	const struct profile *p = g->profile;
	uint64_t *counts = calloc((size_t)g->ncontexts + 1, sizeof *counts), *found = calloc((size_t)p->ncontexts + 1, sizeof *found);
	bool ok = counts && found && overhead_count_pcs(g->overhead, found);

	for (uint32_t i = 0; ok && i < p->ncontexts; i++)
		if (found[i])
			counts[g->context_of[i]] += found[i];
	free(found);
	if (ok)
		return counts;
	free(counts);
	error_no_memory(err, NULL);
	return NULL;
}

bool contexts_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;
	struct words words;
	uint64_t *pcs;

	(void)options;
	if (!contexts_words_make(&words, g, ESCAPE_WORD, err))
		return false;
	pcs = pcs_count(g, err);
	if (!pcs) {
		contexts_words_free(&words);
		return false;
	}
	emit_array(e, "contexts");
	for (uint32_t i = 0; i < g->ncontexts; i++)
		if (contexts_is_shown(&g->contexts[i]))
			emit_item(e, context_json(&words, g, i, pcs[i]));
	emit_array_end(e);
	free(pcs);
	contexts_words_free(&words);
	return true;
}
