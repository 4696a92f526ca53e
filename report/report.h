/* report.h - reports: each is one file, one row in the table of report.c, one golden
 * test, one paragraph in the manual: a function from a graph and options to a stream.
 *
 * A report does no I/O but on the stream that it is given, and includes no other
 * report.  Text goes out line by line; JSON item by item, so that neither is ever whole in memory. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "graph/graph.h"
#include "profile/below.h"
#include "profile/profile.h"
#include "symbols/symbols.h"
#include "text/emit.h"
#include "report/report.h"
#include "text/print.h"

struct paths;

enum report_sort { REPORT_BY_DEFAULT, REPORT_BY_SELF, REPORT_BY_TOTAL, REPORT_BY_CALLS };

/* What options of gprof's change in the reports on a gmon.out. */
struct report_gprof {
	bool traditional;	/* -T: as gprof of BSD prints */
	bool zeros;		/* -z: routines in which nothing happened, too */
	bool paths;		/* -L: whole paths of source files */
	bool lines;		/* -l: routines are source lines */
	bool file_names;	/* --inline-file-names: the source line of each routine behind its name */
	unsigned width;		/* -w: columns of the index; 0: not given */
	unsigned min_count;	/* -m: executions below it are not listed */
	unsigned table_length;	/* -t: lines of source that ran most often */
	bool all_lines;		/* -x: counts on lines that have none of their own, too */
	bool separate;		/* -y: each source file goes into a file of its own */
	const char *source_path; /* -I: directories of source files, separated by colons; NULL: none */
};

enum { HEAD_ROWS = 8 };		/* of a screen: at most */

struct report_options {
	struct text_style style; /* how text is to look */
	enum report_sort sort;	/* order of routines */
	bool json;		/* JSON instead of text */
	bool screen;		/* the head and hot: what a terminal shows after a run, HEAD_ROWS of the one, and the other without its own head */
	int rows;		/* the terminal's, which the screen is to fit; 0: as many as it takes */
	bool leaves;		/* split self time by the plain code that ran under it */
	bool lines;		/* split self time by source line */
	bool sites;		/* split arcs by call site */
	bool bottom_up;		/* tree: from the running routines up */
	unsigned depth;		/* tree: deepest level printed; 0: all */
	char **only;		/* compare-models: words or patterns (graph_match); list what has to do with such routines */
	size_t nonly;		/* how many; 0: list all */
	double min_percent;	/* tree, paths: leave out what is below this share of the run, percent */
	unsigned top;		/* paths, compare-models: how many to list; 0: all */
	bool imbalance;		/* the ranks of an MPI job, instead of the listings */
	uint32_t rank;		/* imbalance: only what this one has most of, if `of_rank` */
	bool of_rank;
	bool mpi;		/* the calls of MPI, instead of the listings */
	bool processes;		/* info: each process of several */
	bool threads;		/* info: each thread */
	const char *target;	/* annotate: name of a routine or a source file */
	struct report_gprof gprof; /* for the reports on a gmon.out */
};

/* How the process of a file stands, as far as cli/ can tell. */
enum report_life {
	REPORT_ENDED,		/* it ended and said so */
	REPORT_RUNNING,		/* it still holds its file */
	REPORT_DIED,		/* it is gone and never said so: killed, or by _exit or exec */
	REPORT_UNKNOWN,		/* it ran on another machine, or before this one was started */
};

/* A function without hooks, since the compiler was told so. */
struct report_left_out {
	enum symbols_left_out why;	/* by which option */
	uint32_t module;		/* index in the profile's modules[] */
	const char *name;		/* demangled, unless names are as linked */
};

/* The text of the source FILE as debug information names it, LEN bytes, owned by the reader until it is closed; NULL with *ERR set,
 * a whole sentence. */
typedef const char *report_source(void *reader, const char *file, size_t *len, struct error *err);

struct gprof;

/* What a report can look at. */
struct report_input {
	const struct graph *graph;	/* attribution, with the profile behind it; NULL: a gmon.out is reported */
	const struct gprof *gmon;	/* gprof's view of a gmon.out, for the listings of gprof/; NULL: an amon.out is reported */
	const struct graph *gprof;	/* compare-models: the same by gprof's model; NULL: not made */
	struct symbols *symbols;	/* for source lines and plain code; NULL: none */
	const struct symbol *const *never; /* hooked functions never called, sorted by name; NULL: none known */
	size_t nnever;			/* how many */
	bool never_known;		/* every hooked module tells which functions have hooks */
	const struct report_left_out *left_out; /* functions left out at compile time, by reason and name; NULL: none known */
	size_t nleft_out;		/* how many */
	const char *phase;		/* the profile is of this phase only; NULL: of the whole run */
	struct profile_range range;	/* its times are of this range of the runs only */
	report_source *source;		/* for reading source files; NULL: none can be read */
	void *source_reader;		/* its first argument */
	const struct paths *paths;	/* sequences that recur, found before (report/recurring.h); NULL: whoever needs them looks */
	const char *program;		/* the file that the user gave for the main program; NULL: none */
	const enum report_life *life;	/* for each run of the profile; NULL: as the files say */
	const struct below *below;	/* what became of the call stacks by which the times were split; NULL: they were not */
};

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
