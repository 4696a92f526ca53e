/* opened.c - profiles: open, ask for tables, free. */
#include "public/opened.h"

#include <stdlib.h>
#include <string.h>

#include "public/failure.h"

static const struct {
	const char *name;
	opened_make *make;
} tables[OPENED_TABLES] = {
	{ "routines", routines_make }, { "arcs", arcs_make }, { "contexts", contexts_make }, { "tree", tree_make }, { "findings", findings_make }, { "values", values_make }, { "runs", runs_make },
};

const char *aprof_version(void) { return APROF_VERSION; }

/* Number the routines as reports list them; the others, which contexts may have, follow. */
static bool rows_number(struct aprof_profile *p, struct error *err)
{
	const struct graph *g = p->input.graph;
	uint32_t n;

	if (!order_make(&p->order, g, REPORT_BY_SELF, false, false, err))
		return false;
	p->rows = calloc((size_t)g->nroutines + 1, sizeof *p->rows);
	if (!p->rows)
		return error_no_memory(err, NULL);
	n = p->order.n;
	for (uint32_t i = 0; i < g->nroutines; i++)
		p->rows[i] = p->order.number[i] ? p->order.number[i] - 1 : n++;
	return true;
}

static bool opened_build(struct aprof_profile *p, const char *const *paths, size_t n, const struct aprof_options *options, struct error *err)
{
	p->asked = asked_copy(options);
	if (!p->asked)
		return error_no_memory(err, NULL);
	if (n == 0)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "no file to open");
	heard_begin(&p->heard);
	if (files_kind(paths[0]) == FILE_GMON)
		return of_gmon_open(&p->gmon, paths, n, p->asked, err);
	p->input = asked_input(p->asked, &p->heard.listener);
	if (!asked_build(&p->input, paths, n, p->asked, err) || !rows_number(p, err))
		return false;
	p->unit = profile_value_of(p->input.profile)->unit;
	heard_lives(&p->heard, &p->input);
	heard_symbols(&p->heard, p->input.symbols);
	return true;
}

struct aprof_profile *aprof_open_files(const char *const *paths, size_t n, const struct aprof_options *options, struct aprof_error **error)
{
	struct aprof_profile *p = calloc(1, sizeof *p);
	struct error err;

	if (!p) {
		error_no_memory(&err, NULL);
	} else {
		pthread_mutex_init(&p->lock, NULL);
		if (opened_build(p, paths, n, options, &err))
			return p;
		aprof_profile_free(p);
	}
	failure_tell(error, &err);
	return NULL;
}

struct aprof_profile *aprof_open(const char *path, const struct aprof_options *options, struct aprof_error **error)
{
	return aprof_open_files(&path, 1, options, error);
}

void aprof_profile_free(struct aprof_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < OPENED_TABLES; i++)
		columns_free(profile->tables[i]);
	of_gmon_free(&profile->gmon);
	tree_free(profile->tree);
	order_free(&profile->order);
	free(profile->rows);
	input_free(&profile->input);
	heard_free(&profile->heard);
	aprof_options_free(profile->asked);
	pthread_mutex_destroy(&profile->lock);
	free(profile);
}

const char *aprof_profile_note(struct aprof_profile *profile, size_t i)
{
	const char *note;

	pthread_mutex_lock(&profile->lock);
	note = i < profile->heard.n ? profile->heard.notes[i] : NULL;
	pthread_mutex_unlock(&profile->lock);
	return note;
}

static const struct aprof_table *opened_table(struct aprof_profile *p, const char *name, struct error *err)
{
	for (size_t i = 0; i < OPENED_TABLES; i++)
		if (strcmp(name, tables[i].name) == 0) {
			if (!p->tables[i])
				p->tables[i] = p->gmon.view ? of_gmon_table(&p->gmon, name, err) : tables[i].make(p, err);
			if (p->input.symbols)
				heard_symbols(&p->heard, p->input.symbols);
			return p->tables[i];
		}
	error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: a profile has no such table", name);
	return NULL;
}

const struct aprof_table *aprof_profile_table(struct aprof_profile *profile, const char *name, struct aprof_error **error)
{
	const struct aprof_table *table;
	struct error err;

	pthread_mutex_lock(&profile->lock);
	table = opened_table(profile, name, &err);
	pthread_mutex_unlock(&profile->lock);
	if (!table)
		failure_tell(error, &err);
	return table;
}
