/* diff_print.c - tables of changes. */
#include "show/diff/diff_print.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "show/diff/output.h"

static const char legend[] =
	" self, total  @times in the new runs, and what they are more (+) or less (-) than in the base runs.\n"
	" +-           standard error of the change of self @time.\n"
	" calls        in the new runs, direct recursive ones included, and their change.\n"
	" per call     change of self @time per call, percent.\n"
	" ~            a change within noise: the @times of equal programs differ as much.\n"
	" same code    and same calls on both sides: what differs is where a routine or its data lies, or what it works on.\n"
	" Of an arc, self is the callee's own @time on behalf of the caller, total all that the calls took; of a context,\n"
	" self is the @time while it ran, total that of all that extend it; of a call site (--sites) both are its part of the arc's.\n"
	" Where a side has several runs these are means.\n";

/* The part of a table that is not listed. */
struct rest {
	uint32_t news, quiet;	/* items beyond and within noise */
	double change;		/* of their self times, ns */
	double quiet_change;	/* of those within noise, ns */
};

static bool diff_print_row_print(const struct comparison *c, enum comparison_kind kind, const struct comparison_item *item,
		      const struct diff_options *o, FILE *out)
{
	char self[64], error[64] = "", total[64], calls[64] = "", calls_to[64] = "", per_call[64] = "";
	bool ok;

	output_time_change(c, self, sizeof self, item, COMPARISON_SELF);
	if (item->news[COMPARISON_SELF] && item->change[COMPARISON_SELF].error > 0)
		print_amount_text(error, item->change[COMPARISON_SELF].error, comparison_unit(c));
	output_time_change(c, total, sizeof total, item, COMPARISON_TOTAL);
	if (c->runs[0].counted) {
		output_calls_change(calls, sizeof calls, item);
		output_calls(calls_to, sizeof calls_to, item->calls.fresh, false);
		output_per_call_change(per_call, sizeof per_call, item);
	}
	print_amount(out, item->sides[COMPARISON_SELF].fresh, comparison_unit(c), PRINT_TIME);
	fprintf(out, " %9s %8s ", self, error);
	print_amount(out, item->sides[COMPARISON_TOTAL].fresh, comparison_unit(c), PRINT_TIME);
	fprintf(out, " %9s %10s %9s %9s  ", total, calls_to, calls, per_call);
	ok = output_item(c, kind, item, &o->report.style, out);
	fprintf(out, "%s\n", output_remark(c, item));
	return ok;
}

static void diff_print_rest_print(const struct comparison *c, const struct rest *rest, const struct diff_options *o, FILE *out)
{
	char change[64];

	if (rest->news + rest->quiet == 0)
		return;
	print_begin(out, &o->report.style, 'd');
	output_signed(c, change, sizeof change, rest->change);
	if (rest->news)
		fprintf(out, "%8s %9s  in %" PRIu32 " more that changed (--top=0 lists all)\n", "", change, rest->news);
	output_signed(c, change, sizeof change, rest->quiet_change);
	if (rest->quiet)
		fprintf(out, "%8s %9s  in %" PRIu32 " within noise (--all lists them)\n", "", change, rest->quiet);
	print_end(out, &o->report.style);
}

static void diff_print_heading_print(const struct comparison *c, enum comparison_kind kind, const struct diff_options *o, FILE *out)
{
	uint32_t news;

	print_begin(out, &o->report.style, 'h');
	putc('\n', out);
	news = output_title(c, kind, o->sort, out);
	fputs("\n\n", out);
	if (news || o->all)
		fputs("    self    change       +-    total    change      calls    change  per call  name\n", out);
	print_end(out, &o->report.style);
}

static bool diff_print_table_print(const struct comparison *c, enum comparison_kind kind, const struct diff_options *o, FILE *out)
{
	const struct comparison_items *items = &c->kinds[kind];
	uint32_t *order = output_order(items, o->sort), shown = 0;
	struct rest rest = { 0 };
	bool ok = true;

	if (!order)
		return false;
	diff_print_heading_print(c, kind, o, out);
	for (uint32_t i = 0; i < items->n; i++) {
		const struct comparison_item *item = &items->items[order[i]];
		bool is_news = comparison_is_news(item);

		if (!item->counted)
			continue;
		if ((is_news || o->all) && (o->top == 0 || shown < o->top)) {
			ok &= diff_print_row_print(c, kind, item, o, out);
			shown++;
		} else {
			*(is_news ? &rest.news : &rest.quiet) += 1;
			*(is_news ? &rest.change : &rest.quiet_change) += item->change[COMPARISON_SELF].change;
		}
	}
	diff_print_rest_print(c, &rest, o, out);
	free(order);
	return ok;
}

