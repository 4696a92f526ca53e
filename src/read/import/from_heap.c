/* from_heap.c - profiles as text of addresses: heaps of gperftools, tcmalloc and jemalloc, and what Go prints for ?debug=1 (heap, allocs, goroutine, threadcreate,
 * block, mutex).
 *
 *     heap profile: 2: 3000 [5: 9000] @ heap/1048576      objects and bytes in use; in brackets all that were ever allocated; how it was sampled
 *     1: 1000 [2: 4000] @ 0x1000 0x2000                   the same of a stack, the innermost address first: all are where calls return to
 *     #	0x1000	main.grow+0x3f	/src/grow.go:12           what Go says of these
 *     MAPPED_LIBRARIES:                                   and then the map of the process
 *
 * A sample of N bytes is there with the chance 1 - exp(-N / RATE), by which it is divided, as pprof does it.  jemalloc's "heap_v2" has the stack first, and below it
 * a line of all threads ("t*:") and one of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/mapped_code.h"

enum { MOST_VALUES = 4 };

enum heap_kind { HEAP_NONE, HEAP_MEMORY, HEAP_NUMBERS, HEAP_CONTENTION };

/* What the first line says. */
struct heap_head {
	enum heap_kind kind;
	const char *what;		/* NUMBERS: what they are of */
	double rate;			/* bytes between samples; 0: nothing is to be scaled */
};

/* A line of a stack, taken apart. */
struct heap_record {
	uint64_t numbers[MOST_VALUES];	/* objects and bytes in use, objects and bytes ever allocated; or what else there is */
	const char *addresses;		/* behind the @; NULL: they stand in the line before */
};

/* One reading. */
struct heap {
	struct reading *r;
	struct mapped_code code;
	struct heap_head head;
	struct lines l;
	double cycles;			/* CONTENTION: in a second */
	double period;			/* CONTENTION: how many each stands for */
	uint32_t thread;
	struct stack addresses;		/* functions of the stack at hand, innermost first */
	struct stack named;		/* the same as Go names them */
	bool open;			/* a stack waits for its names */
	struct heap_record record;	/* it */
	bool has[2];			/* bytes in use; bytes ever allocated */
	size_t good;
	char *text;			/* room for a name and a file */
	size_t room;
};

/* ---- lines ---- */

static const char *heap_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* The number at *AT, which moves behind it and blanks. */
static bool heap_number(const char **at, const char *end, uint64_t *number)
{
	const char *in = *at;

	for (*number = 0; in < end && *in >= '0' && *in <= '9'; in++)
		if (__builtin_mul_overflow(*number, (uint64_t)10, number) || __builtin_add_overflow(*number, (uint64_t)(*in - '0'), number))
			return false;
	if (in == *at)
		return false;
	*at = heap_blanks(in, end);
	return true;
}

static bool heap_sign(const char **at, const char *end, char sign)
{
	if (*at == end || **at != sign)
		return false;
	*at = heap_blanks(*at + 1, end);
	return true;
}

/* `2: 3000 [5: 9000]` at *AT. */
static bool heap_counts(const char **at, const char *end, uint64_t numbers[MOST_VALUES])
{
	return heap_number(at, end, &numbers[0]) && heap_sign(at, end, ':') && heap_number(at, end, &numbers[1]) && heap_sign(at, end, '[') &&
		heap_number(at, end, &numbers[2]) && heap_sign(at, end, ':') && heap_number(at, end, &numbers[3]) && heap_sign(at, end, ']');
}

static bool heap_begins(const char *line, size_t n, const char *with) { return n >= strlen(with) && memcmp(line, with, strlen(with)) == 0; }

/* `heap profile: ... @ heap/1048576`: the rate by which it was sampled, as each of its writers means it. */
static bool heap_memory_head(const char *line, size_t n, struct heap_head *h)
{
	const char *end = line + n, *at = heap_blanks(line + strlen("heap profile:"), end), *slash;
	uint64_t ignored[MOST_VALUES], rate = 0;

	if (!heap_counts(&at, end, ignored) || !heap_sign(&at, end, '@'))
		return false;
	*h = (struct heap_head){ .kind = HEAP_MEMORY };
	slash = memchr(at, '/', (size_t)(end - at));
	if (slash) {
		const char *number = slash + 1;

		heap_number(&number, end, &rate);
	}
	if (heap_begins(at, (size_t)(end - at), "heap_v2") || heap_begins(at, (size_t)(end - at), "heapz_v2"))
		h->rate = (double)rate;
	else if (slash && heap_begins(at, (size_t)(slash - at), "heap") && slash - at == 4)
		h->rate = (double)(rate / 2);		/* Go's: twice the mean distance */
	return true;
}

