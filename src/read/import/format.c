/* format.c - what the readers of formats share. */
#include "read/import/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"

bool reading_wrong(struct reading *r, size_t offset, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return error_set(r->err, ERROR_CORRUPT, offset, "%.200s: %s, at byte %zu", r->label, text, offset);
}

bool reading_no_memory(struct reading *r)
{
	return error_no_memory_for(r->err, r->label);
}

void reading_note(struct reading *r, const char *format, ...)
{
	size_t at = strlen(r->notes);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(r->notes + at, r->notes_size - at, format, args);
	va_end(args);
	if (n >= 0 && at + (size_t)n + 1 < r->notes_size)
		strcpy(r->notes + at + n, "\n");
	else
		r->notes[at] = '\0';
}

bool reading_wrong_line(struct reading *r, const struct lines *l, const char *what)
{
	return error_set(r->err, ERROR_CORRUPT, l->at, "%.200s: line %zu: %s%s, at byte %zu", r->label, l->number,
			 lines_is_open(l) ? "the file is cut off: " : "", what, l->at);
}

void reading_open_end_tell(struct reading *r, const struct lines *l)
{
	if (lines_is_open(l))
		reading_note(r, "warning: %.100s: its last line, %zu, has no end, so the file may be cut off; it is taken as it is", r->label, l->number);
}

void reading_odd_line(struct reading *r, const struct lines *l)
{
	size_t n = l->n < sizeof r->odd_text - 1 ? l->n : sizeof r->odd_text - 1;

	if (r->odd++ > 0)
		return;
	r->odd_number = l->number;
	memcpy(r->odd_text, l->line, n);
	r->odd_text[n] = '\0';
}

