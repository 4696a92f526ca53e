/* from_chrome.c - what V8 samples and Chrome traces.
 *
 *     .cpuprofile     {"nodes": [{"id": 1, "callFrame": {"functionName": "main", "url": "a.js", "lineNumber": 4}, "children": [2]}, ...],
 *                      "startTime": 0, "endTime": 90, "samples": [2, 2, 1], "timeDeltas": [10, 20, 30]}       as node --cpu-prof writes it; microseconds
 *                     {"head": {"functionName": "(root)", "children": [...]}, "samples": [2, 2, 1], "timestamps": [10, 30, 60]}     as before Node 8, lines from 1 on
 *     trace           {"traceEvents": [{"ph": "X", "name": "parse", "ts": 1, "dur": 5, "pid": 1, "tid": 1}, ...]}, or the list alone, which may lack its end
 *
 * A trace with samples in it (events Profile and ProfileChunk, or CpuProfile) is that profile.  Else it is what its durations say (X, and B with E): exact times and
 * calls.  A sample lasts until the next; the last until the end that is told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "read/import/format.h"

enum { NO_NODE = 0, DEEPEST_NESTED = 4096 };

/* A node of a tree of calls; number 0 is none. */
struct chrome_node {
	uint32_t profile, parent;	/* whose; a node */
	uint64_t id;			/* in its profile */
	uint32_t function;		/* BUILDER_NONE: the root, which is none */
	uint64_t hits;
};

struct chrome_sample {
	double time;			/* us */
	uint32_t node;
	uint32_t order;			/* as it came */
};

/* One V8 profile: of a cpuprofile the only one. */
struct chrome_profile {
	uint64_t pid, tid, id;
	double now, end;		/* us: of the last sample; 0: no end is told, and the last one lasts as long as the others do on average */
	struct chrome_sample *samples;
	uint32_t n;
	size_t room;
};

/* A duration of a trace. */
struct chrome_span {
	double start, end;		/* us */
	uint32_t thread, function;
	uint32_t order;
};

/* A duration that began; that of its thread which it is in, from 1 on. */
struct chrome_open { uint32_t span, around; };

/* A thread that was met. */
struct chrome_thread {
	uint64_t pid, tid;
	uint32_t number;		/* in the builder */
	uint32_t open;			/* the last duration that began and has no end yet, from 1 on; 0: there is none */
};

/* What an event calls a thread, or a process. */
struct chrome_name {
	uint64_t pid, tid;
	bool process;
	struct json_value name;
};

/* One reading. */
struct chrome {
	struct reading *r;
	struct json_room text, file;
	struct chrome_node *nodes;	/* from 1 on */
	uint32_t nnodes;
	size_t nodes_room;
	struct table by_id;
	struct chrome_profile *profiles;
	uint32_t nprofiles;
	size_t profiles_room;
	struct chrome_span *spans;
	uint32_t nspans;
	size_t spans_room;
	struct chrome_open *opened;
	uint32_t nopened;
	size_t opened_room;
	struct chrome_thread *threads;
	uint32_t nthreads;
	size_t threads_room;
	struct table by_tid;
	struct stack stack;
	struct chrome_name *names;
	uint32_t nnames;
	size_t names_room;
	struct table by_named;
	bool sampled;			/* the trace has samples */
};

static bool chrome_wrong(struct chrome *c, const char *at, const char *what)
{
	return reading_wrong(c->r, (size_t)(at - (const char *)c->r->data), "%s", what);
}

/* A number of a process or a thread, or a string, which some write. */
static uint64_t chrome_id(struct chrome *c, const struct json_value *v)
{
	int64_t number = json_whole(v);
	uint64_t hash = 0;

	if (number >= 0 || v->kind != JSON_STRING || !json_text_of(&c->text, v))
		return number >= 0 ? (uint64_t)number : 0;
	for (const char *at = c->text.text; *at; at++)
		hash = hash_mix(hash, (unsigned char)*at);
	return hash & INT32_MAX;
}

/* ---- nodes ---- */

static uint64_t chrome_node_hash(const void *owner, uint32_t i)
{
	const struct chrome_node *n = &((const struct chrome *)owner)->nodes[i];

	return hash_mix(n->id, n->profile);
}

