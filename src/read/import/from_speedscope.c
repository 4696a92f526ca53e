/* from_speedscope.c - speedscope's own JSON (https://www.speedscope.app/file-format-schema.json), as py-spy, rbspy, samply and aprof write it.
 *
 * Frames stand once, under "shared"; each of its profiles is a thread, or another view of the same: a list of stacks with weights ("sampled"), or of frames that
 * open and close at moments ("evented").  A file that aprof wrote has the whole run by time and by calls, and each thread by both; of these the threads are taken. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/import/format.h"

/* A profile of the file. */
struct scope_profile {
	struct json_value type, name, unit, samples, weights, events, end;
};

/* One reading. */
struct scope {
	struct reading *r;
	struct json_value frames, profiles, exporter, name;
	struct stack functions;		/* of the frames */
	struct stack stack;
	struct weights weights;
	struct json_room text;
	bool own;			/* aprof wrote it */
	bool threads;			/* and each thread is there */
	double last;			/* when the event before was */
};

static bool scope_wrong(struct scope *s, const char *at, const char *what)
{
	return reading_wrong(s->r, (size_t)(at - (const char *)s->r->data), "%s", what);
}

/* ---- frames ---- */

/* The function of a frame; ADDRESS: several of one name and file are several. */
static uint32_t scope_function(struct scope *s, struct json_value frame, uint64_t address)
{
	struct builder_function f = { .module = BUILDER_NONE, .address = address, .apart = address != 0 };
	struct json_walk w = json_walk(frame);
	char *name = NULL, *file = NULL;
	uint32_t function = BUILDER_NONE;
	bool ok = true;

	while (ok && json_next(&w)) {
		char **keep = json_key_is(&w, "name") ? &name : json_key_is(&w, "file") ? &file : NULL;
		const char *text = keep && w.value.kind == JSON_STRING ? json_text_of(&s->text, &w.value) : "";
		int64_t line = json_key_is(&w, "line") ? json_whole(&w.value) : -1;

		if (keep && text && *text) {
			free(*keep);
			*keep = malloc(strlen(text) + 1);
			if (*keep && s->own)
				text_unescape(*keep, text, text + strlen(text));
			else if (*keep)
				strcpy(*keep, text);
			text = *keep;
		}
		ok = text != NULL;
		f.line = line > 0 && line < UINT32_MAX ? (uint32_t)line : f.line;
	}
	f.name = name ? name : "(unknown)";
	f.file = file;
	if (ok)
		function = builder_function(s->r->builder, &f);
	free(name);
	free(file);
	return function;
}

/* Name all frames. */
static bool scope_frames_read(struct scope *s)
{
	struct json_walk w = json_walk(s->frames);
	struct distinct seen = { 0 };
	bool ok = true;

	while (ok && json_next(&w)) {
		uint32_t function = scope_function(s, w.value, 0);

		if (s->own && !distinct_add(&seen, function))
			function = scope_function(s, w.value, DISTINCT_ADDRESS + w.n);
		ok = function != BUILDER_NONE && stack_push(&s->functions, function);
	}
	distinct_free(&seen);
	return ok ? !w.wrong || reading_wrong_json(s->r, &w) : reading_no_memory(s->r);
}

static bool scope_push(struct scope *s, const struct json_value *frame)
{
	int64_t i = json_whole(frame);

	if (i < 0 || (uint64_t)i >= s->functions.n)
		return scope_wrong(s, frame->at, "a frame that the file has not");
	return stack_push(&s->stack, s->functions.functions[i]) || reading_no_memory(s->r);
}

/* ---- profiles ---- */

static struct scope_profile scope_profile_take(struct json_value profile)
{
	struct json_walk w = json_walk(profile);
	struct scope_profile p = { .type.kind = JSON_NOTHING };
	const struct { const char *key; struct json_value *value; } members[] = {
		{ "type", &p.type }, { "name", &p.name }, { "unit", &p.unit }, { "samples", &p.samples }, { "weights", &p.weights }, { "events", &p.events },
		{ "endValue", &p.end },
	};

	while (json_next(&w))
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			if (json_key_is(&w, members[i].key))
				*members[i].value = w.value;
	return p;
}

