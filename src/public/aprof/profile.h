/* aprof/profile.h - what a profile says, for programs: the library behind `aprof report`, `aprof contexts`, `aprof hot` and `aprof diff`.
 *
 *     struct aprof_error *error = NULL;
 *     struct aprof_profile *profile = aprof_open("amon.out", NULL, &error);
 *     const struct aprof_table *routines = profile ? aprof_profile_table(profile, "routines", &error) : NULL;
 *     ... aprof_integers(routines, "self")[i], aprof_texts(routines, "name")[i] ...
 *     aprof_profile_free(profile);
 *
 * A profile, and a comparison of profiles, has tables.  A table has rows, and columns with names: each column is one array, with the unit of what is in
 * it.  libaprof(3) lists the tables and their columns; aprof_table_column walks them.  What was spent is in whole nanoseconds; where another value is looked at (bytes, cycles,
 * page faults: the option value), the same columns are of that, in its unit.
 *
 * Errors.  What fails returns NULL or false and, unless ERROR is NULL, sets *ERROR, which the caller frees with aprof_error_free.  On success *ERROR
 * stays as it is.  The library prints nothing and ends no process.  A file may be hostile: it is refused, or read as far as it can be trusted.
 *
 * Ownership.  What aprof_open, aprof_open_files, aprof_compare and aprof_options_new return is the caller's, who frees it with the function of its name;
 * NULL may be freed, too.  Everything else, tables and columns and their strings, belongs to the profile or the comparison that it was asked of, and is gone
 * with it.  Nothing that was returned changes until then.
 *
 * Threads.  Two threads may use two handles at once without a word, and one handle as well: a table is made when it is first asked for, by one of them.
 * A handle is freed when nobody uses it any more.
 *
 * Files.  The library opens the files it is told to, the programs and debug files that profiles name, and, beside a profile, call stacks of the same run.
 * It writes none.
 *
 * The interface is stable within a major version (the 1 of libaprof.so.1): functions, tables and columns are added, and none goes or changes. */
#ifndef APROF_PROFILE_H
#define APROF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct aprof_error;		/* why something failed */
struct aprof_options;		/* what is asked of a profile */
struct aprof_profile;		/* one profile, or the sum of several */
struct aprof_comparison;	/* two sets of runs side by side */
struct aprof_table;		/* rows */
struct aprof_column;		/* one array of a table */

#define APROF_NONE UINT32_MAX	/* an index that leads nowhere */

/* The version of the library, such as "0.9.0". */
const char *aprof_version(void);

/* ---- errors ---- */

enum aprof_error_kind {
	APROF_ERROR_MEMORY = 1,	/* out of memory */
	APROF_ERROR_SYSTEM,	/* a file cannot be opened or read */
	APROF_ERROR_FILE,	/* a file is no profile, is corrupt, or is of another version of aprof */
	APROF_ERROR_MISMATCH,	/* profiles do not go together, or the program is not the one that was profiled */
	APROF_ERROR_USAGE,	/* no such option, table or value, or a name that means no routine */
};

enum aprof_error_kind aprof_error_kind(const struct aprof_error *error);

/* What went wrong, a whole sentence of one line or more without a final newline.  Owned by ERROR.  Names in it are as files have them: whoever prints it on
 * a terminal escapes it first. */
const char *aprof_error_text(const struct aprof_error *error);

void aprof_error_free(struct aprof_error *error);

/* ---- options ---- */

/* No options: everything of the whole run, the hooks' cost subtracted.  NULL: out of memory. */
struct aprof_options *aprof_options_new(void);
void aprof_options_free(struct aprof_options *options);

/* Set the option NAME to VALUE, which is copied.  They are those of `aprof report`:
 *
 *     program  FILE     the main program, where it is not where the profile says; NULL again: as the profile says
 *     focus    NAME     contexts in which no such routine is active are left out; given several times: none of these
 *     hide     NAME     the frames of such routines are their callers'; may be given several times
 *     model    NAME     who pays: history, gprof or cct
 *     value    NAME     another value than the first, a row of the table values: calls, bytes, cycles, ...
 *     phase    NAME     only this phase of the run
 *     raw      yes|no   whether the hooks' cost stays in the times
 *
 * False with *ERROR set: no such option, or no such value of it. */
bool aprof_options_set(struct aprof_options *options, const char *name, const char *value, struct aprof_error **error);

/* ---- profiles ---- */

