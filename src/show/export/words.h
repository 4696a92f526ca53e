/* words.h - names that a format writes once, each under a number: a sorted table of distinct strings. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct words {
	const char **text;	/* sorted and distinct once settled; not owned */
	size_t n;		/* how many */
	size_t room;		/* for how many there is room */
	bool *written;		/* whether the number's name has been written; after words_settle */
};

/* Add TEXT, any number of times.  False: out of memory. */
bool words_add(struct words *w, const char *text);

/* Sort the words and drop doubles; none is added afterwards.  False: out of memory. */
bool words_settle(struct words *w);

/* The number of TEXT, which was added: 0 to n - 1. */
size_t words_find(const struct words *w, const char *text);

void words_free(struct words *w);

enum { WORDS_UNIT = 40 };

/* TEXT, the name or unit of a value, as one word of letters, digits and _, for BUFFER of WORDS_UNIT bytes, which is returned. */
char *words_plain(const char *text, char *buffer);

#endif
