/* source_words.h - the words of a source, to find calls in it by the callees' names.
 *
 * The source may be in any language with C's comments and strings; nothing is parsed. */
#ifndef SOURCE_WORDS_H
#define SOURCE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a callee is called by in the source: the last part of its name; of `__memset_avx2` memset. */
struct source_word {
	char *text;		/* NUL-terminated */
	size_t length;		/* bytes; 0: it has no such name */
};

/* Make W of NAME, as reports show it; of a function of a LIBRARY without what the linker's names have around it.  W->text is malloc'ed.
 * False: out of memory. */
bool source_word_make(struct source_word *w, const char *name, bool library);

/* A walk through the words of a text. */
struct source_words {
	const char *at;		/* what comes next */
	const char *end;	/* one past the text */
	uint32_t line;		/* of `at`, from 1 */
};

/* The next word outside comments and strings: sets *WORD and returns its length; 0: no more. */
size_t source_words_next(struct source_words *r, const char **word);

/* Whether a bracket opens next, so that a call is written. */
bool source_words_is_call(const struct source_words *r);

#endif
