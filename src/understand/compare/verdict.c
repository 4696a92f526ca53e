/* verdict.c - from changes to an answer and its reason. */
#include "understand/compare/verdict.h"

#include <math.h>

#include "understand/compare/statistics.h"

enum { MOST_STEPS = 64 };		/* up the call graph */

/* Half of the interval that holds C with 95 %, ns. */
static double interval_of(const struct change *c)
{
	return c->df > 0 ? c->error * statistics_t_quantile(0.025, c->df) : NAN;
}

static enum verdict_answer answer_of(const struct change *c, double level)
{
	double two = 2 * fmin(c->above, c->below);

	if (isnan(two))			/* nothing is known of noise: what is measured is what there is */
		return c->change > 0 ? VERDICT_SLOWER : c->change < 0 ? VERDICT_FASTER : VERDICT_NO_CHANGE;
	return two > level ? VERDICT_NO_CHANGE : c->change > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
}

/* Whose change is looked for. */
enum candidates {
	CHANGED,		/* called more or less often, or of other code, with an own time that changed by more than noise among these few; or nobody else did */
	NEWS,			/* with an own time that changed by more than noise among all */
	CALLED,			/* called more or less often */
	CANDIDATES
};

/* Did something change about I for certain? */
static bool is_changed(const struct comparison *c, const struct comparison_item *i)
{
	return c->runs[0].counted && i->counted && (i->calls_news || i->code == COMPARISON_CODE_OTHER);
}

/* CERTAIN: the run as a whole did change. */
static bool is_candidate(const struct comparison *c, const struct comparison_item *i, enum candidates which, uint32_t nchanged, bool certain)
{
	const struct change *change = &i->change[COMPARISON_SELF];

	if (which == NEWS)
		return i->news[COMPARISON_SELF];
	if (which == CALLED)
		return c->runs[0].counted && i->calls_news;
	if (!is_changed(c, i))
		return false;
	return (certain && nchanged == 1) || 2 * fmin(change->above, change->below) * nchanged <= COMPARISON_LEVEL;
}

/* The routine whose own time changed most, the way of ANSWER, if that is one. */
static uint32_t routine_find_among(const struct comparison *c, enum verdict_answer answer, enum candidates which)
{
	const struct comparison_items *routines = &c->kinds[COMPARISON_ROUTINES];
	uint32_t found = GRAPH_NONE, nchanged = 0;
	double most = 0;

	for (uint32_t i = 0; i < routines->n; i++)
		nchanged += is_changed(c, &routines->items[i]);
	for (uint32_t i = 0; i < routines->n; i++) {
		double change = routines->items[i].change[COMPARISON_SELF].change;

		if (answer == VERDICT_FASTER)
			change = -change;
		else if (answer == VERDICT_NO_CHANGE)
			change = fabs(change);
		if (is_candidate(c, &routines->items[i], which, nchanged, answer != VERDICT_NO_CHANGE) && change > most) {
			most = change;
			found = i;
		}
	}
	return found;
}

static uint32_t routine_find(const struct comparison *c, enum verdict_answer answer)
{
	uint32_t found = GRAPH_NONE;

	for (int which = 0; which < CANDIDATES && found == GRAPH_NONE; which++)
		found = routine_find_among(c, answer, (enum candidates)which);
	return found;
}

static double calls_more(const struct comparison_item *i) { return i->calls.fresh - i->calls.base; }

/* The change of the own time of all routines that changed for certain, together. */
static struct change part_change(const struct comparison *c)
{
	const struct comparison_items *routines = &c->kinds[COMPARISON_ROUTINES];
	struct change sum = { .df = c->whole_change.df, .above = NAN, .below = NAN };
	double squares = 0;

	for (uint32_t i = 0; i < routines->n; i++) {
		const struct change *change = &routines->items[i].change[COMPARISON_SELF];

		if (!is_changed(c, &routines->items[i]) || isnan(change->error))
			continue;
		sum.change += change->change;
		squares += change->error * change->error;
	}
	sum.error = sqrt(squares);
	if (squares > 0 && sum.df > 0) {
		sum.above = statistics_t_above(sum.change / sum.error, sum.df);
		sum.below = statistics_t_above(-sum.change / sum.error, sum.df);
	}
	return sum;
}

/* Does the run as a whole speak against a change by PART? */
static bool is_denied(const struct change *whole, const struct change *part)
{
	enum { DEVIATIONS = 3 };

	return fabs(whole->change - part->change) > DEVIATIONS * whole->error;
}

