/* hot.c - where to look first, in one screen: where the time is (hot_tables.c), and then the cases that a profile can show (hot_cases.h), those that hold.
 *
 * Each case has its evidence and the command that shows more.  No line of a case is longer than 80 columns, unless that command is, whose words are not
 * to be cut.  Where a screen has not as many lines, what matters less is left out, and at last the last cases. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/escape.h"
#include "show/report/figure_text.h"
#include "show/report/hot_tables.h"
#include "show/report/report.h"
#include "show/report/share.h"
#include "base/print.h"

enum { SHOWN = HOT_LISTED, NAME = 44, SEQUENCE_NAME = 33, ERRAND_NAME = 34, ARROW = 4, DOTS = 4, PLACE = 24, ROOM = 4 * NAME, LINE = 80, NARROWEST = 24, SCREEN = 24 };

/* What is printed, and how. */
struct hot_view {
	struct hot_cases cases;			/* what was found */
	const struct report_input *in;
	const struct graph *g;			/* in->graph */
	const struct report_options *options;
	uint64_t *recursion;			/* by routine, of call stacks: samples in calls of itself */
	bool apart, next, callers, more;	/* printed are: empty lines between the cases; what comes next in each; for whom the time is; the commands that show more */
	int most;				/* cases that are printed */
	int printed;				/* so far */
};

static bool view_make(struct hot_view *v, const struct report_input *in, const struct report_options *options, struct error *err)
{
	*v = (struct hot_view){ .in = in, .g = in->graph, .options = options, .recursion = graph_recursion(in->graph) };
	return v->recursion ? hot_cases_find(&v->cases, in, err) : error_no_memory(err, NULL);
}

static void view_free(struct hot_view *v)
{
	hot_cases_free(&v->cases);
	free(v->recursion);
}

/* NAME made harmless, short if it is a name of C++ or the like, in COLUMNS, NAME of them at most, into BUFFER of ROOM bytes.  BRIEF is its short form;
 * NULL: by itself. */
static char *text_cut(char *buffer, const char *name, const char *brief, size_t columns, const struct report_options *options)
{
	char *text = print_fitted(name, brief, columns, &options->style);

	snprintf(buffer, ROOM, "%s", text ? text : "(out of memory)");
	free(text);
	return buffer;
}

static const char *hot_routine_name(const struct graph *g, uint32_t routine)
{
	return routine == GRAPH_NONE ? "<spontaneous>" : g->routines[routine].name.name;
}

static char *routine_cut(char *buffer, const struct hot_view *v, uint32_t routine, size_t columns)
{
	return text_cut(buffer, hot_routine_name(v->g, routine), routine == GRAPH_NONE ? NULL : v->g->routines[routine].brief, columns, v->options);
}

/* The name of HOT, which may be one of code without hooks. */
static char *name_cut(char *buffer, const struct hot_view *v, const struct hot *hot)
{
	char text[HOT_NAME_SIZE];

	snprintf(buffer, ROOM, "%s", hot_name_text(text, &v->cases, hot, NAME, &v->options->style));
	return buffer;
}

static void hot_word_print(FILE *out, const char *word, const struct report_options *options)
{
	escape_shell(out, word, options->style.utf8 ? 0 : ESCAPE_ASCII);
}

/* Whether WORD alone means one name of the profile, as commands take it. */
static bool is_clear(const struct graph *g, const char *word)
{
	bool *named = calloc((size_t)g->nroutines + 1, sizeof *named);
	bool clear = named && graph_match(g, NULL, word, false, named, NULL);

	free(named);
	return clear;
}

/* NAME as a user types it; only what stands behind its last `::` if ENDS, and if that is clear. */
static void hot_name_print(const struct hot_view *v, FILE *out, const char *name, bool ends)
{
	char *brief = malloc(strlen(name) + 1);

	if (brief) {
		const char *last = brief, *p;

		name_simplify(brief, name);
		if (!*brief)
			strcpy(brief, name);
		while (ends && (p = strstr(last, "::")))
			last = p + 2;
		hot_word_print(out, last == brief || is_clear(v->g, last) ? last : brief, v->options);
	}
	free(brief);
}

