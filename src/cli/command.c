/* command.c - what all commands do: parse options, print help, run. */
#include "cli/command.h"

#include <stdio.h>

#include "base/list.h"
#include "base/response.h"
#include "cli/message.h"
#include "cli/pager.h"
#include "show/report/version.h"

static void command_help_print(const struct command *c)
{
	printf("Usage: aprof %s %s\n%s\n\n", c->name, c->usage, c->summary);
	if (c->help)
		c->help();
	options_help(c->options);
	if (c->examples)
		printf("\nExamples:\n%s", c->examples);
}

static int parsed(const struct command *c, int argc, char **argv)
{
	int status = STATUS_OK;
	struct options o;

	if (!options_parse(&o, c->options, argc, argv, c->stops)) {
		message("try `aprof %s --help`", c->name);
		status = STATUS_TROUBLE;
	} else if (o.help) {
		command_help_print(c);
	} else if (o.version) {
		printf("aprof %s\n", APROF_VERSION);
	} else {
		if (c->options & COMMAND_PAGED && !o.no_pager)
			pager_begin();
		status = c->function(c, &o, argc, argv);
		pager_end();
	}
	options_free(&o);
	return status;
}

static int with_responses(const struct command *c, char **argv)
{
	struct list words = { 0 };
	struct error err;
	int status = STATUS_TROUBLE;

	if (!response_expand(argv, &words, &err))
		message_error(&err, NULL);
	else if (words.failed)
		message("out of memory");
	else
		status = parsed(c, (int)words.count, words.items);
	list_free(&words);
	return status;
}

int command_main(const struct command *c, int argc, char **argv)
{
	if (c->bare)
		return c->bare(argc, argv);
	return c->responses ? with_responses(c, argv) : parsed(c, argc, argv);
}
