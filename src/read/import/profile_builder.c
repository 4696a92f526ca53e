/* profile_builder.c - stacks of other people's files, folded into the contexts of one recording for each process. */
#include "read/import/profile_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/table.h"
#include "read/stacks/fold.h"
#include "read/stacks/recording.h"
#include "read/symbols/symbols.h"

enum {
	DEEPEST = 1 << 16,		/* frames of a stack that are kept, from the innermost on */
	WORK_PER_BYTE = 512,		/* entries of histories that may be handled for each byte of a file; real ones need a few */
	WORK_AT_LEAST = 1 << 24,
	SPAN_BITS = 48,			/* each module has so many addresses to itself, from its own number of them on */
	MOST_SPANS = 1 << 14,		/* but for modules beyond these */
	NAMED_BITS = 16,		/* each function that has a name has so many addresses to itself, for its lines */
};

/* Functions that are none: SPECIAL + a pseudo-routine, or one of the next two. */
#define SPECIAL	UINT32_C(0x80000000)
#define GAP	(SPECIAL + AMON_ROUTINE_LAST + 1)	/* calls that recursion squeezed out */
#define OUTSIDE	(SPECIAL + AMON_ROUTINE_LAST + 2)	/* outside all routines */

struct module {
	const char *path;
	uint8_t build_id[32];
	uint8_t build_id_size;		/* bytes of it; 0: none */
	bool named;			/* functions of it have names */
	bool main;			/* it is a program */
};

struct function {
	uint32_t module;		/* index of modules; BUILDER_NONE only before the first was made for it */
	const char *name, *file;	/* as in struct builder_function */
	uint32_t line;
	uint64_t address;		/* in its module, no other's; what was given if that could be */
	bool apart;			/* as in struct builder_function */
};

/* A line of a function's, with the address that stands for it. */
struct place_of_line { uint32_t function; const char *file; uint32_t line; uint64_t address; };

struct call_at_line { uint32_t from, to; const char *file; uint32_t line; };

struct thread {
	uint32_t process, tid;
	char name[16];
	bool folds;			/* fold is in use */
	struct fold fold;
};

struct process {
	uint32_t pid, nth;		/* nth tells those of one pid apart */
	const char *program;
	uint64_t time;			/* when it began, ns since 1970; 0: not known */
	struct recording *live;		/* NULL: no stack yet */
	uint32_t *routines;		/* of each function, as in its file; RECORDING_NONE: not there yet */
	size_t nroutines, routines_room;
	uint32_t *modules;		/* the same of each module */
	size_t nmodules, modules_room;
	uint32_t written;		/* modules in the file */
};

struct value {
	char name[64], unit[32];
	bool sampled;
	uint64_t sum;			/* of all samples */
};

struct builder {
	struct amon_header header;
	struct value *values;
	uint32_t nvalues;
	size_t values_room;
	struct arena strings;
	struct module *modules;
	uint32_t nmodules;
	size_t modules_room;
	struct table by_path;
	struct function *functions;
	uint32_t nfunctions;
	size_t functions_room;
	struct table by_name, by_address; /* functions */
	struct place_of_line *places;
	uint32_t nplaces;
	size_t places_room;
	struct table by_line;		/* places, by function and address */
	const char *last_file;		/* of these; NULL: none yet */
	struct call_at_line *calls;
	uint32_t ncalls;
	size_t calls_room;
	struct process *processes;
	uint32_t nprocesses;
	size_t processes_room;
	struct table by_pid;
	struct thread **threads;
	uint32_t nthreads;
	size_t threads_room;
	struct table by_tid;
	struct fold_call *stack;		/* of the sample at hand, as routines of its file */
	size_t stack_room;
	uint64_t budget;		/* of histories.work of each thread, and all together */
	uint64_t spent;			/* of it, by threads */
	bool keeps_sites;
	bool overflows;			/* some value has more than there are numbers for */
	bool failed, absurd;		/* out of memory; histories grow beyond all measure */
};

