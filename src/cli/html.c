/* html.c - aprof html: a page of one profile, or of two compared. */
#include "show/page/contents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/browser.h"
#include "cli/input_options.h"
#include "cli/command.h"
#include "cli/html_page.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/progress.h"

static const char default_output[] = "amon.html";

/* One or two profiles on their way into a page. */
struct html_work {
	struct operands operands[2];	/* base, and what is compared with it */
	struct input in[2];		/* the same, read */
	struct html_side sides[2];	/* the same, as the page has them */
	size_t n;			/* how many */
	struct source_reader sources;	/* of the only one */
};

static bool clocks_agree(const struct html_work *p)
{
	const struct profile *base = p->in[0].profile, *fresh = p->in[1].profile;

	if (base->runs[0].header.clock == fresh->runs[0].header.clock)
		return true;
	progress_end();
	message("%s was measured by another clock than %s; their times cannot be compared", fresh->runs[0].label, base->runs[0].label);
	return false;
}

static bool html_page_read(struct html_work *p, const struct options *options)
{
	struct error err;

	for (size_t i = 0; i < p->n; i++) {
		const struct operands *o = &p->operands[i];

		p->in[i] = input_asked(options);
		if (!input_read(&p->in[i], o->files, o->n, NULL, &err) || !input_build(&p->in[i], o->program, &options->graph, &err)) {
			progress_end();
			message_error(&err, NULL);
			return false;
		}
		if (p->n == 1 && !options->no_source) {
			p->in[i].report.source = source_read_file;
			p->in[i].report.source_reader = &p->sources;
			p->sources.newest = p->in[i].profile->runs[0].header.start_realtime;
		}
		p->sides[i] = (struct html_side){ .label = o->files[0], .in = &p->in[i].report };
	}
	return p->n < 2 || clocks_agree(p);
}

static int html_page_write(const struct html_work *p, const char *output)
{
	bool to_stdout = strcmp(output, "-") == 0;
	struct error err;
	FILE *out;
	bool ok;

	progress_step("writing the page");
	out = to_stdout ? stdout : fopen(output, "w");
	if (!out) {
		progress_end();
		message("%s: cannot write: %s", output, strerror(errno));
		return STATUS_TROUBLE;
	}
	ok = html_write(p->sides, p->n, out, &err);
	progress_end();
	if (!to_stdout && fclose(out) != 0 && ok)
		ok = error_set(&err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write the page: %s", strerror(errno));
	if (!ok) {
		files_drop(to_stdout ? NULL : output);
		message_error(&err, output);
		return STATUS_TROUBLE;
	}
	if (p->sources.changed)
		message("warning: %s: changed after the program was run; lines may have moved", p->sources.changed);
	if (!to_stdout)
		printf("%s: open it in a browser\n", output);
	return STATUS_OK;
}

static bool page_known(void)
{
	if (!html_known())
		message("this aprof was built without the page: install Node.js and npm, and build it again");
	return html_known();
}

int html_page(const struct options *o)
{
	const char *output = o->output ? o->output : default_output;
	struct html_work p = { .n = o->against ? 2 : 1, .sources = { .places = &o->sources } };
	int status = STATUS_TROUBLE;
	bool ok = (o->output ? output_allowed(output, false) : output_unasked(output, FILE_OTHER, "say where to write with -o FILE"))
		&& page_known() && operands_sort(&p.operands[0], o->operands, o->nbase);

	if (ok && o->against)
		ok = operands_sort(&p.operands[1], o->operands + o->nbase, o->noperands - o->nbase);
	for (size_t i = 0; ok && i < p.n; i++)
		if (p.operands[i].gmon) {
			operands_refuse_gmon(p.operands[i].files[0]);
			ok = false;
		}
	if (ok && o->open && strcmp(output, "-") == 0) {
		message("--open: not with -o -: there is no file to open");
		ok = false;
	}
	if (ok && html_page_read(&p, o))
		status = html_page_write(&p, output);
	if (status == STATUS_OK && o->open && !browser_open(output))
		status = STATUS_TROUBLE;
	for (size_t i = 0; i < p.n; i++) {
		input_free(&p.in[i]);
		operands_free(&p.operands[i]);
	}
	source_reader_free(&p.sources);
	return status;
}

static int html_run(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	(void)argc;
	(void)argv;
	if (o->live)
		return page_known() ? html_live(o) : STATUS_TROUBLE;
	if (!o->against || o->noperands != o->nbase)
		return html_page(o);
	message("--against: name what to compare with after it");
	return STATUS_TROUBLE;
}

const struct command command_html = {
	.name = "html",
	.usage = "[OPTION...] [PROGRAM] [FILE...] [--against [PROGRAM] FILE...]\n"
		"   or: aprof html --live [OPTION...] [PROGRAM] [FILE...]",
	.summary = "a page to look at, or two profiles compared in one",
	.options = COMMAND_HTML,
	.examples = "  aprof html -o page.html                  amon.out as one page\n"
		    "  aprof html --open perf.data              a profile of perf, in the browser\n",
	.function = html_run,
};
