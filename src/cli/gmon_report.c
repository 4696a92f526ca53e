/* gmon_report.c - read the program's symbols and the gmon.out files, make gprof's view of them, report. */
#include "cli/gmon_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/progress.h"
#include "show/gprof/listing.h"

enum { MOST_REPORTS = 8 };

/* Everything behind one report. */
struct look {
	const struct options *o;	/* what was asked for */
	struct text *text;		/* the program's symbols */
	struct gmon gmon;		/* sum of the files */
	struct gmon_arc *found;		/* calls in the program's code (-c); NULL: not asked for */
	struct gprof *gprof;		/* gprof's view of it */
	unsigned views;			/* what is printed */
};

static bool files_add(struct look *l, const struct operands *operands, struct error *err)
{
	gmon_init(&l->gmon, l->text->layout);
	for (size_t i = 0; i < operands->n; i++) {
		size_t len;
		void *data = files_load(operands->files[i], &len, err);
		bool ok = data && gmon_read(&l->gmon, data, len, l->o->gprof.format, operands->files[i], err);

		free(data);
		if (!ok)
			return false;
	}
	return true;
}

/* What is printed: by default the two listings, as far as the files have what they need. */
static bool views_choose(struct look *l)
{
	const struct gmon *m = &l->gmon;
	unsigned have = (m->has_histogram ? VIEW_FLAT : 0) | (m->has_arcs ? VIEW_GRAPH : 0);

	l->views = gprof_views(&l->o->gprof, have ? have : VIEW_COUNTS);
	if (l->views & VIEW_FLAT & ~have)
		message("no flat profile: the files have no histogram");
	else if (l->views & VIEW_GRAPH & ~have)
		message("no call graph: the files have no arcs");
	else
		return true;
	return false;
}

static void files_describe(const struct gmon *m)
{
	for (size_t i = 0; i < m->nfiles; i++) {
		const struct gmon_file *f = &m->files[i];

		printf("File `%s' (version %u) contains:\n", f->label, f->version);
		printf("\t%u histogram record%s\n", f->histograms, f->histograms == 1 ? "" : "s");
		printf("\t%u call-graph record%s\n", f->arcs, f->arcs == 1 ? "" : "s");
		printf("\t%u basic-block count record%s\n", f->blocks, f->blocks == 1 ? "" : "s");
	}
}

static bool gmon_report_sum_write(const struct gmon *m, struct error *err)
{
	void *data;
	size_t len;
	bool ok;

	if (!output_is_ours("gmon.sum", FILE_GMON))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "gmon.sum: a file of somebody else's, which is not replaced; move it away");
	data = gmon_write(m, &len, err);
	ok = data && files_write("gmon.sum", data, len, err);
	free(data);
	return ok;
}

/* Whether there is source to annotate. */
static bool has_source(const struct gprof *g, bool zeros)
{
	for (uint32_t i = 0; i < g->nroutines; i++)
		if (g->routines[i].symbol->file && g->routines[i].symbol->line && (zeros || g->routines[i].calls))
			return true;
	return false;
}

/* The reports of VIEWS, in gprof's order; returns how many. */
static size_t gmon_report_reports_of(const char **names, unsigned views, bool traditional)
{
	size_t n = 0;

	if (views & VIEW_GRAPH && traditional)
		names[n++] = "gprof-graph";
	if (views & VIEW_FLAT)
		names[n++] = "gprof-flat";
	if (views & VIEW_GRAPH && !traditional)
		names[n++] = "gprof-graph";
	if (views & VIEW_GRAPH)
		names[n++] = "gprof-index";
	if (views & VIEW_COUNTS)
		names[n++] = "gprof-counts";
	if (views & VIEW_SOURCE)
		names[n++] = "gprof-source";
	return n;
}

static bool print(struct look *l, struct error *err)
{
	struct report_input in = { .gmon = l->gprof };
	const char *names[MOST_REPORTS];
	size_t n;

	if (l->views & VIEW_SOURCE && !has_source(l->gprof, l->o->report.gprof.zeros)) {
		message("note: no source is shown: the program has no lines of routines that ran (compile it with -g)");
		l->views &= ~(unsigned)VIEW_SOURCE;
	}
	if (l->o->report.json && l->views & VIEW_COUNTS)
		l->views &= ~(unsigned)VIEW_SOURCE;		/* its JSON are the counts */
	n = gmon_report_reports_of(names, l->views, l->o->report.gprof.traditional);
	progress_end();
	if (l->views & VIEW_INFO && !l->o->report.json)
		files_describe(&l->gmon);
	if (n > 0 && l->views & VIEW_INFO && !l->o->report.json)
		fputs("\f\n", stdout);
	if ((n > 0 || l->o->report.json) && !report_print(gprof_listings, names, n, &in, &l->o->report, stdout, err))
		return false;
	names[0] = l->views & VIEW_FILES ? "gprof-files" : "gprof-functions";	/* not on a page of its own */
	return !(l->views & (VIEW_FUNCTIONS | VIEW_FILES)) || l->o->report.json ||
	       report_print(gprof_listings, names, 1, &in, &l->o->report, stdout, err);
}

