/* json.c - every report in one object, by the schema of doc/json.md. */
#include "show/export/export.h"

bool json_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	static const char *const all[] = { "run", "flat", "callgraph", "never", "cycles", "contexts", "tree", "info" };
	static const char *const of_arcs[] = { "run", "flat", "callgraph", "never", "info" };
	struct report_options plain = { .json = true };

	(void)options;
	return in->graph->arcs_alone ? report_print(report_table, of_arcs, sizeof of_arcs / sizeof *of_arcs, in, &plain, out, err) :
		report_print(report_table, all, sizeof all / sizeof *all, in, &plain, out, err);
}
