/* gmon.c - reads gmon.out.
 *
 * A cursor goes over the bytes and never past their end; whatever it hands out was there.  Counts that a file gives are
 * held against the bytes that are left before anything is allocated. */
#include "read/gmon/gmon.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { TAG_HISTOGRAM, TAG_ARC, TAG_BLOCKS };		/* the byte before a record */
enum { HEADER = 20, VERSION_AT = 4, VERSION = 1 };	/* bytes; where; the newest */
enum { DIMENSION = 15 };				/* bytes */
enum { FILES, HISTOGRAMS, ARCS, BLOCKS };		/* indices of room[] */
enum { BSD_VERSION = 0x00051879, BSD_RATE = 100 };	/* mark of 4.4BSD's header; rate where there is none */
static const uint64_t BSD_MOST = UINT64_C(1) << 40;	/* calls on an arc; each record of a sum holds 2^32 */
enum { UNIT = 2 };					/* bytes: gprof counts addresses by the size of a bin's counter */

struct cursor {
	struct gmon *g;			/* what is filled */
	const unsigned char *data;	/* the file */
	size_t len;			/* its size */
	size_t at;			/* bytes consumed */
	const char *label;		/* its name */
	struct error *err;
};

void gmon_init(struct gmon *g, struct gmon_layout layout)
{
	*g = (struct gmon){ .layout = layout, .dimension = "seconds", .abbreviation = 's' };
}

void gmon_free(struct gmon *g)
{
	for (size_t i = 0; i < g->nfiles; i++)
		free(g->files[i].label);
	for (size_t i = 0; i < g->nhistograms; i++)
		free(g->histograms[i].bins);
	free(g->files);
	free(g->histograms);
	free(g->arcs);
	free(g->blocks);
	*g = (struct gmon){ 0 };
}

static bool gmon_no_memory(struct cursor *c)
{
	return error_set(c->err, ERROR_MEMORY, ERROR_NO_OFFSET, "%s: out of memory while it was read", c->label);
}

static bool cut_off(struct cursor *c, const char *what)
{
	return error_set(c->err, ERROR_CORRUPT, c->at, "%s: the file ends at byte %zu within %s", c->label, c->len, what);
}

static bool gmon_corrupt(struct cursor *c, size_t at, const char *text)
{
	return error_set(c->err, ERROR_CORRUPT, at, "%s: at byte %zu: %s", c->label, at, text);
}

static bool mismatch(struct cursor *c, const char *text)
{
	return error_set(c->err, ERROR_MISMATCH, c->at, "%s: %s", c->label, text);
}

static bool gmon_has(const struct cursor *c, uint64_t bytes)
{
	return bytes <= c->len - c->at;
}

/* The number in the SIZE bytes at P. */
static uint64_t gmon_number(const unsigned char *p, unsigned size, bool big)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < size; i++)
		x = x << 8 | p[big ? i : size - 1 - i];
	return x;
}

/* The next SIZE bytes as a number; they are there. */
static uint64_t gmon_take(struct cursor *c, unsigned size)
{
	uint64_t x = gmon_number(c->data + c->at, size, c->g->layout.big);

	c->at += size;
	return x;
}

static uint64_t take_address(struct cursor *c)
{
	return gmon_take(c, c->g->layout.word);
}

/* The histogram of the very range of H, or NULL. */
static struct gmon_histogram *same_range(struct gmon *g, const struct gmon_histogram *h)
{
	for (size_t i = 0; i < g->nhistograms; i++)
		if (g->histograms[i].low == h->low && g->histograms[i].high == h->high)
			return &g->histograms[i];
	return NULL;
}

static bool gmon_overlaps(const struct gmon *g, const struct gmon_histogram *h)
{
	for (size_t i = 0; i < g->nhistograms; i++)
		if (h->low < g->histograms[i].high && g->histograms[i].low < h->high)
			return true;
	return false;
}

