/* format.c - what the readers of formats share. */
#include "import/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

bool reading_wrong(struct reading *r, size_t offset, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return error_set(r->err, ERROR_CORRUPT, offset, "%.200s: %s, at byte %zu", r->label, text, offset);
}

bool reading_wrong_line(struct reading *r, const struct lines *l, const char *what)
{
	return error_set(r->err, ERROR_CORRUPT, l->at, "%.200s: line %zu: %s%s, at byte %zu", r->label, l->number,
			 lines_is_open(l) ? "the file is cut off: " : "", what, l->at);
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
