/* from_jfr.c - Java's Flight Recorder, as `jfr print --json` prints it: the samples of running threads, and of allocations.
 *
 *     {"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {"sampledThread": {"javaName": "main"},
 *      "stackTrace": {"frames": [{"method": {"type": {"name": "App"}, "name": "run"}, "lineNumber": 12}]}}}]}}
 *
 * The recording itself is not read: its events describe themselves by metadata of their own in a format that each release of Java may change, for which there
 * is no library in C.  A file of it is refused with the command that prints it. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/import/format.h"

/* One reading. */
struct jfr {
	struct reading *r;
	struct json_room text, method, thread;
	char *name;			/* room for one */
	size_t name_room;
	struct stack stack;
	struct weights weights;
	uint32_t process;
};

/* What an event of TYPE is a sample of; false: it is no sample. */
static bool jfr_kind(const struct json_value *type, enum weight_kind *kind)
{
	static const struct { const char *type; enum weight_kind kind; } types[] = {
		{ "jdk.ExecutionSample", WEIGHT_COUNT }, { "jdk.NativeMethodSample", WEIGHT_COUNT }, { "jdk.ObjectAllocationSample", WEIGHT_BYTES },
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (json_string_is(type, types[i].type)) {
			*kind = types[i].kind;
			return true;
		}
	return false;
}

/* `java/lang/String` and `valueOf` into j->name, `java.lang.String.valueOf`. */
static bool jfr_name(struct jfr *j, const char *type, const char *method)
{
	size_t n = strlen(type);

	if (!array_reserve(&j->name, &j->name_room, n + strlen(method) + 2, 1))
		return false;
	for (size_t i = 0; i < n; i++)
		j->name[i] = type[i] == '/' ? '.' : type[i];
	if (n)
		j->name[n++] = '.';
	strcpy(j->name + n, method);
	return true;
}

static bool jfr_frame_push(struct jfr *j, struct json_value frame)
{
	struct json_value method = json_member(frame, "method"), type = json_member(method, "type"), type_name = json_member(type, "name"), name = json_member(method, "name");
	const char *class = json_text_of(&j->text, type.kind == JSON_STRING ? &type : &type_name), *text = json_text_of(&j->method, &name);

	if (!class || !text || !jfr_name(j, class, *text ? text : "(unknown)"))
		return reading_no_memory(j->r);
	return stack_push(&j->stack, builder_function(j->r->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = j->name })) || reading_no_memory(j->r);
}

static uint32_t jfr_thread(struct jfr *j, struct json_value values)
{
	struct json_value thread = json_member(values, "sampledThread"), name, id;

	if (thread.kind != JSON_MAP)
		thread = json_member(values, "eventThread");
	name = json_member(thread, "javaName");
	if (name.kind != JSON_STRING)
		name = json_member(thread, "osName");
	id = json_member(thread, "osThreadId");
	if (json_whole(&id) <= 0)
		id = json_member(thread, "javaThreadId");
	if (!json_text_of(&j->thread, &name))
		return BUILDER_NONE;
	return builder_thread(j->r->builder, j->process, json_whole(&id) > 0 ? (uint32_t)json_whole(&id) & INT32_MAX : 0, *j->thread.text ? j->thread.text : NULL);
}

static bool jfr_event_read(struct jfr *j, struct json_value values, enum weight_kind kind)
{
	struct json_value trace = json_member(values, "stackTrace"), weight = json_member(values, "weight"), truncated = json_member(trace, "truncated");
	struct json_walk w = json_walk(json_member(trace, "frames"));
	uint32_t thread = jfr_thread(j, values);
	double amount = 1;

	for (j->stack.n = 0; json_next(&w);)
		if (!jfr_frame_push(j, w.value))
			return false;
	if (w.wrong)
		return reading_wrong_json(j->r, &w);
	if (thread == BUILDER_NONE)
		return reading_no_memory(j->r);
	if (kind == WEIGHT_BYTES && !json_double(&weight, &amount))
		return true;
	stack_turn(&j->stack);
	builder_add(j->r->builder, &(struct builder_sample){ .thread = thread, .functions = j->stack.functions, .n = j->stack.n, .amounts = weights_of(&j->weights, kind, amount),
		.ticks = kind == WEIGHT_COUNT, .cut = truncated.kind == JSON_WORD && *truncated.at == 't' });
	return true;
}

/* All events that are samples; LOOK: only which kinds there are. */
static bool jfr_events_read(struct jfr *j, struct json_value events, bool look)
{
	struct json_walk w = json_walk(events);

	while (json_next(&w)) {
		struct json_walk event = json_walk(w.value);
		struct json_value type = { .kind = JSON_NOTHING }, values = type;
		enum weight_kind kind;

		while (json_next(&event)) {
			type = json_key_is(&event, "type") ? event.value : type;
			values = json_key_is(&event, "values") ? event.value : values;
		}
		if (!json_leave(&w, &event))
			break;
		if (!jfr_kind(&type, &kind))
			continue;
		j->weights.has[kind] = true;
		if (!look && !jfr_event_read(j, values, kind))
			return false;
	}
	return !w.wrong || reading_wrong_json(j->r, &w);
}

static bool jfr_is_recording(const void *head, size_t n) { return n >= 8 && memcmp(head, "FLR\0", 4) == 0; }

/* Where the events are. */
static struct json_value jfr_events_of(struct json_value root) { return json_member(json_member(root, "recording"), "events"); }

static bool jfr_read(struct reading *r)
{
	struct json_value events = jfr_events_of(json_value_at((const char *)r->data, r->len));
	struct jfr j = { .r = r };
	bool ok;

	if (jfr_is_recording(r->data, r->len))
		return error_set(r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: a recording of Java's Flight Recorder, which Java itself prints: "
				 "jfr print --json --stack-depth 64 FILE | aprof report -", r->label);
	j.process = builder_process(r->builder, 0, 0, NULL, 0);
	ok = jfr_events_read(&j, events, true);
	if (ok && !j.weights.has[WEIGHT_COUNT] && !j.weights.has[WEIGHT_BYTES])
		ok = error_set(r->err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: no event of it is a sample: jdk.ExecutionSample, jdk.NativeMethodSample, "
			       "jdk.ObjectAllocationSample", r->label);
	if (ok)
		weights_declare(&j.weights, r, "samples", true);
	ok = ok && jfr_events_read(&j, events, false);
	free(j.text.text);
	free(j.method.text);
	free(j.thread.text);
	free(j.name);
	free(j.stack.functions);
	return ok;
}

static bool jfr_is(struct json_value root) { return jfr_events_of(root).kind == JSON_LIST; }

static size_t jfr_reads(const char *head, size_t n, bool whole) { return jfr_is_recording(head, n) ? n : json_reads(head, n, whole, jfr_is); }

const struct import_format import_jfr = { "Flight Recorder", jfr_reads, true, jfr_read };
