/* times.c - the time of contexts from all sources of a run together. */
#include "read/profile/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define OF_TIMER (1.0 / 3)	/* samples that one by a timer is worth: those of one slice of the scheduler's, or of a program that keeps step, are alike */
#define BEYOND 3.0		/* standard deviations that sources differ by, and more, is no chance */

enum {
	SLEEP = 5000,			/* ns of the kernel's, of putting a thread to sleep and waking it, which no look and no interrupt sees */
	ROUNDS = 60,		/* of EM: each leaves about half of what the one before left to be found */
	FEW = 20,		/* samples of a thread, fewer than which say more together with other threads' */
	COMPARED = 50,		/* samples of each source, from which they are held against one another */
};

/* A context, or a routine. */
struct cell {
	uint32_t key;			/* index of the context; of the routine */
	uint32_t routine;		/* index of a context's routine */
	double looks, interrupts;	/* how many samples of each */
	double seen, rest;		/* u and k, ns */
	double within;			/* m */
	double evidence;		/* of a context: what its samples stand for, ns */
};

/* Cells that have U and K together. */
struct cells {
	struct cell *of;
	size_t n, room;
	double looks, interrupts;	/* sums */
	double seen, rest;		/* U and K, ns */
	bool apart;			/* looks do not count for u */
};

struct work {
	struct reader *r;
	struct cells contexts, routines;
	uint32_t *cell_of;		/* context -> 1 + its place in contexts.of; 0: none */
	uint32_t *share_of;		/* context -> its place in shares[], of the part at hand */
	double period;			/* of an interrupt, ns */
	double each;			/* samples that it is worth */
	double covered;			/* the part of the CPU time in which threads had what interrupts them */
	bool by_timer;			/* that sends them */
	double unsure;			/* ns */
	double compared, differ;	/* as the header's */
	bool any;			/* a sample was found */
};

/* ---- the fit ---- */

static void cells_sum(struct cells *c)
{
	c->looks = c->interrupts = 0;
	for (size_t i = 0; i < c->n; i++) {
		c->looks += c->of[i].looks;
		c->interrupts += c->of[i].interrupts;
	}
}

static void cells_start(struct cells *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct cell *cell = c->of + i;
		double part = c->looks > 0 ? cell->looks / c->looks : 0;

		cell->seen = c->interrupts > 0 ? c->seen * cell->interrupts / c->interrupts : c->seen * part;
		cell->rest = c->looks > 0 ? c->rest * part : c->seen > 0 ? c->rest * cell->seen / c->seen : 0;
	}
}

/* E.  Returns the sum of all m. */
static double cells_expect(struct cells *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct cell *cell = c->of + i;

		cell->within = cell->seen > 0 ? cell->looks * cell->seen / (cell->seen + cell->rest) : 0;
		sum += cell->within;
	}
	return sum;
}

/* M, where the sum of all m is WITHIN. */
static void cells_maximise(struct cells *c, double within)
{
	double counted = c->interrupts + within, beyond = c->looks - within;

	for (size_t i = 0; i < c->n; i++) {
		struct cell *cell = c->of + i;

		if (!c->apart && counted > 0)
			cell->seen = c->seen * (cell->interrupts + cell->within) / counted;
		if (beyond > 0)
			cell->rest = c->rest * (cell->looks - cell->within) / beyond;
	}
}

static void cells_fit(struct cells *c)
{
	cells_sum(c);
	cells_start(c);
	for (int i = 0; i < ROUNDS && c->looks > 0 && c->rest > 0 && c->seen > 0; i++)
		cells_maximise(c, cells_expect(c));
	if (c->rest <= 0 || c->seen <= 0)
		cells_maximise(c, cells_expect(c));
	cells_expect(c);
}

/* What the looks of C, which was fitted with them apart, differ by from what the interrupts say, of the whole, beyond chance: half the sum of what each differs by, less what that is in the mean,
 * and BEYOND of its standard deviations. */
