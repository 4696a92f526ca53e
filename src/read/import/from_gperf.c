/* from_gperf.c - gperftools' CPU profile, as its "Google CPU profiler binary data file format" has it: words of the machine's size, then the map as text.
 *
 *     0  3  0  PERIOD  0                     words of the head that follow, version, microseconds between samples
 *     COUNT  N  PC  PC ...                   a stack, the running function first: the others are where calls return to
 *     0  1  0                                the end
 *     00400000-00401000 r-xp 00000000 fe:01 13 /bin/prog */
#include <stdlib.h>
#include <string.h>

#include "read/import/mapped_code.h"

enum { HEAD_WORDS = 5, MOST_FRAMES = 1 << 16 };

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
	return gperf_words_find(&w, head, n) ? n : 0;
}

/* The word behind the last stack, 0 if the file is cut off there: *AT is where. */
static size_t gperf_end(struct reading *r, const struct gperf_words *w)
{
	size_t words = w->len / w->size, i = HEAD_WORDS;

	while (i + 2 < words) {
		uint64_t count = gperf_word(w, i), n = gperf_word(w, i + 1);

		if (count == 0 && n == 1 && gperf_word(w, i + 2) == 0)
			return i + 3;
		if (n == 0 || n > MOST_FRAMES || n > words - i - 2) {
			reading_wrong(r, i * w->size, n == 0 || n > MOST_FRAMES ? "a stack of no frames, or of too many" : "cut off in a stack");
			return 0;
		}
		i += 2 + (size_t)n;
	}
	reading_wrong(r, w->len, "cut off: it has no end, and so no map of the process");
	return 0;
}

/* The stack at word I, of N frames.  The signal's handler may have the running function twice, as the first frame that it unwinds. */
static bool gperf_stack_take(struct mapped_code *m, struct stack *s, const struct gperf_words *w, size_t i, uint64_t n)
{
	uint64_t leaf = gperf_word(w, i);

	s->n = 0;
	for (uint64_t k = 0; k < n; k++) {
		uint64_t pc = gperf_word(w, i + (size_t)k);

		if (k == 1 && pc == leaf)
			continue;
		if (!mapped_code_push(m, s, pc, k > 0))
			return false;
	}
	stack_turn(s);
	return true;
}

static bool gperf_stacks_read(struct reading *r, struct mapped_code *m, const struct gperf_words *w, size_t end)
{
	uint32_t thread = builder_thread(r->builder, builder_process(r->builder, 0, 0, NULL, 0), 0, NULL);
	uint64_t period = gperf_word(w, 3) * 1000;
	struct stack stack = { 0 };
	bool ok = thread != BUILDER_NONE || reading_no_memory(r);

	builder_value(r->builder, "cpu", "ns", true);
	for (size_t i = HEAD_WORDS; ok && i < end - 3;) {
		uint64_t count = gperf_word(w, i), n = gperf_word(w, i + 1), amount;

		if (__builtin_mul_overflow(count, period, &amount))
			ok = reading_wrong(r, i * w->size, "a stack that was met too often");
		ok = ok && gperf_stack_take(m, &stack, w, i + 2, n);
		if (ok)
			builder_add(r->builder, &(struct builder_sample){ .thread = thread, .functions = stack.functions, .n = stack.n, .amounts = &amount, .ticks = count });
		i += 2 + (size_t)n;
	}
	free(stack.functions);
	return ok;
}

static bool gperf_read(struct reading *r)
{
	struct mapped_code m = { 0 };
	struct gperf_words w;
	size_t end;
	bool ok;

	gperf_words_find(&w, r->data, r->len);
	end = gperf_end(r, &w);
	ok = end && mapped_code_read(&m, r, (const char *)r->data + end * w.size, r->len - end * w.size) && gperf_stacks_read(r, &m, &w, end);
	mapped_code_free(&m);
	return ok;
}

const struct import_format import_gperf = { "gperftools' CPU profile", gperf_reads, false, gperf_read };
