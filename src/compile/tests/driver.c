/* driver.c - the wrapper without the rest of aprof: what cli/ does with compile/, for the tests.
 *
 *   driver cc|c++|fc|cc-step|config ARGS   as `aprof` does it, also as a link named aprof-cc and so on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/compiler.h"

static int run(struct compiler_command *c)
{
	if (c->report)
		fputs(c->report, stderr);
	execv(c->path, c->argv);
	perror(c->path);
	return 2;
}

static int fail(const struct error *err)
{
	fprintf(stderr, "aprof: %s\n", err->text);
	return 2;
}

static int config(char **args)
{
	struct error err = {0};
	char *text = compiler_config(args, &err);

	if (!text)
		return fail(&err);
	fputs(text, stdout);
	free(text);
	return 0;
}

static int wrap(const char *name, char **args)
{
	struct compiler_command command = {0};
	struct error err = {0};
	bool good;

	if (!strcmp(name, "cc-step"))
		good = compiler_step(args, &command, &err);
	else
		good = compiler_wrap(!strcmp(name, "cc") ? COMPILER_C : !strcmp(name, "c++") ? COMPILER_CXX : COMPILER_FORTRAN,
				     args, &command, &err);
	return good ? run(&command) : fail(&err);
}

int main(int argc, char **argv)
{
	const char *base = strrchr(argv[0], '/');

	(void)argc;
	base = base ? base + 1 : argv[0];
	if (!strncmp(base, "aprof-", strlen("aprof-")))
		return wrap(base + strlen("aprof-"), argv + 1);
	if (!argv[1])
		return 2;
	return !strcmp(argv[1], "config") ? config(argv + 2) : wrap(argv[1], argv + 2);
}
