/* view.c - aprof view: read, symbolise, build the graph, and show it on the terminal. */
#include <unistd.h>

#include "cli/command.h"
#include "view/explorer.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/rereading.h"
#include "input/source_files.h"

static const struct report_input *renew(void *arg, struct error *err)
{
	struct rereading *l = arg;

	return rereading_read(l, NULL, err) ? &rereading_input(l)->report : NULL;
}

static void release(void *arg)
{
	rereading_release(arg);
}

static int explore(const struct operands *operands, const struct options *o)
{
	struct source_reader sources = { .places = &o->sources };
	struct rereading l = { .operands = operands, .options = o, .sources = &sources };
	struct explorer_feed feed = { .renew = renew, .release = release, .arg = &l };
	struct error err;
	bool ok = rereading_read(&l, &listener, &err);

	progress_end();
	if (!(ok && explorer_run(&rereading_input(&l)->report, &feed, &o->report, &err))) {
		message_error(&err, NULL);
		ok = false;
	}
	rereading_free(&l);
	source_reader_free(&sources);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

static int run(const struct command *self, struct options *o, int argc, char **argv)
{
	struct operands operands;
	int status = STATUS_TROUBLE;

	(void)self;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		message("view: standard input and output are no terminal; `aprof hot` and `aprof report` print plain text");
	} else if (operands_sort(&operands, argv + o->first, (size_t)(argc - o->first))) {
		if (operands.gmon)
			message("%s: a gmon.out has no contexts; aprof report reads it", operands.files[0]);
		else
			status = explore(&operands, o);
		operands_free(&operands);
	}
	return status;
}

const struct command command_view = {
	.name = "view",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "explore a profile on the terminal",
	.options = COMMAND_VIEW,
	.function = run,
};