/* Is P what is read where no file is named? */
static bool hot_is_default(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nruns; i++)
		if (strcmp(p->runs[i].label, "amon.out") != 0)
			return false;
	return true;
}

/* The operands that this report was given, so that the commands that it names read the same: of several processes in one file that file. */
static void operands_print(const struct hot_view *v, FILE *out)
{
	const struct profile *p = v->g->profile;

	if (v->in->program) {
		putc(' ', out);
		hot_word_print(out, v->in->program, v->options);
	}
	for (uint32_t i = 0; i < p->nruns; i++) {
		bool again = i > 0 && strcmp(p->runs[i].label, p->runs[i - 1].label) == 0;

		if (again || hot_is_default(p))
			continue;
		putc(' ', out);
		hot_word_print(out, p->runs[i].label, v->options);
	}
}

/* `aprof COMMAND ROUTINE FILES`, to be freed; NULL: out of memory. */
static char *command_text(const struct hot_view *v, const char *command, const char *routine, bool ends)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "aprof %s", command);
	if (routine) {
		putc(' ', out);
		hot_name_print(v, out, routine, ends);
	}
	operands_print(v, out);
	if (fclose(out) != 0) {
		free(text);
		text = NULL;
	}
	return text;
}

/* `   more: COMMAND`; of a routine whose name does not fit the end of that. */
static void hot_more_print(const struct hot_view *v, FILE *out, const char *command, const char *routine)
{
	static const char label[] = "   more: ";
	char *text = !v->more ? NULL : v->g->arcs_alone ? command_text(v, "report", NULL, false) : command_text(v, command, routine, false);

	if (text && routine && !v->g->arcs_alone && print_width(text, strlen(text)) + strlen(label) > 80) {
		free(text);
		text = command_text(v, command, routine, true);
	}
	if (!v->more)
		return;
	fputs(label, out);
	print_begin(out, &v->options->style, 'm');
	fputs(text ? text : "(out of memory)", out);
	print_end(out, &v->options->style);
	putc('\n', out);
	free(text);
}

/* `49.1 ms, 11.9 % +-2.9 of the run`: by the samples of EVIDENCE. */
static void share_line(const struct hot_view *v, FILE *out, uint64_t time, const struct overhead_evidence *evidence)
{
	double error = graph_run_error(v->g, time, evidence);
	char text[PRINT_TIME_SIZE];

	fprintf(out, "%s, %.1f %%", figure_text(text, v->g, time), print_percent(time, v->cases.whole));
	if (error >= 0)
		fprintf(out, " %s%.1f", v->options->style.utf8 ? "±" : "+-", 100 * error);
	fputs(" of the run", out);
}

/* Names must not make a line longer than 80 columns: print what fits of N of them. */
static void list_print(const struct hot_view *v, FILE *out, const char *label, const struct hot *hot, size_t n)
{
	int column = fprintf(out, "   %s", label);
	char name[ROOM], text[ROOM + 64], percent[SHARE_SIZE];

	for (size_t i = 0; i < n; i++) {
		double share = print_percent(hot[i].time, v->cases.whole) / 100, error = graph_run_error(v->g, hot[i].time, &hot[i].evidence);
		int bytes = snprintf(text, sizeof text, "%s %s %s", i ? "," : "", name_cut(name, v, hot + i),
			share_text(percent, &v->options->style, share, error));
		int length = (int)print_width(text, (size_t)bytes);

		if (column + length > 79)
			break;
		fputs(text, out);
		column += length;
	}
	putc('\n', out);
}

