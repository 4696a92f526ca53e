/* from_gperf.c - gperftools' CPU profile, as its "Google CPU profiler binary data file format" has it: words of the machine's size, then the map as text.
 *
 *     0  3  0  PERIOD  0                     words of the head that follow, version, microseconds between samples
 *     COUNT  N  PC  PC ...                   a stack, the running function first: the others are where calls return to
 *     0  1  0                                the end
 *     00400000-00401000 r-xp 00000000 fe:01 13 /bin/prog
 *
 * What `google-pprof --raw` makes of one, or of a heap, has names before it, of addresses of which all are in what they are of, and as a rule no end and no map:
 *
 *     --- symbol
 *     binary=/bin/prog
 *     0x0000000000401136 main--inlined       the outermost first
 *     ---
 *     --- profile                            and the words; the period is 1 where it does not say what its numbers are */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/mapped_code.h"

enum { HEAD_WORDS = 5, MOST_FRAMES = 1 << 16 };

#define SYMBOL "--- symbol"

/* What the file calls an address. */
struct gperf_name {
	uint64_t address;
	const char *text;
	size_t n;			/* bytes of it */
};

struct gperf_names {
	struct gperf_name *all;		/* by address */
	uint32_t n;
	size_t room;
	char *text;			/* room for one */
	size_t text_room;
};

/* How words stand in the file. */
struct gperf_words {
	const unsigned char *data;
	size_t len;			/* bytes */
	size_t size;			/* of a word: 4 or 8 */
	bool big;			/* its first byte is the highest */
};

/* Word I; 0 behind the end. */
static uint64_t gperf_word(const struct gperf_words *w, size_t i)
{
	uint64_t word = 0;

	if (i >= w->len / w->size)
		return 0;
	for (size_t k = 0; k < w->size; k++)
		word = word << 8 | w->data[i * w->size + (w->big ? k : w->size - 1 - k)];
	return word;
}

/* Whether the N bytes at DATA begin as such a profile does, with some words. */
static bool gperf_words_find(struct gperf_words *w, const void *data, size_t n)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		uint64_t period;

		*w = (struct gperf_words){ data, n, kind & 1 ? 4 : 8, kind & 2 };
		period = gperf_word(w, 3);
		if (n >= (HEAD_WORDS + 3) * w->size && gperf_word(w, 0) == 0 && gperf_word(w, 1) == 3 && gperf_word(w, 2) == 0 && period > 0 &&
		    period < UINT32_MAX && gperf_word(w, 4) == 0)
			return true;
	}
	return false;
}

static size_t gperf_reads(const char *head, size_t n, bool whole)
{
	struct gperf_words w;

	(void)whole;
	return gperf_words_find(&w, head, n) || (n >= sizeof SYMBOL - 1 && memcmp(head, SYMBOL, sizeof SYMBOL - 1) == 0) ? n : 0;
}

/* ---- names ---- */

