/* json.c - every report in one object, by the schema of doc/json.md. */
#include "export/export.h"

bool json_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	static const char *const reports[] = { "run", "flat", "callgraph", "never", "cycles", "contexts", "tree", "info" };
	struct report_options plain = { .json = true };

	(void)options;
	return report_print(report_table, reports, sizeof reports / sizeof *reports, in, &plain, out, err);
}
