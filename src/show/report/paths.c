/* paths.c - call sequences that recur in many contexts: what no line of a tree or of a flat profile shows. */
#include <inttypes.h>

#include "base/print.h"
#include "show/report/figure_text.h"
#include "show/report/report.h"
#include "show/report/share.h"

static const char legend[] =
	" @% time    share of the run that passed under the sequence: in the contexts whose history has it.\n"
	" @time      how @long that is; a context counts once, however often recursion came by.\n"
	" contexts  how many end with the sequence.    calls  how often its last call was made there.\n"
	" Listed are sequences of two calls and more, by their @time and the number of contexts that share it, the longest\n"
	" that have nearly the same @time; of two of which one is part of the other only the first.  @Times of sequences that\n"
	" overlap do not add up.\n";

/* How many of FOUND are asked for. */
static size_t paths_count(const struct paths *found, const struct report_options *options)
{
	return options->top && options->top < found->n ? options->top : found->n;
}

/* Were the calls counted that end the sequence P? */
static bool paths_is_counted(const struct graph *g, const struct paths *found, const struct graph_path *p)
{
	return graph_counts(g, found->routines[p->first + p->length - 1]);
}

static void paths_path_print(const struct graph *g, const struct paths *found, const struct graph_path *p, FILE *out,
		       const struct report_options *options)
{
	for (uint32_t i = 0; i < p->length; i++) {
		if (i > 0)
			fputs(" -> ", out);
		print_brief(out, g->routines[found->routines[p->first + i]].name.name, g->routines[found->routines[p->first + i]].brief, &options->style);
	}
	putc('\n', out);
}

static void report_paths_print(const struct graph *g, const struct paths *found, FILE *out, const struct report_options *options)
{
	int calls = print_count_width(g->calls, 9);

	fputs("Recurring sequences of calls\n\n", out);
	print_begin(out, &options->style, 'h');
	share_heading(out, &options->style, g, g->sampled);
	fprintf(out, " %*s contexts %*s  sequence\n", PRINT_TIME, figure_heading(g), calls, "calls");
	print_end(out, &options->style);
	for (size_t i = 0; i < paths_count(found, options); i++) {
		const struct graph_path *p = found->paths + i;

		share_print(out, &options->style, g->sampled, figure_share(g, p->time), graph_run_error(g, p->time, &p->evidence));
		putc(' ', out);
		figure_print(out, g, p->time, PRINT_UNITS, PRINT_TIME);
		fprintf(out, " %8" PRIu32 " ", p->contexts);
		print_calls(out, calls, p->calls, paths_is_counted(g, found, p));
		fputs("  ", out);
		paths_path_print(g, found, p, out, options);
	}
	print_worded(out, &options->style, figure_unit(g), "\n%s", legend);
	share_legend(out, &options->style, g, g->sampled, 10);
}

bool paths_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct paths *own;
	const struct paths *found = recurring_find(in, options->top, options->min_percent, &own, err);

	if (!found)
		return false;
	if (found->n == 0)
		fprintf(out, "No sequence of two calls or more recurs in several contexts with %g %% of the run's %s.\n",
			options->min_percent, figure_word(in->graph));
	else
		report_paths_print(in->graph, found, out, options);
	paths_free(own);
	return true;
}

bool paths_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;
	struct paths *own;
	const struct paths *found = recurring_find(in, options->top, options->min_percent, &own, err);

	if (!found)
		return false;
	emit_member(e, "time_ns", emit_count(figure_run(g)));
	emit_array(e, "paths");
	for (size_t i = 0; i < paths_count(found, options); i++) {
		const struct graph_path *p = found->paths + i;
		json_t *names = json_array();

		for (uint32_t k = 0; k < p->length; k++)
			json_array_append_new(names, emit_name(g->routines[found->routines[p->first + k]].name.name));
		emit_item(e, json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "time_ns", emit_count(p->time), "error_ns",
				       share_json(graph_run_error(g, p->time, &p->evidence), figure_run(g)), "ticks", emit_count(p->ticks),
				       "calls", emit_calls(paths_is_counted(g, found, p), p->calls), "contexts", emit_count(p->contexts), "effective_contexts",
				       p->effective, "path", names));
	}
	emit_array_end(e);
	paths_free(own);
	return true;
}
