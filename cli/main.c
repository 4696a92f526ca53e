/* main.c - aprof: which command. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "report/version.h"

struct command {
	const char *name;		/* as typed */
	command_function *function;	/* what runs */
	const char *usage;		/* operands, for the usage line */
	const char *summary;		/* one line */
};

static const struct command table[] = {
	{ "run", command_run, "[OPTION...] [--] PROGRAM [ARGUMENT...]", "run a program, then report" },
	{ "report", command_report, "[OPTION...] [PROGRAM] [FILE...]", "flat profile and call graph" },
	{ "hot", command_hot, "[OPTION...] [PROGRAM] [FILE...]", "where to look first, in one screen" },
	{ "view", command_view, "[OPTION...] [PROGRAM] [FILE...]", "explore a profile on the terminal" },
	{ "tree", command_tree, "[OPTION...] [PROGRAM] [FILE...]", "contexts as a tree, from the root or from the leaves" },
	{ "cycles", command_cycles, "[OPTION...] [PROGRAM] [FILE...]", "cycles of calls that were really traversed" },
	{ "paths", command_paths, "[OPTION...] [PROGRAM] [FILE...]", "call sequences that recur in many contexts" },
	{ "annotate", command_annotate, "[OPTION...] ROUTINE|FILE [PROGRAM] [FILE...]", "the source of a routine, with times and calls" },
	{ "compare-models", command_compare_models, "[OPTION...] [PROGRAM] [FILE...]", "how wrong gprof's model is for this very program" },
	{ "contexts", command_contexts, "[OPTION...] [PROGRAM] [FILE...]", "every context, one a line" },
	{ "info", command_info, "[OPTION...] [PROGRAM] [FILE...]", "what is in the files, and what was lost" },
	{ "html", command_html, "[OPTION...] [PROGRAM] [FILE...] [--against [PROGRAM] FILE...]",
	  "a page to look at, or two profiles compared in one" },
	{ "export", command_export, "[OPTION...] FORMAT [PROGRAM] [FILE...]", "write the profile in another program's format" },
	{ "diff", command_diff, "[OPTION...] [PROGRAM] BASE [PROGRAM] NEW\n"
	  "   or: aprof diff [OPTION...] [PROGRAM] BASE... --against [PROGRAM] NEW...", "what changed between runs" },
	{ "check", command_check, "[OPTION...] [PROGRAM] BASE... --against [PROGRAM] NEW...", "did it get worse: status 1 and the routines that did" },
	{ "merge", command_merge, "-o OUT FILE...", "one file from many" },
	{ "reset", command_reset, "PID", "zero the counters of a running program" },
	{ "cc", command_cc, "[ARGUMENT...]", "compile C with hooks (also aprof-cc)" },
	{ "c++", command_cxx, "[ARGUMENT...]", "compile C++ with hooks (also aprof-c++)" },
	{ "fc", command_fc, "[ARGUMENT...]", "compile Fortran with hooks (also aprof-fc)" },
	{ "config", command_config, "[OPTION...]", "flags for compiling and linking with hooks" },
	{ "cc-step", command_cc_step, NULL, NULL },	/* how aprof cc is called by the compiler's driver */
	{ "help", command_help, "[COMMAND]", "this help, or that of a command" },
	{ NULL, NULL, NULL, NULL },
};