/* `, parse 93+-6 % (1,234 calls)` into TEXT; what may be chance has no share, if there is something else to say.  Returns its columns. */
static int caller_text(const struct hot_view *v, char *text, size_t size, const struct hot *hot, uint32_t index)
{
	const struct hot_caller *caller = hot->callers + index;
	double share = hot->whole ? (double)caller->time / (double)hot->whole : 0;
	double error = hot->ncallers == 1 ? -1 : graph_error(v->g, caller->time, &caller->evidence, hot->whole, &hot->whole_evidence);
	char name[ROOM], percent[SHARE_SIZE], calls[40];
	int n = snprintf(text, size, "%s %s %s", index ? "," : "", routine_cut(name, v, caller->routine, NAME),
		share_text(percent, &v->options->style, share, error));

	if (caller->calls)
		n += snprintf(text + n, size - (size_t)n, " (%s call%s)", print_grouped(calls, caller->calls), print_plural(caller->calls));
	return (int)print_width(text, (size_t)n);
}

/* The heaviest callers, as many as fit on a line, and how many more there are. */
static void callers_print(const struct hot_view *v, FILE *out, const struct hot *hot)
{
	int column = v->callers ? fprintf(out, "   for") : 0;
	char text[ROOM + 128];

	if (!v->callers)
		return;
	for (uint32_t i = 0; i < hot->ncallers; i++) {
		uint32_t left = hot->ncallers - i;
		int length = caller_text(v, text, sizeof text, hot, i);

		if (i > 0 && column + length + (left > 1 ? (int)sizeof ", 1000 more" : 0) > 80) {
			fprintf(out, ", %" PRIu32 " more", left);
			break;
		}
		fputs(text, out);
		column += length;
	}
	putc('\n', out);
}

/* `   1,552,984 calls, 32 ns each`, with HOT's time for all of them. */
static void hot_calls_print(FILE *out, const struct graph *g, const struct hot *hot)
{
	char grouped[40], time[PRINT_TIME_SIZE];
	uint64_t calls = hot->calls;
	double each = figure_mean(hot->time, calls);

	if (!graph_counts(g, hot->routine))
		return;
	fputs("; ", out);
	fprintf(out, "%s%s call%s", g->routines[hot->routine].partly ? "at least " : "", print_grouped(grouped, calls), print_plural(calls));
	if (g->routines[hot->routine].recursive)
		fprintf(out, " and %s recursive", print_grouped(grouped, g->routines[hot->routine].recursive));
	if (calls > 0)
		fprintf(out, ", %s each", print_amount_text(time, each, figure_unit(g)));
}

/* Begin WHICH; false: there is no room for it. */
static bool hot_title_print(struct hot_view *v, FILE *out, enum hot_case which)
{
	if (v->printed >= v->most)
		return false;
	if (v->printed++ == 0 || v->apart)
		putc('\n', out);
	print_begin(out, &v->options->style, 'h');
	fprintf(out, "%d. %s", v->printed, hot_title(&v->cases, which));
	print_end(out, &v->options->style);
	putc('\n', out);
	return true;
}

/* `   lookup at visits.c:32`; returns its columns. */
static int hot_name_line(const struct hot_view *v, FILE *out, const struct hot *hot)
{
	const struct graph_routine *r = hot->routine == GRAPH_NONE ? NULL : v->g->routines + hot->routine;
	char name[ROOM], place[ROOM];
	int columns = 3;

	fputs("   ", out);
	print_begin(out, &v->options->style, 'm');
	name_cut(name, v, hot);
	columns += (int)print_width(name, strlen(name));
	fputs(name, out);
	print_end(out, &v->options->style);
	if (hot->place) {
		text_cut(place, hot->place, hot->place, PLACE, v->options);
		fprintf(out, " in %s", place);
		return columns + (int)strlen(" in ") + (int)print_width(place, strlen(place));
	}
	if (!r || !r->name.file || !r->name.line)
		return columns;
	text_cut(place, print_basename(r->name.file), print_basename(r->name.file), PLACE, v->options);
	columns += (int)print_width(place, strlen(place));
	return columns + fprintf(out, " at %s", place) - (int)strlen(place) + fprintf(out, ":%" PRIu32, r->name.line);
}

