/* check_print.c - a line for each finding, and what could have been found. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "show/diff/check_print.h"
#include "base/print.h"
#include "show/diff/output.h"

/* Shares of the run for which the summary tells the smallest change. */
static const double shares[] = { 0.2, 0.05, 0.01 };
enum { SHARES = sizeof shares / sizeof *shares };

static const struct comparison_item *check_print_item_of(const struct comparison *c, const struct check_finding *f)
{
	if (f->site != GRAPH_NONE)
		return &c->kinds[COMPARISON_SITES].items[f->site];
	return f->routine == GRAPH_NONE ? NULL : &c->kinds[COMPARISON_ROUTINES].items[f->routine];
}

static void check_print_name_print(const struct comparison *c, const struct check_finding *f, const struct check_options *o, FILE *out)
{
	if (f->site != GRAPH_NONE)
		output_site(c, check_print_item_of(c, f), &o->report.style, out);
	else if (f->routine == GRAPH_NONE)
		fputs("(the whole run)", out);
	else
		print_brief(out, check_print_item_of(c, f)->name, check_print_item_of(c, f)->brief, &o->report.style);
}

static uint32_t counted_of(const struct comparison_items *items)
{
	uint32_t counted = 0;

	for (uint32_t i = 0; i < items->n; i++)
		counted += items->items[i].counted;
	return counted;
}

/* "self 500 ms -> 600 ms, +20.0 % +- 2.1, p 0.0003" */
static void check_print_time_print(const struct comparison *c, const struct check_finding *f, const struct check_options *o, FILE *out)
{
	const struct comparison_item *item = check_print_item_of(c, f);
	const struct sides *s = item ? &item->sides[o->time] : &c->whole;
	const struct change *change = item ? &item->change[o->time] : &c->whole_change;
	char base[PRINT_TIME_SIZE], fresh[PRINT_TIME_SIZE];

	fprintf(out, "%s %s -> %s", !item ? print_unit_heading(comparison_unit(c)) : o->time == COMPARISON_SELF ? "self" : "total", print_amount_text(base, s->base, comparison_unit(c)),
		print_amount_text(fresh, s->fresh, comparison_unit(c)));
	if (s->base > 0)
		fprintf(out, ", %+.1f %%", 100 * change->change / s->base);
	if (s->base > 0 && isfinite(change->error))
		fprintf(out, " +- %.1f", 100 * change->error / s->base);
	if (isfinite(f->chance))
		fprintf(out, f->chance < 0.0001 ? ", p < 0.0001" : ", p %.4f", f->chance);
}

static void count_print(FILE *out, double mean, uint64_t least, uint64_t most)
{
	char a[32], b[32];

	if (least == most)
		fputs(print_grouped(a, least), out);
	else
		fprintf(out, "%s to %s (%.1f on average)", print_grouped(a, least), print_grouped(b, most), mean);
}

static void check_print_calls_print(const struct comparison_item *item, FILE *out)
{
	const struct comparison_calls *k = &item->calls;

	fputs("calls ", out);
	count_print(out, k->base, k->base_least, k->base_most);
	fputs(" -> ", out);
	count_print(out, k->fresh, k->least, k->most);
	if (k->steady)
		fprintf(out, ", %+.0f", k->fresh - k->base);
}

static void finding_print(const struct comparison *c, const struct check_finding *f, const struct check_options *o, FILE *out)
{
	check_print_name_print(c, f, o, out);
	fputs(": ", out);
	if (f->time)
		check_print_time_print(c, f, o, out);
	if (f->time && f->calls)
		fputs("; ", out);
	if (f->calls || f->fewer)
		check_print_calls_print(check_print_item_of(c, f), out);
	if (f->time && f->routine != GRAPH_NONE && comparison_is_same(c, check_print_item_of(c, f)))
		fputs(" (same code, same calls)", out);
	fputs(f->fewer ? " (fewer: no harm)\n" : "\n", out);
}

/* The relative variance by sampling of a routine with SHARE of the run. */
static double sampling_of(const struct comparison *c, double share)
{
	return c->sampling * (1 - share) / share;
}

/* The smallest growth that would have been found of a routine with SHARE of the run; 0: of the whole run. */
static double smallest(const struct check *check, const struct comparison *c, const struct check_options *o, double share)
{
	const struct noise *noise = &c->kinds[COMPARISON_ROUTINES].noise[o->time];
	double found;

	if (share > 0)
		found = noise_smallest(noise, sampling_of(c, share), c->whole.df, c->whole.nb, c->whole.nn,
				       CHECK_LEVEL / (check->tested + check->tested_sites + 1), CHECK_POWER);
	else
		found = check->smallest_whole;
	return found < o->limit ? o->limit : found;
}

/* A share as percent, rounded up. */
static void growth_print(FILE *out, double growth, int decimals)
{
	double unit = pow(10, decimals);

	if (growth < 10)
		fprintf(out, "%.*f %%", decimals, ceil(100 * growth * unit - 1e-9) / unit);
	else
		fputs("more than tenfold", out);
}

static void smallest_print(const struct check *check, const struct comparison *c, const struct check_options *o, FILE *out)
{
	if (!check->noise_known) {
		if (c->whole.base > 0)
			fprintf(out, "one run a side, and %ss that are not sampled: what is noise is not known; give several runs a side\n", print_unit_word(comparison_unit(c)));
		return;
	}
	if (c->nruns == 2)
		fputs("one run a side: only the error of sampling is known, not how much runs differ; give several runs a side\n", out);
	fputs("found 19 times of 20 would be a growth of the whole run by ", out);
	growth_print(out, smallest(check, c, o, 0), 1);
	for (int i = 0; i < SHARES; i++) {
		fprintf(out, i == 0 ? ", of a routine with %.0f %% of it by " : ", with %.0f %% by ", 100 * shares[i]);
		growth_print(out, smallest(check, c, o, shares[i]), 0);
	}
	putc('\n', out);
}

