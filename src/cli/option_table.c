/* option_table.c - one row an option, and what is made of the rows: getopt's tables, and the help.
 *
 * The rows stand in the order of the help, in groups: what people need first is first, and gprof's letters are last.  A row without
 * commands is the heading of those that follow. */
#include "cli/option_table.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

/* What becomes of an option's value. */
enum value {
	VALUE_OTHER,		/* BY_CASE */
	VALUE_SWITCH,		/* a bool is set */
	VALUE_TEXT,		/* the argument is kept, which points into argv */
};

struct row {
	int key;		/* letter, or KEY_ */
	const char *name;	/* long name */
	const char *argument;	/* what it takes; NULL: nothing */
	unsigned commands;	/* which have it, COMMAND_ bits */
	const char *text;	/* for --help; or the heading of a group */
	enum value value;
	size_t place;		/* in struct options, where VALUE tells how */
};

/* The end of a row: its value is put into FIELD as it is, or option_set has a case of it (options.c, gprof_options.c). */
#define BY_CASE VALUE_OTHER, 0
#define TO(field) _Generic(((struct options *)0)->field, bool: VALUE_SWITCH, const char *: VALUE_TEXT), offsetof(struct options, field)

enum { RUNS = COMMAND_RUN | COMMAND_ATTACH };
enum { LISTINGS = COMMAND_REPORT | COMMAND_RUN };
enum { GRAPHS = COMMAND_REPORT | COMMAND_RUN | COMMAND_TREE | COMMAND_CYCLES | COMMAND_CONTEXTS | COMMAND_PATHS
	| COMMAND_HOT | COMMAND_ANNOTATE | COMMAND_EXPORT
	| COMMAND_SIDES };

/* What looks at some threads alone: not what runs programs itself. */
enum { CHOSEN = (GRAPHS & ~(COMMAND_RUN | COMMAND_COMPARE)) | COMMAND_MODELS };

