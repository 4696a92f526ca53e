/* html.c - aprof html: a page of one profile, or of two sides compared. */
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

/* One profile, or two sides, on their way into a page. */
struct html_work {
	const struct options *options;
	const char *output;		/* the page's file */
	struct input in[2];		/* the profile, or base and new */
	struct html_side sides[2];	/* the same, as the page has them */
	struct comparison compared;	/* of them */
	size_t n;			/* how many */
	bool beside;			/* standard output is another's, who may be read by a program */
	struct source_reader sources;	/* of the only one */
};

static bool html_profile_read(struct html_work *p, const struct operands *operands, struct error *err)
{
	struct input *in = &p->in[0];

	p->n = 1;
	*in = input_asked(p->options);
	in->arcs_do = true;
	in->program = operands->program;
	if (!input_read(in, operands->files, operands->n, NULL, err) || !input_build(in, operands->program, &p->options->graph, err))
		return false;
	if (!p->options->no_source) {
		in->report.source = source_read_file;
		in->report.source_reader = &p->sources;
		p->sources.newest = in->profile->runs[0].header.start_realtime;
	}
	p->sides[0] = (struct html_side){ .label = operands->files[0], .in = &in->report };
	return true;
}

static bool html_sides_read(struct html_work *p, struct compared_sides *sides, bool paired, struct error *err)
{
	const struct side *side[] = { &sides->base, &sides->fresh };

	p->n = 2;
	for (size_t i = 0; i < p->n; i++)
		p->sides[i] = (struct html_side){ .label = side[i]->label ? side[i]->label : side[i]->files[0], .in = &p->in[i].report };
	return comparison_init(&p->compared, err) && compared_sides_build(p->in, sides, p->options, err) &&
		compared_sides_compare(&p->compared, sides, p->options, (struct comparison_parts){ .contexts = true }, paired, err);
}

static int html_page_write(const struct html_work *p)
{
	bool to_stdout = strcmp(p->output, "-") == 0;
	struct error err;
	FILE *out;
	bool ok;

	progress_step("writing the page");
	out = to_stdout ? stdout : fopen(p->output, "w");
	if (!out) {
		progress_end();
		message("%s: cannot write: %s", p->output, strerror(errno));
		return STATUS_TROUBLE;
	}
	ok = html_write(p->sides, p->n, p->n > 1 ? &p->compared : NULL, out, &err);
	progress_end();
	if (!to_stdout && fclose(out) != 0 && ok)
		ok = error_set(&err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write the page: %s", strerror(errno));
	if (!ok) {
		files_drop(to_stdout ? NULL : p->output);
		message_error(&err, p->output);
		return STATUS_TROUBLE;
	}
	if (p->sources.changed)
		message("warning: %s: changed after the program was run; lines may have moved", p->sources.changed);
	if (p->beside)
		message("%s: open it in a browser", p->output);
	else if (!to_stdout)
		printf("%s: open it in a browser\n", p->output);
	return STATUS_OK;
}

static bool page_known(void)
{
	if (!html_known())
		message("this aprof was built without the page: install Node.js and npm, and build it again");
	return html_known();
}

/* The file of the page that is asked for; NULL after a message. */
static const char *html_output(const struct options *o)
{
	const char *output = o->output ? o->output : default_output;

	if (!(o->output ? output_allowed(output, false) : output_unasked(output, FILE_OTHER, "say where to write with -o FILE")) || !page_known())
		return NULL;
	if (o->open && strcmp(output, "-") == 0) {
		message("--open: not with -o -: there is no file to open");
		return NULL;
	}
	return output;
}

/* P was READ, or not, as ERR says: write its page.  Returns the exit status. */
static int html_finish(struct html_work *p, bool read, const struct error *err)
{
	int status = STATUS_TROUBLE;

	if (read) {
		status = html_page_write(p);
	} else {
		progress_end();
		message_error(err, NULL);
	}
	if (status == STATUS_OK && p->options->open && !browser_open(p->output))
		status = STATUS_TROUBLE;
	comparison_free(&p->compared);
	for (size_t i = 0; i < p->n; i++)
		input_free(&p->in[i]);
	source_reader_free(&p->sources);
	return status;
}

int html_page_compared(const struct options *o, struct compared_sides *sides, bool paired)
{
	struct html_work p = { .options = o, .output = html_output(o), .beside = paired };
	struct error err;

	return p.output ? html_finish(&p, html_sides_read(&p, sides, paired, &err), &err) : STATUS_TROUBLE;
}

static int html_page(const struct options *o)
{
	struct html_work p = { .options = o, .output = html_output(o), .sources = { .places = &o->sources } };
	struct operands operands = { 0 };
	struct error err;
	int status = STATUS_TROUBLE;

	if (p.output && operands_sort(&operands, o->operands, o->noperands))
		status = html_finish(&p, html_profile_read(&p, &operands, &err), &err);
	operands_free(&operands);
	return status;
}

static int html_against(const struct options *o)
{
	struct operands base = { 0 }, fresh = { 0 };
	int status = STATUS_TROUBLE;

	if (operands_sort(&base, o->operands, o->nbase) && operands_sort(&fresh, o->operands + o->nbase, o->noperands - o->nbase)) {
		struct compared_sides sides = { .base = { .program = base.program, .files = base.files, .n = base.n },
			.fresh = { .program = fresh.program, .files = fresh.files, .n = fresh.n } };

		status = html_page_compared(o, &sides, false);
	}
	operands_free(&base);
	operands_free(&fresh);
	return status;
}

static int html_run(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	(void)argc;
	(void)argv;
	if (o->live)
		return page_known() ? html_live(o) : STATUS_TROUBLE;
	if (!o->against)
		return html_page(o);
	if (o->noperands != o->nbase)
		return html_against(o);
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
