/* annotate.c - the source of a routine, with the samples of each line and the calls that start there.
 *
 * The sums below the source are those of the report: what the lines have, and what has no line, is the routine's self time,
 * and with the time of its calls its total. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "text/escape.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/chosen.h"
#include "report/share.h"
#include "text/print.h"

static const char legend[] =
	" % self, self what part of the routine's own time passed on the line by its samples, how far that may be off with a confidence\n"
	"              of 95 % (`<9 %` may be chance), and that time; code that the compiler put into the routine counts for the line of\n"
	"              its call.  Below the source: what has no line.\n"
	" calls, time  of the calls that start on the line, with all that they called; in brackets code without hooks, whose\n"
	"              calls are not counted and whose time is part of the routine's own.\n"
	"              Their lines are those of debug information, else those with the callee's name; below the source, of no line.\n"
	" ~            the routine is called on several lines: the figures are those of all of them together, since hooks\n"
	"              count by routine and not by call site; where call sites were told apart (APROF_SITES=1) the time alone, if\n"
	"              no samples divide it.\n";

/* A source file cut into lines. */
struct text {
	const char *data;	/* the file */
	size_t len;		/* bytes */
	const char *at;		/* the line to be printed next */
	uint32_t line;		/* its number */
};

struct columns {
	int share, self, calls, time, line; /* widths */
	bool counted;			/* calls were */
};

/* The source of L, with the calls found in it.  False with *ERR set. */
static bool text_read(struct text *t, struct lines *l, const struct report_input *in, struct error *err)
{
	if (!l->file)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: no debug information says where its source is; compile with -g",
			in->graph->routines[l->routine].name.name);
	if (!in->source)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: no source can be read here", l->file);
	t->data = in->source(in->source_reader, l->file, &t->len, err);
	t->at = t->data;
	t->line = 1;
	return t->data && lines_find_calls(l, in, t->data, t->len, err);
}

static const char *line_end(const struct text *t)
{
	const char *end = memchr(t->at, '\n', (size_t)(t->data + t->len - t->at));

	return end ? end : t->data + t->len;
}

static bool at_end(const struct text *t)
{
	return t->at >= t->data + t->len;
}

static void next_line(struct text *t)
{
	t->at = line_end(t) + (line_end(t) < t->data + t->len);
	t->line++;
}

/* The line at T, tabs as blanks; NULL: out of memory. */
static char *line_text(const struct text *t)
{
	const char *end = line_end(t);
	char *line = calloc((size_t)(end - t->at) * 8 + 1, 1);
	size_t n = 0;

	for (const char *p = t->at; line && p < end; p++) {
		if (*p == '\r' && p + 1 == end)
			break;
		do
			line[n++] = *p == '\t' || *p == '\0' ? ' ' : *p;
		while (*p == '\t' && n % 8 != 0);
	}
	return line;
}

/* Print it, made harmless. */
static void source_print(const struct text *t, FILE *out, const struct report_options *options)
{
	char *line = line_text(t);

	if (line)
		escape_print(out, line, (options->style.utf8 ? 0 : ESCAPE_ASCII) | ESCAPE_SOURCE);
	free(line);
}

static struct columns columns_make(const struct graph *g, const struct lines *l)
{
	struct columns c = { .share = 10, .self = PRINT_TIME, .calls = 9, .time = PRINT_TIME, .counted = g->counted };
	const struct graph_routine *r = g->routines + l->routine;

	c.calls = print_count_width(r->recursive, c.calls);
	for (size_t i = 0; i < l->ncallees; i++)
		c.calls = print_count_width(l->callees[i].calls, c.calls);
	c.line = print_count_width(l->last, 5);
	return c;
}

/* What part of the routine's own time is TIME, by so many TICKS; nothing if no sample tells. */
static void self_print(FILE *out, const struct columns *c, const struct lines *l, const struct graph *g,
		       const struct report_options *options, uint64_t ticks, uint64_t time)
{
	uint64_t self = g->routines[l->routine].self;
	char text[SHARE_SIZE] = "";

	if (ticks == 0 && time == 0) {
		fprintf(out, "%*s", c->share + 1 + c->self, "");
		return;
	}
	if (ticks > 0 && self > 0)
		share_text(text, &options->style, (double)time / (double)self, lines_error(l, g, ticks));
	fprintf(out, "%*s%s ", c->share - (int)print_width(text, strlen(text)), "", text);
	print_time(out, (double)time, c->self);
}

