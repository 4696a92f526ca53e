/* run.c - aprof run: run a program, collect the profiles of all its processes, report. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "text/escape.h"
#include "input/carry.h"
#include "input/files.h"
#include "cli/data_file.h"
#include "cli/gmon_file.h"
#include "cli/harvest.h"
#include "cli/launch.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/preload.h"
#include "cli/progress.h"
#include "report/verified.h"
#include "sample/record.h"
#include "symbols/symbols.h"
#include "cli/reports.h"
#include "text/print.h"

/* One aprof run under way. */
struct run {
	const struct options *options;
	char *directory;		/* where the processes leave their profiles; made for this run */
	char *program;			/* the program's file; NULL: not found in PATH */
	FILE *out;			/* where the report goes, or the screen; NULL: nowhere */
	bool kept;			/* the data of the first program are */
	struct launch launch;		/* the program itself */
	struct harvest harvest;		/* what was left */
	struct record_options sampling;	/* of call stacks; directory NULL: it is not wanted */
	struct recorder *recorder;	/* at work; NULL: none is */
	struct error unsampled;		/* why it is not, if it was wanted */
	uint64_t checked, differ;	/* --verify: stacks that were held against their contexts, and those that did not fit */
};

static bool directory_make(struct run *r)
{
	const char *base = getenv("TMPDIR");

	if (asprintf(&r->directory, "%s/aprof.XXXXXX", base && *base == '/' ? base : "/tmp") >= 0 && mkdtemp(r->directory))
		return true;
	message("cannot make a directory for the profiles: %s; set TMPDIR to one that can be written", strerror(errno));
	free(r->directory);
	r->directory = NULL;
	return false;
}

/* The monitor's wishes go through the environment. */
static bool environment_set(const struct run *r)
{
	char *pattern = NULL;
	bool ok = asprintf(&pattern, "%s/amon.out.%%p", r->directory) >= 0 && setenv("APROF_OUT", pattern, 1) == 0 && setenv("APROF_RUN", "1", 1) == 0;

	free(pattern);
	ok = ok && (!r->options->clock || setenv("APROF_CLOCK", r->options->clock, 1) == 0);
	ok = ok && (!r->options->rate || setenv("APROF_RATE", r->options->rate, 1) == 0);
	ok = ok && (!r->options->memory || setenv("APROF_MEMORY", r->options->memory, 1) == 0);
	ok = ok && (!r->options->verify || setenv("APROF_VERIFY", "1", 1) == 0);
	if (!ok)
		message("out of memory");
	return ok;
}

static int launch_failed(const struct run *r, const char *name)
{
	if (r->launch.error == ENOENT && !r->program)
		message("%s: no such program in PATH", name);
	else
		message("%s: cannot be executed: %s", name, strerror(r->launch.error));
	return r->launch.status;
}

/* Processes whose profiles could not be made. */
static void lacking_tell(const struct run *r)
{
	message("%zu process%s of this run could not leave %s profile%s: %s%s", r->harvest.lacking, r->harvest.lacking == 1 ? "" : "es",
		r->harvest.lacking == 1 ? "its" : "their", r->harvest.lacking == 1 ? "" : "s", strerror(r->harvest.why),
		r->harvest.why == EFBIG ? " for the limit on the size of files (ulimit -f)" : "; TMPDIR names another place");
}

