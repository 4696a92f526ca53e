/* options.c - one row an option. */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/message.h"

/* Options without a letter. */
enum {
	KEY_SORT = 256, KEY_FOCUS, KEY_THREAD, KEY_PHASE, KEY_RAW, KEY_LEAVES, KEY_LINES, KEY_JSON, KEY_COLOR, KEY_BOTTOM_UP,
	KEY_DEPTH, KEY_MIN_PERCENT, KEY_CLOCK, KEY_RATE, KEY_MEMORY, KEY_DATA, KEY_NO_REPORT, KEY_VERIFY, KEY_MODEL, KEY_TOP,
	KEY_WEIGHT, KEY_TABLE, KEY_SOURCE_PATH, KEY_SUBSTITUTE, KEY_AGAINST, KEY_ORDER, KEY_ALL, KEY_MAX_REGRESS, KEY_METRIC,
	KEY_CALLS, KEY_HTML, KEY_ONLY,
};

enum { KEY_OPERAND = 1 };		/* what getopt returns for one where their place matters */

struct row {
	int key;		/* letter, or KEY_ */
	const char *name;	/* long name */
	const char *argument;	/* what it takes; NULL: nothing */
	unsigned commands;	/* which have it, COMMAND_ bits */
	const char *text;	/* for --help */
};

enum { LISTINGS = COMMAND_REPORT | COMMAND_RUN };
enum { GRAPHS = COMMAND_REPORT | COMMAND_RUN | COMMAND_TREE | COMMAND_CYCLES | COMMAND_CONTEXTS | COMMAND_PATHS
	| COMMAND_HOT | COMMAND_ANNOTATE | COMMAND_EXPORT
	| COMMAND_SIDES | COMMAND_VIEW };

