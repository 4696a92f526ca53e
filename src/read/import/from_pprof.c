/* from_pprof.c - pprof's profile, as google/pprof's proto/profile.proto describes it: strings, functions, locations and mappings, and samples, each of
 * which has a stack and a value of each of the profile's types.
 *
 * Fields may come in any order, so tables are read first and samples last.  A location has a line for each function that was inlined there, the innermost
 * first.  Each type is a value; a profile that aprof wrote itself has calls, samples and time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "read/import/format.h"
#include "read/import/places.h"
#include "read/import/wire.h"

/* Fields of Profile. */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, TIME = 9, PERIOD_TYPE = 11, PERIOD, COMMENT, DEFAULT_TYPE, LAST_FIELD };

struct text { const char *at; size_t n; };

/* What has a number of its own in the file. */
struct table_of_ids { uint64_t *ids; uint32_t n; size_t room; struct table by_id; };

struct pprof_mapping {
	uint64_t start, limit, offset;	/* addresses, and where in the file start is */
	uint64_t file, build_id;	/* strings */
	uint32_t module;		/* of the builder; BUILDER_NONE: not asked for yet */
};

struct pprof_function { uint64_t name, linked, file, line; };	/* strings, and a number */

struct location {
	uint64_t mapping;		/* its number; 0: none */
	uint64_t address;
	size_t at, size;		/* the message, in the file */
	uint32_t first, n;		/* its functions in functions_of[]; n 0: not asked for yet */
};

struct value_type { uint64_t type, unit; };	/* strings */

enum { NO_VALUE = -1 };

/* One reading. */
struct proto {
	struct reading *r;
	struct text *strings;
	size_t nstrings, strings_room;
	struct table_of_ids mapping_ids, location_ids, function_ids;
	struct pprof_mapping *mappings;
	size_t mappings_room;
	struct location *locations;
	size_t locations_room;
	struct pprof_function *functions;
	size_t functions_room;
	struct stack inner;		/* functions of locations, outermost first */
	struct places places;
	struct places_process process;	/* which has all mappings */
	bool mapped;			/* it has */
	struct value_type *types;
	uint32_t ntypes;
	size_t types_room;
	uint64_t default_type;		/* a string */
	struct value_type period_type;
	uint64_t period, time;
	bool own;			/* aprof wrote it */
	int ticks, calls;		/* which types are the samples, the calls; NO_VALUE: none is */
	struct { int type; double scale; } *shown; /* of each value of the builder: what it is of, and by how much more */
	uint32_t nshown;
	uint64_t *amounts;		/* of the sample at hand, of each of them */
	uint64_t *values;		/* of the sample at hand */
	size_t nvalues, values_room;
	struct stack stack;		/* its functions */
	char *word[4];			/* room for a string each */
	size_t word_room[4];
	size_t samples, kept;		/* so far, and those that are wanted */
};

/* Say that the message that W walks through, WHAT number N, is wrong. */
static bool from_pprof_wrong(struct proto *p, const unsigned char *at, const char *what, size_t n)
{
	return reading_wrong(p->r, (size_t)(at - p->r->data), "%s %zu of the pprof profile is malformed or cut off", what, n);
}

/* ---- strings ---- */

/* String NUMBER, ended by a zero byte, in one of four rooms; NULL: empty, or memory is short, which P's builder hears of by the next function. */
static const char *string(struct proto *p, uint64_t number, unsigned room)
{
	const struct text *t = number < p->nstrings ? &p->strings[number] : NULL;
	char *word;

	if (!t || !t->n || !array_reserve(&p->word[room], &p->word_room[room], t->n + 1, 1))
		return NULL;
	word = p->word[room];
	if (p->own) {
		text_unescape(word, t->at, t->at + t->n);
	} else {
		memcpy(word, t->at, t->n);
		word[t->n] = '\0';
	}
	return word[0] ? word : NULL;
}

static bool string_is(const struct proto *p, uint64_t number, const char *text)
{
	return number < p->nstrings && p->strings[number].n == strlen(text) && memcmp(p->strings[number].at, text, p->strings[number].n) == 0;
}

