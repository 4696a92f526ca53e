/* found.c - what `aprof hot` finds, as a table: a row for each routine of each list, in the order of the report. */
#include <stdio.h>
#include <stdlib.h>

#include "public/opened.h"

enum { LISTED = 1 + HOT_LISTED };	/* of a case, as the report has them */

enum { F_KIND, F_NAME, F_ROUTINE, F_MODULE, F_CALLED, F_TIME, F_ERROR, F_CALLS, F_CALLER, F_CALLER_TIME, F_PATH };

static const struct column_rule finding_rules[] = {
	[F_KIND] = { "kind", APROF_TEXT, NULL, NULL, "own: most time in its own code; total: most in all; heavy: its time is its own; library: do its callers need all that it does; sequence: calls that recur in many contexts; one_callee: most of its time is one callee's", false },
	[F_NAME] = { "name", APROF_TEXT, NULL, NULL, "the routine, or the code without hooks; of a sequence its last routine", false },
	[F_ROUTINE] = { "routine", APROF_INDEX, NULL, "routines", "its row; none: code without hooks", false },
	[F_MODULE] = { "module", APROF_TEXT, NULL, NULL, "file name of its module", false },
	[F_CALLED] = { "called", APROF_TEXT, NULL, NULL, "of code without hooks the name by which it was called, if that is another; of one_callee the callee", false },
	[F_TIME] = { "value", APROF_INTEGER, COLUMN_VALUE, NULL, "for which it is listed: in its own code, in all, of the calls of the library routine, of the sequence, of the callee", false },
	[F_ERROR] = { "error", APROF_REAL, COLUMN_VALUE, NULL, "by so much that may be off, with a confidence of 95 %", false },
	[F_CALLS] = { "calls", APROF_INTEGER, "calls", NULL, "calls; not known of code without hooks, and of sampled stacks", true },
	[F_CALLER] = { "caller", APROF_INDEX, NULL, "routines", "on whose behalf most of it passed; none: not known", false },
	[F_CALLER_TIME] = { "caller_value", APROF_INTEGER, COLUMN_VALUE, NULL, "what passed on behalf of that", true },
	[F_PATH] = { "path", APROF_TEXT, NULL, NULL, "of a sequence: its routines, the caller first, joined by \" -> \"", false },
};

/* What is filled, and where it goes on. */
struct filling {
	struct aprof_table *t;
	const struct aprof_profile *p;
	const struct hot_cases *cases;
	size_t row;
	bool ok;			/* memory was not short so far */
};

static size_t listed(const struct hot_list *list, size_t most) { return list->n < most ? list->n : most; }

static void hot_fill(struct filling *f, const char *kind, const struct hot *hot)
{
	const struct graph *g = f->p->input.graph;
	size_t row = f->row++;

	column_text(f->t, F_KIND, row, kind);
	f->ok &= column_copy(f->t, F_NAME, row, hot->name) && column_copy(f->t, F_MODULE, row, hot->module) && column_copy(f->t, F_CALLED, row, hot->called);
	column_index(f->t, F_ROUTINE, row, opened_row(f->p, hot->routine));
	column_integer(f->t, F_TIME, row, hot->time);
	column_real(f->t, F_ERROR, row, opened_error(graph_run_error(g, hot->time, &hot->evidence), f->cases->whole));
	if (hot->routine != GRAPH_NONE && graph_counts(g, hot->routine))
		column_integer(f->t, F_CALLS, row, hot->calls);
	if (hot->ncallers) {
		column_index(f->t, F_CALLER, row, opened_row(f->p, hot->callers[0].routine));
		column_integer(f->t, F_CALLER_TIME, row, hot->callers[0].time);
	}
}

static void list_fill(struct filling *f, const char *kind, const struct hot_list *list, size_t most)
{
	for (size_t i = 0; i < listed(list, most); i++)
		hot_fill(f, kind, &list->hot[i]);
}

/* "main -> parse -> read", malloc'ed; NULL: out of memory. */
static char *path_text(const struct graph *g, const uint32_t *routines, uint32_t n)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	for (uint32_t i = 0; memory && i < n; i++)
		fprintf(memory, "%s%s", i ? " -> " : "", g->routines[routines[i]].name.name);
	if (memory && fclose(memory) == 0)
		return text;
	free(text);
	return NULL;
}

static void sequence_fill(struct filling *f, const struct graph_path *path)
{
	const struct graph *g = f->p->input.graph;
	const uint32_t *routines = &f->cases->paths->routines[path->first];
	uint32_t last = routines[path->length - 1];
	char *text = path_text(g, routines, path->length);
	size_t row = f->row++;

	column_text(f->t, F_KIND, row, "sequence");
	column_text(f->t, F_NAME, row, g->routines[last].name.name);
	column_index(f->t, F_ROUTINE, row, opened_row(f->p, last));
	column_integer(f->t, F_TIME, row, path->time);
	column_real(f->t, F_ERROR, row, opened_error(graph_run_error(g, path->time, &path->evidence), f->cases->whole));
	if (graph_counts(g, last))
		column_integer(f->t, F_CALLS, row, path->calls);
	f->ok &= text && column_copy(f->t, F_PATH, row, text);
	free(text);
}

static void errand_fill(struct filling *f, const struct hot_errand *e)
{
	const struct graph *g = f->p->input.graph;
	const struct graph_routine *r = &g->routines[e->routine];
	size_t row = f->row++;

	column_text(f->t, F_KIND, row, "one_callee");
	column_text(f->t, F_NAME, row, r->name.name);
	column_index(f->t, F_ROUTINE, row, opened_row(f->p, e->routine));
	f->ok &= column_copy(f->t, F_CALLED, row, e->callee);
	column_integer(f->t, F_TIME, row, e->time);
	column_real(f->t, F_ERROR, row, opened_error(graph_error(g, e->time, &e->evidence, r->total, &r->total_evidence), r->total));
	if (graph_counts(g, e->routine))
		column_integer(f->t, F_CALLS, row, r->calls);
}

static struct aprof_table *cases_table(const struct aprof_profile *p, const struct hot_cases *c, struct error *err)
{
	const struct graph_path *path = hot_cases_path(c);
	size_t n = listed(&c->by_own, HOT_TOP) + listed(&c->by_total, HOT_TOP) + listed(&c->heavy, LISTED) + listed(&c->library, LISTED)
		+ (path != NULL) + (c->errand.callee != NULL);
	struct filling f = { .t = columns_make("findings", finding_rules, sizeof finding_rules / sizeof *finding_rules, n, p->unit, err), .p = p, .cases = c, .ok = true };

	if (!f.t)
		return NULL;
	list_fill(&f, "own", &c->by_own, HOT_TOP);
	list_fill(&f, "total", &c->by_total, HOT_TOP);
	list_fill(&f, "heavy", &c->heavy, LISTED);
	list_fill(&f, "library", &c->library, LISTED);
	if (path)
		sequence_fill(&f, path);
	if (c->errand.callee)
		errand_fill(&f, &c->errand);
	if (f.ok)
		return f.t;
	columns_free(f.t);
	error_no_memory(err, NULL);
	return NULL;
}

struct aprof_table *findings_make(struct aprof_profile *p, struct error *err)
{
	struct hot_cases cases;
	struct aprof_table *t = hot_cases_find(&cases, &p->input.report, err) ? cases_table(p, &cases, err) : NULL;

	hot_cases_free(&cases);
	return t;
}