/* Columns of a callee: of one without hooks its part of the self time stands in brackets. */
static void callee_print(FILE *out, const struct columns *c, const struct line_callee *callee, const struct line_call *call)
{
	if (callee->place) {
		fprintf(out, " %*s", c->calls, "");
		fprintf(out, " %*s", c->time, "");
	} else {
		putc(' ', out);
		print_calls(out, c->calls, call->told ? call->calls : callee->calls, c->counted);
		putc(' ', out);
		print_time(out, (double)(call->timed ? call->time : callee->time), c->time);
	}
	putc(callee->nlines > 1 && !call->timed ? '~' : ' ', out);
}

/* `-> memset [123 ms in libc.so.6]`. */
static void callee_name(FILE *out, const struct line_callee *callee, const struct report_options *options)
{
	char time[PRINT_TIME_SIZE];

	fputs("-> ", out);
	print_brief(out, callee->name, callee->brief, &options->style);
	if (callee->place) {
		fputs(" [", out);
		fprintf(out, "%s in ", print_time_text(time, (double)callee->time));
		print_name(out, callee->place, &options->style);
		putc(']', out);
	}
	putc('\n', out);
}

/* A line of its own for CALL. */
static void callee_row(FILE *out, const struct columns *c, const struct lines *l, const struct line_call *call, const struct report_options *options)
{
	const struct line_callee *callee = &l->callees[call->callee];

	fprintf(out, "%*s", c->share + 1 + c->self, "");
	callee_print(out, c, callee, call);
	if (call->told && call->column)
		fprintf(out, "%*s:%-3" PRIu32 " ", c->line > 2 ? c->line - 2 : 0, "", call->column);
	else
		fprintf(out, "%*s  ", c->line, "");
	callee_name(out, callee, options);
}

/* What is known of one line: its cost, if any, and its calls. */
struct figures {
	const struct line_cost *cost;	/* NULL: none */
	const struct line_call *calls;	/* first of them */
	size_t ncalls;			/* how many */
};

/* The source line at T with F beside it: one callee stands there, several or one without hooks below. */
static void line_print(const struct text *t, const struct lines *l, const struct columns *c, const struct figures *f, FILE *out,
		       const struct graph *g, const struct report_options *options)
{
	bool hot = f->cost && 10 * f->cost->time >= g->routines[l->routine].self;
	bool beside = f->ncalls == 1 && !l->callees[f->calls->callee].place;

	print_begin(out, &options->style, hot ? 'w' : ' ');
	self_print(out, c, l, g, options, f->cost ? f->cost->ticks : 0, f->cost ? f->cost->time : 0);
	if (beside)
		callee_print(out, c, &l->callees[f->calls->callee], f->calls);
	else
		fprintf(out, " %*s %*s ", c->calls, "", c->time, "");
	fprintf(out, "%*" PRIu32 "  ", c->line, t->line);
	source_print(t, out, options);
	print_end(out, &options->style);
	putc('\n', out);
	for (size_t i = 0; i < f->ncalls && !beside; i++)
		callee_row(out, c, l, &f->calls[i], options);
}

/* The lines of L, with the figures of each. */
static void lines_print(struct text *t, const struct lines *l, const struct columns *c, FILE *out, const struct graph *g,
			const struct report_options *options)
{
	size_t cost = 0, call = 0;

	while (t->line < l->first && !at_end(t))
		next_line(t);
	for (; t->line <= l->last && !at_end(t); next_line(t)) {
		struct figures f = { 0 };

		while (cost < l->ncosts && l->costs[cost].line < t->line)
			cost++;
		while (call < l->ncalls && l->calls[call].line < t->line)
			call++;
		if (cost < l->ncosts && l->costs[cost].line == t->line)
			f.cost = &l->costs[cost];
		f.calls = l->calls + call;
		while (call + f.ncalls < l->ncalls && l->calls[call + f.ncalls].line == t->line)
			f.ncalls++;
		line_print(t, l, c, &f, out, g, options);
	}
}

