/* report.c - the table of reports on an amon.out, and the frame around what they print. */
#include "show/report/report.h"

#include <errno.h>
#include <string.h>

#include "show/report/version.h"

const struct report report_table[] = {
	{ "run", "what ran, how it was measured, what was lost", head_text, head_json },
	{ "flat", "routines by their own time", flat_text, flat_json },
	{ "callgraph", "each routine with its callers and callees", callgraph_text, callgraph_json },
	{ "never", "routines with hooks that were never called", never_text, never_json },
	{ "index", "routines by name, with their numbers in the call graph", index_text, index_json },
	{ "tree", "histories as a tree", tree_text, tree_json },
	{ "cycles", "cycles that were traversed", cycles_text, cycles_json },
	{ "annotate", "the source of a routine, with times and calls", annotate_text, annotate_json },
	{ "hot", "where to look first", hot_text, hot_json },
	{ "compare-models", "gprof's model next to what was measured", compare_text, compare_json },
	{ "paths", "call sequences that recur", paths_text, paths_json },
	{ "contexts", "every context, one a line", contexts_text, contexts_json },
	{ "imbalance", "contexts by how much the ranks of an MPI job differ", imbalance_text, imbalance_json },
	{ "mpi", "calls of MPI, by routine and caller", mpi_text, mpi_json },
	{ "info", "what is in the files", info_text, info_json },
	{ NULL, NULL, NULL, NULL },
};

const struct report *report_find(const struct report *table, const char *name)
{
	for (const struct report *r = table; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

static bool print_text(const struct report *table, const char *const *names, size_t n, const struct report_input *in,
		       const struct report_options *options, FILE *out, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && !options->screen)
			fputs(in->gmon ? "\f\n" : "\n", out);
		if (!report_find(table, names[i])->text(in, options, out, err))
			return false;
	}
	return true;
}

bool report_is_amount(const char *name)
{
	static const char *const times[] = { "cpu_ns", "elapsed_ns", "from_ns", "interval_ns", "start_ns", "system_ns", "to_ns", "user_ns" };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (strcmp(name, times[i]) == 0)
			return false;
	return true;
}

static bool print_json(const struct report *table, const char *const *names, size_t n, const struct report_input *in,
		       const struct report_options *options, FILE *out, struct error *err)
{
	struct emit e;

	emit_begin_later(&e, out, "aprof-report-1", APROF_VERSION);
	e.is_amount = in->graph && !profile_is_time(in->graph->profile) ? report_is_amount : NULL;
	for (size_t i = 0; i < n; i++)
		if (!report_find(table, names[i])->json(in, options, &e, err)) {
			emit_fail(&e, err->text[0] ? err->text : error_name(err->code));
			return false;
		}
	emit_end(&e);
	if (e.failed)
		return error_no_memory(err, "writing JSON");
	return true;
}

bool report_print(const struct report *table, const char *const *names, size_t n, const struct report_input *in,
		  const struct report_options *options, FILE *out, struct error *err)
{
	bool (*print)(const struct report *, const char *const *, size_t, const struct report_input *, const struct report_options *,
		      FILE *, struct error *) = options->json ? print_json : print_text;

	if (!print(table, names, n, in, options, out, err))
		return false;
	if (fflush(out) != 0 || ferror(out))
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write the report: %s", strerror(errno));
	return true;
}