static enum weight_kind scope_kind(const struct scope_profile *p, double *scale)
{
	static const struct { const char *unit; double nsec; } units[] = { { "nanoseconds", 1 }, { "microseconds", 1e3 }, { "milliseconds", 1e6 }, { "seconds", 1e9 } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (json_string_is(&p->unit, units[i].unit)) {
			*scale = units[i].nsec;
			return WEIGHT_TIME;
		}
	*scale = 1;
	return json_string_is(&p->unit, "bytes") ? WEIGHT_BYTES : WEIGHT_COUNT;
}

/* What a profile is of. */
struct scope_whose {
	uint32_t thread;
	enum weight_kind kind;
	double scale;			/* what one of its weights is */
	bool calls;			/* they are calls */
};

/* The stack at hand has WEIGHT, which AT says. */
static bool scope_add(struct scope *s, const struct scope_whose *o, double weight, const char *at)
{
	struct builder_sample sample = { .thread = o->thread, .functions = s->stack.functions, .n = s->stack.n };

	if (weight < 0)
		return scope_wrong(s, at, "a negative weight: the difference of two profiles is not shown");
	if (weight == 0)
		return true;
	if (o->calls) {
		sample.calls = amount_of(weight);
		weight = 0;
	}
	sample.amounts = weights_of(&s->weights, o->kind, weight * o->scale);
	sample.ticks = o->kind == WEIGHT_COUNT && !o->calls ? sample.amounts[s->weights.place[WEIGHT_COUNT]] : 0;
	builder_add(s->r->builder, &sample);
	return true;
}

static bool scope_sampled_read(struct scope *s, const struct scope_profile *p, const struct scope_whose *o)
{
	struct json_walk samples = json_walk(p->samples), weights = json_walk(p->weights);

	while (json_next(&samples)) {
		struct json_walk stack = json_walk(samples.value);
		double weight = 1;

		for (s->stack.n = 0; json_next(&stack);)
			if (!scope_push(s, &stack.value))
				return false;
		if (!json_leave(&samples, &stack))
			break;
		if (p->weights.kind == JSON_LIST && (!json_next(&weights) || !json_double(&weights.value, &weight)))
			return weights.wrong ? reading_wrong_json(s->r, &weights) : scope_wrong(s, samples.value.at, "a sample without a weight");
		if (!scope_add(s, o, weight, samples.value.at))
			return false;
	}
	return !samples.wrong || reading_wrong_json(s->r, &samples);
}

/* The last frame that was opened is closed, which must be FRAME. */
static bool scope_close(struct scope *s, const struct json_value *frame)
{
	uint32_t *top;

	if (!s->stack.n || !scope_push(s, frame))
		return s->stack.n ? false : scope_wrong(s, frame->at, "a frame is closed where none is open");
	top = &s->stack.functions[s->stack.n -= 2];
	return top[0] == top[1] || scope_wrong(s, frame->at, "a frame is closed that is not the last one that was opened");
}

/* Frames open and close: what passes between two events is of those that are open. */
static bool scope_event_read(struct scope *s, struct json_value event, const struct scope_whose *o)
{
	struct json_value type = { .kind = JSON_NOTHING }, frame = type, at = type;
	struct json_walk w = json_walk(event);
	double now;

	while (json_next(&w)) {
		type = json_key_is(&w, "type") ? w.value : type;
		frame = json_key_is(&w, "frame") ? w.value : frame;
		at = json_key_is(&w, "at") ? w.value : at;
	}
	if (w.wrong)
		return reading_wrong_json(s->r, &w);
	if (!json_double(&at, &now) || now < s->last)
		return scope_wrong(s, event.at, "an event without a time, or with one before the last");
	if (s->stack.n && !scope_add(s, o, now - s->last, event.at))
		return false;
	s->last = now;
	if (json_string_is(&type, "O"))
		return scope_push(s, &frame);
	return json_string_is(&type, "C") ? scope_close(s, &frame) : scope_wrong(s, event.at, "an event that neither opens nor closes a frame");
}

static bool scope_evented_read(struct scope *s, const struct scope_profile *p, const struct scope_whose *o)
{
	struct json_walk w = json_walk(p->events);
	double end;

	s->stack.n = 0;
	s->last = 0;
	while (json_next(&w)) {
		struct json_walk at = json_walk(w.value);

		while (w.n == 1 && json_next(&at))		/* what is before the first is nobody's */
			if (json_key_is(&at, "at"))
				json_double(&at.value, &s->last);
		if (!scope_event_read(s, w.value, o))
			return false;
	}
	if (w.wrong)
		return reading_wrong_json(s->r, &w);
	return !s->stack.n || !json_double(&p->end, &end) || end <= s->last || scope_add(s, o, end - s->last, p->end.at);
}

/* ---- whose they are ---- */

/* `time of thread 3 (worker, process 123)`, as aprof calls its threads: what is told there.  False: it is not of a thread. */
static bool scope_thread_name(char *text, uint32_t *tid, uint32_t *pid, char **name)
{
	char *at = strstr(text, " of thread "), *process = NULL, *open;

	if (!at)
		return false;
	*tid = (uint32_t)strtoul(at + 11, &open, 10);
	for (char *next = open; (next = strstr(next, ", process ")); next++)
		process = next;
	if (strncmp(open, " (", 2) != 0 || !process)
		return false;
	*process = '\0';
	*pid = (uint32_t)strtoul(process + 10, NULL, 10);
	*name = open + 2;
	return true;
}

/* The thread of profile number N; BUILDER_NONE: out of memory. */
static uint32_t scope_thread_of(struct scope *s, const struct scope_profile *p, size_t n, bool alone)
{
	char *program = s->own && json_text_of(&s->text, &s->name) ? strdup(s->text.text) : NULL, *text, *name = NULL;
	uint32_t tid = alone ? 0 : (uint32_t)n, pid = 0, process;

	if (!json_text_of(&s->text, &p->name))
		return BUILDER_NONE;
	text = s->text.text;
	if (s->own && !scope_thread_name(text, &tid, &pid, &name))
		tid = 0;
	else if (!s->own && !alone)
		name = text;
	process = builder_process(s->r->builder, pid, 0, program && *program ? program : NULL, 0);
	free(program);
	return builder_thread(s->r->builder, process, tid, name);
}

static bool scope_name_begins(struct scope *s, const struct scope_profile *p, const char *with, bool *begins)
{
	const char *name = json_text_of(&s->text, &p->name);

	*begins = name && strncmp(name, with, strlen(with)) == 0;
	return name != NULL;
}

static bool scope_profile_read(struct scope *s, const struct scope_profile *p, size_t n, bool alone)
{
	struct scope_whose o = { .kind = WEIGHT_COUNT };
	bool by_thread = false;

	o.kind = scope_kind(p, &o.scale);
	if (s->own && (!scope_name_begins(s, p, "calls", &o.calls) || !scope_name_begins(s, p, o.calls ? "calls of thread " : "time of thread ", &by_thread)))
		return reading_no_memory(s->r);
	if (s->threads && !by_thread)
		return true;
	if (o.calls)
		o.kind = s->weights.has[WEIGHT_TIME] ? WEIGHT_TIME : WEIGHT_COUNT;
	o.thread = scope_thread_of(s, p, n, alone);
	if (o.thread == BUILDER_NONE)
		return reading_no_memory(s->r);
	if (p->events.kind == JSON_LIST)
		return scope_evented_read(s, p, &o);
	return p->samples.kind == JSON_LIST ? scope_sampled_read(s, p, &o) : scope_wrong(s, p->type.at, "a profile with neither samples nor events");
}

static bool scope_has_samples(const struct scope_profile *p)
{
	struct json_walk w = json_walk(p->samples);

	return json_next(&w);
}

/* Which values there are, and whether aprof wrote each thread. */
static bool scope_profiles_look(struct scope *s, size_t *n)
{
	struct json_walk w = json_walk(s->profiles);

	while (json_next(&w)) {
		struct scope_profile p = scope_profile_take(w.value);
		bool calls = false, thread = false;
		double scale;

		if (s->own && (!scope_name_begins(s, &p, "calls", &calls) || !scope_name_begins(s, &p, "time of thread ", &thread)))
			return reading_no_memory(s->r);
		s->weights.has[scope_kind(&p, &scale)] |= !calls;
		s->threads |= thread;
		if (calls && scope_has_samples(&p))
			builder_header(s->r->builder)->way = 0;
	}
	*n = w.n;
	if (w.wrong)
		return reading_wrong_json(s->r, &w);
	weights_declare(&s->weights, s->r, "samples", true);
	return true;
}

static bool scope_profiles_read(struct scope *s)
{
	struct json_walk w = json_walk(s->profiles);
	size_t n = 0;

	if (!scope_profiles_look(s, &n))
		return false;
	while (json_next(&w)) {
		struct scope_profile p = scope_profile_take(w.value);

		if (!scope_profile_read(s, &p, w.n, n == 1))
			return false;
	}
	return true;
}

static bool scope_root_read(struct scope *s)
{
	struct json_walk w = json_walk(json_value_at((const char *)s->r->data, s->r->len));

	while (json_next(&w)) {
		struct json_walk shared = json_walk(json_key_is(&w, "shared") ? w.value : (struct json_value){ 0 });

		while (json_next(&shared))
			if (json_key_is(&shared, "frames"))
				s->frames = shared.value;
		if (json_key_is(&w, "profiles"))
			s->profiles = w.value;
		if (json_key_is(&w, "exporter"))
			s->exporter = w.value;
		if (json_key_is(&w, "name"))
			s->name = w.value;
	}
	if (w.wrong)
		return reading_wrong_json(s->r, &w);
	if (!json_text_of(&s->text, &s->exporter))
		return reading_no_memory(s->r);
	s->own = strncmp(s->text.text, "aprof ", 6) == 0;
	return true;
}

static bool speedscope_read(struct reading *r)
{
	struct scope s = { .r = r };
	bool ok = scope_root_read(&s) && scope_frames_read(&s) && scope_profiles_read(&s);

	free(s.functions.functions);
	free(s.stack.functions);
	free(s.text.text);
	return ok;
}

/* It says so, or has frames that are shared and profiles. */
static bool speedscope_is(struct json_value root)
{
	struct json_walk w = json_walk(root);
	bool shared = false, profiles = false;

	while (root.kind == JSON_MAP && json_next(&w)) {
		if (json_key_is(&w, "$schema") && w.value.kind == JSON_STRING)
			return json_string_is(&w.value, "https://www.speedscope.app/file-format-schema.json");
		shared |= json_key_is(&w, "shared");
		profiles |= json_key_is(&w, "profiles");
	}
	return shared && profiles;
}

static size_t speedscope_reads(const char *head, size_t n, bool whole) { return json_reads(head, n, whole, speedscope_is); }

const struct import_format import_speedscope = { "speedscope", speedscope_reads, true, speedscope_read };
