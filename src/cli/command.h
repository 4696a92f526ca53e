/* command.h - the commands of aprof: one row each, in the file of its name; main.c has the list. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

#include "cli/options.h"

struct command;

/* Run a command with its options O, operands from argv[o->first] on.  Returns the exit status. */
typedef int command_function(const struct command *self, struct options *o, int argc, char **argv);

struct command {
	const char *name;		/* as typed */
	const char *usage;		/* operands, for the usage line; NULL: it is not for users */
	const char *summary;		/* one line; NULL likewise */
	unsigned options;		/* its bit in the table of options */
	bool stops;			/* options end at the first operand, whose own options follow */
	bool responses;			/* @FILE among the arguments stands for the words of that file */
	void (*help)(void);		/* what --help says before the options; NULL: nothing more */
	const char *examples;		/* what it ends with: lines to type, each with what it does behind it; NULL: none */
	command_function *function;	/* what runs; NULL: `bare` does */
	int (*bare)(int argc, char **argv); /* gets the arguments as they are, argv[0] being its name: they are another program's */
};

/* Run C with ARGV, argv[0] being its name: parse its options, or print its help.  Returns the exit status. */
int command_main(const struct command *c, int argc, char **argv);

extern const struct command command_run, command_attach, command_report, command_tree, command_cycles, command_contexts, command_info, command_view, command_annotate,
	command_hot, command_paths, command_compare, command_compare_models, command_html, command_export, command_diff, command_check, command_merge, command_push, command_pull, command_ps, command_reset,
	command_cc, command_cxx, command_fc, command_cc_step, command_rustc, command_cargo, command_config;

#endif
