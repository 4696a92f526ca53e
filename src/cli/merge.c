/* merge.c - aprof merge: one file from many. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/command.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/pid.h"
#include "cli/progress.h"
#include "record/run/harvest.h"

static int merge(char **files, size_t n, const struct options *o)
{
	struct input in = { .listener = &listener, .beside = true, .value = o->value };
	struct error err;
	void *data = NULL;
	size_t len;
	bool ok = input_add_up(&in, files, n, NULL, &err);

	if (ok) {
		input_carry(&in);
		progress_step("writing the sum");
		data = profile_write(in.profile, &len, &err);
		ok = data && files_write(o->output, data, len, &err);
	}
	free(data);
	input_free(&in);
	if (!ok)
		message_error(&err, NULL);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

/* What is to be merged. */
struct merge_operands {
	char **files;
	size_t n, room;			/* how many, and room for how many */
	int *locks;			/* of directories among the operands, */
	struct harvest *harvests;	/* and what is in them, which owns the names of their files */
	size_t ndirectories, locks_room, harvests_room; /* how many, and room for how many */
};

static bool merge_file_add(struct merge_operands *l, char *file)
{
	if (!array_reserve(&l->files, &l->room, l->n + 1, sizeof *l->files))
		return false;
	l->files[l->n++] = file;
	return true;
}

/* May DIRECTORY be empty?  One that `aprof run` makes in its own, for the files of one program, is if that was killed then. */
static bool may_be_empty(const char *directory)
{
	const char *name = strrchr(directory, '/');

	return harvest_is_added(name ? name + 1 : directory);
}

/* The profiles in DIRECTORY, which a run left: those that it would have kept, be they many or added up in part.  False after a message. */
static bool directory_add(struct merge_operands *l, const char *directory)
{
	struct harvest *h;
	struct error err;
	bool ok = true;
	int lock;

	if (!array_reserve(&l->harvests, &l->harvests_room, l->ndirectories + 1, sizeof *l->harvests) ||
	    !array_reserve(&l->locks, &l->locks_room, l->ndirectories + 1, sizeof *l->locks)) {
		message("out of memory");
		return false;
	}
	lock = harvest_lock(directory, true);
	h = &l->harvests[l->ndirectories];
	if (!harvest_make(h, directory, false, &err)) {
		message_error(&err, NULL);
		if (lock >= 0)
			close(lock);
		return false;
	}
	l->locks[l->ndirectories++] = lock;
	if (h->n == 0 && !may_be_empty(directory)) {
		message("%s: no profiles in this directory", directory);
		return false;
	}
	for (size_t i = 0; ok && i < h->n; i++)
		for (size_t k = 0; ok && k < h->programs[i].n; k++)
			ok = merge_file_add(l, h->programs[i].files[k]);
	if (!ok)
		message("out of memory");
	return ok;
}

static void sources_free(struct merge_operands *l)
{
	for (size_t i = 0; i < l->ndirectories; i++) {
		harvest_free(&l->harvests[i]);
		if (l->locks[i] >= 0)
			close(l->locks[i]);
	}
	free(l->harvests);
	free(l->locks);
	free(l->files);
}

/* Put profiles in the place of PIDs, and of directories.  False after a message. */
static bool sources_make(struct merge_operands *l, char **operands, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		char *file = pid_operand(operands[i]);

		if (!file)
			return false;
		if (stat(file, &st) == 0 && S_ISDIR(st.st_mode) ? !directory_add(l, file) : !merge_file_add(l, file))
			return false;
	}
	if (l->n == 0)
		message("%s: no profiles in this directory", operands[0]);
	return l->n > 0;
}

static int merge_operands(char **operands, size_t n, const struct options *o)
{
	struct merge_operands l = { 0 };
	int status = sources_make(&l, operands, n) ? merge(l.files, l.n, o) : STATUS_TROUBLE;

	sources_free(&l);
	return status;
}

static int merge_run(const struct command *self, struct options *o, int argc, char **argv)
{
	char **files = argv + o->first;
	size_t n = (size_t)(argc - o->first);

	(void)self;
	if (!o->output || n == 0)
		message("merge: say where to and what: aprof merge -o OUT FILE|DIRECTORY...");
	else if (files_held(o->output))
		message("%s: a running process writes it; choose another name", o->output);
	else if (output_allowed(o->output, true))
		return merge_operands(files, n, o);
	return STATUS_TROUBLE;
}

const struct command command_merge = {
	.name = "merge",
	.usage = "-o OUT FILE|DIRECTORY...",
	.summary = "one file from many",
	.options = COMMAND_MERGE,
	.examples = "  aprof merge -o sum.amon a.amon b.amon    the sum of two runs\n"
		    "  aprof merge -o sum.amon profiles/        of all files in a folder\n",
	.function = merge_run,
};