/* The histogram for the range of H, with bins of zero if it is new; NULL with the error set. */
static struct gmon_histogram *histogram_at(struct cursor *c, const struct gmon_histogram *h)
{
	struct gmon *g = c->g;
	struct gmon_histogram *found = same_range(g, h);

	if (found) {
		if (found->nbins == h->nbins)
			return found;
		mismatch(c, "its histogram has another number of bins than the one before for the same addresses");
		return NULL;
	}
	if (gmon_overlaps(g, h)) {
		mismatch(c, "its histogram covers a part of the addresses of another one; they cannot be added up");
		return NULL;
	}
	if (g->nhistograms == GMON_HISTOGRAMS) {
		gmon_corrupt(c, c->at, "more histograms than a program can have");
		return NULL;
	}
	if (!array_reserve(&g->histograms, &g->room[HISTOGRAMS], g->nhistograms + 1, sizeof *g->histograms)) {
		gmon_no_memory(c);
		return NULL;
	}
	found = &g->histograms[g->nhistograms];
	*found = *h;
	found->bins = calloc((size_t)h->nbins + 1, sizeof *found->bins);
	if (!found->bins) {
		gmon_no_memory(c);
		return NULL;
	}
	g->nhistograms++;
	return found;
}

/* What all histograms must have in common. */
static bool dimension_check(struct cursor *c, const char *dimension, char abbreviation, uint32_t rate, double scale)
{
	struct gmon *g = c->g;

	if (g->rate == 0) {
		memset(g->dimension, 0, sizeof g->dimension);
		memcpy(g->dimension, dimension, strnlen(dimension, DIMENSION));
		g->abbreviation = abbreviation;
		g->rate = rate;
		g->scale = scale;
	}
	if (strncmp(g->dimension, dimension, DIMENSION) != 0 || g->abbreviation != abbreviation)
		return mismatch(c, "its histogram measures something else than the one before");
	return fabs(g->scale - scale) <= 0.000001 || mismatch(c, "its histogram has bins of another size than the one before");
}

/* The NBINS counters that follow are H's. */
static bool bins_add(struct cursor *c, const struct gmon_histogram *h)
{
	struct gmon_histogram *to = histogram_at(c, h);

	if (!to)
		return false;
	for (uint32_t i = 0; i < h->nbins; i++) {
		uint32_t count = (uint32_t)gmon_take(c, UNIT);

		to->bins[i] = to->bins[i] > UINT32_MAX - count ? UINT32_MAX : to->bins[i] + count;
	}
	return true;
}

static bool histogram_read(struct cursor *c)
{
	size_t start = c->at;
	struct gmon_histogram h = { 0 };
	char dimension[DIMENSION + 1] = "", abbreviation;
	uint32_t rate;

	if (!gmon_has(c, 2 * c->g->layout.word + 8 + DIMENSION + 1))
		return cut_off(c, "the head of a histogram");
	h.low = take_address(c);
	h.high = take_address(c);
	h.nbins = (uint32_t)gmon_take(c, 4);
	rate = (uint32_t)gmon_take(c, 4);
	memcpy(dimension, c->data + c->at, DIMENSION);
	abbreviation = (char)c->data[c->at + DIMENSION];
	c->at += DIMENSION + 1;
	c->g->has_histogram = true;
	if (h.high < h.low)
		return gmon_corrupt(c, start, "a histogram ends before it begins");
	if (!gmon_has(c, (uint64_t)h.nbins * UNIT))
		return cut_off(c, "the bins of a histogram");
	if (h.nbins == 0)
		return true;
	if (h.high - h.low < UNIT)
		return gmon_corrupt(c, start, "a histogram of no addresses");
	if (rate == 0)
		return gmon_corrupt(c, start, "a histogram of no samples a second");
	return dimension_check(c, dimension, abbreviation, rate, (double)((h.high - h.low) / UNIT) / h.nbins)
		&& bins_add(c, &h);
}