/* The first line: what the file is. */
static bool heap_head_take(const char *line, size_t n, struct heap_head *h)
{
	static const char *const numbers[] = { "goroutine", "threadcreate" };

	*h = (struct heap_head){ .kind = HEAP_NONE };
	if (heap_begins(line, n, "heap profile:"))
		return heap_memory_head(line, n, h);
	if (heap_begins(line, n, "heap_v2/")) {
		const char *at = line + strlen("heap_v2/");
		uint64_t rate;

		*h = (struct heap_head){ .kind = HEAP_MEMORY, .rate = heap_number(&at, line + n, &rate) ? (double)rate : 0 };
		return true;
	}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (heap_begins(line, n, numbers[i]) && heap_begins(line + strlen(numbers[i]), n - strlen(numbers[i]), " profile: total ")) {
			*h = (struct heap_head){ .kind = HEAP_NUMBERS, .what = numbers[i] };
			return true;
		}
	if (heap_begins(line, n, "--- contention:") || heap_begins(line, n, "--- mutex:") || heap_begins(line, n, "--- contentionz"))
		h->kind = HEAP_CONTENTION;
	return h->kind != HEAP_NONE;
}

/* A line with the numbers of a stack, of a file with the head H; false: it is none. */
static bool heap_record_take(const char *line, size_t n, const struct heap_head *h, struct heap_record *r)
{
	const char *end = line + n, *at = heap_blanks(line, end);
	bool ok = false;

	*r = (struct heap_record){ .addresses = NULL };
	if (h->kind == HEAP_MEMORY && heap_begins(at, (size_t)(end - at), "t*:")) {
		at = heap_blanks(at + 3, end);
		return heap_counts(&at, end, r->numbers);
	}
	if (h->kind == HEAP_MEMORY)
		ok = heap_counts(&at, end, r->numbers);
	else if (h->kind == HEAP_NUMBERS)
		ok = heap_number(&at, end, &r->numbers[0]);
	else
		ok = heap_number(&at, end, &r->numbers[0]) && heap_number(&at, end, &r->numbers[1]);
	ok = ok && heap_sign(&at, end, '@');
	r->addresses = at;
	return ok;
}

/* The address at *AT, which moves behind it and blanks. */
static bool heap_address(const char **at, const char *end, uint64_t *address)
{
	const char *in = *at;

	if (end - in > 2 && in[0] == '0' && (in[1] | 32) == 'x')
		in += 2;
	for (*address = 0; in < end && ((*in >= '0' && *in <= '9') || ((*in | 32) >= 'a' && (*in | 32) <= 'f')); in++)
		*address = *address << 4 | (uint64_t)(*in <= '9' ? *in - '0' : (*in | 32) - 'a' + 10);
	if (in == *at || (in < end && *in != ' ' && *in != '\t'))
		return false;
	*at = heap_blanks(in, end);
	return true;
}

/* ---- stacks ---- */

static bool heap_addresses_read(struct heap *h, const char *at, const char *end)
{
	uint64_t address;

	for (h->addresses.n = 0; at < end && heap_address(&at, end, &address);)
		if (!mapped_code_push(&h->code, &h->addresses, address, true))
			return false;
	return true;
}

/* `#	0x1000	main.grow+0x3f	/src/grow.go:12`: what is at the next address of the stack at hand. */
static bool heap_named_read(struct heap *h)
{
	const char *end = h->l.line + h->l.n, *at = heap_blanks(h->l.line + 1, end), *name, *behind, *file, *colon;
	struct builder_function f = { .module = BUILDER_NONE };
	uint64_t ignored;
	size_t n;

	if (!heap_address(&at, end, &ignored) || at == end)
		return true;
	name = at;
	behind = memchr(at, '\t', (size_t)(end - at));
	behind = behind ? behind : end;
	file = heap_blanks(behind, end);
	colon = memrchr(file, ':', (size_t)(end - file));
	n = (size_t)(behind - name);
	for (size_t i = n; i-- > 0;)
		if (n - i > 3 && memcmp(name + i, "+0x", 3) == 0) {
			n = i;
			break;
		}
	if (!array_reserve(&h->text, &h->room, (size_t)(end - name) + 2, 1))
		return reading_no_memory(h->r);
	memcpy(h->text, name, n);
	h->text[n] = '\0';
	f.name = h->text;
	if (colon) {
		memcpy(h->text + n + 1, file, (size_t)(colon - file));
		h->text[n + 1 + (size_t)(colon - file)] = '\0';
		f.file = h->text + n + 1;
	}
	return stack_push(&h->named, builder_function(h->r->builder, &f)) || reading_no_memory(h->r);
}

