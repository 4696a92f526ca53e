/* text_map.h - which object file each symbol came from, as nm -A prints it: gprof -R. */
#ifndef TEXT_MAP_H
#define TEXT_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "read/gmon/text.h"

/* A line of the map. */
struct text_place {
	const char *symbol;	/* as linked */
	const char *file;	/* where it stands */
	bool first;		/* it is the first of its file: the line before is of another one */
	size_t line;		/* number, from 1 */
};

struct text_map {
	struct text_place *places; /* by symbol, equal ones in the order of the file */
	size_t n;		/* how many, 1 at least once it is read */
};

/* Read the map PATH, FILE:ADDRESS TYPE SYMBOL a line; names are copied to ARENA.  False with *ERR set: ERROR_SYSTEM, ERROR_USAGE
 * (a line is not like that, or there is none), ERROR_MEMORY.  Either way freed with text_map_free. */
bool text_map_read(const char *path, struct arena *arena, struct text_map *map, struct error *err);
void text_map_free(struct text_map *map);

/* The place of SYMBOL; NULL: it is in no file that the map knows. */
const struct text_place *text_map_find(const struct text_map *map, const char *symbol);

/* The files of MAP of which no symbol is among T's, by name: malloc'ed, *N names in the arena. NULL: out of memory. */
const char **text_map_others(const struct text_map *map, const struct text *t, size_t *n);

#endif
