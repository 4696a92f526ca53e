/* call_stacks.c - call stacks that stand beside exact contexts, in their file or in one of their own. */
#include "understand/input/call_stacks.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "understand/input/files.h"

/* Is the profile at PATH, whose header becomes *H, of call stacks of the process that RUN is of? */
static bool is_beside(const struct profile_run *run, const char *path, struct amon_header *h)
{
	const struct amon_header *of = &run->header;

	return files_header(path, h, NULL) && profile_kind_is_stacks(profile_kind(h)) && h->pid == of->pid && h->start_ticks == of->start_ticks &&
	       strcmp(h->program, of->program) == 0 && strcmp(h->host, of->host) == 0;
}

/* Of the files that PATTERN names, and that are beside RUN, the one that began last before the exact one did: a process that executes itself has several.  To be freed; NULL:
 * there is none. */
static char *call_stacks_last(const struct profile_run *run, const char *pattern)
{
	const char *found = NULL;
	struct amon_header h;
	uint64_t start = 0;
	char *name;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return NULL;
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (is_beside(run, g.gl_pathv[i], &h) && h.start_monotonic >= start && h.start_monotonic <= run->header.start_monotonic) {
			found = g.gl_pathv[i];
			start = h.start_monotonic;
		}
	name = found ? strdup(found) : NULL;
	globfree(&g);
	return name;
}

/* The name of that file; NULL: there is none. */
static char *call_stacks_name(const struct profile_run *run, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = NULL, *pattern = NULL;
	struct amon_header h;

	if (asprintf(&name, "%s.stacks", path) < 0)
		return NULL;
	if (is_beside(run, name, &h))
		return name;
	free(name);
	if (asprintf(&pattern, "%.*sstacks.%" PRId32 ".*", slash ? (int)(slash - path) + 1 : 0, path, run->header.pid) < 0)
		return NULL;
	name = call_stacks_last(run, pattern);
	free(pattern);
	return name;
}

char *call_stacks_find(struct profile *p, const char *path)
{
	const struct profile_run *run = &p->runs[p->nruns - 1];
	enum report_life life;
	struct error ignored;
	char *name = profile_counts_calls(p) && profile_has_contexts(p) ? call_stacks_name(run, path) : NULL;

	if (!name)
		return NULL;
	if (profile_beside(p) && files_read(p->sampled, name, run->label, &life, &ignored))
		return name;
	if (p->sampled && p->sampled->nruns == 0) {
		profile_free(p->sampled);
		p->sampled = NULL;
	}
	free(name);
	return NULL;
}

static bool lacks_stacks(const struct input *in, const char *option, struct error *err)
{
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%s: %.200s has no call stacks together with exact contexts; aprof run --stacks samples them", option,
			 in->profile->nruns ? in->profile->runs[0].label : "the profile");
}

bool input_take_stacks(struct input *in, struct error *err)
{
	struct profile *exact = in->profile, *stacks = exact->sampled;
	enum report_life *life;
	char **paths;

	if (!profile_counts_calls(exact))
		return true;			/* it is of stacks, alone */
	if (!stacks)
		return lacks_stacks(in, "--stacks", err);
	life = calloc((size_t)stacks->nruns + 1, sizeof *life);
	paths = calloc((size_t)stacks->nruns + 1, sizeof *paths);
	if (!life || !paths) {
		free(life);
		free(paths);
		return error_no_memory(err, "reading call stacks");
	}
	for (uint32_t i = 0; i < stacks->nruns; i++)
		life[i] = stacks->runs[i].header.state == AMON_ENDED ? REPORT_ENDED : in->life[0];
	for (uint32_t i = 0; i < exact->nruns; i++)
		free(in->paths[i]);
	free(in->paths);
	free(in->life);
	in->life = life;
	in->paths = paths;
	in->profile = stacks;
	exact->sampled = NULL;
	profile_free(exact);
	return true;
}

bool input_check_leaves(const struct input *in, struct error *err)
{
	return in->leaves != INPUT_DEEP_LEAVES || in->profile->sampled || !profile_counts_calls(in->profile) || lacks_stacks(in, "--leaves", err);
}