/* The program left no profile: say why, as far as can be told. */
static void nothing_tell(const struct run *r)
{
	const char *rebuild = "rebuild it: make clean && make CC=aprof-cc CXX=aprof-c++";
	uint32_t hooks = 0;
	struct error err;

	if (r->unsampled.code)
		message("%s has no hooks, so it cannot be profiled exactly, and %s; or %s", r->program, r->unsampled.text, rebuild);
	else if (r->sampling.directory)
		message("%s has no hooks, and used too little CPU time for samples of its call stacks; run it longer, or %s", r->program, rebuild);
	else if (!r->program || !symbols_has_hooks(r->program, &hooks, &err))
		message("no process of this run has hooks; rebuild the program that it starts: make clean && make CC=aprof-cc CXX=aprof-c++");
	else if (hooks & (SYMBOLS_FENTRY | SYMBOLS_CYG | SYMBOLS_INLINE) && hooks & SYMBOLS_MONITOR)
		message("%s has hooks but left no profile: is it set-uid, or was no routine with hooks called?", r->program);
	else if (hooks & (SYMBOLS_FENTRY | SYMBOLS_CYG | SYMBOLS_INLINE))
		message("%s has hooks but was linked without the monitor; link it with aprof-cc too, or with $(aprof config --libs)", r->program);
	else if (hooks & SYMBOLS_NOPS)
		message("%s was built with -mnop-mcount: its hooks do nothing until somebody patches them; build it without", r->program);
	else if (hooks & SYMBOLS_MCOUNT && hooks & SYMBOLS_MONITOR)
		message("%s has gprof's hooks (-pg) but was linked by aprof-cc, whose monitor does not answer them; link it by your compiler, or %s",
			r->program, rebuild);
	else if (hooks & SYMBOLS_MCOUNT && symbols_is_static(r->program))
		message("%s has gprof's hooks (-pg) and is static, so that aprof's cannot take their place; link it without -static, or %s",
			r->program, rebuild);
	else if (hooks & SYMBOLS_MCOUNT)
		message("%s has gprof's hooks (-pg) but left no profile: is it set-uid, has it an mcount of its own, or was no routine with hooks called?", r->program);
	else
		message("%s has no hooks, so there is nothing to report; %s", r->program, rebuild);
}

enum { MOST_PROGRAMS = 3 };		/* on the screen */

static void programs_print(const struct run *r, char **names, FILE *out)
{
	bool screen = r->options->report.screen;
	size_t n = screen && r->harvest.n > MOST_PROGRAMS ? MOST_PROGRAMS - 1 : r->harvest.n;

	fprintf(out, "Programs of this run: %zu; %s is that of the first\n%s  seconds         calls processes  program\n",
		r->harvest.n, screen ? "what follows" : "the report", screen ? "" : "\n");
	for (size_t i = 0; i < n; i++) {
		const struct harvest_program *p = &r->harvest.programs[i];

		fprintf(out, "%9.3f ", (double)p->time / 1e9);
		print_calls(out, 13, p->calls, p->counted);
		fprintf(out, " %9zu  ", p->n);
		escape_print(out, p->path, 0);
		fputs(": ", out);
		escape_print(out, names[i] ? names[i] : "not kept", 0);
		putc('\n', out);
	}
	if (n < r->harvest.n)
		fprintf(out, "and %zu more: %s.NAME\n", r->harvest.n - n, r->options->data);
	putc('\n', out);
}

/* The commands that show more of the data at NAME. */
static void more_print(const struct run *r, const char *name)
{
	struct text_style style = r->options->report.style;

	fputs("\nMore: ", r->out);
	print_begin(r->out, &style, 'm');
	fputs("aprof report", r->out);
	if (strcmp(name, "amon.out") != 0) {
		putc(' ', r->out);
		escape_shell(r->out, name, style.utf8 ? 0 : ESCAPE_ASCII);
	}
	print_end(r->out, &style);
	fputs("; likewise aprof view, aprof tree, aprof html\n", r->out);
}

/* Print the report of what IN holds to OUT unless NULL; its gmon.out, too, with GMON; count its stacks. */
static void program_print(struct run *r, struct input *in, FILE *out, bool gmon)
{
	struct error err;

	in->with_static = r->options->static_arcs;
	in->phase = r->options->phase;
	if (!input_build(in, NULL, &r->options->graph, &err)) {
		message_error(&err, NULL);
	} else {
		struct verified stacks = verified_make(&in->report);

		r->checked += stacks.checked;
		r->differ += stacks.differ;
		if (out)
			reports_print(in, COMMAND_RUN, r->options, out);
	}
	if (gmon && in->report.graph)
		gmon_file_write(in, r->launch.pid);
}

/* Keep the data of program I as *NAME, or beside it, and print its report to OUT unless NULL; the first program's gmon.out, too, if it is wanted.
 * The file of a single process is moved as it is; those of several, or of one that still runs, are added up. */
