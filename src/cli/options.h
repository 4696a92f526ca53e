/* options.h - the options of all commands: one table for getopt, --help and the test of the manual. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "show/diff/diff_print.h"
#include "show/export/export.h"
#include "cli/gprof_options.h"
#include "show/report/report.h"

/* Commands, as bits: which options go with which. */
enum {
	COMMAND_REPORT = 1,
	COMMAND_TREE = 2,
	COMMAND_CYCLES = 4,
	COMMAND_CONTEXTS = 8,
	COMMAND_INFO = 16,
	COMMAND_COMPARE = 1 << 8,
	COMMAND_RUN = 32,
	COMMAND_MERGE = 64,
	COMMAND_RESET = 128,
	COMMAND_PATHS = 1 << 16,
	COMMAND_MODELS = 1 << 17,
	COMMAND_HOT = 1 << 18,
	COMMAND_ANNOTATE = 1 << 19,
	COMMAND_VIEW = 1 << 21,
	COMMAND_EXPORT = 1 << 20,
	COMMAND_DIFF = 1 << 25,
	COMMAND_CHECK = 1 << 26,
	COMMAND_HTML = 1 << 24,
	COMMAND_PS = 1 << 22,
	COMMAND_ATTACH = 1 << 23,
	COMMAND_PUSH = 1 << 27,
	COMMAND_PULL = 1 << 28,
	COMMAND_SIDES = COMMAND_DIFF | COMMAND_CHECK | COMMAND_HTML | COMMAND_VIEW | COMMAND_COMPARE,	/* commands whose operands are told apart by their place: by --against, or -- */
	COMMAND_VIEWS = COMMAND_REPORT | COMMAND_TREE | COMMAND_CYCLES | COMMAND_CONTEXTS | COMMAND_INFO | COMMAND_PATHS
		| COMMAND_MODELS | COMMAND_HOT | COMMAND_ANNOTATE,
	COMMAND_PAGED = COMMAND_VIEWS | COMMAND_DIFF | COMMAND_CHECK | COMMAND_COMPARE,	/* what they print goes through a pager */
};

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
enum name_length { NAMES_AUTO, NAMES_SHORT, NAMES_WHOLE };

/* What the user asked for, all commands together. */
struct options {
	struct report_options report;	/* how to print */
	struct graph_options graph;	/* what to look at; focus[] points into argv */
	struct source_places sources;	/* where source files are; point into argv */
	struct gprof_choice gprof;	/* what gprof's options choose */
	struct export_options export;	/* export: what of it */
	bool weight_given, table_given, least_given; /* export: --weight, --table, --min-percent, each of one format alone */
	struct diff_options diff;	/* diff: which rows */
	struct check_options check;	/* check: what is worse */
	bool static_arcs;		/* -c: list the calls that stand in the code, too */
	const char *phase;		/* --phase: this one only; NULL: the whole run */
	const char *value;		/* --value: what to look at; NULL: each profile's first */
	struct profile_range range;	/* --time-range */
	struct thread_choice threads;	/* --comm, --process; point into argv */
	bool intervals;			/* run, attach: keep times by interval of the run, too */
	bool help;			/* --help */
	bool version;			/* -v */
	bool no_report;			/* run: keep the data, print nothing */
	bool whole;			/* run: print the report, or what of it was asked for; else a screen */
	bool no_pager;			/* --no-pager */
	unsigned colour;		/* --color: enum colour */
	unsigned names;			/* --names: enum name_length; auto: short on a terminal */
	bool all;			/* attach: to whatever runs on this machine */
	double seconds;			/* attach: for how long; 0: until the processes end */
	bool verify;			/* run: hold stacks against contexts */
	bool script;			/* run: interpreters tell of their scripts */
	bool kernel;			/* run, attach: the kernel's routines in call stacks, too */
	bool inlines;			/* the same: inlined functions; report: report.inlines */
	bool allocations;		/* run: what is allocated, too */
	char **events;			/* run: --value, sampled, too; point into argv */
	size_t nevents;			/* how many */
	bool stacks;			/* run: sample call stacks of programs with hooks, too */
	const char *output;		/* -o; NULL: standard output, or the command's default */
	const char *data;		/* run: name of the data file */
	const char *clock;		/* run, attach: APROF_CLOCK; NULL: as it is */
	const char *rate;		/* run: APROF_RATE; NULL: as it is */
	const char *memory;		/* run: APROF_MEMORY; NULL: as it is */
	const char *store;		/* push, pull: --store; NULL: APROF_STORE */
	double timeout;			/* push, pull: seconds that the store may be silent; 0: as it thinks */
	bool schema;			/* push: --schema */
	unsigned format;		/* push: enum push_format */
	char **labels;			/* push: --label, NAME=VALUE; point into argv */
	size_t nlabels;			/* how many */
	int first;			/* index in argv of the first operand */
	char **operands;		/* commands with --against: all operands in their order, pointing into argv */
	size_t noperands;		/* how many */
	size_t nbase;			/* how many stand before --against; all without it */
	bool against;			/* --against was given */
	bool html;			/* diff: --html */
	bool git;			/* compare: the sides are commits */
	const char *build;		/* compare: the command that builds a commit; NULL: none */
	const char *keep;		/* compare: the folder where profiles stay; NULL: nowhere */
	unsigned rounds;		/* compare: how many; 0: as many as the noise wants */
	unsigned layouts;		/* compare: builds of each side; 0: one, as it comes */
	bool markdown;			/* compare: a comment on a change instead of text */
	bool live;			/* html: --live */
	bool open;			/* html: --open */
	bool no_source;			/* html: --no-source */
};

/* --format of push, in the order of its words. */
enum push_format { PUSH_ROWS, PUSH_PPROF, PUSH_PARCA };

/* Parse ARGV of COMMAND, argv[0] being its name.  With STOP, options end at the first operand (aprof run).  False after a message. */
bool options_parse(struct options *o, unsigned command, int argc, char **argv, bool stop);

/* Whether the environment has NAME, which stands for an option, set to something else than 0. */
bool options_wished(const char *name);

/* Print the rows of COMMAND for --help (option_table.c). */
void options_help(unsigned command);

/* Free what options_parse allocated. */
void options_free(struct options *o);

#endif
