/* export.h - profiles in the formats of other programs: each is one file, one row in the table of formats.c, one
 * test in which a program that others wrote opens it, and one paragraph in the manual.
 *
 * A format is a function from what a report looks at and options to a stream.  Times in nanoseconds,
 * calls with direct recursive ones; the sum of what a format holds is the graph's, what passed outside all routines included. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdio.h>

#include "show/report/report.h"

enum export_weight { EXPORT_TIME, EXPORT_CALLS };
enum export_table { EXPORT_ROUTINES, EXPORT_ARCS, EXPORT_CONTEXTS };

struct export_options {
	enum export_weight weight;	/* folded: what the number after a stack is */
	enum export_table table;	/* csv: which table */
	bool sites;			/* dot: an arc for each call site, where they were told apart */
	double min_percent;		/* dot: leave out routines and arcs below this share of the run, percent */
};

/* Write IN to OUT.  False with *ERR set when memory is short; whether OUT failed is for the caller to see. */
typedef bool export_function(const struct report_input *in, const struct export_options *options, FILE *out,
			     struct error *err);

struct export_format {
	const char *name;		/* as it is asked for */
	const char *summary;		/* one line: what opens it */
	export_function *function;	/* writes it */
	bool binary;			/* not for a terminal */
	bool arcs_do;			/* it can do without contexts */
};

/* All of them, ended by a NULL name. */
extern const struct export_format export_table[];

/* The format called NAME, or NULL. */
const struct export_format *export_find(const char *name);

/* Write IN to OUT as FORMAT, and flush it.  False with *ERR set when memory is short or OUT fails. */
bool export_write(const struct export_format *format, const struct report_input *in, const struct export_options *options,
		  FILE *out, struct error *err);

/* The formats, each in the file of its name. */
export_function callgrind_write, pprof_write, speedscope_write, firefox_write, folded_write, dot_write, json_write, csv_write,
	gmon_out_write;

#endif