static const struct command *command_find(const char *name)
{
	for (const struct command *c = table; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

void command_usage(const char *name)
{
	const struct command *c = command_find(name);

	printf("Usage: aprof %s %s\n%s\n\n", c->name, c->usage, c->summary);
}

static void help_print(FILE *out)
{
	fputs("Usage: aprof COMMAND [ARGUMENT...]\n"
	      "   or: aprof [OPTION...] PROGRAM [FILE...]     as gprof: the same as aprof report\n\n"
	      "A call graph profiler that knows on whose behalf time was spent, recursion included.\n\n", out);
	for (const struct command *c = table; c->name; c++)
		if (c->summary)
			fprintf(out, "  %-14s %s\n", c->name, c->summary);
	fputs("\n  aprof-cc -O2 -o prog prog.c     build with hooks\n"
	      "  aprof run ./prog                run it and read the report\n"
	      "\n`aprof COMMAND --help` says more; so does `man aprof`.\n", out);
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int command_help(int argc, char **argv)
{
	const char *topic = argc > 1 && !is_help(argv[1]) ? argv[1] : "help";
	const struct command *c = command_find(topic);
	char help[] = "--help", ours[] = "--aprof-help", name[32];	/* --help of the wrappers is the compiler's */
	bool compiles = c && (c->function == command_cc || c->function == command_cxx || c->function == command_fc);
	char *args[] = { name, compiles ? ours : help, NULL };

	if (!c) {
		message("%s: no such command; `aprof help` lists them", topic);
		return STATUS_TROUBLE;
	}
	if (!c->summary || c->function == command_help) {
		help_print(stdout);
		return STATUS_OK;
	}
	snprintf(name, sizeof name, "%s", c->name);
	return c->function(2, args);
}

/* The command that the name of the program itself means: aprof-cc is aprof cc. */
static const struct command *command_of_program(const char *argv0)
{
	const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;

	return strncmp(name, "aprof-", 6) == 0 ? command_find(name + 6) : NULL;
}

/* The command whose name differs from NAME in one letter more, less, other, or two exchanged; NULL: none. */
static const char *command_like(const char *name)
{
	for (const struct command *c = table; c->name; c++) {
		size_t head = 0, n = strlen(name), m = strlen(c->name), tail = 0;

		while (name[head] && name[head] == c->name[head])
			head++;
		while (tail < n - head && tail < m - head && name[n - 1 - tail] == c->name[m - 1 - tail])
			tail++;
		if (n - head - tail <= 1 && m - head - tail <= 1 && m > 2)
			return c->name;
		if (n == m && n - head - tail == 2 && name[head] == c->name[head + 1] && name[head + 1] == c->name[head])
			return c->name;
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *like = command_like(name);

	if (like)
		message("%s: no such command or file; did you mean `aprof %s`?", name, like);
	else
		message("%s: no such command or file; `aprof help` lists the commands", name);
	return STATUS_TROUBLE;
}

/* STATUS, or trouble if what was printed did not get out. */
static int finish(int status)
{
	if (status != STATUS_OK || (fflush(stdout) == 0 && !ferror(stdout)))
		return status;
	message("cannot write to standard output: %s", strerror(errno));
	return STATUS_TROUBLE;
}

static int command_call(const struct command *c, int argc, char **argv)
{
	int status = c->function(argc, argv);

	return c->function == command_run ? status : finish(status);	/* that of its program, whatever else */
}

/* Beyond the limit on the size of files a write fails, and is told of, as on a full disk: by default the signal would kill us without a word.
 * It is not ignored, which what we start would inherit. */
static void on_file_limit(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	const struct command *c = argc > 0 ? command_of_program(argv[0]) : NULL;

	signal(SIGXFSZ, on_file_limit);
	setlocale(LC_CTYPE, "");
	if (c)
		return command_call(c, argc, argv);
	if (argc < 2) {
		help_print(stderr);
		return STATUS_TROUBLE;
	}
	c = command_find(argv[1]);
	if (c)
		return command_call(c, argc - 1, argv + 1);
	if (is_help(argv[1]))
		return finish(command_help(1, argv));
	if (strcmp(argv[1], "--version") == 0) {
		printf("aprof %s\n", APROF_VERSION);
		return finish(STATUS_OK);
	}
	if (argv[1][0] != '-' && argv[1][0] != '@' && access(argv[1], F_OK) != 0)
		return unknown_command(argv[1]);
	return finish(command_report(argc, argv));
}