static int gperf_by_address(const void *left, const void *right)
{
	const struct gperf_name *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* A line `0x401136 main`, of N bytes: false: out of memory. */
static bool gperf_name_take(struct gperf_names *s, const char *line, size_t n)
{
	const char *end = line + n, *at = line + 2;
	struct gperf_name name = { 0 };

	for (; at < end && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f')); at++)
		name.address = name.address << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	name.text = at;
	name.n = (size_t)(end - at);
	if (!name.n)
		return true;
	if (!array_grow(&s->all, &s->room, s->n, sizeof *s->all))
		return false;
	s->all[s->n++] = name;
	return true;
}

/* The names that R's file begins with, if it does; *AT is where the profile itself begins. */
static bool gperf_names_read(struct reading *r, struct gperf_names *s, size_t *at)
{
	struct lines l = { .data = (const char *)r->data, .len = r->len };
	bool begun = false;

	*at = 0;
	if (r->len < sizeof SYMBOL - 1 || memcmp(r->data, SYMBOL, sizeof SYMBOL - 1) != 0)
		return true;
	while (lines_next(&l) && !(begun && l.n >= 3 && memcmp(l.line, "---", 3) == 0)) {
		begun = true;
		if (l.n > 2 && memcmp(l.line, "0x", 2) == 0 && !gperf_name_take(s, l.line, l.n))
			return reading_no_memory(r);
	}
	if (!lines_next(&l) || l.n < 7 || memcmp(l.line, "--- ", 4) != 0)
		return reading_wrong(r, l.at, "its names are followed by no profile");
	*at = l.next < r->len ? l.next : r->len;
	if (s->n)
		qsort(s->all, s->n, sizeof *s->all, gperf_by_address);
	return true;
}

/* Put what ADDRESS is called on S, innermost first.  False: out of memory. */
static bool gperf_name_push(struct reading *r, struct gperf_names *names, struct stack *s, uint64_t address)
{
	const struct gperf_name wanted = { .address = address }, *found = names->n ? bsearch(&wanted, names->all, names->n, sizeof wanted, gperf_by_address) : NULL;
	char unknown[32];
	const char *name = found ? found->text : unknown, *end = name + (found ? found->n : (size_t)snprintf(unknown, sizeof unknown, "0x%" PRIx64, address));

	while (end > name) {
		const char *part = end, *known;

		while (part > name && !(end - part >= 2 && part[0] == '-' && part[1] == '-'))
			part--;
		if (!array_reserve(&names->text, &names->text_room, (size_t)(end - part) + 1, 1))
			return false;
		memcpy(names->text, part, (size_t)(end - part));
		names->text[end - part] = '\0';
		known = names->text + (part > name ? 2 : 0);
		if (*known && !stack_push(s, builder_function(r->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = known })))
			return false;
		end = part;
	}
	return true;
}

/* ---- stacks ---- */

/* One reading. */
struct gperf {
	struct reading *r;
	struct gperf_words w;
	struct gperf_names names;
	bool named;			/* the file begins with them */
	struct mapped_code code;	/* if not */
	size_t end, map;		/* words: behind the last stack, and where the map begins */
};

/* Find the end.  False with r->err set: the file is cut off. */
static bool gperf_end_find(struct gperf *g)
{
	const struct gperf_words *w = &g->w;
	size_t words = w->len / w->size, i = HEAD_WORDS;

	while (i + 2 < words) {
		uint64_t count = gperf_word(w, i), n = gperf_word(w, i + 1);

		if (count == 0 && n == 1 && gperf_word(w, i + 2) == 0)
			break;
		if (n == 0 || n > MOST_FRAMES || n > words - i - 2)
			return reading_wrong(g->r, i * w->size, n == 0 || n > MOST_FRAMES ? "a stack of no frames, or of too many" : "cut off in a stack");
		i += 2 + (size_t)n;
	}
	g->end = i;
	g->map = i + 3 < words ? i + 3 : words;
	return i + 2 < words || (g->named && i == words && w->len % w->size == 0) || reading_wrong(g->r, w->len, "cut off: it has no end, and so no map of the process");
}

/* The stack at word I, of N frames.  The signal's handler may have the running function twice, as the first frame that it unwinds. */
static bool gperf_stack_take(struct gperf *g, struct stack *s, size_t i, uint64_t n)
{
	uint64_t leaf = gperf_word(&g->w, i);

	s->n = 0;
	for (uint64_t k = 0; k < n; k++) {
		uint64_t pc = gperf_word(&g->w, i + (size_t)k);

		if (k == 1 && pc == leaf && !g->named)
			continue;
		if (g->named ? !gperf_name_push(g->r, &g->names, s, pc) && !reading_no_memory(g->r) : !mapped_code_push(&g->code, s, pc, k > 0))
			return false;
	}
	stack_turn(s);
	return true;
}

static bool gperf_stacks_read(struct gperf *g)
{
	struct builder *d = g->r->builder;
	uint32_t thread = builder_thread(d, builder_process(d, 0, 0, NULL, 0), 0, NULL);
	bool timed = !g->named || gperf_word(&g->w, 3) > 1;
	uint64_t period = timed ? gperf_word(&g->w, 3) * 1000 : 1;
	struct stack stack = { 0 };
	bool ok = thread != BUILDER_NONE || reading_no_memory(g->r);

	builder_value(d, timed ? "cpu" : "samples", timed ? "ns" : "count", true);
	if (!timed)
		reading_note(g->r, "note: %.100s: it does not say what its numbers are: samples, or what else of a profile google-pprof --raw was asked for", g->r->label);
	for (size_t i = HEAD_WORDS; ok && i < g->end;) {
		uint64_t count = gperf_word(&g->w, i), n = gperf_word(&g->w, i + 1), amount;

		if (__builtin_mul_overflow(count, period, &amount))
			ok = reading_wrong(g->r, i * g->w.size, "a stack that was met too often");
		ok = ok && gperf_stack_take(g, &stack, i + 2, n);
		if (ok)
			builder_add(d, &(struct builder_sample){ .thread = thread, .functions = stack.functions, .n = stack.n, .amounts = &amount, .ticks = timed ? count : 0 });
		i += 2 + (size_t)n;
	}
	free(stack.functions);
	return ok;
}

static bool gperf_read(struct reading *r)
{
	struct gperf g = { .r = r };
	size_t at;
	bool ok = gperf_names_read(r, &g.names, &at);

	g.named = at > 0;
	if (ok && !gperf_words_find(&g.w, r->data + at, r->len - at))
		ok = reading_wrong(r, at, "its names are followed by no CPU profile, as google-pprof --raw writes one");
	ok = ok && gperf_end_find(&g) && (g.named || mapped_code_read(&g.code, r, (const char *)g.w.data + g.map * g.w.size, g.w.len - g.map * g.w.size)) && gperf_stacks_read(&g);
	if (!g.named)
		mapped_code_free(&g.code);
	free(g.names.all);
	free(g.names.text);
	return ok;
}

const struct import_format import_gperf = { "gperftools' CPU profile", gperf_reads, false, gperf_read };
