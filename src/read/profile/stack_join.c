/* stack_join.c - each context of the stacks is one step from its parent: so are its exact context and its path. */
#include "read/profile/stack_join.h"

#include <stdlib.h>
#include <string.h>

#include "read/profile/parts.h"
#include "read/profile/private.h"

/* Where a stack leads that no exact context is known of. */
enum { CUT = PROFILE_NONE, STRANGE = PROFILE_NONE - 1 };

/* Of a context of the stacks. */
struct joined_context {
	uint32_t exact;			/* the exact context; CUT, STRANGE: none */
	uint32_t path;			/* where it stands below that */
	bool signalled;			/* a signal was taken there: the next routine is its handler */
};

struct joining {
	struct stack_join *below;
	struct profile *p;		/* exact */
	const struct profile *stacks;
	const struct stack_join_given *given;
	struct joined_context *places;		/* by context of the stacks */
	bool *counts;			/* by the same: samples that count are in it, or in what it leads to */
	uint32_t *thread_of;		/* by thread of the stacks */
	bool split;			/* paths are wanted */
	size_t room;			/* of parts */
};

static bool stack_join_is_known(uint32_t exact) { return exact < STRANGE; }

/* The context of P that is entered when ROUTINE, or one of its function, is called in CONTEXT, into *TO; STRANGE: there is none.  False: out of memory. */
static bool exact_step(struct joining *j, uint32_t context, uint32_t routine, uint32_t *to)
{
	struct profile_private *own = j->p->private;
	struct history_step step;

	*to = STRANGE;
	for (; routine != PROFILE_NONE && *to == STRANGE; routine = j->given->alike[routine]) {
		uint32_t found;

		if (!histories_step(&own->histories, own->node_of[context], j->p->contexts[context].length, routine, &step))
			return false;
		found = own->histories.nodes[step.node].context;
		*to = found == HISTORIES_NONE || (j->p->plain && found >= j->p->plain) ? STRANGE : found;
	}
	return true;
}

/* The same where the monitor may have begun a history of its own: the handler of a signal does, and what runs at exit. */
static bool hooked_step(struct joining *j, const struct joined_context *from, uint32_t routine, uint32_t *to)
{
	uint32_t tries[2] = { from->signalled ? 0 : from->exact, from->signalled ? from->exact : 0 };

	*to = STRANGE;
	for (int i = 0; i < 2 && *to == STRANGE; i++)
		if (!exact_step(j, tries[i], routine, to))
			return false;
	return true;
}

/* The place of context I of the stacks.  False: out of memory. */
static bool stack_join_place(struct joining *j, uint32_t i)
{
	const struct profile_context *c = &j->stacks->contexts[i];
	struct joined_context *to = &j->places[i], from = j->places[c->parent];
	uint32_t pseudo = j->stacks->routines[c->routine].pseudo, routine = j->given->routine_of[c->routine];

	*to = from;
	to->signalled = pseudo == AMON_ROUTINE_SIGNAL;
	if (!stack_join_is_known(from.exact))
		return true;
	if (pseudo == AMON_ROUTINE_TRUNCATED || pseudo == AMON_ROUTINE_ELIDED || pseudo == AMON_ROUTINE_LOST) {
		to->exact = CUT;
	} else if (routine < j->given->hooked) {
		if (!hooked_step(j, &from, routine, &to->exact))
			return false;
		to->path = to->exact;
	} else if (from.exact && j->counts[i]) {	/* outside of all routines with hooks there is no path */
		to->path = parts_context(j->p, from.path, routine);
		return to->path != PROFILE_NONE;
	}
	return true;
}

/* Which contexts have something that counts: the others need no path. */
static void stack_join_counts_find(struct joining *j)
{
	for (uint32_t i = j->split ? j->stacks->ncontexts : 0; i-- > 1;) {
		j->counts[i] |= j->stacks->contexts[i].ticks && j->given->counts[i] > 0;
		j->counts[j->stacks->contexts[i].parent] |= j->counts[i];
	}
}