static const struct row rows[] = {
	{ 'b', "brief", NULL, (COMMAND_VIEWS & ~COMMAND_HOT) | COMMAND_RUN | COMMAND_DIFF, "print no legends" },
	{ 'p', "flat-profile", "[NAME]", LISTINGS, "print only the flat profile, and of it only NAME" },
	{ 'q', "graph", "[NAME]", LISTINGS, "print only the call graph, and of it only NAME and what it calls, or with a slash in "
	  "NAME only the arcs FROM/TO" },
	{ 'P', "no-flat-profile", "[NAME]", LISTINGS, "do not print the flat profile, or only NAME not in it" },
	{ 'Q', "no-graph", "[NAME]", LISTINGS, "do not print the call graph, or only NAME or the arcs FROM/TO not in it" },
	{ 'B', NULL, NULL, COMMAND_REPORT, "print the call graph" },
	{ 'e', NULL, "NAME", COMMAND_REPORT, "do not print the entry of NAME in the call graph" },
	{ 'E', NULL, "NAME", COMMAND_REPORT, "the same, and do not pass on the time of NAME" },
	{ 'f', NULL, "NAME", COMMAND_REPORT, "print only the entries of NAME and of what it calls" },
	{ 'F', NULL, "NAME", COMMAND_REPORT, "the same, and count only their time" },
	{ 'n', "time", "NAME", COMMAND_REPORT, "pass on to callers only the time of NAME and of what it calls" },
	{ 'N', "no-time", "NAME", COMMAND_REPORT, "do not pass on the time of NAME" },
	{ 'k', NULL, "FROM/TO", COMMAND_REPORT, "leave the calls from FROM to TO out" },
	{ 'C', "exec-counts", "[NAME]", COMMAND_REPORT, "print how often each routine was called, or only NAME" },
	{ 'Z', "no-exec-counts", "[NAME]", COMMAND_REPORT, "do not print it, or not of NAME" },
	{ 'm', "min-count", "N", COMMAND_REPORT, "leave out of it what ran less than N times (1 if not given)" },
	{ 'c', "static-call-graph", NULL, COMMAND_COMPARE, "let gprof's model see also the calls that stand in the program's code and were "
	  "never made" },
	{ 'c', "static-call-graph", NULL, LISTINGS, "list also the calls that stand in the program's code and were never made, "
	  "with a count of 0" },
	{ 'A', "annotated-source", "[NAME]", COMMAND_REPORT, "print the source with execution counts, or only NAME's" },
	{ 'J', "no-annotated-source", "[NAME]", COMMAND_REPORT, "do not print it, or not NAME's" },
	{ 'x', "all-lines", NULL, COMMAND_REPORT, "with -A: put counts on lines that have none of their own, too" },
	{ 'y', "separate-files", NULL, COMMAND_REPORT, "with -A: write each source file to a file of its own, NAME-ann" },
	{ 'I', "directory-path", "DIRECTORIES", COMMAND_REPORT, "look for source files in DIRECTORIES, separated by colons" },
	{ 't', "table-length", "N", COMMAND_REPORT, "with -A: list the N lines that ran most often (10 if not given)" },
	{ 'r', "function-ordering", NULL, COMMAND_REPORT, "print an order of functions for a linker: callers beside callees" },
	{ 'R', "file-ordering", "MAP", COMMAND_REPORT, "print an order of object files for a linker; MAP says which symbol is in which, as nm -A does" },
	{ 'i', "file-info", NULL, COMMAND_REPORT, "print what the FILEs contain" },
	{ 's', "sum", NULL, COMMAND_REPORT, "write the sum of the FILEs to amon.sum, or gmon.sum, and print nothing" },
	{ 'z', "display-unused-functions", NULL, COMMAND_REPORT, "list routines that were never called and took no time, too" },
	{ 'a', "no-static", NULL, COMMAND_REPORT, "count static functions for the ones before them" },
	{ 'D', "ignore-non-functions", NULL, COMMAND_REPORT, "count symbols that are no functions for the ones before them" },
	{ 'l', "line", NULL, COMMAND_REPORT, "print source lines rather than routines" },
	{ 'T', "traditional", NULL, COMMAND_REPORT, "print as gprof of BSD did" },
	{ 'L', "print-path", NULL, COMMAND_REPORT, "print whole paths of source files" },
	{ KEY_FILE_NAMES, "inline-file-names", NULL, COMMAND_REPORT, "print the source file and line of each routine behind its name" },
	{ 'w', "width", "COLUMNS", COMMAND_REPORT, "make the index COLUMNS wide (80 if not given)" },
	{ 'O', "file-format", "FORMAT", COMMAND_REPORT, "the FILEs are of FORMAT: auto, magic, bsd or 4.4bsd" },
	{ 'S', "external-symbol-table", "FILE", COMMAND_REPORT, "read the symbols from FILE, as nm prints them; not with -l" },
	{ KEY_DEMANGLE, "demangle", "[STYLE]", COMMAND_REPORT, "print names as the programmer wrote them; STYLE is found by itself" },
	{ KEY_NO_DEMANGLE, "no-demangle", NULL, COMMAND_REPORT, "print names as they were linked" },
	{ 'd', "debug", "[LEVEL]", COMMAND_REPORT, "nothing: accepted for old scripts" },
	{ 'v', "version", NULL, COMMAND_REPORT, "print the version" },
	{ KEY_SORT, "sort", "KEY", LISTINGS, "order routines by self, total or calls" },
	{ KEY_FOCUS, "focus", "PATTERN", GRAPHS, "keep the contexts in which a routine is active whose whole name matches PATTERN, "
	  "an extended regular expression; may be given several times" },
	{ KEY_THREAD, "thread", "N", GRAPHS | COMMAND_COMPARE, "look at thread N only (aprof info numbers them)" },
	{ KEY_PHASE, "phase", "NAME", GRAPHS | COMMAND_COMPARE, "look at the phase NAME only (aprof info lists them; aprof_api(3) makes them)" },
	{ KEY_MODEL, "model", "MODEL", LISTINGS, "charge callers by MODEL: history (what was measured), gprof (each call costs "
	  "the average) or cct (calling context tree)" },
	{ KEY_RAW, "raw", NULL, GRAPHS | COMMAND_COMPARE, "do not subtract the cost of the hooks" },
	{ KEY_LEAVES, "leaves", NULL, LISTINGS, "split self times by the code without hooks that ran under the routine" },
	{ KEY_LINES, "lines", NULL, LISTINGS, "split self times by source line" },
	{ KEY_BOTTOM_UP, "bottom-up", NULL, COMMAND_TREE, "start from the running routines and go up to their callers" },
	{ KEY_DEPTH, "depth", "N", COMMAND_TREE, "print N levels" },
	{ KEY_ONLY, "only", "PATTERN", COMMAND_COMPARE, "list only calls from or to routines whose whole name matches PATTERN, "
	  "an extended regular expression, and cycles that have such members; may be given several times" },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_COMPARE, "leave out errors and routines below P percent of the run (0.1 if not given)" },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_TREE | COMMAND_PATHS, "leave out what is below P percent of the run (0.1 if not given)" },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_EXPORT, "dot: leave out what is below P percent of the run (0.5 if not given)" },
	{ KEY_WEIGHT, "weight", "WHAT", COMMAND_EXPORT, "folded: the number after a stack is its time (ns) or its calls" },
	{ KEY_TABLE, "table", "TABLE", COMMAND_EXPORT, "csv: which table: routines, arcs or contexts" },
	{ KEY_AGAINST, "against", NULL, COMMAND_DIFF | COMMAND_CHECK, "the profiles after this are the new runs, those before it the base runs" },
	{ KEY_ORDER, "sort", "KEY", COMMAND_DIFF, "order rows by the change of self, total, calls or percall (self time per call)" },
	{ KEY_TOP, "top", "N", COMMAND_DIFF, "list N rows of each table (20 if not given; 0: all)" },
	{ KEY_HTML, "html", NULL, COMMAND_DIFF, "write a page to look at instead, as aprof html does" },
	{ 'o', "output", "FILE", COMMAND_DIFF, "with --html: write the page to FILE" },
	{ KEY_ALL, "all", NULL, COMMAND_DIFF, "list changes within noise, too" },
	{ KEY_MAX_REGRESS, "max-regress", "P%", COMMAND_CHECK, "times may grow by P percent (5 if not given)" },
	{ KEY_METRIC, "metric", "TIME", COMMAND_CHECK, "test self times or total times (self if not given)" },
	{ KEY_CALLS, "calls", "RULE", COMMAND_CHECK, "exact: any call more is worse, as without this option; limit: only more of them than "
	  "--max-regress; ignore" },
	{ KEY_MIN_PERCENT, "min-percent", "P", COMMAND_CHECK, "do not test the times of routines below P percent of the run (0.5 if not given)" },
	{ KEY_TOP, "top", "N", COMMAND_COMPARE, "list N arcs, and N members of each cycle (20 if not given; 0: all)" },
	{ KEY_TOP, "top", "N", COMMAND_PATHS, "list N sequences (20 if not given; 0: all)" },
	{ KEY_SOURCE_PATH, "source-path", "FOLDER", COMMAND_ANNOTATE | COMMAND_VIEW, "look for source files under FOLDER, too, by as much of the end of "
	  "their paths as is there; may be given several times" },
	{ KEY_SUBSTITUTE, "substitute", "FROM=TO", COMMAND_ANNOTATE | COMMAND_VIEW, "read a source whose path begins with FROM at TO instead; may be "
	  "given several times" },
	{ KEY_JSON, "json", NULL, COMMAND_VIEWS | COMMAND_RUN | COMMAND_DIFF | COMMAND_CHECK, "print JSON instead of text" },
	{ KEY_COLOR, "color", "WHEN", COMMAND_VIEWS | COMMAND_RUN | COMMAND_DIFF | COMMAND_VIEW, "use colour: auto, always or never" },
	{ KEY_CLOCK, "clock", "CLOCK", COMMAND_RUN, "measure time by tick, tsc, wall or none" },
	{ KEY_RATE, "rate", "HZ", COMMAND_RUN, "take up to HZ samples a second" },
	{ KEY_MEMORY, "memory", "SIZE", COMMAND_RUN, "bound the contexts of a process to SIZE bytes (K, M, G allowed)" },
	{ KEY_DATA, "data", "FILE", COMMAND_RUN, "keep the profile in FILE (amon.out if not given)" },
	{ KEY_NO_REPORT, "no-report", NULL, COMMAND_RUN, "keep the profile, and print no report" },
	{ KEY_VERIFY, "verify", NULL, COMMAND_RUN, "at each sample of the program counter hold the thread's stack against the context that it is "
	  "counted in; status 1 if one differs" },
	{ 'o', "output", "FILE", COMMAND_RUN | COMMAND_MERGE | COMMAND_EXPORT | COMMAND_HTML, "write to FILE" },
	{ KEY_AGAINST, "against", NULL, COMMAND_HTML, "the operands after this are a second profile; show what changed from the first to it" },
	{ 'h', "help", NULL, ~0u, "print this help" },
};