static void program_report(struct run *r, size_t i, char **name, FILE *out)
{
	const struct harvest_program *p = &r->harvest.programs[i];
	bool single = p->n == 1 && !p->running, gmon = i == 0 && gmon_file_wanted(), moved;
	struct input in = { .listener = &listener };
	struct error err;

	if (single)
		files_cut(p->files[0]);
	moved = single && data_file_keep(r->options->data, p->files[0], NULL, name);
	r->kept |= i == 0 && moved;
	if (single && !out && !gmon && !r->options->verify) {
		if (moved)
			carry_into_file(*name);
		return;
	}
	if (input_read(&in, moved ? name : p->files, p->n, *name, &err)) {
		if (!single) {
			bool kept;

			input_carry(&in);
			kept = data_file_keep(r->options->data, NULL, &in, name);
			r->kept |= i == 0 && kept;
		}
		if (out || gmon || r->options->verify) {
			harvest_remove(r->directory);	/* all of it is kept, or in memory */
			program_print(r, &in, out, gmon);
		}
	} else {
		message_error(&err, NULL);
	}
	input_free(&in);
}

/* Where the report goes: R->out, NULL with --no-report; the program's streams are its own, so a screen goes where messages do.  False after a message. */
static bool output_open(struct run *r)
{
	const struct options *o = r->options;

	r->out = o->no_report ? NULL : o->report.screen ? stderr : stdout;
	if (!r->out || !o->output)
		return true;
	if (!output_allowed(o->output, false))
		return false;
	r->out = fopen(o->output, "we");
	if (!r->out)
		message("%s: cannot write: %s", o->output, strerror(errno));
	return r->out != NULL;
}

static void output_close(struct run *r)
{
	if (r->out && r->options->output && fclose(r->out) != 0)
		message("%s: cannot write: %s", r->options->output, strerror(errno));
}

/* Daemons outlive what started them, and a report at that moment is of their first milliseconds. */
static void running_tell(const struct run *r)
{
	for (size_t i = 0; i < r->harvest.n; i++)
		if (r->harvest.programs[i].running)
			message("note: a process of %s is still running, and what it does from now on is not kept; keep it in the foreground, "
				"or start it without aprof run, and read the amon.out that it leaves", r->harvest.programs[i].path);
}

/* What is printed comes last: a closed pipe may end us there (aprof run ... | head). */
static void report_all(struct run *r, char **names)
{
	for (size_t i = 1; i < r->harvest.n; i++)
		if (names[i] && r->harvest.programs[i].n > 0)
			program_report(r, i, &names[i], NULL);
	if (r->out && r->options->report.screen)
		putc('\n', r->out);			/* behind what the program printed */
	if (r->out && r->harvest.n > 1 && !r->options->report.json)
		programs_print(r, names, r->out);
	if (names[0] && r->harvest.programs[0].n > 0)
		program_report(r, 0, &names[0], r->out);
	if (r->out && r->options->report.screen && r->kept)
		more_print(r, names[0]);
}

/* The same, through a pager where that is due. */
static void report_paged(struct run *r, char **names)
{
	bool paged = r->out == stdout && !r->options->no_pager;

	if (paged) {
		pager_begin();
		r->out = stdout;
	}
	report_all(r, names);
	if (paged) {
		pager_end();
		r->out = stdout;
	}
}

/* Collect, report, keep. */
static void collect(struct run *r)
{
	struct error err;
	char **names;

	if (!harvest_make(&r->harvest, r->directory, &err)) {
		message_error(&err, NULL);
		return;
	}
	harvest_status(&r->harvest, r->launch.pid, r->launch.wait_status);
	harvest_weigh(&r->harvest);
	running_tell(r);
	names = calloc(r->harvest.n + 1, sizeof *names);
	if (r->harvest.lacking)
		lacking_tell(r);
	if (r->harvest.n == 0 && r->harvest.lacking)
		;
	else if (r->harvest.n == 0)
		nothing_tell(r);
	else if (names) {
		for (size_t i = 0; i < r->harvest.n; i++)
			names[i] = data_file_name(r->options->data, &r->harvest, i);
		report_paged(r, names);
	}
	for (size_t i = 0; names && i < r->harvest.n; i++)
		free(names[i]);
	free(names);
	harvest_free(&r->harvest);
}

