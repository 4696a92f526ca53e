/* dump_static_arcs.c - prints the static arcs of a program, one a line: `from to`.
 *
 *     dump-static-arcs [--hooked | --text] PROGRAM
 *
 * --hooked: those of functions that call a hook.  --text: those of gprof's table of routines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/symbols.h"
#include "read/gmon/text.h"

static void print(void *arg, const struct symbol *from, const struct symbol *to)
{
	(void)arg;
	printf("%s %s\n", from->name, to->name);
}

static const char *name_at(const struct text *t, uint64_t address)
{
	size_t i = 0;

	while (i + 1 < t->n && t->symbols[i + 1].start <= address)
		i++;
	return t->symbols[i].name;
}

static int print_text(const char *path)
{
	struct error err;
	struct text *t = text_read(path, &(struct text_options){ .mangled = true }, &err);
	size_t n = 0;
	struct gmon_arc *arcs = t ? text_static_arcs(t, &n) : NULL;

	for (size_t i = 0; i < n; i++)
		printf("%s %s\n", name_at(t, arcs[i].from), name_at(t, arcs[i].self));
	if (!t)
		fprintf(stderr, "%s\n", err.text);
	free(arcs);
	text_free(t);
	return !arcs;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--text"))
		return print_text(argv[2]);

	bool hooked = argc > 2 && !strcmp(argv[1], "--hooked");
	struct profile_module module = { .path = argc > 1 ? argv[argc - 1] : (char *)"", .main_program = true };
	struct profile profile = { .modules = &module, .nmodules = 1 };
	struct error err;
	struct symbols *s = symbols_open(&profile, NULL, &err);
	bool ok = s && symbols_static_arcs(s, 0, hooked, print, NULL);

	if (!ok)
		fprintf(stderr, "%s\n", s && symbols_warning(s, 0) ? symbols_warning(s, 0) : "nothing was read");
	symbols_free(s);
	return !ok;
}
