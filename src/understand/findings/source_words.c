/* source_words.c - walks through a text, past its comments and strings. */
#include "understand/findings/source_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/name.h"

static bool source_words_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || (c & 0x80);
}

/* Cut what the linker's names have around the word that stands in the source: leading underscores and a variant's suffix. */
static void word_of_library(struct source_word *w)
{
	size_t skip = strspn(w->text, "_");

	if (skip == 0)
		return;
	memmove(w->text, w->text + skip, w->length - skip + 1);
	w->length = strcspn(w->text, "_");
	w->text[w->length] = '\0';
}

bool source_word_make(struct source_word *w, const char *name, bool library)
{
	size_t n, begin;

	w->text = malloc(strlen(name) + 1);
	if (!w->text)
		return false;
	name_simplify(w->text, name);
	n = begin = strlen(w->text);
	while (begin > 0 && source_words_is_word(w->text[begin - 1]))
		begin--;
	memmove(w->text, w->text + begin, n - begin + 1);
	w->length = n - begin;
	if (library)
		word_of_library(w);
	return true;
}

/* Pass a comment, string or character at the reader's place; false: there is none. */
static bool skip_dead(struct source_words *r)
{
	char c = r->at[0], next = r->at + 1 < r->end ? r->at[1] : '\0';
	const char *close = c == '/' && next == '/' ? "\n" : c == '/' && next == '*' ? "*/" : c == '"' ? "\"" : c == '\'' ? "'" : NULL;
	size_t n = close ? strlen(close) : 0;

	if (!close)
		return false;
	for (r->at += n == 2 ? 2 : 1; r->at < r->end; r->at++) {
		if (c != '/' && *r->at == '\\' && r->at + 1 < r->end)
			r->at++;
		else if (c == '\'' && *r->at == '\n')	/* an apostrophe that closes nothing */
			return true;
		else if (r->at + n <= r->end && memcmp(r->at, close, n) == 0)
			break;
		r->line += *r->at == '\n';
	}
	r->at += r->at < r->end && *close != '\n' ? n : 0;
	return true;
}

size_t source_words_next(struct source_words *r, const char **word)
{
	while (r->at < r->end) {
		if (skip_dead(r))
			continue;
		if (!source_words_is_word(*r->at)) {
			r->line += *r->at++ == '\n';
			continue;
		}
		for (*word = r->at; r->at < r->end && source_words_is_word(*r->at); r->at++)
			;
		return (size_t)(r->at - *word);
	}
	return 0;
}

bool source_words_is_call(const struct source_words *r)
{
	const char *p = r->at;

	while (p < r->end && (*p == ' ' || *p == '\t'))
		p++;
	return p < r->end && *p == '(';
}
