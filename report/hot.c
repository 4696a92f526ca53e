/* hot.c - where to look first: the three cases that a profile can show, in one screen.
 *
 *   1. a heavy routine, whose time is its own;
 *   2. a library routine used much, whose callers are to be looked at: code without hooks, by the samples' program
 *      counters; routines of other modules than the program; and small routines that many call;
 *   3. a sequence of calls that recurs in many contexts.
 *
 * Each has its evidence and the command that shows more.  No line is longer than 80 columns, and there are no more than 24. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"
#include "report/leaves.h"
#include "graph/recurring_paths.h"
#include "report/report.h"
#include "text/print.h"

enum { SHOWN = 3, CALLERS = 3, PATHS = 20, MANY = 4, NAME = 44, PLACE = 24, ROOM = 4 * NAME };

/* Somebody on whose behalf a library routine ran. */
struct caller {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE: <spontaneous> */
	uint64_t time;		/* ns */
	uint64_t calls;		/* 0: unknown, there was no hook to count them */
};

/* A case's routine. */
struct hot {
	uint32_t routine;	/* index in graph.routines; GRAPH_NONE: code without hooks */
	const char *name;	/* its name */
	const char *place;	/* its module's file name, if it is another one than the program; else NULL */
	uint64_t time;		/* what makes it hot, ns: its own code's, or the time of its calls */
	uint64_t calls;		/* 0: unknown */
	struct caller callers[CALLERS];	/* heaviest first */
	uint32_t ncallers;	/* how many of these */
};

struct hots {
	struct hot *hot;	/* heaviest first */
	size_t n;		/* how many */
};

struct cases {
	const struct report_input *in;
	const struct graph *g;
	const struct report_options *options;
	struct leaves leaves;	/* self times split by code without hooks */
	uint64_t *own;		/* by routine: its self time without that code, ns */
	struct hots heavy;	/* case 1 */
	struct hots library;	/* case 2 */
	struct paths *paths;	/* case 3 */
	uint64_t whole;		/* time of the run, ns */
};

static int by_time(const void *x, const void *y)
{
	const struct hot *a = x, *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void hots_sort(struct hots *h)
{
	if (h->n > 1)
		qsort(h->hot, h->n, sizeof *h->hot, by_time);
}

/* Keep C among the CALLERS heaviest of H. */
static void caller_add(struct hot *h, struct caller c)
{
	uint32_t i = h->ncallers < CALLERS ? h->ncallers++ : CALLERS;

	for (; i > 0 && h->callers[i - 1].time < c.time; i--)
		if (i < CALLERS)
			h->callers[i] = h->callers[i - 1];
	if (i < CALLERS)
		h->callers[i] = c;
}

static bool is_hooks(const struct leaf *l)
{
	return strcmp(l->name, "(hooks)") == 0;
}

/* Fill own[]. */
static bool own_find(struct cases *c)
{
	c->own = calloc((size_t)c->g->nroutines + 1, sizeof *c->own);
	for (uint32_t r = 0; c->own && r < c->g->nroutines; r++) {
		c->own[r] = c->g->routines[r].self;
		for (size_t i = c->leaves.first[r]; i < c->leaves.first[r + 1]; i++)
			c->own[r] -= c->leaves.leaf[i].time < c->own[r] ? c->leaves.leaf[i].time : c->own[r];
	}
	return c->own != NULL;
}

/* Routines with half their total in their own code. */
static bool heavy_find(struct cases *c)
{
	struct hots *h = &c->heavy;

	h->hot = calloc((size_t)c->g->nroutines + 1, sizeof *h->hot);
	for (uint32_t i = 0; h->hot && i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;

		if (!r->pseudo && c->own[i] > 0 && 2 * c->own[i] >= r->total)
			h->hot[h->n++] = (struct hot){ .routine = i, .name = r->name.name, .time = c->own[i],
				.calls = r->calls + r->recursive };
	}
	hots_sort(h);
	return h->hot != NULL;
}

/* Leaves of one function without hooks, the heaviest caller first. */
static int by_function(const void *x, const void *y)
{
	const struct leaf *a = x, *b = y;
	int c = strcmp(a->place, b->place);

	if (c == 0)
		c = strcmp(a->name, b->name);
	return c ? c : (a->time < b->time) - (a->time > b->time);
}

/* Add the functions without hooks of the N leaves at LEAF, which are sorted by function. */
static void plain_add(struct hots *h, const struct leaf *leaf, size_t n)
{
	struct hot *hot = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct leaf *l = leaf + i;

		if (is_hooks(l))
			continue;
		if (!hot || strcmp(hot->place, l->place) != 0 || strcmp(hot->name, l->name) != 0) {
			hot = h->hot + h->n++;
			*hot = (struct hot){ .routine = GRAPH_NONE, .name = l->name, .place = l->place };
		}
		hot->time += l->time;
		caller_add(hot, (struct caller){ .routine = l->routine, .time = l->time });
	}
}