static uint32_t chrome_node_find(const struct chrome *c, uint32_t profile, uint64_t id)
{
	uint64_t i = hash_mix(id, profile);
	uint32_t k;

	while ((k = table_next(&c->by_id, &i)) != UINT32_MAX)
		if (c->nodes[k].id == id && c->nodes[k].profile == profile)
			return k;
	return NO_NODE;
}

/* A new node of PROFILE; NO_NODE: out of memory. */
static uint32_t chrome_node_append(struct chrome *c, uint32_t profile)
{
	if (c->nnodes == 0 && array_grow(&c->nodes, &c->nodes_room, 0, sizeof *c->nodes))
		c->nodes[c->nnodes++] = (struct chrome_node){ .function = BUILDER_NONE };
	if (!c->nnodes || !array_grow(&c->nodes, &c->nodes_room, c->nnodes, sizeof *c->nodes))
		return NO_NODE;
	c->nodes[c->nnodes] = (struct chrome_node){ .profile = profile, .function = BUILDER_NONE };
	return c->nnodes++;
}

/* Node NUMBER is found by ID.  False: out of memory. */
static bool chrome_node_name(struct chrome *c, uint32_t number, uint64_t id)
{
	if (!table_reserve(&c->by_id, c->by_id.used + 1, chrome_node_hash, c))
		return false;
	c->nodes[number].id = id;
	table_add(&c->by_id, hash_mix(id, c->nodes[number].profile), number);
	return true;
}

/* The node ID of PROFILE, made if it is not there; NO_NODE: out of memory. */
static uint32_t chrome_node_make(struct chrome *c, uint32_t profile, uint64_t id)
{
	uint32_t found = chrome_node_find(c, profile, id);

	if (found != NO_NODE)
		return found;
	found = chrome_node_append(c, profile);
	return found != NO_NODE && chrome_node_name(c, found, id) ? found : NO_NODE;
}

/* What names a function. */
struct chrome_frame {
	struct json_value name, url, line, column;
	unsigned first;			/* the number of the first line */
};

/* The function of FRAME, which is told by where it begins, too: most have no name.  The root is none. */
static bool chrome_function(struct chrome *c, const struct chrome_frame *frame, uint32_t *function)
{
	const char *text = json_text_of(&c->text, &frame->name), *file = json_text_of(&c->file, &frame->url);
	int64_t number = json_whole(&frame->line);
	struct builder_function f = { .module = BUILDER_NONE };

	*function = BUILDER_NONE;
	if (!text || !file)
		return reading_no_memory(c->r);
	if (strcmp(text, "(root)") == 0)
		return true;
	f.name = *text ? text : "(anonymous)";
	f.file = *file ? file : NULL;
	f.line = number >= frame->first && number < UINT32_MAX ? (uint32_t)number + 1 - frame->first : 0;
	f.address = definition_address(f.name, f.file, f.line, (uint64_t)json_whole(&frame->column));
	f.apart = true;
	*function = builder_function(c->r->builder, &f);
	return *function != BUILDER_NONE || reading_no_memory(c->r);
}

/* A node, which names its parent (in traces) or its children. */
static bool chrome_node_read(struct chrome *c, struct json_value node, uint32_t profile)
{
	struct json_walk w = json_walk(node), child = w;
	struct json_value frame = { .kind = JSON_NOTHING }, id = frame, parent = frame, children = frame, hits = frame;
	uint32_t number, other, function;

	while (json_next(&w)) {
		frame = json_key_is(&w, "callFrame") ? w.value : frame;
		id = json_key_is(&w, "id") ? w.value : id;
		parent = json_key_is(&w, "parent") ? w.value : parent;
		children = json_key_is(&w, "children") ? w.value : children;
		hits = json_key_is(&w, "hitCount") ? w.value : hits;
	}
	if (w.wrong)
		return reading_wrong_json(c->r, &w);
	if (json_whole(&id) < 0 || frame.kind != JSON_MAP)
		return chrome_wrong(c, node.at, "a node without a number or a callFrame");
	if (!chrome_function(c, &(struct chrome_frame){ json_member(frame, "functionName"), json_member(frame, "url"), json_member(frame, "lineNumber"), json_member(frame, "columnNumber"), 0 },
			     &function))
		return false;
	if ((number = chrome_node_make(c, profile, (uint64_t)json_whole(&id))) == NO_NODE)
		return reading_no_memory(c->r);
	c->nodes[number].function = function;
	c->nodes[number].hits = json_whole(&hits) > 0 ? (uint64_t)json_whole(&hits) : 0;
	if (json_whole(&parent) >= 0) {
		if ((other = chrome_node_make(c, profile, (uint64_t)json_whole(&parent))) == NO_NODE)
			return reading_no_memory(c->r);
		c->nodes[number].parent = other;
	}
	for (child = json_walk(children); json_next(&child);) {
		if (json_whole(&child.value) < 0)
			continue;
		if ((other = chrome_node_make(c, profile, (uint64_t)json_whole(&child.value))) == NO_NODE)
			return reading_no_memory(c->r);
		c->nodes[other].parent = number;
	}
	return true;
}

