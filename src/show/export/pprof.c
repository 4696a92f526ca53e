/* pprof.c - pprof's profile, by protobuf-c and zlib.
 *
 * The messages of a Profile may come in pieces, which readers join; so each string, mapping, function and sample is
 * encoded by itself and handed to zlib, and no more than one of them is in memory.  Strings are first: a table of
 * distinct words in which every later piece finds its numbers.
 *
 * A sample is a stack of one thread with three values: calls, samples of the clock, ns. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/escape.h"
#include "show/export/export.h"
#include "show/export/frames.h"
#include "show/export/profile.pb-c.h"
#include "show/export/stacks.h"
#include "show/report/version.h"
#include "show/export/words.h"

enum { VALUES = 3, LABELS = 4 };

/* The last is what times are. */
static const char *const value_names[VALUES][2] = { { "calls", "count" }, { "samples", "count" }, { "time", "nanoseconds" } };
static const char *const label_names[LABELS] = { "thread", "tid", "process", "pid" };

/* What is written; as a protobuf-c buffer it compresses what is appended. */
struct writing {
	ProtobufCBuffer base;	/* first: protobuf-c knows no more of it */
	z_stream z;
	FILE *out;
	bool failed;		/* zlib or memory failed; what OUT says is for the caller */
	const struct graph *graph;
	struct frames frames;
	struct stacks stacks;
	struct words words;	/* the strings of the table but its first, the empty one */
	char (*build_ids)[65];	/* of the modules, in hexadecimal */
	uint32_t *stack;	/* frames of the sample at hand */
	uint64_t *locations;	/* the same as pprof numbers them, the running routine first */
};

static void compress_all(struct writing *w, int flush)
{
	unsigned char chunk[16384];

	do {
		w->z.next_out = chunk;
		w->z.avail_out = sizeof chunk;
		if (deflate(&w->z, flush) == Z_STREAM_ERROR)
			w->failed = true;
		fwrite(chunk, 1, sizeof chunk - w->z.avail_out, w->out);
	} while (w->z.avail_out == 0);
}

static void pprof_append(ProtobufCBuffer *buffer, size_t len, const uint8_t *data)
{
	struct writing *w = (struct writing *)buffer;

	w->z.next_in = (unsigned char *)(uintptr_t)data;
	w->z.avail_in = (unsigned)len;
	compress_all(w, Z_NO_FLUSH);
}

static void pprof_piece_write(struct writing *w, const Pprof__Profile *piece)
{
	pprof__profile__pack_to_buffer(piece, &w->base);
}

static int64_t string_of(const struct writing *w, const char *text)
{
	return text && *text ? (int64_t)words_find(&w->words, text) + 1 : 0;
}

static bool pprof_add(struct writing *w, const char *text)
{
	return !text || !*text || words_add(&w->words, text);
}

static bool build_ids_fill(struct writing *w)
{
	const struct profile *p = w->graph->profile;

	w->build_ids = calloc((size_t)p->nmodules + 1, sizeof *w->build_ids);
	for (uint32_t i = 0; w->build_ids && i < p->nmodules; i++) {
		const struct profile_module *m = &p->modules[i];

		for (uint32_t k = 0; k < m->build_id_size && k < sizeof m->build_id; k++)
			snprintf(w->build_ids[i] + 2 * k, 3, "%02x", m->build_id[k]);
	}
	return w->build_ids != NULL;
}