static const struct row rows[] = {
	{ .text = "What is measured" },
	{ KEY_CLOCK, "clock", "CLOCK", COMMAND_RUN, "measure time by tick, tsc, wall, count or none; sampled stacks: by cpu, which is tick, or wall",
	  BY_CASE },
	{ KEY_CLOCK, "clock", "CLOCK", COMMAND_ATTACH, "measure CPU time (cpu), or elapsed time, what threads wait for included (wall)", BY_CASE },
	{ KEY_RATE, "rate", "HZ", RUNS, "take up to HZ samples a second", BY_CASE },
	{ KEY_SCRIPT, "script", NULL, COMMAND_RUN, "PROGRAM is Lua 5.4 or CPython, or starts one: profile the functions of its script, exactly",
	  TO(script) },
	{ KEY_STACKS, "stacks", NULL, COMMAND_RUN, "sample call stacks of programs with hooks, too, as well as their exact contexts: see --leaves",
	  TO(stacks) },
	{ KEY_ALLOCATIONS, "allocations", NULL, COMMAND_RUN, "record what is allocated, too: calls, bytes, bytes that are live at the end and at the peak; and show who allocates",
	  TO(allocations) },
	{ KEY_EVENT, "value", "EVENT", COMMAND_RUN, "sample EVENT, too, by context and by call stack: page-faults, context-switches, cpu-migrations, cycles, instructions, cache-misses, branch-misses, or "
	  "what else perf has; may be given several times; the report is of the first", BY_CASE },
	{ KEY_INTERVALS, "intervals", NULL, RUNS, "keep times by interval of the run, too: up to 1,000, of 4 ms at least; reports then show a range of its time",
	  TO(intervals) },
	{ KEY_ALL_PROCESSES, "all", NULL, COMMAND_ATTACH, "sample whatever runs on this machine, and keep a profile of each program", TO(all) },
	{ KEY_SECONDS, "seconds", "N", COMMAND_ATTACH, "sample for N seconds (if not given, until the processes have ended, or ^C)", BY_CASE },
	{ KEY_VERIFY, "verify", NULL, COMMAND_RUN, "at each sample of the program counter check the thread's stack against the context that it is "
	  "counted in; status 1 if one differs", TO(verify) },
	{ KEY_KERNEL, "kernel", NULL, RUNS, "show the kernel's routines in call stacks, below [kernel], where that is permitted", TO(kernel) },
	{ KEY_INLINES, "inlines", NULL, RUNS, "show inlined functions in call stacks, as debug information has them", TO(inlines) },
	{ KEY_MEMORY, "memory", "SIZE", RUNS, "bound the contexts of a process to SIZE bytes (K, M, G allowed)", BY_CASE },
	{ .text = "The store" },
	{ KEY_STORE, "store", "URL", COMMAND_PUSH | COMMAND_PULL, "the store, http://[USER:PASSWORD@]HOST[:PORT][/DATABASE]; without it, the environment's APROF_STORE",
	  TO(store) },
	{ KEY_LABEL, "label", "NAME=VALUE", COMMAND_PUSH, "say what the profiles are found by: service, host, version, time, or a name of your own; may be given several times",
	  BY_CASE },
	{ KEY_FORMAT, "format", "FORMAT", COMMAND_PUSH, "send rows to ClickHouse (rows), or pprof to Pyroscope (pprof) or Parca (parca)", BY_CASE },
	{ KEY_TIMEOUT, "timeout", "SECONDS", COMMAND_PUSH | COMMAND_PULL, "give up a store that is silent for so long (300)", BY_CASE },
	{ KEY_SCHEMA, "schema", NULL, COMMAND_PUSH, "print the statements that make the store's tables, and push nothing", TO(schema) },
	{ .text = "What is compared" },
	{ KEY_AGAINST, "against", NULL, COMMAND_DIFF | COMMAND_CHECK, "the profiles after this are the new runs, those before it the base runs",
	  BY_CASE },
	{ KEY_AGAINST, "against", NULL, COMMAND_HTML, "the operands after this are a second profile; show what changed from the first to it",
	  BY_CASE },
	{ KEY_AGAINST, "against", NULL, COMMAND_VIEW, "the profiles after this are new runs, those before it base runs: show what changed, too",
	  BY_CASE },
	{ KEY_GIT, "git", NULL, COMMAND_COMPARE, "OLD and NEW are commits of the repository here: each is checked out into a folder of its own, and built there", TO(git) },
	{ KEY_BUILD, "build", "COMMAND", COMMAND_COMPARE, "what builds a commit, for a shell; aprof-cc is found", TO(build) },
	{ KEY_ROUNDS, "rounds", "N", COMMAND_COMPARE, "run each version N times; without it 5 times and more, until a change of 0.5 % could be told from noise, or there is no doubt",
	  BY_CASE },
	{ KEY_LAYOUTS, "layouts", "N", COMMAND_COMPARE, "build each commit N times, with its functions laid out by chance, and run each build once: what "
	  "layout does is in the error then", BY_CASE },
	{ KEY_MAX_REGRESS, "max-regress", "P%", COMMAND_COMPARE, "status 1 only if NEW is slower by more than P percent (0 if not given)", BY_CASE },
	{ KEY_SITES, "sites", NULL, COMMAND_COMPARE, "count calls by call site, too, where the programs' hooks can; the reason then has the line of the call", TO(report.sites) },
	{ KEY_MAX_REGRESS, "max-regress", "P%", COMMAND_CHECK, "times may grow by P percent (5 if not given)", BY_CASE },
	{ KEY_METRIC, "metric", "TIME", COMMAND_CHECK, "test self times or total times (self if not given)", BY_CASE },
	{ KEY_CALLS, "calls", "RULE", COMMAND_CHECK, "learn: any call more is worse, unless counts vary by themselves, as without this option; exact: any call more; limit: only more of them than "
	  "--max-regress; ignore", BY_CASE },
	{ KEY_SITES, "sites", NULL, COMMAND_DIFF, "compare call sites, too, of runs that counted them", TO(report.sites) },
	{ KEY_SITES, "sites", NULL, COMMAND_CHECK, "check the calls of each call site, too, of runs that counted them", TO(report.sites) },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_CHECK, "do not test the times of routines below P percent of the run (0.5 if not given)",
	  BY_CASE },
	{ KEY_ORDER, "sort", "KEY", COMMAND_DIFF | COMMAND_COMPARE, "order rows by the change of self, total, calls or percall (self time per call)", BY_CASE },
	{ KEY_TOP, "top", "N", COMMAND_DIFF | COMMAND_COMPARE, "list N rows of each table (20 if not given; 0: all)", BY_CASE },
	{ KEY_ALL, "all", NULL, COMMAND_DIFF | COMMAND_COMPARE, "list changes within noise, too", TO(diff.all) },
	{ .text = "What is shown" },
	{ KEY_REPORT, "report", NULL, RUNS, "print the whole report, on standard output", TO(whole) },
	{ KEY_NO_REPORT, "no-report", NULL, RUNS, "keep the profile, and print no report", TO(no_report) },
	{ KEY_SORT, "sort", "KEY", LISTINGS, "order routines by self, total or calls", BY_CASE },
	{ 'p', "flat-profile", "[NAME]", LISTINGS, "print only the flat profile, and of it only NAME", BY_CASE },
	{ 'q', "graph", "[NAME]", LISTINGS, "print only the call graph, and of it only NAME and what it calls, or with a slash in "
	  "NAME only the arcs FROM/TO", BY_CASE },
	{ KEY_LINES, "lines", NULL, LISTINGS, "split self times by source line", TO(report.lines) },
	{ KEY_INLINES, "inlines", NULL, COMMAND_REPORT, "split self times by the functions that the compiler inlined into the routine, as debug information has them", TO(inlines) },
	{ KEY_LEAVES, "leaves", NULL, LISTINGS, "split self times by the code without hooks that ran under the routine: at full depth with the call stacks of aprof run --stacks",
	  TO(report.leaves) },
	{ KEY_LEAVES, "leaves", NULL, COMMAND_TREE | COMMAND_CONTEXTS | COMMAND_PATHS | COMMAND_HOT | COMMAND_EXPORT | COMMAND_HTML | COMMAND_VIEW, "show code without hooks below "
	  "the routines on whose time it ran, by the call stacks of aprof run --stacks", TO(report.leaves) },
	{ KEY_SITES, "sites", NULL, LISTINGS, "split calls by call site, of a run that counted them, as aprof run does then and with APROF_SITES=1",
	  TO(report.sites) },
	{ KEY_SITES, "sites", NULL, COMMAND_EXPORT, "dot: an arc for each call site, of a run that counted them (APROF_SITES=1)", TO(report.sites) },
	{ KEY_BOTTOM_UP, "bottom-up", NULL, COMMAND_TREE, "start from the running routines and go up to their callers", TO(report.bottom_up) },
	{ KEY_DEPTH, "depth", "N", COMMAND_TREE, "print N levels", BY_CASE },
	{ KEY_ONLY, "only", "PATTERN", COMMAND_MODELS, "list only calls from or to routines that PATTERN means: a name, the only one with such a part, or "
	  "an extended regular expression for whole names; and cycles that have such members; may be given several times", BY_CASE },
	{ KEY_TOP, "top", "N", COMMAND_MODELS, "list N arcs, and N members of each cycle (20 if not given; 0: all)", BY_CASE },
	{ KEY_TOP, "top", "N", COMMAND_PATHS, "list N sequences (20 if not given; 0: all)", BY_CASE },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_MODELS, "omit errors and routines below P percent of the run (0.1 if not given)", BY_CASE },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_TREE | COMMAND_PATHS, "do not list what is below P percent of the run (0.1 if not given)",
	  BY_CASE },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_EXPORT, "dot: omit what is below P percent of the run (0.5 if not given)", BY_CASE },
	{ KEY_MODEL, "model", "MODEL", LISTINGS, "charge callers by MODEL: history (what was measured), gprof (each call costs "
	  "the average) or cct (calling context tree)", BY_CASE },
	{ KEY_RAW, "raw", NULL, GRAPHS | COMMAND_MODELS, "do not subtract the cost of the hooks", TO(graph.raw) },
	{ KEY_IMBALANCE, "imbalance", NULL, COMMAND_REPORT, "print how much the ranks of an MPI job differ, by context, instead of the listings",
	  TO(report.imbalance) },
	{ KEY_RANK, "rank", "N", COMMAND_REPORT, "the same, but only contexts of which rank N has the most", BY_CASE },
	{ KEY_MPI, "mpi", NULL, COMMAND_REPORT, "print the calls of MPI, by routine and caller, with their bytes, instead of the listings",
	  TO(report.mpi) },
	{ KEY_PROCESSES, "processes", NULL, COMMAND_INFO, "of several processes list each", TO(report.processes) },
	{ KEY_THREADS, "threads", NULL, COMMAND_INFO, "list the threads, with their numbers", TO(report.threads) },
	{ KEY_WEIGHT, "weight", "WHAT", COMMAND_EXPORT, "folded: the number after a stack is its time (ns) or its calls", BY_CASE },
	{ KEY_TABLE, "table", "TABLE", COMMAND_EXPORT, "csv: which table: routines, arcs or contexts", BY_CASE },
	{ KEY_LIVE, "live", NULL, COMMAND_HTML, "serve the page of a program that runs, on this machine alone, with figures that move; ^C ends it",
	  TO(live) },
	{ KEY_OPEN, "open", NULL, COMMAND_HTML, "open the page in the browser that BROWSER names, or in the desktop's", TO(open) },
	{ KEY_NO_SOURCE, "no-source", NULL, COMMAND_HTML, "put no source of the heaviest routines into the page", TO(no_source) },
	{ KEY_SOURCE_PATH, "source-path", "FOLDER", COMMAND_ANNOTATE | COMMAND_VIEW | COMMAND_HTML, "look for source files under FOLDER, too, by as much of the end of "
	  "their paths as is there; may be given several times", BY_CASE },
	{ KEY_SUBSTITUTE, "substitute", "FROM=TO", COMMAND_ANNOTATE | COMMAND_VIEW | COMMAND_HTML, "read a source whose path begins with FROM at TO instead; may be "
	  "given several times", BY_CASE },
	{ .text = "Which part of the run" },
	{ KEY_FOCUS, "focus", "PATTERN", GRAPHS, "keep the contexts in which a routine is active that PATTERN means: a name, the only "
	  "one with such a part, or an extended regular expression for whole names; may be given several times", BY_CASE },
	{ KEY_HIDE, "hide", "PATTERN", GRAPHS | COMMAND_MODELS, "fold the frames of the routines that PATTERN means into their callers: their own time is "
	  "their callers', who call what they called; may be given several times", BY_CASE },
	{ KEY_THREAD, "thread", "N", GRAPHS | COMMAND_MODELS, "look at thread N only, as the list of aprof info has it", BY_CASE },
	{ KEY_COMM, "comm", "NAME", CHOSEN, "look at threads of that name only; may be given several times", BY_CASE },
	{ KEY_PROCESS, "process", "PID", CHOSEN, "look at process PID only, or at those of the program of that name; may be given several times", BY_CASE },
	{ KEY_PROCESS, "pid", "PID", CHOSEN, "the same as --process", BY_CASE },
	{ KEY_LABEL, "label", "KEY=VALUE", CHOSEN, "of a file of pprof's look at samples with that label only (aprof info lists them); with each, if given several times", BY_CASE },
	{ KEY_PHASE, "phase", "NAME", GRAPHS | COMMAND_MODELS, "look at the phase NAME only (aprof info lists them; aprof_api(3) makes them)",
	  TO(phase) },
	{ KEY_VALUE, "value", "NAME", (GRAPHS & ~COMMAND_RUN) | COMMAND_MODELS | COMMAND_INFO | COMMAND_MERGE, "look at the value NAME: calls, or what else of is known, "
	  "as bytes, cycles, samples (aprof info lists them)", TO(value) },
	{ KEY_TIME_RANGE, "time-range", "FROM..TO", GRAPHS | COMMAND_MODELS, "look at the time from second FROM of the run to second TO only, "
	  "one of them may be missing; of a run that kept its times by interval, as aprof run does then and APROF_INTERVALS=1", BY_CASE },
	{ KEY_LAYER, "layer", "LAYER", GRAPHS | COMMAND_MODELS, "of a program that runs scripts show the routines of scripts (script), those with hooks "
	  "(native), or both (all); the time of the others is their callers'", BY_CASE },
	{ KEY_STACKS, "stacks", NULL, (GRAPHS & ~(COMMAND_RUN | COMMAND_COMPARE)) | COMMAND_MODELS | COMMAND_INFO, "look at the call stacks alone that aprof run --stacks sampled with exact contexts",
	  TO(stacks) },
	{ .text = "How it is printed, and where" },
	{ KEY_KEEP, "keep", "FOLDER", COMMAND_COMPARE, "keep the profiles of all runs in FOLDER, as base.1, new.1, ...", TO(keep) },
	{ 'o', "output", "FILE", COMMAND_COMPARE, "write a page to look at, too, to FILE, as aprof html does", BY_CASE },
	{ KEY_MARKDOWN, "markdown", NULL, COMMAND_COMPARE, "print a comment on a change, in Markdown, instead of text", TO(markdown) },
	{ 'o', "output", "FILE", COMMAND_DIFF, "with --html: write the page to FILE", BY_CASE },
	{ 'o', "output", "FILE", COMMAND_PULL, "write to FILE, not to amon.out", BY_CASE },
	{ 'o', "output", "FILE", RUNS | COMMAND_MERGE | COMMAND_EXPORT | COMMAND_HTML, "write to FILE", BY_CASE },
	{ KEY_DATA, "data", "FILE", RUNS, "keep the profile in FILE (amon.out if not given)", BY_CASE },
	{ KEY_HTML, "html", NULL, COMMAND_DIFF, "write a page to look at instead, as aprof html does", TO(html) },
	{ KEY_JSON, "json", NULL, COMMAND_VIEWS | RUNS | COMMAND_DIFF | COMMAND_CHECK | COMMAND_COMPARE | COMMAND_PS, "print JSON instead of text", TO(report.json) },
	{ 'b', "brief", NULL, (COMMAND_VIEWS & ~COMMAND_HOT) | COMMAND_RUN | COMMAND_DIFF | COMMAND_COMPARE, "print no legends", TO(report.style.brief) },
	{ KEY_WIDE, "wide", NULL, LISTINGS | COMMAND_TREE | COMMAND_CYCLES | COMMAND_PATHS | COMMAND_MODELS | COMMAND_DIFF | COMMAND_COMPARE, "print names whole, "
	  "however narrow the terminal", TO(report.style.wide) },
	{ KEY_NAMES, "names", "HOW", LISTINGS | COMMAND_TREE | COMMAND_CYCLES | COMMAND_PATHS | COMMAND_MODELS | COMMAND_DIFF | COMMAND_COMPARE,
	  "print names short or whole (auto, if not given: short on a terminal)", BY_CASE },
	{ KEY_WIDE, "wide", NULL, COMMAND_PS, "print commands and files whole, however narrow the terminal", TO(report.style.wide) },
	{ KEY_COLOR, "color", "WHEN", COMMAND_VIEWS | RUNS | COMMAND_DIFF | COMMAND_COMPARE | COMMAND_VIEW | COMMAND_PS, "use colour: auto, always or never",
	  BY_CASE },
	{ KEY_NO_PAGER, "no-pager", NULL, COMMAND_PAGED | RUNS, "do not page what is longer than the terminal's screen", TO(no_pager) },
	{ 'v', "version", NULL, COMMAND_REPORT, "print the version", TO(version) },
	{ 'h', "help", NULL, ~0u, "print this help", TO(help) },
	{ .text = "More of gprof's options" },
	{ 'P', "no-flat-profile", "[NAME]", LISTINGS, "do not print the flat profile, or only NAME not in it", BY_CASE },
	{ 'Q', "no-graph", "[NAME]", LISTINGS, "do not print the call graph, or only NAME or the arcs FROM/TO not in it", BY_CASE },
	{ 'B', NULL, NULL, COMMAND_REPORT, "print the call graph", BY_CASE },
	{ 'e', NULL, "NAME", COMMAND_REPORT, "do not print the entry of NAME in the call graph", BY_CASE },
	{ 'E', NULL, "NAME", COMMAND_REPORT, "the same, and do not pass on the time of NAME", BY_CASE },
	{ 'f', NULL, "NAME", COMMAND_REPORT, "print only the entries of NAME and of what it calls", BY_CASE },
	{ 'F', NULL, "NAME", COMMAND_REPORT, "the same, and count only their time", BY_CASE },
	{ 'n', "time", "NAME", COMMAND_REPORT, "pass on to callers only the time of NAME and of what it calls", BY_CASE },
	{ 'N', "no-time", "NAME", COMMAND_REPORT, "do not pass on the time of NAME", BY_CASE },
	{ 'k', NULL, "FROM/TO", COMMAND_REPORT, "drop the calls from FROM to TO", BY_CASE },
	{ 'C', "exec-counts", "[NAME]", COMMAND_REPORT, "print how often each routine was called, or only NAME", BY_CASE },
	{ 'Z', "no-exec-counts", "[NAME]", COMMAND_REPORT, "do not print it, or not of NAME", BY_CASE },
	{ 'm', "min-count", "N", COMMAND_REPORT, "omit from it what ran less than N times (1 if not given)", BY_CASE },
	{ 'c', "static-call-graph", NULL, COMMAND_MODELS, "let gprof's model see also the calls that stand in the program's code and were "
	  "never made", TO(static_arcs) },
	{ 'c', "static-call-graph", NULL, LISTINGS, "list also the calls that stand in the program's code and were never made, "
	  "with a count of 0", TO(static_arcs) },
	{ 'A', "annotated-source", "[NAME]", COMMAND_REPORT, "print the source with execution counts, or only NAME's", BY_CASE },
	{ 'J', "no-annotated-source", "[NAME]", COMMAND_REPORT, "do not print it, or not NAME's", BY_CASE },
	{ 'x', "all-lines", NULL, COMMAND_REPORT, "with -A: put counts on lines that have none of their own, too", TO(report.gprof.all_lines) },
	{ 'y', "separate-files", NULL, COMMAND_REPORT, "with -A: write each source file to a file of its own, NAME-ann", TO(report.gprof.separate) },
	{ 'I', "directory-path", "DIRECTORIES", COMMAND_REPORT, "look for source files in DIRECTORIES, separated by colons",
	  TO(report.gprof.source_path) },
	{ 't', "table-length", "N", COMMAND_REPORT, "with -A: list the N lines that ran most often (10 if not given)", BY_CASE },
	{ 'r', "function-ordering", NULL, COMMAND_REPORT, "print an order of functions for a linker: callers next to callees", BY_CASE },
	{ 'R', "file-ordering", "MAP", COMMAND_REPORT, "print an order of object files for a linker; MAP says which symbol is in which, as nm -A does",
	  BY_CASE },
	{ 'i', "file-info", NULL, COMMAND_REPORT, "print what the FILEs contain", BY_CASE },
	{ 's', "sum", NULL, COMMAND_REPORT, "write the sum of the FILEs to amon.sum, or gmon.sum, and print nothing", BY_CASE },
	{ 'z', "display-unused-functions", NULL, COMMAND_REPORT, "list routines that were never called and took no time, too; with -c they have entries in the call graph",
	  TO(report.gprof.zeros) },
	{ 'a', "no-static", NULL, COMMAND_REPORT, "count static functions for the ones before them", BY_CASE },
	{ 'D', "ignore-non-functions", NULL, COMMAND_REPORT, "count symbols that are no functions for the ones before them", BY_CASE },
	{ 'l', "line", NULL, COMMAND_REPORT, "print source lines rather than routines", BY_CASE },
	{ 'T', "traditional", NULL, COMMAND_REPORT, "print as gprof of BSD did", TO(report.gprof.traditional) },
	{ 'L', "print-path", NULL, COMMAND_REPORT, "print whole paths of source files", TO(report.gprof.paths) },
	{ KEY_FILE_NAMES, "inline-file-names", NULL, COMMAND_REPORT, "print the source file and line of each routine behind its name", BY_CASE },
	{ 'w', "width", "COLUMNS", COMMAND_REPORT, "make the index COLUMNS wide (80 if not given)", BY_CASE },
	{ 'O', "file-format", "FORMAT", COMMAND_REPORT, "the FILEs are of FORMAT: auto, magic, bsd or 4.4bsd", BY_CASE },
	{ 'S', "external-symbol-table", "FILE", COMMAND_REPORT, "read the symbols from FILE, as nm prints them; not with -l", BY_CASE },
	{ KEY_DEMANGLE, "demangle", "[STYLE]", COMMAND_REPORT, "print names as the programmer wrote them; STYLE is found by itself", BY_CASE },
	{ KEY_NO_DEMANGLE, "no-demangle", NULL, COMMAND_REPORT, "print names as they were linked", BY_CASE },
	{ 'd', "debug", "[LEVEL]", COMMAND_REPORT, "nothing: accepted for old scripts", BY_CASE },
};

