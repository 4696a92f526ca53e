/* annotate.c - the source of a routine, with the samples of each line and the calls that start there.
 *
 * The sums below the source are those of the report: what the lines have, and what has no line, is the routine's self time,
 * and with the time of its calls its total. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/escape.h"
#include "show/report/annotated_code.h"
#include "show/report/annotated_source.h"
#include "show/report/code_places.h"
#include "show/report/figure_text.h"
#include "show/report/share.h"
#include "base/print.h"

static const char legend_self[] =
	" % self, self what part of the routine's own @time passed on the line by its samples, how far that may be off with a confidence\n"
	"              of 95 % (`<9 %` may be chance), and that @time; code that the compiler put into the routine counts for the line of\n"
	"              its call.  Below the source: what has no line.\n";

/* Where calls were counted. */
static const char legend_calls[] =
	" calls, @time  of the calls that start on the line, with all that they called; in brackets code without hooks, whose\n"
	"              calls are not counted and whose @time is part of the routine's own.\n"
	"              Their lines are those of debug information, else those with the callee's name; below the source, of no line.\n"
	" ~            the routine is called on several lines: the figures are those of all of them together, since hooks\n"
	"              count by routine and not by call site; where calls were counted by site (APROF_SITES=1) the @time alone, if\n"
	"              no samples divide it.\n";

/* Of call stacks, which have their call sites. */
static const char legend_time[] =
	" @time         of the calls that start on the line, with all that they called, where samples found them under way; `:12` is their\n"
	"              column.  Below the source: what no known place called.\n"
	" ~            the routine is called on several lines, which no samples distinguish: the @time is that of all of them together.\n";

struct columns {
	int share, self, calls, time, line; /* widths */
	bool counted;			/* calls were */
	const char *unit;		/* of times */
};

/* Print it, made harmless. */
static void annotate_source_print(const struct source_text *t, FILE *out, const struct report_options *options)
{
	char *line = annotated_source_line(t);

	if (line)
		escape_print(out, line, (options->style.utf8 ? 0 : ESCAPE_ASCII) | ESCAPE_SOURCE);
	free(line);
}

static struct columns annotate_columns_make(const struct graph *g, const struct lines *l)
{
	struct columns c = { .share = 10, .self = PRINT_TIME, .calls = 9, .time = PRINT_TIME, .counted = g->counted, .unit = figure_unit(g) };
	const struct graph_routine *r = g->routines + l->routine;

	c.calls = print_count_width(r->recursive, c.calls);
	for (size_t i = 0; i < l->ncallees; i++)
		c.calls = print_count_width(l->callees[i].calls, c.calls);
	c.line = print_count_width(l->last, 5);
	return c;
}

/* What part of the routine's own time is TIME, by so many TICKS; nothing if no sample tells. */
static void annotate_self_print(FILE *out, const struct columns *c, const struct lines *l, const struct graph *g,
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
	figure_print(out, g, time, PRINT_UNITS, c->self);
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
		print_amount(out, (double)(call->timed ? call->time : callee->time), c->unit, c->time);
	}
	putc(callee->nlines > 1 && !call->timed ? '~' : ' ', out);
}

/* `-> memset [123 ms in libc.so.6]`. */
static void callee_name(FILE *out, const struct columns *c, const struct line_callee *callee, const struct report_options *options)
{
	char time[PRINT_TIME_SIZE];

	fputs("-> ", out);
	print_brief(out, callee->name, callee->brief, &options->style);
	if (callee->place) {
		fputs(" [", out);
		fprintf(out, "%s in ", print_amount_text(time, (double)callee->time, c->unit));
		print_name(out, callee->place, &options->style);
		putc(']', out);
	}
	putc('\n', out);
}

