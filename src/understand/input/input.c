/* input.c - read, symbolise, place samples, build the graph. */
#include "understand/input/input.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "read/import/from_gmon.h"
#include "read/import/import.h"
#include "read/profile/sum.h"
#include "understand/input/call_stacks.h"
#include "understand/input/embedding.h"
#include "understand/input/join.h"
#include "understand/input/input_notes.h"

enum { MOST_KEPT = 16 };	/* files that get their symbols by one command: each is symbolised by itself */

/* Room for what is kept of each of N runs. */
static bool runs_reserve(struct input *in, size_t n)
{
	enum report_life *life = reallocarray(in->life, n + 1, sizeof *life);
	char **paths = reallocarray(in->paths, n + 1, sizeof *paths);

	if (life)
		in->life = life;
	if (paths)
		in->paths = paths;
	return life && paths;
}

/* Make M of the LEN bytes at DATA, of KIND. */
static bool import_make(const struct input *in, struct import *m, enum file_kind kind, const void *data, size_t len, const char *label, struct error *err)
{
	if (kind != FILE_GMON)
		return import_read(m, data, len, label, &in->wishes, err);
	return in->program ? import_read_gmon(m, data, len, in->program, label, err) :
		error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: a gmon.out has addresses only; name the program, too", label);
}

/* Add the files that are made of the other people's one at PATH, of KIND: a run for each of its processes. */
static bool import_add(struct input *in, const char *path, enum file_kind kind, const char *label, struct error *err)
{
	size_t have = in->profile->nruns, len, size;
	void *data = files_load(path, &len, err);
	struct import m = { 0 };
	bool ok = data && import_make(in, &m, kind, data, len, label, err);

	if (ok && m.sides[0] && !in->value)
		ok = error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: two profiles beside each other: aprof diff %.200s compares them, --value=%s or --value=%s shows one",
			       label, label, m.sides[0], m.sides[1]);
	for (const char *line = m.notes; ok && *line; line += strcspn(line, "\n") + 1)
		input_note(in, "%.*s", (int)strcspn(line, "\n"), line);
	ok = ok && ((runs_reserve(in, have + m.n) && sample_labels_add_all(&in->labels, &m.labels)) || error_no_memory(err, NULL));
	for (size_t i = 0; ok && i < m.n; i++) {
		const void *bytes = builder_bytes(m.builder, i, &size);

		ok = profile_read(in->profile, bytes, size, label, err);
		in->life[have + i] = REPORT_ENDED;
		in->paths[have + i] = NULL;
	}
	import_free(&m);
	free(data);
	return ok;
}

bool input_has_two_sides(const char *path, const char *sides[2])
{
	size_t len;
	struct error ignored;
	void *data = files_load(path, &len, &ignored);
	struct import m = { 0 };
	bool two = data && import_read(&m, data, len, path, NULL, &ignored) && m.sides[0];

	memcpy(sides, m.sides, sizeof m.sides);
	import_free(&m);
	free(data);
	return two;
}

/* Files of call stacks beside, read so far. */
static uint32_t stacks_read(const struct input *in)
{
	return in->profile->sampled ? in->profile->sampled->nruns : 0;
}

/* Add the profile at PATH, which is ours. */
static bool input_own_add(struct input *in, char *path, const char *label, struct error *err)
{
	uint32_t run = in->profile->nruns, stacks = stacks_read(in);
	char *beside = NULL;

	if (!runs_reserve(in, (size_t)run + 1))
		return error_no_memory(err, NULL);
	if (!files_read(in->profile, path, label, &in->life[run], err))
		return false;
	in->paths[run] = strdup(path);
	if (in->beside && !in->phase && (!in->value || in->stacks) && stacks_read(in) == stacks)
		beside = call_stacks_find(in->profile, path);
	if (beside)
		input_note(in, "note: call stacks of the same run are in %s, and are joined with %s", beside, label ? label : path);
	free(beside);
	return true;
}

struct profile *input_profile_new(const struct input *in, bool built)
{
	enum profile_value_from from = in->stacks ? PROFILE_VALUE_OF_STACKS : built ? PROFILE_VALUE_JOINED : PROFILE_VALUE_OWN;
	struct profile *p = profile_new();

