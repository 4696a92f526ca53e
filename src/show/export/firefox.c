/* firefox.c - the "processed profile" of the Firefox Profiler, version 47.
 *
 * Tables are columns: "funcTable": {"name": [...], "fileName": [...], "length": n}.  Each thread has all of its own, strings included.
 * Its stackTable is the tree of stacks; a sample is a node with its time as weight (its calls in a run without time), and the
 * time line has those weights one after the other: a profile has sums, no order.  The Profiler raises older versions
 * itself; this one is the first in which pids are strings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/export/export.h"
#include "show/export/frames.h"
#include "show/report/report.h"
#include "base/print.h"
#include "show/export/stacks.h"
#include "show/report/version.h"
#include "show/export/words.h"

enum { GECKO_VERSION = 27, PROCESSED_VERSION = 47 };

/* What is written. */
struct writing {
	struct emit e;
	const struct graph *graph;
	struct frames frames;
	struct stacks stacks;
	struct words strings;	/* names, files and modules */
	struct words modules;	/* paths of modules that frames have */
	uint32_t *place;	/* node of the tree -> 1 + its place in the stackTable of the thread at hand; 0: none */
	uint32_t *nodes;	/* place -> node of the tree */
	uint32_t nplaces;	/* places taken; a node after a gap has two, the gap's first */
	bool by_time;		/* weights are times, else calls */
};

/* The samples of one thread. */
struct part {
	const struct stack_sample *samples;	/* they */
	size_t n;				/* how many */
	uint32_t thread;			/* index in the profile's threads[] */
};

static void column_constant(struct writing *w, const char *name, size_t n, json_t *value)
{
	emit_array(&w->e, name);
	for (size_t i = 0; i < n; i++)
		emit_item(&w->e, json_incref(value));
	emit_array_end(&w->e);
	json_decref(value);
}

static void length(struct writing *w, size_t n)
{
	emit_member(&w->e, "length", emit_count(n));
}

/* The table's values in the column NAME: VALUE of each index. */
static void column(struct writing *w, const char *name, size_t n, json_t *(*value)(struct writing *w, size_t i))
{
	emit_array(&w->e, name);
	for (size_t i = 0; i < n; i++)
		emit_item(&w->e, value(w, i));
	emit_array_end(&w->e);
}

static json_t *index_value(struct writing *w, size_t i)
{
	(void)w;
	return emit_count(i);
}

static json_t *line_value(struct writing *w, size_t i)
{
	return w->frames.frames[i].line ? emit_count(w->frames.frames[i].line) : json_null();
}

static json_t *name_value(struct writing *w, size_t i)
{
	return emit_count(words_find(&w->strings, w->frames.frames[i].name));
}

static json_t *file_value(struct writing *w, size_t i)
{
	return w->frames.frames[i].file ? emit_count(words_find(&w->strings, w->frames.frames[i].file)) : json_null();
}

static json_t *resource_value(struct writing *w, size_t i)
{
	const char *module = w->frames.frames[i].module;

	return module ? emit_count(words_find(&w->modules, module)) : json_integer(-1);
}

static json_t *module_name_value(struct writing *w, size_t i)
{
	return emit_count(words_find(&w->strings, w->modules.text[i]));
}

static json_t *string_value(struct writing *w, size_t i)
{
	return emit_name(w->strings.text[i]);
}

static void frame_table(struct writing *w)
{
	size_t n = w->frames.n;

	emit_object(&w->e, "frameTable");
	column_constant(w, "address", n, json_integer(-1));
	column_constant(w, "inlineDepth", n, json_integer(0));
	column_constant(w, "category", n, json_integer(0));
	column_constant(w, "subcategory", n, json_integer(0));
	column(w, "func", n, index_value);
	column_constant(w, "nativeSymbol", n, json_null());
	column_constant(w, "innerWindowID", n, json_null());
	column_constant(w, "implementation", n, json_null());
	column(w, "line", n, line_value);
	column_constant(w, "column", n, json_null());
	length(w, n);
	emit_object_end(&w->e);
}

static void func_table(struct writing *w)
{
	size_t n = w->frames.n;

	emit_object(&w->e, "funcTable");
	column_constant(w, "isJS", n, json_false());
	column_constant(w, "relevantForJS", n, json_false());
	column(w, "name", n, name_value);
	column(w, "resource", n, resource_value);
	column(w, "fileName", n, file_value);
	column(w, "lineNumber", n, line_value);
	column_constant(w, "columnNumber", n, json_null());
	length(w, n);
	emit_object_end(&w->e);
}

static void resource_table(struct writing *w)
{
	size_t n = w->modules.n;

	emit_object(&w->e, "resourceTable");
	column(w, "lib", n, index_value);
	column(w, "name", n, module_name_value);
	column_constant(w, "host", n, json_null());
	column_constant(w, "type", n, json_integer(1));
	length(w, n);
	emit_object_end(&w->e);
}