/* Put FIGURES, which is freed, behind a name that takes COLUMNS, on a line of its own if there is no room. */
static void hot_figures_print(FILE *out, int columns, char *figures)
{
	if (!figures)
		return;
	fputs(columns + 2 + (int)print_width(figures, strlen(figures)) <= LINE ? ": " : "\n   ", out);
	fputs(figures, out);
	putc('\n', out);
	free(figures);
}

/* `49.1 ms, 11.9 % +-2.9 of the run; 1,552,984 calls, 32 ns each` of HOT, to be freed; NULL: out of memory. */
static char *hot_figures(const struct hot_view *v, const struct hot *hot)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	share_line(v, out, hot->time, &hot->evidence);
	if (hot->routine != GRAPH_NONE && !v->g->routines[hot->routine].plain)
		hot_calls_print(out, v->g, hot);
	else if (v->g->counted)
		fputs("; no hooks, so calls are not counted", out);
	if (hot->routine != GRAPH_NONE && v->recursion[hot->routine] > 0)
		fputs("; it calls itself", out);
	if (fclose(out) != 0) {
		free(text);
		text = NULL;
	}
	return text;
}

static void next_print(struct hot_view *v, FILE *out, const struct hot_list *h)
{
	if (v->next && h->n > 1)
		list_print(v, out, "next:", h->hot + 1, h->n - 1 < SHOWN ? h->n - 1 : SHOWN);
}

/* Can annotate show something of ROUTINE: its source, or its instructions? */
static bool hot_can_be_annotated(const struct hot_view *v, uint32_t routine)
{
	const struct profile *p = v->g->profile;

	if (v->g->routines[routine].name.file && v->g->routines[routine].name.line)
		return true;
	for (uint32_t i = 0; v->in->symbols && p->npcs > 0 && i < p->nroutines; i++)
		if (v->g->routine_of[i] == routine && !p->routines[i].pseudo && symbols_has_instructions(v->in->symbols, p->routines[i].module, p->routines[i].address))
			return true;
	return false;
}

/* `more:` of ROUTINE: COMMAND, unless that can show nothing. */
static void hot_more_of(const struct hot_view *v, FILE *out, const char *command, uint32_t routine)
{
	static const char callers[] = "tree --bottom-up --focus";

	hot_more_print(v, out, strcmp(command, "annotate") == 0 && !hot_can_be_annotated(v, routine) ? callers : command, v->g->routines[routine].name.name);
}

/* Case WHICH, of which H are found. */
static void hots_print(struct hot_view *v, FILE *out, enum hot_case which, const struct hot_list *h, const char *command)
{
	const struct hot *hot = h->hot;

	if (h->n == 0 || !hot_title_print(v, out, which))
		return;
	hot_figures_print(out, hot_name_line(v, out, hot), hot_figures(v, hot));
	callers_print(v, out, hot);
	next_print(v, out, h);
	if (hot->routine != GRAPH_NONE)
		hot_more_of(v, out, command, hot->routine);
	else if (hot->ncallers && hot->callers->routine != GRAPH_NONE)
		hot_more_of(v, out, "annotate", hot->callers->routine);
}

/* Two lines at most, one where they are few; of a sequence that is longer the routines before its last one are left out. */
static void hot_sequence_print(const struct hot_view *v, FILE *out, const struct graph_path *p)
{
	const uint32_t *routines = v->cases.paths->routines + p->first;
	int line = v->apart ? 1 : 2, column = 3, last;
	size_t most = v->apart ? NAME : SEQUENCE_NAME;
	char name[ROOM];

	routine_cut(name, v, routines[p->length - 1], most);
	last = (int)print_width(name, strlen(name)) + ARROW;
	fputs("   ", out);
	print_begin(out, &v->options->style, 'm');
	for (uint32_t i = 0; i < p->length; i++) {
		bool ends = i + 1 == p->length;
		int length = (int)print_width(routine_cut(name, v, routines[i], most), strlen(name)) + (i ? ARROW : 0);

		if (i > 0 && line == 1 && column + length > 79) {
			fputs(" ->\n      ", out);
			column = 6;
			length -= ARROW;
			line++;
		} else if (i > 0 && !ends && line == 2 && column + length + DOTS + last > 79) {
			fputs(" ...", out);
			column += DOTS;
			i = p->length - 2;
			continue;
		} else if (i > 0) {
			fputs(" -> ", out);
		}
		fputs(name, out);
		column += length;
	}
	print_end(out, &v->options->style);
	putc('\n', out);
}