/* Whether NS is anything beside WHOLE: rounding leaves a nanosecond or two. */
static bool is_seen(uint64_t ns, uint64_t whole)
{
	return ns > 0 && ns >= whole / 10000;
}

/* A line of the sums, if there is anything. */
static void rest_print(FILE *out, const struct columns *c, const struct lines *l, const struct graph *g,
		       const struct report_options *options, uint64_t ticks, uint64_t time, const char *what)
{
	if (ticks == 0 && !is_seen(time, g->routines[l->routine].self))
		return;
	self_print(out, c, l, g, options, ticks, time);
	fprintf(out, " %*s %*s %*s  %s\n", c->calls, "", c->time, "", c->line, "", what);
}

static uint64_t ticks_of_plain(const struct lines *l)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < l->ncallees; i++)
		ticks += l->callees[i].ticks;
	return ticks;
}

/* What has no line, and the sums. */
static void sums_print(const struct lines *l, const struct columns *c, FILE *out, const struct graph *g,
		       const struct report_options *options)
{
	const struct graph_routine *r = g->routines + l->routine;
	uint64_t calls = 0, time = 0;

	putc('\n', out);
	for (size_t i = 0; i < l->ncalls && l->calls[i].line == 0; i++)
		callee_row(out, c, l, &l->calls[i], options);
	rest_print(out, c, l, g, options, ticks_of_plain(l), l->plain, "in code without hooks [...]");
	rest_print(out, c, l, g, options, l->elsewhere_ticks, l->elsewhere, "at lines of other files");
	rest_print(out, c, l, g, options, 0, l->unknown, "at no known line");
	for (size_t i = 0; i < l->ncallees; i++) {
		calls += l->callees[i].calls;
		time += l->callees[i].place ? 0 : l->callees[i].time;
	}
	print_begin(out, &options->style, 'm');
	fprintf(out, "%*s ", c->share, "");
	print_time(out, (double)r->self, c->self);
	putc(' ', out);
	print_calls(out, c->calls, calls, g->counted);
	putc(' ', out);
	print_time(out, (double)time, c->time);
	fprintf(out, " %*s  self, and calls: together the total\n", c->line, "");
	print_end(out, &options->style);
}

static void heading_print(const struct graph *g, const struct lines *l, const struct columns *c, FILE *out,
			  const struct report_options *options)
{
	const struct graph_routine *r = g->routines + l->routine;
	char file[400], share[SHARE_SIZE], self[PRINT_TIME_SIZE], total[PRINT_TIME_SIZE];

	print_brief(out, r->name.name, r->brief, &options->style);
	fprintf(out, ", %s:%" PRIu32 "\n", print_safe(file, sizeof file, l->file, &options->style), r->name.line);
	fprintf(out, "%s self, %s total (%s of the run)", print_time_text(self, (double)r->self), print_time_text(total, (double)r->total), share_text(share, &options->style, print_percent(r->total, g->time + g->outside) / 100,
		graph_total_error(g, r)));
	if (g->counted)
		fprintf(out, ", %" PRIu64 " call%s", r->calls, print_plural(r->calls));
	if (r->recursive)
		fprintf(out, " and %" PRIu64 " recursive ones", r->recursive);
	fputs("\n\n", out);
	print_begin(out, &options->style, 'h');
	fprintf(out, "%*s %*s %*s %*s %*s  source\n", c->share, "% self", c->self, "self", c->calls, "calls", c->time, "time",
		c->line, "line");
	print_end(out, &options->style);
}