static void empty_tables(struct writing *w)
{
	emit_member(&w->e, "nativeSymbols", json_pack("{s:[], s:[], s:[], s:[], s:i}", "libIndex", "address", "name",
						      "functionSize", "length", 0));
	emit_member(&w->e, "markers", json_pack("{s:[], s:[], s:[], s:[], s:[], s:[], s:i}", "data", "name", "startTime",
						"endTime", "phase", "category", "length", 0));
}

/* Give places to the stacks of PART and to what they extend, parents first: the tree has them in that order. */
static void places_take(struct writing *w, const struct part *part)
{
	const struct tree *t = w->stacks.tree;

	for (size_t i = 0; i < t->nnodes; i++)
		w->place[i] = 0;
	for (size_t i = 0; i < part->n; i++)
		for (uint32_t node = part->samples[i].node; !w->place[node]; node = t->nodes[node].parent) {
			w->place[node] = 1;
			if (node == 0)
				break;
		}
	w->nplaces = 0;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		if (!w->place[i] || (i == 0 && part->samples[0].node != 0))
			continue;
		if (t->nodes[i].gap)
			w->nodes[w->nplaces++] = i;
		w->nodes[w->nplaces++] = i;
		w->place[i] = w->nplaces;
	}
}

static bool is_gap(const struct writing *w, size_t place)
{
	uint32_t node = w->nodes[place];

	return w->stacks.tree->nodes[node].gap && w->place[node] != place + 1;
}

static json_t *stack_frame_value(struct writing *w, size_t place)
{
	return emit_count(is_gap(w, place) ? frames_folded(&w->frames)
			  : frames_of(&w->frames, &w->stacks.tree->nodes[w->nodes[place]]));
}

static json_t *stack_prefix_value(struct writing *w, size_t place)
{
	const struct tree_node *node = &w->stacks.tree->nodes[w->nodes[place]];

	if (node->gap && !is_gap(w, place))
		return emit_count(place - 1);
	return w->nodes[place] && node->parent ? emit_count(w->place[node->parent] - 1) : json_null();
}

static void stack_table(struct writing *w)
{
	emit_object(&w->e, "stackTable");
	column(w, "frame", w->nplaces, stack_frame_value);
	column(w, "prefix", w->nplaces, stack_prefix_value);
	column_constant(w, "category", w->nplaces, json_integer(0));
	column_constant(w, "subcategory", w->nplaces, json_integer(0));
	length(w, w->nplaces);
	emit_object_end(&w->e);
}

/* Sample S as the Profiler counts: milliseconds, bytes, or how many. */
static double firefox_weight_of(const struct writing *w, const struct stack_sample *s)
{
	return !w->by_time ? (double)s->calls : profile_is_time(w->graph->profile) ? (double)s->time / 1e6 : (double)s->time;
}

static void sample_table(struct writing *w, const struct part *part)
{
	double at = 0;

	emit_object(&w->e, "samples");
	emit_array(&w->e, "stack");
	for (size_t i = 0; i < part->n; i++)
		emit_item(&w->e, emit_count(w->place[part->samples[i].node] - 1));
	emit_array_end(&w->e);
	emit_array(&w->e, "time");
	for (size_t i = 0; i < part->n; i++) {
		emit_item(&w->e, json_real(at));
		at += firefox_weight_of(w, &part->samples[i]);
	}
	emit_array_end(&w->e);
	emit_array(&w->e, "weight");
	for (size_t i = 0; i < part->n; i++)
		emit_item(&w->e, json_real(firefox_weight_of(w, &part->samples[i])));
	emit_array_end(&w->e);
	emit_member(&w->e, "weightType", json_string(!w->by_time ? "samples" : profile_is_time(w->graph->profile) ? "tracing-ms" : strcmp(figure_unit(w->graph), "bytes") == 0 ? "bytes" : "samples"));
	length(w, part->n);
	emit_object_end(&w->e);
}

static void thread_head(struct writing *w, const struct part *part)
{
	const struct profile *p = w->graph->profile;
	const struct profile_thread *t = &p->threads[part->thread];
	const struct profile_run *run = &p->runs[t->run];
	char pid[32];

	snprintf(pid, sizeof pid, "%" PRId32, run->header.pid);
	emit_member(&w->e, "processType", json_string("default"));
	emit_member(&w->e, "processName", emit_name(run->header.program));
	emit_member(&w->e, "processStartupTime", json_integer(0));
	emit_member(&w->e, "processShutdownTime", json_null());
	emit_member(&w->e, "registerTime", json_integer(0));
	emit_member(&w->e, "unregisterTime", json_null());
	emit_member(&w->e, "pausedRanges", json_array());
	emit_member(&w->e, "showMarkersInTimeline", json_false());
	emit_member(&w->e, "name", emit_name(*t->record.name ? t->record.name : "thread"));
	emit_member(&w->e, "isMainThread", json_boolean(part->thread == run->first_thread));
	emit_member(&w->e, "pid", json_string(pid));
	emit_member(&w->e, "tid", json_integer(t->record.tid));
}

