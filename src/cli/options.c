/* options.c - the values of options: read, checked, and put where the stages look for them. */
#include "cli/options.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/message.h"
#include "cli/option_table.h"

static bool options_number(const char *text, const char *option, double most, double *value)
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

	if (!options_number(text, option, UINT32_MAX - 1.0, &v))
		return false;
	*value = (unsigned)v;
	if (v == (double)*value)
		return true;
	message("--%s=%s: not a whole number", option, text);
	return false;
}

/* Sets *PLACE to that of WORD in WORDS, `one, two, three`.  False after a message: it is none of them, and *PLACE means nothing. */
static bool one_of(const char *option, const char *word, const char *words, unsigned *place)
{
	size_t n;

	*place = 0;
	for (const char *w = words; *w; w += n + strspn(w + n, ", "), (*place)++) {
		n = strcspn(w, ",");
		if (strncmp(word, w, n) == 0 && word[n] == '\0')
			return true;
	}
	message("--%s=%s: not one of %s", option, word, words);
	return false;
}

static bool layer_set(struct options *o, const char *word)
{
	static const enum graph_layer layers[] = { GRAPH_SCRIPT, GRAPH_NATIVE, GRAPH_ALL };
	unsigned place;

	if (!one_of("layer", word, "script, native, all", &place))
		return false;
	o->graph.layer = layers[place];
	return true;
}

/* Append WORD to the *N of *WORDS. */
static bool options_word_add(char ***words, size_t *n, char *word)
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
		return options_word_add(&o->sources.substitutes, &o->sources.nsubstitutes, rule);
	message("--substitute=%s: not of the form FROM=TO", rule);
	return false;
}

/* Whether PATTERN, which aprof run was given, is a regular expression: better known wrong before a program runs for hours. */
static bool pattern_check(const char *option, const char *pattern)
{
	char why[200];
	regex_t compiled;
	int status = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB);

	if (status == 0) {
		regfree(&compiled);
		return true;
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
	unsigned i;

	o->clock = strcmp(clock, "cpu") == 0 ? "tick" : clock;	/* by which name it is known where there are hooks */
	return one_of("clock", clock, "tick, cpu, tsc, wall, count, none", &i);
}

static bool rate_set(struct options *o, const char *rate)
{
	int64_t value;

	o->rate = rate;
	if (*rate >= '0' && *rate <= '9' && number_read(rate, 1, 10000, &value))
		return true;
	message("--rate=%s: not a whole number from 1 to 10000", rate);
	return false;
}

static bool seconds_set(const char *option, const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end != text && *end == '\0' && *seconds > 0 && *seconds <= 1e7)
		return true;
	message("--%s=%s: not a number of seconds above 0", option, text);
	return false;
}

/* TEXT, of LEN bytes, as seconds of a run, to *NSEC; FALLBACK if it is empty. */
static bool moment_read(const char *text, size_t len, uint64_t fallback, uint64_t *nsec)
{
	char plain[32], *end;
	double seconds;

	*nsec = fallback;
	if (len == 0 || len >= sizeof plain)
		return len == 0;
	memcpy(plain, text, len);
	plain[len] = '\0';
	seconds = strtod(plain, &end);
	if (end == plain || *end || !(seconds >= 0 && seconds <= 1e9))
		return false;
	*nsec = (uint64_t)llround(seconds * 1e9);
	return true;
}

