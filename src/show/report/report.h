/* report.h - reports: each is one file, one row in the table of report.c, one golden
 * test, one paragraph in the manual: a function from a graph and options to a stream.
 *
 * A report does no I/O but on the stream that it is given, and includes no other
 * report.  Text goes out line by line; JSON item by item, so that neither is ever whole in memory. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/emit.h"
#include "base/error.h"
#include "understand/analysis.h"

/* Write the report as text to OUT. */
typedef bool report_text(const struct report_input *in, const struct report_options *options,
			 FILE *out, struct error *err);

/* Write the report as members of the JSON object that E has open. */
typedef bool report_json(const struct report_input *in, const struct report_options *options,
			 struct emit *e, struct error *err);

struct report {
	const char *name;		/* as reports are asked for */
	const char *summary;		/* one line: what it shows */
	report_text *text;		/* false with *ERR set when memory is short */
	report_json *json;		/* the same */
};

/* Those on an amon.out, ended by a NULL name. */
extern const struct report report_table[];

/* The report of TABLE called NAME, or NULL. */
const struct report *report_find(const struct report *table, const char *name);

/* Write the reports of TABLE called NAMES[0..n) to OUT in that order: sections of text one after the other (those on a
 * gmon.out on pages of their own, as gprof's), or members of one JSON object.  Every name is in the table.  False with *ERR set
 * when memory is short or OUT fails. */
bool report_print(const struct report *table, const char *const *names, size_t n, const struct report_input *in,
		  const struct report_options *options, FILE *out, struct error *err);

/* For struct emit, where the value looked at is no time: is what a member NAME, which ends in _ns, has an amount of it?  Else it is a time
 * nevertheless, as of the process. */
bool report_is_amount(const char *name);

/* For the page, as the member "sources": of the routines that are heaviest by self time or by total, and whose source can be read here, what annotate_json
 * says, with `routine`, the index, and `text`, the lines from first_line on. */
report_json sources_json;

/* For the page, as the member "arc_places", where the run told call sites apart: of each arc, and of direct recursion, `from` and `to`, indices (null:
 * spontaneous), and `sites`, as callgraph_json has them with the incoming view's times. */
report_json arc_places_json;

/* The reports themselves, each in the file of its name. */
report_text head_text, flat_text, callgraph_text, never_text, index_text, tree_text, cycles_text, contexts_text, info_text;
report_text paths_text, compare_text, hot_text, annotate_text, imbalance_text, mpi_text;
report_json head_json, flat_json, callgraph_json, never_json, index_json, tree_json, cycles_json, contexts_json, info_json;
report_json paths_json, compare_json, hot_json, annotate_json, imbalance_json, mpi_json;

#endif