static bool chrome_nodes_read(struct chrome *c, struct json_value nodes, uint32_t profile)
{
	struct json_walk w = json_walk(nodes);

	while (json_next(&w))
		if (!chrome_node_read(c, w.value, profile))
			return false;
	return !w.wrong || reading_wrong_json(c->r, &w);
}

/* The map that W has at hand, a node of PROFILE below PARENT that has its children in it. */
static bool chrome_nested_read(struct chrome *c, struct json_walk *at, uint32_t profile, uint32_t parent, unsigned depth)
{
	struct json_walk w = json_walk(at->value), child;
	struct json_value id = { .kind = JSON_NOTHING }, hits = id;
	struct chrome_frame frame = { .first = 1 };
	uint32_t number = chrome_node_append(c, profile), function;

	if (number == NO_NODE)
		return reading_no_memory(c->r);
	if (depth == DEEPEST_NESTED)
		return chrome_wrong(c, at->value.at, "nodes in nodes, too deep");
	c->nodes[number].parent = parent;
	while (json_next(&w)) {
		frame.name = json_key_is(&w, "functionName") ? w.value : frame.name;
		frame.url = json_key_is(&w, "url") ? w.value : frame.url;
		frame.line = json_key_is(&w, "lineNumber") ? w.value : frame.line;
		frame.column = json_key_is(&w, "columnNumber") ? w.value : frame.column;
		id = json_key_is(&w, "id") ? w.value : id;
		hits = json_key_is(&w, "hitCount") ? w.value : hits;
		if (!json_key_is(&w, "children"))
			continue;
		for (child = json_walk(w.value); json_next(&child);)
			if (!chrome_nested_read(c, &child, profile, number, depth + 1))
				return false;
		if (!json_leave(&w, &child))
			break;
	}
	if (w.wrong)
		return reading_wrong_json(c->r, &w);
	if (!chrome_function(c, &frame, &function))
		return false;
	c->nodes[number].function = function;
	c->nodes[number].hits = json_whole(&hits) > 0 ? (uint64_t)json_whole(&hits) : 0;
	json_leave(at, &w);
	return json_whole(&id) < 0 || chrome_node_name(c, number, (uint64_t)json_whole(&id)) || reading_no_memory(c->r);
}

/* ---- samples ---- */

/* Append the list SAMPLES of nodes of PROFILE, each as long after the one before as DELTAS say; STAMPS: these are the times themselves. */
static bool chrome_samples_read(struct chrome *c, struct json_value samples, struct json_value deltas, uint32_t profile, bool stamps)
{
	struct chrome_profile *p = &c->profiles[profile];
	struct json_walk w = json_walk(samples), d = json_walk(deltas);

	while (json_next(&w)) {
		int64_t id = json_whole(&w.value);
		uint32_t node = id >= 0 ? chrome_node_find(c, profile, (uint64_t)id) : NO_NODE;
		double delta = 0;

		if (node == NO_NODE)
			return chrome_wrong(c, w.value.at, "a sample of a node that the profile has not");
		if (json_next(&d) && !json_double(&d.value, &delta))
			return chrome_wrong(c, d.value.at, "a time that is no number");
		if (!array_grow(&p->samples, &p->room, p->n, sizeof *p->samples))
			return reading_no_memory(c->r);
		p->now = stamps ? delta : p->now + delta;
		p->samples[p->n] = (struct chrome_sample){ p->now, node, p->n };
		p->n++;
	}
	return (!w.wrong || reading_wrong_json(c->r, &w)) && (!d.wrong || reading_wrong_json(c->r, &d));
}