static void hot_paths_print(struct hot_view *v, FILE *out)
{
	const struct graph_path *p = hot_cases_path(&v->cases);
	char calls[40];

	if (!p || !hot_title_print(v, out, HOT_SEQUENCE))
		return;
	hot_sequence_print(v, out, p);
	fputs("   ", out);
	share_line(v, out, p->time, &p->evidence);
	fprintf(out, "; in %" PRIu32 " contexts", p->contexts);
	if (graph_counts(v->g, v->cases.paths->routines[p->first + p->length - 1]))
		fprintf(out, ", %s calls", print_grouped(calls, p->calls));
	putc('\n', out);
	hot_more_print(v, out, "paths", NULL);
}

/* `   top5 -> qsort`, and what of the one is the other. */
static void errand_print(struct hot_view *v, FILE *out)
{
	const struct hot_errand *e = &v->cases.errand;
	const struct graph_routine *r = v->g->routines + e->routine;
	char name[ROOM], percent[SHARE_SIZE], calls[40];
	double error = graph_error(v->g, e->time, &e->evidence, r->total, &r->total_evidence);

	if (!e->callee || !hot_title_print(v, out, HOT_ERRAND))
		return;
	fputs("   ", out);
	print_begin(out, &v->options->style, 'm');
	fputs(routine_cut(name, v, e->routine, ERRAND_NAME), out);
	fprintf(out, " -> %s", text_cut(name, e->callee, NULL, ERRAND_NAME, v->options));
	print_end(out, &v->options->style);
	fputs("\n   ", out);
	share_line(v, out, r->total, &r->total_evidence);
	fprintf(out, "; %s of it there", share_text(percent, &v->options->style, print_percent(e->time, r->total) / 100, error));
	if (v->g->counted && !r->plain)
		fprintf(out, "; %s call%s", print_grouped(calls, r->calls), print_plural(r->calls));
	putc('\n', out);
	hot_more_of(v, out, "annotate", e->routine);
}

/* Those that hold, as V says, to OUT. */
static void cases_print(struct hot_view *v, FILE *out)
{
	v->printed = 0;
	if (v->g->time > 0) {
		hots_print(v, out, HOT_HEAVY, &v->cases.heavy, "annotate");
		hots_print(v, out, HOT_LIBRARY, &v->cases.library, "tree --bottom-up --focus");
	}
	if (!v->g->arcs_alone)
		hot_paths_print(v, out);
	errand_print(v, out);
}

/* The same as text, to be freed; NULL: out of memory.  *LINES: how many it has. */
static char *cases_text(struct hot_view *v, int *lines)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	cases_print(v, out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	*lines = 0;
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		++*lines;
	return text;
}

/* As much of the cases as ROOM lines hold, what matters most first, to be freed; NULL: out of memory. */
static char *cases_fit(struct hot_view *v, int room)
{
	char *text;
	int lines = 0;

	v->most = HOT_CASES;
	v->apart = v->next = v->callers = v->more = true;
	while ((text = cases_text(v, &lines)) && lines > room && v->most > 0) {
		free(text);
		v->most -= !v->more;
		v->more = v->callers;
		v->callers = v->next;
		v->next = v->apart;
		v->apart = false;
	}
	return text;
}

