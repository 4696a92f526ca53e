/* list.c - lists of strings. */
#include "base/list.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Append TEXT itself, which the list owns from now on; NULL: memory ran out. */
static void list_own(struct list *l, char *text)
{
	if (text && l->count + 1 >= l->room) {
		size_t room = l->room ? l->room * 2 : 16;
		char **items = reallocarray(l->items, room, sizeof *items);

		if (!items) {
			free(text);
			text = NULL;
		} else {
			l->items = items;
			l->room = room;
		}
	}
	if (!text) {
		l->failed = true;
		return;
	}
	assert(l->count + 1 < l->room);		/* for the NULL behind it */
	l->items[l->count++] = text;
	l->items[l->count] = NULL;
}

void list_add(struct list *l, const char *text)
{
	list_own(l, strdup(text));
}

void list_format(struct list *l, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	list_own(l, text);
}

void list_add_words(struct list *l, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		list_own(l, strndup(text, n));
		text += n + (text[n] == ' ');
	}
}

void list_add_all(struct list *l, char *const *items)
{
	while (items && *items)
		list_add(l, *items++);
}

bool list_has(const struct list *l, const char *text)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strcmp(l->items[i], text))
			return true;
	return false;
}

static void print_quoted(FILE *out, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";

	if (*s && !s[strspn(s, plain)]) {
		fputs(s, out);
		return;
	}
	putc('\'', out);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else
			putc(*s, out);
	putc('\'', out);
}

char *list_join(const struct list *l, const char *separator, bool quoted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < l->count; i++) {
		fputs(i ? separator : "", out);
		if (quoted)
			print_quoted(out, l->items[i]);
		else
			fputs(l->items[i], out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

char **list_take(struct list *l)
{
	char **items = l->failed ? NULL : l->items ? l->items : calloc(1, sizeof *items);

	if (l->failed)
		list_free(l);
	*l = (struct list){0};
	return items;
}

void list_free(struct list *l)
{
	list_free_items(l->items);
	*l = (struct list){0};
}

void list_free_items(char **items)
{
	for (size_t i = 0; items && items[i]; i++)
		free(items[i]);
	free(items);
}
