/* view.c - aprof view: read, symbolise, build the graph, and show it on the terminal; or two sides, and what changed. */
#include <unistd.h>

#include "cli/input_options.h"
#include "cli/command.h"
#include "show/view/explorer.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/rereading.h"
#include "cli/compared_sides.h"

static const struct report_input *view_renew(void *arg, struct error *err)
{
	struct rereading *l = arg;

	return rereading_read(l, NULL, err) ? &rereading_input(l)->report : NULL;
}

static void view_release(void *arg)
{
	rereading_release(arg);
}

static int explore(const struct operands *operands, const struct options *o)
{
	struct source_reader sources = { .places = &o->sources };
	struct rereading l = { .operands = operands, .options = o, .sources = &sources };
	struct explorer_feed feed = { .renew = view_renew, .release = view_release, .arg = &l };
	struct error err;
	bool ok = rereading_read(&l, &listener, &err);

	progress_end();
	if (!(ok && explorer_run(&rereading_input(&l)->report, NULL, &feed, &o->report, &err))) {
		message_error(&err, NULL);
		ok = false;
	}
	rereading_free(&l);
	source_reader_free(&sources);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

/* What changed is judged as diff does it, a run at a time; all other pages are of the mean of a side's runs. */
static bool sides_explore(struct compared_sides *sides, struct input in[2], struct comparison *c, const struct options *o, struct error *err)
{
	struct source_reader sources = { .places = &o->sources };
	struct explorer_compared compared = { .comparison = c, .base = &in[0].report };
	bool ok = compared_sides_build(in, sides, o, err) && compared_sides_compare(c, sides, o, (struct comparison_parts){ .contexts = true }, false, err);

	for (int i = 0; i < 2; i++) {
		in[i].report.source = source_read_file;
		in[i].report.source_reader = &sources;
	}
	progress_end();
	ok = ok && explorer_run(&in[1].report, &compared, NULL, &o->report, err);
	source_reader_free(&sources);
	return ok;
}

static int explore_sides(const struct options *o)
{
	struct compared_sides sides;
	struct input in[2] = { 0 };
	struct comparison c;
	struct error err;
	bool ok;

	if (!compared_sides_sort(&sides, o, "view"))
		return STATUS_TROUBLE;
	ok = comparison_init(&c, &err) && sides_explore(&sides, in, &c, o, &err);
	if (!ok)
		message_error(&err, NULL);
	comparison_free(&c);
	input_free(&in[0]);
	input_free(&in[1]);
	compared_sides_free(&sides);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

static int explore_one(const struct options *o)
{
	struct operands operands;
	int status;

	if (!operands_sort(&operands, o->operands, o->noperands))
		return STATUS_TROUBLE;
	status = explore(&operands, o);
	operands_free(&operands);
	return status;
}

static int view_run(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	(void)argc;
	(void)argv;
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return o->against ? explore_sides(o) : explore_one(o);
	message("view: standard input and output are no terminal; `aprof hot` and `aprof report` print plain text");
	return STATUS_TROUBLE;
}

const struct command command_view = {
	.name = "view",
	.usage = "[OPTION...] [PROGRAM] [FILE...]\n"
		"   or: aprof view [OPTION...] [PROGRAM] BASE... --against [PROGRAM] NEW...",
	.summary = "explore a profile on the terminal",
	.options = COMMAND_VIEW,
	.examples = "  aprof view                               walk through amon.out\n"
		    "  aprof view old.amon --against amon.out   what changed, too\n",
	.function = view_run,
};