enum { ROWS = sizeof rows / sizeof *rows };

/* As getopt calls it; an argument in brackets may be left out. */
static int argument_kind(const struct row *row)
{
	return !row->argument ? no_argument : row->argument[0] == '[' ? optional_argument : required_argument;
}

static struct option *long_options(unsigned command)
{
	struct option *options = calloc(ROWS + 1, sizeof *options);
	size_t n = 0;

	for (size_t i = 0; options && i < ROWS; i++)
		if (rows[i].name && rows[i].commands & command)
			options[n++] = (struct option){ rows[i].name, argument_kind(&rows[i]), NULL, rows[i].key };
	return options;
}

/* Letters as getopt wants them; a leading + with STOP, a leading - where operands are told apart by their place.
 * BUFFER holds 3 * ROWS + 4 bytes. */
static void letters(char *buffer, unsigned command, bool stop)
{
	size_t n = 0;

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
}

static bool number(const char *text, const char *option, double most, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (end != text && *end == '\0' && errno == 0 && *value >= 0 && *value <= most)
		return true;
	message("--%s=%s: not a number from 0 to %.0f", option, text, most);
	return false;
}

static bool whole_number(const char *text, const char *option, unsigned *value)
{
	double v;

	if (!number(text, option, UINT32_MAX - 1.0, &v))
		return false;
	*value = (unsigned)v;
	if (v == (double)*value)
		return true;
	message("--%s=%s: not a whole number", option, text);
	return false;
}

