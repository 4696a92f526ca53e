/* cycles.c - the cycles of calls that were really traversed, each once, largest first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/report/figure_text.h"
#include "show/report/report.h"
#include "show/report/share.h"

static const char legend[] =
	" @% time   share of the run of the contexts in which this cycle is the innermost.\n"
	" @time     how @long that is.\n"
	" calls    how often a call closed the cycle.\n"
	" ..       calls were squeezed out here: no known call.\n"
	" Cycles that were squeezed out of the history before its last routine was entered are not seen, and what squeezing\n"
	" left of one is not listed if no call closed it.\n";

/* One of a cycle, with the sign of the link to the next, malloc'ed; NULL: out of memory. */
static char *link_text(const struct graph *g, cycle_entry entry, bool last, const struct report_options *options)
{
	const struct graph_routine *r = &g->routines[cycle_routine(entry)];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_brief(out, r->name.name, r->brief, &options->style);
	fputs(last ? "" : cycle_link_known(entry) ? " -> " : " .. ", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* A -> B -> C -> A, behind BEFORE columns: the first routine again at the end, to show that it closes.  On a terminal lines are broken behind a link. */
static void cycles_path_print(const struct graph *g, const struct graph_cycle *c, int before, FILE *out, const struct report_options *options)
{
	const cycle_entry *entries = g->cycle_entries + c->first;
	int column = before;

	for (uint32_t i = 0; i <= c->length; i++) {
		char *text = link_text(g, entries[i % c->length], i == c->length, options);
		int width = text ? (int)print_width(text, strlen(text)) : 0;

		if (i > 0 && options->style.width > 0 && column + width > options->style.width) {
			fprintf(out, "\n%*s", before + 2, "");
			column = before + 2;
		}
		fputs(text ? text : "", out);
		column += width;
		free(text);
	}
	putc('\n', out);
}

enum { MOST_DIRECT = 10 };	/* routines that call themselves, named in the text */

/* The routines that call themselves. */
struct direct {
	const struct graph *g;
	uint32_t *routines;	/* most often first */
	uint64_t *times;	/* by routine: how often, in calls, or, of call stacks, the samples that found such a call under way */
	uint32_t n;
};

static int direct_by_times(const void *x, const void *y, void *arg)
{
	const struct direct *d = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (d->times[a] != d->times[b])
		return d->times[a] > d->times[b] ? -1 : 1;
	return strcmp(d->g->routines[a].name.name, d->g->routines[b].name.name);
}

/* False: out of memory.  Freed with direct_free, also then. */
static bool direct_find(struct direct *d, const struct graph *g)
{
	*d = (struct direct){ .g = g, .routines = calloc((size_t)g->nroutines + 1, sizeof *d->routines), .times = graph_recursion(g) };
	if (!d->routines || !d->times)
		return false;
	for (uint32_t r = 0; r < g->nroutines; r++) {
		if (g->counted)
			d->times[r] = g->routines[r].recursive;
		if (d->times[r] > 0)
			d->routines[d->n++] = r;
	}
	if (d->n > 1)
		qsort_r(d->routines, d->n, sizeof *d->routines, direct_by_times, d);
	return true;
}

static void direct_free(struct direct *d)
{
	free(d->routines);
	free(d->times);
}

/* `    29,001 calls of itself: f`, `     1,204 of 1,290 samples in calls of itself: f`. */
static void direct_row_print(const struct direct *d, uint32_t routine, FILE *out, const struct report_options *options)
{
	const struct graph_routine *r = &d->g->routines[routine];
	char times[40], all[40];
	int n = fprintf(out, "%15s", print_grouped(times, d->times[routine]));

	if (d->g->counted)
		n += fprintf(out, " call%s of itself: ", d->times[routine] == 1 ? " " : "s");
	else
		n += fprintf(out, " of %s sample%s in calls of itself: ", print_grouped(all, r->total_ticks), print_plural(r->total_ticks));
	print_brief_beside(out, r->name.name, r->brief, &options->style, n);
	putc('\n', out);
}

/* Direct recursion is no cycle of several, and is told beside them. */
static bool direct_print(const struct graph *g, FILE *out, const struct report_options *options)
{
	struct direct d;
	bool ok = direct_find(&d, g);

	if (!g->counted && g->profile->nsites == 0 && !profile_is_imported(g->profile))
		fputs("\nA routine that calls itself is one in these call stacks: they do not tell of direct recursion.\n", out);
	else if (d.n > 0)
		fprintf(out, "\nDirect recursion: %" PRIu32 " routine%s\n\n", d.n, print_plural(d.n));
	for (uint32_t i = 0; i < d.n && i < MOST_DIRECT; i++)
		direct_row_print(&d, d.routines[i], out, options);
	if (d.n > MOST_DIRECT)
		fprintf(out, "%15s %" PRIu32 " more\n", "and", d.n - MOST_DIRECT);
	direct_free(&d);
	return ok;
}

bool cycles_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct graph *g = in->graph;
	int calls = print_count_width(g->calls, 8);

	if (g->ncycles == 0) {
		fputs("No cycle was traversed: no routine was entered again through another while it was active.\n", out);
		return direct_print(g, out, options) || error_no_memory(err, NULL);
	}
	fprintf(out, "Cycles traversed: %" PRIu32 "\n\n", g->ncycles);
	print_begin(out, &options->style, 'h');
	share_heading(out, &options->style, g, g->sampled);
	fprintf(out, " %*s %*s  cycle\n", PRINT_TIME, figure_heading(g), calls, "calls");
	print_end(out, &options->style);
	for (uint32_t i = 0; i < g->ncycles; i++) {
		const struct graph_cycle *c = &g->cycles[i];

		share_print(out, &options->style, g->sampled, figure_share(g, c->time), graph_run_error(g, c->time, &c->evidence));
		putc(' ', out);
		figure_print(out, g, c->time, PRINT_UNITS, PRINT_TIME);
		putc(' ', out);
		print_calls(out, calls, c->calls, g->counted);
		fputs("  ", out);
		cycles_path_print(g, c, share_width(g->sampled) + 1 + PRINT_TIME + 1 + calls + 2, out, options);
	}
	if (!direct_print(g, out, options))
		return error_no_memory(err, NULL);
	print_worded(out, &options->style, figure_unit(g), "\n%s", legend);
	share_legend(out, &options->style, g, g->sampled, 9);
	return true;
}

bool cycles_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;
	struct direct d;

	(void)options;
	if (!direct_find(&d, g)) {
		direct_free(&d);
		return error_no_memory(err, NULL);
	}
	emit_array(e, "cycles");
	for (uint32_t i = 0; i < g->ncycles; i++) {
		const struct graph_cycle *c = &g->cycles[i];
		json_t *path = json_array();

		for (uint32_t j = 0; j < c->length; j++) {
			cycle_entry entry = g->cycle_entries[c->first + j];

			json_array_append_new(path, json_pack("{s:o, s:b}", "name",
				emit_name(g->routines[cycle_routine(entry)].name.name), "link_known",
				(int)cycle_link_known(entry)));
		}
		emit_item(e, json_pack("{s:o, s:o, s:o, s:o}", "time_ns", emit_count(c->time), "error_ns",
				       share_json(graph_run_error(g, c->time, &c->evidence), figure_run(g)), "calls", emit_calls(g->counted, c->calls),
				       "cycle", path));
	}
	emit_array_end(e);
	emit_array(e, "direct_recursion");
	for (uint32_t i = 0; i < d.n; i++)
		emit_item(e, json_pack("{s:o, s:o, s:o}", "name", emit_name(g->routines[d.routines[i]].name.name), "calls", emit_calls(g->counted, d.times[d.routines[i]]),
				       "samples", emit_calls(!g->counted, d.times[d.routines[i]])));
	emit_array_end(e);
	direct_free(&d);
	return true;
}