/* Path of the module that is the program; NULL: not known. */
static const char *program_of(const struct graph *g)
{
	for (uint32_t i = 0; i < g->profile->nmodules; i++)
		if (g->profile->modules[i].main_program)
			return g->profile->modules[i].path;
	return NULL;
}

static bool same_module(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Routine INDEX as a library routine of MODULE: what calls from elsewhere cost. */
static struct hot called_from_outside(const struct graph *g, uint32_t index, bool foreign)
{
	const struct graph_routine *r = g->routines + index;
	struct hot hot = { .routine = index, .name = r->name.name, .place = foreign ? print_basename(r->name.module) : NULL };

	for (uint32_t i = r->first_in; i < r->first_in + r->nin; i++) {
		const struct graph_arc *arc = g->arcs + g->in_arcs[i];

		if (foreign && arc->from != GRAPH_NONE && same_module(g->routines[arc->from].name.module, r->name.module))
			continue;
		hot.time += arc->self2 + arc->child2;
		hot.calls += arc->calls;
		caller_add(&hot, (struct caller){ .routine = arc->from, .time = arc->self2 + arc->child2, .calls = arc->calls });
	}
	return hot;
}

/* Add the routines with hooks: those of other modules, and small ones that many call. */
static void hooked_add(struct cases *c, const char *program)
{
	uint32_t heavy = c->heavy.n > 0 ? c->heavy.hot[0].routine : GRAPH_NONE;

	for (uint32_t i = 0; i < c->g->nroutines; i++) {
		const struct graph_routine *r = c->g->routines + i;
		bool foreign = program && r->name.module && !same_module(r->name.module, program);
		bool small = r->nin >= 3 && 4 * r->self >= 3 * r->total;
		struct hot hot;

		if (r->pseudo || i == heavy || !(foreign || small))
			continue;
		hot = called_from_outside(c->g, i, foreign);
		if (hot.time > 0)
			c->library.hot[c->library.n++] = hot;
	}
}

static bool library_find(struct cases *c)
{
	struct leaf *leaf = calloc(c->leaves.n + 1, sizeof *leaf);

	c->library.hot = calloc(c->leaves.n + c->g->nroutines + 1, sizeof *c->library.hot);
	if (!leaf || !c->library.hot) {
		free(leaf);
		return false;
	}
	memcpy(leaf, c->leaves.leaf, c->leaves.n * sizeof *leaf);
	qsort(leaf, c->leaves.n, sizeof *leaf, by_function);
	plain_add(&c->library, leaf, c->leaves.n);
	free(leaf);
	hooked_add(c, program_of(c->g));
	hots_sort(&c->library);
	return true;
}

static bool cases_find(struct cases *c, const struct report_input *in, const struct report_options *options, struct error *err)
{
	struct report_options split = { .leaves = true };

	*c = (struct cases){ .in = in, .g = in->graph, .options = options, .whole = in->graph->time + in->graph->outside };
	if (!leaves_make(&c->leaves, in, &split, err))
		return false;
	if (!own_find(c) || !heavy_find(c) || !library_find(c))
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	c->paths = paths_find(c->g, &(struct paths_options){ .most = PATHS, .min_time = c->whole / 1000 }, err);
	return c->paths != NULL;
}

static void cases_free(struct cases *c)
{
	leaves_free(&c->leaves);
	free(c->own);
	free(c->heavy.hot);
	free(c->library.hot);
	paths_free(c->paths);
}

/* NAME made harmless, without what stands in brackets if it is long, and cut to COLUMNS, NAME of them at most, into BUFFER of ROOM bytes. */
static char *text_cut(char *buffer, const char *name, size_t columns, const struct report_options *options)
{
	unsigned flags = options->style.utf8 ? 0 : ESCAPE_ASCII;
	char *brief = strlen(name) > columns ? malloc(strlen(name) + 1) : NULL;

	if (brief) {
		print_simplify(brief, name);
		name = *brief ? brief : name;
	}
	if (escape_string(buffer, columns + 1, name, flags) > columns) {
		escape_string(buffer, columns - 2, name, flags);
		strcat(buffer, "...");
	}
	free(brief);
	return buffer;
}

static char *name_cut(char *buffer, const char *name, const struct report_options *options)
{
	return text_cut(buffer, name, NAME, options);
}

static const char *routine_name(const struct graph *g, uint32_t routine)
{
	return routine == GRAPH_NONE ? "<spontaneous>" : g->routines[routine].name.name;
}

static void word_print(FILE *out, const char *word, const struct report_options *options)
{
	escape_shell(out, word, options->style.utf8 ? 0 : ESCAPE_ASCII);
}

/* NAME as a user types it, as the regular expression of --focus if REGEX. */
static void name_print(FILE *out, const char *name, bool regex, const struct report_options *options)
{
	char *brief = malloc(strlen(name) + 1), *word = malloc(2 * strlen(name) + 20), *end = word;

	if (brief && word) {
		print_simplify(brief, name);
		if (!*brief)
			strcpy(brief, name);
		if (regex && strcmp(brief, name) != 0)
			end = stpcpy(end, "(.* )?");
		for (const char *p = brief; *p; p++) {
			if (regex && strchr(".[]()*+?{}|^$\\", *p))
				*end++ = '\\';
			*end++ = *p;
		}
		strcpy(end, regex && strcmp(brief, name) != 0 ? "[<(].*" : "");
		word_print(out, word, options);
	}
	free(brief);
	free(word);
}

/* The operands that this report was given, so that the commands that it names read the same. */
static void operands_print(const struct cases *c, FILE *out)
{
	const struct profile *p = c->g->profile;

	if (c->in->program) {
		putc(' ', out);
		word_print(out, c->in->program, c->options);
	}
	for (uint32_t i = 0; i < p->nruns && (p->nruns > 1 || strcmp(p->runs[0].label, "amon.out") != 0); i++) {
		putc(' ', out);
		word_print(out, p->runs[i].label, c->options);
	}
}

/* `   more: aprof COMMAND ROUTINE FILES`. */
static void more_print(const struct cases *c, FILE *out, const char *command, const char *routine, bool regex)
{
	fputs("   more: ", out);
	print_begin(out, &c->options->style, 'm');
	fprintf(out, "aprof %s", command);
	if (routine) {
		putc(' ', out);
		name_print(out, routine, regex, c->options);
	}
	operands_print(c, out);
	print_end(out, &c->options->style);
	putc('\n', out);
}

/* `0.0491 s, 11.9 % +-2.9 of the run`: the error is that of a share counted by the run's samples. */
static void share_print(const struct cases *c, FILE *out, uint64_t time)
{
	double share = print_percent(time, c->whole), n = (double)(c->g->ticks + c->g->outside_ticks);

	print_seconds(out, time, print_decimals(c->g->time), 0);
	fprintf(out, " s, %.1f %%", share);
	if (n > 0)
		fprintf(out, " %s%.1f", c->options->style.utf8 ? "±" : "+-", 1.96 * sqrt(share * (share < 100 ? 100 - share : 0) / n));
	fputs(" of the run", out);
}

/* Names must not make a line longer than 80 columns: print what fits of N of them. */
static void list_print(const struct cases *c, FILE *out, const char *label, const struct hot *hot, size_t n)
{
	int column = fprintf(out, "   %s", label);
	char name[ROOM], text[ROOM + 32];

	for (size_t i = 0; i < n; i++) {
		int length = snprintf(text, sizeof text, "%s %s %.1f %%", i ? "," : "", name_cut(name, hot[i].name, c->options),
			print_percent(hot[i].time, c->whole));

		if (column + length > 79)
			break;
		fputs(text, out);
		column += length;
	}
	putc('\n', out);
}

static void callers_print(const struct cases *c, FILE *out, const struct hot *hot)
{
	int column = fprintf(out, "   for");
	char name[ROOM], text[ROOM + 64], calls[40];

	for (uint32_t i = 0; i < hot->ncallers; i++) {
		const struct caller *caller = hot->callers + i;
		int length = snprintf(text, sizeof text, "%s %s %.0f %%", i ? "," : "",
			name_cut(name, routine_name(c->g, caller->routine), c->options), print_percent(caller->time, hot->time));

		if (caller->calls)
			length += snprintf(text + length, sizeof text - (size_t)length, " (%s calls)", print_grouped(calls, caller->calls));
		if (column + length > 79)
			break;
		fputs(text, out);
		column += length;
	}
	putc('\n', out);
}

/* `   1,552,984 calls, 32 ns each`, with TIME for all of them. */
static void calls_print(FILE *out, uint64_t calls, uint64_t time)
{
	char grouped[40];
	double each = calls ? (double)time / (double)calls : 0;

	fprintf(out, "%s call%s", print_grouped(grouped, calls), print_plural(calls));
	if (calls > 0)
		fprintf(out, ", %.3g %s each", each >= 1e9 ? each / 1e9 : each >= 1e6 ? each / 1e6 : each >= 1e3 ? each / 1e3 : each,
			each >= 1e9 ? "s" : each >= 1e6 ? "ms" : each >= 1e3 ? "us" : "ns");
}

static void title_print(const struct cases *c, FILE *out, const char *title)
{
	putc('\n', out);
	print_begin(out, &c->options->style, 'h');
	fputs(title, out);
	print_end(out, &c->options->style);
	putc('\n', out);
}

static void name_line(const struct cases *c, FILE *out, const struct hot *hot)
{
	char name[ROOM], place[ROOM];

	fputs("   ", out);
	print_begin(out, &c->options->style, 'm');
	fputs(name_cut(name, hot->name, c->options), out);
	print_end(out, &c->options->style);
	if (hot->place)
		fprintf(out, " in %s", text_cut(place, hot->place, PLACE, c->options));
	putc('\n', out);
}

/* The routine with the most time of its own, if its callees take more still, so that it is not the case's. */
static void busy_print(const struct cases *c, FILE *out)
{
	uint32_t most = GRAPH_NONE;

	for (uint32_t r = 0; r < c->g->nroutines; r++)
		if (!c->g->routines[r].pseudo && (most == GRAPH_NONE || c->own[r] > c->own[most]))
			most = r;
	if (most != GRAPH_NONE && 2 * c->own[most] < c->g->routines[most].total)
		list_print(c, out, "more of its own, but most in callees:", &(struct hot){
			.name = c->g->routines[most].name.name, .time = c->own[most] }, 1);
}

static void heavy_print(const struct cases *c, FILE *out)
{
	const struct hot *hot = c->heavy.hot;
	char place[ROOM];

	title_print(c, out, "1. A heavy routine: its time is its own");
	if (c->heavy.n == 0) {
		fputs("   none: no routine has half its time in itself\n", out);
		return;
	}
	const struct graph_routine *r = c->g->routines + hot->routine;

	name_line(c, out, hot);
	fputs("   ", out);
	share_print(c, out, hot->time);
	fprintf(out, ", %.0f %% of its total\n   ", print_percent(hot->time, r->total));
	calls_print(out, hot->calls, hot->time);
	if (r->name.file && r->name.line)
		fprintf(out, "; %s:%" PRIu32, text_cut(place, print_basename(r->name.file), PLACE, c->options), r->name.line);
	putc('\n', out);
	if (c->heavy.n > 1)
		list_print(c, out, "next:", hot + 1, c->heavy.n - 1 < SHOWN ? c->heavy.n - 1 : SHOWN);
	busy_print(c, out);
	more_print(c, out, "annotate", hot->name, false);
}

/* Why case 2 may see less than there is. */
static void no_pcs_print(const struct cases *c, FILE *out)
{
	if (c->g->profile->npcs == 0)
		fputs("   (samples have no program counters here: code without hooks is not seen)\n", out);
}

static void library_print(const struct cases *c, FILE *out)
{
	const struct hot *hot = c->library.hot;

	title_print(c, out, "2. A library routine used much: do its callers need all these calls?");
	if (c->library.n == 0) {
		fputs("   none: no time in libraries, nor in a small routine that three or more call\n", out);
		no_pcs_print(c, out);
		return;
	}
	name_line(c, out, hot);
	fputs("   ", out);
	share_print(c, out, hot->time);
	fputs(hot->routine == GRAPH_NONE ? "; no hooks, so calls are not counted\n" : "; ", out);
	if (hot->routine != GRAPH_NONE) {
		calls_print(out, hot->calls, hot->time);
		putc('\n', out);
	}
	callers_print(c, out, hot);
	if (c->library.n > 1)
		list_print(c, out, "next:", hot + 1, c->library.n - 1 < SHOWN ? c->library.n - 1 : SHOWN);
	if (hot->routine == GRAPH_NONE)
		more_print(c, out, "annotate", routine_name(c->g, hot->callers[0].routine), false);
	else
		more_print(c, out, "tree --bottom-up --focus", hot->name, true);
	no_pcs_print(c, out);
}

/* The first sequence in MANY contexts, else the first. */
static const struct graph_path *path_choose(const struct paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (paths->paths[i].effective >= MANY)
			return paths->paths + i;
	return paths->n > 0 ? paths->paths : NULL;
}

/* Two lines at most; what does not fit of a long one is left out before its last routine. */
static void sequence_print(const struct cases *c, FILE *out, const struct graph_path *p)
{
	const uint32_t *routines = c->paths->routines + p->first;
	char name[ROOM];
	int column = 3, line = 1;

	fputs("   ", out);
	print_begin(out, &c->options->style, 'm');
	for (uint32_t i = 0; i < p->length; i++) {
		int length = (int)strlen(name_cut(name, routine_name(c->g, routines[i]), c->options)) + 4;

		if (column + length > 79 && line == 2 && i + 1 < p->length) {
			fputs(" ...", out);
			i = p->length - 2;
			line++;
			continue;
		}
		if (column + length > 79) {
			fputs(" ->\n      ", out);
			column = 6;
			line++;
		} else if (i > 0) {
			fputs(" -> ", out);
		}
		fputs(name, out);
		column += length;
	}
	print_end(out, &c->options->style);
	putc('\n', out);
}

static void paths_print(const struct cases *c, FILE *out)
{
	const struct graph_path *p = path_choose(c->paths);
	char calls[40];

	title_print(c, out, "3. A sequence of calls that recurs: is all that it computes used?");
	if (!p) {
		fputs("   none: no sequence of calls recurs in several contexts\n", out);
		return;
	}
	sequence_print(c, out, p);
	fputs("   ", out);
	share_print(c, out, p->time);
	fprintf(out, "; in %" PRIu32 " contexts, %s calls\n", p->contexts, print_grouped(calls, p->calls));
	more_print(c, out, "paths", NULL, false);
}

/* Contexts that were entered. */
static uint64_t contexts_count(const struct graph *g)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < g->ncontexts; i++)
		n += g->contexts[i].kept && (g->contexts[i].entries > 0 || g->contexts[i].time > 0);
	return n;
}