static bool sort_set(struct options *o, const char *key)
{
	if (strcmp(key, "self") == 0)
		o->report.sort = REPORT_BY_SELF;
	else if (strcmp(key, "total") == 0)
		o->report.sort = REPORT_BY_TOTAL;
	else if (strcmp(key, "calls") == 0)
		o->report.sort = REPORT_BY_CALLS;
	else {
		message("--sort=%s: not one of self, total, calls", key);
		return false;
	}
	return true;
}

static bool model_set(struct options *o, const char *model)
{
	static const char *const names[] = { [GRAPH_HISTORY] = "history", [GRAPH_GPROF] = "gprof", [GRAPH_CCT] = "cct" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(model, names[i]) == 0) {
			o->graph.model = (enum graph_model)i;
			return true;
		}
	message("--model=%s: not one of history, gprof, cct", model);
	return false;
}

static bool weight_set(struct options *o, const char *what)
{
	o->weight_given = true;
	if (strcmp(what, "time") == 0)
		o->export.weight = EXPORT_TIME;
	else if (strcmp(what, "calls") == 0)
		o->export.weight = EXPORT_CALLS;
	else {
		message("--weight=%s: not one of time, calls", what);
		return false;
	}
	return true;
}

static bool table_set(struct options *o, const char *table)
{
	static const char *const names[] = { [EXPORT_ROUTINES] = "routines", [EXPORT_ARCS] = "arcs", [EXPORT_CONTEXTS] = "contexts" };

	o->table_given = true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(table, names[i]) == 0) {
			o->export.table = (enum export_table)i;
			return true;
		}
	message("--table=%s: not one of routines, arcs, contexts", table);
	return false;
}

static bool colour_set(struct options *o, const char *when)
{
	if (strcmp(when, "always") == 0)
		o->report.style.colour = true;
	else if (strcmp(when, "never") == 0)
		o->report.style.colour = false;
	else if (strcmp(when, "auto") != 0) {
		message("--color=%s: not one of auto, always, never", when);
		return false;
	}
	return true;
}

/* Append WORD to the *N of *WORDS. */
static bool word_add(char ***words, size_t *n, char *word)
{
	char **more = reallocarray(*words, *n + 1, sizeof *more);

	if (!more) {
		message("out of memory");
		return false;
	}
	more[(*n)++] = word;
	*words = more;
	return true;
}

static bool substitute_add(struct options *o, char *rule)
{
	if (strchr(rule, '=') && *rule != '=')
		return word_add(&o->sources.substitutes, &o->sources.nsubstitutes, rule);
	message("--substitute=%s: not of the form FROM=TO", rule);
	return false;
}