/* One routine.  False with *ERR set. */
static bool routine_text(const struct report_input *in, const struct report_options *options, const struct leaves *leaves,
			 uint32_t routine, FILE *out, struct error *err)
{
	struct lines l;
	struct text t;
	bool ok = lines_make(&l, in, leaves, routine, err);

	if (!ok)
		return false;
	ok = text_read(&t, &l, in, err);
	if (ok) {
		struct columns c = columns_make(in->graph, &l);

		heading_print(in->graph, &l, &c, out, options);
		lines_print(&t, &l, &c, out, in->graph, options);
		sums_print(&l, &c, out, in->graph, options);
	}
	lines_free(&l);
	return ok;
}

static bool leaves_of(struct leaves *leaves, const struct report_input *in, struct error *err)
{
	struct report_options split = { .leaves = true };

	return leaves_make(leaves, in, &split, err);
}

bool annotate_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct leaves leaves = { 0 };
	struct chosen chosen;
	bool ok = chosen_find(&chosen, in->graph, options->target, err) && leaves_of(&leaves, in, err);

	for (size_t i = 0; ok && i < chosen.n; i++) {
		fputs(i ? "\n" : "", out);
		ok = routine_text(in, options, &leaves, chosen.routines[i], out, err);
	}
	if (ok)
		print_legend(out, &options->style, legend);
	leaves_free(&leaves);
	free(chosen.routines);
	return ok;
}

static json_t *costs_json(const struct graph *g, const struct lines *l)
{
	json_t *array = json_array();

	for (size_t i = 0; i < l->ncosts; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o}", "line", emit_count(l->costs[i].line), "self_ns",
			emit_count(l->costs[i].time), "error_ns", share_json(lines_error(l, g, l->costs[i].ticks), g->routines[l->routine].self),
			"ticks", emit_count(l->costs[i].ticks)));
	return array;
}

/* The lines on which callee INDEX is called. */
static json_t *call_lines(const struct lines *l, uint32_t index)
{
	json_t *array = json_array();
	uint32_t last = 0;

	for (size_t i = 0; i < l->ncalls; i++)
		if (l->calls[i].callee == index && l->calls[i].line != last) {
			last = l->calls[i].line;
			json_array_append_new(array, emit_count(last));
		}
	return array;
}

/* The call sites of callee INDEX, if they were told apart; else NULL. */
static json_t *call_sites(const struct graph *g, const struct lines *l, uint32_t index)
{
	json_t *array = json_array();

	if (!l->callees[index].told) {
		json_decref(array);
		return NULL;
	}
	for (size_t i = 0; i < l->ncalls; i++)
		if (l->calls[i].callee == index)
			json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "line", l->calls[i].line ? emit_count(l->calls[i].line) : json_null(),
				"column", l->calls[i].column ? emit_count(l->calls[i].column) : json_null(), "calls", emit_count(l->calls[i].calls), "time_ns",
				l->calls[i].timed ? emit_count(l->calls[i].time) : json_null(), "error_ns",
				l->calls[i].timed ? share_json(l->calls[i].error, g->routines[l->routine].total) : json_null()));
	return array;
}

static json_t *callees_json(const struct graph *g, const struct lines *l)
{
	const struct graph_routine *r = g->routines + l->routine;
	json_t *array = json_array();

	for (size_t i = 0; i < l->ncallees; i++) {
		const struct line_callee *callee = &l->callees[i];

		json_t *sites = call_sites(g, l, (uint32_t)i), *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(callee->name), "place",
			emit_name(callee->place), "calls", emit_calls(g->counted && !callee->place, callee->calls), "time_ns",
			emit_count(callee->time), "error_ns", share_json(callee->error, callee->place ? r->self : r->total), "call_lines",
			call_lines(l, (uint32_t)i));

		if (sites)
			json_object_set_new(json, "call_sites", sites);
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *routine_json(const struct graph *g, const struct lines *l)
{
	const struct graph_routine *r = g->routines + l->routine;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(r->name.name),
			 "file", emit_name(l->file), "first_line", emit_count(l->first), "last_line", emit_count(l->last),
			 "self_ns", emit_count(r->self), "total_ns", emit_count(r->total), "lines", costs_json(g, l), "callees",
			 callees_json(g, l), "plain_ns", emit_count(l->plain), "elsewhere_ns", emit_count(l->elsewhere), "unknown_ns",
			 emit_count(l->unknown), "calls", emit_calls(g->counted, r->calls));
}

