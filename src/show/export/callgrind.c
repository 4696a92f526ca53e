/* callgrind.c - the format of callgrind, as valgrind's manual specifies it ("Callgrind Format Specification").
 *
 *     ob=(1) /usr/bin/prog            object, file, routine: a number, and the name where it stands first
 *     fl=(1) prog.c
 *     fn=(2) work
 *     12 4000                         a line of the source, and ns of the routine itself
 *     cfn=(3) leaf
 *     calls=1000 20                   calls along the arc, and the line of the callee
 *     12 9000                         line of the call (the caller's own where call sites were not told apart), and ns that the calls took
 *
 * The cost of an arc is the callee's view of it (self2 + child2), since callgrind_annotate takes the sum over its incoming
 * arcs for the inclusive cost of a routine: that is its total, through recursion too.  So that every routine has a caller, those
 * that nobody with hooks called are called by "(outside all routines)", whose own cost is the time out there.  Direct recursive
 * calls are an arc of a routine to itself that costs nothing: their time is in the self cost already.
 *
 * Where call sites were told apart (APROF_SITES=1) the calls of an arc are at the lines that they stand on, with what they took, if samples divide the arc's
 * time.
 *
 * Readers take a cost behind `calls=0` for the caller's own, so where calls were not counted each arc has one, which `desc: Calls:` says. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "show/export/export.h"
#include "show/export/frames.h"
#include "show/report/version.h"
#include "show/export/words.h"

/* Of a profile without calls; aprof itself reads it, too (read/import/from_callgrind.c). */
#define CALLS_UNKNOWN "desc: Calls: not counted; each arc has 1"

static const char nowhere[] = "???";		/* callgrind's word for what is not known */

/* What is written. */
struct writing {
	FILE *out;
	const struct graph *graph;
	struct frames frames;
	const struct report_input *in;
	struct graph_sites sites; /* calls by call site, where they were told apart */
	struct leaves leaves;	/* self times by source line */
	struct words files;	/* of routines and of lines */
	struct words objects;	/* modules */
	uint32_t *twin;		/* frame -> 1 for the second of an equal name and file, and so on; else 0 */
	bool *named;		/* frame -> its name has been written */
};

static const char *or_nowhere(const char *text)
{
	return text && *text ? text : nowhere;
}

static bool callgrind_words_fill(struct writing *w)
{
	bool ok = words_add(&w->files, nowhere) && words_add(&w->objects, nowhere);

	for (uint32_t i = 0; ok && i < w->frames.n; i++)
		ok = words_add(&w->files, or_nowhere(w->frames.frames[i].file))
			&& words_add(&w->objects, or_nowhere(w->frames.frames[i].module));
	for (size_t i = 0; ok && i < w->leaves.n; i++)
		ok = words_add(&w->files, w->leaves.leaf[i].place);
	return ok && words_settle(&w->files) && words_settle(&w->objects);
}

static int callgrind_by_name(const void *left, const void *right, void *arg)
{
	const struct frame *frames = arg, *a = &frames[*(const uint32_t *)left], *b = &frames[*(const uint32_t *)right];
	int c = strcmp(or_nowhere(a->file), or_nowhere(b->file));

	if (c == 0)
		c = strcmp(a->name, b->name);
	return c ? c : (a > b) - (a < b);
}

static bool is_twin(const struct frame *a, const struct frame *b)
{
	return strcmp(or_nowhere(a->file), or_nowhere(b->file)) == 0 && strcmp(a->name, b->name) == 0;
}

/* Readers of the format know a routine by its name and file: number those that have both in common. */
static bool twins_fill(struct writing *w)
{
	const struct frame *frames = w->frames.frames;
	uint32_t *order = calloc(w->frames.n, sizeof *order);

	w->twin = calloc(w->frames.n, sizeof *w->twin);
	w->named = calloc(w->frames.n, sizeof *w->named);
	for (uint32_t i = 0; order && i < w->frames.n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, w->frames.n, sizeof *order, callgrind_by_name, w->frames.frames);
	for (uint32_t i = 1; order && w->twin && i < w->frames.n; i++)
		if (is_twin(&frames[order[i - 1]], &frames[order[i]]))
			w->twin[order[i]] = w->twin[order[i - 1]] + 1;
	free(order);
	return order && w->twin && w->named;
}

