/* of_gmon.c - gprof's view of a gmon.out, as tables.
 *
 * Times are samples, of which nobody says how sure they are; contexts there are none. */
#include "public/of_gmon.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "public/tables.h"

static bool gmon_read_all(struct of_gmon *o, const char *const *paths, size_t n, struct error *err)
{
	gmon_init(&o->gmon, o->text->layout);
	for (size_t i = 0; i < n; i++) {
		size_t len;
		void *data = files_load(paths[i], &len, err);
		bool ok = data && gmon_read(&o->gmon, data, len, GMON_AUTO, paths[i], err);

		free(data);
		if (!ok)
			return false;
	}
	return true;
}

/* Does `aprof report` list routine R in the flat profile? */
static bool is_listed(const struct gprof *g, uint32_t r)
{
	return gprof_wanted(g, r, GPROF_INCLUDE_FLAT) && (g->routines[r].calls || g->routines[r].self_calls || g->routines[r].self > 0);
}

static bool rows_make(struct of_gmon *o, struct error *err)
{
	uint32_t n = 0;

	o->flat = gprof_flat_rows(o->view);
	o->rows = calloc((size_t)o->view->nroutines + 1, sizeof *o->rows);
	if (!o->flat || !o->rows)
		return error_no_memory(err, NULL);
	for (int listed = 1; listed >= 0; listed--)
		for (uint32_t i = 0; i < o->view->nroutines; i++)
			if (is_listed(o->view, o->flat[i]) == listed)
				o->rows[o->flat[i]] = n++;
	return true;
}

bool of_gmon_open(struct of_gmon *o, const char *const *paths, size_t n, const struct aprof_options *options, struct error *err)
{
	const char *program = options->program ? options->program : access("a.out", F_OK) == 0 ? "a.out" : NULL;

	if (options->phase || options->value || options->graph.nfocus || options->graph.nhide)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: a gmon.out has no contexts, phases and values to choose from", paths[0]);
	if (!program)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: a gmon.out has addresses only; the option program names the program, too", paths[0]);
	o->text = text_read(program, &(struct text_options){ 0 }, err);
	if (!o->text || !gmon_read_all(o, paths, n, err))
		return false;
	o->view = gprof_build(&o->gmon, o->text->symbols, o->text->n, &(struct gprof_options){ 0 }, err);
	return o->view && rows_make(o, err);
}

void of_gmon_free(struct of_gmon *o)
{
	gprof_free(o->view);
	if (o->text) {
		gmon_free(&o->gmon);
		text_free(o->text);
	}
	free(o->flat);
	free(o->rows);
}

static struct aprof_table *gmon_routines(const struct of_gmon *o, struct error *err)
{
	const struct gprof *g = o->view;
	struct aprof_table *t = columns_make("routines", routine_rules, ROUTINE_COLUMNS, g->nroutines, "ns", err);

	for (uint32_t i = 0; t && i < g->nroutines; i++) {
		const struct gprof_routine *r = &g->routines[i];
		size_t row = o->rows[i];

		column_text(t, R_NAME, row, r->symbol->display);
		column_text(t, R_FILE, row, r->symbol->file);
		if (r->symbol->line)
			column_integer(t, R_LINE, row, r->symbol->line);
		column_integer(t, R_CALLS, row, r->calls);
		column_integer(t, R_RECURSIVE, row, r->self_calls);
		column_integer(t, R_SELF, row, gprof_nanoseconds(g, r->self));
		column_integer(t, R_TOTAL, row, gprof_nanoseconds(g, r->self + r->child));
		column_integer(t, R_SELF_SAMPLES, row, (uint64_t)(r->self + 0.5));
		column_integer(t, R_TOTAL_SAMPLES, row, (uint64_t)(r->self + r->child + 0.5));
		column_flag(t, R_LISTED, row, is_listed(g, i));
	}
	return t;
}

static struct aprof_table *gmon_arcs(const struct of_gmon *o, struct error *err)
{
	const struct gprof *g = o->view;
	struct aprof_table *t = columns_make("arcs", arc_rules, ARC_COLUMNS, g->narcs, "ns", err);

	for (uint32_t i = 0; t && i < g->narcs; i++) {
		const struct gprof_arc *a = &g->arcs[i];
		uint64_t self = gprof_nanoseconds(g, a->self), children = gprof_nanoseconds(g, a->child);

		column_index(t, A_CALLER, i, o->rows[a->from]);
		column_index(t, A_CALLEE, i, o->rows[a->to]);
		column_integer(t, A_CALLS, i, a->calls);
		column_integer(t, A_SELF, i, self);
		column_integer(t, A_OUT_SELF, i, self);
		column_integer(t, A_CHILDREN, i, children);
		column_integer(t, A_OUT_CHILDREN, i, children);
		column_flag(t, A_FOLDED, i, gprof_is_inner(g, a));
	}
	return t;
}

struct aprof_table *of_gmon_table(const struct of_gmon *o, const char *name, struct error *err)
{
	if (strcmp(name, "routines") == 0)
		return gmon_routines(o, err);
	if (strcmp(name, "arcs") == 0)
		return gmon_arcs(o, err);
	error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: a gmon.out has routines and arcs alone", name);
	return NULL;
}