static double cells_differ(const struct cells *c)
{
	double all = c->seen + c->rest, found = 0, mean = 0, variance = 0, seen = c->seen / all;

	for (size_t i = 0; i < c->n; i++) {
		double part = (c->of[i].seen + c->of[i].rest) / all;
		double chance = part * (1 - part) * (1 / c->looks + seen * seen / c->interrupts);

		found += fabs(c->of[i].looks / c->looks - part) / 2;
		mean += sqrt(chance / (2 * M_PI));
		variance += chance * (1 - 2 / M_PI) / 4;
	}
	return fmax(found - mean - BEYOND * sqrt(variance), 0);
}

/* How many samples the time of CELL is worth. */
static double worth(const struct cells *c, const struct cell *cell)
{
	double of_seen = cell->interrupts + (c->apart ? 0 : cell->within), of_rest = cell->looks - cell->within, variance = 0, time = cell->seen + cell->rest;

	if (of_seen > 0)
		variance += cell->seen * cell->seen / of_seen;
	if (of_rest > 0)
		variance += cell->rest * cell->rest / of_rest;
	return variance > 0 ? time * time / variance : 0;
}

/* ---- what there is ---- */

static struct cell *cell_at(struct work *w, uint32_t context)
{
	struct cells *c = &w->contexts;

	if (!w->cell_of[context]) {
		if (!array_reserve(&c->of, &c->room, c->n + 1, sizeof *c->of))
			return NULL;
		c->of[c->n] = (struct cell){ .key = context, .routine = w->r->p->contexts[context].routine };
		w->cell_of[context] = (uint32_t)++c->n;
	}
	return c->of + w->cell_of[context] - 1;
}

/* Samples that looks which brought NSEC are worth, N of them. */
static double looks_worth(const struct amon_thread *t, double nsec, double n)
{
	double usec = nsec / 1000;

	return t->squares ? fmin(usec * usec / (double)t->squares, n) : n;
}

/* How many samples a nanosecond of T's time in PART is worth. */
static double part_worth(const struct profile *p, const struct source_part *part)
{
	double time = 0, ticks = 0;

	for (size_t i = part->shares; i < part->shares_end; i++) {
		time += (double)p->shares[i].time;
		ticks += (double)p->shares[i].ticks;
	}
	return time > 0 ? looks_worth(&p->threads[part->thread].record, time, ticks) / time : 0;
}

/* Count the looks and interrupts of PART, and let the time of each share be what both stand for: of its context's time it will have such a part.  False: out of memory. */
static bool part_take(struct work *w, const struct source_part *part)
{
	struct profile *p = w->r->p;
	double each = part_worth(p, part);

	for (size_t i = part->shares; i < part->shares_end; i++) {
		struct profile_share *s = p->shares + i;
		struct cell *cell = s->time ? cell_at(w, s->context) : NULL;

		if (s->time && !cell)
			return false;
		if (cell)
			cell->looks += each * (double)s->time;
		if (cell)
			cell->evidence += (double)s->time;
		w->share_of[s->context] = (uint32_t)i;
	}
	for (size_t i = part->pcs; i < part->pcs_end; i++) {
		struct cell *cell = cell_at(w, p->pcs[i].context);

		if (!cell)
			return false;
		cell->interrupts += w->each * (double)p->pcs[i].count;
		cell->evidence += floor((double)p->pcs[i].count * w->period);
		add_capped(&p->shares[w->share_of[p->pcs[i].context]].time, (uint64_t)((double)p->pcs[i].count * w->period));
	}
	return true;
}