static bool stack_join_places_find(struct joining *j)
{
	stack_join_counts_find(j);
	if (!histories_reserve(&j->p->private->histories, j->stacks->ncontexts, j->p->nroutines))
		return false;
	j->places[0] = (struct joined_context){ 0 };
	for (uint32_t i = 1; i < j->stacks->ncontexts; i++)
		if (!stack_join_place(j, i))
			return false;
	return true;
}

/* Add samples N of context EXACT of THREAD that stand at PATH. */
static bool stack_join_part_add(struct joining *j, uint32_t exact, uint32_t thread, uint32_t path, double n)
{
	struct stack_join *b = j->below;

	if (!array_reserve(&b->parts, &j->room, b->n + 1, sizeof *b->parts))
		return false;
	b->parts[b->n++] = (struct stack_join_part){ exact, thread, path, n };
	return true;
}

/* The only thread of P with the kernel's id TID; PROFILE_NONE: there is none, or several are summed there. */
static uint32_t stack_join_thread_find(const struct profile *p, uint32_t tid)
{
	uint32_t found = PROFILE_NONE;

	for (uint32_t i = 0; tid && i < p->nthreads; i++) {
		const struct amon_thread *t = &p->threads[i].record;

		if (t->tid != tid)
			continue;
		if (found != PROFILE_NONE || t->folded > 1)
			return PROFILE_NONE;
		found = i;
	}
	return found;
}

/* The samples N of share S that stand nowhere, or outside. */
static void stack_join_count(struct stack_join *b, uint32_t exact, uint64_t n)
{
	add_capped(&b->samples, n);
	add_capped(exact == CUT ? &b->cut : exact == STRANGE ? &b->strange : exact == 0 ? &b->outside : &b->placed, n);
}

static bool stack_join_share_add(struct joining *j, const struct profile_share *s)
{
	struct stack_join *b = j->below;
	struct joined_context at = j->places[s->context];
	double samples = (double)s->ticks * j->given->counts[s->context];

	stack_join_count(b, at.exact, s->ticks);
	if (!stack_join_is_known(at.exact) || at.exact == 0 || !(samples > 0))
		return true;
	return stack_join_part_add(j, at.exact, j->thread_of[s->thread], at.path, samples);
}

static int stack_join_by_context(const void *left, const void *right)
{
	const struct stack_join_part *a = left, *b = right;

	return (a->context > b->context) - (a->context < b->context);
}

/* Stands any stack in CONTEXT?  The parts are in order. */
static bool has_stacks(const struct stack_join *b, size_t n, uint32_t context)
{
	struct stack_join_part key = { .context = context };

	return n && bsearch(&key, b->parts, n, sizeof *b->parts, stack_join_by_context);
}

/* Of contexts without stacks what their program counters tell. */
static bool leaves_add(struct joining *j)
{
	const struct profile *p = j->p;
	size_t n = j->below->n;

	for (size_t i = 0; j->given->leaf_of && i < p->npcs; i++) {
		const struct profile_pc *pc = &p->pcs[i];
		uint32_t leaf = j->given->leaf_of[i], path = pc->context;

		if (leaf == BELOW_NOTHING || pc->context == 0 || has_stacks(j->below, n, pc->context))
			continue;
		if (leaf != BELOW_OWN)
			path = parts_context(j->p, pc->context, leaf);
		if (path == PROFILE_NONE || !stack_join_part_add(j, pc->context, PROFILE_NONE, path, (double)pc->count))
			return false;
	}
	return true;
}