static void head_print(const struct cases *c, FILE *out)
{
	const struct profile *p = c->g->profile;
	uint64_t contexts = contexts_count(c->g);
	char name[ROOM], calls[40];

	fputs(name_cut(name, p->nruns ? print_basename(p->runs[0].header.program) : "?", c->options), out);
	fputs(": ", out);
	print_seconds(out, c->whole, print_decimals(c->g->time), 0);
	fprintf(out, " s, %s call%s", print_grouped(calls, c->g->calls), print_plural(c->g->calls));
	fprintf(out, ", %s context%s\n", print_grouped(calls, contexts), print_plural(contexts));
}

bool hot_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct cases c;
	bool ok = cases_find(&c, in, options, err);

	if (ok) {
		head_print(&c, out);
		if (c.g->time == 0)
			fputs("No time was taken in routines with hooks: it needs a longer run, or a clock.\n", out);
		else {
			heavy_print(&c, out);
			library_print(&c, out);
		}
		paths_print(&c, out);
	}
	cases_free(&c);
	return ok;
}

static json_t *hot_json_of(const struct cases *c, const struct hot *hot)
{
	json_t *callers = json_array();

	for (uint32_t i = 0; i < hot->ncallers; i++)
		json_array_append_new(callers, json_pack("{s:o, s:o, s:o}", "name",
			hot->callers[i].routine == GRAPH_NONE ? json_null() : emit_name(routine_name(c->g, hot->callers[i].routine)),
			"time_ns", emit_count(hot->callers[i].time), "calls",
			hot->callers[i].calls ? emit_count(hot->callers[i].calls) : json_null()));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(hot->name), "place", emit_name(hot->place), "time_ns",
			 emit_count(hot->time), "total_ns", hot->routine == GRAPH_NONE ? json_null()
			 : emit_count(c->g->routines[hot->routine].total), "calls",
			 hot->routine == GRAPH_NONE ? json_null() : emit_count(hot->calls), "callers", callers);
}

