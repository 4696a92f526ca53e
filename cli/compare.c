/* compare.c - aprof diff and aprof check: read the runs of both sides, compare, print. */
#include "cli/command.h"
#include "cli/html_page.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/sides.h"

typedef bool print_function(const struct comparison *c, const struct options *o, int *status, struct error *err);

static bool diff_print(const struct comparison *c, const struct options *o, int *status, struct error *err)
{
	(void)status;
	return (o->report.json ? diff_json : diff_text)(c, &o->diff, stdout, err);
}

static bool check_do(const struct comparison *c, const struct options *o, int *status, struct error *err)
{
	struct check check;
	bool ok;

	if (!check_make(&check, c, &o->check, err))
		return false;
	ok = check_print(&check, c, &o->check, stdout, err);
	if (check.worse)
		*status = STATUS_CHECK;
	check_free(&check);
	return ok;
}

static int compare(const struct sides_given *sides, const struct options *o, bool contexts, print_function *print)
{
	struct comparison c;
	struct error err;
	int status = STATUS_OK;
	bool ok = comparison_init(&c, &err) && sides_compare(&c, sides, o, contexts, &err);

	progress_end();
	ok = ok && print(&c, o, &status, &err);
	if (!ok)
		message_error(&err, NULL);
	comparison_free(&c);
	return ok ? status : STATUS_TROUBLE;
}

/* aprof html compares two profiles: those of each side, added up. */
static int page(const struct sides_given *sides, struct options *o)
{
	if (sides->base.n != sides->fresh.n)
		message("note: the page adds up the runs of each side, and one side has more of them");
	o->nbase = sides_first(o);
	o->against = true;
	return html_page(o);
}

static int command(const char *name, unsigned bit, int argc, char **argv, bool contexts, print_function *print)
{
	struct sides_given sides;
	struct options o;
	int status = STATUS_TROUBLE;

	if (!options_parse(&o, bit, argc, argv, false)) {
		message("try `aprof %s --help`", name);
	} else if (o.help) {
		command_usage(name);
		options_help(bit);
		status = STATUS_OK;
	} else if (o.output && !o.html) {
		message("-o: goes with --html");
	} else if (sides_sort(&sides, &o, name)) {
		status = o.html ? page(&sides, &o) : compare(&sides, &o, contexts, print);
		sides_free(&sides);
	}
	options_free(&o);
	return status;
}

int command_diff(int argc, char **argv)
{
	return command("diff", COMMAND_DIFF, argc, argv, true, diff_print);
}

int command_check(int argc, char **argv)
{
	return command("check", COMMAND_CHECK, argc, argv, false, check_do);
}
