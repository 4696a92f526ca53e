/* run.c - aprof run: run a program, then collect what all its processes left. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/collect.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/preload.h"

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

/* Call stacks are sampled where there are no hooks, and with --stacks everywhere; with --verify nobody wants that. */
static void sampling_prepare(struct run *r, char **argv)
{
	if (r->options->verify || !r->program || (!r->options->stacks && collect_has_hooks(r->program)))
		return;
	if (r->options->stacks && preload_is_for(r->program)) {
		message("note: --stacks: %s has gprof's hooks, so its return addresses are changed while it runs, and stacks cannot be followed; "
			"only exact contexts are recorded", r->program);
		return;
	}
	collect_sampling(r);
	r->sampling.command = argv;
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

	if (!collect_begin(&r))
		return status;
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
	if (r.recorder)
		record_end(r.recorder);
	else if (r.options->stacks && r.unsampled.code)
		message("--stacks: %s", r.unsampled.text);
	if (r.launch.started) {
		collect(&r);
		status = status_of(&r);
	}
	collect_end(&r);
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
