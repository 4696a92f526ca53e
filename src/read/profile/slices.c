/* slices.c - what was charged when: the tables of a file, and the part of a profile that is of a range of time.
 *
 * A thread has intervals of several lengths, the later the longer.  Those of the shorter are joined, so that a thread has one length.  They are counted from
 * the beginning of the file of its process; in a sum processes began one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/slice.h"
#include "read/profile/reader.h"
#include "read/profile/writer.h"

void slices_prepare(struct reader *r)
{
	const struct chunk *c;

	for (size_t i = 0; !r->p->private->phase && (c = reader_next(r, AMON_SLICES, &i)) != NULL;) {
		struct profile_thread *t = c->head.thread < r->run.threads ? &r->p->threads[r->run.first_thread + c->head.thread] : NULL;

		if (c->items == 0 || c->head.base >= SLICE_LEVELS)
			continue;
		r->run.sliced = true;
		r->run.level = c->head.base > r->run.level ? c->head.base : r->run.level;
		if (t)
			t->level = c->head.base > t->level ? c->head.base : t->level;
	}
}

/* The phase that PHASE of the file is. */
static uint32_t slice_phase(const struct reader *r, uint32_t phase)
{
	return phase != AMON_PHASE_STOPPED && phase < r->nphases ? r->phases[phase].index : PROFILE_NONE;
}

/* Take the slice ITEM of intervals of LEVEL, which stands at AT. */
static bool slice_take(struct reader *r, const struct amon_slice *item, uint32_t level, uint32_t thread, uint64_t at)
{
	bool is_monitor = item->context == AMON_NONE, is_late = r->run.truncated || r->run.header.state == AMON_RUNNING;
	struct profile *p = r->p;

	if (item->interval > SLICE_INTERVALS)
		return reader_corrupt(r, at, "interval %u, there are %u", item->interval - 1, SLICE_INTERVALS);
	if (!is_monitor && item->context >= r->nitems)
		return is_late || reader_corrupt(r, at, "time of item %u, there are %zu", item->context, r->nitems);
	if (item->time == 0 && item->ticks == 0)
		return true;
	if (!array_reserve(&p->slices, &p->private->slices, p->nslices + 1, sizeof *p->slices))
		return reader_no_memory(r);
	p->slices[p->nslices++] = (struct profile_slice){
		.thread = thread, .context = is_monitor ? PROFILE_NONE : r->items[item->context], .phase = slice_phase(r, item->phase),
		.interval = (item->interval - 1) >> (p->threads[thread].level - level), .ticks = item->ticks, .time = reader_nsec(r, item->time),
	};
	return true;
}

bool read_slices(struct reader *r, const struct chunk *c, uint32_t thread)
{
	if (c->items > 0 && c->head.base >= SLICE_LEVELS)
		return reader_corrupt(r, c->at, "intervals of level %u, there are %u", c->head.base, SLICE_LEVELS);
	for (uint32_t i = 0; i < c->items && !r->p->private->phase; i++) {
		uint64_t at = c->at + c->head.first + (uint64_t)i * sizeof(struct amon_slice);
		struct amon_slice item;

		memcpy(&item, r->data + at, sizeof item);
		if (item.interval != 0 && !slice_take(r, &item, c->head.base, thread, at))
			return false;
	}
	return true;
}

void slice_add_up(struct profile_slice *to, const struct profile_slice *s)
{
	add_capped(&to->time, s->time);
	to->ticks = s->ticks < UINT32_MAX - to->ticks ? to->ticks + s->ticks : UINT32_MAX;
}

void slices_merge(struct profile *p, size_t first)
{
	size_t kept = first;

	if (p->nslices - first > 1)
		qsort(p->slices + first, p->nslices - first, sizeof *p->slices, order_slices);
	for (size_t i = first; i < p->nslices; i++) {
		struct profile_slice *s = &p->slices[i], *last = kept > first ? &p->slices[kept - 1] : NULL;

		if (last && order_slices(last, s) == 0) {
			slice_add_up(last, s);
		} else {
			p->slices[kept++] = *s;
		}
	}
	p->nslices = kept;
}

/* ---- a range ---- */

bool profile_is_sliced(const struct profile *p)
{
	uint64_t all = 0, untold = 0;
	size_t slice = 0;

	for (uint32_t i = 0; i < p->nthreads; i++) {
		size_t first = slice;

		while (slice < p->nslices && p->slices[slice].thread == i)
			slice++;
		add_capped(&all, p->threads[i].record.ticks);
		if (slice == first)
			add_capped(&untold, p->threads[i].record.ticks);
	}
	return p->nslices > 0 && untold <= all / 10;
}

/* Where the intervals of T begin, ns since its run began. */
static uint64_t slices_begin(const struct profile *p, const struct profile_thread *t)
{
	uint64_t first = p->runs[t->run].header.start_realtime;

	return t->origin.start_realtime > first ? t->origin.start_realtime - first : 0;
}

/* The end of the interval of S, the same. */
static uint64_t slice_end(const struct profile *p, const struct profile_slice *s)
{
	const struct profile_thread *t = &p->threads[s->thread];

	return slices_begin(p, t) + (s->interval + UINT64_C(1)) * slice_length(t->level);
}

uint64_t profile_slice_middle(const struct profile *p, const struct profile_slice *s)
{
	return slice_end(p, s) - slice_length(p->threads[s->thread].level) / 2;
}

