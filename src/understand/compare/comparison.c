/* comparison.c - runs come in, are matched, and their differences judged. */
#include "understand/compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "understand/compare/rows.h"
#include "understand/compare/statistics.h"

bool comparison_init(struct comparison *c, struct error *err)
{
	*c = (struct comparison){ .private = calloc(1, sizeof *c->private) };
	return c->private || error_no_memory(err, NULL);
}

void comparison_free(struct comparison *c)
{
	for (uint32_t i = 0; i < c->nruns; i++) {
		free(c->runs[i].label);
		rows_free(&c->private->rows[i]);
	}
	for (int k = 0; k < COMPARISON_KINDS; k++) {
		if (c->kinds[k].items)
			free(c->kinds[k].items[0].values);
		free(c->kinds[k].items);
	}
	free(c->runs);
	if (c->private) {
		free(c->private->rows);
		arena_free(&c->private->briefs);
	}
	free(c->private);
	*c = (struct comparison){ 0 };
}

/* Are there more threads in P than processes? */
static bool is_threaded(const struct profile *p)
{
	uint64_t threads = 0, processes = 0;

	for (uint32_t i = 0; i < p->nthreads; i++)
		threads += p->threads[i].record.folded > 1 ? p->threads[i].record.folded : 1;
	for (uint32_t i = 0; i < p->nruns; i++) {
		processes += p->runs[i].ncommands == 0;
		for (size_t k = 0; k < p->runs[i].ncommands; k++)
			processes += p->runs[i].commands[k].processes;
	}
	return threads > processes;
}

static struct comparison_run comparison_run_of(const struct graph *g, bool fresh)
{
	struct comparison_run run = { .fresh = fresh, .time = g->time + g->outside, .outside = g->outside, .hooks = (double)g->hooks,
		.variance = g->evidence.variance, .ticks = g->ticks + g->outside_ticks, .calls = g->calls, .counted = g->counted,
		.sampled = g->sampled, .nroutines = g->nroutines, .threaded = is_threaded(g->profile),
		.clock = g->profile->nruns ? g->profile->runs[0].header.clock : AMON_CLOCK_NONE };

	run.value = *profile_value_of(g->profile);
	for (uint32_t i = 0; i < g->profile->nmodules; i++)
		if (g->profile->modules[i].main_program)
			memcpy(run.build, g->profile->modules[i].build_id, sizeof run.build);
	for (uint32_t i = 0; i < g->nroutines; i++) {
		const char *name = g->routines[i].name.name, *plus = name ? strrchr(name, '+') : NULL;

		if (name && !g->routines[i].pseudo && (strncmp(name, "0x", 2) == 0 || (plus && strncmp(plus, "+0x", 3) == 0)))
			run.unnamed++;
	}
	return run;
}

/* Is the last of C's runs the first of its build on its side?  What the code of a build is need be found once. */
static bool is_new_build(const struct comparison *c)
{
	static const uint8_t none[sizeof c->runs->build];
	const struct comparison_run *last = &c->runs[c->nruns - 1];

	for (uint32_t i = 0; i + 1 < c->nruns; i++)
		if (c->runs[i].fresh == last->fresh && memcmp(last->build, none, sizeof none) != 0 && memcmp(c->runs[i].build, last->build, sizeof none) == 0)
			return false;
	return true;
}

/* Are the times of RUN, called LABEL, what those of FIRST are? */
static bool values_are_like(const struct comparison_run *first, const struct comparison_run *run, const char *label, struct error *err)
{
	bool one_unit = strcmp(first->value.unit, run->value.unit) == 0;
	char text[PROFILE_VALUE], first_text[PROFILE_VALUE];

	if (one_unit && first->clock != run->clock)
		return error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET, "%s was measured by another clock than %s; "
				 "their times cannot be compared", label, first->label);
	return (one_unit && strcmp(first->value.name, run->value.name) == 0) ||
	       error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET, "%s has %s, and %s has %s: unlike things are not compared", label,
			 profile_value_text(&run->value, text), first->label, profile_value_text(&first->value, first_text));
}