/* Without the source the lines of calls are not known, and that is no error here. */
bool annotate_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct leaves leaves = { 0 };
	struct chosen chosen;
	bool ok = chosen_find(&chosen, in->graph, options->target, err) && leaves_of(&leaves, in, err);

	if (ok)
		emit_array(e, "annotate");
	for (size_t i = 0; ok && i < chosen.n; i++) {
		struct error missing;
		struct lines l;
		struct text t;

		ok = lines_make(&l, in, &leaves, chosen.routines[i], err);
		if (!ok)
			break;
		text_read(&t, &l, in, &missing);
		emit_item(e, routine_json(in->graph, &l));
		lines_free(&l);
	}
	if (ok)
		emit_array_end(e);
	leaves_free(&leaves);
	free(chosen.routines);
	return ok;
}

/* ---- the sources of the heaviest routines ---- */

enum { MOST_ROUTINES = 30, MOST_LINES = 1000 };	/* by each of the two times; of each */

/* The lines of L's routine. */
static json_t *text_json(struct text *t, const struct lines *l)
{
	json_t *array = json_array();

	while (!at_end(t) && t->line < l->first)
		next_line(t);
	for (; !at_end(t) && t->line <= l->last && json_array_size(array) < MOST_LINES; next_line(t)) {
		char *line = line_text(t);
		size_t size = line ? escape_string(NULL, 0, line, ESCAPE_SOURCE) + 1 : 0;
		char *harmless = size ? malloc(size) : NULL;

		if (harmless) {
			escape_string(harmless, size, line, ESCAPE_SOURCE);
			json_array_append_new(array, json_string(harmless));
		}
		free(harmless);
		free(line);
	}
	return array;
}

/* The source of ROUTINE, if it can be read.  False: out of memory. */
static bool source_json(const struct report_input *in, const struct leaves *leaves, uint32_t routine, struct emit *e, struct error *err)
{
	struct error missing;
	struct lines l;
	struct text t;
	json_t *json;

	if (!lines_make(&l, in, leaves, routine, err))
		return false;
	if (text_read(&t, &l, in, &missing)) {
		json = routine_json(in->graph, &l);
		json_object_set_new(json, "routine", emit_count(routine));
		json_object_set_new(json, "text", text_json(&t, &l));
		emit_item(e, json);
	}
	lines_free(&l);
	return true;
}

struct heavy {
	uint32_t routine;
	uint64_t time;		/* self or total, ns */
};

static int by_time(const void *left, const void *right)
{
	const struct heavy *a = left, *b = right;

	return a->time != b->time ? (a->time < b->time) - (a->time > b->time) : (a->routine > b->routine) - (a->routine < b->routine);
}

/* Mark the routines of G that are heaviest by SELF time, or by total. */
static bool heaviest_mark(const struct graph *g, bool self, bool *marked)
{
	struct heavy *all = calloc((size_t)g->nroutines + 1, sizeof *all);

	for (uint32_t i = 0; all && i < g->nroutines; i++)
		all[i] = (struct heavy){ i, self ? g->routines[i].self : g->routines[i].total };
	if (all)
		qsort(all, g->nroutines, sizeof *all, by_time);
	for (uint32_t i = 0; all && i < g->nroutines && i < MOST_ROUTINES && all[i].time > 0; i++)
		marked[all[i].routine] = true;
	free(all);
	return all != NULL;
}

bool sources_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;
	bool *marked = calloc((size_t)g->nroutines + 1, sizeof *marked);
	struct leaves leaves = { 0 };
	bool ok = marked && heaviest_mark(g, true, marked) && heaviest_mark(g, false, marked);

	(void)options;
	if (!ok)
		error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	ok = ok && leaves_of(&leaves, in, err);
	emit_array(e, "sources");
	for (uint32_t i = 0; ok && i < g->nroutines; i++)
		if (marked[i])
			ok = source_json(in, &leaves, i, e, err);
	emit_array_end(e);
	leaves_free(&leaves);
	free(marked);
	return ok;
}