enum { ROWS = sizeof rows / sizeof *rows };

/* As getopt calls it; an argument in brackets may be left out. */
static int argument_kind(const struct row *row)
{
	return !row->argument ? no_argument : row->argument[0] == '[' ? optional_argument : required_argument;
}

struct option *option_table_longs(unsigned command)
{
	struct option *options = calloc(ROWS + 1, sizeof *options);
	size_t n = 0;

	for (size_t i = 0; options && i < ROWS; i++)
		if (rows[i].name && rows[i].commands & command)
			options[n++] = (struct option){ rows[i].name, argument_kind(&rows[i]), NULL, rows[i].key };
	return options;
}

char *option_table_letters(unsigned command, bool stop)
{
	char *buffer = malloc(3 * ROWS + 4);
	size_t n = 0;

	if (!buffer)
		return NULL;
	if (stop || (command & COMMAND_SIDES))
		buffer[n++] = stop ? '+' : '-';
	buffer[n++] = ':';			/* tell a missing value from a wrong option */
	for (size_t i = 0; i < ROWS; i++) {
		if (!(rows[i].commands & command) || rows[i].key > 255)
			continue;
		buffer[n++] = (char)rows[i].key;
		for (int colons = argument_kind(&rows[i]); colons > 0; colons--)
			buffer[n++] = ':';
	}
	buffer[n] = '\0';
	return buffer;
}

