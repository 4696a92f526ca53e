/* cost_words.h - words of callgrind's format: names that are numbered where they stand first, positions and costs. */
#ifndef IMPORT_COST_WORDS_H
#define IMPORT_COST_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"

#define COST_WORD_NONE UINT32_MAX

/* Texts, each once, and what their numbers in the file are. */
struct cost_words {
	struct arena arena;
	const char **text;		/* words */
	uint32_t n;
	size_t room;
	struct table by_text;
	struct cost_number { uint64_t number; uint32_t kind, word; } *numbers;
	uint32_t nnumbers;
	size_t numbers_room;
	struct table by_number;
};

void cost_words_free(struct cost_words *w);

/* The word that the text from AT to END, behind the = of `fn=(3) name`, is: numbers of each KIND are their own.  COST_WORD_NONE with *WHY set: the number was not given before,
 * or it is no name; *WHY NULL: out of memory. */
uint32_t cost_word(struct cost_words *w, uint32_t kind, const char *at, const char *end, const char **why);

/* The number at *AT, which moves behind it and the blanks that follow; hexadecimal behind 0x.  False: there is none, or it is too large. */
bool cost_number(const char **at, const char *end, uint64_t *number);

/* The same of a position: a number, or one that is added to *LAST (+3, -3), or * for the same; *LAST becomes it. */
bool cost_position(const char **at, const char *end, uint64_t *last);

#endif