/* An extended regular expression: better known wrong before a program runs for hours. */
static bool pattern_add(char ***words, size_t *n, const char *option, char *pattern)
{
	char why[200];
	regex_t compiled;
	int status = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB);

	if (status == 0) {
		regfree(&compiled);
		return word_add(words, n, pattern);
	}
	regerror(status, &compiled, why, sizeof why);
	message("--%s=%s: no regular expression: %s", option, pattern, why);
	return false;
}

static bool file_set(const char **file, const char *option, const char *name)
{
	*file = name;
	if (*name)
		return true;
	message("--%s: takes the name of a file, and got an empty one", option);
	return false;
}

static bool clock_set(struct options *o, const char *clock)
{
	static const char *const clocks[] = { "tick", "tsc", "wall", "none" };

	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
		if (strcmp(clock, clocks[i]) == 0) {
			o->clock = clock;
			return true;
		}
	message("--clock=%s: not one of tick, tsc, wall, none", clock);
	return false;
}

static bool rate_set(struct options *o, const char *rate)
{
	char *end;
	unsigned long value = strtoul(rate, &end, 10);

	o->rate = rate;
	if (*rate >= '0' && *rate <= '9' && *end == '\0' && value >= 1 && value <= 10000)
		return true;
	message("--rate=%s: not a whole number from 1 to 10000", rate);
	return false;
}

static bool memory_set(struct options *o, const char *size)
{
	size_t digits = strspn(size, "0123456789");

	o->memory = size;
	if (digits > 0 && digits < 19 && (size[digits] == '\0' || (strchr("kKmMgG", size[digits]) && size[digits + 1] == '\0')))
		return true;
	message("--memory=%s: not a size such as 500M", size);
	return false;
}

static bool against_set(struct options *o)
{
	if (o->against) {
		message("--against: given twice; two sides are compared, each of which may be several files");
		return false;
	}
	o->against = true;
	o->nbase = o->noperands;
	return true;
}

static bool order_set(struct options *o, const char *key)
{
	static const char *const names[] = { [DIFF_BY_SELF] = "self", [DIFF_BY_TOTAL] = "total", [DIFF_BY_CALLS] = "calls",
		[DIFF_BY_PER_CALL] = "percall" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(key, names[i]) == 0) {
			o->diff.sort = (enum diff_sort)i;
			return true;
		}
	message("--sort=%s: not one of self, total, calls, percall", key);
	return false;
}

/* 5% or 5. */
static bool limit_set(struct options *o, const char *text)
{
	char plain[32];
	size_t n = strlen(text);
	double percent;

	if (n > 0 && text[n - 1] == '%')
		n--;
	snprintf(plain, sizeof plain, "%.*s", (int)(n < sizeof plain ? n : sizeof plain), text);
	if (!number(plain, "max-regress", 1e6, &percent))
		return false;
	o->check.limit = percent / 100;
	return true;
}

static bool metric_set(struct options *o, const char *name)
{
	if (strcmp(name, "self") == 0)
		o->check.time = COMPARISON_SELF;
	else if (strcmp(name, "total") == 0)
		o->check.time = COMPARISON_TOTAL;
	else {
		message("--metric=%s: not one of self, total", name);
		return false;
	}
	return true;
}

static bool calls_set(struct options *o, const char *rule)
{
	static const char *const names[] = { [CHECK_CALLS_EXACT] = "exact", [CHECK_CALLS_LIMIT] = "limit", [CHECK_CALLS_IGNORE] = "ignore" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(rule, names[i]) == 0) {
			o->check.calls = (enum check_calls)i;
			return true;
		}
	message("--calls=%s: not one of exact, limit, ignore", rule);
	return false;
}

static bool index_width_set(struct options *o, const char *columns)
{
	if (!whole_number(columns, "width", &o->report.gprof.width))
		return false;
	if (o->report.gprof.width == 0)
		o->report.gprof.width = 1;
	return true;
}

