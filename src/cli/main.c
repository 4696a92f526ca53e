/* main.c - aprof: which command. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/pid.h"
#include "show/report/version.h"

static int main_help(int argc, char **argv);

static const struct command command_help = { .name = "help", .usage = "[COMMAND]", .summary = "this help, or that of a command", .bare = main_help };

/* In the order of the help, in groups: a heading stands with the first of each. */
static const struct {
	const char *heading;		/* NULL: as the one before */
	const struct command *command;
} table[] = {
	{ "Measure", &command_run },
	{ NULL, &command_attach },
	{ NULL, &command_ps },
	{ NULL, &command_reset },
	{ "Look", &command_hot },
	{ NULL, &command_report },
	{ NULL, &command_view },
	{ NULL, &command_html },
	{ NULL, &command_tree },
	{ NULL, &command_annotate },
	{ NULL, &command_paths },
	{ NULL, &command_cycles },
	{ NULL, &command_contexts },
	{ NULL, &command_info },
	{ "Compare", &command_compare },
	{ NULL, &command_diff },
	{ NULL, &command_check },
	{ NULL, &command_compare_models },
	{ "Hand on", &command_export },
	{ NULL, &command_merge },
	{ NULL, &command_push },
	{ NULL, &command_pull },
	{ "Build with hooks", &command_cc },
	{ NULL, &command_cxx },
	{ NULL, &command_fc },
	{ NULL, &command_config },
	{ NULL, &command_cc_step },
	{ NULL, &command_rustc },
	{ NULL, &command_cargo },
	{ NULL, &command_help },
};

enum { COMMANDS = sizeof table / sizeof *table };

static const struct command *main_command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(table[i].command->name, name) == 0)
			return table[i].command;
	return NULL;
}

static void main_help_print(FILE *out)
{
	fputs("Usage: aprof COMMAND [ARGUMENT...]\n"
	      "   or: aprof [OPTION...] PROGRAM [FILE...]     as gprof: the same as aprof report\n\n"
	      "A call graph profiler that knows on whose behalf time was spent, recursion included.\n", out);
	for (size_t i = 0; i < COMMANDS; i++) {
		if (table[i].heading)
			fprintf(out, "\n%s:\n", table[i].heading);
		if (table[i].command->summary)
			fprintf(out, "  %-14s %s\n", table[i].command->name, table[i].command->summary);
	}
	fputs("\nExamples:\n"
	      "  aprof run sort -o sorted words  a program as it is: its call stacks are sampled\n"
	      "  aprof-cc -O2 -o prog prog.c && aprof run ./prog     with hooks: each call counts\n"
	      "\n`aprof COMMAND --help` says more; so does `man aprof`.\n", out);
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int main_help(int argc, char **argv)
{
	const char *topic = argc > 1 && !is_help(argv[1]) ? argv[1] : "help";
	const struct command *c = main_command_find(topic);
	char usual[] = "--help", ours[] = "--aprof-help", name[32];	/* --help of the wrappers is the compiler's */
	bool compiles = c == &command_cc || c == &command_cxx || c == &command_fc;
	char *args[] = { name, compiles ? ours : usual, NULL };

	if (!c) {
		message("%s: no such command; `aprof help` lists them", topic);
		return STATUS_TROUBLE;
	}
	if (!c->summary || c == &command_help) {
		main_help_print(stdout);
		return STATUS_OK;
	}
	snprintf(name, sizeof name, "%s", c->name);
	return command_main(c, 2, args);
}

/* The command for the compiler NAME (clang, g++-12), which it is told by its variable; NULL: that is the name of none. */
static const struct command *command_of_compiler(const char *name)
{
	static const struct {
		const char *part;	/* of the compiler's name */
		const struct command *command;
		const char *variable;
	} compilers[] = {
		{ "gfortran", &command_fc, "APROF_FC" }, { "flang", &command_fc, "APROF_FC" }, { "clang++", &command_cxx, "APROF_CXX" },
		{ "g++", &command_cxx, "APROF_CXX" }, { "clang", &command_cc, "APROF_CC" }, { "gcc", &command_cc, "APROF_CC" },
		{ "gdc", &command_cc, "APROF_CC" },
	};

	for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
		if (strstr(name, compilers[i].part))
			return setenv(compilers[i].variable, name, 1) == 0 ? compilers[i].command : NULL;
	return NULL;
}

/* The command that the name of the program itself means: aprof-cc is aprof cc, and aprof-clang too, by that compiler. */
static const struct command *command_of_program(const char *argv0)
{
	const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;
	const struct command *c;

	if (strcmp(name, "cargo-aprof") == 0)
		return &command_cargo;
	if (strncmp(name, "aprof-", 6) != 0)
		return NULL;
	c = main_command_find(name + 6);
	return c ? c : command_of_compiler(name + 6);
}

/* The command whose name differs from NAME in one letter more, less, other, or two exchanged; NULL: none. */
static const char *command_like(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = table[i].command;
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
static int main_finish(int status)
{
	if (status != STATUS_OK || (fflush(stdout) == 0 && !ferror(stdout)))
		return status;
	message("cannot write to standard output: %s", strerror(errno));
	return STATUS_TROUBLE;
}

static int command_call(const struct command *c, int argc, char **argv)
{
	int status = command_main(c, argc, argv);

	return c == &command_run ? status : main_finish(status);	/* that of its program, whatever else */
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
	int32_t pid;

	signal(SIGXFSZ, on_file_limit);
	setlocale(LC_CTYPE, "");
	if (c)
		return command_call(c, argc, argv);
	if (argc < 2) {
		main_help_print(stderr);
		return STATUS_TROUBLE;
	}
	c = main_command_find(argv[1]);
	if (c)
		return command_call(c, argc - 1, argv + 1);
	if (is_help(argv[1]))
		return main_finish(main_help(1, argv));
	if (strcmp(argv[1], "--version") == 0) {
		printf("aprof %s\n", APROF_VERSION);
		return main_finish(STATUS_OK);
	}
	if (argv[1][0] != '-' && argv[1][0] != '@' && access(argv[1], F_OK) != 0 && !pid_read(argv[1], &pid))
		return unknown_command(argv[1]);
	return main_finish(command_main(&command_report, argc, argv));
}
