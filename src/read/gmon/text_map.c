/* text_map.c - one symbol a line, sorted by name. */
#include "read/gmon/text_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_symbol(const void *left, const void *right)
{
	const struct text_place *a = left, *b = right;
	int order = strcmp(a->symbol, b->symbol);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int symbol_compare(const void *symbol, const void *place)
{
	return strcmp(symbol, ((const struct text_place *)place)->symbol);
}

/* What LINE says: the length of the file's name, and where the symbol's begins. */
static bool text_map_line_parse(const char *line, size_t *length, const char **symbol)
{
	const char *space;

	*length = strcspn(line, ":");
	space = line[*length] ? strrchr(line + *length, ' ') : NULL;
	*symbol = space ? space + 1 : NULL;
	return *length > 0 && space;
}

/* Append the place that LINE, number NUMBER of the file, tells. */
static bool text_map_place_add(struct text_map *map, size_t *room, struct arena *arena, const char *line, size_t length, const char *symbol,
	size_t number)
{
	const struct text_place *last = map->n ? &map->places[map->n - 1] : NULL;
	struct text_place p = { .line = number };

	if (map->n == *room) {
		struct text_place *more = reallocarray(map->places, *room = 2 * *room + 64, sizeof *more);

		if (!more)
			return false;
		map->places = more;
		last = map->n ? &more[map->n - 1] : NULL;
	}
	p.first = !last || strlen(last->file) != length || memcmp(last->file, line, length) != 0;
	p.file = p.first ? arena_copy(arena, line, length) : last->file;
	p.symbol = arena_copy(arena, symbol, strlen(symbol));
	if (!p.file || !p.symbol)
		return false;
	map->places[map->n++] = p;
	return true;
}

static bool text_map_lines_read(FILE *file, const char *path, struct arena *arena, struct text_map *map, struct error *err)
{
	size_t room = 0, size = 0, number = 0, length;
	const char *symbol;
	char *line = NULL;
	bool ok = true;

	while (ok && getline(&line, &size, file) >= 0) {
		const char *text = line + strspn(line, " \t\r\n");

		line[strcspn(line, "\n")] = 0;
		number++;
		if (!*text || strncmp(text, "No symbols in ", 14) == 0)
			continue;
		if (!text_map_line_parse(text, &length, &symbol))
			ok = error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%s: line %zu is not FILE:ADDRESS TYPE SYMBOL, as nm -A prints them", path, number);
		else if (!text_map_place_add(map, &room, arena, text, length, symbol, number))
			ok = error_no_memory_for(err, path);
	}
	free(line);
	return ok;
}

bool text_map_read(const char *path, struct arena *arena, struct text_map *map, struct error *err)
{
	FILE *file = fopen(path, "re");
	bool ok;

	*map = (struct text_map){ 0 };
	if (!file)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot open: %s", path, strerror(errno));
	ok = text_map_lines_read(file, path, arena, map, err);
	if (ok && ferror(file))
		ok = error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot read", path);
	if (ok && map->n == 0)
		ok = error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%s: no lines such as `main.o:0000000000000000 T main`, as nm -A prints them", path);
	fclose(file);
	if (ok)
		qsort(map->places, map->n, sizeof *map->places, by_symbol);
	return ok;
}

void text_map_free(struct text_map *map)
{
	free(map->places);
	*map = (struct text_map){ 0 };
}

/* Of several with the name, the one that bsearch meets: so does gprof. */
const struct text_place *text_map_find(const struct text_map *map, const char *symbol)
{
	return map->n ? bsearch(symbol, map->places, map->n, sizeof *map->places, symbol_compare) : NULL;
}

static int text_map_by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char **text_map_others(const struct text_map *map, const struct text *t, size_t *n)
{
	const char **known = calloc(t->n + 1, sizeof *known), **others = calloc(map->n + 1, sizeof *others);
	size_t nknown = 0, kept = 0;

	*n = 0;
	for (size_t i = 0; known && i < t->n; i++)
		if (t->symbols[i].mapped)
			known[nknown++] = t->symbols[i].name;
	if (known)
		qsort(known, nknown, sizeof *known, text_map_by_name);
	for (size_t i = 0; known && others && i < map->n; i++)
		if (!bsearch(&map->places[i].file, known, nknown, sizeof *known, text_map_by_name))
			others[(*n)++] = map->places[i].file;
	free(known);
	if (!known) {
		free(others);
		return NULL;
	}
	if (others)
		qsort(others, *n, sizeof *others, text_map_by_name);
	for (size_t i = 0; i < *n; i++)
		if (kept == 0 || strcmp(others[kept - 1], others[i]) != 0)
			others[kept++] = others[i];
	*n = kept;
	return others;
}