/* ---- tables ---- */

static uint64_t id_hash(const void *owner, uint32_t i)
{
	return hash_mix(((const struct table_of_ids *)owner)->ids[i], 0);
}

static uint32_t id_find(const struct table_of_ids *t, uint64_t id)
{
	uint64_t i = hash_mix(id, 0);
	uint32_t k;

	while ((k = table_next(&t->by_id, &i)) != UINT32_MAX)
		if (t->ids[k] == id)
			return k;
	return BUILDER_NONE;
}

static bool id_add(struct table_of_ids *t, uint64_t id)
{
	if (!array_grow(&t->ids, &t->room, t->n, sizeof *t->ids) || !table_reserve(&t->by_id, t->n + 1, id_hash, t))
		return false;
	t->ids[t->n] = id;
	table_add(&t->by_id, hash_mix(id, 0), t->n++);
	return true;
}

static bool mapping_read(struct proto *p, struct wire w)
{
	struct pprof_mapping m = { .module = BUILDER_NONE };
	uint64_t id = 0;

	while (wire_next(&w))
		switch (w.field) {
		case 1: id = w.number; break;
		case 2: m.start = w.number; break;
		case 3: m.limit = w.number; break;
		case 4: m.offset = w.number; break;
		case 5: m.file = w.number; break;
		case 6: m.build_id = w.number; break;
		}
	if (w.wrong)
		return from_pprof_wrong(p, w.at, "mapping", p->mapping_ids.n + 1);
	if (!array_grow(&p->mappings, &p->mappings_room, p->mapping_ids.n, sizeof m))
		return reading_no_memory(p->r);
	p->mappings[p->mapping_ids.n] = m;
	return id_add(&p->mapping_ids, id) || reading_no_memory(p->r);
}

static bool location_read(struct proto *p, struct wire w)
{
	struct location l = { .at = (size_t)(w.next - p->r->data), .size = (size_t)(w.end - w.next) };
	uint64_t id = 0;

	while (wire_next(&w))
		switch (w.field) {
		case 1: id = w.number; break;
		case 2: l.mapping = w.number; break;
		case 3: l.address = w.number; break;
		}
	if (w.wrong)
		return from_pprof_wrong(p, w.at, "location", p->location_ids.n + 1);
	if (!array_grow(&p->locations, &p->locations_room, p->location_ids.n, sizeof l))
		return reading_no_memory(p->r);
	p->locations[p->location_ids.n] = l;
	return id_add(&p->location_ids, id) || reading_no_memory(p->r);
}

static bool function_read(struct proto *p, struct wire w)
{
	struct pprof_function f = { 0 };
	uint64_t id = 0;

	while (wire_next(&w))
		switch (w.field) {
		case 1: id = w.number; break;
		case 2: f.name = w.number; break;
		case 3: f.linked = w.number; break;
		case 4: f.file = w.number; break;
		case 5: f.line = w.number; break;
		}
	if (w.wrong)
		return from_pprof_wrong(p, w.at, "function", p->function_ids.n + 1);
	if (!array_grow(&p->functions, &p->functions_room, p->function_ids.n, sizeof f))
		return reading_no_memory(p->r);
	p->functions[p->function_ids.n] = f;
	return id_add(&p->function_ids, id) || reading_no_memory(p->r);
}

static bool type_take(struct proto *p, struct wire w, struct value_type *t)
{
	*t = (struct value_type){ 0 };
	while (wire_next(&w)) {
		if (w.field == 1)
			t->type = w.number;
		if (w.field == 2)
			t->unit = w.number;
	}
	return !w.wrong || from_pprof_wrong(p, w.at, "type of samples", p->ntypes + 1);
}

static bool type_read(struct proto *p, struct wire w)
{
	if (!array_grow(&p->types, &p->types_room, p->ntypes, sizeof *p->types))
		return reading_no_memory(p->r);
	return type_take(p, w, &p->types[p->ntypes]) && ++p->ntypes;
}