/* Contexts that were entered. */
static uint64_t hot_contexts_count(const struct graph *g)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < g->ncontexts; i++)
		n += g->contexts[i].kept && (g->contexts[i].entries > 0 || g->contexts[i].time > 0);
	return n;
}

static void hot_head_print(const struct hot_view *v, FILE *out)
{
	const struct profile *p = v->g->profile;
	uint64_t contexts = hot_contexts_count(v->g);
	const char *program = p->nruns ? print_basename(profile_run_name(&p->runs[0])) : "?";
	char name[ROOM], calls[40], time[PRINT_TIME_SIZE];

	fputs(text_cut(name, program, program, NAME, v->options), out);
	fprintf(out, ": %s", print_amount_text(time, (double)v->cases.whole, figure_unit(v->g)));
	if (v->g->counted)
		fprintf(out, ", %s call%s", print_grouped(calls, v->g->calls), print_plural(v->g->calls));
	if (!v->g->arcs_alone)
		fprintf(out, ", %s context%s", print_grouped(calls, contexts), print_plural(contexts));
	putc('\n', out);
}

/* Lines that the tables and the cases have: of a terminal all but that for the next command, and the head, behind a run that of the run and what stands around;
 * as many as they take where there is none. */
static int hot_room(const struct hot_view *v)
{
	const struct report_options *o = v->options;
	int rows = o->rows ? o->rows : 2 * SCREEN;

	return o->screen ? rows - (int)report_head_rows(o) - 5 : (rows > SCREEN ? rows : SCREEN) - 3;
}

/* Rows of each table: fewer where the cases would have no room left. */
static size_t hot_rows(const struct hot_view *v, int room)
{
	size_t rows = HOT_TOP;

	while (rows > 3 && (int)hot_tables_lines(&v->cases, rows) > room)
		rows--;
	return rows;
}

/* Is nothing told of code without hooks, though some may have run? */
static bool hot_lacks_pcs(const struct hot_view *v)
{
	return v->g->profile->npcs == 0 && v->g->counted && !v->g->arcs_alone && v->g->time > 0 && profile_is_time(v->g->profile);
}

static bool hot_whole_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct hot_view v;
	bool ok = view_make(&v, in, options, err);
	char *cases = NULL;

	if (ok) {
		int room = hot_room(&v);
		size_t rows = hot_rows(&v, room);

		if (!options->screen)
			hot_head_print(&v, out);
		if (v.g->time == 0)
			fprintf(out, "%sNo time was taken in routines with hooks: it needs a longer run, or a clock.\n", options->screen ? "\n" : "");
		if (v.cases.by_own.n > 0)
			putc('\n', out);
		hot_tables_print(&v.cases, options, rows, out);
		if (hot_lacks_pcs(&v))
			fputs("(samples have no program counters here: code without hooks is its callers')\n", out);
		cases = cases_fit(&v, room - (int)hot_tables_lines(&v.cases, rows) - hot_lacks_pcs(&v));
		ok = cases ? true : error_no_memory(err, NULL);
		fputs(cases ? cases : "", out);
	}
	free(cases);
	view_free(&v);
	return ok;
}

/* On a terminal narrower than lines are, these are broken at words. */
bool hot_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	char *text = NULL;
	size_t size;
	FILE *lines;
	bool ok;

	if (options->style.width == 0 || options->style.width >= LINE)
		return hot_whole_text(in, options, out, err);
	lines = open_memstream(&text, &size);
	ok = lines && hot_whole_text(in, options, lines, err);
	if (!lines || fclose(lines) != 0)
		ok = error_no_memory(err, NULL);
	if (ok)
		print_wrapped(out, text, options->style.width > NARROWEST ? (size_t)options->style.width : NARROWEST);
	free(text);
	return ok;
}