static int by_routine(const void *x, const void *y)
{
	const struct cell *a = x, *b = y;

	if (a->routine != b->routine)
		return a->routine < b->routine ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* Add the contexts up by routine; they are in the order of these then. */
static bool routines_add(struct work *w)
{
	struct cells *c = &w->contexts, *sums = &w->routines;

	if (c->n > 1)
		qsort(c->of, c->n, sizeof *c->of, by_routine);
	sums->n = 0;
	for (size_t i = 0; i < c->n; i++) {
		w->cell_of[c->of[i].key] = (uint32_t)i + 1;
		if (sums->n == 0 || sums->of[sums->n - 1].key != c->of[i].routine) {
			if (!array_reserve(&sums->of, &sums->room, sums->n + 1, sizeof *sums->of))
				return false;
			sums->of[sums->n++] = (struct cell){ .key = c->of[i].routine };
		}
		sums->of[sums->n - 1].looks += c->of[i].looks;
		sums->of[sums->n - 1].interrupts += c->of[i].interrupts;
	}
	return true;
}

/* The same within each routine. */
static void contexts_fit(struct work *w)
{
	size_t at = 0;

	for (size_t i = 0; i < w->routines.n; i++) {
		const struct cell *sum = w->routines.of + i;
		struct cells own = { .of = w->contexts.of + at, .seen = sum->seen, .rest = sum->rest, .apart = w->routines.apart };

		while (at + own.n < w->contexts.n && w->contexts.of[at + own.n].routine == sum->key)
			own.n++;
		cells_fit(&own);
		at += own.n;
	}
}

/* ---- a group of threads ---- */

/* A timer keeps step with the kernel's clock, and so may a program.  Where there are looks enough they tell all. */
static void timer_leave(struct work *w)
{
	for (size_t i = 0; i < w->routines.n; i++)
		w->routines.of[i].interrupts = 0;
	for (size_t i = 0; i < w->contexts.n; i++)
		w->contexts.of[i].interrupts = 0;
	w->routines.rest += w->routines.seen;
	w->routines.seen = 0;
	w->routines.apart = false;
}

/* Hold the sources of C, which was fitted with the looks apart, against one another.  Returns what part of the time they differ by. */
static double group_compare(struct work *w, const struct cells *c, double time)
{
	double differ;

	if (c->looks < COMPARED || c->interrupts < COMPARED)
		return 0;
	differ = cells_differ(c);
	w->compared += fmin(c->looks, c->interrupts);
	w->differ += differ * time;
	return differ;
}

/* Divide TIME into what interrupts saw and the rest, and fit. */
static void group_fit(struct work *w, double time)
{
	struct cells *c = &w->routines;
	double differ;

	cells_sum(c);
	c->seen = w->covered > 0 ? fmin(c->interrupts / w->each * w->period / w->covered, time) : 0;
	c->rest = time - c->seen;
	c->apart = true;
	cells_fit(c);
	differ = group_compare(w, c, time);
	c->apart = differ > 0;
	if (w->by_timer && c->looks >= FEW)
		timer_leave(w);
	cells_fit(c);
	w->unsure += differ * time + (c->looks > 0 ? 0 : c->rest);
	contexts_fit(w);
}

/* A number made whole, of a sequence whose sum stays. */
static uint64_t whole(double x, double *carry)
{
	double sum = x + *carry, down = fmax(floor(sum), 0);

	*carry = sum - down;
	return (uint64_t)down;
}

/* Give the shares of the N PARTS their parts of the contexts' times, TIME in all. */
static void group_give(struct work *w, const struct source_part *parts, size_t n, uint64_t time)
{
	struct profile *p = w->r->p;
	struct profile_share *last = NULL;
	double times = 0, ticks = 0.5;
	uint64_t given = 0;

	for (size_t k = 0; k < n; k++) {
		struct amon_thread *t = &p->threads[parts[k].thread].record;

		t->unplaced = 0;
		t->ticks = t->monitor_ticks;
		for (size_t i = parts[k].shares; i < parts[k].shares_end; i++) {
			struct profile_share *s = p->shares + i;
			const struct cell *cell = w->cell_of[s->context] ? w->contexts.of + w->cell_of[s->context] - 1 : NULL;
			double part = cell && s->time ? (double)s->time / cell->evidence : 0;

			s->ticks = cell ? whole(part * worth(&w->contexts, cell), &ticks) : 0;
			s->time = cell ? whole(part * (cell->seen + cell->rest), &times) : 0;
			given += s->time;
			last = s->time ? s : last;
			add_capped(&t->ticks, s->ticks);
		}
	}
	if (last)
		last->time += time - given;
}

/* What the threads of PARTS have in all, ns. */
static uint64_t group_time(const struct profile *p, const struct source_part *parts, size_t n)
{
	uint64_t time = 0;

	for (size_t k = 0; k < n; k++) {
		add_capped(&time, p->threads[parts[k].thread].record.unplaced);
		for (size_t i = parts[k].shares; i < parts[k].shares_end; i++)
			add_capped(&time, p->shares[i].time);
	}
	return time;
}

static void group_forget(struct work *w)
{
	for (size_t i = 0; i < w->contexts.n; i++)
		w->cell_of[w->contexts.of[i].key] = 0;
	w->contexts.n = 0;
}

/* Is there nothing to settle: do the looks have all that there is, and are they all alike? */
static bool is_settled(const struct profile *p, const struct source_part *parts, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const struct amon_thread *t = &p->threads[parts[k].thread].record;

		if (parts[k].pcs < parts[k].pcs_end || t->unplaced || t->squares)
			return false;
	}
	return true;
}