/* "base   3 runs, 2.51 s" */
static void side_print(const struct comparison *c, const char *name, uint32_t from, uint32_t to, double mean, const struct diff_options *o, FILE *out)
{
	char label[600], time[PRINT_TIME_SIZE];

	print_amount_text(time, mean, comparison_unit(c));
	print_safe(label, sizeof label, c->runs[from].label, &o->report.style);
	if (to - from == 1)
		print_field(out, &o->report.style, name, "%s: %s", label, time);
	else if (strcmp(c->runs[from].label, c->runs[to - 1].label) == 0)
		print_field(out, &o->report.style, name, "%s, %" PRIu32 " runs: %s on average", label, to - from, time);
	else
		print_field(out, &o->report.style, name, "%" PRIu32 " runs, %s the first: %s on average", to - from, label, time);
}

static void noise_print(const struct comparison *c, const struct diff_options *o, FILE *out)
{
	const struct noise *noise = &c->kinds[COMPARISON_ROUTINES].noise[COMPARISON_SELF];
	char beside[80] = "";

	if (noise->df > 0)
		snprintf(beside, sizeof beside, "runs differ by %.1f %% besides the error of sampling;", 100 * sqrt(noise->common));
	if (c->nruns == 2 && c->runs[0].sampled)
		print_field(out, &o->report.style, "noise", "with one run a side only the error of sampling is known; how much runs differ is not. "
			    "Changes beyond it are shown; several runs a side show more");
	else if (c->nruns == 2)
		print_field(out, &o->report.style, "noise", "with one run a side, and %ss that are not sampled, nothing is known of it: every change is shown",
			    print_unit_word(comparison_unit(c)));
	else
		print_field(out, &o->report.style, "noise", "%s%swhat is shown as changed is so by more than noise in all but %.0f of 100 rows, "
			    "on average", beside, *beside ? " " : "", 100 * c->level);
}

static void unnamed_print(const struct comparison *c, const struct diff_options *o, FILE *out)
{
	for (uint32_t i = 0; i < c->nruns; i++) {
		char label[600];

		if (c->runs[i].unnamed == 0)
			continue;
		print_begin(out, &o->report.style, 'w');
		print_field(out, &o->report.style, "warning", "%s: %" PRIu32 " of %" PRIu32 " routines have no name, and cannot be found in another "
			    "build. Was the program built anew since? Keep the old one, and name it before its profiles",
			    print_safe(label, sizeof label, c->runs[i].label, &o->report.style), c->runs[i].unnamed, c->runs[i].nroutines);
		print_end(out, &o->report.style);
		return;
	}
}

void diff_head(const struct comparison *c, const struct diff_options *o, FILE *out)
{
	const struct change *w = &c->whole_change;
	double percent = c->whole.base > 0 ? 100 * w->change / c->whole.base : 0;
	char change[PRINT_TIME_SIZE], error[PRINT_TIME_SIZE];

	side_print(c, "base", 0, c->nbase, c->whole.base, o, out);
	side_print(c, "new", c->nbase, c->nruns, c->whole.fresh, o, out);
	if (isnan(w->error))
		print_field(out, &o->report.style, "change", "%s (%+.1f %%)", print_change_text(change, w->change, comparison_unit(c)), percent);
	else
		print_field(out, &o->report.style, "change", "%s (%+.1f %%), standard error %s", print_change_text(change, w->change, comparison_unit(c)),
			    percent, print_amount_text(error, w->error, comparison_unit(c)));
	noise_print(c, o, out);
	unnamed_print(c, o, out);
}

static bool flushed(FILE *out, struct error *err)
{
	if (fflush(out) == 0 && !ferror(out))
		return true;
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write: %s", strerror(errno));
}

bool diff_text(const struct comparison *c, const struct diff_options *o, FILE *out, struct error *err)
{
	diff_head(c, o, out);
	for (int k = 0; k < COMPARISON_KINDS; k++)
		if ((k != COMPARISON_SITES || c->sites) && !diff_print_table_print(c, (enum comparison_kind)k, o, out))
			return error_no_memory(err, NULL);
	print_worded(out, &o->report.style, comparison_unit(c), "\n%s", legend);
	return flushed(out, err);
}

static json_t *time_json(const struct comparison_item *item, enum comparison_time t)
{
	return json_pack("{s:f, s:f, s:f, s:o, s:o, s:b}", "base_ns", item->sides[t].base, "new_ns", item->sides[t].fresh,
			 "change_ns", item->change[t].change, "error_ns", output_real_or_null(item->change[t].error),
			 "chance", output_real_or_null(item->chance[t]), "news", (int)item->news[t]);
}