static void callgrind_word_print(struct writing *w, const char *key, struct words *words, const char *text)
{
	size_t i = words_find(words, text);

	fprintf(w->out, "%s=(%zu)", key, i + 1);
	if (!words->written[i]) {
		putc(' ', w->out);
		escape_print(w->out, text, 0);
		words->written[i] = true;
	}
	putc('\n', w->out);
}

static void callgrind_name_print(struct writing *w, const char *key, uint32_t frame)
{
	fprintf(w->out, "%s=(%" PRIu32 ")", key, frame + 1);
	if (!w->named[frame]) {
		putc(' ', w->out);
		escape_print(w->out, w->frames.frames[frame].name, 0);
		if (w->twin[frame])
			fprintf(w->out, "#%" PRIu32, w->twin[frame] + 1);
		w->named[frame] = true;
	}
	putc('\n', w->out);
}

static void routine_begin(struct writing *w, uint32_t frame)
{
	const struct frame *f = &w->frames.frames[frame];

	callgrind_word_print(w, "\nob", &w->objects, or_nowhere(f->module));
	callgrind_word_print(w, "fl", &w->files, or_nowhere(f->file));
	callgrind_name_print(w, "fn", frame);
}

/* Self time by line; what no line explains is at the routine's own. */
static void callgrind_self_print(struct writing *w, uint32_t routine)
{
	const struct frame *f = &w->frames.frames[routine];
	uint64_t rest = w->graph->routines[routine].self;
	const char *file = or_nowhere(f->file);

	for (size_t i = w->leaves.first[routine]; i < w->leaves.first[routine + 1]; i++)
		rest -= w->leaves.leaf[i].time;
	fprintf(w->out, "%" PRIu32 " %" PRIu64 "\n", f->line, rest);
	for (size_t i = w->leaves.first[routine]; i < w->leaves.first[routine + 1]; i++) {
		const struct leaf *leaf = &w->leaves.leaf[i];

		if (strcmp(file, leaf->place) != 0)
			callgrind_word_print(w, strcmp(leaf->place, or_nowhere(f->file)) == 0 ? "fe" : "fi", &w->files, leaf->place);
		file = leaf->place;
		fprintf(w->out, "%" PRIu32 " %" PRIu64 "\n", leaf->line, leaf->time);
	}
	if (strcmp(file, or_nowhere(f->file)) != 0)
		callgrind_word_print(w, "fe", &w->files, or_nowhere(f->file));
}

/* CALLS calls on LINE; none is printed of what neither counted nor cost anything.  A cost without a call would be the caller's own to who reads the format, so there is one. */
static void call_print(struct writing *w, uint32_t line, uint32_t to, uint64_t calls, uint64_t time)
{
	const struct frame *f = &w->frames.frames[to];

	if (calls == 0 && time == 0)
		return;
	callgrind_word_print(w, "cob", &w->objects, or_nowhere(f->module));
	callgrind_word_print(w, "cfi", &w->files, or_nowhere(f->file));
	callgrind_name_print(w, "cfn", to);
	fprintf(w->out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 "\n", calls ? calls : 1, f->line, line, time);
}

/* Is the line of P known, and in the file of FROM itself? */
static bool has_own_line(const struct writing *w, uint32_t from, const struct call_place *p)
{
	return !p->within && p->line && strcmp(or_nowhere(p->file), or_nowhere(w->frames.frames[from].file)) == 0;
}

/* The calls of ARC, by the lines that they stand on as far as these are known and in the caller's own file.  Time that none of these has stands at the caller's own line, with the
 * calls that are left, or with one that is taken from the line that has most. */
static bool callgrind_arc_print(struct writing *w, uint32_t from, uint32_t to, const struct call_figures *arc)
{
	struct call_places places = { 0 };
	uint64_t left = arc->calls, time = arc->self + arc->children;
	const struct call_place *most = NULL;
	bool borrows;

	if (w->sites.n > 0 && !call_places_make(&places, w->in, &w->sites, from, to, arc))
		return false;
	for (const struct call_place *p = places.places; p < places.places + places.n; p++)
		if (has_own_line(w, from, p)) {
			left -= p->calls < left ? p->calls : left;
			time -= p->self + p->children;
			most = !most || p->calls > most->calls ? p : most;
		}
	borrows = left == 0 && time > 0 && most && most->calls > 1;
	for (const struct call_place *p = places.places; p < places.places + places.n; p++)
		if (has_own_line(w, from, p))
			call_print(w, p->line, to, p->calls - (borrows && p == most), p->self + p->children);
	call_print(w, w->frames.frames[from].line, to, left + borrows, time);
	call_places_free(&places);
	return true;
}