static int stack_join_order(const void *left, const void *right)
{
	const struct stack_join_part *a = left, *b = right;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

/* Join parts of one place. */
static void parts_settle(struct stack_join *b)
{
	size_t kept = 0;

	if (b->n)
		qsort(b->parts, b->n, sizeof *b->parts, stack_join_order);
	for (size_t i = 0; i < b->n; i++)
		if (kept > 0 && stack_join_order(&b->parts[kept - 1], &b->parts[i]) == 0)
			b->parts[kept - 1].samples += b->parts[i].samples;
		else
			b->parts[kept++] = b->parts[i];
	b->n = kept;
}

static bool stack_join_join(struct joining *j)
{
	if (!stack_join_places_find(j))
		return false;
	for (size_t i = 0; i < j->stacks->nshares; i++)
		if (!stack_join_share_add(j, &j->stacks->shares[i]))
			return false;
	parts_settle(j->below);
	if (!leaves_add(j))
		return false;
	parts_settle(j->below);
	return true;
}

/* The first thread of P that is called as T is; else the first of all. */
static uint32_t thread_named(const struct profile *p, const struct profile_thread *t)
{
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (strncmp(p->threads[i].record.name, t->record.name, sizeof t->record.name) == 0)
			return i;
	return 0;
}

/* The thread of P that thread I of the stacks is, or is charged to. */
static uint32_t stack_join_thread(const struct joining *j, uint32_t i)
{
	return j->thread_of[i] != PROFILE_NONE ? j->thread_of[i] : thread_named(j->p, &j->stacks->threads[i]);
}

static void unplaced_charge(struct joining *j, uint32_t thread, uint64_t amount)
{
	add_capped(&j->p->threads[thread].record.unplaced, amount);
	add_capped(&j->p->unplaced, amount);
}

/* Add what S, a share of the stacks, has of P's value to where it belongs.  False: out of memory. */
static bool share_charge(struct joining *j, const struct profile_share *s)
{
	struct joined_context at = j->places[s->context];
	uint32_t thread = stack_join_thread(j, s->thread);
	struct profile_share share = { .context = at.path, .thread = thread, .time = s->time, .ticks = s->ticks, .squares = { s->squares[0], s->squares[1] } };

	stack_join_count(j->below, at.exact, s->ticks);
	if (!(j->given->counts[s->context] > 0)) {
		add_capped(&j->p->threads[thread].record.monitor, s->time);
		add_capped(&j->p->monitor, s->time);
	} else if (!stack_join_is_known(at.exact)) {
		unplaced_charge(j, thread, s->time);
	} else if (!parts_share(j->p, &share)) {
		return false;
	} else {
		profile_add_share(j->p, &share);
	}
	return true;
}

static bool stack_join_charge_all(struct joining *j)
{
	bool ok = stack_join_places_find(j);

	for (size_t i = 0; ok && j->p->nthreads && i < j->stacks->nshares; i++)
		ok = share_charge(j, &j->stacks->shares[i]);
	for (uint32_t i = 0; ok && j->p->nthreads && i < j->stacks->nthreads; i++)
		unplaced_charge(j, stack_join_thread(j, i), j->stacks->threads[i].record.unplaced);
	if (ok)
		parts_shares_settle(j->p);
	return ok;
}

/* Join P and its stacks as JOIN has it. */
static bool joining_do(struct stack_join *b, struct profile *p, const struct stack_join_given *given, bool split, bool (*join)(struct joining *j), struct error *err)
{
	struct joining j = { .below = b, .p = p, .stacks = p->sampled, .given = given, .split = split };
	bool ok;

	*b = (struct stack_join){ .hooked = given->hooked };
	j.places = calloc((size_t)j.stacks->ncontexts + 1, sizeof *j.places);
	j.thread_of = calloc((size_t)j.stacks->nthreads + 1, sizeof *j.thread_of);
	j.counts = calloc((size_t)j.stacks->ncontexts + 1, sizeof *j.counts);
	ok = j.places && j.thread_of && j.counts;
	for (uint32_t i = 0; ok && i < j.stacks->nthreads; i++)
		j.thread_of[i] = stack_join_thread_find(j.stacks, j.stacks->threads[i].record.tid) == i ? stack_join_thread_find(p, j.stacks->threads[i].record.tid) : PROFILE_NONE;
	if (split)
		p->plain = p->ncontexts;
	ok = ok && join(&j);
	free(j.places);
	free(j.counts);
	free(j.thread_of);
	if (ok)
		return true;
	stack_join_free(b);
	return error_no_memory(err, "joining call stacks with contexts");
}

bool stack_join_make(struct stack_join *b, struct profile *p, const struct stack_join_given *given, struct error *err)
{
	return joining_do(b, p, given, true, stack_join_join, err);
}

bool stack_join_charge(struct stack_join *b, struct profile *p, const struct stack_join_given *given, bool split, struct error *err)
{
	return joining_do(b, p, given, split, stack_join_charge_all, err);
}

void stack_join_free(struct stack_join *b)
{
	free(b->parts);
	*b = (struct stack_join){ 0 };
}
