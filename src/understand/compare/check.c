/* check.c - which routines got worse. */
#include "understand/compare/check.h"

#include <math.h>
#include <stdlib.h>

#include "understand/compare/statistics.h"

/* Whose time is tested: item INDEX of KIND; GRAPH_NONE: the run as a whole. */
struct test {
	enum comparison_kind kind;
	uint32_t index;
};

/* Routines first, in order, then call sites, then the run as a whole. */
struct testing {
	const struct comparison *c;
	const struct check_options *options;
	double *chance;		/* of each test: Holm's; NAN: unknown */
	struct test *tests;
	size_t n;		/* tests */
	size_t known;		/* tests whose noise is known */
};

static const struct comparison_item *check_item_of(const struct testing *t, struct test test)
{
	return test.index == GRAPH_NONE ? NULL : &t->c->kinds[test.kind].items[test.index];
}

static const struct sides *sides_of(const struct testing *t, struct test test)
{
	const struct comparison_item *item = check_item_of(t, test);

	return item ? &item->sides[t->options->time] : &t->c->whole;
}

static const struct change *change_of(const struct testing *t, struct test test)
{
	const struct comparison_item *item = check_item_of(t, test);

	return item ? &item->change[t->options->time] : &t->c->whole_change;
}

/* Chosen by the mean of both sides, which says nothing of their difference, so that the choice favours neither answer. */
static bool is_tested(const struct testing *t, struct test test)
{
	const struct sides *s = sides_of(t, test);

	return s->base + s->fresh > 0 && s->base + s->fresh >= t->options->least * (t->c->whole.base + t->c->whole.fresh);
}

/* Those of the items of KIND. */
static void tests_add(struct testing *t, enum comparison_kind kind)
{
	for (uint32_t i = 0; i < t->c->kinds[kind].n; i++)
		if (is_tested(t, (struct test){ kind, i }))
			t->tests[t->n++] = (struct test){ kind, i };
}

/* The time of call sites is tested where nothing else is known of them. */
static bool tests_make(struct testing *t)
{
	size_t n = (size_t)t->c->kinds[COMPARISON_ROUTINES].n + t->c->kinds[COMPARISON_SITES].n + 1, *order = calloc(n, sizeof *order);

	t->chance = calloc(n, sizeof *t->chance);
	t->tests = calloc(n, sizeof *t->tests);
	if (!order || !t->chance || !t->tests) {
		free(order);
		return false;
	}
	tests_add(t, COMPARISON_ROUTINES);
	if (!t->c->runs[0].counted)
		tests_add(t, COMPARISON_SITES);
	if (t->c->whole.base + t->c->whole.fresh > 0)
		t->tests[t->n++] = (struct test){ COMPARISON_ROUTINES, GRAPH_NONE };
	for (size_t i = 0; i < t->n; i++)
		t->chance[i] = change_of(t, t->tests[i])->above;
	t->known = t->n && !isnan(t->chance[0]) ? t->n : 0;
	if (t->known)
		statistics_holm(t->chance, t->n, order);
	free(order);
	return true;
}

static bool time_is_worse(const struct testing *t, size_t test)
{
	const struct sides *s = sides_of(t, t->tests[test]);
	double allowed = t->options->limit * (s->base > 0 ? s->base : t->c->whole.base);

	return s->fresh - s->base > allowed && (isnan(t->chance[test]) || t->chance[test] <= CHECK_LEVEL);
}

/* How much more or less often, as a share, ITEM may be called. */
static double calls_allowed(const struct testing *t, const struct comparison_item *item)
{
	bool exact = t->options->calls == CHECK_CALLS_EXACT || (t->options->calls == CHECK_CALLS_LEARN && item->calls.steady && !t->c->varies);

	return exact ? 0 : t->options->limit;
}

static bool calls_are_worse(const struct testing *t, const struct comparison_item *item)
{
	return t->options->calls != CHECK_CALLS_IGNORE && item->calls_news && item->calls.fresh > item->calls.base * (1 + calls_allowed(t, item));
}

static bool calls_are_fewer(const struct testing *t, const struct comparison_item *item)
{
	return t->options->calls <= CHECK_CALLS_EXACT && item->calls_news && item->calls.fresh < item->calls.base * (1 - calls_allowed(t, item));
}

static double smallest_of(const struct testing *t, struct test test)
{
	const struct sides *s = sides_of(t, test);
	const struct noise *noise = &t->c->kinds[test.kind].noise[t->options->time], own = { .common = fmax(s->variance - s->sampling, 0) };

	return noise_smallest(test.index == GRAPH_NONE ? &own : noise, s->sampling, s->df, s->nb, s->nn,
			      CHECK_LEVEL / (double)(t->n ? t->n : 1), CHECK_POWER);
}

/* What is found of WHO, whose time is test number TEST; t->n: it is not tested. */
static void finding_add(struct check *check, const struct testing *t, size_t test, struct test who)
{
	const struct comparison_item *item = check_item_of(t, who);
	bool is_site = who.kind == COMPARISON_SITES;
	struct check_finding f = { .routine = is_site ? GRAPH_NONE : who.index, .site = is_site ? who.index : GRAPH_NONE, .chance = NAN, .smallest = NAN };

	if (test < t->n) {
		f.time = time_is_worse(t, test);
		f.chance = t->chance[test];
		f.smallest = smallest_of(t, who);
	}
	f.calls = item && calls_are_worse(t, item);
	f.fewer = !f.time && !f.calls && item && calls_are_fewer(t, item);
	check->varied += item && !is_site && !f.calls && !f.fewer && item->calls.fresh != item->calls.base && t->options->calls == CHECK_CALLS_LEARN;
	if (!f.time && !f.calls && !f.fewer)
		return;
	check->worse += !f.fewer;
	check->worse_sites += is_site && !f.fewer;
	check->findings[check->n++] = f;
}

static double growth(const struct testing *t, const struct check_finding *f)
{
	struct test who = f->site != GRAPH_NONE ? (struct test){ COMPARISON_SITES, f->site } : (struct test){ COMPARISON_ROUTINES, f->routine };

	return f->time ? change_of(t, who)->change : 0;
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

/* All items of KIND are looked at once: tests, of which *TEST is the next, and items are in the same order.  Returns how many of them are tested. */
static uint32_t findings_add(struct check *check, const struct testing *t, enum comparison_kind kind, size_t *test)
{
	size_t first = *test;

	for (uint32_t i = 0; i < t->c->kinds[kind].n; i++) {
		bool tested = *test < t->n && t->tests[*test].kind == kind && t->tests[*test].index == i;

		finding_add(check, t, tested ? *test : t->n, (struct test){ kind, i });
		*test += tested;
	}
	return (uint32_t)(*test - first);
}

static void findings_make(struct check *check, struct testing *t)
{
	size_t test = 0;

	check->tested = findings_add(check, t, COMPARISON_ROUTINES, &test);
	check->tested_sites = findings_add(check, t, COMPARISON_SITES, &test);
	if (test < t->n)
		finding_add(check, t, test, t->tests[test]);
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
	check->smallest_whole = ok ? smallest_of(&t, (struct test){ COMPARISON_ROUTINES, GRAPH_NONE }) : NAN;
	free(t.chance);
	free(t.tests);
	if (ok)
		return true;
	check_free(check);
	return error_no_memory(err, NULL);
}

void check_free(struct check *check)
{
	free(check->findings);
	*check = (struct check){ 0 };
}
