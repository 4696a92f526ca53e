/* arena.h - memory that is freed all at once. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks;	/* the newest first; NULL: none yet */
};

/* SIZE zeroed bytes, aligned for any struct here; NULL: out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of the first LENGTH bytes at S, NUL-terminated; NULL: out of memory. */
char *arena_copy(struct arena *a, const char *s, size_t length);

/* A formatted string; NULL: out of memory. */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Free all of it at once. */
void arena_free(struct arena *a);

#endif