static json_t *calls_json(const struct comparison *c, const struct comparison_item *item)
{
	if (!c->runs[0].counted)
		return json_null();
	return json_pack("{s:f, s:f, s:f, s:b, s:b}", "base", item->calls.base, "new", item->calls.fresh,
			 "change", item->calls.fresh - item->calls.base, "steady", (int)item->calls.steady,
			 "news", (int)item->calls_news);
}

static json_t *path_json(const struct comparison *c, uint32_t index)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	json_t *value = NULL;
	bool ok = memory != NULL;

	if (memory && c->kinds[COMPARISON_CONTEXTS].items[index].from != GRAPH_NONE)
		ok = output_path(c, index, &(struct text_style){ .utf8 = true }, memory);
	if (memory && fclose(memory) == 0 && ok)
		value = json_stringn(text, size);
	free(text);
	return value;
}

/* Who the item is: members of its row. */
static json_t *diff_print_who_json(const struct comparison *c, enum comparison_kind kind, uint32_t index)
{
	const struct comparison_item *item = &c->kinds[kind].items[index], *routines = c->kinds[COMPARISON_ROUTINES].items;

	if (kind == COMPARISON_ROUTINES)
		return json_pack("{s:o, s:o, s:o, s:o}", "name", emit_name(item->name), "module", emit_name(item->module),
				 "file", emit_name(item->file), "same_code", item->code == COMPARISON_CODE_UNKNOWN ? json_null() :
				 json_boolean(item->code == COMPARISON_CODE_SAME));
	if (kind == COMPARISON_CONTEXTS)
		return json_pack("{s:o}", "history", path_json(c, index));
	if (kind == COMPARISON_SITES)
		return output_site_json(c, item);
	return json_pack("{s:o, s:o}", "caller", emit_name(item->from == GRAPH_NONE ? NULL : routines[item->from].name),
			 "callee", emit_name(routines[item->to].name));
}

static json_t *item_json(const struct comparison *c, enum comparison_kind kind, uint32_t index)
{
	const struct comparison_item *item = &c->kinds[kind].items[index];
	json_t *row = diff_print_who_json(c, kind, index), *figures = json_pack("{s:o, s:o, s:o}", "self", time_json(item, COMPARISON_SELF),
		"total", time_json(item, COMPARISON_TOTAL), "calls", calls_json(c, item));

	if (!figures || json_object_update(row, figures) != 0) {
		json_decref(row);
		row = NULL;
	}
	json_decref(figures);
	return row;
}

static json_t *runs_json(const struct comparison *c)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < c->nruns; i++) {
		const struct comparison_run *run = &c->runs[i];
		json_t *row = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "file", emit_name(run->label),
			"side", run->fresh ? "new" : "base", "time_ns", emit_count(run->time), "ticks", emit_count(run->ticks),
			"calls", emit_calls(run->counted, run->calls), "unnamed", emit_count(run->unnamed));

		if (json_array_append_new(array, row) != 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

bool diff_json(const struct comparison *c, const struct diff_options *o, FILE *out, struct error *err) { return diff_json_with(c, o, NULL, out, err); }

bool diff_json_with(const struct comparison *c, const struct diff_options *o, json_t *verdict, FILE *out, struct error *err)
{
	static const char *const names[] = { "routines", "arcs", "contexts", "call_sites" };
	struct emit e;

	output_begin(&e, out, c);
	if (verdict)
		emit_member(&e, "verdict", verdict);
	emit_member(&e, "runs", runs_json(c));
	emit_member(&e, "whole", json_pack("{s:f, s:f, s:f, s:o}", "base_ns", c->whole.base, "new_ns", c->whole.fresh, "change_ns",
					   c->whole_change.change, "error_ns", output_real_or_null(c->whole_change.error)));
	for (int k = 0; k < COMPARISON_KINDS; k++) {
		uint32_t *order;

		if (k == COMPARISON_SITES && !c->sites)
			continue;
		order = output_order(&c->kinds[k], o->sort);
		emit_array(&e, names[k]);
		for (uint32_t i = 0; order && i < c->kinds[k].n; i++)
			if (c->kinds[k].items[order[i]].counted)
				emit_item(&e, item_json(c, (enum comparison_kind)k, order[i]));
		emit_array_end(&e);
		e.failed |= !order;
		free(order);
	}
	emit_end(&e);
	if (e.failed)
		return error_no_memory(err, NULL);
	return flushed(out, err);
}
