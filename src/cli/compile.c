/* compile.c - aprof cc, c++, fc and config: what compile/ decides is executed or printed here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "compile/compiler.h"
#include "cli/message.h"

/* Become the compiler; returns only when that fails. */
static int compile_execute(struct compiler_command *c)
{
	int status = STATUS_TROUBLE;

	if (c->report)
		fputs(c->report, stderr);
	execv(c->path, c->argv);
	message("cannot run the compiler %s: %s", c->path, strerror(errno));
	compiler_free(c);
	return status;
}

static int wrap(enum compiler_language language, char **args)
{
	struct compiler_command c = { 0 };
	enum compiler_help help = compiler_wants_help(args);
	struct error err;

	if (help != COMPILER_HELP_NONE)
		fputs(compiler_help_text, stdout);
	if (help == COMPILER_HELP_OURS)
		return STATUS_OK;
	if (help == COMPILER_HELP_BOTH && (puts("\nThe compiler's own help:\n") == EOF || fflush(stdout) == EOF))
		return STATUS_OK;		/* main says that it cannot be written */
	if (compiler_wrap(language, args, &c, &err))
		return compile_execute(&c);
	message_error(&err, NULL);
	return STATUS_TROUBLE;
}

static int cc(int argc, char **argv)
{
	(void)argc;
	return wrap(COMPILER_C, argv + 1);
}

static int cxx(int argc, char **argv)
{
	(void)argc;
	return wrap(COMPILER_CXX, argv + 1);
}

static int fc(int argc, char **argv)
{
	(void)argc;
	return wrap(COMPILER_FORTRAN, argv + 1);
}

/* Become what MAKE makes of ARGS. */
static int become(bool (*make)(char *const *, struct compiler_command *, struct error *), char **args)
{
	struct compiler_command c = { 0 };
	struct error err;

	if (make(args, &c, &err))
		return compile_execute(&c);
	message_error(&err, NULL);
	return STATUS_TROUBLE;
}

static int cc_step(int argc, char **argv)
{
	(void)argc;
	return become(compiler_step, argv + 1);
}

static int rustc(int argc, char **argv)
{
	(void)argc;
	return become(compiler_rustc, argv + 1);
}

static int cargo(int argc, char **argv)
{
	(void)argc;
	return become(compiler_cargo, argv + 1);
}

static int config(int argc, char **argv)
{
	struct error err;
	char *answer;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(compiler_config_help, stdout);
		return STATUS_OK;
	}
	answer = compiler_config(argv + 1, &err);
	if (!answer) {
		message_error(&err, NULL);
		return STATUS_TROUBLE;
	}
	fputs(answer, stdout);
	free(answer);
	return STATUS_OK;
}

const struct command command_cc = {
	.name = "cc",
	.usage = "[ARGUMENT...]",
	.summary = "compile C with hooks (also aprof-cc)",
	.bare = cc,
};

const struct command command_cxx = {
	.name = "c++",
	.usage = "[ARGUMENT...]",
	.summary = "compile C++ with hooks (also aprof-c++)",
	.bare = cxx,
};

const struct command command_fc = {
	.name = "fc",
	.usage = "[ARGUMENT...]",
	.summary = "compile Fortran with hooks (also aprof-fc)",
	.bare = fc,
};

const struct command command_cc_step = {
	.name = "cc-step",
	.usage = NULL,
	.summary = NULL,
	.bare = cc_step,
};

const struct command command_rustc = {
	.name = "rustc",
	.usage = NULL,
	.summary = NULL,
	.bare = rustc,
};

const struct command command_cargo = {
	.name = "cargo",
	.usage = NULL,
	.summary = NULL,
	.bare = cargo,
};

const struct command command_config = {
	.name = "config",
	.usage = "[OPTION...]",
	.summary = "flags for compiling and linking with hooks",
	.bare = config,
};
