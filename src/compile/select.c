/* select.c - patterns of files and names. */
#include "compile/select.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char select_option[] = "--chosen=";

static const char file_prefix[] = "file:", name_prefix[] = "name:";

bool select_add(struct select *s, bool only, const char *pattern, struct error *err)
{
	bool file = strpbrk(pattern, "/.");

	if (!strncmp(pattern, file_prefix, strlen(file_prefix))) {
		file = true;
		pattern += strlen(file_prefix);
	} else if (!strncmp(pattern, name_prefix, strlen(name_prefix))) {
		file = false;
		pattern += strlen(name_prefix);
	}
	if (!*pattern || strchr(pattern, '\n'))
		return error_set(err, ERROR_PATTERN, ERROR_NO_OFFSET,
				 "--aprof-%s= wants a pattern of file or routine names", only ? "only" : "except");
	if (file)
		list_add(only ? &s->only_files : &s->except_files, pattern);
	else
		list_add(only ? &s->only_names : &s->except_names, pattern);
	return true;
}

bool select_has_names(const struct select *s)
{
	return s->only_names.count || s->except_names.count;
}

/* PATTERN fits TAIL, a path or what follows one of its slashes. */
static bool fits_tail(const char *pattern, const char *tail)
{
	size_t n = strlen(pattern);
	char below[n + 2];

	if (n == 0 || pattern[n - 1] != '/')
		return !fnmatch(pattern, tail, 0);
	memcpy(below, pattern, n);
	strcpy(below + n, "*");
	return !fnmatch(below, tail, 0);
}

static bool fits_path(const char *pattern, const char *path)
{
	for (const char *tail = path; tail; tail = strchr(tail, '/'), tail = tail ? tail + 1 : NULL)
		if (fits_tail(pattern, tail))
			return true;
	return false;
}

static bool any_fits_path(const struct list *patterns, const char *path)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (fits_path(patterns->items[i], path))
			return true;
	return false;
}

bool select_file(const struct select *s, const char *path)
{
	if (s->only_files.count && !any_fits_path(&s->only_files, path))
		return false;
	return !any_fits_path(&s->except_files, path);
}

/* The names by which a routine may be called; NULL: no such name. */
struct names {
	char *symbol;		/* without a clone's suffix */
	char *demangled;	/* with parameters */
	char *plain;		/* demangled, without parameters */
};

static bool any_fits_name(const struct list *patterns, const struct names *names)
{
	const char *all[] = {names->symbol, names->demangled, names->plain};

	for (size_t i = 0; i < patterns->count; i++)
		for (int j = 0; j < 3; j++)
			if (all[j] && !fnmatch(patterns->items[i], all[j], 0))
				return true;
	return false;
}

static bool chosen(const struct select *s, const struct names *names)
{
	if (s->only_names.count && !any_fits_name(&s->only_names, names))
		return false;
	return !any_fits_name(&s->except_names, names);
}

bool select_name(const struct select *s, const char *symbol)
{
	const char *suffix = *symbol ? strchr(symbol + 1, '.') : NULL;
	struct names names = {strndup(symbol, suffix ? (size_t)(suffix - symbol) : strlen(symbol)), NULL, NULL};
	bool yes;

	if (names.symbol) {
		names.demangled = cplus_demangle(names.symbol, DMGL_PARAMS | DMGL_AUTO);
		names.plain = cplus_demangle(names.symbol, DMGL_AUTO);
	}
	yes = chosen(s, &names);
	free(names.symbol);
	free(names.demangled);
	free(names.plain);
	return yes;
}

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_*";

/* One line for each pattern: o or e, file: or name:, the pattern; what is not plain, a line's end among it, as % and two digits. */
static void write_list(FILE *out, const char *kind, const struct list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const char *const parts[] = {kind, l->items[i], "\n"};

		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
			for (const char *c = parts[k]; *c; c++)
				fprintf(out, strchr(plain, *c) ? "%c" : "%%%02x", (unsigned char)*c);
	}
}

/* TEXT as it was before it was made plain; NULL without memory, or where it is none. */
static char *select_read_plain(const char *text)
{
	char *line = strdup(text), *to = line;
	unsigned byte;

	for (; line && *text; text++)
		if (*text != '%')
			*to++ = *text;
		else if (sscanf(text, "%%%2x", &byte) == 1 && text[1] && text[2])
			*to++ = (char)byte, text += 2;
		else
			break;
	if (line && *text) {
		free(line);
		return NULL;
	}
	if (line)
		*to = '\0';
	return line;
}

char *select_write(const struct select *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	write_list(out, "ofile:", &s->only_files);
	write_list(out, "efile:", &s->except_files);
	write_list(out, "oname:", &s->only_names);
	write_list(out, "ename:", &s->except_names);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

bool select_read(struct select *s, const char *text, struct error *err)
{
	char *lines = select_read_plain(text), *rest = lines, *line;
	bool good = lines || error_no_memory_for(err, "patterns");

	while (good && (line = strsep(&rest, "\n")))
		good = !*line || select_add(s, *line == 'o', line + 1, err);
	free(lines);
	return good;
}

void select_free(struct select *s)
{
	list_free(&s->only_files);
	list_free(&s->except_files);
	list_free(&s->only_names);
	list_free(&s->except_names);
}