/* Open the profile at PATH: an amon.out, finished or still being written, or another program's that `aprof report` opens;
 * of a gmon.out, for which OPTIONS name the program, there are routines and arcs.  OPTIONS, NULL for
 * none, may be freed afterwards.  NULL with *ERROR set. */
struct aprof_profile *aprof_open(const char *path, const struct aprof_options *options, struct aprof_error **error);

/* Open the N profiles at PATHS and add them up: 1 at least. */
struct aprof_profile *aprof_open_files(const char *const *paths, size_t n, const struct aprof_options *options, struct aprof_error **error);

void aprof_profile_free(struct aprof_profile *profile);

/* What whoever shows the profile is to tell, line I from 0 on: symbols that were not found, a process that died; NULL past the last.  A line may come with each
 * table that is made. */
const char *aprof_profile_note(struct aprof_profile *profile, size_t i);

/* The table NAME of PROFILE: "routines", "arcs", "contexts", "tree", "findings", "values", "runs".  It is made when it is first asked for.  NULL with *ERROR
 * set: there is no such table, the profile has no such thing (contexts, where a file tells of arcs alone), or memory is short. */
const struct aprof_table *aprof_profile_table(struct aprof_profile *profile, const char *name, struct aprof_error **error);

/* ---- comparisons ---- */

/* Compare the NBASE runs at BASE with the NFRESH runs at FRESH, 1 at least each.  NULL with *ERROR set. */
struct aprof_comparison *aprof_compare(const char *const *base, size_t nbase, const char *const *fresh, size_t nfresh,
				       const struct aprof_options *options, struct aprof_error **error);
void aprof_comparison_free(struct aprof_comparison *comparison);

/* As aprof_profile_note. */
const char *aprof_comparison_note(struct aprof_comparison *comparison, size_t i);

/* The table NAME of COMPARISON: "verdict", of one row, "routines", "arcs", "contexts", "runs". */
const struct aprof_table *aprof_comparison_table(struct aprof_comparison *comparison, const char *name, struct aprof_error **error);

/* ---- tables ---- */

size_t aprof_table_rows(const struct aprof_table *table);
size_t aprof_table_columns(const struct aprof_table *table);

/* Column I, from 0 on; NULL past the last. */
const struct aprof_column *aprof_table_column(const struct aprof_table *table, size_t i);

/* The column NAME; NULL: there is none. */
const struct aprof_column *aprof_table_find(const struct aprof_table *table, const char *name);

/* What a column has for each row. */
enum aprof_type {
	APROF_INTEGER = 1,	/* uint64_t: times, counts */
	APROF_REAL,		/* double; NaN: not known */
	APROF_INDEX,		/* uint32_t: a row of the table aprof_column_refers names; APROF_NONE: none */
	APROF_TEXT,		/* const char *, ended by NUL, as files have it; NULL: not known */
	APROF_FLAG,		/* uint8_t, 0 or 1 */
};

const char *aprof_column_name(const struct aprof_column *column);
enum aprof_type aprof_column_type(const struct aprof_column *column);

/* The unit: "ns", "bytes", "calls", "samples", ...; "" of what has none. */
const char *aprof_column_unit(const struct aprof_column *column);

/* What it holds, in a sentence. */
const char *aprof_column_about(const struct aprof_column *column);

/* The table whose rows an index counts, of the same profile or comparison; "" of what is no index. */
const char *aprof_column_refers(const struct aprof_column *column);

/* For each row whether its integer is known, 0 or 1; NULL: all are.  What is not known is 0. */
const uint8_t *aprof_column_known(const struct aprof_column *column);

/* The array, of aprof_table_rows items.  NULL: the column is of another type. */
const uint64_t *aprof_column_integers(const struct aprof_column *column);
const double *aprof_column_reals(const struct aprof_column *column);
const uint32_t *aprof_column_indices(const struct aprof_column *column);
const char *const *aprof_column_texts(const struct aprof_column *column);
const uint8_t *aprof_column_flags(const struct aprof_column *column);

/* The same of the column NAME of TABLE.  NULL: there is none, or it is of another type. */
const uint64_t *aprof_integers(const struct aprof_table *table, const char *name);
const double *aprof_reals(const struct aprof_table *table, const char *name);
const uint32_t *aprof_indices(const struct aprof_table *table, const char *name);
const char *const *aprof_texts(const struct aprof_table *table, const char *name);
const uint8_t *aprof_flags(const struct aprof_table *table, const char *name);

#ifdef __cplusplus
}
#endif

#endif