static void firefox_thread_write(struct writing *w, const struct part *part)
{
	places_take(w, part);
	emit_object(&w->e, NULL);
	thread_head(w, part);
	sample_table(w, part);
	stack_table(w);
	frame_table(w);
	func_table(w);
	resource_table(w);
	empty_tables(w);
	column(w, "stringArray", w->strings.n, string_value);
	emit_object_end(&w->e);
}

static void firefox_threads_write(struct writing *w)
{
	const struct stacks *s = &w->stacks;

	emit_array(&w->e, "threads");
	for (size_t i = 0, n; i < s->n; i += n) {
		for (n = 1; i + n < s->n && s->samples[i + n].thread == s->samples[i].thread;)
			n++;
		firefox_thread_write(w, &(struct part){ &s->samples[i], n, s->samples[i].thread });
	}
	emit_array_end(&w->e);
}

static void meta_write(struct writing *w)
{
	const struct profile *p = w->graph->profile;
	const struct amon_header *h = p->nruns ? &p->runs[0].header : NULL;

	emit_object(&w->e, "meta");
	emit_member(&w->e, "version", json_integer(GECKO_VERSION));
	emit_member(&w->e, "preprocessedProfileVersion", json_integer(PROCESSED_VERSION));
	emit_member(&w->e, "product", emit_name(h ? h->program : "aprof"));
	emit_member(&w->e, "importedFrom", json_string("aprof " APROF_VERSION));
	emit_member(&w->e, "interval", json_real(h && h->rate ? 1e3 / h->rate : 1));
	emit_member(&w->e, "startTime", json_real(h ? (double)h->start_realtime / 1e6 : 0));
	emit_member(&w->e, "processType", json_integer(0));
	emit_member(&w->e, "stackwalk", json_integer(1));
	emit_member(&w->e, "debug", json_false());
	emit_member(&w->e, "symbolicated", json_true());
	emit_member(&w->e, "platform", json_string("Linux"));
	emit_member(&w->e, "categories", json_pack("[{s:s, s:s, s:[s]}]", "name", "Routines", "color", "blue",
						   "subcategories", "Other"));
	emit_member(&w->e, "markerSchema", json_array());
	emit_object_end(&w->e);
}

static void libs_write(struct writing *w)
{
	emit_array(&w->e, "libs");
	for (size_t i = 0; i < w->modules.n; i++) {
		const char *path = w->modules.text[i], *name = print_basename(path);

		emit_item(&w->e, json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:n}", "arch", "", "name", emit_name(name), "path",
					   emit_name(path), "debugName", emit_name(name), "debugPath", emit_name(path),
					   "breakpadId", "", "codeId"));
	}
	emit_array_end(&w->e);
}

static bool firefox_words_fill(struct writing *w)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < w->frames.n; i++) {
		const struct frame *f = &w->frames.frames[i];

		ok = words_add(&w->strings, f->name) && (!f->file || words_add(&w->strings, f->file))
			&& (!f->module || (words_add(&w->strings, f->module) && words_add(&w->modules, f->module)));
	}
	return ok && words_settle(&w->strings) && words_settle(&w->modules);
}

static bool firefox_writing_make(struct writing *w, struct error *err)
{
	if (!frames_make(&w->frames, w->graph, err) || !stacks_make(&w->stacks, w->graph, true, err))
		return false;
	w->place = calloc(w->stacks.tree->nnodes, sizeof *w->place);
	w->nodes = calloc(2 * w->stacks.tree->nnodes, sizeof *w->nodes);
	return (w->place && w->nodes && firefox_words_fill(w)) || error_no_memory(err, NULL);
}

bool firefox_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	struct writing w = { .graph = in->graph, .by_time = in->graph->time + in->graph->outside > 0 };
	bool ok = firefox_writing_make(&w, err);

	(void)options;
	if (ok) {
		emit_begin(&w.e, out);
		meta_write(&w);
		libs_write(&w);
		firefox_threads_write(&w);
		emit_end(&w.e);
		ok = !w.e.failed || error_no_memory(err, NULL);
	}
	frames_free(&w.frames);
	stacks_free(&w.stacks);
	words_free(&w.strings);
	words_free(&w.modules);
	free(w.place);
	free(w.nodes);
	return ok;
}