/* What the routines that changed say, where the run as a whole says nothing. */
static void part_answer(struct verdict *v, const struct comparison *c, double level)
{
	struct change part = part_change(c);
	enum verdict_answer answer = isnan(part.above) || is_denied(&c->whole_change, &part) ? VERDICT_NO_CHANGE : answer_of(&part, level);

	if (answer == VERDICT_NO_CHANGE || c->whole.base <= 0)
		return;
	v->answer = answer;
	v->by_part = true;
	v->part = part.change / c->whole.base;
	v->error_of_part = interval_of(&part) / c->whole.base;
}

/* The arc into ROUTINE of which most changed the way of the routine itself: calls where they are COUNTED, else the callee's own time. */
static uint32_t arc_find(const struct comparison *c, uint32_t routine, bool counted)
{
	const struct comparison_items *arcs = &c->kinds[COMPARISON_ARCS];
	const struct comparison_item *r = &c->kinds[COMPARISON_ROUTINES].items[routine];
	double way = counted ? calls_more(r) : r->change[COMPARISON_SELF].change, most = 0;
	uint32_t found = GRAPH_NONE;

	for (uint32_t i = 0; i < arcs->n; i++) {
		const struct comparison_item *a = &arcs->items[i];
		double change = counted ? calls_more(a) : a->change[COMPARISON_SELF].change;

		if (a->to == routine && a->from != routine && change * way > 0 && fabs(change) > most) {
			most = fabs(change);
			found = i;
		}
	}
	return found;
}

/* Does the caller of ARC run so much more, or less, often that it calls as often each time? */
static bool is_callers(const struct comparison *c, const struct comparison_item *arc)
{
	enum { PART = 100 };
	const struct comparison_item *from = arc->from == GRAPH_NONE ? NULL : &c->kinds[COMPARISON_ROUTINES].items[arc->from];
	double expected;

	if (!from || !from->calls_news || from->calls.base <= 0)
		return false;
	expected = arc->calls.base * from->calls.fresh / from->calls.base;
	return fabs(arc->calls.fresh - expected) * PART <= fabs(calls_more(arc));
}

/* The arc with which it begins that ROUTINE is called more often, or less. */
static uint32_t first_arc_find(const struct comparison *c, uint32_t routine)
{
	const struct comparison_items *arcs = &c->kinds[COMPARISON_ARCS];
	uint32_t arc = arc_find(c, routine, true);

	for (int i = 0; arc != GRAPH_NONE && i < MOST_STEPS && is_callers(c, &arcs->items[arc]); i++) {
		uint32_t above = arc_find(c, arcs->items[arc].from, true);

		if (above == GRAPH_NONE)
			break;
		arc = above;
	}
	return arc;
}

static uint32_t site_find(const struct comparison *c, const struct comparison_item *arc)
{
	const struct comparison_items *sites = &c->kinds[COMPARISON_SITES];
	uint32_t found = GRAPH_NONE;
	double most = 0;

	for (uint32_t i = 0; c->sites && i < sites->n; i++) {
		const struct comparison_item *s = &sites->items[i];

		if (s->place && s->from == arc->from && s->to == arc->to && fabs(calls_more(s)) > most) {
			most = fabs(calls_more(s));
			found = i;
		}
	}
	return found;
}

static enum verdict_reason reason_of(const struct comparison *c, const struct comparison_item *routine)
{
	if (!c->runs[0].counted)
		return VERDICT_UNKNOWN;
	if (routine->calls_news)
		return VERDICT_CALLS;
	if (comparison_is_same(c, routine))
		return VERDICT_SAME;
	return routine->code == COMPARISON_CODE_OTHER ? VERDICT_CODE : VERDICT_EACH;
}

struct verdict verdict_make(const struct comparison *c, double level)
{
	const struct change *w = &c->whole_change;
	struct verdict v = { .answer = answer_of(w, level), .change = c->whole.base > 0 ? w->change / c->whole.base : 0, .error = NAN,
		.error_of_part = NAN, .error_of_routine = NAN, .arc = GRAPH_NONE, .site = GRAPH_NONE };
	const struct comparison_item *routine;

	if (c->whole.base > 0)
		v.error = interval_of(w) / c->whole.base;
	if (v.answer == VERDICT_NO_CHANGE)
		part_answer(&v, c, level);
	v.routine = routine_find(c, v.answer);
	if (v.routine == GRAPH_NONE)
		return v;
	routine = &c->kinds[COMPARISON_ROUTINES].items[v.routine];
	v.error_of_routine = interval_of(&routine->change[COMPARISON_SELF]);
	v.reason = reason_of(c, routine);
	v.arc = v.reason == VERDICT_CALLS ? first_arc_find(c, v.routine) : v.reason == VERDICT_UNKNOWN ? arc_find(c, v.routine, false) : GRAPH_NONE;
	if (v.arc != GRAPH_NONE)
		v.site = site_find(c, &c->kinds[COMPARISON_ARCS].items[v.arc]);
	return v;
}