static bool option_set(struct options *o, int key, char *argument)
{
	bool mine, ok = gprof_option_set(&o->gprof, key, argument, &mine);

	if (mine)
		return ok;
	switch (key) {
	case 'b': o->report.style.brief = true; return true;
	case 'z': o->report.gprof.zeros = true; return true;
	case 'T': o->report.gprof.traditional = true; return true;
	case 'L': o->report.gprof.paths = true; return true;
	case 'x': o->report.gprof.all_lines = true; return true;
	case 'y': o->report.gprof.separate = true; return true;
	case 'I': o->report.gprof.source_path = argument; return true;
	case 't': return whole_number(argument, "table-length", &o->report.gprof.table_length);
	case 'w': return index_width_set(o, argument);
	case 'm': return whole_number(argument, "min-count", &o->report.gprof.min_count);
	case 'v': o->version = true; return true;
	case 'c': o->static_arcs = true; return true;
	case 'h': o->help = true; return true;
	case 'o': return file_set(&o->output, "output", argument);
	case KEY_SORT: return sort_set(o, argument);
	case KEY_MODEL: return model_set(o, argument);
	case KEY_ONLY: return pattern_add(&o->report.only, &o->report.nonly, "only", argument);
	case KEY_FOCUS: return pattern_add(&o->graph.focus, &o->graph.nfocus, "focus", argument);
	case KEY_THREAD: return whole_number(argument, "thread", &o->graph.thread);
	case KEY_PHASE: o->phase = argument; return true;
	case KEY_RAW: o->graph.raw = true; return true;
	case KEY_LEAVES: o->report.leaves = true; return true;
	case KEY_LINES: o->report.lines = true; return true;
	case KEY_BOTTOM_UP: o->report.bottom_up = true; return true;
	case KEY_ORDER: return order_set(o, argument);
	case KEY_HTML: o->html = true; return true;
	case KEY_ALL: o->diff.all = true; return true;
	case KEY_MAX_REGRESS: return limit_set(o, argument);
	case KEY_METRIC: return metric_set(o, argument);
	case KEY_CALLS: return calls_set(o, argument);
	case KEY_WEIGHT: return weight_set(o, argument);
	case KEY_TABLE: return table_set(o, argument);
	case KEY_DEPTH: return whole_number(argument, "depth", &o->report.depth);
	case KEY_MIN_PERCENT: return number(argument, "min-percent", 100, &o->report.min_percent);
	case KEY_TOP: return whole_number(argument, "top", &o->report.top);
	case KEY_SOURCE_PATH: return word_add(&o->sources.folders, &o->sources.nfolders, argument);
	case KEY_SUBSTITUTE: return substitute_add(o, argument);
	case KEY_JSON: o->report.json = true; return true;
	case KEY_COLOR: return colour_set(o, argument);
	case KEY_CLOCK: return clock_set(o, argument);
	case KEY_RATE: return rate_set(o, argument);
	case KEY_MEMORY: return memory_set(o, argument);
	case KEY_DATA: return file_set(&o->data, "data", argument);
	case KEY_NO_REPORT: o->no_report = true; return true;
	case KEY_VERIFY: o->verify = true; return true;
	case KEY_AGAINST: return against_set(o);
	case KEY_OPERAND: o->operands[o->noperands++] = argument; return true;
	default: return false;
	}
}

/* Whether several of the options LONGS begin as WORD, --name or --name=value, does. */
static bool is_ambiguous(const char *word, const struct option *longs)
{
	size_t len = strcspn(word + 2, "="), n = 0;

	for (; longs->name; longs++)
		n += strncmp(longs->name, word + 2, len) == 0;
	return n > 1;
}

/* What getopt found wrong with the word before argv[optind]. */
static void complain(int key, char **argv, const struct option *longs)
{
	const char *word = argv[optind - 1];

	if (key == ':')
		message("%s: needs a value", word);
	else if (optopt && optopt < 256 && strncmp(word, "--", 2) != 0)
		message("-%c: no such option", optopt);
	else if (optopt)
		message("%s: takes no value", word);
	else if (is_ambiguous(word, longs))
		message("%s: short for several options", word);
	else
		message("%s: no such option", word);
}

static bool wants_colour(void)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

/* Columns of the terminal, or of COLUMNS; 0: output goes elsewhere. */
static int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : 80;
}

