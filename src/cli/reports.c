/* reports.c - the commands that print reports: read, symbolise, build the graph, report. */
#include "cli/reports.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/input_options.h"
#include "cli/command.h"
#include "cli/gmon_report.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/progress.h"

enum { MOST_REPORTS = 8 };

/* The two listings of gprof, with the head above and what was never called and the index below.  Of a run without calls
 * the head says what is wrong, and the listings would be empty. */
static size_t listings(const char **names, const struct input *in, const struct options *o)
{
	unsigned views = gprof_views(&o->gprof, VIEW_FLAT | VIEW_GRAPH);
	bool flat, graph;
	size_t n = 0;

	if (!(views & (VIEW_FLAT | VIEW_GRAPH | VIEW_INFO)))
		views = VIEW_FLAT | VIEW_GRAPH;
	flat = views & VIEW_FLAT;
	graph = views & VIEW_GRAPH;
	names[n++] = "run";
	if (in->profile->ncontexts <= 1 && !o->report.json)
		return n;
	if (flat)
		names[n++] = "flat";
	if (graph)
		names[n++] = "callgraph";
	if ((flat && graph) || o->report.gprof.zeros)
		names[n++] = "never";
	if (views & VIEW_INFO)
		names[n++] = "info";
	if (graph)
		names[n++] = "index";
	return n;
}

static size_t cli_reports_of(const char **names, unsigned command, const struct input *in, const struct options *o)
{
	size_t n = 0;

	switch (command) {
	case COMMAND_TREE:
		names[n++] = "tree";
		break;
	case COMMAND_CYCLES:
		names[n++] = "cycles";
		break;
	case COMMAND_ANNOTATE:
		names[n++] = "annotate";
		break;
	case COMMAND_HOT:
		names[n++] = "hot";
		break;
	case COMMAND_PATHS:
		names[n++] = "paths";
		break;
	case COMMAND_MODELS:
		names[n++] = "compare-models";
		break;
	case COMMAND_CONTEXTS:
		names[n++] = "contexts";
		break;
	case COMMAND_RUN:
		if (!o->report.screen)
			return listings(names, in, o);
		names[n++] = "run";
		if (in->profile->ncontexts > 1)
			names[n++] = "hot";
		break;
	case COMMAND_INFO:
		if (o->report.json)
			names[n++] = "run";
		names[n++] = "info";
		break;
	default:
		if (!o->report.imbalance && !o->report.mpi)
			return listings(names, in, o);
		if (o->report.json)
			names[n++] = "run";
		if (o->report.imbalance)
			names[n++] = "imbalance";
		if (o->report.mpi)
			names[n++] = "mpi";
	}
	return n;
}

int reports_print(const struct input *in, unsigned command, const struct options *o, FILE *out)
{
	const char *names[MOST_REPORTS];
	size_t n = cli_reports_of(names, command, in, o);
	struct error err;

	progress_end();
	if (report_print(report_table, names, n, &in->report, &o->report, out, &err))
		return STATUS_OK;
	message_error(&err, NULL);
	return STATUS_TROUBLE;
}

/* Warnings that the head of a report would show go to stderr where a view has no head. */
static void reports_warnings_tell(const struct input *in)
{
	for (uint32_t i = 0; i < in->profile->nruns; i++) {
		if (in->life[i] == REPORT_DIED)
			message("warning: %s: incomplete: %s", in->profile->runs[i].label, life_lack(&in->profile->runs[i]));
		if (in->life[i] == REPORT_RUNNING)
			message("note: %s: its process is still running", in->profile->runs[i].label);
	}
	for (uint32_t i = 0; symbols_warning(in->symbols, i); i++)
		message("warning: %s", symbols_warning(in->symbols, i));
}