static bool from_pprof_string_read(struct proto *p, const struct wire *w)
{
	if (w->type != WIRE_BYTES)
		return from_pprof_wrong(p, w->at, "string", p->nstrings + 1);
	if (!array_reserve(&p->strings, &p->strings_room, p->nstrings + 1, sizeof *p->strings))
		return reading_no_memory(p->r);
	p->strings[p->nstrings++] = (struct text){ (const char *)w->bytes, w->n };
	return true;
}

static bool comment_read(struct proto *p, struct wire *w)
{
	uint64_t number;
	size_t i = 0;

	while (wire_numbers(w, &i, &number))
		p->own |= number < p->nstrings && p->strings[number].n > 6 && memcmp(p->strings[number].at, "aprof ", 6) == 0;
	return !w->wrong || from_pprof_wrong(p, w->at, "comment", 1);
}

static bool field_read(struct proto *p, struct wire *w)
{
	switch (w->field) {
	case SAMPLE_TYPE: return type_read(p, wire_inner(w));
	case MAPPING: return mapping_read(p, wire_inner(w));
	case LOCATION: return location_read(p, wire_inner(w));
	case FUNCTION: return function_read(p, wire_inner(w));
	case STRING: return from_pprof_string_read(p, w);
	case TIME: p->time = w->number; return true;
	case PERIOD_TYPE: return type_take(p, wire_inner(w), &p->period_type);
	case PERIOD: p->period = w->number; return true;
	case DEFAULT_TYPE: p->default_type = w->number; return true;
	}
	return true;
}

static struct wire from_pprof_whole(const struct proto *p)
{
	return (struct wire){ .next = p->r->data, .end = p->r->data + p->r->len };
}

static bool tables_read(struct proto *p)
{
	struct wire w = from_pprof_whole(p);
	size_t n = 0;

	for (; wire_next(&w); n++)
		if (!field_read(p, &w))
			return false;
	if (w.wrong)
		return from_pprof_wrong(p, w.at, "record", n + 1);
	for (w = from_pprof_whole(p); wire_next(&w);)		/* strings may come behind */
		if (w.field == COMMENT && !comment_read(p, &w))
			return false;
	return p->ntypes > 0 || reading_wrong(p->r, p->r->len, "no type of samples in the pprof profile");
}

/* ---- values ---- */

