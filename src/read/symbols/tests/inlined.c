/* inlined.c - inlined FILE: for each address of standard input, link-time, from which functions the code there was inlined, innermost first: an empty line
 * ends each. */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/symbols/debug_info.h"

enum { DEEPEST = 64 };

struct chain {
	const char *names[DEEPEST];
	int n;
};

static void keep(void *arg, const struct debug_inlined *f)
{
	struct chain *c = arg;

	if (c->n < DEEPEST)
		c->names[c->n++] = f->name;
}

int main(int argc, char **argv)
{
	Dwfl_Callbacks callbacks;
	struct debug_info debug;
	struct binary binary;
	struct error err;
	unsigned long address;
	char *path;

	if (argc != 2 || !binary_find_debug_files(&callbacks, &path) || !binary_open(&binary, argv[1], &callbacks, &err) || !debug_read(&debug, &binary))
		return 1;
	while (scanf("%lx", &address) == 1) {
		struct chain c = { .n = 0 };

		debug_inlined(&debug, address, keep, &c);
		while (c.n > 0)
			puts(c.names[--c.n]);
		puts("");
	}
	debug_free(&debug);
	binary_close(&binary);
	free(path);
	return 0;
}
