/* merge.c - aprof merge: one file from many. */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/pid.h"
#include "cli/progress.h"
#include "input/add_up.h"
#include "input/files.h"

static int merge(char **files, size_t n, const char *output)
{
	struct input in = { .listener = &listener };
	struct error err;
	void *data = NULL;
	size_t len;
	bool ok = input_add_up(&in, files, n, NULL, &err);

	if (ok) {
		input_carry(&in);
		progress_step("writing the sum");
		data = profile_write(in.profile, &len, &err);
		ok = data && files_write(output, data, len, &err);
	}
	free(data);
	input_free(&in);
	if (!ok)
		message_error(&err, NULL);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

/* Put profiles in the place of PIDs.  False after a message. */
static bool pids_replace(char **files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(files[i] = pid_operand(files[i])))
			return false;
	return true;
}

static int run(const struct command *self, struct options *o, int argc, char **argv)
{
	char **files = argv + o->first;
	size_t n = (size_t)(argc - o->first);

	(void)self;
	if (!o->output || n == 0)
		message("merge: say where to and what: aprof merge -o OUT FILE...");
	else if (files_held(o->output))
		message("%s: a running process writes it; choose another name", o->output);
	else if (output_allowed(o->output, true) && pids_replace(files, n))
		return merge(files, n, o->output);
	return STATUS_TROUBLE;
}

const struct command command_merge = {
	.name = "merge",
	.usage = "-o OUT FILE...",
	.summary = "one file from many",
	.options = COMMAND_MERGE,
	.function = run,
};