struct builder *builder_new(const struct amon_header *header, size_t size)
{
	struct builder *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->header = *header;
	d->header.state = AMON_ENDED;
	d->header.exit_status = -1;
	d->header.memory_bound = 0;
	d->budget = (uint64_t)size * WORK_PER_BYTE + WORK_AT_LEAST;
	return d;
}

void builder_free(struct builder *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->nthreads; i++) {
		if (d->threads[i]->folds)
			fold_free(&d->threads[i]->fold);
		free(d->threads[i]);
	}
	for (uint32_t i = 0; i < d->nprocesses; i++) {
		if (d->processes[i].live)
			recording_end(d->processes[i].live, true);
		free(d->processes[i].routines);
		free(d->processes[i].modules);
	}
	free(d->values);
	free(d->modules);
	free(d->functions);
	free(d->places);
	free(d->calls);
	free(d->processes);
	free(d->threads);
	free(d->stack);
	table_free(&d->by_path);
	table_free(&d->by_name);
	table_free(&d->by_address);
	table_free(&d->by_line);
	table_free(&d->by_pid);
	table_free(&d->by_tid);
	arena_free(&d->strings);
	free(d);
}

struct amon_header *builder_header(struct builder *d) { return &d->header; }

uint32_t builder_value(struct builder *d, const char *name, const char *unit, bool sampled)
{
	struct value v = { .sampled = sampled };

	name = name && *name ? name : "unnamed";
	unit = unit && *unit ? unit : "count";
	memcpy(v.name, name, strnlen(name, sizeof v.name - 1));
	memcpy(v.unit, unit, strnlen(unit, sizeof v.unit - 1));
	for (uint32_t i = 0; i < d->nvalues; i++)
		if (strcmp(d->values[i].name, v.name) == 0)
			return i;
	if (!array_grow(&d->values, &d->values_room, d->nvalues, sizeof *d->values)) {
		d->failed = true;
		return 0;
	}
	d->values[d->nvalues] = v;
	return d->nvalues++;
}

void builder_keep_sites(struct builder *d) { d->keeps_sites = true; }

/* ---- names ---- */

static uint32_t builder_fail(struct builder *d)
{
	d->failed = true;
	return BUILDER_NONE;
}

static const char *builder_keep(struct builder *d, const char *text)
{
	char *copy = text ? arena_copy(&d->strings, text, strlen(text)) : NULL;

	d->failed |= text && !copy;
	return copy;
}