static bool range_set(struct options *o, const char *text)
{
	const char *dots = strstr(text, "..");

	if (!dots || !moment_read(text, (size_t)(dots - text), 0, &o->range.from) || !moment_read(dots + 2, strlen(dots + 2), UINT64_MAX, &o->range.to)) {
		message("--time-range=%s: not of the form FROM..TO, in seconds of the run", text);
		return false;
	}
	if (o->range.from < o->range.to)
		return true;
	message("--time-range=%s: it ends before it begins", text);
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

/* 5% or 5. */
static bool options_limit_set(struct options *o, const char *text)
{
	char plain[32];
	size_t n = strlen(text);
	double percent;

	if (n > 0 && text[n - 1] == '%')
		n--;
	snprintf(plain, sizeof plain, "%.*s", (int)(n < sizeof plain ? n : sizeof plain), text);
	if (!options_number(plain, "max-regress", 1e6, &percent))
		return false;
	o->check.limit = percent / 100;
	return true;
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
	unsigned i;

	if (mine)
		return ok;
	if (option_table_put(o, key, argument))
		return true;
	switch (key) {
	case 't': return whole_number(argument, "table-length", &o->report.gprof.table_length);
	case 'w': return index_width_set(o, argument);
	case 'm': return whole_number(argument, "min-count", &o->report.gprof.min_count);
	case 'o': return file_set(&o->output, "output", argument);
	case KEY_SORT: ok = one_of("sort", argument, "self, total, calls", &i); o->report.sort = REPORT_BY_SELF + i; return ok;
	case KEY_MODEL: ok = one_of("model", argument, "history, gprof, cct", &i); o->graph.model = i; return ok;
	case KEY_ONLY: return options_word_add(&o->report.only, &o->report.nonly, argument);
	case KEY_FOCUS: return options_word_add(&o->graph.focus, &o->graph.nfocus, argument);
	case KEY_HIDE: return options_word_add(&o->graph.hide, &o->graph.nhide, argument);
	case KEY_COMM: return options_word_add(&o->threads.comms, &o->threads.ncomms, argument);
	case KEY_PROCESS: return options_word_add(&o->threads.pids, &o->threads.npids, argument);
	case KEY_THREAD: return whole_number(argument, "thread", &o->graph.thread);
	case KEY_TIME_RANGE: return range_set(o, argument);
	case KEY_LAYER: return layer_set(o, argument);
	case KEY_RANK: o->report.imbalance = o->report.of_rank = true; return whole_number(argument, "rank", &o->report.rank);
	case KEY_ORDER: ok = one_of("sort", argument, "self, total, calls, percall", &i); o->diff.sort = i; return ok;
	case KEY_MAX_REGRESS: return options_limit_set(o, argument);
	case KEY_METRIC: ok = one_of("metric", argument, "self, total", &i); o->check.time = i; return ok;
	case KEY_CALLS: ok = one_of("calls", argument, "learn, exact, limit, ignore", &i); o->check.calls = i; return ok;
	case KEY_WEIGHT: o->weight_given = ok = one_of("weight", argument, "time, calls", &i); o->export.weight = i; return ok;
	case KEY_TABLE: o->table_given = ok = one_of("table", argument, "routines, arcs, contexts", &i); o->export.table = i; return ok;
	case KEY_DEPTH: return whole_number(argument, "depth", &o->report.depth);
	case KEY_MIN_PERCENT: return options_number(argument, "min-percent", 100, &o->report.min_percent);
	case KEY_ROUNDS: return whole_number(argument, "rounds", &o->rounds);
	case KEY_LAYOUTS: return whole_number(argument, "layouts", &o->layouts);
	case KEY_TOP: return whole_number(argument, "top", &o->report.top);
	case KEY_SOURCE_PATH: return options_word_add(&o->sources.folders, &o->sources.nfolders, argument);
	case KEY_SUBSTITUTE: return substitute_add(o, argument);
	case KEY_COLOR: return one_of("color", argument, "auto, always, never", &o->colour);
	case KEY_NAMES: return one_of("names", argument, "auto, short, whole", &o->names);
	case KEY_CLOCK: return clock_set(o, argument);
	case KEY_RATE: return rate_set(o, argument);
	case KEY_MEMORY: return memory_set(o, argument);
	case KEY_DATA: return file_set(&o->data, "data", argument);
	case KEY_SECONDS: return seconds_set("seconds", argument, &o->seconds);
	case KEY_AGAINST: return against_set(o);
	case KEY_TIMEOUT: return seconds_set("timeout", argument, &o->timeout);
	case KEY_LABEL: return options_word_add(&o->labels, &o->nlabels, argument);
	case KEY_EVENT: return options_word_add(&o->events, &o->nevents, argument);
	case KEY_FORMAT: return one_of("format", argument, "rows, pprof, parca", &o->format);
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

/* Does a user see colours on FD, and want them? */
static bool wants_colour(int fd)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(fd) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

/* Columns of the terminal FD, or of COLUMNS; 0: it is none. */
static int terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!isatty(fd))
		return columns && atoi(columns) > 0 ? atoi(columns) : 0;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : 80;
}

/* Lines of the terminal FD; 0: it is none, or does not say. */
static int terminal_height(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/* Text is to look as what it is printed to wants it. */
static void style_set(struct options *o, unsigned command)
{
	bool run = command & (COMMAND_RUN | COMMAND_ATTACH), file = run && o->output;
	int fd = file ? -1 : run && !o->whole ? STDERR_FILENO : STDOUT_FILENO;

	o->report.style.colour = !o->report.json && (o->colour == COLOUR_AUTO ? wants_colour(fd) : o->colour == COLOUR_ALWAYS);
	o->report.style.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	o->report.style.width = terminal_width(fd);
	o->report.style.wide |= o->names == NAMES_WHOLE || (o->names == NAMES_AUTO && !isatty(fd));
	o->report.style.short_names = o->names == NAMES_SHORT;
	o->report.rows = terminal_height(fd);
}

static void options_defaults_set(struct options *o)
{
	*o = (struct options){ .data = "amon.out" };
	o->graph.thread = GRAPH_NONE;
	o->report.top = UINT32_MAX;		/* not given */
	o->check.limit = -1;			/* not given */
	o->report.min_percent = -1;		/* not given */
	o->report.gprof = (struct report_gprof){ .min_count = 1, .table_length = 10,
		.source_path = getenv("GPROF_PATH") };
}

/* Is CLOCK, as an option names it, given, and none of those by which call stacks are sampled? */
static bool clock_samples_nothing(const char *clock)
{
	return clock && strcmp(clock, "tick") && strcmp(clock, "wall");
}

/* What is not kept by interval cannot be shown by it. */
static bool options_range_check(const struct options *o)
{
	const struct { bool given; const char *option; } others[] = {
		{ o->phase, "--phase: samples of phases" }, { o->report.leaves, "--leaves: samples of program counters" },
		{ o->value, "--value: amounts" },
		{ o->report.lines, "--lines: samples of program counters" }, { o->report.inlines, "--inlines: samples of program counters" }, { o->report.of_rank, "--rank: sums of ranks" },
		{ o->report.imbalance, "--imbalance: sums of ranks" },
	};

	for (size_t i = 0; o->range.to && i < sizeof others / sizeof *others; i++)
		if (others[i].given) {
			message("--time-range cannot be joined with %s are not kept by interval", others[i].option);
			return false;
		}
	return true;
}

/* What one option keeps, or takes, cannot be had with another. */
static bool options_pairs_check(const struct options *o, unsigned command)
{
	bool counters = o->report.leaves || o->report.lines || o->report.inlines;
	const struct { bool given; const char *text; } pairs[] = {
		{ o->graph.thread != GRAPH_NONE && counters,
		  "--thread cannot be joined with --leaves, --lines or --inlines: samples of program counters are kept by context, not by thread" },
		{ o->phase && counters, "--phase cannot be joined with --leaves, --lines or --inlines: samples of program counters are not kept by phase" },
		{ o->phase && o->value, "--phase cannot be joined with --value: amounts are not kept by phase" },
		{ o->phase && o->stacks && command != COMMAND_RUN, "--phase cannot be joined with --stacks: samples of call stacks are not kept by phase" },
		{ o->all && o->clock && !strcmp(o->clock, "wall"),
		  "--all cannot be joined with --clock=wall: nearly all threads of a machine wait; name the processes that matter" },
		{ o->nevents && o->script, "--value cannot be joined with --script: events are sampled by call stack, and scripts have none" },
		{ o->nevents && o->verify, "--value cannot be joined with --verify: each takes samples of stacks of its own" },
		{ o->stacks && o->verify, "--stacks cannot be joined with --verify: each takes samples of stacks of its own" },
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (pairs[i].given) {
			message("%s", pairs[i].text);
			return false;
		}
	return true;
}

/* Only samples tell when they were, and where; and stacks are checked by one clock alone. */
static bool options_clock_check(const struct options *o, unsigned command)
{
	bool sliced = o->intervals || (command & (COMMAND_RUN | COMMAND_ATTACH) && o->range.to);

	if (command == COMMAND_ATTACH && clock_samples_nothing(o->clock))
		message("--clock=%s: call stacks are sampled by CPU time (cpu) or elapsed time (wall)", o->clock);
	else if (o->verify && o->clock && strcmp(o->clock, "tick"))
		message("--verify cannot be joined with --clock=%s: stacks are checked where the clock tick takes samples", o->clock);
	else if (sliced && clock_samples_nothing(o->clock))
		message("--%s cannot be joined with --clock=%s: it takes no samples", o->range.to ? "time-range" : "intervals", o->clock);
	else
		return true;
	return false;
}

/* Patterns of aprof run are tried before the program runs, not behind it. */
static bool options_patterns_check(const struct options *o, unsigned command)
{
	for (size_t i = 0; command == COMMAND_RUN && i < o->graph.nfocus; i++)
		if (!pattern_check("focus", o->graph.focus[i]))
			return false;
	for (size_t i = 0; command == COMMAND_RUN && i < o->graph.nhide; i++)
		if (!pattern_check("hide", o->graph.hide[i]))
			return false;
	return true;
}

static bool options_check(const struct options *o, unsigned command)
{
	return options_pairs_check(o, command) && options_range_check(o) && options_clock_check(o, command) && options_patterns_check(o, command);
}

/* Fill in what was not given, and what follows from what was. */
static void options_complete(struct options *o, unsigned command)
{
	bool run = command & (COMMAND_RUN | COMMAND_ATTACH);

	o->stacks |= o->nevents > 0;			/* of programs with hooks, too */
	if (o->verify)
		o->clock = "tick";			/* whatever the program was built for */
	o->intervals |= run && o->range.to;
	if (o->check.limit < 0)
		o->check.limit = command == COMMAND_COMPARE ? 0 : 0.05;
	o->least_given = o->report.min_percent >= 0;
	if (!o->least_given)
		o->report.min_percent = command & (COMMAND_EXPORT | COMMAND_CHECK) ? 0.5 : o->report.json ? 0 : 0.1;
	if (o->report.top == UINT32_MAX)
		o->report.top = o->report.json && command == COMMAND_MODELS ? 0 : 20;
	o->report.inlines |= o->inlines;
	o->whole |= o->report.json || o->output;
	o->report.screen = run && !o->whole;
	style_set(o, command);
	o->report.gprof.file_names = o->gprof.file_names;
	o->report.gprof.lines = o->gprof.lines || (o->gprof.views & VIEW_SUM && o->gprof.views != VIEW_SUM);	/* as gprof -s */
	o->graph.specs = o->gprof.specs;
	o->graph.nspecs = o->gprof.nspecs;
	o->export.min_percent = o->report.min_percent;
	o->export.sites = o->report.sites;
	o->check.least = o->report.min_percent / 100;
	o->diff.top = o->report.top;
	o->diff.report = o->check.report = o->report;
}

bool options_wished(const char *name)
{
	const char *wish = getenv(name);

	return wish && *wish && strcmp(wish, "0") != 0;
}

bool options_parse(struct options *o, unsigned command, int argc, char **argv, bool stop)
{
	struct option *longs = option_table_longs(command);
	char *shorts = option_table_letters(command, stop);
	bool ok = longs && shorts;
	int key;

	options_defaults_set(o);
	o->operands = calloc((size_t)argc + 1, sizeof *o->operands);
	ok = ok && o->operands;
	optind = 0;
	opterr = 0;
	while (ok && (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		ok = option_set(o, key, optarg);
		o->whole |= option_table_is_listing(key);
		if (key == '?' || key == ':')
			complain(key, argv, longs);
	}
	free(longs);
	free(shorts);
	o->first = optind;
	for (int i = optind; ok && (command & COMMAND_SIDES) && i < argc; i++)	/* after -- */
		o->operands[o->noperands++] = argv[i];
	if (!o->against)
		o->nbase = o->noperands;
	if (!ok || o->help)
		return ok;
	o->report.inlines = o->inlines && command == COMMAND_REPORT;	/* elsewhere it asks for stacks, and those may be of any part of a run */
	if (!options_check(o, command))
		return false;
	options_complete(o, command);
	return true;
}

void options_free(struct options *o)
{
	gprof_choice_free(&o->gprof);
	free(o->graph.focus);
	free(o->graph.hide);
	free(o->report.only);
	o->report.only = NULL;
	free(o->sources.folders);
	free(o->sources.substitutes);
	o->sources = (struct source_places){ 0 };
	o->graph.focus = NULL;
	o->graph.hide = NULL;
	free(o->labels);
	free(o->events);
	free(o->threads.comms);
	free(o->threads.pids);
	free(o->operands);
	o->operands = NULL;
}