/* What COUNT objects of BYTES that were sampled stand for: how many times as many. */
static double heap_scale(double rate, uint64_t count, uint64_t bytes)
{
	return rate <= 1 || !count || !bytes ? 1 : 1 / (1 - exp(-((double)bytes / (double)count) / rate));
}

static uint64_t heap_times(uint64_t number, double times) { return times == 1 ? number : (uint64_t)((double)number * times < 0x1p63 ? (double)number * times : 0x1p63); }

/* The amounts of a stack, value by value as they were declared. */
static void heap_amounts(const struct heap *h, uint64_t amounts[MOST_VALUES])
{
	const uint64_t *from = h->record.numbers;
	size_t n = 0;

	if (h->head.kind == HEAP_NUMBERS) {
		amounts[0] = from[0];
	} else if (h->head.kind == HEAP_CONTENTION) {
		amounts[0] = heap_times(from[0], h->period * 1e9 / h->cycles);
		amounts[1] = heap_times(from[1], h->period);
	}
	for (size_t i = 0; h->head.kind == HEAP_MEMORY && i < 2; i++)
		if (h->has[i]) {
			double times = heap_scale(h->head.rate, from[2 * i], from[2 * i + 1]);

			amounts[n++] = heap_times(from[2 * i + 1], times);
			amounts[n++] = heap_times(from[2 * i], times);
		}
}

/* How many samples of the first value the stack at hand stands for; 0: that is not known, or nothing was sampled. */
static uint64_t heap_samples(const struct heap *h)
{
	return h->head.kind == HEAP_MEMORY ? (h->head.rate > 1 ? h->record.numbers[h->has[0] ? 0 : 2] : 0) : h->head.kind == HEAP_CONTENTION ? h->record.numbers[1] : 0;
}

/* The stack at hand is whole.  Where Go named its functions, those that it left out are its runtime's. */
static bool heap_stack_end(struct heap *h)
{
	struct stack *s = h->named.n ? &h->named : &h->addresses;
	uint64_t amounts[MOST_VALUES] = { 0 };

	if (!h->open)
		return true;
	h->open = false;
	h->good++;
	heap_amounts(h, amounts);
	stack_turn(s);
	builder_add(h->r->builder, &(struct builder_sample){ .thread = h->thread, .functions = s->functions, .n = s->n, .amounts = amounts, .ticks = heap_samples(h) });
	h->named.n = h->addresses.n = 0;
	return true;
}

/* `cycles/second=1000` and the like. */
static bool heap_setting(struct heap *h)
{
	const char *end = h->l.line + h->l.n, *sign = memchr(h->l.line, '=', h->l.n), *at;
	uint64_t number;

	if (h->head.kind != HEAP_CONTENTION || !sign)
		return false;
	at = heap_blanks(sign + 1, end);
	if (!heap_number(&at, end, &number) || !number)
		return true;
	if (heap_begins(h->l.line, h->l.n, "cycles/second"))
		h->cycles = (double)number;
	else if (heap_begins(h->l.line, h->l.n, "sampling period"))
		h->period = (double)number;
	return true;
}

/* jemalloc's line of one thread; all of them together are in that before. */
static bool heap_is_of_thread(const char *line, size_t n)
{
	const char *at = heap_blanks(line, line + n);

	return heap_begins(at, (size_t)(line + n - at), "t");
}

static bool heap_line_read(struct heap *h)
{
	const char *line = h->l.line, *end = line + h->l.n;
	struct heap_record record;

	if (h->l.n == 0)
		return heap_stack_end(h);
	if (*line == '#')
		return !h->open || heap_named_read(h);
	if (*line == '@')
		return heap_stack_end(h) && heap_addresses_read(h, heap_blanks(line + 1, end), end);
	if (heap_record_take(line, h->l.n, &h->head, &record)) {
		if (!heap_stack_end(h) || (record.addresses && !heap_addresses_read(h, record.addresses, end)))
			return false;
		h->record = record;
		h->open = record.addresses || h->addresses.n;	/* jemalloc's first line is the sum of all */
		return true;
	}
	if (!heap_setting(h) && !heap_is_of_thread(line, h->l.n))
		reading_odd_line(h->r, &h->l);
	return heap_stack_end(h);
}

