/* diff.c - aprof diff and aprof check: read the runs of both sides, compare, print. */
#include "cli/command.h"
#include "cli/html_page.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/compared_sides.h"
#include "show/diff/check_print.h"

typedef bool print_function(const struct comparison *c, const struct options *o, int *status, struct error *err);

static bool diff_print(const struct comparison *c, const struct options *o, int *status, struct error *err)
{
	(void)status;
	return (o->report.json ? diff_json : diff_text)(c, &o->diff, stdout, err);
}

static bool check_do(const struct comparison *c, const struct options *o, int *status, struct error *err)
{
	struct check found;
	bool ok;

	if (!check_make(&found, c, &o->check, err))
		return false;
	ok = check_print(&found, c, &o->check, stdout, err);
	if (found.worse)
		*status = STATUS_CHECK;
	check_free(&found);
	return ok;
}

static int diff_compare(const struct compared_sides *sides, const struct options *o, struct comparison_parts parts, print_function *print)
{
	struct comparison c;
	struct error err;
	int status = STATUS_OK;
	bool ok = comparison_init(&c, &err) && compared_sides_compare(&c, sides, o, parts, false, &err);

	progress_end();
	ok = ok && print(&c, o, &status, &err);
	if (!ok)
		message_error(&err, NULL);
	comparison_free(&c);
	return ok ? status : STATUS_TROUBLE;
}

static int diff_run(const struct command *self, struct options *o, struct comparison_parts parts, print_function *print)
{
	struct compared_sides sides;
	int status = STATUS_TROUBLE;

	if (o->output && !o->html) {
		message("-o: goes with --html");
	} else if (o->html && o->report.sites) {
		message("--sites: not with --html: the page compares no call sites");
	} else if (compared_sides_sort(&sides, o, self->name)) {
		status = o->html ? html_page_compared(o, &sides, false) : diff_compare(&sides, o, parts, print);
		compared_sides_free(&sides);
	}
	return status;
}

static int diff(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return diff_run(self, o, (struct comparison_parts){ true, o->report.sites }, diff_print);
}

static int diff_check(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return diff_run(self, o, (struct comparison_parts){ false, o->report.sites }, check_do);
}

const struct command command_diff = {
	.name = "diff",
	.usage = "[OPTION...] [PROGRAM] BASE [PROGRAM] NEW\n"
		"   or: aprof diff [OPTION...] [PROGRAM] BASE... --against [PROGRAM] NEW...",
	.summary = "what changed between runs",
	.options = COMMAND_DIFF,
	.examples = "  aprof diff old.amon new.amon             what changed, beyond noise\n"
		    "  aprof diff old*.amon --against new*.amon several runs a side see more\n",
	.function = diff,
};

const struct command command_check = {
	.name = "check",
	.usage = "[OPTION...] [PROGRAM] BASE... --against [PROGRAM] NEW...",
	.summary = "did it get worse: status 1 and the routines that did",
	.options = COMMAND_CHECK,
	.examples = "  aprof check old.amon --against new.amon  for CI: any call more is worse\n"
		    "  aprof check --max-regress=5% old*.amon --against new*.amon\n",
	.function = diff_check,
};