static void hots_json(const struct cases *c, struct emit *e, const char *name, const struct hots *h)
{
	emit_array(e, name);
	for (size_t i = 0; i < h->n && i <= SHOWN; i++)
		emit_item(e, hot_json_of(c, h->hot + i));
	emit_array_end(e);
}

/* The sequence of case 3, or null. */
static json_t *sequence_json(const struct cases *c)
{
	const struct graph_path *p = path_choose(c->paths);
	json_t *names = json_array();

	for (uint32_t i = 0; p && i < p->length; i++)
		json_array_append_new(names, emit_name(routine_name(c->g, c->paths->routines[p->first + i])));
	if (p)
		return json_pack("{s:o, s:o, s:o, s:o}", "time_ns", emit_count(p->time), "calls", emit_count(p->calls), "contexts",
				 emit_count(p->contexts), "path", names);
	json_decref(names);
	return json_null();
}

bool hot_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct cases c;
	bool ok = cases_find(&c, in, options, err);

	if (ok) {
		emit_member(e, "time_ns", emit_count(c.whole));
		emit_member(e, "samples", emit_count(c.g->ticks + c.g->outside_ticks));
		hots_json(&c, e, "heavy", &c.heavy);
		hots_json(&c, e, "library", &c.library);
		emit_member(e, "sequence", sequence_json(&c));
	}
	cases_free(&c);
	return ok;
}
