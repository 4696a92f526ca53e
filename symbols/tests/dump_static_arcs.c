/* dump_static_arcs.c - prints the static arcs of a program, one a line: `from to`.
 *
 *     dump-static-arcs [--hooked] PROGRAM */
#include <stdio.h>
#include <string.h>

#include "symbols.h"

static void print(void *arg, const struct symbol *from, const struct symbol *to)
{
	(void)arg;
	printf("%s %s\n", from->name, to->name);
}

int main(int argc, char **argv)
{
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
