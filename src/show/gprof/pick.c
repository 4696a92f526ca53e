/* pick.c - names of gprof's options taken apart and compared. */
#include "show/gprof/pick.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void part_set(struct pick *p, const char *text, size_t length)
{
	if (length == 0)
		return;
	if (isdigit((unsigned char)*text)) {
		p->line = strtoul(text, NULL, 10);
	} else {
		p->name = text;
		p->name_length = length;
	}
}

struct pick pick_parse(const char *text, size_t length)
{
	struct pick p = { 0 };
	const char *colon = memrchr(text, ':', length);
	size_t file = colon ? (size_t)(colon - text) : memchr(text, '.', length) ? length : 0;

	if (file > 0) {
		p.file = text;
		p.file_length = file;
	}
	if (colon)
		part_set(&p, colon + 1, length - file - 1);
	else if (file == 0)
		part_set(&p, text, length);
	return p;
}

static bool is_equal(const char *text, const char *s, size_t length)
{
	return strncmp(text, s, length) == 0 && text[length] == '\0';
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool pick_fits(const struct pick *p, const char *name, const char *file, unsigned long line)
{
	if (p->file && (!file || !is_equal(last_part(file), p->file, p->file_length)))
		return false;
	if (p->line && p->line != line)
		return false;
	return !p->name || is_equal(name, p->name, p->name_length);
}