	if (p && ((in->phase && !profile_set_phase(p, in->phase)) || (in->value && !profile_set_value(p, in->value, from)))) {
		profile_free(p);
		p = NULL;
	}
	return p;
}

bool input_read(struct input *in, char **files, size_t n, const char *label, struct error *err)
{
	uint32_t known = in->profile ? in->profile->nmodules : 0;

	input_step(in, "reading the profile");
	if (!in->profile && !(in->profile = input_profile_new(in, true)))
		return error_no_memory(err, NULL);
	for (size_t i = 0; i < n; i++) {
		enum file_kind kind = files_kind(files[i]);
		bool others = kind == FILE_IMPORT || kind == FILE_GMON;

		if (!(others ? import_add(in, files[i], kind, label ? label : files_name(files[i]), err) : input_own_add(in, files[i], label, err)))
			return false;
	}
	in->nfiles += (uint32_t)n;
	input_tell_others(in, known);
	return !in->stacks || input_take_stacks(in, err);
}

/* Has any of the files the phase? */
static bool phase_check(const struct input *in, struct error *err)
{
	const struct profile *p = in->profile;

	for (uint32_t i = 0; i < p->nphases; i++)
		if (strcmp(p->phases[i].name, in->phase) == 0)
			return true;
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, p->nphases ? "--phase=%s: no such phase: aprof info lists them" :
			 "--phase=%s: the program named no phases: see aprof_api(3)", in->phase);
}

static double seconds(uint64_t nsec) { return (double)nsec / 1e9; }

/* Is what happened in the range known of all files? */
static bool input_range_check(const struct input *in, struct error *err)
{
	const struct profile *p = in->profile;
	uint64_t until = profile_sliced_until(p);

	for (uint32_t i = 0; i < p->nruns; i++)
		if ((!p->runs[i].sliced || !profile_is_sliced(p)) && (p->time || !until))
			return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: it does not have its time by interval: aprof run --intervals keeps that, of "
					 "sampled clocks, and of up to %d processes", p->runs[i].label, SUM_APART);
	return in->range.from < until || error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "--time-range: it begins at %.6g s, and the last sample is at %.6g s",
						    seconds(in->range.from), seconds(until));
}

/* The profile is to be of the threads that are chosen. */
static bool threads_take(const struct input *in, struct error *err)
{
	uint32_t n, ignored;

	if (in->wishes.nlabels && !in->labels.n)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: its samples have no labels: not with --label", in->profile->runs[0].label);
	if (!thread_choice_is(&in->threads))
		return true;
	if (!profile_has_contexts(in->profile))
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: it has arcs without contexts, which are of no thread: not with --comm, nor --process", in->profile->runs[0].label);
	if (!thread_choice_take(&in->threads, in->profile, &n, err))
		return false;
	if (in->profile->sampled && !thread_choice_take(&in->threads, in->profile->sampled, &ignored, err))
		return false;
	input_note(in, "note: of %u of %u threads", n, in->profile->nthreads);
	return true;
}

/* What was estimated from all of the profile is to be of the range. */
static bool range_take(struct input *in, struct error *err)
{
	return overhead_take_range(in->overhead, in->profile, &in->range) || error_no_memory(err, NULL);
}

/* Find the static arcs. */
static bool read_code(struct input *in, struct error *err)
{
	input_step(in, "reading the code");
	if (!static_arcs_make(&in->static_arcs, in->profile, in->symbols, in->with_unused, err))
		return false;
	if (!in->static_arcs.all)
		input_note(in, "note: not all of the program's code could be read; calls that stand there and were not made are not listed");
	return true;
}

/* Have P, with the symbols S or, if that is NULL, its own, SPARE as in embed_symbols, carry what they say. */
static void carry(struct profile *p, struct symbols *s, bool spare)
{
	struct error ignored;
	struct symbols *own = s ? s : embed_symbols(p, NULL, spare, &ignored);

	if (own)
		embed_anew(p, own);
	if (!s)
		symbols_free(own);
}

/* Carries P more than one run's symbols of some module? */
static bool carries_twice(const struct profile *p)
{
	for (size_t i = 0; i < p->nsymbols; i++)
		for (size_t k = 0; k < i; k++)
			if (p->symbols[i].module == p->symbols[k].module)
				return true;
	return false;
}