static void defaults_set(struct options *o)
{
	*o = (struct options){ .data = "amon.out" };
	o->graph.thread = GRAPH_NONE;
	o->report.style.colour = wants_colour();
	o->report.style.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	o->report.style.width = terminal_width();
	o->report.top = UINT32_MAX;		/* not given */
	o->check.limit = 0.05;
	o->report.min_percent = -1;		/* not given */
	o->report.gprof = (struct report_gprof){ .min_count = 1, .table_length = 10,
		.source_path = getenv("GPROF_PATH") };
}

static bool options_check(struct options *o, unsigned command)
{
	if (o->graph.thread != GRAPH_NONE && (o->report.leaves || o->report.lines)) {
		message("--thread cannot be joined with --leaves or --lines: samples of program counters are kept by context, "
			"not by thread");
		return false;
	}
	if (o->phase && (o->report.leaves || o->report.lines)) {
		message("--phase cannot be joined with --leaves or --lines: samples of program counters are not kept by phase");
		return false;
	}
	o->least_given = o->report.min_percent >= 0;
	if (!o->least_given)
		o->report.min_percent = command & (COMMAND_EXPORT | COMMAND_CHECK) ? 0.5 : o->report.json ? 0 : 0.1;
	o->export.min_percent = o->report.min_percent;
	if (o->report.top == UINT32_MAX)
		o->report.top = o->report.json && command == COMMAND_COMPARE ? 0 : 20;
	if (o->report.json)
		o->report.style.colour = false;
	o->report.gprof.file_names = o->gprof.file_names;
	o->report.gprof.lines = o->gprof.lines || (o->gprof.views & VIEW_SUM && o->gprof.views != VIEW_SUM);	/* as gprof -s */
	o->graph.specs = o->gprof.specs;
	o->graph.nspecs = o->gprof.nspecs;
	o->check.least = o->report.min_percent / 100;
	o->diff.top = o->report.top;
	o->diff.report = o->check.report = o->report;
	return true;
}

bool options_parse(struct options *o, unsigned command, int argc, char **argv, bool stop)
{
	struct option *longs = long_options(command);
	char shorts[3 * ROWS + 4];
	bool ok = longs != NULL;
	int key;

	defaults_set(o);
	o->operands = calloc((size_t)argc + 1, sizeof *o->operands);
	ok = ok && o->operands;
	letters(shorts, command, stop);
	optind = 0;
	opterr = 0;
	while (ok && (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		ok = option_set(o, key, optarg);
		if (key == '?' || key == ':')
			complain(key, argv, longs);
	}
	free(longs);
	o->first = optind;
	for (int i = optind; ok && (command & COMMAND_SIDES) && i < argc; i++)	/* after -- */
		o->operands[o->noperands++] = argv[i];
	if (!o->against)
		o->nbase = o->noperands;
	return ok && (o->help || options_check(o, command));
}

void options_free(struct options *o)
{
	gprof_choice_free(&o->gprof);
	free(o->graph.focus);
	free(o->report.only);
	o->report.only = NULL;
	free(o->sources.folders);
	free(o->sources.substitutes);
	o->sources = (struct source_places){ 0 };
	o->graph.focus = NULL;
	free(o->operands);
	o->operands = NULL;
}

enum { INDENT = 30, WIDTH = 49 };		/* of the texts of options_help, columns */

/* TEXT in lines of WIDTH columns, the first where the cursor is, all others at column INDENT. */
static void text_print(const char *text)
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
static void name_make(char *name, size_t size, const struct row *row)
{
	const char *argument = row->argument ? row->argument : "";
	bool optional = argument_kind(row) == optional_argument;
	int n = 0;

	if (row->key < 256)
		n = snprintf(name, size, "-%c%s", row->key, row->name ? ", " : row->argument ? " " : "");
	snprintf(name + n, size - (size_t)n, "%s%s%s%s%s", row->name ? "--" : "", row->name ? row->name : "",
		 !row->name || !row->argument ? "" : optional ? "[=" : "=", argument + optional, "");
}

void options_help(unsigned command)
{
	for (size_t i = 0; i < ROWS; i++) {
		char name[64];

		if (!(rows[i].commands & command))
			continue;
		name_make(name, sizeof name, &rows[i]);
		printf("  %-*s", INDENT - 2, name);
		if (strlen(name) > INDENT - 3)		/* no blank would be left before the text */
			printf("\n%*s", INDENT, "");
		text_print(rows[i].text);
	}
}