static int reports_sum_write(const struct input *in)
{
	struct error err;
	size_t len;
	void *data;
	bool ok;

	if (!output_unasked("amon.sum", FILE_PROFILE, "aprof merge -o OUT writes the sum elsewhere"))
		return STATUS_TROUBLE;
	input_tell_slices(in, in->profile->nslices > 0 && !profile_sum_keeps_slices(in->profile));
	data = profile_write(in->profile, &len, &err);
	ok = data && files_write("amon.sum", data, len, &err);

	free(data);
	if (!ok)
		message_error(&err, "amon.sum");
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

static struct input input_of(const struct options *o, unsigned command)
{
	struct input in = input_asked(o);

	in.with_static = o->static_arcs;
	in.with_unused = o->report.gprof.zeros;
	in.with_gprof = command == COMMAND_MODELS;
	in.arcs_do = command & (COMMAND_REPORT | COMMAND_HOT | COMMAND_INFO | COMMAND_ANNOTATE);
	in.linked_names = o->gprof.mangled;
	if (in.leaves && command & COMMAND_REPORT)
		in.leaves = INPUT_LEAVES;	/* the listings have them by program counters, too */
	return in;
}

static int print_all(const struct operands *operands, unsigned command, const struct options *o)
{
	struct source_reader sources = { .places = &o->sources };
	struct input in = input_of(o, command);
	struct error err;
	int status = STATUS_TROUBLE;
	bool ok;

	in.program = operands->program;
	ok = input_read(&in, operands->files, operands->n, NULL, &err);

	if (ok && o->gprof.views & VIEW_SUM) {
		status = reports_sum_write(&in);
	} else if (ok && input_build(&in, operands->program, &o->graph, &err)) {
		if (command & (COMMAND_TREE | COMMAND_CYCLES | COMMAND_CONTEXTS | COMMAND_PATHS | COMMAND_MODELS | COMMAND_HOT
			       | COMMAND_ANNOTATE)) {
			progress_end();
			reports_warnings_tell(&in);
		}
		in.report.source = source_read_file;
		in.report.source_reader = &sources;
		sources.newest = in.profile->runs[0].header.start_realtime;
		status = reports_print(&in, command, o, stdout);
		if (input_is_cut(&in, "shown"))
			status = STATUS_TROUBLE;
		if (sources.changed)
			message("warning: %s: changed after the program was run; lines may have moved", sources.changed);
	} else {
		progress_end();
		message_error(&err, NULL);
	}
	input_free(&in);
	source_reader_free(&sources);
	return status;
}

/* Whether the operand is there that COMMAND needs before the files; it becomes its target. */
static bool target_set(struct options *o, unsigned command, int argc, char **argv)
{
	if (command != COMMAND_ANNOTATE)
		return true;
	if (o->first >= argc) {
		message("annotate: which routine or source file? `aprof hot` names some");
		return false;
	}
	o->report.target = argv[o->first++];
	return true;
}

static int reports_run(const struct command *self, struct options *o, int argc, char **argv)
{
	struct operands operands;
	int status = STATUS_TROUBLE;

	if (!target_set(o, self->options, argc, argv) || !operands_sort(&operands, argv + o->first, (size_t)(argc - o->first)))
		return STATUS_TROUBLE;
	if (operands.gmon && self->options == COMMAND_REPORT) {
		status = gmon_report(&operands, o);
	} else {
		gprof_choice_tell(&o->gprof);
		status = print_all(&operands, self->options, o);
	}
	operands_free(&operands);
	return status;
}

const struct command command_report = {
	.name = "report",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "flat profile and call graph",
	.options = COMMAND_REPORT,
	.examples = "  aprof report --focus=parse               of amon.out, what ran below parse\n"
		    "  aprof report -p --lines                  routines alone, with their lines\n",
	.function = reports_run,
	.responses = true,
};

const struct command command_hot = {
	.name = "hot",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "where to look first, in one screen",
	.options = COMMAND_HOT,
	.examples = "  aprof hot                                of amon.out\n"
		    "  aprof hot 1234                           of process 1234 until now\n",
	.function = reports_run,
};

const struct command command_tree = {
	.name = "tree",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "contexts as a tree, top-down or bottom-up",
	.options = COMMAND_TREE,
	.examples = "  aprof tree --depth=4                     the run from main down, four levels\n"
		    "  aprof tree --bottom-up --focus=malloc    who called malloc, and for whom\n",
	.function = reports_run,
};

const struct command command_cycles = {
	.name = "cycles",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "cycles of calls that were really traversed",
	.options = COMMAND_CYCLES,
	.examples = "  aprof cycles                             the cycles of amon.out\n"
		    "  aprof cycles --focus=eval                those that eval was in\n",
	.function = reports_run,
};

const struct command command_paths = {
	.name = "paths",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "call sequences that recur in many contexts",
	.options = COMMAND_PATHS,
	.examples = "  aprof paths --top=5                      the five sequences with most time\n"
		    "  aprof paths --min-percent=1              those of one percent and more\n",
	.function = reports_run,
};

const struct command command_annotate = {
	.name = "annotate",
	.usage = "[OPTION...] ROUTINE|FILE [PROGRAM] [FILE...]",
	.summary = "the source of a routine, with times and calls",
	.options = COMMAND_ANNOTATE,
	.examples = "  aprof annotate parse                     the source of parse\n"
		    "  aprof annotate parse.c                   of all routines in that file\n",
	.function = reports_run,
};

const struct command command_compare_models = {
	.name = "compare-models",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "how wrong gprof's model is for this very program",
	.options = COMMAND_MODELS,
	.examples = "  aprof compare-models --top=5             the five largest errors of gprof\n"
		    "  aprof compare-models --only=parse        those about parse\n",
	.function = reports_run,
};

const struct command command_contexts = {
	.name = "contexts",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "every context, one a line",
	.options = COMMAND_CONTEXTS,
	.examples = "  aprof contexts                           all contexts of amon.out\n"
		    "  aprof contexts --focus=parse --json      those of parse, for a script\n",
	.function = reports_run,
};

const struct command command_info = {
	.name = "info",
	.usage = "[OPTION...] [PROGRAM] [FILE...]",
	.summary = "what is in the files, and what was lost",
	.options = COMMAND_INFO,
	.examples = "  aprof info                               of amon.out\n"
		    "  aprof info --threads                     and its threads, one a line\n",
	.function = reports_run,
};
