/* words.c - a sorted table of strings. */
#include "show/export/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool words_add(struct words *w, const char *text)
{
	if (!array_reserve(&w->text, &w->room, w->n + 1, sizeof *w->text))
		return false;
	w->text[w->n++] = text;
	return true;
}

static int words_compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool words_settle(struct words *w)
{
	size_t kept = 0;

	if (w->n > 0)
		qsort(w->text, w->n, sizeof *w->text, words_compare);
	for (size_t i = 0; i < w->n; i++)
		if (kept == 0 || strcmp(w->text[kept - 1], w->text[i]) != 0)
			w->text[kept++] = w->text[i];
	w->n = kept;
	w->written = calloc(kept + 1, sizeof *w->written);
	return w->written != NULL;
}

size_t words_find(const struct words *w, const char *text)
{
	const char **found = bsearch(&text, w->text, w->n, sizeof *w->text, words_compare);

	return (size_t)(found - w->text);
}

void words_free(struct words *w)
{
	free(w->text);
	free(w->written);
	*w = (struct words){ 0 };
}

char *words_plain(const char *text, char *buffer)
{
	size_t n = 0;

	for (; text[n] && n < WORDS_UNIT - 1; n++)
		buffer[n] = (char)(isalnum((unsigned char)text[n]) ? text[n] : '_');
	buffer[n] = '\0';
	return buffer;
}
