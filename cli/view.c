/* view.c - the commands that look at profiles: read, symbolise, build the graph, report. */
#include "cli/view.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "input/files.h"
#include "cli/gmon_report.h"
#include "base/list.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/progress.h"
#include "base/response.h"
#include "report/version.h"

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

static size_t reports_of(const char **names, unsigned command, const struct input *in, const struct options *o)
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
	case COMMAND_COMPARE:
		names[n++] = "compare-models";
		break;
	case COMMAND_CONTEXTS:
		names[n++] = "contexts";
		break;
	case COMMAND_INFO:
		if (o->report.json)
			names[n++] = "run";
		names[n++] = "info";
		break;
	default:
		n = listings(names, in, o);
	}
	return n;
}

/* Names in gprof's options that mean no routine: without one that does, all of them are shown, or none. */
static void unknown_tell(const struct graph *g)
{
	const char *name;

	for (size_t i = 0; (name = graph_name_unknown(g, i, &i));)
		message("note: %s: no routine of the profile is called so; `aprof report -p` lists them", name);
}

int view_print(const struct input *in, unsigned command, const struct options *o, FILE *out)
{
	const char *names[MOST_REPORTS];
	size_t n = reports_of(names, command, in, o);
	struct error err;

	progress_end();
	unknown_tell(in->report.graph);
	if (report_print(report_table, names, n, &in->report, &o->report, out, &err))
		return STATUS_OK;
	message_error(&err, NULL);
	return STATUS_TROUBLE;
}

/* Warnings that the head of a report would show go to stderr where a view has no head. */
static void warnings_tell(const struct input *in)
{
	for (uint32_t i = 0; i < in->profile->nruns; i++) {
		if (in->profile->runs[i].truncated)
			message("warning: %s: cut off; its whole part is shown", in->profile->runs[i].label);
		if (in->life[i] == REPORT_DIED)
			message("warning: %s: incomplete: its process died without ending", in->profile->runs[i].label);
		if (in->life[i] == REPORT_RUNNING)
			message("note: %s: its process is still running", in->profile->runs[i].label);
	}
	for (uint32_t i = 0; symbols_warning(in->symbols, i); i++)
		message("warning: %s", symbols_warning(in->symbols, i));
}

static int sum_write(const struct input *in)
{
	struct error err;
	size_t len;
	void *data;
	bool ok;

	if (!output_unasked("amon.sum", FILE_PROFILE, "aprof merge -o OUT writes the sum elsewhere"))
		return STATUS_TROUBLE;
	data = profile_write(in->profile, &len, &err);
	ok = data && files_write("amon.sum", data, len, &err);

	free(data);
	if (!ok)
		message_error(&err, "amon.sum");
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

static int look(const struct operands *operands, unsigned command, const struct options *o)
{
	struct source_reader sources = { .places = &o->sources };
	struct input in = { .listener = &listener, .with_static = o->static_arcs, .with_gprof = command == COMMAND_COMPARE,
		.linked_names = o->gprof.mangled, .phase = o->phase };
	struct error err;
	int status = STATUS_TROUBLE;
	bool ok = input_read(&in, operands->files, operands->n, NULL, &err);

	if (ok && o->gprof.views & VIEW_SUM) {
		status = sum_write(&in);
	} else if (ok && input_build(&in, operands->program, &o->graph, &err)) {
		if (command & (COMMAND_TREE | COMMAND_CYCLES | COMMAND_CONTEXTS | COMMAND_PATHS | COMMAND_COMPARE | COMMAND_HOT
			       | COMMAND_ANNOTATE)) {
			progress_end();
			warnings_tell(&in);
		}
		in.report.source = source_read_file;
		in.report.source_reader = &sources;
		sources.newest = in.profile->runs[0].header.start_realtime;
		status = view_print(&in, command, o, stdout);
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

static int view(const char *name, unsigned command, int argc, char **argv)
{
	struct operands operands;
	struct options o;
	int status = STATUS_TROUBLE;

	if (!options_parse(&o, command, argc, argv, false))
		message("try `aprof %s --help`", name);
	else if (o.help) {
		command_usage(name);
		options_help(command);
		status = STATUS_OK;
	} else if (o.version) {
		printf("aprof %s\n", APROF_VERSION);
		status = STATUS_OK;
	} else if (target_set(&o, command, argc, argv) && operands_sort(&operands, argv + o.first, (size_t)(argc - o.first))) {
		if (!operands.gmon) {
			gprof_choice_tell(&o.gprof);
			status = look(&operands, command, &o);
		} else if (command == COMMAND_REPORT) {
			status = gmon_report(&operands, &o);
		} else {
			message("%s: a gmon.out has no contexts; aprof report reads it", operands.files[0]);
		}
		operands_free(&operands);
	}
	options_free(&o);
	return status;
}

int command_report(int argc, char **argv)
{
	struct list words = { 0 };
	struct error err;
	int status = STATUS_TROUBLE;

	(void)argc;
	if (!response_expand(argv, &words, &err))
		message_error(&err, NULL);
	else if (words.failed)
		message("out of memory");
	else
		status = view("report", COMMAND_REPORT, (int)words.count, words.items);
	list_free(&words);
	return status;
}

int command_tree(int argc, char **argv)
{
	return view("tree", COMMAND_TREE, argc, argv);
}

int command_cycles(int argc, char **argv)
{
	return view("cycles", COMMAND_CYCLES, argc, argv);
}

int command_annotate(int argc, char **argv)
{
	return view("annotate", COMMAND_ANNOTATE, argc, argv);
}

int command_hot(int argc, char **argv)
{
	return view("hot", COMMAND_HOT, argc, argv);
}

int command_paths(int argc, char **argv)
{
	return view("paths", COMMAND_PATHS, argc, argv);
}

int command_contexts(int argc, char **argv)
{
	return view("contexts", COMMAND_CONTEXTS, argc, argv);
}

int command_info(int argc, char **argv)
{
	return view("info", COMMAND_INFO, argc, argv);
}

int command_compare_models(int argc, char **argv)
{
	return view("compare-models", COMMAND_COMPARE, argc, argv);
}
