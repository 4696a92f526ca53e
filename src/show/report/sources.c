/* sources.c - the source of the heaviest routines, for the page. */
#include <stdlib.h>

#include "base/escape.h"
#include "show/report/annotated_source.h"

enum { MOST_ROUTINES = 30, MOST_LINES = 1000 };	/* by each of the two times; of each */

/* The lines of L's routine. */
static json_t *text_json(struct source_text *t, const struct lines *l)
{
	json_t *array = json_array();

	while (!annotated_source_at_end(t) && t->line < l->first)
		annotated_source_next(t);
	for (; !annotated_source_at_end(t) && t->line <= l->last && json_array_size(array) < MOST_LINES; annotated_source_next(t)) {
		char *line = annotated_source_line(t);
		size_t size = line ? escape_string(NULL, 0, line, ESCAPE_SOURCE) + 1 : 0;
		char *harmless = size ? malloc(size) : NULL;

		if (harmless)
			escape_string(harmless, size, line, ESCAPE_SOURCE);
		json_array_append_new(array, json_string(harmless ? harmless : ""));
		free(harmless);
		free(line);
	}
	return array;
}

/* The source of ROUTINE, if it can be read.  False: out of memory. */
static bool source_json(const struct report_input *in, const struct leaves *leaves, uint32_t routine, struct emit *e, struct error *err)
{
	struct error missing;
	struct lines l;
	struct source_text t;
	json_t *json;

	if (!lines_make(&l, in, leaves, routine, err))
		return false;
	if (annotated_source_read(&t, &l, in, &missing)) {
		json = annotated_source_json(in->graph, &l);
		json_object_set_new(json, "routine", emit_count(routine));
		json_object_set_new(json, "text", text_json(&t, &l));
		emit_item(e, json);
	}
	lines_free(&l);
	return true;
}

struct heavy {
	uint32_t routine;
	uint64_t time;		/* self or total, ns */
};

static int sources_by_time(const void *left, const void *right)
{
	const struct heavy *a = left, *b = right;

	return a->time != b->time ? (a->time < b->time) - (a->time > b->time) : (a->routine > b->routine) - (a->routine < b->routine);
}

/* Mark the routines of G that are heaviest by SELF time, or by total. */
static bool heaviest_mark(const struct graph *g, bool self, bool *marked)
{
	struct heavy *all = calloc((size_t)g->nroutines + 1, sizeof *all);

	for (uint32_t i = 0; all && i < g->nroutines; i++)
		all[i] = (struct heavy){ i, self ? g->routines[i].self : g->routines[i].total };
	if (all)
		qsort(all, g->nroutines, sizeof *all, sources_by_time);
	for (uint32_t i = 0; all && i < g->nroutines && i < MOST_ROUTINES && all[i].time > 0; i++)
		marked[all[i].routine] = true;
	free(all);
	return all != NULL;
}

bool sources_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;
	bool *marked = calloc((size_t)g->nroutines + 1, sizeof *marked);
	struct leaves leaves = { 0 };
	bool ok = marked && heaviest_mark(g, true, marked) && heaviest_mark(g, false, marked);

	(void)options;
	if (!ok)
		error_no_memory(err, NULL);
	ok = ok && annotated_source_leaves(&leaves, in, err);
	emit_array(e, "sources");
	for (uint32_t i = 0; ok && i < g->nroutines; i++)
		if (marked[i])
			ok = source_json(in, &leaves, i, e, err);
	emit_array_end(e);
	leaves_free(&leaves);
	free(marked);
	return ok;
}