/* ---- the file ---- */

/* Whether LINE begins what follows the stacks: the map, or what Go says of its memory. */
static bool heap_is_end(const char *line, size_t n) { return heap_begins(line, n, "MAPPED_LIBRARIES:") || heap_begins(line, n, "--- Memory map: ---"); }

/* Where the map begins, and which values are there at all. */
static size_t heap_look(struct heap *h)
{
	struct lines l = { .data = (const char *)h->r->data, .len = h->r->len };
	struct heap_record record;

	while (lines_next(&l) && !heap_is_end(l.line, l.n))
		if (h->head.kind == HEAP_MEMORY && heap_record_take(l.line, l.n, &h->head, &record))
			for (size_t i = 0; i < 2; i++)
				h->has[i] |= record.numbers[2 * i + 1] > 0;
	if (!h->has[0] && !h->has[1])
		h->has[0] = true;
	return heap_is_end(l.line, l.n) ? l.at : l.len;
}

static void heap_values_declare(struct heap *h)
{
	static const char *const names[2][2] = { { "inuse_space", "inuse_objects" }, { "alloc_space", "alloc_objects" } };

	for (size_t i = 0; h->head.kind == HEAP_MEMORY && i < 2; i++)
		if (h->has[i]) {
			builder_value(h->r->builder, names[i][0], "bytes", h->head.rate > 1);
			builder_value(h->r->builder, names[i][1], "count", h->head.rate > 1);
		}
	if (h->head.kind == HEAP_NUMBERS)
		builder_value(h->r->builder, h->head.what, "count", false);
	if (h->head.kind == HEAP_CONTENTION) {
		builder_value(h->r->builder, "delay", "ns", h->period > 1);
		builder_value(h->r->builder, "contentions", "count", h->period > 1);
	}
}

/* The lines before the first stack that set something. */
static void heap_settings_read(struct heap *h)
{
	h->l = (struct lines){ .data = (const char *)h->r->data, .len = h->r->len };
	lines_next(&h->l);
	while (h->head.kind == HEAP_CONTENTION && lines_next(&h->l) && heap_setting(h))
		;
}

static bool heap_read(struct reading *r)
{
	struct heap h = { .r = r, .cycles = 1e9, .period = 1 };
	size_t end;
	bool ok;

	h.l = (struct lines){ .data = (const char *)r->data, .len = r->len };
	lines_next(&h.l);
	heap_head_take(h.l.line, h.l.n, &h.head);
	end = heap_look(&h);
	heap_settings_read(&h);
	heap_values_declare(&h);
	h.thread = builder_thread(r->builder, builder_process(r->builder, 0, 0, NULL, 0), 0, NULL);
	ok = h.thread != BUILDER_NONE ? mapped_code_read(&h.code, r, (const char *)r->data + end, r->len - end) : reading_no_memory(r);
	h.l = (struct lines){ .data = (const char *)r->data, .len = end };
	lines_next(&h.l);
	while (ok && lines_next(&h.l))
		ok = heap_line_read(&h);
	ok = ok && heap_stack_end(&h) && reading_odd_tell(r, h.good, "a stack with numbers before it");
	mapped_code_free(&h.code);
	free(h.addresses.functions);
	free(h.named.functions);
	free(h.text);
	return ok;
}

/* The first line says what it is; of the others those count that are stacks, or comments. */
static size_t heap_reads(const char *head, size_t n, bool whole)
{
	struct lines l = { .data = head, .len = n };
	struct heap_record record;
	struct heap_head h;
	size_t reads;

	(void)whole;
	if (!lines_next(&l) || !heap_head_take(l.line, l.n, &h))
		return 0;
	for (reads = l.n; lines_next(&l) && !heap_is_end(l.line, l.n);)
		if (heap_record_take(l.line, l.n, &h, &record) || (l.n && (l.line[0] == '#' || l.line[0] == '@')))
			reads += l.n;
	return reads;
}

const struct import_format import_heap = { "pprof's legacy text", heap_reads, false, heap_read };