/* A line of its own for CALL. */
static void annotate_callee_row(FILE *out, const struct columns *c, const struct lines *l, const struct line_call *call,
	const struct report_options *options)
{
	const struct line_callee *callee = &l->callees[call->callee];

	fprintf(out, "%*s", c->share + 1 + c->self, "");
	callee_print(out, c, callee, call);
	if (call->told && call->column)
		fprintf(out, "%*s:%-3" PRIu32 " ", c->line > 2 ? c->line - 2 : 0, "", call->column);
	else
		fprintf(out, "%*s  ", c->line, "");
	callee_name(out, c, callee, options);
}

/* What is known of one line: its cost, if any, and its calls. */
struct figures {
	const struct line_cost *cost;	/* NULL: none */
	const struct line_call *calls;	/* first of them */
	size_t ncalls;			/* how many */
};

/* The source line at T with F beside it: one callee stands there, several or one without hooks below. */
static void line_print(const struct source_text *t, const struct lines *l, const struct columns *c, const struct figures *f, FILE *out,
		       const struct graph *g, const struct report_options *options)
{
	bool hot = f->cost && 10 * f->cost->time >= g->routines[l->routine].self;
	bool beside = f->ncalls == 1 && !l->callees[f->calls->callee].place;

	print_begin(out, &options->style, hot ? 'w' : ' ');
	annotate_self_print(out, c, l, g, options, f->cost ? f->cost->ticks : 0, f->cost ? f->cost->time : 0);
	if (beside)
		callee_print(out, c, &l->callees[f->calls->callee], f->calls);
	else
		fprintf(out, " %*s %*s ", c->calls, "", c->time, "");
	fprintf(out, "%*" PRIu32 "  ", c->line, t->line);
	annotate_source_print(t, out, options);
	print_end(out, &options->style);
	putc('\n', out);
	for (size_t i = 0; i < f->ncalls && !beside; i++)
		annotate_callee_row(out, c, l, &f->calls[i], options);
}