static bool has_anything(const struct graph_routine *r)
{
	return r->calls || r->recursive || r->self || r->total;
}

static bool callgrind_routine_print(struct writing *w, uint32_t routine)
{
	const struct graph_routine *r = &w->graph->routines[routine];
	bool ok;

	if (!has_anything(r))
		return true;
	routine_begin(w, routine);
	callgrind_self_print(w, routine);
	ok = callgrind_arc_print(w, routine, routine, &(struct call_figures){ r->recursive, 0, 0 });
	for (uint32_t i = r->first_out; ok && i < r->first_out + r->nout; i++) {
		const struct graph_arc *a = &w->graph->arcs[i];

		ok = callgrind_arc_print(w, routine, a->to, &(struct call_figures){ a->calls, a->self2, a->child2 });
	}
	return ok;
}

static void callgrind_outside_print(struct writing *w)
{
	uint32_t outside = frames_outside(&w->frames);

	routine_begin(w, outside);
	fprintf(w->out, "0 %" PRIu64 "\n", w->graph->outside);
	for (uint32_t i = 0; i < w->graph->narcs; i++) {
		const struct graph_arc *a = &w->graph->arcs[i];

		if (a->from == GRAPH_NONE)
			call_print(w, w->frames.frames[outside].line, a->to, a->calls, a->self2 + a->child2);
	}
}

/* What costs are: the name of an event is one word, with its unit as in `Memory_(bytes)`. */
static void event_head_print(struct writing *w)
{
	const struct profile_value *v = profile_value_of(w->graph->profile);
	char name[WORDS_UNIT], unit[WORDS_UNIT];

	fputs("positions: line\n", w->out);
	if (profile_is_time(w->graph->profile))
		fputs("event: ns : Time, ns\nevents: ns\n", w->out);
	else if (strcmp(v->unit, "count") == 0 || strcmp(v->name, "Ir") == 0)
		fprintf(w->out, "events: %s\n", words_plain(v->name, name));
	else
		fprintf(w->out, "events: %s_(%s)\n", words_plain(v->name, name), words_plain(v->unit, unit));
}

static void callgrind_head_print(struct writing *w)
{
	const struct profile *p = w->graph->profile;

	fputs("# callgrind format\nversion: 1\ncreator: aprof " APROF_VERSION "\n", w->out);
	if (p->nruns) {
		fprintf(w->out, "pid: %" PRId32 "\ncmd: ", p->runs[0].header.pid);
		escape_print(w->out, p->runs[0].header.program, 0);
		putc('\n', w->out);
	}
	if (!w->graph->counted)
		fputs(CALLS_UNKNOWN "\n", w->out);
	event_head_print(w);
	fprintf(w->out, "summary: %" PRIu64 "\n", w->graph->time + w->graph->outside);
}

static bool callgrind_writing_make(struct writing *w, const struct report_input *in, struct error *err)
{
	struct report_options lines = { .lines = in->graph->options.thread == GRAPH_NONE };

	if (!graph_sites_make(&w->sites, in->graph, err) || !frames_make(&w->frames, in->graph, err) || !leaves_make(&w->leaves, in, &lines, err))
		return false;
	return (callgrind_words_fill(w) && twins_fill(w)) || error_no_memory(err, NULL);
}

bool callgrind_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	struct writing w = { .out = out, .in = in, .graph = in->graph };
	bool ok = callgrind_writing_make(&w, in, err);

	(void)options;
	if (ok) {
		callgrind_head_print(&w);
		callgrind_outside_print(&w);
		for (uint32_t i = 0; ok && i < in->graph->nroutines; i++)
			ok = callgrind_routine_print(&w, i) || error_no_memory(err, NULL);
		fprintf(out, "\ntotals: %" PRIu64 "\n", in->graph->time + in->graph->outside);
	}
	words_free(&w.files);
	words_free(&w.objects);
	graph_sites_free(&w.sites);
	leaves_free(&w.leaves);
	frames_free(&w.frames);
	free(w.twin);
	free(w.named);
	return ok;
}