bool option_table_put(struct options *o, int key, const char *argument)
{
	for (size_t i = 0; i < ROWS; i++) {
		void *place = (char *)o + rows[i].place;

		if (rows[i].key != key || rows[i].value == VALUE_OTHER)
			continue;
		if (rows[i].value == VALUE_SWITCH)
			*(bool *)place = true;
		else
			*(const char **)place = argument;
		return true;
	}
	return false;
}

bool option_table_is_listing(int key)
{
	bool listing = false;

	for (size_t i = 0; i < ROWS; i++)
		listing |= rows[i].key == key && rows[i].commands & COMMAND_RUN && rows[i].commands & COMMAND_REPORT && !(rows[i].commands & COMMAND_HOT);
	return listing;
}

enum { INDENT = 30, WIDTH = 49 };		/* of the texts of options_help, columns */

/* TEXT in lines of WIDTH columns, the first where the cursor is, all others at column INDENT. */
static void option_table_text_print(const char *text)
{
	while (strlen(text) > WIDTH) {
		size_t n = WIDTH;

		while (n > 0 && text[n] != ' ')
			n--;
		printf("%.*s\n%*s", (int)n, text, INDENT, "");
		text += n + 1;
	}
	printf("%s\n", text);
}

/* -p, --flat-profile[=NAME] and the like. */
static void option_table_name_make(char *name, size_t size, const struct row *row)
{
	const char *argument = row->argument ? row->argument : "";
	bool optional = argument_kind(row) == optional_argument;
	int n = 0;

	if (row->key < 256)
		n = snprintf(name, size, "-%c%s", row->key, row->name ? ", " : row->argument ? " " : "");
	snprintf(name + n, size - (size_t)n, "%s%s%s%s%s", row->name ? "--" : "", row->name ? row->name : "",
		 !row->name || !row->argument ? "" : optional ? "[=" : "=", argument + optional, "");
}

static void option_table_row_print(const struct row *row)
{
	char name[64];

	option_table_name_make(name, sizeof name, row);
	printf("  %-*s", INDENT - 2, name);
	if (strlen(name) > INDENT - 3)		/* no blank would be left before the text */
		printf("\n%*s", INDENT, "");
	option_table_text_print(row->text);
}

void options_help(unsigned command)
{
	const char *heading = NULL, *before = "";	/* of the rows to come, until one is printed; what stands before it */

	for (size_t i = 0; i < ROWS; i++) {
		if (!rows[i].commands)
			heading = rows[i].text;
		if (!(rows[i].commands & command))
			continue;
		if (heading)
			printf("%s%s:\n", before, heading);
		option_table_row_print(&rows[i]);
		heading = NULL;
		before = "\n";
	}
}
