/* run.c - aprof run: run a program, then collect what all its processes left. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/collect.h"
#include "cli/command.h"
#include "cli/interpreters.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/preload.h"
#include "cli/reduction.h"
#include "contract/allocations.h"
#include "record/sample/perf.h"
#include "show/report/verification.h"

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
	ok = ok && (!r->options->intervals || setenv("APROF_INTERVALS", "1", 1) == 0);
	ok = ok && (!r->options->report.sites || setenv("APROF_SITES", "1", 1) == 0);
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

/* --verify: say what came of it.  Returns the status. */
static int run_status_of(const struct run *r)
{
	if (!r->options->verify)
		return r->launch.status;
	if (r->checked + r->unread == 0) {
		message("--verify: no stack was checked: samples of program counters could not be had, or the run was too short (aprof info says which)");
		return r->launch.status ? r->launch.status : STATUS_TROUBLE;
	}
	message("%" PRIu64 " stacks checked, %" PRIu64 " differ; %" PRIu64 " could not be read, %.1f %%", r->checked, r->differ, r->unread,
		verification_unread(r->checked, r->unread));
	if (!r->differ && !verification_is_short(r->checked, r->unread))
		return r->launch.status;
	if (!r->differ)
		message("--verify: more than a tenth of the stacks could not be read to their ends, in code without descriptions of its frames, or have no context that "
			"is known: the run is not checked");
	return STATUS_CHECK;
}

/* A timer on CPU time stands still while its thread waits, and one on elapsed time would end the call that it waits in. */
static bool source_is_possible(const struct record_options *o)
{
	if (o->wall && o->source == AMON_SOURCE_TIMER)
		message("--clock=wall: a timer in the program tells nothing of threads that wait; perf events and ptrace do (APROF_STACKS)");
	return !o->wall || o->source != AMON_SOURCE_TIMER;
}

/* The events that are to be sampled beside time.  False after a message: they cannot be. */
static bool events_prepare(struct run *r)
{
	const struct options *o = r->options;
	bool kernel = perf_is_permitted(true);
	struct error err;

	r->events = calloc(o->nevents + 1, sizeof *r->events);
	if (!r->events)
		return message("out of memory"), false;
	for (size_t i = 0; i < o->nevents; i++) {
		if (!event_find(o->events[i], &r->events[i], &err) || !event_is_possible(&r->events[i], kernel, &err))
			return message_error(&err, NULL), false;
		for (size_t k = 0; k < i; k++)
			if (strcmp(o->events[k], o->events[i]) == 0)
				return message("--value=%s: given twice", o->events[i]), false;
	}
	r->sampling.events = r->events;
	r->sampling.nevents = o->nevents;
	if (!o->nevents || r->sampling.source == AMON_SOURCE_PERF)
		return true;
	message("--value=%s: only perf events tell of it, and APROF_STACKS asks for others", o->events[0]);
	return false;
}

/* Call stacks are sampled where there are no hooks, and with --stacks everywhere; with --verify nobody wants that.  False after a message: they cannot be. */
static bool sampling_prepare(struct run *r, char **argv)
{
	if (r->options->verify || r->options->script || !r->program || (!r->options->stacks && collect_has_hooks(r->program)))
		return true;
	if (r->options->stacks && collect_has_mcount(r->program)) {
		if (r->options->nevents)
			message("--value=%s: %s has gprof's hooks, so its return addresses are changed while it runs, and stacks, by which events are told, cannot be followed", r->options->events[0],
				r->program);
		return !r->options->nevents;
	}
	collect_sampling(r);
	r->sampling.command = argv;
	r->sampling.source = record_source(r->sampling.source, r->sampling.wall);
	if (!source_is_possible(&r->sampling) || !events_prepare(r))
		return false;
	if (r->sampling.source == AMON_SOURCE_TIMER && !preload_stacks(r->program, r->directory))
		r->sampling.source = AMON_SOURCE_PTRACE;
	return true;
}

/* What is allocated is counted by exact context where there are hooks, or an interpreter tells; else it is sampled by stack, beside the time.  False after a
 * message. */
static bool allocations_prepare(struct run *r)
{
	bool sampled = r->sampling.directory && !collect_has_hooks(r->program);

	if (!r->options->allocations || !r->program)
		return true;
	if (symbols_loading(r->program) != SYMBOLS_DYNAMIC)
		message("note: --allocations: %s is static, or of another libc, so that nothing can stand in front of its allocator: what it allocates is not recorded", r->program);
	r->sampling.allocations = sampled;
	return preload_allocations(r->program, sampled ? HEAP_WISH_STACKS : HEAP_WISH_CONTEXTS, r->directory);
}