bool profile_range_has(const struct profile *p, const struct profile_range *r, const struct profile_slice *s)
{
	uint64_t middle = profile_slice_middle(p, s);

	return middle >= r->from && middle < r->to;
}

uint64_t profile_sliced_until(const struct profile *p)
{
	uint64_t until = 0;

	for (size_t i = 0; i < p->nslices; i++) {
		uint64_t end = slice_end(p, &p->slices[i]);

		until = end > until ? end : until;
	}
	return until;
}

/* Forget the times of all, and what is not known by time. */
static void times_clear(struct profile *p)
{
	for (uint32_t i = 0; i < p->ncontexts; i++)
		p->contexts[i].time = p->contexts[i].ticks = 0;
	for (size_t i = 0; i < p->nshares; i++)
		p->shares[i].time = p->shares[i].ticks = 0;
	for (size_t i = 0; i < p->nsites; i++)
		p->sites[i].self = p->sites[i].children = 0;
	for (uint32_t i = 0; i < p->nthreads; i++) {
		struct amon_thread *t = &p->threads[i].record;

		t->unplaced = t->monitor = t->ticks = t->monitor_ticks = 0;
		t->cpu_last = t->cpu_first;
	}
	if (p->nvalues)				/* nor are the weights of samples known by time */
		p->values[0].flags &= ~(uint32_t)AMON_VALUE_WEIGHED;
	for (uint32_t i = 0; i < p->nruns; i++)
		p->runs[i].header.cpu_user = p->runs[i].header.cpu_system = 0;
	p->time = p->monitor = p->unplaced = 0;
	p->npcs = 0;
}

static void slice_count(struct profile *p, const struct profile_slice *s, struct profile_share *share)
{
	struct profile_thread *t = &p->threads[s->thread];

	add_capped(&t->record.ticks, s->ticks);
	if (p->runs[t->run].header.clock == AMON_CLOCK_TICK)
		add_capped(&t->record.cpu_last, s->time);
	if (s->context == PROFILE_NONE) {
		add_capped(&t->record.monitor, s->time);
		add_capped(&t->record.monitor_ticks, s->ticks);
		add_capped(&p->monitor, s->time);
		return;
	}
	add_capped(&share->time, s->time);
	add_capped(&share->ticks, s->ticks);
	add_capped(&p->contexts[s->context].time, s->time);
	add_capped(&p->contexts[s->context].ticks, s->ticks);
	add_capped(&p->time, s->time);
}

void profile_take_range(struct profile *p, const struct profile_range *r)
{
	double before = (double)p->time + (double)p->monitor;
	size_t share = 0;

	times_clear(p);
	for (size_t i = 0; i < p->nslices; i++) {
		const struct profile_slice *s = &p->slices[i];

		while (s->context != PROFILE_NONE && (p->shares[share].thread != s->thread || p->shares[share].context != s->context))
			share++;
		if (profile_range_has(p, r, s))
			slice_count(p, s, &p->shares[share]);
	}
	for (uint32_t i = 0; before > 0 && i < p->nruns; i++)	/* when it was is not known */
		p->runs[i].header.unsure = (uint64_t)((double)p->runs[i].header.unsure * fmin(((double)p->time + (double)p->monitor) / before, 1));
}

/* ---- in the file ---- */

/* As many as there are slices from the writer's on, of the thread at hand. */
static size_t slices_of(const struct writer *w, uint32_t thread)
{
	size_t end = w->slice;

	while (end < w->p->nslices && w->p->slices[end].thread == thread)
		end++;
	return end - w->slice;
}

/* The thread's slices as a hash table, as the monitor leaves one.  A file that is written has no phases. */
bool write_slices(struct writer *w, uint32_t thread)
{
	size_t n = slices_of(w, thread), slots = SLICE_FIRST, at;

	if (n == 0)
		return true;
	while (slots / 4 * 3 < n)
		slots *= 2;
	if (!writer_chunk(w, AMON_SLICES, thread, NULL, slots, sizeof(struct amon_slice), &at))
		return false;
	writer_set_base(w, at, w->p->threads[thread].level, 0);
	writer_set_count(w, at, 0);
	for (size_t end = w->slice + n; w->slice < end; w->slice++) {
		const struct profile_slice *s = &w->p->slices[w->slice];
		uint32_t item = s->context == PROFILE_NONE ? AMON_NONE : w->item_of[s->context];
		struct amon_chunk *c = (struct amon_chunk *)(w->data + at) - 1;

		slice_charge(c, (uint32_t)slots, s->interval, item, 0, s->time, s->ticks);
	}
	return true;
}

static bool has_origins(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct amon_origin *o = &p->threads[i].origin;
		const struct amon_header *h = &p->runs[p->threads[i].run].header;

		if (o->start_realtime && (o->start_realtime != h->start_realtime || o->pid != h->pid || o->rank != AMON_NONE))
			return true;
	}
	return false;
}

bool write_origins(struct writer *w)
{
	size_t at;

	if (!has_origins(w->p))
		return true;
	if (!writer_chunk(w, AMON_ORIGINS, AMON_NONE, NULL, w->p->nthreads, sizeof(struct amon_origin), &at))
		return false;
	for (uint32_t i = 0; i < w->p->nthreads; i++)
		memcpy(w->data + at + i * sizeof(struct amon_origin), &w->p->threads[i].origin, sizeof(struct amon_origin));
	return true;
}
