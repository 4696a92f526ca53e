/* text_table.c - one symbol a line. */
#include "read/gmon/text_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cut the next word off *TEXT, its length in *LENGTH. */
static const char *text_table_word_next(const char **text, size_t *length)
{
	const char *word = *text + strspn(*text, " \t\r\n");

	*length = strcspn(word, " \t\r\n");
	*text = word + *length;
	return word;
}

/* The symbol that LINE tells, its name not copied yet, LENGTH bytes of it; false: none. */
static bool text_table_line_parse(const char *line, struct gmon_symbol *s, size_t *length)
{
	size_t digits, kind;
	const char *address = text_table_word_next(&line, &digits), *type = text_table_word_next(&line, &kind);
	char *end;

	*s = (struct gmon_symbol){ .name = text_table_word_next(&line, length), .function = true, .local = *type == 't' };
	if (kind != 1 || (*type != 't' && *type != 'T') || *length == 0 || !isxdigit((unsigned char)*address))
		return false;
	errno = 0;
	s->start = strtoull(address, &end, 16);
	return end == address + digits && errno == 0;
}

static bool text_table_lines_read(FILE *file, struct arena *arena, struct gmon_symbol **symbols, size_t *n)
{
	struct gmon_symbol s, *more;
	size_t room = 0, size = 0, length;
	char *line = NULL;
	bool ok = true;

	while (ok && getline(&line, &size, file) >= 0) {
		if (!text_table_line_parse(line, &s, &length))
			continue;
		if (*n == room) {
			more = reallocarray(*symbols, room = 2 * room + 64, sizeof *more);
			ok = more != NULL;
			*symbols = more ? more : *symbols;
		}
		s.name = ok ? arena_copy(arena, s.name, length) : NULL;
		s.order = (uint32_t)*n;
		ok = s.name != NULL;
		if (ok)
			(*symbols)[(*n)++] = s;
	}
	free(line);
	return ok;
}

bool text_table_read(const char *path, struct arena *arena, struct gmon_symbol **symbols, size_t *n, struct error *err)
{
	FILE *file = fopen(path, "re");
	bool ok;

	*symbols = NULL;
	*n = 0;
	if (!file)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot open: %s", path, strerror(errno));
	ok = text_table_lines_read(file, arena, symbols, n) || error_no_memory_for(err, path);
	if (ok && ferror(file))
		ok = error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot read", path);
	if (ok && *n == 0)
		ok = error_set(err, ERROR_NO_SYMBOLS, ERROR_NO_OFFSET, "%s: no lines such as `0000000000001139 T main`, as nm prints them", path);
	fclose(file);
	return ok;
}
