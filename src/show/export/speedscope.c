/* speedscope.c - speedscope's own JSON (https://www.speedscope.app/file-format-schema.json).
 *
 * Frames are shared; a profile of type "sampled" is a list of stacks with weights.  The first two are the whole run, by
 * time and by calls; with several threads each has these two, too.  Stacks are sorted depth first, so that what is one
 * block is one in its view by time order, too. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/export/export.h"
#include "show/export/frames.h"
#include "show/export/stacks.h"
#include "show/report/version.h"

/* What is written. */
struct writing {
	struct emit e;
	const struct graph *graph;
	struct frames frames;
	uint32_t *stack;	/* frames of the sample at hand */
};

/* Samples of a profile. */
struct part {
	const struct stacks *stacks;		/* which has the tree */
	const struct stack_sample *samples;	/* they */
	size_t n;				/* how many */
	enum export_weight weight;		/* what counts */
};

static uint64_t speedscope_weight_of(const struct part *p, size_t i)
{
	return p->weight == EXPORT_CALLS ? p->samples[i].calls : p->samples[i].time;
}

static json_t *stack_json(struct writing *w, const struct tree *tree, uint32_t node)
{
	size_t n = frames_stack(&w->frames, tree, node, w->stack);
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		if (json_array_append_new(array, json_integer(w->stack[i])) != 0)
			w->e.failed = true;
	return array;
}

/* The format's word for the unit of times; "none" where it has none. */
static const char *unit_word(const struct graph *g)
{
	return profile_is_time(g->profile) ? "nanoseconds" : strcmp(figure_unit(g), "bytes") == 0 ? "bytes" : "none";
}

static void profile_write_json(struct writing *w, const struct part *p, const char *name)
{
	uint64_t total = 0;

	for (size_t i = 0; i < p->n; i++)
		total += speedscope_weight_of(p, i);
	emit_object(&w->e, NULL);
	emit_member(&w->e, "type", json_string("sampled"));
	emit_member(&w->e, "name", emit_name(name));
	emit_member(&w->e, "unit", json_string(p->weight == EXPORT_CALLS ? "none" : unit_word(w->graph)));
	emit_member(&w->e, "startValue", json_integer(0));
	emit_member(&w->e, "endValue", emit_count(total));
	emit_array(&w->e, "samples");
	for (size_t i = 0; i < p->n; i++)
		if (speedscope_weight_of(p, i))
			emit_item(&w->e, stack_json(w, p->stacks->tree, p->samples[i].node));
	emit_array_end(&w->e);
	emit_array(&w->e, "weights");
	for (size_t i = 0; i < p->n; i++)
		if (speedscope_weight_of(p, i))
			emit_item(&w->e, emit_count(speedscope_weight_of(p, i)));
	emit_array_end(&w->e);
	emit_object_end(&w->e);
}

/* "time of thread 3 (worker, process 123)", and its calls. */
static void speedscope_thread_write(struct writing *w, struct part *p, uint32_t thread)
{
	const struct profile *profile = w->graph->profile;
	const struct profile_thread *t = &profile->threads[thread];
	static const enum export_weight weights[] = { EXPORT_TIME, EXPORT_CALLS };
	char name[160];

	for (int i = 0; i < 2; i++) {
		p->weight = weights[i];
		snprintf(name, sizeof name, "%s of thread %" PRIu32 " (%.60s, process %" PRId32 ")", i ? "calls" : "time", thread, t->record.name,
			 profile->runs[t->run].header.pid);
		profile_write_json(w, p, name);
	}
}

static bool whole_write(struct writing *w, struct error *err)
{
	struct stacks stacks;
	struct part part = { .stacks = &stacks };

	if (!stacks_make(&stacks, w->graph, false, err))
		return false;
	part.samples = stacks.samples;
	part.n = stacks.n;
	profile_write_json(w, &part, "time");
	part.weight = EXPORT_CALLS;
	profile_write_json(w, &part, "calls");
	stacks_free(&stacks);
	return true;
}

static bool speedscope_threads_write(struct writing *w, struct error *err)
{
	struct stacks stacks;

	if (!stacks_make(&stacks, w->graph, true, err))
		return false;
	for (size_t i = 0, n; i < stacks.n; i += n) {
		uint32_t thread = stacks.samples[i].thread;

		for (n = 1; i + n < stacks.n && stacks.samples[i + n].thread == thread;)
			n++;
		speedscope_thread_write(w, &(struct part){ &stacks, &stacks.samples[i], n, EXPORT_TIME }, thread);
	}
	stacks_free(&stacks);
	return true;
}

static void frames_json(struct writing *w)
{
	emit_object(&w->e, "shared");
	emit_array(&w->e, "frames");
	for (uint32_t i = 0; i < w->frames.n; i++) {
		const struct frame *f = &w->frames.frames[i];
		json_t *frame = json_pack("{s:o}", "name", emit_name(f->name));

		if (f->file && json_object_set_new(frame, "file", emit_name(f->file)) != 0)
			w->e.failed = true;
		if (f->line && json_object_set_new(frame, "line", emit_count(f->line)) != 0)
			w->e.failed = true;
		emit_item(&w->e, frame);
	}
	emit_array_end(&w->e);
	emit_object_end(&w->e);
}

static bool writing_write(struct writing *w, FILE *out, struct error *err)
{
	bool ok;

	emit_begin(&w->e, out);
	emit_member(&w->e, "$schema", json_string("https://www.speedscope.app/file-format-schema.json"));
	emit_member(&w->e, "exporter", json_string("aprof " APROF_VERSION));
	emit_member(&w->e, "name", emit_name(w->graph->profile->nruns ? profile_run_name(&w->graph->profile->runs[0]) : "aprof"));
	emit_member(&w->e, "activeProfileIndex", json_integer(0));
	frames_json(w);
	emit_array(&w->e, "profiles");
	ok = whole_write(w, err) && (w->graph->profile->nthreads < 2 || speedscope_threads_write(w, err));
	emit_array_end(&w->e);
	emit_end(&w->e);
	return ok;
}

bool speedscope_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	struct writing w = { .graph = in->graph, .stack = calloc(frames_most(in->graph), sizeof *w.stack) };
	bool ok = w.stack && frames_make(&w.frames, in->graph, err) && writing_write(&w, out, err);

	(void)options;
	if (!w.stack || w.e.failed)
		ok = error_no_memory(err, NULL);
	frames_free(&w.frames);
	free(w.stack);
	return ok;
}
