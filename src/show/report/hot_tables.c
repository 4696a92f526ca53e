/* hot_tables.c - where the run's time is, in rows of a line each:
 *
 *     % time     ±     time  most time in its own code    in         for
 *      36.22  ±2.1   1.20 s  memcmp (__memcmp_evex_movbe)   libc.so.6  compare 93±2 %
 *
 * Both tables have the same columns.  A name has what the widest needs, the rest is the heaviest caller's. */
#include "show/report/hot_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/report/figure_text.h"
#include "show/report/share.h"

enum { NARROWEST = 80, WIDEST = 120, CALLER = 14, MODULE = 18, LEAST_MODULE = 9 };	/* columns: of a line; of a caller at least; of a module at most, and
										 * at least where names are long */

struct table_columns {
	int name, module, caller;	/* widths */
};

static const char *brief_of(const struct hot_cases *c, const struct hot *hot)
{
	return hot->routine == GRAPH_NONE ? NULL : c->g->routines[hot->routine].brief;
}

/* NAME, or what fits of it, into BUFFER. */
static void name_fit(char *buffer, const char *name, const char *brief, size_t room, const struct text_style *style)
{
	char *text = print_fitted(name, brief, room, style);

	snprintf(buffer, HOT_NAME_SIZE, "%s", text ? text : "(out of memory)");
	free(text);
}

char *hot_name_text(char *buffer, const struct hot_cases *c, const struct hot *hot, size_t room, const struct text_style *style)
{
	name_fit(buffer, hot->name, brief_of(c, hot), room, style);
	return buffer;
}

static double error_of(const struct hot_cases *c, const struct hot *hot)
{
	return graph_run_error(c->g, hot->time, &hot->evidence);
}

static const char *caller_name(const struct hot_cases *c, const struct hot_caller *caller)
{
	const struct graph_routine *r = c->g->routines + caller->routine;

	return r->brief ? r->brief : r->name.name;
}

/* ` by dispatch`, if HOT was called through that, malloc'ed; NULL: it was not, or out of memory. */
static char *through_text(const struct hot_cases *c, const struct hot *hot, size_t room, const struct text_style *style)
{
	const struct graph_routine *r = hot->through == GRAPH_NONE ? NULL : c->g->routines + hot->through;
	char *name = r && room > sizeof " by x..." ? print_fitted(r->name.name, r->brief, room - strlen(" by "), style) : NULL, *text = NULL;

	if (name && asprintf(&text, " by %s", name) < 0)
		text = NULL;
	free(name);
	return text;
}

/* `count_page 94±6 %` in ROOM columns: the heaviest caller; of the only one its name, and where there is no room for more the share alone beside it. */
static void caller_print(FILE *out, const struct hot_cases *c, const struct hot *hot, size_t room, const struct text_style *style)
{
	const struct hot_caller *caller = hot->callers;
	char name[HOT_NAME_SIZE], share[SHARE_SIZE] = "", *through;
	size_t used = 0;

	if (hot->ncallers == 0 || caller->routine == GRAPH_NONE)
		return;
	used = print_width(caller_name(c, caller), strlen(caller_name(c, caller)));
	through = through_text(c, hot, used < room / 2 ? room - used : room / 2, style);
	used = 0;
	room -= through ? print_width(through, strlen(through)) : 0;
	if (hot->ncallers > 1) {
		share_text(share, style, hot->whole ? (double)caller->time / (double)hot->whole : 0,
			graph_error(c->g, caller->time, &caller->evidence, hot->whole, &hot->whole_evidence));
		used = 1 + print_width(share, strlen(share));
	}
	if (used + print_width(caller_name(c, caller), strlen(caller_name(c, caller))) > room) {
		char *error = strpbrk(share, "\xc2+");

		if (error)
			strcpy(error, " %");
		used = share[0] ? 1 + print_width(share, strlen(share)) : 0;
	}
	name_fit(name, c->g->routines[caller->routine].name.name, c->g->routines[caller->routine].brief, room - used, style);
	fprintf(out, "  %s%s%s%s", name, through ? through : "", share[0] ? " " : "", share);
	free(through);
}

static void padded_print(FILE *out, const char *text, int width)
{
	int used = (int)print_width(text, strlen(text));

	fprintf(out, "%s%*s", text, width > used ? width - used : 0, "");
}

/* What is no part of the run's time has its share as more of it. */
static void hot_share_print(FILE *out, const struct hot_cases *c, const struct hot *hot, const struct text_style *style)
{
	double share = print_percent(hot->time, c->whole);

	if (hot->beside)
		fprintf(out, "%+6.2f%*s", share, share_width(c->g->sampled) - share_width(false), "");
	else
		share_print(out, style, c->g->sampled, share / 100, error_of(c, hot));
}

