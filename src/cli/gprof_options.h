/* gprof_options.h - the options of GNU gprof's command line: what they choose. */
#ifndef GPROF_OPTIONS_H
#define GPROF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "understand/analysis.h"

/* What gprof can print, as bits. */
enum {
	VIEW_FLAT = 1,		/* -p: flat profile */
	VIEW_GRAPH = 2,		/* -q: call graph, with its index */
	VIEW_COUNTS = 4,	/* -C: execution counts */
	VIEW_SOURCE = 8,	/* -A: annotated source */
	VIEW_FUNCTIONS = 16,	/* -r: an order of functions for a linker */
	VIEW_FILES = 32,	/* -R: an order of object files */
	VIEW_INFO = 64,		/* -i: what is in the files */
	VIEW_SUM = 128,		/* -s: gmon.sum or amon.sum is written */
};

struct gprof_choice {
	unsigned views;			/* asked for, by the last option that speaks of each */
	unsigned named;			/* asked for or against */
	struct gprof_spec *specs;	/* routines, files, lines and arcs that options named; texts point into argv */
	size_t nspecs;			/* how many */
	enum gmon_format format;	/* -O */
	bool lines;			/* -l: by source line */
	bool no_static;			/* -a: static functions belong to the ones before them */
	bool functions_only;		/* -D: static symbols that are not functions belong to the ones before them */
	bool mangled;			/* --no-demangle */
	const char *table;		/* -S: file with the symbols; NULL: the program has them */
	const char *map;		/* -R: file that maps symbols to object files; NULL: not asked for */
	bool file_names;		/* --inline-file-names */
	bool letters[128];		/* which options with a letter were given */
};

/* Take option KEY, a letter or one of the keys below, with its ARGUMENT, NULL if it has none.  *MINE tells whether it is one of gprof's; false
 * after a message when it is and its argument is bad. */
bool gprof_option_set(struct gprof_choice *c, int key, char *argument, bool *mine);

/* Options without a letter; the numbers are not those of option_table.h. */
enum { KEY_DEMANGLE = 600, KEY_NO_DEMANGLE, KEY_FILE_NAMES };

/* Whether what was chosen goes together; false after a message. */
bool gprof_choice_check(const struct gprof_choice *c);

/* Say once of each option that was chosen and has no meaning for an amon.out that it is ignored, and what does the same. */
void gprof_choice_tell(const struct gprof_choice *c);

/* What to print: what was asked for, or else what is so by DEFAULTS and was not declined. */
unsigned gprof_views(const struct gprof_choice *c, unsigned defaults);

/* Free what gprof_option_set allocated. */
void gprof_choice_free(struct gprof_choice *c);

#endif
