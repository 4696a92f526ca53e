/* text.h - words and numbers, written and read. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>

#include "inside/monitor.h"

/* Room for a text that is being written: where it goes on, and where the room ends.  What does not fit is left out; a NUL always does. */
struct text { char *at, *end; };

void text_put(struct text *t, const char *s) HIDDEN;
void text_put_number(struct text *t, uint64_t n) HIDDEN;

const char *text_after(const char *text, const char *word) HIDDEN; /* what follows WORD in TEXT, or NULL */

/* The number that begins at *AT, and *AT goes behind it; 0: there is none. A decimal one that does not fit is a very large one. */
uint64_t text_number(const char **at) HIDDEN;
uint64_t text_hex(const char **at) HIDDEN;

#endif
