/* view.c - aprof view: read, symbolise, build the graph, and show it on the terminal. */
#include <unistd.h>

#include "cli/command.h"
#include "view/explorer.h"
#include "input/input.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "input/source_files.h"

static int explore(const struct operands *operands, const struct options *o)
{
	struct source_reader sources = { .places = &o->sources };
	struct input in = { .listener = &listener, .phase = o->phase };
	struct error err;
	bool ok = input_read(&in, operands->files, operands->n, NULL, &err)
		&& input_build(&in, operands->program, &o->graph, &err);

	progress_end();
	if (ok) {
		in.report.source = source_read_file;
		in.report.source_reader = &sources;
		ok = explorer_run(&in.report, &o->report, &err);
	}
	if (!ok)
		message_error(&err, NULL);
	input_free(&in);
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