void input_carry(struct input *in)
{
	struct profile *stacks = in->profile->sampled;

	if (!in->symbols)
		input_step(in, "reading symbols");
	carry(in->profile, in->symbols, in->spare);
	if (stacks && carries_twice(stacks))
		carry(stacks, NULL, in->spare);
}

/* See that the files carry their symbols from now on. */
static void keep_symbols(struct input *in)
{
	const struct profile *p = in->profile;

	if (in->phase || in->value || in->range.to || thread_choice_is(&in->threads) || in->linked_names || p->plain || p->nruns > MOST_KEPT)
		return;
	for (uint32_t i = 0; i < p->nruns; i++) {
		bool over = in->life[i] == REPORT_ENDED || in->life[i] == REPORT_DIED;

		if (over && in->paths[i] && p->nruns == 1)
			embed_into(in->paths[i], in->profile, in->symbols);
		else if (over && in->paths[i])
			embed_into_file(in->paths[i], in->spare);
	}
}

/* Other people's files may have arcs alone. */
static bool contexts_check(const struct input *in, struct error *err)
{
	const struct profile *p = in->profile;

	return in->arcs_do || profile_has_contexts(p) || error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: it has arcs without contexts: "
		"aprof report, hot, info, diff, check, merge, and export callgrind, dot, csv, json show what it has", p->runs[0].label);
}

bool input_build(struct input *in, const char *program, const struct graph_options *options, struct error *err)
{
	struct graph_options more = *options;
	bool split = input_is_split(in) && options->model != GRAPH_GPROF;	/* which divides by calls, and plain code has none */
	bool beside = profile_value_is_beside(in->profile);

	if (!threads_take(in, err) || !contexts_check(in, err) || !input_check_leaves(in, err) || (in->phase && !phase_check(in, err)) || (in->range.to && !input_range_check(in, err)))
		return false;
	input_step(in, "reading symbols");
	if ((split || beside) && !input_adopt(in, err))
		return false;
	in->symbols = embed_symbols(in->profile, program, in->spare, err);
	if (in->symbols && in->linked_names)
		symbols_keep_linked(in->symbols);
	if (!in->symbols)
		return false;
	if (beside && !input_charge(in, program, err))
		return false;
	in->overhead = overhead_make(in->profile, in->symbols, err);
	if (!in->overhead || (in->range.to && !range_take(in, err)))
		return false;
	if (split && !input_split(in, program, err))
		return false;
	if (in->mean && !overhead_take_mean(in->overhead, in->profile, in->nfiles))
		return error_no_memory(err, NULL);
	if (!names_make(&in->names, in->profile, in->symbols, err))
		return false;
	if (in->with_static && !read_code(in, err))
		return false;
	input_step(in, "building the call graph");
	more.static_arcs = in->static_arcs.arcs;
	more.nstatic_arcs = in->static_arcs.n;
	more.unused = in->static_arcs.routines;
	more.nunused = in->static_arcs.nroutines;
	in->graph = graph_build(in->overhead, in->names.names, &more, err);
	more.model = GRAPH_GPROF;
	if (in->graph && in->with_gprof)
		in->gprof = graph_build(in->overhead, in->names.names, &more, err);
	if (!in->graph || (in->with_gprof && !in->gprof))
		return false;
	keep_symbols(in);
	in->report = (struct report_input){ .graph = in->graph, .gprof = in->gprof, .symbols = in->symbols,
		.never = in->names.never, .nnever = in->names.nnever, .never_known = in->names.never_known, .left_out = in->names.left_out,
		.nleft_out = in->names.nleft_out, .labels = &in->labels, .life = in->life, .program = program, .phase = in->phase, .range = in->range, .below = split || beside ? &in->below : NULL };
	return true;
}

void input_free(struct input *in)
{
	uint32_t nruns = in->profile ? in->profile->nruns : 0;

	input_step(in, NULL);
	graph_free(in->graph);
	graph_free(in->gprof);
	static_arcs_free(&in->static_arcs);
	names_free(&in->names);
	sample_labels_free(&in->labels);
	overhead_free(in->overhead);
	if (in->symbols)
		symbols_free(in->symbols);
	if (in->profile)
		profile_free(in->profile);
	for (uint32_t i = 0; in->paths && i < nruns; i++)
		free(in->paths[i]);
	free(in->paths);
	free(in->life);
	*in = (struct input){ .listener = in->listener };
}