static json_t *caller_json(const struct hot_view *v, const struct hot *hot, const struct hot_caller *caller)
{
	double error = hot->ncallers == 1 && v->g->sampled ? 0 : graph_error(v->g, caller->time, &caller->evidence, hot->whole, &hot->whole_evidence);

	return json_pack("{s:o, s:o, s:o, s:o}", "name", caller->routine == GRAPH_NONE ? json_null()
		: emit_name(hot_routine_name(v->g, caller->routine)),
		"time_ns", emit_count(caller->time), "error_ns", share_json(error, hot->whole), "calls",
		caller->calls ? emit_count(caller->calls) : json_null());
}

static json_t *hot_json_of(const struct hot_view *v, const struct hot *hot)
{
	json_t *callers = json_array();

	for (uint32_t i = 0; i < hot->ncallers; i++)
		json_array_append_new(callers, caller_json(v, hot, hot->callers + i));
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(hot->name), "called", emit_name(hot->called), "module", emit_name(hot->module), "place", emit_name(hot->place), "in_library", (int)hot->library, "tail_called_by", hot->through == GRAPH_NONE ? json_null() : emit_name(hot_routine_name(v->g, hot->through)), "time_ns",
			 emit_count(hot->time), "error_ns", share_json(graph_run_error(v->g, hot->time, &hot->evidence), v->cases.whole),
			 "total_ns", hot->routine == GRAPH_NONE ? json_null() : emit_count(v->g->routines[hot->routine].total), "calls",
			 hot->routine == GRAPH_NONE ? json_null() : emit_calls(graph_counts(v->g, hot->routine), hot->calls), "callers", callers);
}

/* Case 4, or null. */
static json_t *errand_json(const struct hot_view *v)
{
	const struct hot_errand *e = &v->cases.errand;
	const struct graph_routine *r = v->g->routines + e->routine;

	if (!e->callee)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(r->name.name), "callee", emit_name(e->callee), "total_ns",
			 emit_count(r->total), "callee_ns", emit_count(e->time), "error_ns",
			 share_json(graph_error(v->g, e->time, &e->evidence, r->total, &r->total_evidence), r->total), "calls", emit_calls(v->g->counted && !r->plain, r->calls));
}

static void hots_json(const struct hot_view *v, struct emit *e, const char *name, const struct hot_list *h, size_t most)
{
	emit_array(e, name);
	for (size_t i = 0; i < h->n && i < most; i++)
		emit_item(e, hot_json_of(v, h->hot + i));
	emit_array_end(e);
}

/* The sequence of case 3, or null. */
static json_t *sequence_json(const struct hot_view *v)
{
	const struct graph_path *p = hot_cases_path(&v->cases);
	json_t *names = json_array();

	for (uint32_t i = 0; p && i < p->length; i++)
		json_array_append_new(names, emit_name(hot_routine_name(v->g, v->cases.paths->routines[p->first + i])));
	if (p)
		return json_pack("{s:o, s:o, s:o, s:o, s:o}", "time_ns", emit_count(p->time), "error_ns",
				 share_json(graph_run_error(v->g, p->time, &p->evidence), v->cases.whole), "calls", emit_calls(graph_counts(v->g, v->cases.paths->routines[p->first + p->length - 1]), p->calls), "contexts",
				 emit_count(p->contexts), "path", names);
	json_decref(names);
	return json_null();
}

bool hot_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct hot_view v;
	bool ok = view_make(&v, in, options, err);

	if (ok) {
		emit_member(e, "time_ns", emit_count(v.cases.whole));
		emit_member(e, "samples", emit_count(figure_samples(v.g)));
		hots_json(&v, e, "by_own", &v.cases.by_own, HOT_TOP);
		hots_json(&v, e, "by_total", &v.cases.by_total, HOT_TOP);
		hots_json(&v, e, "heavy", &v.cases.heavy, 1 + SHOWN);
		hots_json(&v, e, "library", &v.cases.library, 1 + SHOWN);
		emit_member(e, "sequence", sequence_json(&v));
		emit_member(e, "one_callee", errand_json(&v));
	}
	view_free(&v);
	return ok;
}