static int chrome_by_time(const void *left, const void *right)
{
	const struct chrome_sample *a = left, *b = right;

	return a->time < b->time ? -1 : a->time > b->time ? 1 : (a->order > b->order) - (a->order < b->order);
}

/* The functions of NODE in c->stack, outermost first.  False: parents go in a circle, or out of memory. */
static bool chrome_stack_take(struct chrome *c, uint32_t node)
{
	uint32_t steps = 0;

	for (c->stack.n = 0; node != NO_NODE; node = c->nodes[node].parent) {
		if (steps++ > c->nnodes)
			return chrome_wrong(c, (const char *)c->r->data, "its nodes are in a circle");
		if (c->nodes[node].function != BUILDER_NONE && !stack_push(&c->stack, c->nodes[node].function))
			return reading_no_memory(c->r);
	}
	stack_turn(&c->stack);
	return reading_follow(c->r, c->stack.n);
}

static bool chrome_sample_add(struct chrome *c, uint32_t thread, uint32_t node, double usec, uint64_t ticks)
{
	uint64_t amount = amount_of(usec * 1e3);

	if (!chrome_stack_take(c, node))
		return false;
	builder_add(c->r->builder, &(struct builder_sample){ .thread = thread, .functions = c->stack.functions, .n = c->stack.n, .amounts = &amount, .ticks = ticks });
	return true;
}

/* All samples of P: each until the next. */
static bool chrome_profile_add(struct chrome *c, struct chrome_profile *p, uint32_t thread)
{
	bool sorted = true;
	double end;

	for (uint32_t i = 1; i < p->n; i++)
		sorted &= p->samples[i].time >= p->samples[i - 1].time;
	if (!sorted)
		qsort(p->samples, p->n, sizeof *p->samples, chrome_by_time);
	end = p->n ? p->samples[p->n - 1].time : 0;
	end = p->end > 0 || p->n < 2 ? p->end : end + (end - p->samples[0].time) / (p->n - 1);
	for (uint32_t i = 0; i < p->n; i++)
		if (!chrome_sample_add(c, thread, p->samples[i].node, (i + 1 < p->n ? p->samples[i + 1].time : end) - p->samples[i].time, 1))
			return false;
	return true;
}

/* The profile PID, ID, which TID is of; BUILDER_NONE: out of memory. */
static uint32_t chrome_profile_make(struct chrome *c, uint64_t pid, uint64_t tid, uint64_t id)
{
	for (uint32_t i = 0; i < c->nprofiles; i++)
		if (c->profiles[i].pid == pid && c->profiles[i].id == id)
			return i;
	if (!array_grow(&c->profiles, &c->profiles_room, c->nprofiles, sizeof *c->profiles))
		return BUILDER_NONE;
	c->profiles[c->nprofiles] = (struct chrome_profile){ .pid = pid, .tid = tid, .id = id };
	return c->nprofiles++;
}

/* The map PROFILE with nodes, samples and times; TIMES: these stand elsewhere. */
static bool chrome_profile_read(struct chrome *c, uint32_t profile, struct json_value map, struct json_value times)
{
	struct json_walk w = json_walk(map);
	struct json_value nodes = { .kind = JSON_NOTHING }, samples = nodes;
	bool nested = false;

	while (json_next(&w)) {
		nodes = json_key_is(&w, "nodes") ? w.value : nodes;
		samples = json_key_is(&w, "samples") ? w.value : samples;
		times = json_key_is(&w, "timeDeltas") || json_key_is(&w, "timestamps") ? w.value : times;
		if (json_key_is(&w, "startTime") && c->profiles[profile].n == 0)
			json_double(&w.value, &c->profiles[profile].now);
		if (json_key_is(&w, "endTime"))
			json_double(&w.value, &c->profiles[profile].end);
		nested |= json_key_is(&w, "head");
		if (json_key_is(&w, "head") && !chrome_nested_read(c, &w, profile, NO_NODE, 0))
			return false;
	}
	if (w.wrong)
		return reading_wrong_json(c->r, &w);
	if (nested)
		c->profiles[profile].end = 0;			/* in seconds */
	return chrome_nodes_read(c, nodes, profile) && ((nested && times.kind != JSON_LIST) || chrome_samples_read(c, samples, times, profile, nested));
}

