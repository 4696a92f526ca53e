/* csv.c - tables by RFC 4180: a line of headings, fields with a comma, a quote or a line break in quotes, quotes in them doubled.
 *
 * A text that a spreadsheet would take for a formula (it begins with = + - @ or a control character) gets an apostrophe in front, as
 * spreadsheets themselves mark text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/export/export.h"
#include "show/export/words.h"

static void csv_text_print(FILE *out, const char *text)
{
	if (!text)
		return;
	putc('"', out);
	if (strchr("=+-@", *text) && *text)
		putc('\'', out);
	escape_print(out, text, ESCAPE_QUOTE);
	putc('"', out);
}

static void number_print(FILE *out, uint64_t n, char after)
{
	fprintf(out, "%" PRIu64 "%c", n, after);
}

/* N calls of CALLEE; those that were not counted are no number. */
static void csv_calls_print(FILE *out, const struct graph *g, uint32_t callee, uint64_t n)
{
	if (graph_counts(g, callee))
		number_print(out, n, ',');
	else
		putc(',', out);
}

static void csv_routines_print(const struct graph *g, FILE *out)
{
	char unit[WORDS_UNIT];

	words_plain(figure_unit(g), unit);
	fprintf(out, "name,module,file,line,calls,recursive,self_%s,total_%s,self_ticks,total_ticks\n", unit, unit);
	for (uint32_t i = 0; i < g->nroutines; i++) {
		const struct graph_routine *r = &g->routines[i];

		if (!(r->calls || r->recursive || r->self || r->total))
			continue;
		csv_text_print(out, r->name.name);
		putc(',', out);
		csv_text_print(out, r->name.module);
		putc(',', out);
		csv_text_print(out, r->name.file);
		putc(',', out);
		number_print(out, r->name.line, ',');
		csv_calls_print(out, g, i, r->calls);
		csv_calls_print(out, g, i, r->recursive);
		number_print(out, r->self, ',');
		number_print(out, r->total, ',');
		number_print(out, r->self_ticks, ',');
		number_print(out, r->total_ticks, '\n');
	}
	fputs(g->counted ? "\"(outside all routines)\",,,0,0,0," : "\"(outside all routines)\",,,0,,,", out);
	number_print(out, g->outside, ',');
	number_print(out, g->outside, ',');
	number_print(out, g->outside_ticks, ',');
	number_print(out, g->outside_ticks, '\n');
}

/* What of an arc is the callee's own; nothing where that is not known. */
static void csv_self_print(FILE *out, const struct graph *g, uint64_t time)
{
	if (g->arcs_alone)
		putc(',', out);
	else
		number_print(out, time, ',');
}

static void csv_arcs_print(const struct graph *g, FILE *out)
{
	char unit[WORDS_UNIT];

	words_plain(figure_unit(g), unit);
	fprintf(out, "caller,callee,calls,self_%s,children_%s,caller_view_self_%s,caller_view_children_%s,folded\n", unit, unit, unit, unit);
	for (uint32_t i = 0; i < g->narcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		if (!(a->calls || a->self1 || a->child1 || a->self2 || a->child2))
			continue;
		csv_text_print(out, a->from == GRAPH_NONE ? "<spontaneous>" : g->routines[a->from].name.name);
		putc(',', out);
		csv_text_print(out, g->routines[a->to].name.name);
		putc(',', out);
		csv_calls_print(out, g, a->to, a->calls);
		csv_self_print(out, g, a->self2);
		number_print(out, a->child2, ',');
		csv_self_print(out, g, a->self1);
		number_print(out, a->child1, ',');
		number_print(out, a->folded, '\n');
	}
}

/* As aprof contexts prints it: names between blanks, an apostrophe after those that are unmarked. */
static void csv_history_print(FILE *out, const struct graph *g, const history_entry *history, size_t n)
{
	putc('"', out);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			putc(' ', out);
		escape_print(out, g->routines[history_routine(history[i])].name.name, ESCAPE_WORD | ESCAPE_QUOTE);
		if (!history_is_marked(history[i]))
			putc('\'', out);
	}
	putc('"', out);
}

static bool csv_contexts_print(const struct graph *g, FILE *out, struct error *err)
{
	history_entry *history = calloc((size_t)g->longest + 1, sizeof *history);
	char unit[WORDS_UNIT];

	if (!history)
		return error_no_memory(err, NULL);
	fprintf(out, "entries,recursive,%s_%s,ticks,history\n", profile_is_time(g->profile) ? "time" : "self", words_plain(figure_unit(g), unit));
	for (uint32_t i = 0; i < g->ncontexts; i++) {
		const struct graph_context *c = &g->contexts[i];

		if (!c->kept || !(c->entries || c->recursive || c->time || c->ticks))
			continue;
		number_print(out, c->entries, ',');
		number_print(out, c->recursive, ',');
		number_print(out, c->time, ',');
		number_print(out, c->ticks, ',');
		csv_history_print(out, g, history, graph_history(g, i, history));
		putc('\n', out);
	}
	free(history);
	return true;
}

bool csv_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	switch (options->table) {
	case EXPORT_ARCS:
		csv_arcs_print(in->graph, out);
		return true;
	case EXPORT_CONTEXTS:
		return csv_contexts_print(in->graph, out, err);
	default:
		csv_routines_print(in->graph, out);
		return true;
	}
}
