/* export.c - aprof export: read, symbolise, build the graph, write it in a format of other programs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/input_options.h"
#include "cli/command.h"
#include "show/export/export.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/progress.h"

static void formats_help(void)
{
	fputs("Formats:\n", stdout);
	for (const struct export_format *f = export_table; f->name; f++)
		printf("  %-11s %s\n", f->name, f->summary);
	putchar('\n');
}

/* Where to write: PATH, or standard output if it is NULL.  NULL after a message. */
static FILE *export_output_open(const char *path, const struct export_format *format)
{
	FILE *out;

	if (!path && format->binary && isatty(STDOUT_FILENO)) {
		message("%s is not for a terminal: say where to write with -o FILE", format->name);
		return NULL;
	}
	if (!path)
		return stdout;
	if (!output_allowed(path, false))
		return NULL;
	out = fopen(path, "w");
	if (!out)
		message("%s: cannot open: %s", path, strerror(errno));
	return out;
}

/* Close OUT; a plain file that is not OK goes.  False after a message. */
static bool export_output_close(FILE *out, const char *path, bool ok)
{
	if (path && fclose(out) != 0 && ok) {
		message("%s: cannot write: %s", path, strerror(errno));
		ok = false;
	}
	if (!ok)
		files_drop(path);
	return ok;
}

/* What the head of a report would say goes to stderr. */
static void export_warnings_tell(const struct input *in)
{
	for (uint32_t i = 0; symbols_warning(in->symbols, i); i++)
		message("warning: %s", symbols_warning(in->symbols, i));
}

static bool export(const struct export_format *format, const struct operands *operands, const struct options *o,
		   struct error *err)
{
	struct input in = input_asked(o);
	FILE *out;
	bool ok;

	in.program = operands->program;
	in.arcs_do = format->arcs_do && !(format->function == csv_write && o->export.table == EXPORT_CONTEXTS);
	if (!input_read(&in, operands->files, operands->n, NULL, err) || !input_build(&in, operands->program, &o->graph, err)) {
		input_free(&in);
		message_error(err, NULL);
		return false;
	}
	progress_step("writing");
	export_warnings_tell(&in);
	out = export_output_open(o->output, format);
	ok = out && export_write(format, &in.report, &o->export, out, err);
	progress_end();
	if (out && !ok)
		message_error(err, o->output);
	if (out)
		ok = export_output_close(out, o->output, ok);
	ok &= !input_is_cut(&in, "exported");
	input_free(&in);
	return ok;
}

/* An option of another format would be lost without a word.  False after a message. */
static bool export_options_fit(const struct options *o, const char *format)
{
	const struct { bool given; const char *name, *format; } options[] = {
		{ o->weight_given, "--weight", "folded" }, { o->table_given, "--table", "csv" },
		{ o->least_given, "--min-percent", "dot" }, { o->export.sites, "--sites", "dot" },
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given && strcmp(options[i].format, format) != 0) {
			message("%s: is for the format %s, not for %s", options[i].name, options[i].format, format);
			return false;
		}
	return true;
}

static int command(const struct options *o, int argc, char **argv)
{
	const struct export_format *format = argc > 0 ? export_find(argv[0]) : NULL;
	struct operands operands;
	struct error err;
	bool ok;

	if (!format) {
		message(argc > 0 ? "%s: no such format; `aprof export --help` lists them" :
			"export: in which format? `aprof export --help` lists them", argc > 0 ? argv[0] : NULL);
		return STATUS_TROUBLE;
	}
	if (!export_options_fit(o, format->name) || !operands_sort(&operands, argv + 1, (size_t)argc - 1))
		return STATUS_TROUBLE;
	ok = export(format, &operands, o, &err);
	operands_free(&operands);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

static int export_run(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	return command(o, argc - o->first, argv + o->first);
}

const struct command command_export = {
	.name = "export",
	.usage = "[OPTION...] FORMAT [PROGRAM] [FILE...]",
	.summary = "write the profile in another program's format",
	.options = COMMAND_EXPORT,
	.help = formats_help,
	.examples = "  aprof export speedscope -o prof.json     amon.out for speedscope\n"
		    "  aprof export pprof -o prof.pb.gz         for go tool pprof\n",
	.function = export_run,
};
