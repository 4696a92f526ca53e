/* verdict_print.c - sentences. */
#include "show/diff/verdict_print.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "show/report/code_places.h"
#include "show/diff/output.h"

static const char *const answers[] = { "no change beyond noise", "slower", "faster" };
static const char *const reasons[] = { "unknown", "calls", "code", "same", "each" };

static const struct comparison_item *routine_of(const struct comparison *c, uint32_t routine) { return &c->kinds[COMPARISON_ROUTINES].items[routine]; }

static const char *either(const struct text_style *style) { return style->utf8 ? "±" : "+-"; }
static const char *to(const struct text_style *style) { return style->utf8 ? "→" : "->"; }

static void error_write(double error, const struct text_style *style, FILE *out)
{
	if (isfinite(error))
		fprintf(out, " %s%.1f", either(style), 100 * error);
}

/* "slower by 3.1 % ±0.8: 1.483 s → 1.529 s of CPU time, means of 12 runs a side"; "slower by 2.9 % ±0.5 in what changed; as a whole +2.4 % ±3.1: ..." */
static void answer_write(const struct verdict *v, const struct comparison *c, const struct text_style *style, FILE *out)
{
	char base[PRINT_TIME_SIZE], fresh[PRINT_TIME_SIZE];
	bool is_whole_sure = v->answer != VERDICT_NO_CHANGE && !v->by_part;

	fputs(answers[v->answer], out);
	if (v->by_part) {
		fprintf(out, " by %.1f %%", 100 * fabs(v->part));
		error_write(v->error_of_part, style, out);
		fprintf(out, " in what changed; as a whole %+.1f %%", 100 * v->change);
	} else {
		fprintf(out, is_whole_sure ? " by %.1f %%" : ": %+.1f %%", 100 * (is_whole_sure ? fabs(v->change) : v->change));
	}
	error_write(v->error, style, out);
	fprintf(out, "%c %s %s %s", is_whole_sure || v->by_part ? ':' : ',', print_amount_text(base, c->whole.base, comparison_unit(c)), to(style), print_amount_text(fresh, c->whole.fresh, comparison_unit(c)));
	if (c->nruns > 2)
		fprintf(out, ", means of %" PRIu32 " runs a side", c->nbase);
}

/* "hash takes 48.0 ms ±2.1 more of its own" */
static void routine_write(const struct verdict *v, const struct comparison *c, const struct text_style *style, FILE *out)
{
	const struct comparison_item *r = routine_of(c, v->routine);
	double change = r->change[COMPARISON_SELF].change;
	char time[PRINT_TIME_SIZE], error[PRINT_TIME_SIZE];

	output_routine(c, v->routine, style, out);
	fprintf(out, " takes %s", print_amount_text(time, fabs(change), comparison_unit(c)));
	if (isfinite(v->error_of_routine))
		fprintf(out, " %s%s", either(style), print_amount_text(error, v->error_of_routine, comparison_unit(c)));
	fprintf(out, " %s of its own", change > 0 ? "more" : "less");
}

static void calls_write(const struct comparison_item *i, FILE *out)
{
	char base[32], fresh[32];

	output_calls(base, sizeof base, i->calls.base, false);
	output_calls(fresh, sizeof fresh, i->calls.fresh, false);
	fprintf(out, "%s times, not %s", fresh, base);
}

/* "grow at table.c:45" */
static void caller_write(const struct verdict *v, const struct comparison *c, const struct text_style *style, FILE *out)
{
	const struct comparison_item *site = v->site == GRAPH_NONE ? NULL : &c->kinds[COMPARISON_SITES].items[v->site];

	output_routine(c, c->kinds[COMPARISON_ARCS].items[v->arc].from, style, out);
	if (site && site->place) {
		putc(' ', out);
		call_place_print(out, site->place, style);
	}
}

/* ": it is called 4000 times, not 1000, by main at p.c:45"; or where it begins further up "...; that begins with grow, which insert calls 40 times, not 10" */
static void reason_calls_write(const struct verdict *v, const struct comparison *c, const struct text_style *style, FILE *out)
{
	const struct comparison_item *arc = v->arc == GRAPH_NONE ? NULL : &c->kinds[COMPARISON_ARCS].items[v->arc];

	fputs(": it is called ", out);
	calls_write(routine_of(c, v->routine), out);
	if (!arc)
		return;
	if (arc->to == v->routine) {
		fputs("; ", out);
		caller_write(v, c, style, out);
		fputs(" calls it ", out);
	} else {
		fputs("; that begins with ", out);
		output_routine(c, arc->to, style, out);
		fputs(", which ", out);
		caller_write(v, c, style, out);
		fputs(" calls ", out);
	}
	calls_write(arc, out);
}

static void reason_write(const struct verdict *v, const struct comparison *c, const struct text_style *style, FILE *out)
{
	if (v->routine == GRAPH_NONE) {
		fputs(v->answer == VERDICT_NO_CHANGE ? "no routine's own time changed beyond noise" : "no routine stands out: each changed by less than noise", out);
		return;
	}
	routine_write(v, c, style, out);
	switch (v->reason) {
	case VERDICT_CALLS:
		reason_calls_write(v, c, style, out);
		break;
	case VERDICT_CODE:
		fputs(": it is called as often, and its code is another", out);
		break;
	case VERDICT_SAME:
		fputs(": same code, same calls; what differs is where the code or its data lies, or what it works on", out);
		break;
	case VERDICT_EACH:
		fprintf(out, ": it is called as often, and each call takes %s", routine_of(c, v->routine)->change[COMPARISON_SELF].change > 0 ? "longer" : "less");
		break;
	default:
		if (v->arc != GRAPH_NONE) {
			fputs(", most of it for ", out);
			caller_write(v, c, style, out);
		}
	}
}

