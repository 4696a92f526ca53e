/* typed_table.h - tables as aprof/profile.h hands them out: made whole, then read.
 *
 * A table is described by an array of struct column_rule, one for each column, in order; what fills it names columns by their number. */
#ifndef PUBLIC_TYPED_TABLE_H
#define PUBLIC_TYPED_TABLE_H

#include "base/arena.h"
#include "base/error.h"
#include "public/aprof/profile.h"

#define COLUMN_VALUE "value"		/* unit of a column that is in the unit of the profile's values */

/* What a column is.  Strings are static. */
struct column_rule {
	const char *name;
	enum aprof_type type;
	const char *unit;		/* NULL: none; COLUMN_VALUE: that of the profile */
	const char *refers;		/* of an index: a table; else NULL */
	const char *about;		/* a sentence */
	bool partly;			/* integers: not known of all rows */
};

struct aprof_column {
	const struct column_rule *rule;
	const char *unit;		/* "" for none */
	void *data;			/* an array of the type, zero at first; indices APROF_NONE, reals NaN */
	uint8_t *known;			/* NULL: all is known; else all 0 at first */
};

struct aprof_table {
	const char *name;		/* static */
	size_t rows;
	size_t ncolumns;
	struct aprof_column *columns;
	struct arena texts;		/* strings that are the table's own */
};

/* A table of ROWS, by its N RULES, whose values are in UNIT, which must outlive it.  NULL with *ERR set: out of memory.  Freed with columns_free. */
struct aprof_table *columns_make(const char *name, const struct column_rule *rules, size_t n, size_t rows, const char *unit, struct error *err);
void columns_free(struct aprof_table *t);

/* What column C of T has in row I. */
void column_integer(struct aprof_table *t, size_t c, size_t i, uint64_t value);	/* known, too */
void column_real(struct aprof_table *t, size_t c, size_t i, double value);
void column_index(struct aprof_table *t, size_t c, size_t i, uint32_t value);
void column_text(struct aprof_table *t, size_t c, size_t i, const char *value);	/* which must outlive T */
void column_flag(struct aprof_table *t, size_t c, size_t i, bool value);

/* The same of a string that is copied.  False: out of memory. */
bool column_copy(struct aprof_table *t, size_t c, size_t i, const char *value);

#endif