/* The program is about to begin.  Where phases, ranges of time, or stacks that were checked, are of single processes, or a job's ranks look for their own, files stay. */
static void run_begin(void *arg, pid_t pid)
{
	struct run *r = arg;

	if (!r->job && !r->options->verify && !r->options->phase && !r->options->range.to)
		r->housekeeping = housekeeping_begin(r->directory, r->options->stacks, pid);
	if (r->sampling.directory)
		r->recorder = record_child(pid, &r->sampling, &r->unsampled);
}

/* What an interpreter's hooks put back when the function ends that told of a script is what was before it told. */
static bool script_is_possible(const struct run *r)
{
	if (!r->options->script || !r->program || !collect_has_hooks(r->program))
		return true;
	message("--script: %s has hooks of its own: run an interpreter without any, or let it tell of its scripts itself (aprof_api(3))", r->program);
	return false;
}

/* The program, a rank of an MPI job, has ended: what it left, and what became of that. */
static int rank_end(struct run *r, struct reduction_result *job)
{
	if (job->ranks)
		collect_job(r, job->name, job->ranks);
	else if (!job->whole)
		collect_rank(r, job->apart, job->unsure);
	free(job->name);
	return r->job->rank == 0 ? run_status_of(r) : r->launch.status;
}

/* The index of what the dynamic linker, ARGV[0], is to load; 0: nothing, or ARGV[0] is something else. */
static int loaded_find(char **argv)
{
	static const char *const with_word[] = { "--library-path", "--inhibit-rpath", "--audit", "--preload", "--argv0", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask" };
	const char *name = print_basename(argv[0]);
	int i = 1;

	if (strncmp(name, "ld-linux", 8) != 0 && strncmp(name, "ld-musl-", 8) != 0 && strcmp(name, "ld.so") != 0)
		return 0;
	while (argv[i] && argv[i][0] == '-') {
		for (size_t k = 0; k < sizeof with_word / sizeof *with_word; k++)
			if (strcmp(argv[i], with_word[k]) == 0 && argv[i + 1]) {
				i++;
				break;
			}
		i++;
	}
	return argv[i] ? i : 0;
}

/* The program that ARGV begins, also by way of the dynamic linker: it is that which has hooks or none.  NULL: not found. */
static char *program_find(char **argv)
{
	int loaded = loaded_find(argv);
	char *program = loaded ? launch_find(argv[loaded]) : NULL;

	return program ? program : launch_find(argv[0]);
}

static int cli_run_run(const struct options *o, char **argv)
{
	struct job job;
	struct run r = { .options = o, .job = job_find(&job) ? &job : NULL };
	struct reduction *reduction = NULL;
	struct reduction_result result = { 0 };
	int status = STATUS_TROUBLE;

	if (!collect_begin(&r))
		return status;
	r.program = program_find(argv);
	if (!script_is_possible(&r)) {
		collect_end(&r);
		free(r.program);
		return status;
	}
	fflush(stdout);
	if (r.program && preload_is_for(r.program))
		preload_set(r.program);
	if (r.job)
		reduction = reduction_begin(&r);
	else if (job.size == 1 && !job.bare && r.program)
		preload_mpi(r.program);
	if (!environment_set(&r) || (o->script && !interpreters_set()))
		;
	else if (!sampling_prepare(&r, argv) || !allocations_prepare(&r))
		;
	else if (!launch(argv, &r.launch, run_begin, &r))
		message("cannot start a process: %s", strerror(errno));
	else if (!r.launch.started)
		status = launch_failed(&r, argv[0]);
	if (reduction)
		result = reduction_end(reduction);
	collect_stacks_tell(&r);
	if (r.recorder && r.launch.started)
		record_child_used(r.recorder, r.launch.used, r.launch.used_below);
	if (r.recorder)
		record_end(r.recorder, &r.untold);
	else if (r.options->stacks && r.unsampled.code)
		message("--stacks: %s", r.unsampled.text);
	housekeeping_end(r.housekeeping, &listener);
	if (r.launch.started && r.job) {
		status = rank_end(&r, &result);
	} else if (r.launch.started) {
		collect(&r);
		status = collect_status(&r, run_status_of(&r));
	}
	collect_end(&r);
	free(r.program);
	free(r.events);
	return status;
}

static int run_command(const struct command *self, struct options *o, int argc, char **argv)
{
	(void)self;
	if (o->first < argc)
		return cli_run_run(o, argv + o->first);
	message("run: which program? aprof run [OPTION...] [--] PROGRAM [ARGUMENT...]");
	return STATUS_TROUBLE;
}

const struct command command_run = {
	.name = "run",
	.usage = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	.summary = "run a program, then show where its time went",
	.options = COMMAND_RUN,
	.stops = true,
	.examples = "  aprof run ./prog input                   run it, and see where to look first\n"
		    "  aprof run --report sort -o sorted words  one without hooks, in full\n",
	.function = run_command,
};