static bool pprof_words_fill(struct writing *w)
{
	const struct profile *p = w->graph->profile;
	const struct profile_value *v = profile_value_of(w->graph->profile);
	bool ok = pprof_add(w, "cpu") && pprof_add(w, "aprof " APROF_VERSION) &&
		  (profile_is_time(w->graph->profile) || (pprof_add(w, v->name) && pprof_add(w, v->unit)));

	for (int i = 0; ok && i < VALUES; i++)
		ok = pprof_add(w, value_names[i][0]) && pprof_add(w, value_names[i][1]);
	for (int i = 0; ok && i < LABELS; i++)
		ok = pprof_add(w, label_names[i]);
	for (uint32_t i = 0; ok && i < w->frames.n; i++)
		ok = pprof_add(w, w->frames.frames[i].name) && pprof_add(w, w->frames.frames[i].file);
	for (uint32_t i = 0; ok && i < p->nmodules; i++)
		ok = pprof_add(w, p->modules[i].path) && pprof_add(w, w->build_ids[i]);
	for (uint32_t i = 0; ok && i < p->nruns; i++)
		ok = pprof_add(w, p->runs[i].header.program);
	for (uint32_t i = 0; ok && i < p->nthreads; i++)
		ok = pprof_add(w, p->threads[i].record.name);
	return ok && words_settle(&w->words);
}

/* A string of the table: harmless, and UTF-8 as protobuf wants it. */
static void string_write(struct writing *w, const char *text)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	size_t size = escape_string(NULL, 0, text, 0) + 1;
	char *safe = malloc(size);

	if (!safe) {
		w->failed = true;
		return;
	}
	escape_string(safe, size, text, 0);
	piece.n_string_table = 1;
	piece.string_table = &safe;
	pprof_piece_write(w, &piece);
	free(safe);
}

static void head_write(struct writing *w)
{
	const struct profile *p = w->graph->profile;
	const struct amon_header *h = p->nruns ? &p->runs[0].header : NULL;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__ValueType types[VALUES + 1], *pointers[VALUES];
	const struct profile_value *v = profile_value_of(p);
	bool other = !profile_is_time(p);
	int64_t comment = string_of(w, "aprof " APROF_VERSION);

	for (int i = 0; i < VALUES; i++) {
		bool is_other = other && i == VALUES - 1;

		types[i] = (Pprof__ValueType)PPROF__VALUE_TYPE__INIT;
		types[i].type = string_of(w, is_other ? v->name : value_names[i][0]);
		types[i].unit = string_of(w, is_other ? v->unit : value_names[i][1]);
		pointers[i] = &types[i];
	}
	types[VALUES] = types[VALUES - 1];
	types[VALUES].type = string_of(w, "cpu");
	piece.n_sample_type = VALUES;
	piece.sample_type = pointers;
	piece.default_sample_type = types[VALUES - 1].type;
	piece.n_comment = 1;
	piece.comment = &comment;
	if (h && h->rate) {
		piece.period_type = &types[VALUES];
		piece.period = 1000000000 / h->rate;
	}
	if (h) {
		piece.time_nanos = (int64_t)h->start_realtime;
		piece.duration_nanos = h->end_monotonic > h->start_monotonic ? (int64_t)(h->end_monotonic - h->start_monotonic) : 0;
	}
	pprof_piece_write(w, &piece);
}

/* Where the addresses of module INDEX that frames have end: pprof finds no fault with a location outside its mapping, but other readers may. */
static uint64_t module_limit(const struct writing *w, uint32_t index)
{
	uint64_t limit = 1;

	for (uint32_t i = 0; i < w->frames.n; i++)
		if (w->frames.frames[i].module_index == index && w->frames.frames[i].address >= limit)
			limit = w->frames.frames[i].address + 1;
	return limit;
}

static void mapping_write(struct writing *w, uint32_t index)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *pointer = &mapping;

	mapping.id = index + 1;
	mapping.memory_limit = module_limit(w, index);
	mapping.filename = string_of(w, w->graph->profile->modules[index].path);
	mapping.build_id = string_of(w, w->build_ids[index]);
	mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = true;
	piece.n_mapping = 1;
	piece.mapping = &pointer;
	pprof_piece_write(w, &piece);
}

