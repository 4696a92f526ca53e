/* typed_table.c - tables: an array for each column, and nothing that depends on what is in them. */
#include "public/typed_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t item_size(enum aprof_type type)
{
	switch (type) {
	case APROF_INDEX: return sizeof(uint32_t);
	case APROF_TEXT: return sizeof(char *);
	case APROF_FLAG: return sizeof(uint8_t);
	default: return sizeof(uint64_t);
	}
}

/* What nobody fills is not known. */
static void column_blank(struct aprof_column *c, size_t rows)
{
	if (c->rule->type == APROF_INDEX)
		memset(c->data, 0xff, rows * sizeof(uint32_t));
	for (size_t i = 0; c->rule->type == APROF_REAL && i < rows; i++)
		((double *)c->data)[i] = NAN;
}

static bool column_make(struct aprof_column *c, const struct column_rule *rule, size_t rows, const char *unit)
{
	c->rule = rule;
	c->unit = !rule->unit ? "" : strcmp(rule->unit, COLUMN_VALUE) == 0 ? unit : rule->unit;
	c->data = calloc(rows + 1, item_size(rule->type));
	c->known = rule->partly ? calloc(rows + 1, 1) : NULL;
	if (!c->data || (rule->partly && !c->known))
		return false;
	column_blank(c, rows);
	return true;
}

struct aprof_table *columns_make(const char *name, const struct column_rule *rules, size_t n, size_t rows, const char *unit, struct error *err)
{
	struct aprof_table *t = calloc(1, sizeof *t);

	if (t)
		*t = (struct aprof_table){ .name = name, .rows = rows, .columns = calloc(n, sizeof *t->columns) };
	if (!t || !t->columns) {
		free(t);
		error_no_memory(err, NULL);
		return NULL;
	}
	for (t->ncolumns = 0; t->ncolumns < n; t->ncolumns++)
		if (!column_make(&t->columns[t->ncolumns], &rules[t->ncolumns], rows, unit)) {
			t->ncolumns++;
			columns_free(t);
			error_no_memory(err, NULL);
			return NULL;
		}
	return t;
}

void columns_free(struct aprof_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->ncolumns; i++) {
		free(t->columns[i].data);
		free(t->columns[i].known);
	}
	free(t->columns);
	arena_free(&t->texts);
	free(t);
}

void column_integer(struct aprof_table *t, size_t c, size_t i, uint64_t value)
{
	((uint64_t *)t->columns[c].data)[i] = value;
	if (t->columns[c].known)
		t->columns[c].known[i] = 1;
}

void column_real(struct aprof_table *t, size_t c, size_t i, double value)
{
	((double *)t->columns[c].data)[i] = value;
}

void column_index(struct aprof_table *t, size_t c, size_t i, uint32_t value)
{
	((uint32_t *)t->columns[c].data)[i] = value;
}

void column_text(struct aprof_table *t, size_t c, size_t i, const char *value)
{
	((const char **)t->columns[c].data)[i] = value;
}

void column_flag(struct aprof_table *t, size_t c, size_t i, bool value)
{
	((uint8_t *)t->columns[c].data)[i] = value;
}

bool column_copy(struct aprof_table *t, size_t c, size_t i, const char *value)
{
	char *copy = value ? arena_copy(&t->texts, value, strlen(value)) : NULL;

	column_text(t, c, i, copy);
	return copy || !value;
}

/* ---- what users call ---- */

size_t aprof_table_rows(const struct aprof_table *table) { return table->rows; }
size_t aprof_table_columns(const struct aprof_table *table) { return table->ncolumns; }

const struct aprof_column *aprof_table_column(const struct aprof_table *table, size_t i)
{
	return i < table->ncolumns ? &table->columns[i] : NULL;
}

const struct aprof_column *aprof_table_find(const struct aprof_table *table, const char *name)
{
	for (size_t i = 0; i < table->ncolumns; i++)
		if (strcmp(table->columns[i].rule->name, name) == 0)
			return &table->columns[i];
	return NULL;
}

const char *aprof_column_name(const struct aprof_column *column) { return column->rule->name; }
enum aprof_type aprof_column_type(const struct aprof_column *column) { return column->rule->type; }
const char *aprof_column_unit(const struct aprof_column *column) { return column->unit; }
const char *aprof_column_about(const struct aprof_column *column) { return column->rule->about; }
const char *aprof_column_refers(const struct aprof_column *column) { return column->rule->refers ? column->rule->refers : ""; }
const uint8_t *aprof_column_known(const struct aprof_column *column) { return column->known; }

static const void *column_of(const struct aprof_column *column, enum aprof_type type)
{
	return column && column->rule->type == type ? column->data : NULL;
}

const uint64_t *aprof_column_integers(const struct aprof_column *column) { return column_of(column, APROF_INTEGER); }
const double *aprof_column_reals(const struct aprof_column *column) { return column_of(column, APROF_REAL); }
const uint32_t *aprof_column_indices(const struct aprof_column *column) { return column_of(column, APROF_INDEX); }
const char *const *aprof_column_texts(const struct aprof_column *column) { return column_of(column, APROF_TEXT); }
const uint8_t *aprof_column_flags(const struct aprof_column *column) { return column_of(column, APROF_FLAG); }

const uint64_t *aprof_integers(const struct aprof_table *table, const char *name) { return column_of(aprof_table_find(table, name), APROF_INTEGER); }
const double *aprof_reals(const struct aprof_table *table, const char *name) { return column_of(aprof_table_find(table, name), APROF_REAL); }
const uint32_t *aprof_indices(const struct aprof_table *table, const char *name) { return column_of(aprof_table_find(table, name), APROF_INDEX); }
const char *const *aprof_texts(const struct aprof_table *table, const char *name) { return column_of(aprof_table_find(table, name), APROF_TEXT); }
const uint8_t *aprof_flags(const struct aprof_table *table, const char *name) { return column_of(aprof_table_find(table, name), APROF_FLAG); }