static void chrome_free(struct chrome *c)
{
	for (uint32_t i = 0; i < c->nprofiles; i++)
		free(c->profiles[i].samples);
	free(c->profiles);
	free(c->nodes);
	table_free(&c->by_id);
	free(c->spans);
	free(c->opened);
	free(c->names);
	free(c->threads);
	table_free(&c->by_tid);
	table_free(&c->by_named);
	free(c->stack.functions);
	free(c->text.text);
	free(c->file.text);
}

/* ---- .cpuprofile ---- */

/* Older ones count how often each node was met, and list no samples. */
static bool chrome_hits_add(struct chrome *c, uint32_t thread)
{
	for (uint32_t i = 1; i < c->nnodes; i++)
		if (c->nodes[i].hits) {
			uint64_t hits = c->nodes[i].hits;

			if (!chrome_stack_take(c, i))
				return false;
			builder_add(c->r->builder, &(struct builder_sample){ .thread = thread, .functions = c->stack.functions, .n = c->stack.n, .amounts = &hits, .ticks = hits });
		}
	return true;
}

static bool chrome_cpuprofile_read(struct reading *r)
{
	struct json_value root = json_value_at((const char *)r->data, r->len);
	struct chrome c = { .r = r };
	uint32_t thread = builder_thread(r->builder, builder_process(r->builder, 0, 0, NULL, 0), 0, NULL), profile = chrome_profile_make(&c, 0, 0, 0);
	bool ok = (thread != BUILDER_NONE && profile != BUILDER_NONE) || reading_no_memory(r);

	ok = ok && chrome_profile_read(&c, profile, root, (struct json_value){ 0 });
	if (ok && c.profiles[profile].n) {
		builder_value(r->builder, "time", "ns", true);
		ok = chrome_profile_add(&c, &c.profiles[profile], thread);
	} else if (ok) {
		builder_value(r->builder, "samples", "count", true);
		ok = chrome_hits_add(&c, thread);
	}
	chrome_free(&c);
	return ok;
}

/* A map with "nodes", the first of which has a callFrame; or with a "head", which names a function. */
static bool chrome_cpuprofile_is(struct json_value root)
{
	struct json_value nodes = json_member(root, "nodes");
	struct json_walk w = json_walk(nodes.kind == JSON_LIST ? nodes : (struct json_value){ 0 });

	return json_next(&w) ? json_member(w.value, "callFrame").kind == JSON_MAP : json_member(json_member(root, "head"), "functionName").kind == JSON_STRING;
}

static size_t chrome_cpuprofile_reads(const char *head, size_t n, bool whole) { return json_reads(head, n, whole, chrome_cpuprofile_is); }

const struct import_format import_chrome_profile = { "cpuprofile", chrome_cpuprofile_reads, true, chrome_cpuprofile_read };

/* ---- traces ---- */

/* What is looked at of an event. */
struct chrome_event {
	struct json_value phase, name, time, duration, pid, tid, id, args;
};

static struct chrome_event chrome_event_take(struct json_walk *events, bool *ok)
{
	struct json_walk w = json_walk(events->value);
	struct chrome_event e = { .phase.kind = JSON_NOTHING };
	const struct { const char *key; struct json_value *value; } members[] = {
		{ "ph", &e.phase }, { "name", &e.name }, { "ts", &e.time }, { "dur", &e.duration }, { "pid", &e.pid }, { "tid", &e.tid }, { "id", &e.id },
		{ "args", &e.args },
	};

	while (json_next(&w))
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			if (json_key_is(&w, members[i].key)) {
				*members[i].value = w.value;
				break;
			}
	*ok = json_leave(events, &w);
	return e;
}

/* The events: the list that the file is, or has. */
static struct json_value chrome_events_of(struct json_value root)
{
	return root.kind == JSON_LIST ? root : json_member(root, "traceEvents");
}

/* All of a list that may lack its end: what comes to be wrong at the end of the file is no more than that. */
static bool chrome_events_end(struct chrome *c, const struct json_walk *w)
{
	const char *end = (const char *)c->r->data + c->r->len;

	if (!w->wrong)
		return true;
	for (const char *at = w->at; at < end; at++)
		if (*at != ' ' && *at != '\n' && *at != '\r' && *at != '\t' && *at != ',') {
			if (w->n < 2)
				return reading_wrong_json(c->r, w);
			reading_note(c->r, "warning: %.100s: cut off in event %zu; it is taken as far as it goes", c->r->label, w->n);
			return true;
		}
	return true;
}