/* Settle the N PARTS together.  False: out of memory. */
static bool group_settle(struct work *w, const struct source_part *parts, size_t n)
{
	struct profile *p = w->r->p;
	uint64_t time = group_time(p, parts, n);
	bool ok = true;

	if (is_settled(p, parts, n))
		return true;
	for (size_t k = 0; ok && time > 0 && k < n; k++)
		ok = part_take(w, parts + k);
	if (ok && w->contexts.n > 0 && (ok = routines_add(w))) {
		w->any = true;
		group_fit(w, (double)time);
		group_give(w, parts, n, time);
	}
	group_forget(w);
	return ok;
}

/* ---- a file ---- */

/* How many samples PART has. */
static double part_samples(const struct profile *p, const struct source_part *part)
{
	double n = 0;

	for (size_t i = part->shares; i < part->shares_end; i++)
		n += (double)p->shares[i].ticks;
	for (size_t i = part->pcs; i < part->pcs_end; i++)
		n += (double)p->pcs[i].count;
	return n;
}

/* Put those of the N PARTS first that have few samples.  Returns how many. */
static size_t parts_few(const struct profile *p, struct source_part *parts, size_t n)
{
	size_t few = 0;

	for (size_t i = 0; i < n; i++)
		if (part_samples(p, parts + i) < FEW) {
			struct source_part part = parts[few];

			parts[few++] = parts[i];
			parts[i] = part;
		}
	return few;
}

/* The part of the CPU time of R's file in which threads had what interrupts them. */
static double covered(const struct reader *r, const struct source_part *parts, size_t n)
{
	double time = 0;

	for (size_t i = 0; i < n; i++)
		time += (double)group_time(r->p, parts + i, 1);
	return time > 0 ? fmax(1 - (double)r->run.header.pc_unsampled / time, 0) : 0;
}

/* Is there anything to settle?  A file of one phase has no interrupts, and what has no clock that samples has no looks.  Interrupts are not known by interval: where
 * looks are, their times stay. */
static bool is_raw(const struct reader *r)
{
	const struct amon_header *h = &r->run.header;

	return h->clock == AMON_CLOCK_TICK && h->rate && !h->settled && !h->origin[0] && !r->p->private->phase && !r->run.sliced &&
	       !(h->way & (1u << AMON_WAY_STACKS | 1u << AMON_WAY_ARCS));
}

/* X in whole ns, at most what a field holds: a damaged header may say anything. */
static uint64_t field(double x) { return x < 0x1p63 ? (uint64_t)x : UINT64_MAX; }

bool times_settle(struct reader *r, struct source_part *parts, size_t n)
{
	const struct amon_header *h = &r->run.header;
	struct work w = { .r = r, .period = (double)h->pc_period, .covered = covered(r, parts, n), .by_timer = h->pc_source == AMON_SOURCE_TIMER };
	size_t few;
	bool ok;

	if (!is_raw(r))
		return true;
	w.each = w.by_timer ? OF_TIMER : 1;
	few = parts_few(r->p, parts, n);
	w.cell_of = calloc((size_t)r->p->ncontexts + 1, sizeof *w.cell_of);
	w.share_of = calloc((size_t)r->p->ncontexts + 1, sizeof *w.share_of);
	ok = w.cell_of && w.share_of && group_settle(&w, parts, few);
	for (size_t i = few; ok && i < n; i++)
		ok = group_settle(&w, parts + i, 1);
	free(w.cell_of);
	free(w.share_of);
	free(w.contexts.of);
	free(w.routines.of);
	r->run.header.unsure = w.any ? field(w.unsure + SLEEP * (double)h->sleeps) : 0;	/* without samples nothing is stated */
	r->run.header.compared = field(w.compared);
	r->run.header.differ = field(w.differ);
	r->run.header.settled = 1;
	return ok || reader_no_memory(r);
}
