/* from_folded.c - folded stacks: a line for each, its frames from the outermost on, joined by semicolons; a blank; a number.
 *
 *     main;parse;expression 1250000
 *
 * What difffolded.pl and inferno-diff-folded write has two numbers, before and after: two profiles beside each other.
 *
 * The format does not say what the number is: it is taken for so many samples, whatever it is, so that all such files go together.  Names are
 * unescaped as base/escape.h escapes them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/format.h"

/* A line taken apart. */
struct folded {
	const char *stack;
	size_t n;			/* bytes of it */
	uint64_t whole;			/* the number, */
	double fraction;		/* and what stands behind its point, 0..1 */
};

/* `1.5e+06`, as awk prints what is large. */
static bool from_folded_exponent_take(const char *text, const char *end, struct folded *f)
{
	char copy[32] = "", *behind;
	size_t n = (size_t)(end - text);
	double number;

	if (n >= sizeof copy || !memchr(text, 'e', n) || *text < '0' || *text > '9')
		return false;
	memcpy(copy, text, n);
	if (strspn(copy, "0123456789.e+-") < n)
		return false;
	number = strtod(copy, &behind);
	if (*behind || !(number < 0x1p63))
		return false;
	f->whole = (uint64_t)number;
	f->fraction = number - (double)f->whole;
	return true;
}

/* The number from TEXT to END, which is all of it. */
static bool from_folded_number_take(const char *text, const char *end, struct folded *f)
{
	const char *at;

	text += text < end && *text == '+';
	at = text;
	for (f->whole = 0; at < end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(f->whole, (uint64_t)10, &f->whole) || __builtin_add_overflow(f->whole, (uint64_t)(*at - '0'), &f->whole))
			return false;
	f->fraction = 0;
	if (at > text && at < end && *at == '.') {
		double digit = 0.1;

		for (at++; at < end && *at >= '0' && *at <= '9'; at++, digit /= 10)
			f->fraction += digit * (*at - '0');
	}
	return at > text && (at == end || from_folded_exponent_take(text, end, f));
}

/* Take LINE of N bytes apart.  False: it is no stack with a number. */
static bool from_folded_line_take(const char *line, size_t n, struct folded *f)
{
	const char *end = line + n, *number;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (number = end; number > line && number[-1] != ' ' && number[-1] != '\t';)
		number--;
	if (number == line || !from_folded_number_take(number, end, f))
		return false;
	f->stack = line;
	f->n = (size_t)(number - 1 - line);
	return true;
}

/* Nothing to read, or a comment. */
static bool is_empty(const struct lines *l)
{
	return l->n == 0 || l->line[0] == '#';
}

/* Whether there is hardly anything in it that no text has. */
static bool is_text(const char *s, size_t n)
{
	size_t others = 0;

	for (size_t i = 0; i < n; i++)
		others += ((unsigned char)s[i] < ' ' && s[i] != '\t' && s[i] != '\n' && s[i] != '\r') || s[i] == 127;
	return others <= 1 + n / 1000 && !memchr(s, '\0', n);
}

/* Whether a stack begins with a name: tables of numbers are no stacks. */
static bool begins_with_name(const struct folded *f)
{
	size_t digits = strspn(f->stack, "0123456789.+-eE,");

	return digits < f->n && f->stack[digits] != ' ' && f->stack[digits] != '\t' && f->stack[0] != ' ' && f->stack[0] != '\t';
}

/* Whether the N bytes at LINE begin a stack, of which the end is not seen. */
static bool from_folded_begins_stack(const char *line, size_t n)
{
	const char *semicolon = memchr(line, ';', n);

	return semicolon && begins_with_name(&(struct folded){ .stack = line, .n = n }) && memchr(semicolon + 1, ';', n - (size_t)(semicolon + 1 - line));
}

/* A third of the lines in the head, at least, are stacks; where none of them calls another, all are, and each is one word or one of aprof's.  Whoever reads them all tells what is
 * wrong with the others. */
static size_t folded_reads(const char *head, size_t n, bool whole)
{
	struct lines l = { .data = head, .len = n };
	struct folded f;
	size_t found = 0, joined = 0, words = 0, others = 0, reads = 0;

	if (!is_text(head, n))
		return 0;
	while (lines_next(&l)) {
		if (is_empty(&l) || (lines_is_open(&l) && found))
			continue;
		if (lines_is_open(&l) && !whole) {
			if (!others && from_folded_begins_stack(l.line, l.n))
				return l.n;
		} else if (from_folded_line_take(l.line, l.n, &f) && begins_with_name(&f)) {
			found++;
			joined += memchr(f.stack, ';', f.n) != NULL;
			words += f.stack[0] == '(' || !memchr(f.stack, ' ', f.n);
			reads += l.n;
		} else {
			others++;
		}
	}
	return found && (joined ? 2 * joined >= others : words == found && !others) ? reads : 0;
}