static bool chrome_is_sampled(const struct chrome_event *e)
{
	return json_string_is(&e->name, "ProfileChunk") || json_string_is(&e->name, "CpuProfile");
}

/* Profile, ProfileChunk and CpuProfile. */
static bool chrome_chunk_read(struct chrome *c, const struct chrome_event *e)
{
	struct json_value data = json_member(e->args, "data"), profile = json_member(data, "cpuProfile"), start = json_member(data, "startTime");
	uint64_t pid = chrome_id(c, &e->pid), id = chrome_id(c, &e->id);
	uint32_t number = chrome_profile_make(c, pid, chrome_id(c, &e->tid), id);

	if (number == BUILDER_NONE)
		return reading_no_memory(c->r);
	if (json_string_is(&e->name, "Profile"))
		c->profiles[number].tid = chrome_id(c, &e->tid);
	if (start.kind == JSON_NUMBER && c->profiles[number].n == 0)
		json_double(&start, &c->profiles[number].now);
	return profile.kind != JSON_MAP || chrome_profile_read(c, number, profile, json_member(data, "timeDeltas"));
}

static uint64_t chrome_name_hash(const void *owner, uint32_t i)
{
	const struct chrome_name *n = &((const struct chrome *)owner)->names[i];

	return hash_mix(hash_mix(n->tid, n->pid), n->process);
}

/* The name of PID, or of its thread TID; NULL: there is none. */
static struct chrome_name *chrome_name_find(const struct chrome *c, bool process, uint64_t pid, uint64_t tid)
{
	uint64_t i = hash_mix(hash_mix(tid, pid), process);
	uint32_t k;

	while ((k = table_next(&c->by_named, &i)) != UINT32_MAX)
		if (c->names[k].pid == pid && c->names[k].tid == tid && c->names[k].process == process)
			return &c->names[k];
	return NULL;
}

/* Keep what E calls a thread or a process: it may come last.  Of several the last one has it. */
static bool chrome_name_keep(struct chrome *c, const struct chrome_event *e)
{
	bool process = json_string_is(&e->name, "process_name");
	struct chrome_name n = { chrome_id(c, &e->pid), process ? 0 : chrome_id(c, &e->tid), process, json_member(e->args, "name") }, *known;

	known = chrome_name_find(c, n.process, n.pid, n.tid);
	if (known) {
		known->name = n.name;
		return true;
	}
	if (!array_grow(&c->names, &c->names_room, c->nnames, sizeof n) || !table_reserve(&c->by_named, c->nnames + 1, chrome_name_hash, c))
		return reading_no_memory(c->r);
	c->names[c->nnames] = n;
	table_add(&c->by_named, chrome_name_hash(c, c->nnames), c->nnames);
	c->nnames++;
	return true;
}

/* The same as text, "" if there is none; NULL: out of memory. */
static const char *chrome_name_of(struct chrome *c, bool process, uint64_t pid, uint64_t tid)
{
	const struct chrome_name *n = chrome_name_find(c, process, pid, tid);

	return json_text_of(&c->text, n ? &n->name : &(struct json_value){ .kind = JSON_NOTHING });
}

static uint64_t chrome_thread_hash(const void *owner, uint32_t i)
{
	const struct chrome_thread *t = &((const struct chrome *)owner)->threads[i];

	return hash_mix(t->tid, t->pid);
}

/* The thread TID of PID; NULL: out of memory. */
static struct chrome_thread *chrome_thread_of(struct chrome *c, uint64_t pid, uint64_t tid)
{
	uint64_t i = hash_mix(tid, pid);
	const char *name;
	uint32_t process, thread, k;

	while ((k = table_next(&c->by_tid, &i)) != UINT32_MAX)
		if (c->threads[k].pid == pid && c->threads[k].tid == tid)
			return &c->threads[k];
	name = chrome_name_of(c, true, pid, 0);
	process = name ? builder_process(c->r->builder, (uint32_t)(pid & INT32_MAX), 0, *name ? name : NULL, 0) : BUILDER_NONE;
	name = process != BUILDER_NONE ? chrome_name_of(c, false, pid, tid) : NULL;
	thread = name ? builder_thread(c->r->builder, process, (uint32_t)(tid & INT32_MAX), *name ? name : NULL) : BUILDER_NONE;
	if (thread == BUILDER_NONE || !array_grow(&c->threads, &c->threads_room, c->nthreads, sizeof *c->threads) ||
	    !table_reserve(&c->by_tid, c->nthreads + 1, chrome_thread_hash, c))
		return NULL;
	c->threads[c->nthreads] = (struct chrome_thread){ pid, tid, thread, 0 };
	table_add(&c->by_tid, hash_mix(tid, pid), c->nthreads);
	return &c->threads[c->nthreads++];
}

