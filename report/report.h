/* report.h - reports: each is one file, one row in the table of report.c, one golden
 * test, one paragraph in the manual: a function from a graph and options to a stream. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"
#include "graph.h"
#include "profile.h"
#include "symbols.h"

enum report_sort { REPORT_BY_DEFAULT, REPORT_BY_SELF, REPORT_BY_TOTAL, REPORT_BY_CALLS };

struct report_options {
	enum report_sort sort;	/* order of routines */
	bool brief;		/* -b: no legends */
	bool json;		/* JSON instead of text, where the report has it */
	bool colour;		/* stream is a terminal that wants colour */
	bool utf8;		/* names and lines may use UTF-8 */
	bool leaves;		/* split self time by the plain code that ran under it */
	bool lines;		/* split self time by source line */
	bool bottom_up;		/* tree: from the running routines up */
	unsigned depth;		/* tree: deepest level printed; 0: all */
	double min_percent;	/* tree: leave out what is below this share of the run */
	int width;		/* columns of the terminal; 0: unknown */
};

/* What a report can look at. */
struct report_input {
	const struct graph *graph;	/* attribution, with the profile behind it */
	struct symbols *symbols;	/* for source lines and plain code; NULL: none */
	const struct symbol *const *never; /* hooked functions never called, sorted by name; NULL: not known */
	size_t nnever;			/* how many */
	bool running;			/* some process still writes its file */
};

typedef bool report_function(const struct report_input *in, const struct report_options *options,
			     FILE *out, struct error *err);

struct report {
	const char *name;		/* as on the command line */
	const char *summary;		/* one line for --help */
	report_function *print;		/* false with *ERR set when memory is short or OUT fails */
};

/* The report called NAME, or NULL. */
const struct report *report_find(const char *name);

/* All of them, ended by a NULL name. */
extern const struct report report_table[];

#endif