static uint64_t builder_text_hash(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hash_mix(hash, (unsigned char)*text);
	return hash_mix(hash, text != NULL);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Modules are told apart as readers of the file do: by their build-ids if they have some, else by their paths. */
static uint64_t builder_module_key(const struct module *m)
{
	uint64_t hash = builder_text_hash(m->build_id_size, m->build_id_size ? NULL : m->path);

	for (int i = 0; i < m->build_id_size; i++)
		hash = hash_mix(hash, m->build_id[i]);
	return hash;
}

static uint64_t builder_module_hash(const void *owner, uint32_t i)
{
	return builder_module_key(&((const struct builder *)owner)->modules[i]);
}

uint32_t builder_module(struct builder *d, const char *path, const uint8_t *build_id, size_t size)
{
	struct module m = { .path = path, .build_id_size = (uint8_t)(size < sizeof m.build_id ? size : sizeof m.build_id) };
	uint64_t key, i;
	uint32_t k;

	if (m.build_id_size)
		memcpy(m.build_id, build_id, m.build_id_size);
	key = i = builder_module_key(&m);
	while ((k = table_next(&d->by_path, &i)) != UINT32_MAX)
		if (d->modules[k].build_id_size == m.build_id_size && memcmp(d->modules[k].build_id, m.build_id, m.build_id_size) == 0 &&
		    (m.build_id_size || strcmp(d->modules[k].path, path) == 0))
			return k;
	if (!array_grow(&d->modules, &d->modules_room, d->nmodules, sizeof m) || !table_reserve(&d->by_path, d->nmodules + 1, builder_module_hash, d))
		return builder_fail(d);
	m.path = builder_keep(d, path);
	if (!m.path)
		return BUILDER_NONE;
	d->modules[d->nmodules] = m;
	table_add(&d->by_path, key, d->nmodules);
	return d->nmodules++;
}

void builder_main(struct builder *d, uint32_t module)
{
	if (module != BUILDER_NONE)
		d->modules[module].main = true;
}

/* Functions are told apart by their names, if they have some, and by their addresses, if they have no names or that is asked for. */
static uint64_t builder_name_key(const struct function *f)
{
	uint64_t key = hash_mix(!f->name || f->apart ? f->address : 0, f->module);

	return f->name ? builder_text_hash(builder_text_hash(key, f->name), f->file) : key;
}

static bool same_function(const struct function *f, const struct function *o)
{
	return f->module == o->module && f->apart == o->apart && ((f->name && !f->apart) || f->address == o->address) &&
	       same_text(f->name, o->name) && same_text(f->file, o->file);
}

static uint64_t builder_name_hash(const void *owner, uint32_t i)
{
	return builder_name_key(&((const struct builder *)owner)->functions[i]);
}

static uint64_t address_key(uint32_t module, uint64_t address)
{
	return hash_mix(address, module);
}

static uint64_t builder_address_hash(const void *owner, uint32_t i)
{
	const struct function *f = &((const struct builder *)owner)->functions[i];

	return address_key(f->module, f->address);
}

static bool builder_is_taken(const struct builder *d, uint32_t module, uint64_t address)
{
	uint64_t i = address_key(module, address);
	uint32_t k;

	while ((k = table_next(&d->by_address, &i)) != UINT32_MAX)
		if (d->functions[k].module == module && d->functions[k].address == address)
			return true;
	return false;
}

/* An address for F, whose own is not known or another's, too: made of its name, so that it is the same in every file. */
static uint64_t address_make(const struct builder *d, const struct function *f)
{
	uint64_t address = (builder_text_hash(builder_text_hash(0, f->name), f->file) >> (64 - SPAN_BITS + 1 + NAMED_BITS) << NAMED_BITS) + (1 << NAMED_BITS);

	while (builder_is_taken(d, f->module, address))
		address += 1 << NAMED_BITS;
	return address;
}

/* The number of what aprof writes as a frame without a function; 0: F is one. */
static uint32_t special(const struct builder_function *f)
{
	uint32_t pseudo;

	if (f->module != BUILDER_NONE || !f->name || (f->name[0] != '(' && f->name[0] != '['))
		return 0;
	if (strcmp(f->name, "(folded calls)") == 0)
		return GAP;
	if (strcmp(f->name, "(outside all routines)") == 0)
		return OUTSIDE;
	pseudo = profile_pseudo_find(f->name);
	return pseudo ? SPECIAL + pseudo : 0;
}

uint32_t builder_function(struct builder *d, const struct builder_function *given)
{
	struct function f = { given->module, given->name, given->file, given->line, given->address, given->apart };
	uint32_t k = special(given);
	uint64_t key, i;

	if (k)
		return k;
	if (f.module == BUILDER_NONE && (f.module = builder_module(d, "", NULL, 0)) == BUILDER_NONE)
		return BUILDER_NONE;
	key = i = builder_name_key(&f);
	while ((k = table_next(&d->by_name, &i)) != UINT32_MAX)
		if (same_function(&d->functions[k], &f))
			return k;
	if (!array_grow(&d->functions, &d->functions_room, d->nfunctions, sizeof f) || d->nfunctions >= AMON_ROUTINE_ROOT ||
	    !table_reserve(&d->by_name, d->nfunctions + 1, builder_name_hash, d) ||
		!table_reserve(&d->by_address, d->nfunctions + 1, builder_address_hash, d))
		return builder_fail(d);
	f.name = builder_keep(d, f.name);
	f.file = builder_keep(d, f.file);
	if (f.name && !f.apart && (!f.address || builder_is_taken(d, f.module, f.address)))
		f.address = address_make(d, &f);
	d->modules[f.module].named |= f.name != NULL;
	d->functions[d->nfunctions] = f;
	table_add(&d->by_name, key, d->nfunctions);
	table_add(&d->by_address, address_key(f.module, f.address), d->nfunctions);
	return d->nfunctions++;
}

bool builder_is_special(uint32_t function) { return function >= SPECIAL; }

/* ---- processes and threads ---- */

static uint64_t process_hash(const void *owner, uint32_t i)
{
	const struct process *p = &((const struct builder *)owner)->processes[i];

	return hash_mix(p->pid, p->nth);
}

uint32_t builder_process(struct builder *d, uint32_t pid, uint32_t nth, const char *program, uint64_t time)
{
	uint64_t i = hash_mix(pid, nth);
	uint32_t k;

	while ((k = table_next(&d->by_pid, &i)) != UINT32_MAX)
		if (d->processes[k].pid == pid && d->processes[k].nth == nth)
			return k;
	if (!array_grow(&d->processes, &d->processes_room, d->nprocesses, sizeof *d->processes) ||
	    !table_reserve(&d->by_pid, d->nprocesses + 1, process_hash, d))
		return builder_fail(d);
	d->processes[d->nprocesses] = (struct process){ .pid = pid, .nth = nth, .program = builder_keep(d, program), .time = time };
	table_add(&d->by_pid, hash_mix(pid, nth), d->nprocesses);
	return d->nprocesses++;
}

static uint64_t thread_hash(const void *owner, uint32_t i)
{
	const struct thread *t = ((const struct builder *)owner)->threads[i];

	return hash_mix(t->process, t->tid);
}

uint32_t builder_thread(struct builder *d, uint32_t process, uint32_t tid, const char *name)
{
	uint64_t i = hash_mix(process, tid);
	struct thread *t;
	uint32_t k;

	while ((k = table_next(&d->by_tid, &i)) != UINT32_MAX)
		if (d->threads[k]->process == process && d->threads[k]->tid == tid)
			return k;
	if (process == BUILDER_NONE || !array_grow(&d->threads, &d->threads_room, d->nthreads, sizeof *d->threads) ||
	    !table_reserve(&d->by_tid, d->nthreads + 1, thread_hash, d) || !(t = calloc(1, sizeof *t)))
		return builder_fail(d);
	t->process = process;
	t->tid = tid;
	if (name)
		memcpy(t->name, name, strnlen(name, sizeof t->name - 1));
	d->threads[d->nthreads] = t;
	table_add(&d->by_tid, hash_mix(process, tid), d->nthreads);
	return d->nthreads++;
}

/* ---- stacks ---- */

/* See that *NUMBERS reaches as far as item N. */
static bool numbers_reach(uint32_t **numbers, size_t *n, size_t *room, size_t item)
{
	if (!array_reserve(numbers, room, item + 1, sizeof **numbers))
		return false;
	while (*n <= item)
		(*numbers)[(*n)++] = RECORDING_NONE;
	return true;
}

/* What the first value is: CPU time, elapsed time, or none. */
static uint32_t clock_of(const struct value *v)
{
	return strcmp(v->unit, "ns") != 0 ? AMON_CLOCK_COUNT : strcmp(v->name, "wall") == 0 ? AMON_CLOCK_WALL : AMON_CLOCK_TICK;
}

static bool values_tell(struct builder *d, struct process *p)
{
	bool ok = true;

	for (uint32_t i = 0; i < d->nvalues; i++)
		ok = ok && recording_value(p->live, d->values[i].name, d->values[i].unit, d->values[i].sampled ? AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED : 0) == i;
	return ok;
}

static bool process_open(struct builder *d, struct process *p)
{
	struct amon_header h = d->header;
	struct error ignored;

	h.clock = clock_of(&d->values[0]);

	memset(h.notes, 0, sizeof h.notes);
	h.pid = (int32_t)p->pid;
	h.start_realtime = p->time;
	if (p->program)
		memcpy(h.program, p->program, strnlen(p->program, sizeof h.program - 1));
	p->live = recording_new_in_memory(&h, &ignored);
	if (p->live)
		recording_keep_sites(p->live);
	return p->live != NULL && values_tell(d, p);
}

/* What is added to addresses in module M, so that they are no other module's. */
static uint64_t bias_of(uint32_t m) { return m < MOST_SPANS ? ((uint64_t)m + 1) << SPAN_BITS : 0; }

/* The call site at PLACE, as it is in all files. */
static uint64_t site_of(const struct builder *d, const struct builder_place *place)
{
	return d->keeps_sites && place->module != BUILDER_NONE && !(place->address >> SPAN_BITS) ? place->address + bias_of(place->module) : AMON_SITE_NONE;
}

/* Module M as the file of P has it. */
static uint32_t builder_module_of(const struct builder *d, struct process *p, uint32_t m)
{
	const struct module *from = &d->modules[m];
	struct amon_module record = { .build_id_size = from->build_id_size, .main_program = from->main, .bias = bias_of(m), .start = bias_of(m) };

	if (!numbers_reach(&p->modules, &p->nmodules, &p->modules_room, m))
		return RECORDING_NONE;
	record.end = record.start ? record.start + (UINT64_C(1) << SPAN_BITS) : 0;
	memcpy(record.build_id, from->build_id, sizeof record.build_id);
	if (p->modules[m] == RECORDING_NONE)
		p->modules[m] = recording_module(p->live, &record, from->path);
	return p->modules[m];
}

/* Function F as the file of P has it. */
static uint32_t builder_routine_of(const struct builder *d, struct process *p, uint32_t f)
{
	const struct function *from = &d->functions[f];
	uint32_t module;

	if (!numbers_reach(&p->routines, &p->nroutines, &p->routines_room, f))
		return RECORDING_NONE;
	if (p->routines[f] == RECORDING_NONE) {
		module = builder_module_of(d, p, from->module);
		p->routines[f] = module == RECORDING_NONE ? module : recording_routine(p->live, from->address + bias_of(from->module), module, 0);
	}
	return p->routines[f];
}

/* The stack of S as routines of the file of P, into d->stack; false: out of memory. */
static bool stack_make(struct builder *d, struct process *p, const struct builder_sample *s, size_t *n)
{
	size_t skip = s->n > DEEPEST ? s->n - DEEPEST : 0;
	uint64_t back = AMON_SITE_NONE;

	*n = 0;
	if (!array_reserve(&d->stack, &d->stack_room, s->n - skip + 1, sizeof *d->stack))
		return false;
	if (skip || s->cut) {
		d->stack[(*n)++] = (struct fold_call){ AMON_ROUTINE_TRUNCATED, AMON_SITE_NONE };
		recording_header(p->live)->notes[AMON_NOTE_CUT_STACK] += s->ticks;
	}
	for (size_t i = skip; i < s->n; i++) {
		uint32_t f = s->functions[i];

		if (f == GAP || f == OUTSIDE)
			continue;
		if (f < SPECIAL && (f = builder_routine_of(d, p, f)) == RECORDING_NONE)
			return false;
		d->stack[(*n)++] = (struct fold_call){ f & ~SPECIAL, back };
		back = s->backs ? site_of(d, &s->backs[i]) : AMON_SITE_NONE;
	}
	return true;
}

/* THREAD, ready to fold; NULL: out of memory. */
static struct thread *thread_ready(struct builder *d, uint32_t thread)
{
	struct thread *t = d->threads[thread];
	struct process *p = &d->processes[t->process];

	if (!p->live && !process_open(d, p))
		return NULL;
	if (t->folds)
		return t;
	if (!fold_init(&t->fold, p->live, t->tid))
		return NULL;
	t->folds = true;
	t->fold.keeps_sites = d->keeps_sites;
	memcpy(recording_thread_record(p->live, t->fold.thread)->name, t->name, sizeof t->name);
	recording_thread_record(p->live, t->fold.thread)->state = AMON_THREAD_ENDED;
	return t;
}

/* Has T had its histories grow beyond all measure? */
static bool is_absurd(struct builder *d, struct thread *t, uint64_t before)
{
	d->spent += t->fold.histories.work - before;
	d->absurd |= d->spent > d->budget;
	return d->absurd;
}

/* ---- lines ---- */

static uint64_t builder_line_hash(const void *owner, uint32_t i)
{
	const struct place_of_line *p = &((const struct builder *)owner)->places[i];

	return hash_mix(p->address, p->function);
}

/* Which place of FUNCTION has ADDRESS; NULL: none. */
static const struct place_of_line *builder_place_at(const struct builder *d, uint32_t function, uint64_t address)
{
	uint64_t i = hash_mix(address, function);
	uint32_t k;

	while ((k = table_next(&d->by_line, &i)) != UINT32_MAX)
		if (d->places[k].address == address && d->places[k].function == function)
			return &d->places[k];
	return NULL;
}

/* FILE, kept once for all that follow each other. */
static const char *builder_file_keep(struct builder *d, const char *file)
{
	if (!same_text(d->last_file, file))
		d->last_file = builder_keep(d, file);
	return d->last_file;
}

/* The address that stands for L in FUNCTION, the same in every file but for lines that would have one; 0: there is none left, or memory is short. */
static uint64_t builder_line_address(struct builder *d, uint32_t function, const struct builder_line *l)
{
	enum { SPAN = 1 << NAMED_BITS };
	const struct function *f = &d->functions[function];
	const char *file = l->file ? l->file : f->file;
	uint64_t own = l->file && !same_text(l->file, f->file) ? builder_text_hash(0, l->file) : 0;
	const struct place_of_line *p;

	for (uint64_t i = 0; file && i < SPAN - 1; i++) {
		uint64_t address = f->address + 1 + (own + l->line + i) % (SPAN - 1);

		if (!(p = builder_place_at(d, function, address))) {
			if (!array_grow(&d->places, &d->places_room, d->nplaces, sizeof *d->places) ||
			    !table_reserve(&d->by_line, d->nplaces + 1, builder_line_hash, d) || (file != f->file && !(file = builder_file_keep(d, file)))) {
				d->failed = true;
				return 0;
			}
			d->places[d->nplaces] = (struct place_of_line){ function, file, l->line, address };
			table_add(&d->by_line, hash_mix(address, function), d->nplaces++);
			return address;
		}
		if (p->line == l->line && same_text(p->file, file))
			return address;
	}
	return 0;
}

/* Count the lines of S, at ITEM of T. */
static void builder_lines_add(struct builder *d, struct process *p, const struct thread *t, uint32_t item, const struct builder_sample *s)
{
	uint32_t function = s->n ? s->functions[s->n - 1] : BUILDER_NONE;

	for (size_t i = 0; i < s->nlines && function < SPECIAL; i++) {
		const struct builder_line *l = &s->lines[i];
		struct builder_place at = l->place;

		if (at.module == BUILDER_NONE && d->functions[function].name && l->line)
			at = (struct builder_place){ d->functions[function].module, builder_line_address(d, function, l) };
		if (l->weight && at.module != BUILDER_NONE && at.address && bias_of(at.module) && builder_module_of(d, p, at.module) != RECORDING_NONE)
			recording_pc(p->live, t->fold.thread, l->value, item, at.address + bias_of(at.module), l->weight);
	}
}

void builder_call(struct builder *d, uint32_t from, uint32_t to, const char *file, uint32_t line)
{
	if (from >= SPECIAL || to >= SPECIAL || !line || !(file = file ? builder_file_keep(d, file) : d->functions[from].file))
		return;
	if (!array_grow(&d->calls, &d->calls_room, d->ncalls, sizeof *d->calls))
		d->failed = true;
	else
		d->calls[d->ncalls++] = (struct call_at_line){ from, to, file, line };
}

/* Add AMOUNTS to the sums of all; false: there are no numbers for what they are then. */
static bool amounts_sum(struct builder *d, const uint64_t *amounts)
{
	for (uint32_t i = 0; i < d->nvalues; i++)
		d->overflows |= __builtin_add_overflow(d->values[i].sum, amounts[i], &d->values[i].sum);
	return !d->overflows;
}

/* Count S for ITEM. */
static bool amounts_count(struct builder *d, struct process *p, const struct thread *t, uint32_t item, const struct builder_sample *s)
{
	bool ok = recording_add(p->live, t->fold.thread, item, s->calls, s->amounts[0], s->amounts[0] ? s->ticks : 0);

	for (uint32_t i = 1; i < d->nvalues; i++)
		if (s->amounts[i])
			ok = recording_amount(p->live, t->fold.thread, item, i, s->amounts[i], d->values[i].sampled ? s->ticks : 0) && ok;
	return ok;
}

void builder_add(struct builder *d, const struct builder_sample *s)
{
	struct thread *t;
	struct process *p;
	uint64_t before;
	uint32_t item;
	size_t n;

	if (d->failed || d->absurd || d->overflows)
		return;
	if (!amounts_sum(d, s->amounts))
		return;
	t = thread_ready(d, s->thread);
	p = t ? &d->processes[t->process] : NULL;
	if (!t || !stack_make(d, p, s, &n)) {
		d->failed = true;
		return;
	}
	before = t->fold.histories.work;
	item = fold_stack(&t->fold, d->stack, n);
	if (is_absurd(d, t, before))
		return;
	d->failed |= item == RECORDING_NONE || fold_is_elided(&t->fold);
	if (d->failed)
		return;
	d->failed |= !amounts_count(d, p, t, item, s);
	fold_count_sites(&t->fold, s->amounts[0] ? s->ticks : 0);
	builder_lines_add(d, p, t, item, s);
}

/* Function F as the file of P has it, NONE for what is none. */
static uint32_t builder_end_of(const struct builder *d, struct process *p, uint32_t f)
{
	return f == BUILDER_NONE || f == GAP || f == OUTSIDE ? RECORDING_NONE : f >= SPECIAL ? f & ~SPECIAL : builder_routine_of(d, p, f);
}

void builder_arc(struct builder *d, uint32_t thread, uint32_t from, uint32_t to, uint64_t calls, const uint64_t *amounts)
{
	uint32_t arc;

	struct thread *t = d->failed ? NULL : thread_ready(d, thread);
	struct process *p = t ? &d->processes[t->process] : NULL;
	uint32_t caller = p ? builder_end_of(d, p, from) : RECORDING_NONE, callee = p ? builder_end_of(d, p, to) : RECORDING_NONE;

	d->failed |= (from < SPECIAL && caller == RECORDING_NONE) || (to < SPECIAL && callee == RECORDING_NONE);
	if (d->failed || callee == RECORDING_NONE)
		return;
	arc = recording_arc(p->live, caller, callee, calls, amounts[0]);
	d->failed |= arc == RECORDING_NONE;
	for (uint32_t i = 1; !d->failed && i < d->nvalues; i++)
		d->failed |= amounts[i] && !recording_arc_amount(p->live, arc, i, amounts[i]);
}

/* ---- the end ---- */

static int builder_by_start(const void *left, const void *right)
{
	const struct symbols_named *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static int builder_by_place(const void *left, const void *right)
{
	const struct symbols_named_place *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* What is told of a module, while it is put together. */
struct naming {
	struct symbols_named *functions;
	struct symbols_named_place *places;
	struct symbols_named_call *calls;
	size_t n, nplaces, ncalls;
};

/* Which of N's functions F is; N->n: none. */
static size_t naming_index(const struct naming *n, const struct function *f)
{
	const struct symbols_named wanted = { .start = f->address }, *found;

	found = n->n ? bsearch(&wanted, n->functions, n->n, sizeof *n->functions, builder_by_start) : NULL;
	return found ? (size_t)(found - n->functions) : n->n;
}

/* The functions of MODULE that P has and that have names, and their lines and calls. */
static void naming_fill(const struct builder *d, const struct process *p, uint32_t module, struct naming *n)
{
	size_t k;

	for (uint32_t i = 0; i < p->nroutines; i++) {
		const struct function *f = &d->functions[i];

		if (p->routines[i] != RECORDING_NONE && f->module == module && f->name)
			n->functions[n->n++] = (struct symbols_named){ f->address, f->name, f->file, f->line };
	}
	if (n->n)
		qsort(n->functions, n->n, sizeof *n->functions, builder_by_start);
	for (uint32_t i = 0; i < d->nplaces; i++)
		if (d->functions[d->places[i].function].module == module && (k = naming_index(n, &d->functions[d->places[i].function])) < n->n)
			n->places[n->nplaces++] = (struct symbols_named_place){ d->places[i].address, (uint32_t)k, d->places[i].file, d->places[i].line };
	if (n->nplaces)
		qsort(n->places, n->nplaces, sizeof *n->places, builder_by_place);
	for (uint32_t i = 0; i < d->ncalls; i++)
		if (d->functions[d->calls[i].from].module == module && d->functions[d->calls[i].to].name && (k = naming_index(n, &d->functions[d->calls[i].from])) < n->n)
			n->calls[n->ncalls++] = (struct symbols_named_call){ (uint32_t)k, d->functions[d->calls[i].to].name, d->calls[i].file, d->calls[i].line };
}

/* Write what the file tells of MODULE, as P has it. */
static bool names_write(const struct builder *d, struct process *p, uint32_t module)
{
	struct naming n = { calloc(p->nroutines + 1, sizeof *n.functions), calloc(d->nplaces + 1, sizeof *n.places), calloc(d->ncalls + 1, sizeof *n.calls), 0, 0, 0 };
	struct profile_symbols packed = { 0 };
	bool ok = n.functions && n.places && n.calls;

	if (ok)
		naming_fill(d, p, module, &n);
	ok = ok && symbols_pack_named(&(struct symbols_naming){ n.functions, n.n, n.places, n.nplaces, n.calls, n.ncalls }, &packed) &&
		recording_symbols(p->live, p->modules[module], &packed);
	free(packed.data);
	free(n.functions);
	free(n.places);
	free(n.calls);
	return ok;
}

/* What times are, for people. */
static void first_tell(const struct builder *d, char unit[128])
{
	struct profile_value v = { .flags = 0 };

	memcpy(v.name, d->values[0].name, sizeof v.name);
	memcpy(v.unit, d->values[0].unit, sizeof v.unit);
	profile_value_text(&v, unit);
}

static bool builder_process_end(struct builder *d, struct process *p)
{
	struct amon_header *h = recording_header(p->live);

	memcpy(h->origin, d->header.origin, sizeof h->origin);
	first_tell(d, h->unit);
	for (uint32_t m = 0; m < p->nmodules; m++)
		if (p->modules[m] != RECORDING_NONE && d->modules[m].named && !names_write(d, p, m))
			return false;
	return true;
}

/* Have those that have a file in front, in the order in which they came.  Returns how many. */
static size_t processes_settle(struct builder *d)
{
	size_t n = 0;

	for (uint32_t i = 0; i < d->nprocesses; i++) {
		struct process p = d->processes[i];

		if (!p.live)
			continue;
		d->failed |= !builder_process_end(d, &p);
		for (size_t k = 0; n == 0 && k < AMON_NOTES; k++)
			recording_header(p.live)->notes[k] += d->header.notes[k];
		d->processes[i] = d->processes[n];
		d->processes[n++] = p;
	}
	return n;
}

size_t builder_end(struct builder *d, const char *label, struct error *err)
{
	size_t n = d->failed || d->absurd ? 0 : processes_settle(d);

	if (d->failed)
		return (size_t)error_no_memory_for(err, label);
	if (d->overflows)
		return (size_t)error_set(err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: its values add up to more than 2^64", label);
	if (d->absurd)
		return (size_t)error_set(err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: its stacks grow beyond all measure", label);
	return n ? n : (size_t)error_set(err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: %s without a stack", label, d->header.origin);
}

const void *builder_bytes(const struct builder *d, size_t i, size_t *len)
{
	return recording_bytes(d->processes[i].live, len);
}