/* A frame is a function and its only location. */
static void frame_write(struct writing *w, uint32_t index)
{
	const struct frame *f = &w->frames.frames[index];
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *the_function = &function;
	Pprof__Location location = PPROF__LOCATION__INIT, *the_location = &location;
	Pprof__Line line = PPROF__LINE__INIT, *the_line = &line;

	function.id = location.id = line.function_id = index + 1;
	function.name = function.system_name = string_of(w, f->name);
	function.filename = string_of(w, f->file);
	function.start_line = line.line = f->line;
	location.mapping_id = f->module_index == PROFILE_NONE ? 0 : f->module_index + 1;
	location.address = f->address;
	location.n_line = 1;
	location.line = &the_line;
	piece.n_function = piece.n_location = 1;
	piece.function = &the_function;
	piece.location = &the_location;
	pprof_piece_write(w, &piece);
}

/* The labels of THREAD: name and number of it and of its process. */
static void labels_fill(const struct writing *w, uint32_t thread, Pprof__Label labels[LABELS])
{
	const struct profile_thread *t = &w->graph->profile->threads[thread];
	const struct profile_run *run = &w->graph->profile->runs[t->run];

	for (int i = 0; i < LABELS; i++) {
		labels[i] = (Pprof__Label)PPROF__LABEL__INIT;
		labels[i].key = string_of(w, label_names[i]);
	}
	labels[0].str = string_of(w, t->record.name);
	labels[1].num = t->record.tid;
	labels[2].str = string_of(w, run->header.program);
	labels[3].num = run->header.pid;
}

static void sample_write(struct writing *w, const struct stack_sample *s)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *the_sample = &sample;
	Pprof__Label labels[LABELS], *pointers[LABELS];
	int64_t values[VALUES] = { (int64_t)s->calls, (int64_t)s->ticks, (int64_t)s->time };
	size_t n = frames_stack(&w->frames, w->stacks.tree, s->node, w->stack);

	for (size_t i = 0; i < n; i++)
		w->locations[i] = w->stack[n - 1 - i] + 1;
	labels_fill(w, s->thread, labels);
	for (int i = 0; i < LABELS; i++)
		pointers[i] = &labels[i];
	sample.n_location_id = n;
	sample.location_id = w->locations;
	sample.n_value = VALUES;
	sample.value = values;
	sample.n_label = LABELS;
	sample.label = pointers;
	piece.n_sample = 1;
	piece.sample = &the_sample;
	pprof_piece_write(w, &piece);
}

static void all_write(struct writing *w)
{
	string_write(w, "");
	for (size_t i = 0; i < w->words.n; i++)
		string_write(w, w->words.text[i]);
	head_write(w);
	for (uint32_t i = 0; i < w->graph->profile->nmodules; i++)
		mapping_write(w, i);
	for (uint32_t i = 0; i < w->frames.n; i++)
		frame_write(w, i);
	for (size_t i = 0; i < w->stacks.n; i++)
		sample_write(w, &w->stacks.samples[i]);
	w->z.avail_in = 0;
	compress_all(w, Z_FINISH);
}

static bool pprof_writing_make(struct writing *w, struct error *err)
{
	size_t most = frames_most(w->graph);

	w->base.append = pprof_append;
	w->stack = calloc(most, sizeof *w->stack);
	w->locations = calloc(most, sizeof *w->locations);
	if (!frames_make(&w->frames, w->graph, err) || !stacks_make(&w->stacks, w->graph, true, err))
		return false;
	return (w->stack && w->locations && build_ids_fill(w) && pprof_words_fill(w))
		|| error_no_memory(err, NULL);
}

static void writing_free(struct writing *w)
{
	frames_free(&w->frames);
	stacks_free(&w->stacks);
	words_free(&w->words);
	free(w->build_ids);
	free(w->stack);
	free(w->locations);
}

bool pprof_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	enum { GZIP = 16 + MAX_WBITS, MEMORY_LEVEL = 8 };
	struct writing w = { .out = out, .graph = in->graph };
	bool ok = pprof_writing_make(&w, err);

	(void)options;
	if (ok && deflateInit2(&w.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK) {
		all_write(&w);
		deflateEnd(&w.z);
	} else {
		w.failed = ok;
	}
	writing_free(&w);
	return ok && (!w.failed || error_no_memory(err, NULL));
}
