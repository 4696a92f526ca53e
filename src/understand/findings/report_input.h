/* report_input.h - what a report can look at, and what it is asked for. */
#ifndef REPORT_INPUT_H
#define REPORT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/print.h"
#include "read/profile/stack_join.h"
#include "read/profile/profile.h"
#include "read/symbols/symbols.h"
#include "understand/graph/graph.h"

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

enum { HEAD_ROWS = 8, HEAD_LOW_ROWS = 5, LOW_SCREEN = 32 };	/* of a screen: at most; of one that has fewer lines than that */

struct report_options {
	struct text_style style; /* how text is to look */
	enum report_sort sort;	/* order of routines */
	bool json;		/* JSON instead of text */
	bool screen;		/* the head and hot: what a terminal shows after a run, report_head_rows of the one, and the other without its own head */
	int rows;		/* the terminal's, which the screen is to fit; 0: as many as it takes */
	bool leaves;		/* split self time by the plain code that ran under it */
	bool lines;		/* split self time by source line */
	bool inlines;		/* and by the functions that were inlined into the routine, before lines */
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

/* Lines of the head on a screen, at most. */
static inline unsigned report_head_rows(const struct report_options *options)
{
	return options->rows && options->rows < LOW_SCREEN ? HEAD_LOW_ROWS : HEAD_ROWS;
}

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
	const struct gprof *gmon;	/* gprof's view of a gmon.out, for the listings of show/gprof/; NULL: an amon.out is reported */
	const struct graph *gprof;	/* compare-models: the same by gprof's model; NULL: not made */
	struct symbols *symbols;	/* for source lines and plain code; NULL: none */
	const struct symbol *const *never; /* hooked functions never called, sorted by name; NULL: none known */
	size_t nnever;			/* how many */
	bool never_known;		/* every hooked module tells which functions have hooks */
	const struct report_left_out *left_out; /* functions left out at compile time, by reason and name; NULL: none known */
	size_t nleft_out;		/* how many */
	const struct sample_labels *labels;	/* that samples of other people's files have; NULL: none */
	const char *phase;		/* the profile is of this phase only; NULL: of the whole run */
	struct profile_range range;	/* its times are of this range of the runs only */
	report_source *source;		/* for reading source files; NULL: none can be read */
	void *source_reader;		/* its first argument */
	const struct paths *paths;	/* sequences that recur, found before (understand/findings/recurring.h); NULL: whoever needs them looks */
	const char *program;		/* the file that the user gave for the main program; NULL: none */
	const enum report_life *life;	/* for each run of the profile; NULL: as the files say */
	const struct stack_join *below;	/* what became of the call stacks by which the times were split; NULL: they were not */
};

#endif