/* ---- durations ---- */

static bool chrome_span_add(struct chrome *c, const struct chrome_event *e, uint32_t thread, double end)
{
	const char *name = json_text_of(&c->text, &e->name);
	struct chrome_span s = { .end = end, .thread = thread, .order = c->nspans };

	if (!json_double(&e->time, &s.start))
		return true;			/* it has no moment */
	s.function = name ? builder_function(c->r->builder, &(struct builder_function){ .module = BUILDER_NONE, .name = *name ? name : "(no name)" }) : BUILDER_NONE;
	if (s.function == BUILDER_NONE || !array_grow(&c->spans, &c->spans_room, c->nspans, sizeof s))
		return reading_no_memory(c->r);
	s.end += s.start;
	c->spans[c->nspans++] = s;
	return true;
}

/* A duration of T begins. */
static bool chrome_begin(struct chrome *c, const struct chrome_event *e, struct chrome_thread *t)
{
	uint32_t span = c->nspans;

	if (!chrome_span_add(c, e, t->number, 0))
		return false;
	if (c->nspans == span)
		return true;
	if (!array_grow(&c->opened, &c->opened_room, c->nopened, sizeof *c->opened))
		return reading_no_memory(c->r);
	c->opened[c->nopened++] = (struct chrome_open){ span, t->open };
	t->open = c->nopened;
	return true;
}

/* The last one of T that began ends. */
static void chrome_ends(struct chrome *c, const struct chrome_event *e, struct chrome_thread *t)
{
	const struct chrome_open *o = t->open ? &c->opened[t->open - 1] : NULL;
	double end;

	if (!o || !json_double(&e->time, &end))
		return;
	if (end > c->spans[o->span].start)
		c->spans[o->span].end = end;
	t->open = o->around;
}

static bool chrome_duration_read(struct chrome *c, const struct chrome_event *e)
{
	struct chrome_thread *t = chrome_thread_of(c, chrome_id(c, &e->pid), chrome_id(c, &e->tid));
	double duration = 0;

	if (!t)
		return reading_no_memory(c->r);
	if (json_string_is(&e->phase, "B"))
		return chrome_begin(c, e, t);
	if (json_string_is(&e->phase, "E")) {
		chrome_ends(c, e, t);
		return true;
	}
	return !json_double(&e->duration, &duration) || chrome_span_add(c, e, t->number, duration > 0 ? duration : 0);
}

/* By thread, then by start; what lasts longer is around the others, and what came first, as far as both are the same. */
static int chrome_by_start(const void *left, const void *right)
{
	const struct chrome_span *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end != b->end ? (a->end > b->end ? -1 : 1) : (a->order > b->order) - (a->order < b->order);
}

/* Microseconds since ORIGIN, ns: the differences of what is rounded add up. */
static int64_t chrome_nsec(double usec, double origin)
{
	double nsec = (usec - origin) * 1e3;

	return nsec > -0x1p62 && nsec < 0x1p62 ? llround(nsec) : 0;
}

/* The time from FROM to TO, us, is of the stack at hand; CALLS: its last function was entered. */
static void chrome_stretch_add(struct chrome *c, const struct chrome_span *first, double from, double to, uint64_t calls)
{
	int64_t nsec = chrome_nsec(to, first->start) - chrome_nsec(from, first->start);
	uint64_t amount = nsec > 0 ? (uint64_t)nsec : 0;

	if (amount || calls)
		builder_add(c->r->builder, &(struct builder_sample){ .thread = first->thread, .functions = c->stack.functions, .n = c->stack.n, .amounts = &amount, .calls = calls });
}