bool comparison_add(struct comparison *c, const struct report_input *in, const char *label, bool fresh, struct comparison_parts parts, struct error *err)
{
	const struct graph *g = in->graph;
	struct comparison_run run = comparison_run_of(g, fresh), *runs;
	struct rows *rows;

	if (c->nruns && !values_are_like(&c->runs[0], &run, label, err))
		return false;
	if (c->nruns && c->runs[0].counted != run.counted)
		return error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET, "of one of %s and %s call stacks were sampled, of the other calls were counted; "
				 "they cannot be compared", label, c->runs[0].label);
	if (parts.sites && g->profile->nsites == 0 && !run.counted)
		return error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET, "%s: no call sites were kept with its call stacks", label);
	if (parts.sites && g->profile->nsites == 0)
		return error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET, "%s: calls were not counted by site; for inline hooks build with aprof cc --aprof-sites, "
				 "by the others run the program with APROF_SITES=1, or by aprof run --sites", label);
	runs = reallocarray(c->runs, (size_t)c->nruns + 1, sizeof *runs);
	if (runs)
		c->runs = runs;
	rows = reallocarray(c->private->rows, (size_t)c->nruns + 1, sizeof *rows);
	if (rows)
		c->private->rows = rows;
	run.label = strdup(label);
	if (!runs || !rows || !run.label) {
		free(run.label);
		return error_no_memory(err, NULL);
	}
	runs[c->nruns] = run;
	rows[c->nruns] = (struct rows){ 0 };
	c->nruns++;
	c->nbase += !fresh;
	c->sites |= parts.sites;
	return rows_make(&rows[c->nruns - 1], in, c->nruns - 1, parts.contexts, is_new_build(c), err) && (!parts.sites || rows_sites(&rows[c->nruns - 1], in, err));
}

/* Routines without names are found again by their addresses, which mean nothing in another build. */
static bool names_check(const struct comparison *c, struct error *err)
{
	for (uint32_t i = 0; i < c->nruns; i++)
		for (uint32_t j = 0; j < c->nruns; j++)
			if (c->runs[i].unnamed > c->runs[i].nroutines / 2 && memcmp(c->runs[i].build, c->runs[j].build, sizeof c->runs[i].build) != 0)
				return error_set(err, ERROR_MISMATCH, ERROR_NO_OFFSET,
						 "%.200s: its program is another build than that of %.200s, and %u of its %u routines have no name; "
						 "name the program that ran, as it was, before the file", c->runs[i].label, c->runs[j].label,
						 c->runs[i].unnamed, c->runs[i].nroutines);
	return true;
}

bool comparison_settle(struct comparison *c, struct error *err)
{
	struct rows *rows = c->private->rows;

	if (!names_check(c, err))
		return false;

	if (!match_routines(c, rows, c->nruns) || !match_arcs(c, rows, c->nruns) || !match_contexts(c, rows, c->nruns)
	    || !match_sites(c, rows, c->nruns))
		return error_no_memory(err, NULL);
	return true;
}

/* Room for the figures of all runs about one quantity. */
struct figures {
	double *time, *variance;	/* of each run, see sides_make */
};

static bool figures_make(struct figures *f, const struct comparison *c)
{
	f->time = calloc((size_t)c->nruns + 1, sizeof *f->time);
	f->variance = calloc((size_t)c->nruns + 1, sizeof *f->variance);
	return f->time && f->variance;
}

static void figures_free(struct figures *f)
{
	free(f->time);
	free(f->variance);
}

/* What the hooks of a call cost, ns, mean of all runs. */
static double hooks_of_call(const struct comparison *c)
{
	double hooks = 0, calls = 0;

	for (uint32_t i = 0; i < c->nruns; i++) {
		hooks += c->runs[i].hooks;
		calls += (double)c->runs[i].calls;
	}
	return calls > 0 ? hooks / calls : 0;
}

/* A run tells from a few samples what a call's hooks cost it, and from its clock what it took with them.  A call costs both sides alike, so the mean of all runs
 * is subtracted from each: else the error of its few samples would be the noise of the whole.  Not where there is one run a side, whose error by sampling
 * stands in its variance. */