static bool gmon_report_run(struct look *l, const struct operands *operands, const char *program, struct error *err)
{
	const struct gprof_choice *c = &l->o->gprof;
	struct text_options text = { .no_static = c->no_static, .functions_only = c->functions_only, .lines = l->o->report.gprof.lines,
		.mangled = c->mangled, .table = l->o->report.gprof.lines ? NULL : c->table, .map = c->map };
	struct gprof_options options = { .specs = c->specs, .nspecs = c->nspecs, .lines = l->o->report.gprof.lines };

	progress_begin();
	progress_step("reading symbols");
	l->text = text_read(program, &text, err);
	if (!l->text || !files_add(l, operands, err))
		return false;
	if (!views_choose(l))
		return error_set(err, ERROR_NONE, ERROR_NO_OFFSET, "nothing");
	if (l->views & VIEW_SUM && !gmon_report_sum_write(&l->gmon, err))
		return false;
	if (l->gmon.has_blocks && !options.lines)
		message("note: counts of basic blocks are shown with -l only");
	if (l->o->static_arcs) {
		progress_step("reading the code");
		options.found = l->found = text_static_arcs(l->text, &options.nfound);
		if (!l->found)
			return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%s: its code could not be read for calls (-c)", program);
	}
	options.others = l->text->others;
	options.nothers = l->text->nothers;
	progress_step("building the call graph");
	l->gprof = gprof_build(&l->gmon, l->text->symbols, l->text->n, &options, err);
	return l->gprof && print(l, err);
}

/* Options that need what a gmon.out does not hold would be lost without a word, and the whole taken for a part.  False after a
 * message. */
static bool gmon_report_options_fit(const struct options *o)
{
	const struct { bool given; const char *option, *instead; } needing[] = {
		{ o->graph.nfocus > 0, "--focus", "-f NAME and -q NAME keep a part of its call graph" },
		{ o->graph.nhide > 0, "--hide", "-E NAME keeps a routine's time from its callers, and none gives it to them" },
		{ o->graph.thread != GRAPH_NONE, "--thread", "all threads are one in it" },
		{ o->phase, "--phase", "it knows no phases" },
		{ o->value, "--value", "it has times alone" },
		{ o->range.to, "--time-range", "it does not tell when its samples were" },
		{ o->graph.model == GRAPH_CCT, "--model=cct", "its arcs are enough for gprof's model alone" },
		{ o->report.of_rank, "--rank", "it is of one process" },
		{ o->report.imbalance, "--imbalance", "it is of one process" },
		{ o->report.mpi, "--mpi", "it knows no calls of MPI" },
		{ o->report.leaves, "--leaves", "gprof's samples are of the program alone" },
		{ o->report.lines, "--lines", "-l prints source lines" },
		{ o->report.inlines, "--inlines", "its samples are of functions" },
		{ o->report.sort != REPORT_BY_DEFAULT, "--sort", "its listings have gprof's order" },
	};

	for (size_t i = 0; i < sizeof needing / sizeof *needing; i++)
		if (needing[i].given) {
			message("%s: not with a gmon.out: %s", needing[i].option, needing[i].instead);
			return false;
		}
	return true;
}

int gmon_report(const struct operands *operands, const struct options *o)
{
	struct look l = { .o = o };
	const char *program = operands->program;
	struct error err;
	bool ok;

	if (!gprof_choice_check(&o->gprof) || !gmon_report_options_fit(o))
		return STATUS_TROUBLE;
	if (!program) {
		message("%s: a gmon.out has addresses only; name the program, too: aprof PROGRAM %s", operands->files[0],
			operands->files[0]);
		return STATUS_TROUBLE;
	}
	ok = gmon_report_run(&l, operands, program, &err);
	progress_end();
	if (!ok && err.code != ERROR_NONE)
		message_error(&err, NULL);
	gprof_free(l.gprof);
	free(l.found);
	gmon_free(&l.gmon);
	text_free(l.text);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}