bool reading_odd_tell(struct reading *r, size_t good, const char *what)
{
	if (r->odd > good)
		return error_set(r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: line %zu: not %s, as most of its lines: %s", r->label, r->odd_number, what, r->odd_text);
	if (r->odd)
		reading_note(r, "warning: %.100s: %zu line%s that %s not %s %s passed over; the first is line %zu: %s", r->label, r->odd, r->odd == 1 ? "" : "s",
			     r->odd == 1 ? "is" : "are", what, r->odd == 1 ? "is" : "are", r->odd_number, r->odd_text);
	return true;
}

bool lines_next(struct lines *l)
{
	const char *end;

	if (l->next >= l->len)
		return false;
	l->at = l->next;
	l->number++;
	l->line = l->data + l->at;
	end = memchr(l->line, '\n', l->len - l->at);
	l->n = end ? (size_t)(end - l->line) : l->len - l->at;
	l->next = l->at + l->n + 1;
	if (l->n && l->line[l->n - 1] == '\r')
		l->n--;
	return true;
}

bool lines_is_open(const struct lines *l)
{
	return l->next > l->len;
}

/* ---- JSON ---- */

size_t json_reads(const char *head, size_t n, bool whole, bool (*is)(struct json_value root))
{
	struct json_value root = json_value_at(head, n);

	return (root.kind == JSON_MAP || root.kind == JSON_LIST) && (!whole || is(root)) ? n : 0;
}

bool reading_wrong_json(struct reading *r, const struct json_walk *w)
{
	return reading_wrong(r, (size_t)(w->at - (const char *)r->data), "its JSON is malformed or cut off");
}

void weights_declare(struct weights *w, struct reading *r, const char *count, bool sampled)
{
	static const char *const names[] = { "time", "bytes" }, *const units[] = { "ns", "bytes", "count" };
	unsigned n = 0;

	for (unsigned kind = 0; kind < WEIGHT_KINDS; kind++)
		if (w->has[kind]) {
			w->place[kind] = n++;
			builder_value(r->builder, kind == WEIGHT_COUNT ? count : names[kind], units[kind], sampled);
		}
}

const uint64_t *weights_of(struct weights *w, enum weight_kind kind, double amount)
{
	return weights_of_value(w, w->place[kind], amount);
}

const uint64_t *weights_of_value(struct weights *w, uint32_t value, double amount)
{
	memset(w->amounts, 0, sizeof w->amounts);
	w->amounts[value] = amount_of(amount);
	return w->amounts;
}

uint64_t amount_of(double x) { return x <= 0 ? 0 : x < 0x1p63 ? (uint64_t)(x + 0.5) : UINT64_C(1) << 63; }

/* ---- stacks ---- */

bool reading_follow(struct reading *r, size_t n)
{
	enum { FRAMES_PER_BYTE = 512, FRAMES_AT_LEAST = 1 << 24 };	/* real ones need some ten a byte */

	r->frames += n;
	return r->frames <= (uint64_t)r->len * FRAMES_PER_BYTE + FRAMES_AT_LEAST ||
	       error_set(r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: its stacks grow beyond all measure", r->label);
}

bool stack_push(struct stack *s, uint32_t function)
{
	if (!array_reserve(&s->functions, &s->room, s->n + 1, sizeof *s->functions))
		return false;
	s->functions[s->n++] = function;
	return true;
}

void stack_turn(struct stack *s)
{
	for (size_t i = 0; i < s->n / 2; i++) {
		uint32_t f = s->functions[i];

		s->functions[i] = s->functions[s->n - 1 - i];
		s->functions[s->n - 1 - i] = f;
	}
}

bool distinct_add(struct distinct *d, uint32_t function)
{
	bool met;

	if (builder_is_special(function))
		return true;
	if (!array_reserve(&d->met, &d->room, (size_t)function + 1, sizeof *d->met))
		return false;
	for (; d->n <= function; d->n++)
		d->met[d->n] = false;
	met = d->met[function];
	d->met[function] = true;
	return !met;
}

void distinct_free(struct distinct *d) { free(d->met); }

uint64_t definition_address(const char *name, const char *file, uint64_t line, uint64_t column)
{
	uint64_t hash = hash_mix(line, column);

	for (; *name; name++)
		hash = hash_mix(hash, (unsigned char)*name);
	for (; file && *file; file++)
		hash = hash_mix(hash, (unsigned char)*file);
	return hash >> 16 | UINT64_C(1) << 47;
}

/* ---- escapes ---- */

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *text_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
		return out;
	}
	if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*out++ = (char)(0xe0 | c >> 12);
		} else {
			*out++ = (char)(0xf0 | c >> 18);
			*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (c & 0x3f));
	return out;
}

/* The character that `\u{202e}`, from AT to END, stands for, and what follows it; NULL: that is none. */
static const char *code_take(const char *at, const char *end, uint32_t *c)
{
	int digits = 0;

	*c = 0;
	if (end - at < 5 || memcmp(at, "\\u{", 3) != 0)
		return NULL;
	for (at += 3; at < end && hex(*at) >= 0 && digits < 6; at++, digits++)
		*c = *c << 4 | (uint32_t)hex(*at);
	return digits && at < end && *at == '}' && *c >= 0x80 && *c <= 0x10ffff ? at + 1 : NULL;
}

void text_unescape(char *out, const char *at, const char *end)
{
	const char *behind;
	uint32_t c;

	while (at < end)
		if (end - at >= 4 && at[0] == '\\' && at[1] == 'x' && hex(at[2]) >= 0 && hex(at[3]) >= 0 && (at[2] != '0' || at[3] != '0')) {
			*out++ = (char)(hex(at[2]) << 4 | hex(at[3]));
			at += 4;
		} else if (end - at >= 2 && at[0] == '\\' && at[1] == '\\') {
			*out++ = '\\';
			at += 2;
		} else if ((behind = code_take(at, end, &c)) != NULL) {
			out = text_utf8(out, c);
			at = behind;
		} else {
			*out++ = *at++;
		}
	*out = '\0';
}