static bool gmon_arc_add(struct cursor *c, uint64_t from, uint64_t self, uint64_t count)
{
	struct gmon *g = c->g;

	if (!array_reserve(&g->arcs, &g->room[ARCS], g->narcs + 1, sizeof *g->arcs))
		return gmon_no_memory(c);
	g->arcs[g->narcs++] = (struct gmon_arc){ from, self, count };
	g->has_arcs = true;
	return true;
}

static bool arc_read(struct cursor *c)
{
	uint64_t from, self;

	if (!gmon_has(c, 2 * c->g->layout.word + 4))
		return cut_off(c, "an arc");
	from = take_address(c);
	self = take_address(c);
	return gmon_arc_add(c, from, self, gmon_take(c, 4));
}

static bool block_add(struct cursor *c, uint64_t address, uint64_t count)
{
	struct gmon *g = c->g;

	if (!array_reserve(&g->blocks, &g->room[BLOCKS], g->nblocks + 1, sizeof *g->blocks))
		return gmon_no_memory(c);
	g->blocks[g->nblocks++] = (struct gmon_block){ address, count };
	return true;
}

static bool string_skip(struct cursor *c)
{
	const unsigned char *end = memchr(c->data + c->at, '\0', c->len - c->at);

	if (!end)
		return cut_off(c, "a name");
	c->at = (size_t)(end + 1 - c->data);
	return true;
}

/* A block as version 0 has it: count, address, two names and a line. */
static bool block_read_old(struct cursor *c)
{
	uint64_t count, address;

	if (!gmon_has(c, 2 * c->g->layout.word))
		return cut_off(c, "a basic block");
	count = take_address(c);
	address = take_address(c);
	if (!string_skip(c) || !string_skip(c))
		return false;
	if (!gmon_has(c, 4))
		return cut_off(c, "a basic block");
	c->at += 4;
	return block_add(c, address, count);
}

static bool block_read(struct cursor *c)
{
	uint64_t address;

	if (!gmon_has(c, 2 * c->g->layout.word))
		return cut_off(c, "a basic block");
	address = take_address(c);
	return block_add(c, address, take_address(c));
}

static bool blocks_read(struct cursor *c, uint32_t version)
{
	uint32_t n;

	if (!gmon_has(c, 4))
		return cut_off(c, "the head of basic blocks");
	n = (uint32_t)gmon_take(c, 4);
	c->g->has_blocks = true;
	if (version == 0 && !string_skip(c))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!(version == 0 ? block_read_old : block_read)(c))
			return false;
	return true;
}

static bool gmon_record_read(struct cursor *c, struct gmon_file *file)
{
	char text[80];

	switch (c->data[c->at++]) {
	case TAG_HISTOGRAM:
		file->histograms++;
		return histogram_read(c);
	case TAG_ARC:
		file->arcs++;
		return arc_read(c);
	case TAG_BLOCKS:
		file->blocks++;
		return blocks_read(c, file->version);
	default:
		snprintf(text, sizeof text, "a record of unknown kind %u: not a gmon.out of this program, or damaged",
			 c->data[c->at - 1]);
		return gmon_corrupt(c, c->at - 1, text);
	}
}

static bool records_read(struct cursor *c, struct gmon_file *file)
{
	if (c->len < HEADER)
		return cut_off(c, "the header");
	file->version = (uint32_t)gmon_number(c->data + VERSION_AT, 4, c->g->layout.big);
	if (file->version > VERSION)
		return error_set(c->err, ERROR_VERSION, VERSION_AT,
			"%s: version %" PRIu32 " of gmon.out, or of a machine with another byte order than the program's", c->label,
			file->version);
	c->at = HEADER;
	while (c->at < c->len)
		if (!gmon_record_read(c, file))
			return false;
	return true;
}

/* BSD's header: addresses, size of the histogram with the header, then, in 4.4BSD's, a version and the rate. */
struct bsd_header {
	struct gmon_histogram histogram; /* without its bins */
	uint32_t rate;		/* samples a second */
	size_t size;		/* bytes of the header */
	bool rated;		/* 4.4BSD's: the rate is in it */
};