static void scales_fill(struct comparison *c)
{
	double each = hooks_of_call(c);

	for (uint32_t i = 0; i < c->nruns; i++) {
		struct comparison_run *run = &c->runs[i];
		double time = fmax((double)run->time + run->hooks - each * (double)run->calls, 0);

		run->scale = c->nruns > 2 && run->time ? time / (double)run->time : 1;
	}
}

/* The variance by sampling of the part TIME of RUN, which has VARIANCE as a count.
 *
 * How long a run was its clock knows; samples tell how that divides.  So of a part q of it the variance is ((1 - q)^2 V + q^2 W), where V is that of the
 * part and W that of the rest, as in understand/graph/errors.c.  With ONE run a side nobody knows how much the runs as wholes vary: then the times are taken for counts,
 * whose wholes vary, too. */
static double variance_in(const struct comparison_run *run, double time, double variance, bool one)
{
	double q = run->time ? fmin(time / (double)run->time, 1) : 0;

	if (time > 0 && variance <= 0 && run->time)	/* time without a sample is worth one */
		variance = fmin(time, run->variance / (double)run->time) * run->variance / (double)run->time;
	return one ? variance : (1 - q) * (1 - q) * variance + q * q * fmax(run->variance - variance, 0);
}

/* F of run I: TIME and what samples say of it. */
static void figures_set(struct figures *f, const struct comparison *c, uint32_t i, double time, double variance)
{
	const struct comparison_run *run = &c->runs[i];

	f->time[i] = run->scale * time;
	f->variance[i] = run->scale * run->scale * variance_in(run, time, variance, c->nruns == 2);
}

static void sides_fill(struct comparison *c, struct comparison_item *item, int t, struct figures *f)
{
	for (uint32_t i = 0; i < c->nruns; i++) {
		figures_set(f, c, i, (double)item->values[i].time[t], item->values[i].variance[t]);
	}
	item->sides[t] = sides_make(f->time, f->variance, c->nruns, c->nbase, c->paired);
}

/* The items of a kind as far as they are large enough to teach about noise: half a percent of the run and more. */
static bool noise_fill(struct comparison *c, struct comparison_items *items, int t)
{
	struct sides *sides = calloc((size_t)items->n + 1, sizeof *sides);
	double least = 0.005 * (c->whole.base + c->whole.fresh);
	size_t n = 0;
	bool ok;

	for (uint32_t i = 0; sides && i < items->n; i++) {
		const struct sides *s = &items->items[i].sides[t];

		if (s->base + s->fresh >= least && s->base + s->fresh > 0)
			sides[n++] = *s;
	}
	ok = sides && noise_learn(&items->noise[t], sides, n);
	free(sides);
	return ok;
}

static bool comparison_is_counted(const struct comparison *c, const struct comparison_item *item, bool context)
{
	for (uint32_t i = 0; i < c->nruns; i++) {
		const struct comparison_value *v = &item->values[i];

		if (v->calls || v->time[COMPARISON_SELF] || (v->time[COMPARISON_TOTAL] && !context))
			return true;
	}
	return false;
}

/* Correct the chances of all items, and say which changes are news. */
static bool news_fill(struct comparison *c, struct comparison_items *items, int t)
{
	double *p = calloc((size_t)items->n + 1, sizeof *p);
	size_t *order = calloc((size_t)items->n + 1, sizeof *order), n = 0;

	for (uint32_t i = 0; p && i < items->n; i++) {
		struct comparison_item *item = &items->items[i];
		double two = 2 * fmin(item->change[t].above, item->change[t].below);

		item->chance[t] = !item->counted ? NAN : two > 1 ? 1 : two;
		item->news[t] = item->counted && isnan(two) && item->change[t].change != 0;
		if (!isnan(item->chance[t]))
			p[n++] = item->chance[t];
	}
	if (p && order)
		statistics_benjamini_hochberg(p, n, order);
	n = 0;
	for (uint32_t i = 0; p && order && i < items->n; i++) {
		struct comparison_item *item = &items->items[i];

		if (isnan(item->chance[t]))
			continue;
		item->chance[t] = p[n++];
		item->news[t] = item->chance[t] <= c->level;
	}
	free(p);
	free(order);
	return p && order;
}