static void hot_row_print(FILE *out, const struct hot_cases *c, const struct hot *hot, const struct table_columns *w, const struct report_options *options)
{
	char name[HOT_NAME_SIZE], module[HOT_NAME_SIZE];

	hot_share_print(out, c, hot, &options->style);
	putc(' ', out);
	if (hot->beside)
		print_amount(out, (double)hot->time, figure_unit(c->g), PRINT_TIME);
	else
		figure_print(out, c->g, hot->time, PRINT_UNITS, PRINT_TIME);
	fputs("  ", out);
	print_begin(out, &options->style, 'm');
	hot_name_text(name, c, hot, (size_t)w->name, &options->style);
	padded_print(out, name, w->name);
	print_end(out, &options->style);
	fputs("  ", out);
	name_fit(module, hot->module ? hot->module : "", hot->module ? hot->module : "", (size_t)w->module, &options->style);
	padded_print(out, module, hot->ncallers && hot->callers->routine != GRAPH_NONE ? w->module : 0);
	caller_print(out, c, hot, (size_t)w->caller, &options->style);
	putc('\n', out);
}

static void hot_heading_print(FILE *out, const struct hot_cases *c, const char *what, const struct table_columns *w, const struct report_options *options)
{
	print_begin(out, &options->style, 'h');
	share_heading(out, &options->style, c->g, c->g->sampled);
	fprintf(out, " %*s  %-*s  %-*s  for", PRINT_TIME, figure_heading(c->g), w->name, what, w->module, "in");
	print_end(out, &options->style);
	putc('\n', out);
}

static size_t rows_of(const struct hot_list *h, size_t rows)
{
	return h->n < rows ? h->n : rows;
}

/* What H's first ROWS need. */
static void columns_widen(struct table_columns *w, const struct hot_cases *c, const struct hot_list *h, size_t rows, const struct text_style *style)
{
	char name[HOT_NAME_SIZE];

	for (size_t i = 0; i < rows_of(h, rows); i++) {
		int wide = (int)print_width(name, strlen(hot_name_text(name, c, h->hot + i, WIDEST, style)));
		int module = h->hot[i].module ? (int)print_width(h->hot[i].module, strlen(h->hot[i].module)) : 0;

		w->name = wide > w->name ? wide : w->name;
		w->module = module > w->module ? module : w->module;
	}
}

static struct table_columns hot_columns_make(const struct hot_cases *c, size_t rows, const struct text_style *style)
{
	int line = print_columns(style) < NARROWEST ? NARROWEST : print_columns(style) > WIDEST ? WIDEST : print_columns(style);
	int left = line - share_width(c->g->sampled) - 1 - PRINT_TIME - 2 - 2 - 2;
	struct table_columns w = { .name = (int)strlen(hot_list_title(c, true)), .module = 2 };

	columns_widen(&w, c, &c->by_own, rows, style);
	columns_widen(&w, c, &c->by_total, rows, style);
	if (w.name > left - LEAST_MODULE - CALLER)
		w.name = left - LEAST_MODULE - CALLER;
	w.module = w.module > MODULE ? MODULE : w.module;
	if (w.module > left - w.name - CALLER)
		w.module = left - w.name - CALLER;
	w.caller = left - w.module - w.name;
	return w;
}

/* The first of ROWS that was called through another; NULL: none. */
static const struct hot *through_first(const struct hot_cases *c, size_t rows)
{
	for (size_t i = 0; i < rows_of(&c->by_own, rows); i++)
		if (c->by_own.hot[i].through != GRAPH_NONE)
			return &c->by_own.hot[i];
	for (size_t i = 0; i < rows_of(&c->by_total, rows); i++)
		if (c->by_total.hot[i].through != GRAPH_NONE)
			return &c->by_total.hot[i];
	return NULL;
}

void hot_tables_print(const struct hot_cases *c, const struct report_options *options, size_t rows, FILE *out)
{
	struct table_columns w = hot_columns_make(c, rows, &options->style);

	if (c->by_own.n > 0)
		hot_heading_print(out, c, hot_list_title(c, true), &w, options);
	for (size_t i = 0; i < rows_of(&c->by_own, rows); i++)
		hot_row_print(out, c, c->by_own.hot + i, &w, options);
	if (c->by_total.n > 0)
		hot_heading_print(out, c, hot_list_title(c, false), &w, options);
	for (size_t i = 0; i < rows_of(&c->by_total, rows); i++)
		hot_row_print(out, c, c->by_total.hot + i, &w, options);
	if (through_first(c, rows))
		fputs("(by: left by a jump to it, a tail call; aprof-cc --aprof-callers makes it a call)\n", out);
}

size_t hot_tables_lines(const struct hot_cases *c, size_t rows)
{
	return (c->by_own.n > 0) + rows_of(&c->by_own, rows) + (c->by_total.n > 0) + rows_of(&c->by_total, rows) + (through_first(c, rows) != NULL);
}