/* --verify: say what came of it.  Returns the status. */
static int status_of(const struct run *r)
{
	if (!r->options->verify)
		return r->launch.status;
	if (r->checked == 0) {
		message("--verify: no stack was checked: samples of program counters could not be had, or the run was too short (aprof info says which)");
		return r->launch.status ? r->launch.status : STATUS_TROUBLE;
	}
	message("%" PRIu64 " stacks checked, %" PRIu64 " differ", r->checked, r->differ);
	return r->differ ? STATUS_CHECK : r->launch.status;
}

/* Has the program hooks?  A recorder leaves it to them. */
static bool has_hooks(const char *program)
{
	uint32_t hooks = 0;
	struct error ignored;

	return symbols_has_hooks(program, &hooks, &ignored) && hooks & ~(uint32_t)SYMBOLS_MONITOR;
}

/* A size as APROF_MEMORY has it, K, M, G allowed; a gigabyte for one that is none, as the monitor takes it. */
static uint64_t bytes_of(const char *text)
{
	enum { LEAST = 1 << 20, USUAL = 1 << 30 };
	char *end = NULL;
	uint64_t n = text ? strtoull(text, &end, 10) : 0;
	const char *unit = end && *end ? strchr("KMG", *end) : NULL;

	if (unit)
		n <<= 10 * (unit - "KMG" + 1);
	return n >= LEAST && n <= (uint64_t)1 << 40 ? n : USUAL;
}

/* Call stacks are sampled where there are no hooks; with --verify nobody wants that. */
static void sampling_prepare(struct run *r, char **argv)
{
	enum { RATE = 997 };
	const char *rate = getenv("APROF_RATE"), *memory = getenv("APROF_MEMORY");
	unsigned long hz = rate ? strtoul(rate, NULL, 10) : 0;

	if (r->options->verify || !r->program || has_hooks(r->program))
		return;
	r->sampling = (struct record_options){ .directory = r->directory, .rate = hz >= 1 && hz <= 100000 ? (unsigned)hz : RATE,
					       .memory = bytes_of(memory), .skip = has_hooks, .command = argv };
}

/* The program is about to begin. */
static void sampling_begin(void *arg, pid_t pid)
{
	struct run *r = arg;

	if (r->sampling.directory)
		r->recorder = record_child(pid, &r->sampling, &r->unsampled);
}

static int run(const struct options *o, char **argv)
{
	struct run r = { .options = o };
	int status = STATUS_TROUBLE;

	if (!data_file_possible(o->data, o->no_report) || !output_open(&r))
		return status;
	if (!directory_make(&r)) {
		output_close(&r);
		return status;
	}
	r.program = launch_find(argv[0]);
	fflush(stdout);
	if (r.program && preload_is_for(r.program))
		preload_set(r.program);
	if (!environment_set(&r))
		;
	else if (sampling_prepare(&r, argv), !launch(argv, &r.launch, sampling_begin, &r))
		message("cannot start a process: %s", strerror(errno));
	else if (!r.launch.started)
		status = launch_failed(&r, argv[0]);
	else {
		if (r.recorder)
			record_end(r.recorder);
		r.recorder = NULL;
		collect(&r);
		status = status_of(&r);
	}
	if (r.recorder)
		record_end(r.recorder);
	output_close(&r);
	harvest_remove(r.directory);
	free(r.directory);
	free(r.program);
	return status;
}

static int run_command(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	if (o->first < argc)
		return run(o, argv + o->first);
	message("run: which program? aprof run [OPTION...] [--] PROGRAM [ARGUMENT...]");
	return STATUS_TROUBLE;
}

const struct command command_run = {
	.name = "run",
	.usage = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	.summary = "run a program, then show where its time went",
	.options = COMMAND_RUN,
	.stops = true,
	.function = run_command,
};
