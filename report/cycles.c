/* cycles.c - the cycles of calls that were really traversed, each once, largest first. */
#include <inttypes.h>

#include "report/report.h"
#include "text/print.h"

static const char legend[] =
	" % time   share of the run of the contexts in which this cycle is the innermost.\n"
	" seconds  the same in seconds.\n"
	" calls    how often a call closed the cycle.\n"
	" ..       calls were squeezed out here: no known call.\n"
	" Direct recursion (a routine that calls itself) is not listed; the call graph shows it after a +.\n"
	" Cycles that were squeezed out of the history before its last routine was entered are not seen, and what squeezing\n"
	" left of one is not listed if no call closed it.\n";

/* A -> B -> C -> A: the first routine again at the end, to show that it closes. */
static void path_print(const struct graph *g, const struct graph_cycle *c, FILE *out, const struct report_options *options)
{
	const cycle_entry *entries = g->cycle_entries + c->first;

	for (uint32_t i = 0; i < c->length; i++) {
		print_name(out, g->routines[cycle_routine(entries[i])].name.name, &options->style);
		fputs(cycle_link_known(entries[i]) ? " -> " : " .. ", out);
	}
	print_name(out, g->routines[cycle_routine(entries[0])].name.name, &options->style);
	putc('\n', out);
}

bool cycles_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	const struct graph *g = in->graph;
	int decimals = print_decimals(g->time);
	int width = print_seconds_width(g->time, decimals, 8), calls = print_count_width(g->calls, 8);

	(void)err;
	if (g->ncycles == 0) {
		fputs("No cycle was traversed: no routine was entered again through another while it was active.\n", out);
		return true;
	}
	fprintf(out, "Cycles traversed: %" PRIu32 "\n\n", g->ncycles);
	print_begin(out, &options->style, 'h');
	fprintf(out, "%% time %*s %*s  cycle\n", width, "seconds", calls, "calls");
	print_end(out, &options->style);
	for (uint32_t i = 0; i < g->ncycles; i++) {
		const struct graph_cycle *c = &g->cycles[i];

		fprintf(out, "%6.2f ", print_percent(c->time, g->time));
		print_seconds(out, c->time, decimals, width);
		putc(' ', out);
		print_calls(out, calls, c->calls, g->counted);
		fputs("  ", out);
		path_print(g, c, out, options);
	}
	print_legend(out, &options->style, legend);
	return true;
}

bool cycles_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;

	(void)options;
	(void)err;
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
		emit_item(e, json_pack("{s:o, s:o, s:o}", "time_ns", emit_count(c->time), "calls", emit_calls(g->counted, c->calls),
				       "cycle", path));
	}
	emit_array_end(e);
	return true;
}