static void least_most(const struct comparison_value *values, uint32_t n, uint64_t *least, uint64_t *most, double *mean)
{
	double sum = 0;

	*least = UINT64_MAX;
	*most = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t calls = values[i].calls;

		*least = calls < *least ? calls : *least;
		*most = calls > *most ? calls : *most;
		sum += (double)calls;
	}
	*mean = n ? sum / n : 0;
}

/* Calls that differ from run to run are news if the sides' ranges are apart by more than either is wide. */
static void calls_fill(const struct comparison *c, struct comparison_item *item)
{
	struct comparison_calls *k = &item->calls;
	uint64_t wide, apart;

	least_most(item->values, c->nbase, &k->base_least, &k->base_most, &k->base);
	least_most(item->values + c->nbase, c->nruns - c->nbase, &k->least, &k->most, &k->fresh);
	k->steady = k->base_least == k->base_most && k->least == k->most;
	wide = k->base_most - k->base_least > k->most - k->least ? k->base_most - k->base_least : k->most - k->least;
	apart = k->least > k->base_most ? k->least - k->base_most : k->base_least > k->most ? k->base_least - k->most : 0;
	item->calls_news = apart > wide;
}

/* The machine code of a routine: the same where all runs have one, and it is. */
static enum comparison_code code_judge(const struct comparison *c, const struct comparison_item *item)
{
	uint64_t code = 0;
	uint32_t base = 0, fresh = 0;

	for (uint32_t i = 0; i < c->nruns; i++) {
		const struct comparison_value *v = &item->values[i];

		if (v->code == 0)
			continue;
		if (code && v->code != code)
			return COMPARISON_CODE_OTHER;
		code = v->code;
		base += !c->runs[i].fresh;
		fresh += c->runs[i].fresh;
	}
	return base && fresh ? COMPARISON_CODE_SAME : COMPARISON_CODE_UNKNOWN;
}

void comparison_pair(struct comparison *c) { c->paired = c->nruns == 2 * c->nbase; }

static bool kind_judge(struct comparison *c, struct comparison_items *items, struct figures *f)
{
	for (uint32_t i = 0; i < items->n; i++) {
		calls_fill(c, &items->items[i]);
		items->items[i].code = code_judge(c, &items->items[i]);
		items->items[i].counted = comparison_is_counted(c, &items->items[i], items == &c->kinds[COMPARISON_CONTEXTS]);
	}
	for (int t = 0; t < COMPARISON_TIMES; t++) {
		for (uint32_t i = 0; i < items->n; i++)
			sides_fill(c, &items->items[i], t, f);
		if (!noise_fill(c, items, t))
			return false;
		for (uint32_t i = 0; i < items->n; i++)
			items->items[i].change[t] = noise_judge(&items->noise[t], &items->items[i].sides[t]);
		if (!news_fill(c, items, t))
			return false;
	}
	return true;
}

static void whole_judge(struct comparison *c, struct figures *f)
{
	for (uint32_t i = 0; i < c->nruns; i++) {
		double time = (double)c->runs[i].time, variance = c->runs[i].variance;

		figures_set(f, c, i, time, variance);
		c->sampling += time > 0 ? variance / (time * time) / c->nruns : 0;
	}
	c->whole = sides_make(f->time, f->variance, c->nruns, c->nbase, c->paired);
	c->whole_change = noise_judge(&(struct noise){ 0 }, &c->whole);
}

bool comparison_judge(struct comparison *c, double level, struct error *err)
{
	struct figures f;
	bool ok = figures_make(&f, c);

	c->level = level;
	for (uint32_t i = 0; i < c->nruns; i++)
		c->varies |= c->runs[i].threaded && (c->nbase < 2 || c->nruns - c->nbase < 2);
	if (ok) {
		scales_fill(c);
		whole_judge(c, &f);
	}
	for (int k = 0; ok && k < COMPARISON_KINDS; k++)
		ok = kind_judge(c, &c->kinds[k], &f);
	figures_free(&f);
	return ok || error_no_memory(err, NULL);
}