static size_t bsd_size(struct gmon_layout layout, bool rated)
{
	return rated ? 2 * layout.word + 24 : layout.word == 8 ? 24 : 12;
}

/* False: the numbers cannot be a header with LEN bytes in the file. */
static bool bsd_header_read(struct bsd_header *h, const unsigned char *data, size_t len, struct gmon_layout layout)
{
	unsigned word = layout.word;
	uint64_t bytes;

	*h = (struct bsd_header){ .rate = BSD_RATE };
	if (len < bsd_size(layout, false))
		return false;
	h->histogram.low = gmon_number(data, word, layout.big);
	h->histogram.high = gmon_number(data + word, word, layout.big);
	bytes = gmon_number(data + 2 * word, 4, layout.big);
	h->rated = len >= bsd_size(layout, true) && gmon_number(data + 2 * word + 4, 4, layout.big) == BSD_VERSION;
	if (h->rated)
		h->rate = (uint32_t)gmon_number(data + 2 * word + 8, 4, layout.big);
	h->size = bsd_size(layout, h->rated);
	if (bytes < h->size || bytes > len || h->rate == 0 || h->histogram.low >= h->histogram.high
	    || h->histogram.high - h->histogram.low < UNIT)
		return false;
	h->histogram.nbins = (uint32_t)((bytes - h->size) / UNIT);
	return h->histogram.nbins > 0;
}

static size_t bsd_arc_size(struct gmon_layout layout)
{
	return 3 * layout.word;
}

bool gmon_is_bsd(const void *data, size_t len, struct gmon_layout layout)
{
	struct bsd_header h;

	return bsd_header_read(&h, data, len, layout)
		&& (len - h.size - h.histogram.nbins * (size_t)UNIT) % bsd_arc_size(layout) == 0;
}

static bool bsd_read(struct cursor *c, struct gmon_file *file, enum gmon_format format)
{
	struct gmon *g = c->g;
	struct bsd_header h;

	if (!bsd_header_read(&h, c->data, c->len, g->layout) || (format == GMON_BSD44 && !h.rated))
		return error_set(c->err, ERROR_CORRUPT, 0, "%s: does not begin as a gmon.out does, nor as BSD's", c->label);
	c->at = h.size;
	g->has_histogram = g->has_arcs = true;
	file->histograms++;
	if (!dimension_check(c, "seconds", 's', h.rate, (double)((h.histogram.high - h.histogram.low) / UNIT) / h.histogram.nbins)
	    || !bins_add(c, &h.histogram))
		return false;
	for (; gmon_has(c, bsd_arc_size(g->layout)); file->arcs++) {
		uint64_t from = take_address(c), self = take_address(c), count = take_address(c);

		if (count > BSD_MOST)
			return gmon_corrupt(c, c->at - g->layout.word, "an arc with more calls than a program can make: not BSD's gmon.out");
		if (!gmon_arc_add(c, from, self, count))
			return false;
	}
	return true;
}

bool gmon_read(struct gmon *g, const void *data, size_t len, enum gmon_format format, const char *label, struct error *err)
{
	struct cursor c = { .g = g, .data = data, .len = len, .label = label, .err = err };
	bool magic = len >= 4 && memcmp(data, GMON_MAGIC, 4) == 0;
	struct gmon_file *file;

	if (!array_reserve(&g->files, &g->room[FILES], g->nfiles + 1, sizeof *g->files))
		return gmon_no_memory(&c);
	file = &g->files[g->nfiles];
	*file = (struct gmon_file){ .label = strdup(label) };
	if (!file->label)
		return gmon_no_memory(&c);
	g->nfiles++;
	if (format == GMON_RECORDS || (format == GMON_AUTO && magic))
		return magic ? records_read(&c, file)
			: error_set(err, ERROR_CORRUPT, 0, "%s: does not begin as a gmon.out does", label);
	return bsd_read(&c, file, format);
}
