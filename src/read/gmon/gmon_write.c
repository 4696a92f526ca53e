/* gmon_write.c - writes gmon.out: sums that GNU gprof reads. */
#include "read/gmon/gmon.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"

enum { HEADER = 20, DIMENSION = 15, BIN_MOST = UINT16_MAX };

struct writer {
	const struct gmon *g;	/* what is written */
	unsigned char *data;	/* the file so far */
	size_t len, room;	/* its bytes, and for how many there is room */
	bool ok;		/* memory was never short */
};

static void bytes_put(struct writer *w, const void *bytes, size_t n)
{
	w->ok = w->ok && array_reserve(&w->data, &w->room, w->len + n, 1);
	if (w->ok)
		memcpy(w->data + w->len, bytes, n);
	w->len += n;
}

static void number_put(struct writer *w, uint64_t x, unsigned size)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[w->g->layout.big ? size - 1 - i : i] = (unsigned char)(x >> 8 * i);
	bytes_put(w, bytes, size);
}

static void address_put(struct writer *w, uint64_t x)
{
	number_put(w, x, w->g->layout.word);
}

/* The part of COUNT that record number ROUND of its histogram has. */
static uint32_t bin_part(uint32_t count, uint32_t round)
{
	uint64_t before = (uint64_t)round * BIN_MOST;

	return count <= before ? 0 : count - before > BIN_MOST ? BIN_MOST : (uint32_t)(count - before);
}

/* One record; returns whether a bin has more than records up to ROUND hold. */
static bool histogram_put(struct writer *w, const struct gmon_histogram *h, uint32_t round)
{
	bool more = false;

	number_put(w, 0, 1);
	address_put(w, h->low);
	address_put(w, h->high);
	number_put(w, h->nbins, 4);
	number_put(w, w->g->rate, 4);
	bytes_put(w, w->g->dimension, DIMENSION);
	number_put(w, (unsigned char)w->g->abbreviation, 1);
	for (uint32_t i = 0; i < h->nbins && w->ok; i++) {
		number_put(w, bin_part(h->bins[i], round), 2);
		more |= bin_part(h->bins[i], round + 1) > 0;
	}
	return more;
}

static void gmon_write_arc_put(struct writer *w, const struct gmon_arc *arc)
{
	for (uint64_t left = arc->count; left > 0 || left == arc->count;) {
		uint64_t part = left > UINT32_MAX ? UINT32_MAX : left;

		number_put(w, 1, 1);
		address_put(w, arc->from);
		address_put(w, arc->self);
		number_put(w, part, 4);
		left -= part;
		if (left == 0)
			return;
	}
}

/* An index of sums[], by the pair of addresses. */
struct sums {
	struct gmon_arc *sums;	/* each pair once, in the order of first sight */
	size_t n, room;		/* how many, and for how many there is room */
	struct table table;	/* where they are */
};

static uint64_t pair_key(uint64_t from, uint64_t self)
{
	return hash_mix(hash_mix(1, from), self);
}

static uint64_t sum_hash(const void *owner, uint32_t i)
{
	const struct sums *s = owner;

	return pair_key(s->sums[i].from, s->sums[i].self);
}

static bool gmon_write_sum_add(struct sums *s, uint64_t from, uint64_t self, uint64_t count)
{
	uint64_t key = pair_key(from, self);
	uint32_t found;

	if (!array_reserve(&s->sums, &s->room, s->n + 1, sizeof *s->sums) || s->n >= UINT32_MAX - 1
	    || !table_reserve(&s->table, s->n + 1, sum_hash, s))
		return false;
	for (uint64_t i = key; (found = table_next(&s->table, &i)) != UINT32_MAX;)
		if (s->sums[found].from == from && s->sums[found].self == self) {
			s->sums[found].count += count;
			return true;
		}
	s->sums[s->n] = (struct gmon_arc){ from, self, count };
	table_add(&s->table, key, (uint32_t)s->n++);
	return true;
}

static void gmon_write_sums_free(struct sums *s)
{
	free(s->sums);
	table_free(&s->table);
}

static void gmon_write_arcs_put(struct writer *w)
{
	struct sums s = { 0 };

	for (size_t i = 0; w->ok && i < w->g->narcs; i++)
		w->ok = gmon_write_sum_add(&s, w->g->arcs[i].from, w->g->arcs[i].self, w->g->arcs[i].count);
	for (size_t i = 0; w->ok && i < s.n; i++)
		gmon_write_arc_put(w, &s.sums[i]);
	gmon_write_sums_free(&s);
}

static void blocks_put(struct writer *w)
{
	struct sums s = { 0 };

	for (size_t i = 0; w->ok && i < w->g->nblocks; i++)
		w->ok = gmon_write_sum_add(&s, w->g->blocks[i].address, 0, w->g->blocks[i].count);
	number_put(w, 2, 1);
	number_put(w, s.n, 4);
	for (size_t i = 0; w->ok && i < s.n; i++) {
		address_put(w, s.sums[i].from);
		address_put(w, s.sums[i].count);
	}
	gmon_write_sums_free(&s);
}

void *gmon_write(const struct gmon *g, size_t *len, struct error *err)
{
	struct writer w = { .g = g, .ok = true };
	static const char spare[HEADER - 8];

	bytes_put(&w, GMON_MAGIC, 4);
	number_put(&w, 1, 4);
	bytes_put(&w, spare, sizeof spare);
	for (size_t i = 0; i < g->nhistograms && w.ok; i++)
		for (uint32_t round = 0; histogram_put(&w, &g->histograms[i], round) && w.ok; round++)
			;
	gmon_write_arcs_put(&w);
	if (g->has_blocks)
		blocks_put(&w);
	*len = w.len;
	if (w.ok)
		return w.data;
	free(w.data);
	error_no_memory(err, "the sum was written");
	return NULL;
}