/* The lines of L, with the figures of each. */
static void annotate_lines_print(struct source_text *t, const struct lines *l, const struct columns *c, FILE *out, const struct graph *g,
			const struct report_options *options)
{
	size_t cost = 0, call = 0;

	while (t->line < l->first && !annotated_source_at_end(t))
		annotated_source_next(t);
	for (; t->line <= l->last && !annotated_source_at_end(t); annotated_source_next(t)) {
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
static bool annotate_is_seen(uint64_t ns, uint64_t whole)
{
	return ns > 0 && ns >= whole / 10000;
}

/* A line of the sums, if there is anything. */
static void annotate_rest_print(FILE *out, const struct columns *c, const struct lines *l, const struct graph *g,
		       const struct report_options *options, uint64_t ticks, uint64_t time, const char *what)
{
	if (ticks == 0 && !annotate_is_seen(time, g->routines[l->routine].self))
		return;
	annotate_self_print(out, c, l, g, options, ticks, time);
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
static void annotate_sums_print(const struct lines *l, const struct columns *c, FILE *out, const struct graph *g,
		       const struct report_options *options)
{
	const struct graph_routine *r = g->routines + l->routine;
	uint64_t calls = 0, time = 0;

	putc('\n', out);
	for (size_t i = 0; i < l->ncalls && l->calls[i].line == 0; i++)
		annotate_callee_row(out, c, l, &l->calls[i], options);
	annotate_rest_print(out, c, l, g, options, ticks_of_plain(l), l->plain, "in code without hooks [...]");
	annotate_rest_print(out, c, l, g, options, l->elsewhere_ticks, l->elsewhere, "at lines of other files");
	annotate_rest_print(out, c, l, g, options, 0, l->unknown, "at no known line");
	for (size_t i = 0; i < l->ncallees; i++) {
		calls += l->callees[i].calls;
		time += l->callees[i].place ? 0 : l->callees[i].time;
	}
	print_begin(out, &options->style, 'm');
	fprintf(out, "%*s ", c->share, "");
	print_amount(out, (double)r->self, figure_unit(g), c->self);
	putc(' ', out);
	print_calls(out, c->calls, calls, g->counted);
	putc(' ', out);
	print_amount(out, (double)time, figure_unit(g), c->time);
	fprintf(out, " %*s  self, and calls: together the total\n", c->line, "");
	print_end(out, &options->style);
}

static void annotate_heading_print(const struct graph *g, const struct lines *l, const struct columns *c, FILE *out,
			  const struct report_options *options)
{
	const struct graph_routine *r = g->routines + l->routine;
	char file[400], share[SHARE_SIZE], self[PRINT_TIME_SIZE], total[PRINT_TIME_SIZE];

	print_brief(out, r->name.name, r->brief, &options->style);
	fprintf(out, ", %s:%" PRIu32 "\n", print_safe(file, sizeof file, l->file, &options->style), r->name.line);
	fprintf(out, "%s self, %s total (%s of the run)", print_amount_text(self, (double)r->self, figure_unit(g)), print_amount_text(total, (double)r->total, figure_unit(g)), share_text(share, &options->style, figure_share(g, r->total),
		graph_total_error(g, r)));
	if (g->counted)
		fprintf(out, ", %" PRIu64 " call%s", r->calls, print_plural(r->calls));
	if (r->recursive)
		fprintf(out, " and %" PRIu64 " recursive ones", r->recursive);
	fputs("\n\n", out);
	print_begin(out, &options->style, 'h');
	fprintf(out, "%*s %*s %*s %*s %*s  source\n", c->share, "% self", c->self, "self", c->calls, "calls", c->time, figure_heading(g),
		c->line, "line");
	print_end(out, &options->style);
}

static const char legend_code[] =
	" % self, self what part of the own time passed at the instruction by its samples, and that @time.  A sample stands at the instruction that\n"
	"              was to come next, as a rule the one behind that which took the @time.\n";

/* C, and why it is shown instead of a source. */
static void code_print(FILE *out, const struct code *c, const char *why, const struct graph *g, const struct report_options *options)
{
	char time[PRINT_TIME_SIZE], grouped[32];

	print_name(out, why, &options->style);
	fputs(".  Its instructions:\n\n", out);
	print_name(out, c->name, &options->style);
	fprintf(out, ": %s in its own code, %s sample%s\n", figure_text(time, g, c->time), print_grouped(grouped, c->ticks), print_plural(c->ticks));
	annotated_code_print(out, c, g, options);
	print_worded(out, &options->style, figure_unit(g), "\n%s", legend_code);
}

/* C, of a function without hooks. */
static void plain_print(FILE *out, const struct code *c, const struct graph *g, const struct report_options *options)
{
	char why[600];

	snprintf(why, sizeof why, "%.400s: no routine with hooks is called so, but code without", c->name);
	code_print(out, c, why, g, options);
}

/* What of ROUTINE's own time was in code without hooks. */
static void code_leaves_print(FILE *out, const struct graph *g, const struct leaves *leaves, uint32_t routine, const struct report_options *options)
{
	size_t first = leaves->first[routine], end = leaves->first[routine + 1];

	if (first < end)
		fputs("\nBeside that, of its own time:\n\n", out);
	for (size_t i = first; i < end; i++) {
		figure_print(out, g, leaves->leaf[i].time, PRINT_UNITS, PRINT_TIME);
		fputs("  ", out);
		leaves_print(out, &leaves->leaf[i], options, PRINT_TIME + 2);
		putc('\n', out);
	}
}

/* The instructions of ROUTINE, as *ERR hinders its source.  False with *ERR as it is: there are none. */
static bool routine_code_text(const struct report_input *in, const struct report_options *options, const struct leaves *leaves, uint32_t routine, FILE *out,
			      struct error *err)
{
	struct error memory;
	struct code c;
	bool ok = code_of_routine(&c, in, leaves, routine, &memory) && c.nbodies > 0 && in->graph->profile->npcs > 0;

	if (ok) {
		code_print(out, &c, err->text, in->graph, options);
		code_leaves_print(out, in->graph, leaves, routine, options);
	}
	code_free(&c);
	return ok;
}

/* One routine; *LEGENDS: source was shown.  False with *ERR set. */
static bool routine_text(const struct report_input *in, const struct report_options *options, const struct leaves *leaves,
			 uint32_t routine, bool *legends, FILE *out, struct error *err)
{
	struct lines l;
	struct source_text t;
	bool ok = lines_make(&l, in, leaves, routine, err);

	if (!ok)
		return false;
	ok = annotated_source_read(&t, &l, in, err);
	if (ok) {
		struct columns c = annotate_columns_make(in->graph, &l);

		annotate_heading_print(in->graph, &l, &c, out, options);
		annotate_lines_print(&t, &l, &c, out, in->graph, options);
		annotate_sums_print(&l, &c, out, in->graph, options);
		*legends = true;
	}
	lines_free(&l);
	return ok || routine_code_text(in, options, leaves, routine, out, err);
}

static void annotate_legend_print(FILE *out, const struct graph *g, const struct text_style *style)
{
	print_worded(out, style, figure_unit(g), "\n%s%s", legend_self, g->counted ? legend_calls : legend_time);
}

/* The routines that CHOSEN has. */
static bool routines_text(const struct report_input *in, const struct report_options *options, const struct leaves *leaves, const struct routine_selection *chosen,
			  FILE *out, struct error *err)
{
	bool ok = true, legends = false;

	for (size_t i = 0; ok && i < chosen->n; i++) {
		fputs(i ? "\n" : "", out);
		ok = routine_text(in, options, leaves, chosen->routines[i], &legends, out, err);
	}
	if (ok && legends)
		annotate_legend_print(out, in->graph, &options->style);
	return ok;
}

bool annotate_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	struct leaves leaves = { 0 };
	struct routine_selection chosen;
	struct code plain = { 0 };
	struct error memory;
	bool named = routine_selection_find(&chosen, in->graph, options->target, err), ok = false;

	if (!annotated_source_leaves(&leaves, in, named ? err : &memory))
		named = false;
	else if (named)
		ok = routines_text(in, options, &leaves, &chosen, out, err);
	else if (err->code == ERROR_PATTERN && code_of_plain(&plain, in, &leaves, options->target, &memory))
		ok = plain.ticks > 0;
	if (ok && !named)
		plain_print(out, &plain, in->graph, options);
	code_free(&plain);
	leaves_free(&leaves);
	free(chosen.routines);
	return ok;
}

/* What is known of ROUTINE, without its source the instructions.  NULL with *ERR set: out of memory. */
static json_t *annotate_routine_json(const struct report_input *in, const struct leaves *leaves, uint32_t routine, struct error *err)
{
	struct error missing;
	struct lines l;
	struct source_text t;
	struct code c = { 0 };
	json_t *json = NULL;

	if (!lines_make(&l, in, leaves, routine, err))
		return NULL;
	if (annotated_source_read(&t, &l, in, &missing) || code_of_routine(&c, in, leaves, routine, err)) {
		json = annotated_source_json(in->graph, &l);
		json_object_set_new(json, "code", annotated_code_json(&c, in->graph));
	}
	code_free(&c);
	lines_free(&l);
	return json;
}

/* Without the source the lines of calls are not known, and that is no error here. */
bool annotate_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	struct leaves leaves = { 0 };
	struct routine_selection chosen;
	bool ok = routine_selection_find(&chosen, in->graph, options->target, err) && annotated_source_leaves(&leaves, in, err);

	if (ok)
		emit_array(e, "annotate");
	for (size_t i = 0; ok && i < chosen.n; i++) {
		json_t *json = annotate_routine_json(in, &leaves, chosen.routines[i], err);

		ok = json != NULL;
		if (ok)
			emit_item(e, json);
	}
	if (ok)
		emit_array_end(e);
	leaves_free(&leaves);
	free(chosen.routines);
	return ok;
}