typedef void sentence_write(const struct verdict *v, const struct comparison *c, const struct text_style *style, FILE *out);

/* What WRITE writes; malloc'ed.  NULL: out of memory. */
static char *sentence_make(sentence_write *write, const struct verdict *v, const struct comparison *c, const struct text_style *style)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return NULL;
	write(v, c, style, memory);
	return fclose(memory) == 0 ? text : NULL;
}

bool verdict_text(const struct verdict *v, const struct comparison *c, const struct diff_options *o, FILE *out, struct error *err)
{
	char *answer = sentence_make(answer_write, v, c, &o->report.style), *reason = sentence_make(reason_write, v, c, &o->report.style);
	bool ok = answer && reason;

	if (ok) {
		print_field(out, &o->report.style, "answer", "%s", answer);
		if (v->answer != VERDICT_NO_CHANGE || v->routine != GRAPH_NONE)
			print_field(out, &o->report.style, v->answer == VERDICT_NO_CHANGE ? "but" : "because", "%s", reason);
	}
	free(answer);
	free(reason);
	return ok || error_no_memory(err, NULL);
}

/* NAME in a cell of a table: bars would end it. */
static void cell_print(FILE *out, const char *name)
{
	for (putc('`', out); *name; name++) {
		if (*name == '|')
			putc('\\', out);
		if (*name != '`' && *name != '\n')
			putc(*name, out);
	}
	putc('`', out);
}

static void row_markdown(const struct comparison *c, const struct comparison_item *i, const struct text_style *style, FILE *out)
{
	char time[PRINT_TIME_SIZE], change[64], calls[64] = "", more[64] = "";

	output_time_change(c, change, sizeof change, i, COMPARISON_SELF);
	if (c->runs[0].counted) {
		output_calls(calls, sizeof calls, i->calls.fresh, false);
		output_calls_change(more, sizeof more, i);
	}
	fprintf(out, "| %s | %s | %s | %s | ", print_amount_text(time, i->sides[COMPARISON_SELF].fresh, comparison_unit(c)), change, calls, more);
	cell_print(out, print_choose(i->name, i->brief, style));
	fprintf(out, "%s |\n", output_remark(c, i));
}

static bool rows_markdown(const struct comparison *c, const struct diff_options *o, FILE *out)
{
	const struct comparison_items *routines = &c->kinds[COMPARISON_ROUTINES];
	uint32_t *order = output_order(routines, o->sort), shown = 0, news = 0;

	for (uint32_t i = 0; order && i < routines->n; i++) {
		const struct comparison_item *item = &routines->items[order[i]];

		if (!item->counted || !(item->news[COMPARISON_SELF] || item->calls_news))
			continue;
		if (news++ == 0)
			fputs("\n| own time | change | calls | change | routine |\n|---:|---:|---:|---:|---|\n", out);
		if (o->top == 0 || shown < o->top) {
			row_markdown(c, item, &o->report.style, out);
			shown++;
		}
	}
	if (news > shown)
		fprintf(out, "\n%" PRIu32 " more changed.\n", news - shown);
	free(order);
	return order;
}

bool verdict_markdown(const struct verdict *v, const struct comparison *c, const struct diff_options *o, FILE *out, struct error *err)
{
	char *answer = sentence_make(answer_write, v, c, &o->report.style), *reason = sentence_make(reason_write, v, c, &o->report.style);
	bool ok = answer && reason;

	if (ok) {
		fprintf(out, "**%c%s**\n\n%c%s.\n", answer[0] & ~0x20, answer + 1, reason[0], reason + 1);
		ok = rows_markdown(c, o, out);
	}
	free(answer);
	free(reason);
	if (!ok)
		return error_no_memory(err, NULL);
	if (fflush(out) != 0 || ferror(out))
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write: %s", strerror(errno));
	return true;
}

json_t *verdict_json(const struct verdict *v, const struct comparison *c)
{
	const struct text_style plain = { .utf8 = true, .wide = true };
	char *answer = sentence_make(answer_write, v, c, &plain), *reason = sentence_make(reason_write, v, c, &plain);
	const struct comparison_item *arc = v->arc == GRAPH_NONE ? NULL : &c->kinds[COMPARISON_ARCS].items[v->arc];
	static const char *const words[] = { "none", "slower", "faster" };
	json_t *object = NULL;

	if (answer && reason)
		object = json_pack("{s:s, s:f, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "answer", words[v->answer], "change", v->change, "error",
				   output_real_or_null(v->error), "part", v->by_part ? json_real(v->part) : json_null(), "part_error",
				   v->by_part ? output_real_or_null(v->error_of_part) : json_null(), "reason", reasons[v->reason], "routine",
				   emit_name(v->routine == GRAPH_NONE ? NULL : routine_of(c, v->routine)->name), "caller",
				   emit_name(!arc || arc->from == GRAPH_NONE ? NULL : routine_of(c, arc->from)->name), "callee",
				   emit_name(arc ? routine_of(c, arc->to)->name : NULL), "text", json_string(answer), "because", json_string(reason));
	free(answer);
	free(reason);
	return object;
}