/* Why calls may differ. */
static void varied_print(const struct check *check, const struct comparison *c, const struct check_options *o, FILE *out)
{
	if (!check->varied)
		return;
	fprintf(out, "calls of %" PRIu32 " routine%s differ by no more than they may: ", check->varied, print_plural(check->varied));
	if (c->varies)
		fprintf(out, "the program has several threads, and one run a side does not tell what varies by itself; up to %.4g %% more pass "
			"(several runs a side tell; --calls=exact)\n", 100 * o->limit);
	else
		fprintf(out, "they vary from run to run, and grew by less than that or than %.4g %%\n", 100 * o->limit);
}

static void check_print_summary_print(const struct check *check, const struct comparison *c, const struct check_options *o, FILE *out)
{
	bool whole = false;

	for (uint32_t i = 0; i < check->n; i++)
		whole |= check->findings[i].routine == GRAPH_NONE && check->findings[i].site == GRAPH_NONE;
	fprintf(out, "%" PRIu32 " of %" PRIu32 " routines%s", check->worse - check->worse_sites - whole, counted_of(&c->kinds[COMPARISON_ROUTINES]),
		whole ? " and the whole run" : "");
	if (c->sites)
		fprintf(out, " and %" PRIu32 " of %" PRIu32 " call sites", check->worse_sites, counted_of(&c->kinds[COMPARISON_SITES]));
	fprintf(out, " got worse (limit %.4g %%; base runs: %" PRIu32 ", new runs: %" PRIu32 "; the %ss of %" PRIu32 " routine%s",
		100 * o->limit, c->nbase, c->nruns - c->nbase, print_unit_word(comparison_unit(c)), check->tested, print_plural(check->tested));
	if (check->tested_sites)
		fprintf(out, " and %" PRIu32 " call site%s", check->tested_sites, print_plural(check->tested_sites));
	fputs(" were tested)\n", out);
	varied_print(check, c, o, out);
	smallest_print(check, c, o, out);
}

/* Who got worse: a routine, or the run as a whole, or a call site. */
static json_t *check_print_who_json(const struct comparison *c, const struct check_finding *f)
{
	const struct comparison_item *item = check_print_item_of(c, f);

	if (f->site != GRAPH_NONE)
		return output_site_json(c, item);
	return json_pack("{s:o, s:o}", "name", emit_name(item ? item->name : NULL), "module", emit_name(item ? item->module : NULL));
}

static json_t *finding_json(const struct comparison *c, const struct check_finding *f, const struct check_options *o)
{
	const struct comparison_item *item = check_print_item_of(c, f);
	const struct sides *s = item ? &item->sides[o->time] : &c->whole;
	const struct change *change = item ? &item->change[o->time] : &c->whole_change;
	json_t *row = check_print_who_json(c, f), *figures;

	figures = json_pack("{s:b, s:b, s:b, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "time_worse", (int)f->time, "calls_worse", (int)f->calls,
			    "fewer_calls", (int)f->fewer, "base_ns", s->base, "new_ns", s->fresh, "error_ns",
			    output_real_or_null(change->error), "chance", output_real_or_null(f->chance), "smallest",
				output_real_or_null(f->smallest),
			    "base_calls", item && c->runs[0].counted ? json_real(item->calls.base) : json_null(),
			    "new_calls", item && c->runs[0].counted ? json_real(item->calls.fresh) : json_null());
	if (!figures || json_object_update(row, figures) != 0) {
		json_decref(row);
		row = NULL;
	}
	json_decref(figures);
	return row;
}

static void json_print(const struct check *check, const struct comparison *c, const struct check_options *o, struct emit *e, FILE *out)
{
	output_begin(e, out, c);
	emit_member(e, "worse", emit_count(check->worse));
	emit_member(e, "limit", json_real(o->limit));
	emit_member(e, "time", json_string(o->time == COMPARISON_SELF ? "self" : "total"));
	emit_member(e, "base_runs", emit_count(c->nbase));
	emit_member(e, "new_runs", emit_count(c->nruns - c->nbase));
	emit_member(e, "tested", emit_count(check->tested));
	emit_member(e, "tested_sites", emit_count(check->tested_sites));
	emit_member(e, "calls_varied", emit_count(check->varied));
	emit_member(e, "calls_vary", json_boolean(c->varies));
	emit_member(e, "smallest_whole", output_real_or_null(check->smallest_whole));
	emit_array(e, "smallest");
	for (int i = 0; i < SHARES && check->noise_known; i++)
		emit_item(e, json_pack("{s:f, s:o}", "share", shares[i], "growth", output_real_or_null(smallest(check, c, o, shares[i]))));
	emit_array_end(e);
	emit_array(e, "findings");
	for (uint32_t i = 0; i < check->n; i++)
		emit_item(e, finding_json(c, &check->findings[i], o));
	emit_array_end(e);
	emit_end(e);
}

bool check_print(const struct check *check, const struct comparison *c, const struct check_options *o, FILE *out, struct error *err)
{
	struct emit e = { 0 };

	if (o->report.json)
		json_print(check, c, o, &e, out);
	for (uint32_t i = 0; i < check->n && !o->report.json; i++)
		finding_print(c, &check->findings[i], o, out);
	if (!o->report.json)
		check_print_summary_print(check, c, o, out);
	if (e.failed)
		return error_no_memory(err, NULL);
	if (fflush(out) != 0 || ferror(out))
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write: %s", strerror(errno));
	return true;
}
