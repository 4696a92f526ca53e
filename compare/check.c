/* check.c - which routines got worse. */
#include "compare/check.h"

#include <math.h>
#include <stdlib.h>

#include "compare/statistics.h"

/* The run as a whole is tested after all routines. */
struct testing {
	const struct comparison *c;
	const struct check_options *options;
	double *chance;		/* of each test: Holm's; NAN: unknown */
	uint32_t *routine;	/* of each test; GRAPH_NONE: the whole */
	size_t n;		/* tests */
	size_t known;		/* tests whose noise is known */
};

static const struct sides *sides_of(const struct testing *t, uint32_t routine)
{
	return routine == GRAPH_NONE ? &t->c->whole : &t->c->kinds[COMPARISON_ROUTINES].items[routine].sides[t->options->time];
}

static const struct change *change_of(const struct testing *t, uint32_t routine)
{
	return routine == GRAPH_NONE ? &t->c->whole_change
		: &t->c->kinds[COMPARISON_ROUTINES].items[routine].change[t->options->time];
}

/* Chosen by the mean of both sides, which says nothing of their difference, so that the choice favours neither answer. */
static bool is_tested(const struct testing *t, uint32_t routine)
{
	const struct sides *s = sides_of(t, routine);

	return s->base + s->fresh > 0 && s->base + s->fresh >= t->options->least * (t->c->whole.base + t->c->whole.fresh);
}

static bool tests_make(struct testing *t)
{
	uint32_t n = t->c->kinds[COMPARISON_ROUTINES].n;
	size_t *order = calloc((size_t)n + 2, sizeof *order);

	t->chance = calloc((size_t)n + 2, sizeof *t->chance);
	t->routine = calloc((size_t)n + 2, sizeof *t->routine);
	for (uint32_t i = 0; t->routine && i < n; i++)
		if (is_tested(t, i))
			t->routine[t->n++] = i;
	if (t->routine && t->c->whole.base + t->c->whole.fresh > 0)
		t->routine[t->n++] = GRAPH_NONE;
	for (size_t i = 0; t->chance && t->routine && i < t->n; i++)
		t->chance[i] = change_of(t, t->routine[i])->above;
	t->known = t->n && t->chance && t->routine && !isnan(t->chance[0]) ? t->n : 0;
	if (order && t->known)
		statistics_holm(t->chance, t->n, order);
	free(order);
	return order && t->chance && t->routine;
}

static bool time_is_worse(const struct testing *t, size_t test)
{
	const struct sides *s = sides_of(t, t->routine[test]);
	double allowed = t->options->limit * (s->base > 0 ? s->base : t->c->whole.base);

	return s->fresh - s->base > allowed && (isnan(t->chance[test]) || t->chance[test] <= CHECK_LEVEL);
}

static bool calls_are_worse(const struct testing *t, const struct comparison_item *item)
{
	switch (t->options->calls) {
	case CHECK_CALLS_EXACT:
		return item->calls_news && item->calls.fresh > item->calls.base;
	case CHECK_CALLS_LIMIT:
		return item->calls_news && item->calls.fresh > item->calls.base * (1 + t->options->limit);
	default:
		return false;
	}
}

static bool calls_are_fewer(const struct testing *t, const struct comparison_item *item)
{
	return t->options->calls == CHECK_CALLS_EXACT && item->calls_news && item->calls.fresh < item->calls.base;
}

static double smallest_of(const struct testing *t, uint32_t routine)
{
	const struct sides *s = sides_of(t, routine);
	const struct noise *noise = &t->c->kinds[COMPARISON_ROUTINES].noise[t->options->time], none = { 0 };

	return noise_smallest(routine == GRAPH_NONE ? &none : noise, s->tick_variance, s->df, s->nb, s->nn,
			      CHECK_LEVEL / (double)(t->n ? t->n : 1), CHECK_POWER);
}