/* The durations of one thread, N at SPANS: those within another's are its callees'. */
static bool chrome_thread_add(struct chrome *c, struct chrome_span *spans, uint32_t n)
{
	uint32_t *open = malloc((n + 1) * sizeof *open), depth = 0;
	double now = spans[0].start;
	bool ok = open != NULL;

	c->stack.n = 0;
	for (uint32_t i = 0; ok && i <= n; i++) {
		for (; depth > 0 && (i == n || spans[open[depth - 1]].end <= spans[i].start); depth--, c->stack.n--) {
			double end = spans[open[depth - 1]].end;

			chrome_stretch_add(c, &spans[0], now, end, 0);
			now = end > now ? end : now;
		}
		if (i == n)
			break;
		if (depth > 0) {
			chrome_stretch_add(c, &spans[0], now, spans[i].start, 0);
			if (spans[i].end > spans[open[depth - 1]].end)	/* it would outlive its caller */
				spans[i].end = spans[open[depth - 1]].end;
		}
		now = spans[i].start > now ? spans[i].start : now;
		open[depth++] = i;
		ok = stack_push(&c->stack, spans[i].function);
		if (ok)
			chrome_stretch_add(c, &spans[0], now, now, 1);
	}
	free(open);
	return ok || reading_no_memory(c->r);
}

static bool chrome_spans_add(struct chrome *c)
{
	if (c->nspans)
		qsort(c->spans, c->nspans, sizeof *c->spans, chrome_by_start);
	for (uint32_t i = 0, n; i < c->nspans; i += n) {
		for (n = 1; i + n < c->nspans && c->spans[i + n].thread == c->spans[i].thread;)
			n++;
		if (!chrome_thread_add(c, &c->spans[i], n))
			return false;
	}
	return true;
}

/* ---- a trace ---- */

static bool chrome_profiles_add(struct chrome *c)
{
	for (uint32_t i = 0; i < c->nprofiles; i++) {
		const struct chrome_thread *t = chrome_thread_of(c, c->profiles[i].pid, c->profiles[i].tid);

		if (!t)
			return reading_no_memory(c->r);
		if (!chrome_profile_add(c, &c->profiles[i], t->number))
			return false;
	}
	return true;
}

/* Look which of both the trace is of, and who is called how. */
static bool chrome_trace_look(struct chrome *c, struct json_value events)
{
	struct json_walk w = json_walk(events);
	bool ok = true;

	while (ok && json_next(&w)) {
		struct chrome_event e = chrome_event_take(&w, &ok);

		c->sampled |= chrome_is_sampled(&e);
		if (json_string_is(&e.phase, "M") && (json_string_is(&e.name, "thread_name") || json_string_is(&e.name, "process_name")) && !chrome_name_keep(c, &e))
			return false;
	}
	return chrome_events_end(c, &w);
}

static bool chrome_trace_events_read(struct chrome *c, struct json_value events)
{
	struct json_walk w = json_walk(events);
	bool ok = true, whole = true;

	while (ok && whole && json_next(&w)) {
		struct chrome_event e = chrome_event_take(&w, &whole);

		if (whole && c->sampled && (chrome_is_sampled(&e) || json_string_is(&e.name, "Profile")))
			ok = chrome_chunk_read(c, &e);
		else if (whole && !c->sampled && (json_string_is(&e.phase, "X") || json_string_is(&e.phase, "B") || json_string_is(&e.phase, "E")))
			ok = chrome_duration_read(c, &e);
	}
	return ok;
}

static bool chrome_trace_read(struct reading *r)
{
	struct json_value events = chrome_events_of(json_value_at((const char *)r->data, r->len));
	struct chrome c = { .r = r };
	bool ok = chrome_trace_look(&c, events);

	if (ok)
		builder_value(r->builder, "time", "ns", c.sampled);
	if (ok && !c.sampled)
		builder_header(r->builder)->way = 0;
	ok = ok && chrome_trace_events_read(&c, events) && (c.sampled ? chrome_profiles_add(&c) : chrome_spans_add(&c));
	chrome_free(&c);
	return ok;
}

/* A list of events, or a map with one; the first of them has a phase. */
static bool chrome_trace_is(struct json_value root)
{
	struct json_value events = chrome_events_of(root);
	struct json_walk w = json_walk(events.kind == JSON_LIST ? events : (struct json_value){ 0 });

	return json_next(&w) && json_member(w.value, "ph").kind == JSON_STRING;
}

static size_t chrome_trace_reads(const char *head, size_t n, bool whole) { return json_reads(head, n, whole, chrome_trace_is); }

const struct import_format import_chrome_trace = { "Chrome trace", chrome_trace_reads, true, chrome_trace_read };