/* ---- frames ---- */

/* One reading. */
struct folding {
	struct reading *r;
	struct stack stack;
	char *name;			/* room for one */
	uint32_t thread;
	double left[2];			/* of each side: of fractions so far, which nothing was counted for yet */
	size_t good;			/* lines */
};

/* Put the frames of F into k->stack. */
static bool frames_take(struct folding *k, const struct folded *f)
{
	const char *at = f->stack, *end = f->stack + f->n;

	for (k->stack.n = 0; at <= end;) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at)), *behind = semicolon ? semicolon : end;
		uint32_t function;

		text_unescape(k->name, at, behind);
		if (behind > at) {
			function = builder_function(k->r->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = k->name });
			if (!stack_push(&k->stack, function))
				return reading_no_memory(k->r);
		}
		at = behind + 1;
	}
	return true;
}

/* So many of the samples of F on SIDE are counted: fractions where they have added up to half a sample, so that the sum is right. */
static uint64_t folded_samples(struct folding *k, const struct folded *f, int side)
{
	double more = floor(k->left[side] + f->fraction + 0.5);
	uint64_t samples = f->whole;

	k->left[side] += f->fraction - more;
	add_capped(&samples, (uint64_t)more);
	return samples;
}

static void folded_side_add(struct folding *k, const struct folded *f, int side)
{
	uint64_t samples = folded_samples(k, f, side), amounts[2] = { side ? 0 : samples, side ? samples : 0 };

	builder_add(k->r->builder, &(struct builder_sample){ .thread = k->thread, .functions = k->stack.functions, .n = k->stack.n, .amounts = amounts, .ticks = samples });
}

/* The number before that of F, as each line has of the difference of two files (difffolded.pl): F becomes what it is of before; *AFTER is F of today.
 * False: there is none. */
static bool folded_sides_take(struct folded *f, struct folded *after)
{
	const char *blank = memrchr(f->stack, ' ', f->n), *end = f->stack + f->n;

	*after = *f;
	if (!blank || blank == f->stack || !from_folded_number_take(blank + 1, end, f)) {
		*f = *after;
		return false;
	}
	f->n = (size_t)(blank - f->stack);
	return true;
}

/* The line at hand, as most lines of the file are: with one number, or with two.  False: it is none. */
static bool folded_line_is(const struct reading *r, const struct lines *l, struct folded *f, struct folded *after)
{
	return from_folded_line_take(l->line, l->n, f) && (!r->sides[0] || folded_sides_take(f, after));
}

static bool folded_line_add(struct folding *k, const struct lines *l)
{
	struct folded f, after;

	if (!folded_line_is(k->r, l, &f, &after)) {
		reading_odd_line(k->r, l);
		return true;
	}
	k->good++;
	if (!frames_take(k, &f))
		return false;
	folded_side_add(k, &f, 0);
	if (k->r->sides[0])
		folded_side_add(k, &after, 1);
	return true;
}

/* Look at all lines: whether more of them have two numbers than one.  *LONGEST becomes the length of the longest line. */
static void folded_look(struct reading *r, size_t *longest)
{
	struct lines l = { .data = (const char *)r->data, .len = r->len };
	struct folded f, after;
	size_t n = 0, two = 0;

	*longest = 0;
	while (lines_next(&l)) {
		if (is_empty(&l) || !from_folded_line_take(l.line, l.n, &f))
			continue;
		n++;
		two += folded_sides_take(&f, &after);
		*longest = l.n > *longest ? l.n : *longest;
	}
	if (two > n - two) {
		r->sides[0] = "before";
		r->sides[1] = "after";
	}
}

static void folded_values_declare(struct reading *r)
{
	if (!r->sides[0]) {
		builder_value(r->builder, "samples", "count", true);
		return;
	}
	builder_value(r->builder, r->sides[0], "count", true);
	builder_value(r->builder, r->sides[1], "count", true);
}

static bool folded_read(struct reading *r)
{
	struct lines l = { .data = (const char *)r->data, .len = r->len };
	struct folding k = { .r = r };
	size_t longest;
	bool ok;

	folded_look(r, &longest);
	folded_values_declare(r);
	k.name = malloc(longest + 1);
	k.thread = builder_thread(r->builder, builder_process(r->builder, 0, 0, NULL, 0), 0, NULL);
	ok = (k.name && k.thread != BUILDER_NONE) || reading_no_memory(r);
	while (ok && lines_next(&l))
		ok = is_empty(&l) || folded_line_add(&k, &l);
	if (ok)
		reading_open_end_tell(r, &l);
	ok = ok && reading_odd_tell(r, k.good, r->sides[0] ? "a stack with two numbers behind it" : "a stack with a number behind it");
	free(k.name);
	free(k.stack.functions);
	return ok;
}

const struct import_format import_folded = { "folded stacks", folded_reads, false, folded_read };