static void finding_add(struct check *check, const struct testing *t, size_t test, uint32_t routine)
{
	const struct comparison_item *item = routine == GRAPH_NONE ? NULL : &t->c->kinds[COMPARISON_ROUTINES].items[routine];
	struct check_finding f = { .routine = routine, .site = GRAPH_NONE, .chance = NAN, .smallest = NAN };

	if (test < t->n) {
		f.time = time_is_worse(t, test);
		f.chance = t->chance[test];
		f.smallest = smallest_of(t, routine);
	}
	f.calls = item && calls_are_worse(t, item);
	f.fewer = !f.time && !f.calls && item && calls_are_fewer(t, item);
	if (!f.time && !f.calls && !f.fewer)
		return;
	check->worse += !f.fewer;
	check->findings[check->n++] = f;
}

static void site_add(struct check *check, const struct testing *t, uint32_t site)
{
	const struct comparison_item *item = &t->c->kinds[COMPARISON_SITES].items[site];
	struct check_finding f = { .routine = GRAPH_NONE, .site = site, .chance = NAN, .smallest = NAN, .calls = calls_are_worse(t, item),
		.fewer = calls_are_fewer(t, item) };

	if (!f.calls && !f.fewer)
		return;
	check->worse += f.calls;
	check->worse_sites += f.calls;
	check->findings[check->n++] = f;
}

static double growth(const struct testing *t, const struct check_finding *f)
{
	return f->time ? change_of(t, f->routine)->change : 0;
}

static double more_calls(const struct testing *t, const struct check_finding *f)
{
	const struct comparison_item *item = f->site != GRAPH_NONE ? &t->c->kinds[COMPARISON_SITES].items[f->site]
		: f->routine != GRAPH_NONE ? &t->c->kinds[COMPARISON_ROUTINES].items[f->routine] : NULL;

	return item ? item->calls.fresh - item->calls.base : 0;
}

static int worst_first(const void *left, const void *right, void *arg)
{
	const struct check_finding *a = left, *b = right;
	const struct testing *t = arg;
	double x = growth(t, a), y = growth(t, b);

	if (a->fewer != b->fewer)
		return a->fewer - b->fewer;
	if (x == y) {
		x = more_calls(t, a);
		y = more_calls(t, b);
	}
	if (x != y)
		return x > y ? -1 : 1;
	if (a->routine != b->routine)
		return a->routine > b->routine ? 1 : -1;
	return (a->site > b->site) - (a->site < b->site);
}

/* Every routine is looked at once: tests and routines are in the same order. */
static void findings_make(struct check *check, struct testing *t)
{
	size_t test = 0;

	for (uint32_t i = 0; i < t->c->kinds[COMPARISON_ROUTINES].n; i++) {
		bool tested = test < t->n && t->routine[test] == i;

		finding_add(check, t, tested ? test : t->n, i);
		test += tested;
	}
	check->tested = (uint32_t)test;
	if (test < t->n)
		finding_add(check, t, test, GRAPH_NONE);
	for (uint32_t i = 0; i < t->c->kinds[COMPARISON_SITES].n; i++)
		site_add(check, t, i);
	qsort_r(check->findings, check->n, sizeof *check->findings, worst_first, t);
}

bool check_make(struct check *check, const struct comparison *c, const struct check_options *options, struct error *err)
{
	struct testing t = { .c = c, .options = options };
	bool ok;

	*check = (struct check){ .findings = calloc((size_t)c->kinds[COMPARISON_ROUTINES].n + c->kinds[COMPARISON_SITES].n + 1,
		sizeof *check->findings) };
	ok = check->findings && tests_make(&t);
	if (ok)
		findings_make(check, &t);
	check->noise_known = t.known > 0;
	check->smallest_whole = ok ? smallest_of(&t, GRAPH_NONE) : NAN;
	free(t.chance);
	free(t.routine);
	if (ok)
		return true;
	check_free(check);
	return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
}

void check_free(struct check *check)
{
	free(check->findings);
	*check = (struct check){ 0 };
}