/* ns of the unit NUMBER; 0: it is no time. */
static double unit_nsec(const struct proto *p, uint64_t number)
{
	static const struct { const char *unit; double nsec; } units[] = {
		{ "nanoseconds", 1 }, { "ns", 1 }, { "nanosecond", 1 }, { "microseconds", 1e3 }, { "us", 1e3 }, { "milliseconds", 1e6 }, { "ms", 1e6 },
		{ "seconds", 1e9 }, { "s", 1e9 },
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (string_is(p, number, units[i].unit))
			return units[i].nsec;
	return 0;
}

static int type_find(const struct proto *p, const char *type)
{
	for (uint32_t i = 0; i < p->ntypes; i++)
		if (string_is(p, p->types[i].type, type))
			return (int)i;
	return NO_VALUE;
}

/* The value that is shown first: what the file says, else CPU time, else another time, else pprof's own choice, the last. */
static int wanted_find(const struct proto *p)
{
	int cpu = type_find(p, "cpu");

	for (uint32_t i = 0; p->default_type && i < p->ntypes; i++)
		if (p->types[i].type == p->default_type)
			return (int)i;
	if (cpu != NO_VALUE && unit_nsec(p, p->types[cpu].unit) > 0)
		return cpu;
	for (uint32_t i = 0; i < p->ntypes; i++)
		if (unit_nsec(p, p->types[i].unit) > 0)
			return (int)i;
	return (int)p->ntypes - 1;
}

/* Have the builder count TYPE, each SCALE more, as the value NAME in UNIT.  What it has already stays. */
static void value_show(struct proto *p, int type, double scale, const char *name, const char *unit)
{
	if (builder_value(p->r->builder, name, unit, true) != p->nshown)
		return;
	p->shown[p->nshown].type = type;
	p->shown[p->nshown++].scale = scale;
}

/* Have it count TYPE as it is, times in ns. */
static void type_show(struct proto *p, int type)
{
	const struct value_type *t = &p->types[type];
	double nsec = unit_nsec(p, t->unit);
	const char *name = p->own && string_is(p, t->type, "time") ? "cpu" : string(p, t->type, 0);

	value_show(p, type, nsec > 0 ? nsec : 1, name, nsec > 0 ? "ns" : string(p, t->unit, 1));
}

/* All types are values, the one first that the file, or who wrote it, is about: where samples alone are counted, and it is known how long each of
 * them is, that is time. */
static bool types_choose(struct proto *p)
{
	int wanted = wanted_find(p);
	double period = unit_nsec(p, p->period_type.unit) * (double)p->period;

	p->ticks = type_find(p, "samples");
	p->calls = p->own ? type_find(p, "calls") : NO_VALUE;
	p->shown = calloc(p->ntypes + 1, sizeof *p->shown);
	p->amounts = calloc(p->ntypes + 1, sizeof *p->amounts);
	if (!p->shown || !p->amounts)
		return reading_no_memory(p->r);
	if (wanted == p->ticks && unit_nsec(p, p->types[wanted].unit) == 0 && period > 0)
		value_show(p, wanted, period, string(p, p->period_type.type, 0), "ns");
	type_show(p, wanted);
	for (int i = 0; i < (int)p->ntypes; i++)
		if (i != wanted && i != p->calls && !(p->own && i == p->ticks))
			type_show(p, i);
	return true;
}

/* ---- stacks ---- */

static size_t from_pprof_build_id_take(struct proto *p, uint64_t number, uint8_t out[32])
{
	const char *hex = string(p, number, 3);
	size_t n = 0, length = hex ? strlen(hex) : 0;

	if (length % 2 || length > 64 || strspn(hex ? hex : "", "0123456789abcdefABCDEF") != length)
		return 0;
	for (; 2 * n < length; n++) {
		char byte[3] = { hex[2 * n], hex[2 * n + 1] };

		out[n] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return n;
}

/* The module of the builder that mapping NUMBER of the file is; *M: the mapping. */
static uint32_t from_pprof_module_of(struct proto *p, uint64_t number, const struct pprof_mapping **mapping)
{
	uint32_t i = number ? id_find(&p->mapping_ids, number) : BUILDER_NONE;
	struct pprof_mapping *m = i != BUILDER_NONE ? &p->mappings[i] : NULL;
	uint8_t build_id[32];
	const char *path;
	size_t n;

	*mapping = m;
	if (m && m->module == BUILDER_NONE) {
		n = from_pprof_build_id_take(p, m->build_id, build_id);
		path = string(p, m->file, 0);
		m->module = builder_module(p->r->builder, path ? path : "", build_id, n);
	}
	return m ? m->module : BUILDER_NONE;
}

/* A line of a location: the function, in MODULE. */
static bool line_add(struct proto *p, struct wire w, uint32_t module, uint64_t address)
{
	struct builder_function f = { .module = module, .address = address, .apart = p->own && address };
	const struct pprof_function *from;
	uint64_t id = 0;
	uint32_t i;

	while (wire_next(&w))
		id = w.field == 1 ? w.number : id;
	i = id_find(&p->function_ids, id);
	if (w.wrong || i == BUILDER_NONE)
		return reading_wrong(p->r, (size_t)(w.at - p->r->data), "a line of function %" PRIu64 ", which the pprof profile has not", id);
	from = &p->functions[i];
	f.name = string(p, from->name, 0);
	if (!f.name)
		f.name = string(p, from->linked, 0);
	if (!f.name)
		f.name = "(unknown)";
	f.file = string(p, from->file, 1);
	f.line = from->line <= UINT32_MAX ? (uint32_t)from->line : 0;
	return stack_push(&p->inner, builder_function(p->r->builder, &f)) || reading_no_memory(p->r);
}

/* Have the mappings where addresses are looked for.  False: out of memory. */
static bool mappings_map(struct proto *p)
{
	uint8_t id[32];

	places_begin(&p->places, p->r->builder);
	places_process_begin(&p->places, &p->process, 0);
	p->mapped = true;
	for (uint32_t i = 0; i < p->mapping_ids.n; i++) {
		const struct pprof_mapping *m = &p->mappings[i];
		size_t n = from_pprof_build_id_take(p, m->build_id, id);
		const char *path = string(p, m->file, 0);

		if (path && path[0] == '/' && m->limit > m->start &&
		    (!places_tell(&p->places, path, id, n) || !space_map(&p->process.space, m->start, m->limit - m->start, m->offset, 0, 0, path)))
			return false;
	}
	return true;
}

/* Put on p->inner the function at ADDRESS, in MODULE with the mapping M, of which the profile tells nothing else: as the program that ran has it, if that is here, and above it those
 * that the compiler put into its code there.  False: out of memory. */
static bool address_push(struct proto *p, const struct pprof_mapping *m, uint32_t module, uint64_t address)
{
	bool mapped = m && address >= m->start && address < m->limit;
	struct place place = { 0 };
	const uint32_t *inlined;
	uint64_t ignored;
	char name[32];
	uint32_t n;

	if ((!p->mapped && !mappings_map(p)) || (mapped && !places_find(&p->places, &p->process, address, &place)))
		return false;
	inlined = places_inlined(&p->places, &place, &n, &ignored);
	while (n-- > 0)
		if (!stack_push(&p->inner, inlined[n]))
			return false;
	if (place.is_there)
		return stack_push(&p->inner, place.function);
	address = mapped ? address - m->start + m->offset : address;
	snprintf(name, sizeof name, "0x%" PRIx64, address);
	return stack_push(&p->inner, builder_function(p->r->builder, &(struct builder_function){ .module = module, .name = name, .address = address }));
}

/* The functions of L, outermost first, in p->inner. */
static bool location_settle(struct proto *p, struct location *l)
{
	struct wire w = { .next = p->r->data + l->at, .end = p->r->data + l->at + l->size };
	const struct pprof_mapping *m;
	uint32_t module = from_pprof_module_of(p, l->mapping, &m);
	struct stack *s = &p->inner;

	l->first = (uint32_t)s->n;
	while (wire_next(&w))
		if (w.field == 4 && !line_add(p, wire_inner(&w), module, p->own ? l->address : 0))
			return false;
	if (s->n == l->first && !address_push(p, m, module, l->address))
		return reading_no_memory(p->r);
	l->n = (uint32_t)(s->n - l->first);
	stack_turn(&(struct stack){ s->functions + l->first, l->n, 0 });
	return true;
}

/* Append the functions of location ID, outermost last as the file has them: the stack is turned at last. */
static bool location_add(struct proto *p, uint64_t id, const unsigned char *at)
{
	uint32_t k = id_find(&p->location_ids, id);
	struct location *l = k != BUILDER_NONE ? &p->locations[k] : NULL;

	if (!l)
		return reading_wrong(p->r, (size_t)(at - p->r->data), "sample %zu has location %" PRIu64 ", which the pprof profile has not", p->samples, id);
	if (!l->n && !location_settle(p, l))
		return false;
	for (uint32_t i = l->n; i-- > 0;)
		if (!stack_push(&p->stack, p->inner.functions[l->first + i]))
			return reading_no_memory(p->r);
	return true;
}

/* Whose a sample is. */
struct owner {
	uint64_t thread, process;	/* strings */
	uint64_t tid, pid;
	size_t wanted;			/* labels of those that are wanted */
};

/* What samples have that aprof itself writes, as others do: it is read otherwise. */
static bool is_owners(const struct proto *p, uint64_t key)
{
	return string_is(p, key, "thread") || string_is(p, key, "process") || string_is(p, key, "tid") || string_is(p, key, "pid");
}

/* Count the label KEY of the sample at hand: string TEXT, or if that is 0 NUMBER; and whether it is wanted. */
static bool label_count(struct proto *p, struct owner *o, uint64_t key, uint64_t text, uint64_t number)
{
	const struct import_wishes *wishes = p->r->wishes;
	const char *name = string(p, key, 0), *value = text ? string(p, text, 1) : "";
	char *label = NULL;
	bool ok = (text ? asprintf(&label, "%s=%s", name ? name : "", value ? value : "") : asprintf(&label, "%s=%" PRId64, name ? name : "", (int64_t)number)) >= 0;

	for (size_t i = 0; ok && i < wishes->nlabels; i++)
		o->wanted += strcmp(wishes->labels[i], label) == 0;
	ok = ok && (is_owners(p, key) || sample_labels_add(p->r->labels, label, 1));
	if (label)
		free(label);
	return ok || reading_no_memory(p->r);
}

static bool label_read(struct proto *p, struct wire w, struct owner *o)
{
	uint64_t key = 0, text = 0, number = 0;

	while (wire_next(&w)) {
		key = w.field == 1 ? w.number : key;
		text = w.field == 2 ? w.number : text;
		number = w.field == 3 ? w.number : number;
	}
	if (w.wrong)
		return from_pprof_wrong(p, w.at, "a label of sample", p->samples);
	if (string_is(p, key, "thread"))
		o->thread = text;
	else if (string_is(p, key, "process"))
		o->process = text;
	else if (string_is(p, key, "tid"))
		o->tid = number;
	else if (string_is(p, key, "pid"))
		o->pid = number;
	return label_count(p, o, key, text, number);
}

static uint32_t thread_of(struct proto *p, const struct owner *o)
{
	uint64_t program = o->process ? o->process : p->mapping_ids.n ? p->mappings[0].file : 0;
	uint32_t process = builder_process(p->r->builder, (uint32_t)o->pid, 0, string(p, program, 0), p->time);

	return builder_thread(p->r->builder, process, (uint32_t)o->tid, string(p, o->thread, 0));
}

/* What the sample at hand has of TYPE, SCALE times more.  What there are no numbers for is told by the builder, which adds these up. */
static uint64_t from_pprof_value_of(const struct proto *p, int type, double scale)
{
	double value = type == NO_VALUE ? 0 : (double)p->values[type] * scale;

	return type == NO_VALUE ? 0 : scale == 1 ? p->values[type] : value < 0x1p63 ? (uint64_t)(value + 0.5) : UINT64_MAX;
}

static bool from_pprof_value_add(struct proto *p, uint64_t value, const unsigned char *at)
{
	if (value > INT64_MAX)
		return reading_wrong(p->r, (size_t)(at - p->r->data), "sample %zu of the pprof profile has a negative value: the difference of two profiles is not shown",
				     p->samples);
	if (!array_reserve(&p->values, &p->values_room, p->nvalues + 1, sizeof *p->values))
		return reading_no_memory(p->r);
	p->values[p->nvalues++] = value;
	return true;
}

/* Take the fields of a sample. */
static bool from_pprof_sample_take(struct proto *p, struct wire *w, struct owner *o)
{
	uint64_t number;

	p->stack.n = p->nvalues = 0;
	while (wire_next(w)) {
		size_t i = 0;

		while (w->field == 1 && wire_numbers(w, &i, &number))
			if (!location_add(p, number, w->at))
				return false;
		while (w->field == 2 && wire_numbers(w, &i, &number))
			if (!from_pprof_value_add(p, number, w->at))
				return false;
		if (w->field == 3 && !label_read(p, wire_inner(w), o))
			return false;
	}
	if (w->wrong)
		return from_pprof_wrong(p, w->at, "sample", p->samples);
	return p->nvalues == p->ntypes || reading_wrong(p->r, (size_t)(w->at - p->r->data), "sample %zu of the pprof profile has %zu values of %" PRIu32,
							p->samples, p->nvalues, p->ntypes);
}

static bool from_pprof_sample_read(struct proto *p, struct wire w)
{
	struct owner o = { 0 };
	struct builder_sample s;

	p->samples++;
	if (!from_pprof_sample_take(p, &w, &o))
		return false;
	if (o.wanted < p->r->wishes->nlabels)
		return true;
	p->kept++;
	stack_turn(&p->stack);
	for (uint32_t i = 0; i < p->nshown; i++)
		p->amounts[i] = from_pprof_value_of(p, p->shown[i].type, p->shown[i].scale);
	s = (struct builder_sample){ .thread = thread_of(p, &o), .functions = p->stack.functions, .n = p->stack.n, .amounts = p->amounts,
		.ticks = from_pprof_value_of(p, p->ticks, 1), .calls = from_pprof_value_of(p, p->calls, 1) };
	if (s.thread == BUILDER_NONE)
		return reading_no_memory(p->r);
	builder_add(p->r->builder, &s);
	return true;
}

/* Did aprof count calls in it? */
static bool counts_calls(struct proto *p)
{
	struct wire w = from_pprof_whole(p);
	uint64_t number;

	while (p->calls != NO_VALUE && wire_next(&w)) {
		struct wire sample = w.field == SAMPLE ? wire_inner(&w) : (struct wire){ 0 };
		int at = 0;

		while (wire_next(&sample))
			for (size_t i = 0; sample.field == 2 && wire_numbers(&sample, &i, &number); at++)
				if (at == p->calls && number)
					return true;
	}
	return false;
}

static bool samples_read(struct proto *p)
{
	struct wire w = from_pprof_whole(p);

	if (counts_calls(p))
		builder_header(p->r->builder)->way = 0;
	else
		p->calls = NO_VALUE;
	while (wire_next(&w))
		if (w.field == SAMPLE && !from_pprof_sample_read(p, wire_inner(&w)))
			return false;
	return p->kept || !p->r->wishes->nlabels || error_set(p->r->err, ERROR_USAGE, ERROR_NO_OFFSET, "%.200s: no sample has the label of --label: aprof info lists them", p->r->label);
}

static bool pprof_read(struct reading *r)
{
	struct proto p = { .r = r };
	bool ok = tables_read(&p);

	ok = ok && types_choose(&p) && samples_read(&p);
	if (p.mapped) {
		places_process_end(&p.process);
		places_end(&p.places);
	}
	free(p.strings);
	free(p.mappings);
	free(p.locations);
	free(p.functions);
	free(p.inner.functions);
	free(p.types);
	free(p.values);
	free(p.shown);
	free(p.amounts);
	free(p.stack.functions);
	for (size_t i = 0; i < sizeof p.word / sizeof *p.word; i++)
		free(p.word[i]);
	struct table_of_ids *const tables[] = { &p.mapping_ids, &p.location_ids, &p.function_ids };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		free(tables[i]->ids);
		table_free(&tables[i]->by_id);
	}
	return ok;
}

/* ---- what it is told by ---- */

/* Whether W, whole or cut off, may be a message with numbers alone, in fields up to LAST. */
static bool has_numbers(struct wire w, uint64_t last)
{
	while (wire_next(&w))
		if (w.type != WIRE_NUMBER || w.field > last)
			return false;
	return !w.wrong;
}

/* Every field is one of a Profile, of its type; a type of samples is one; the first string is empty. */
static size_t pprof_reads(const char *head, size_t n, bool whole_file)
{
	struct wire w = { .next = (const unsigned char *)head, .end = (const unsigned char *)head + n };
	size_t strings = 0, types = 0;

	while (wire_next(&w)) {
		bool number = (w.field > STRING && w.field < PERIOD_TYPE) || w.field == PERIOD || w.field == DEFAULT_TYPE || w.field == LAST_FIELD;

		if (w.field > LAST_FIELD || (w.field != COMMENT && w.type != (number ? WIRE_NUMBER : WIRE_BYTES)))
			return 0;
		if ((w.field == SAMPLE_TYPE || w.field == PERIOD_TYPE) && !has_numbers(wire_inner(&w), 2))
			return 0;
		if (w.field == STRING && strings++ == 0 && w.n > 0)
			return 0;
		types += w.field == SAMPLE_TYPE;
	}
	return (types || strings) && (!w.wrong || !whole_file || types) ? n : 0;
}

const struct import_format import_pprof = { "pprof", pprof_reads, false, pprof_read };
