/* make_amon.c - the maker of amon.out files: a plain machine, and the writer of its state. */
#include "tests/lib/make_amon.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pair {			/* a transition or an item: (context, routine) -> context */
	uint32_t parent;	/* context before; AMON_NONE: none */
	uint32_t routine;	/* called */
	uint32_t context;	/* context after */
	uint32_t parent_item;	/* first item with the parent's history */
	uint64_t calls;		/* times taken */
	uint64_t before;	/* of them, before the last reset */
	uint64_t time, ticks;	/* charged to it as the first item of its context, stopped or not */
};

struct counts {			/* of a thread in a phase */
	struct amon_phase_count *at;	/* totals, then items */
	size_t used, room;
};

enum { MOST_PHASES = 12, MARK = MOST_PHASES, MOST_VALUES = 4 };

struct made_amount { uint32_t item, value; uint64_t amount, samples, squares; };

struct index {			/* positions by hash, linear probing */
	uint32_t *slots;	/* position + 1; 0: free */
	size_t size, used;
};

struct made_thread {
	struct amon_thread record;
	struct made_context *contexts;
	uint32_t *first_item;		/* context -> its first item */
	struct pair *items;
	struct amon_pc *pcs;
	struct amon_stack *stacks;
	struct amon_slice *slices;	/* one for each charge */
	uint32_t *stack;		/* contexts to return to */
	struct made_amount *amounts;	/* one for each time that any was added */
	size_t ncontexts, nitems, npcs, nstacks, nslices, namounts, depth;
	size_t context_room, first_room, item_room, pc_room, stack_room, stacks_room, slice_room, amount_room;
	struct index by_history, by_pair, by_pc;
	uint32_t nreset;		/* items at the last reset; 0: there was none */
	struct counts phases[MOST_PHASES + 1]; /* by phase, then the mark */
	uint32_t now;			/* current context */
};

struct made_module {
	struct amon_module record;
	char *path;
};

struct make_amon {
	struct amon_header header;
	struct made_module *modules;
	struct amon_routine *routines;
	struct made_thread *threads;
	size_t nmodules, nroutines, nthreads;
	size_t module_room, routine_room, thread_room;
	struct amon_phase phases[MOST_PHASES];
	uint32_t nphases;		/* 0: none was named, nothing was stopped */
	uint32_t phase;			/* that goes on, if there are any */
	uint32_t chunk_items;
	uint32_t ranks;			/* that it is the sum of; 0: of none */
	uint32_t intervals;		/* level of the intervals + 1; 0: none are kept */
	uint64_t elapsed;		/* ns, charged while they are */
	struct amon_value values[MOST_VALUES];
	uint32_t nvalues;
	struct { uint8_t *data; size_t len, room; } file;
};

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Make room for one more item of SIZE bytes in *ARRAY, which holds N. */
static void grow(void *array, size_t n, size_t *room, size_t size)
{
	void *p;

	if (n < *room)
		return;
	*room = *room ? *room * 2 : 16;
	memcpy(&p, array, sizeof p);
	p = must(realloc(p, *room * size));
	memcpy(array, &p, sizeof p);
}

static uint64_t scramble(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void index_put(struct index *x, uint64_t key, uint32_t position)
{
	while (x->slots[key & (x->size - 1)])
		key++;
	x->slots[key & (x->size - 1)] = position + 1;
	x->used++;
}

/* Make room for one more; HASH tells the hash of each of the positions already in. */
static void index_grow(struct index *x, const struct made_thread *t, uint64_t (*hash)(const struct made_thread *, uint32_t))
{
	struct index old = *x;

	if (x->used * 2 < x->size)
		return;
	x->size = x->size ? x->size * 2 : 64;
	x->slots = must(calloc(x->size, sizeof *x->slots));
	x->used = 0;
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i])
			index_put(x, hash(t, old.slots[i] - 1), old.slots[i] - 1);
	free(old.slots);
}

static uint64_t history_key(const uint32_t *s, uint32_t n)
{
	uint64_t key = n;

	for (uint32_t i = 0; i < n; i++)
		key = scramble(key + s[i]) + i;
	return key;
}

static uint64_t hash_of_context(const struct made_thread *t, uint32_t i)
{
	return history_key(t->contexts[i].history, t->contexts[i].length);
}

static uint64_t pair_key(uint32_t parent, uint32_t routine)
{
	return scramble((uint64_t)parent << 32 | routine);
}

static uint64_t hash_of_item(const struct made_thread *t, uint32_t i)
{
	return pair_key(t->items[i].parent, t->items[i].routine);
}

static uint64_t pc_key(uint32_t context, uint64_t pc)
{
	return scramble(pc) ^ scramble(context + UINT64_C(1));
}

static uint64_t hash_of_pc(const struct made_thread *t, uint32_t i)
{
	return pc_key(t->pcs[i].context, t->pcs[i].pc);
}

static void delete_entry(uint32_t *s, uint32_t *n, uint32_t i)
{
	memmove(s + i, s + i + 1, (*n - i - 1) * sizeof *s);
	--*n;
}

/* A4 or A5 once: delete the first entry that is redundant.  False: there is none. */
static bool squeeze_once(uint32_t *s, uint32_t *n)
{
	for (uint32_t i = 1; i + 1 < *n; i++)
		if (!(s[i - 1] & 1) && !(s[i] & 1) && !(s[i + 1] & 1)) {
			delete_entry(s, n, i);
			return true;
		}
	for (uint32_t i = 0; i + 1 < *n; i++)
		if (s[i] == s[i + 1] && !(s[i] & 1)) {
			delete_entry(s, n, i);
			return true;
		}
	return false;
}

/* The history S of *N entries, with room for one more, becomes that after a call of ROUTINE. */
static void step(uint32_t *s, uint32_t *n, uint32_t routine)
{
	bool unmarked = false;

	if (*n > 0 && s[*n - 1] == (routine << 1 | 1))
		return;					/* A1 */
	for (uint32_t i = 0; i < *n; i++)
		if (s[i] >> 1 == routine) {
			unmarked |= s[i] & 1;
			s[i] &= ~UINT32_C(1);		/* A3 */
		}
	s[(*n)++] = routine << 1 | 1;			/* A2 */
	while (unmarked && squeeze_once(s, n))
		;
}

/* The context of T with the history S of N entries, which is taken over; added if new. */
static uint32_t find_context(struct made_thread *t, uint32_t *s, uint32_t n)
{
	uint64_t key = history_key(s, n);

	index_grow(&t->by_history, t, hash_of_context);
	for (uint64_t i = key; t->by_history.slots[i & (t->by_history.size - 1)]; i++) {
		uint32_t c = t->by_history.slots[i & (t->by_history.size - 1)] - 1;

		if (t->contexts[c].length == n && memcmp(t->contexts[c].history, s, n * sizeof *s) == 0) {
			free(s);
			return c;
		}
	}
	grow(&t->contexts, t->ncontexts, &t->context_room, sizeof *t->contexts);
	grow(&t->first_item, t->ncontexts, &t->first_room, sizeof *t->first_item);
	t->contexts[t->ncontexts] = (struct made_context){ .history = s, .length = n };
	t->first_item[t->ncontexts] = (uint32_t)t->nitems;	/* the one about to be added */
	index_put(&t->by_history, key, (uint32_t)t->ncontexts);
	return (uint32_t)t->ncontexts++;
}

/* The item for a call of ROUTINE in context PARENT; added if new. */
static struct pair *find_item(struct made_thread *t, uint32_t parent, uint32_t routine)
{
	uint64_t key = pair_key(parent, routine);
	uint32_t n = parent == AMON_NONE ? 0 : t->contexts[parent].length, context;
	uint32_t *s;

	index_grow(&t->by_pair, t, hash_of_item);
	for (uint64_t i = key; t->by_pair.slots[i & (t->by_pair.size - 1)]; i++) {
		struct pair *p = &t->items[t->by_pair.slots[i & (t->by_pair.size - 1)] - 1];

		if (p->parent == parent && p->routine == routine)
			return p;
	}
	s = must(malloc((n + 1) * sizeof *s));
	if (n > 0)
		memcpy(s, t->contexts[parent].history, n * sizeof *s);
	if (routine != AMON_ROUTINE_ROOT)
		step(s, &n, routine);
	context = find_context(t, s, n);
	grow(&t->items, t->nitems, &t->item_room, sizeof *t->items);
	t->items[t->nitems] = (struct pair){
		.parent = parent, .routine = routine, .context = context,
		.parent_item = parent == AMON_NONE ? AMON_NONE : t->first_item[parent],
	};
	index_put(&t->by_pair, key, (uint32_t)t->nitems);
	return &t->items[t->nitems++];
}

static bool is_stopped(const struct make_amon *m)
{
	return m->nphases > 0 && m->phase == AMON_PHASE_STOPPED;
}

static void call(struct make_amon *m, struct made_thread *t, uint32_t from, uint32_t routine)
{
	struct pair *item = find_item(t, from, routine);
	uint32_t to = item->context;

	item->calls++;
	if (from == to)
		t->contexts[to].recursive += !is_stopped(m);
	else
		t->contexts[to].entries += !is_stopped(m);
	grow(&t->stack, t->depth, &t->stack_room, sizeof *t->stack);
	t->stack[t->depth++] = t->now;
	t->now = to;
}

struct make_amon *make_amon_new(void)
{
	struct make_amon *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->chunk_items = 1024;
	m->header = (struct amon_header){
		.version = AMON_VERSION, .header_size = sizeof m->header, .counter_size = sizeof(struct amon_counter),
		.machine = 62, .state = AMON_ENDED, .exit_status = -1, .pid = 4711, .ppid = 1,
		.start_realtime = UINT64_C(1700000000000000000), .start_monotonic = 1000000, .end_monotonic = 2000000,
		.clock = AMON_CLOCK_TICK, .source = AMON_SOURCE_SAMPLER, .rate = 997, .settled = 1,
		.host = "made", .program = "/made/program", .directory = "/made", .command = "program\0--made",
		.command_size = 15,
	};
	memcpy(m->header.magic, AMON_MAGIC, sizeof m->header.magic);
	return m;
}

static void free_thread(struct made_thread *t)
{
	for (size_t i = 0; i < t->ncontexts; i++)
		free(t->contexts[i].history);
	free(t->contexts);
	free(t->first_item);
	free(t->items);
	free(t->pcs);
	free(t->stacks);
	free(t->slices);
	free(t->amounts);
	free(t->stack);
	for (int i = 0; i <= MOST_PHASES; i++)
		free(t->phases[i].at);
	free(t->by_history.slots);
	free(t->by_pair.slots);
	free(t->by_pc.slots);
}

void make_amon_free(struct make_amon *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nthreads; i++)
		free_thread(&m->threads[i]);
	for (size_t i = 0; i < m->nmodules; i++)
		free(m->modules[i].path);
	free(m->modules);
	free(m->routines);
	free(m->threads);
	free(m);
}

struct amon_header *make_amon_header(struct make_amon *m)
{
	return &m->header;
}

uint32_t make_amon_module(struct make_amon *m, const char *path, const char *build_id,
			  uint64_t start, uint64_t end, uint64_t bias)
{
	struct made_module *module;

	grow(&m->modules, m->nmodules, &m->module_room, sizeof *m->modules);
	module = &m->modules[m->nmodules];
	*module = (struct made_module){ .record = { .start = start, .end = end, .bias = bias, .hooked = 1 } };
	module->path = must(strdup(path));
	module->record.path_size = (uint32_t)strlen(path) + 1;
	module->record.size = (uint32_t)(sizeof module->record + module->record.path_size + 7) / 8 * 8;
	if (build_id) {
		size_t n = strlen(build_id) < sizeof module->record.build_id ? strlen(build_id) : sizeof module->record.build_id;

		memcpy(module->record.build_id, build_id, n);
		module->record.build_id_size = (uint8_t)n;
	}
	return (uint32_t)m->nmodules++;
}

struct amon_module *make_amon_module_record(struct make_amon *m, uint32_t module)
{
	return &m->modules[module].record;
}

uint32_t make_amon_routine(struct make_amon *m, uint32_t module, uint64_t address, uint32_t flags)
{
	grow(&m->routines, m->nroutines, &m->routine_room, sizeof *m->routines);
	m->routines[m->nroutines] = (struct amon_routine){ .address = address, .module = module, .flags = flags };
	return (uint32_t)m->nroutines++;
}

uint32_t make_amon_thread(struct make_amon *m, const char *name)
{
	struct made_thread *t;

	grow(&m->threads, m->nthreads, &m->thread_room, sizeof *m->threads);
	t = &m->threads[m->nthreads];
	*t = (struct made_thread){ .record = {
		.tid = m->header.pid + (uint32_t)m->nthreads, .state = AMON_THREAD_ENDED, .current = AMON_NONE, .folded = 1,
	} };
	snprintf(t->record.name, sizeof t->record.name, "%s", name);
	find_item(t, AMON_NONE, AMON_ROUTINE_ROOT);
	return (uint32_t)m->nthreads++;
}

struct amon_thread *make_amon_thread_record(struct make_amon *m, uint32_t thread)
{
	return &m->threads[thread].record;
}

void make_amon_enter(struct make_amon *m, uint32_t thread, uint32_t routine)
{
	struct made_thread *t = &m->threads[thread];

	call(m, t, t->now, routine);
}

void make_amon_start(struct make_amon *m, uint32_t thread, uint32_t routine)
{
	call(m, &m->threads[thread], AMON_NONE, routine);
}

void make_amon_leave(struct make_amon *m, uint32_t thread)
{
	struct made_thread *t = &m->threads[thread];

	if (t->depth == 0)
		abort();
	t->now = t->stack[--t->depth];
}

void make_amon_intervals(struct make_amon *m, uint32_t level) { m->intervals = level + 1; }

static void slice_add(struct make_amon *m, struct made_thread *t, uint64_t time, uint64_t ticks)
{
	uint64_t interval = m->elapsed / (UINT64_C(4000000) << (m->intervals - 1));

	if (interval >= 1000)
		abort();			/* a longer run needs a higher level */
	m->elapsed += time;
	if (is_stopped(m))
		return;
	grow(&t->slices, t->nslices, &t->slice_room, sizeof *t->slices);
	t->slices[t->nslices++] = (struct amon_slice){ .interval = (uint32_t)interval + 1, .context = t->first_item[t->now], .time = time,
						       .ticks = (uint32_t)ticks, .phase = m->nphases > 0 ? m->phase : AMON_PHASE_UNNAMED };
}

uint32_t make_amon_value(struct make_amon *m, const char *name, const char *unit, uint32_t flags)
{
	struct amon_value *v = &m->values[m->nvalues];

	if (m->nvalues == MOST_VALUES)
		abort();
	snprintf(v->name, sizeof v->name, "%s", name);
	snprintf(v->unit, sizeof v->unit, "%s", unit);
	v->flags = flags;
	return m->nvalues++;
}

void make_amon_amount(struct make_amon *m, uint32_t thread, uint32_t value, uint64_t amount, uint64_t samples)
{
	struct made_thread *t = &m->threads[thread];

	grow(&t->amounts, t->namounts, &t->amount_room, sizeof *t->amounts);
	t->amounts[t->namounts++] = (struct made_amount){ t->first_item[t->now], value, amount, samples, samples ? amount * amount / samples : 0 };
}

void make_amon_charge(struct make_amon *m, uint32_t thread, uint64_t time, uint64_t ticks)
{
	struct made_thread *t = &m->threads[thread];

	if (m->nvalues)
		make_amon_amount(m, thread, 0, time, ticks);

	if (!is_stopped(m)) {
		t->contexts[t->now].time += time;
		t->contexts[t->now].ticks += ticks;
	}
	t->items[t->first_item[t->now]].time += time;
	t->items[t->first_item[t->now]].ticks += ticks;
	t->record.ticks += ticks;
	if (m->intervals)
		slice_add(m, t, time, ticks);
}

void make_amon_pc(struct make_amon *m, uint32_t thread, uint64_t pc, uint32_t count)
{
	struct made_thread *t = &m->threads[thread];
	uint32_t item = t->first_item[t->now];
	uint64_t key = pc_key(item, pc);

	if (is_stopped(m))
		return;
	index_grow(&t->by_pc, t, hash_of_pc);
	for (uint64_t i = key; t->by_pc.slots[i & (t->by_pc.size - 1)]; i++) {
		struct amon_pc *p = &t->pcs[t->by_pc.slots[i & (t->by_pc.size - 1)] - 1];

		if (p->pc == pc && p->context == item) {
			p->count += count;
			return;
		}
	}
	grow(&t->pcs, t->npcs, &t->pc_room, sizeof *t->pcs);
	t->pcs[t->npcs] = (struct amon_pc){ .pc = pc, .context = item, .count = count };
	index_put(&t->by_pc, key, (uint32_t)t->npcs++);
}

void make_amon_stack(struct make_amon *m, uint32_t thread, uint64_t pc, enum amon_verdict verdict, uint32_t routine)
{
	struct made_thread *t = &m->threads[thread];

	grow(&t->stacks, t->nstacks, &t->stacks_room, sizeof *t->stacks);
	t->stacks[t->nstacks++] = (struct amon_stack){ .pc = pc, .context = t->first_item[t->now], .routine = routine, .verdict = verdict, .count = 1 };
	m->header.stacks[verdict]++;
}

/* Phase NAME, added if new. */
static uint32_t find_phase(struct make_amon *m, const char *name)
{
	uint32_t i = 0;

	if (m->nphases == 0) {
		m->nphases = 2;
		snprintf(m->phases[AMON_PHASE_STOPPED].name, sizeof m->phases[0].name, "(stopped)");
		m->phase = 1;				/* without a name */
	}
	if (!name)
		return AMON_PHASE_STOPPED;
	for (i = 1; i < m->nphases; i++)
		if (strcmp(m->phases[i].name, name) == 0)
			return i;
	if (m->nphases == MOST_PHASES)
		abort();
	snprintf(m->phases[i].name, sizeof m->phases[i].name, "%s", name);
	return m->nphases++;
}

/* Entry I of a thread's counts, as it stands now. */
static struct amon_phase_count count_now(const struct made_thread *t, size_t i)
{
	const struct amon_thread *r = &t->record;
	const struct pair *item;

	if (i == 0)
		return (struct amon_phase_count){ r->cpu_last - r->cpu_first, r->unplaced, r->monitor };
	if (i == 1)
		return (struct amon_phase_count){ r->ticks, r->monitor_ticks, 0 };
	item = &t->items[i - AMON_PHASE_TOTALS];
	return (struct amon_phase_count){ item->calls, item->time, item->ticks };
}

/* Entry I of C, from zero if it was not there. */
static struct amon_phase_count *count_at(struct counts *c, size_t i)
{
	for (; c->used <= i; c->used++) {
		grow(&c->at, c->used, &c->room, sizeof *c->at);
		c->at[c->used] = (struct amon_phase_count){ 0, 0, 0 };
	}
	return &c->at[i];
}

/* What T counted since the mark is of PHASE; the mark is now. */
static void account(struct made_thread *t, uint32_t phase)
{
	for (size_t i = 0; i < t->nitems + AMON_PHASE_TOTALS; i++) {
		struct amon_phase_count now = count_now(t, i), *mark = count_at(&t->phases[MARK], i), *sum = count_at(&t->phases[phase], i);

		sum->calls += now.calls - mark->calls;
		sum->time += now.time - mark->time;
		sum->ticks += now.ticks - mark->ticks;
		*mark = now;
	}
}

void make_amon_phase(struct make_amon *m, const char *name)
{
	uint32_t phase = find_phase(m, name);

	for (size_t i = 0; i < m->nthreads; i++)
		account(&m->threads[i], m->phase);
	m->phases[m->phase].current = 0;
	m->phases[phase].current = 1;
	m->phases[phase].begun += phase != m->phase;
	m->phase = phase;
}

static void reset_phases(struct made_thread *t)
{
	for (int k = 0; k <= MARK; k++)
		for (size_t i = 0; i < t->phases[k].used; i++)
			t->phases[k].at[i] = k == MARK ? count_now(t, i) : (struct amon_phase_count){ 0, 0, 0 };
}

void make_amon_reset(struct make_amon *m, uint32_t thread)
{
	struct made_thread *t = &m->threads[thread];

	for (size_t i = 0; i < t->nitems; i++) {
		t->items[i].before = t->items[i].calls;
		t->items[i].time = t->items[i].ticks = 0;
	}
	t->nreset = (uint32_t)t->nitems;
	for (size_t i = 0; i < t->ncontexts; i++) {
		struct made_context *c = &t->contexts[i];

		c->entries = c->recursive = c->time = c->ticks = 0;
	}
	for (size_t i = 0; i < t->npcs; i++)
		t->pcs[i].count = 0;
	t->nslices = 0;
	t->record.ticks = 0;
	if (m->nphases > 0) {
		count_at(&t->phases[MARK], t->nitems + AMON_PHASE_TOTALS - 1);
		reset_phases(t);
	}
}

size_t make_amon_depth(const struct make_amon *m, uint32_t thread)
{
	return m->threads[thread].depth;
}

uint32_t make_amon_length(const struct make_amon *m, uint32_t thread)
{
	const struct made_thread *t = &m->threads[thread];

	return t->contexts[t->now].length;
}

const struct made_context *make_amon_contexts(const struct make_amon *m, uint32_t thread, uint32_t *count)
{
	*count = (uint32_t)m->threads[thread].ncontexts;
	return m->threads[thread].contexts;
}

uint32_t make_amon_items(const struct make_amon *m, uint32_t thread)
{
	return (uint32_t)m->threads[thread].nitems;
}

void make_amon_ranks(struct make_amon *m, uint32_t ranks)
{
	m->ranks = ranks;
}

void make_amon_chunk_items(struct make_amon *m, uint32_t items)
{
	m->chunk_items = items;
}

/* Append SIZE zero bytes, a multiple of the page; returns where they are. */
static size_t append(struct make_amon *m, size_t size)
{
	size_t at = m->file.len;

	size = (size + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	while (m->file.len + size > m->file.room) {
		m->file.room = m->file.room ? m->file.room * 2 : 16 * AMON_PAGE;
		m->file.data = must(realloc(m->file.data, m->file.room));
	}
	memset(m->file.data + at, 0, size);
	m->file.len += size;
	return at;
}

/* Append a chunk for COUNT items of SIZE bytes out of CAPACITY; returns where its items are. */
static void *append_chunk(struct make_amon *m, struct amon_chunk head, size_t size)
{
	size_t at;

	head.magic = AMON_CHUNK_MAGIC;
	head.first = sizeof head;
	head.size = sizeof head + head.capacity * size;
	if (head.kind == AMON_CONTEXTS) {
		head.counters = (uint32_t)((head.size + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE);
		head.size = head.counters + head.capacity * (sizeof(struct amon_counter) + sizeof(uint32_t));
	}
	head.size = (head.size + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	at = append(m, head.size);
	memcpy(m->file.data + at, &head, sizeof head);
	return m->file.data + at + head.first;
}

static void write_modules(struct make_amon *m)
{
	uint32_t size = 0;
	uint8_t *out;

	for (size_t i = 0; i < m->nmodules; i++)
		size += m->modules[i].record.size;
	out = append_chunk(m, (struct amon_chunk){ .kind = AMON_MODULES, .thread = AMON_NONE, .count = size, .capacity = size }, 1);
	for (size_t i = 0; i < m->nmodules; i++) {
		const struct amon_module *record = &m->modules[i].record;

		memcpy(out, record, sizeof *record);
		memcpy(out + sizeof *record, m->modules[i].path, record->path_size);
		out += record->size;
	}
}

static void write_contexts(struct make_amon *m, uint32_t thread, uint32_t base)
{
	struct made_thread *t = &m->threads[thread];
	uint32_t left = (uint32_t)t->nitems - base, n = left < m->chunk_items ? left : m->chunk_items;
	struct amon_link *links = append_chunk(m, (struct amon_chunk){ .kind = AMON_CONTEXTS, .thread = thread,
					       .count = n, .capacity = m->chunk_items, .base = base }, sizeof *links);
	const struct amon_chunk *head = (void *)((uint8_t *)links - sizeof *head);
	struct amon_counter *counters = (void *)((uint8_t *)head + head->counters);
	uint32_t *ticks = (uint32_t *)(counters + head->capacity);

	for (uint32_t i = 0; i < n; i++) {
		const struct pair *item = &t->items[base + i];

		links[i] = (struct amon_link){ .parent = item->parent_item, .routine = item->routine };
		counters[i].calls = item->calls;
		counters[i].time = item->time;
		ticks[i] = (uint32_t)item->ticks;
	}
}

/* The calls at the last reset; before it a chunk that an earlier reset outgrew, behind it one being filled. */
static void write_resets(struct make_amon *m, uint32_t thread)
{
	const struct made_thread *t = &m->threads[thread];
	struct amon_chunk head = { .kind = AMON_RESET, .thread = thread, .count = 1, .capacity = 10 };
	uint64_t *calls;

	if (t->nreset == 0)
		return;
	append_chunk(m, head, sizeof *calls);
	head.count = t->nreset;
	head.capacity = t->nreset + 10;
	calls = append_chunk(m, head, sizeof *calls);
	for (uint32_t i = 0; i < t->nreset; i++)
		calls[i] = t->items[i].before;
	head.count = 0;
	append_chunk(m, head, sizeof *calls);
}

static void write_phases(struct make_amon *m)
{
	struct amon_chunk head = { .kind = AMON_PHASES, .thread = AMON_NONE, .count = m->nphases, .capacity = MOST_PHASES };

	if (m->nphases > 0)
		memcpy(append_chunk(m, head, sizeof *m->phases), m->phases, m->nphases * sizeof *m->phases);
}

/* The counts of THREAD in PHASE, or its mark; before them a chunk that they outgrew, behind it one that is being filled. */
static void write_counts(struct make_amon *m, uint32_t thread, uint32_t phase)
{
	const struct counts *c = &m->threads[thread].phases[phase];
	struct amon_chunk head = { .kind = AMON_PHASE_COUNTS, .thread = thread, .base = phase == MARK ? AMON_NONE : phase,
		.count = 1, .capacity = 10 };

	if (c->used == 0)
		return;
	append_chunk(m, head, sizeof *c->at);
	head.count = (uint32_t)c->used;
	head.capacity = (uint32_t)c->used + 10;
	memcpy(append_chunk(m, head, sizeof *c->at), c->at, c->used * sizeof *c->at);
	head.count = 0;
	append_chunk(m, head, sizeof *c->at);
}

/* The table of PCs, by twice as many slots as are taken. */
static void write_pc_table(struct make_amon *m, uint32_t thread)
{
	struct made_thread *t = &m->threads[thread];
	uint32_t n = (uint32_t)t->npcs;
	struct amon_pc *slots;

	slots = append_chunk(m, (struct amon_chunk){ .kind = AMON_PCS, .thread = thread, .count = n, .capacity = 2 * n }, sizeof *slots);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = hash_of_pc(t, i);

		while (slots[at % (2 * n)].pc)
			at++;
		slots[at % (2 * n)] = t->pcs[i];
	}
}

static uint8_t *put_number(uint8_t *to, uint64_t x)
{
	for (; x >= 128; x /= 128)
		*to++ = (uint8_t)(128 + x % 128);
	*to++ = (uint8_t)x;
	return to;
}

static int compare_pcs(const void *x, const void *y)
{
	const struct amon_pc *a = x, *b = y;

	return a->context != b->context ? (a->context < b->context ? -1 : 1) : a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* The N PCs at LIST, in order, packed to TO as doc/format.md says.  Returns where they end. */
static uint8_t *pack_pcs(const struct amon_pc *list, size_t n, uint8_t *to)
{
	uint64_t context = 0, first = 0, group = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || list[i].context != context) {
			int64_t by = (int64_t)(list[i].pc - first);

			for (group = i; group < n && list[group].context == list[i].context; group++)
				;
			to = put_number(to, list[i].context - context);
			to = put_number(to, group - i);
			to = put_number(to, by < 0 ? -2 * (uint64_t)by - 1 : 2 * (uint64_t)by);
			context = list[i].context;
			first = list[i].pc;
		} else {
			to = put_number(to, list[i].pc - list[i - 1].pc);
		}
		to = put_number(to, list[i].count);
	}
	return to;
}

/* Packed PCs, and what is not to be read beside them: chunks of none, of others, and a table. */
static void write_packed_pcs(struct make_amon *m, uint32_t thread)
{
	struct made_thread *t = &m->threads[thread];
	struct amon_pc *list = must(malloc(t->npcs * sizeof *list)), other = { .pc = 1, .context = 0, .count = 99 };
	uint8_t *bytes = must(malloc(t->npcs * 40 + 40));
	struct amon_chunk head = { .kind = AMON_PCS_PACKED, .thread = thread, .capacity = 1 };

	append_chunk(m, head, 1);
	memcpy(list, t->pcs, t->npcs * sizeof *list);
	qsort(list, t->npcs, sizeof *list, compare_pcs);
	head.count = head.capacity = (uint32_t)(pack_pcs(list, t->npcs, bytes) - bytes);
	memcpy(append_chunk(m, head, 1), bytes, head.count);
	head.count = head.capacity = (uint32_t)(pack_pcs(&other, 1, bytes) - bytes);
	memcpy(append_chunk(m, head, 1), bytes, head.count);
	write_pc_table(m, thread);
	free(list);
	free(bytes);
}

static void write_pcs(struct make_amon *m, uint32_t thread)
{
	if (m->threads[thread].npcs == 0)
		return;
	if (thread % 2)
		write_packed_pcs(m, thread);
	else
		write_pc_table(m, thread);
}

static void write_stacks(struct make_amon *m, uint32_t thread)
{
	struct made_thread *t = &m->threads[thread];
	uint32_t n = (uint32_t)t->nstacks;

	if (n > 0)
		memcpy(append_chunk(m, (struct amon_chunk){ .kind = AMON_STACKS, .thread = thread, .count = n, .capacity = 2 * n }, sizeof *t->stacks),
		       t->stacks, n * sizeof *t->stacks);
}

/* How the contexts of THREAD differ over ranks: one has what the others, who have half of an even share each, leave. */
static void write_spreads(struct make_amon *m, uint32_t thread)
{
	const struct made_thread *t = &m->threads[thread];
	struct amon_chunk head = { .kind = AMON_SPREADS, .thread = thread, .count = (uint32_t)t->ncontexts, .capacity = (uint32_t)t->ncontexts };
	struct amon_spread *out = m->ranks ? append_chunk(m, head, sizeof *out) : NULL;

	for (uint32_t i = 0; out && i < t->ncontexts; i++) {
		const struct made_context *c = &t->contexts[i];
		uint64_t calls = c->entries + c->recursive, less = calls / (2 * m->ranks), shorter = c->time / (2 * m->ranks);

		out[i] = (struct amon_spread){ .item = t->first_item[i], .ranks = m->ranks, .calls_rank = i % m->ranks, .time_rank = i % m->ranks,
			.calls_least = less, .calls_most = calls - (m->ranks - 1) * less,
			.time_least = shorter, .time_most = c->time - (m->ranks - 1) * shorter };
	}
}

static void write_slices(struct make_amon *m, uint32_t thread)
{
	struct made_thread *t = &m->threads[thread];
	uint32_t n = (uint32_t)t->nslices;

	if (n > 0)
		memcpy(append_chunk(m, (struct amon_chunk){ .kind = AMON_SLICES, .thread = thread, .count = n, .capacity = n + 7, .base = m->intervals - 1 },
				    sizeof *t->slices), t->slices, n * sizeof *t->slices);
}

static void write_values(struct make_amon *m)
{
	struct amon_chunk head = { .kind = AMON_VALUES, .thread = AMON_NONE, .count = m->nvalues, .capacity = MOST_VALUES };

	if (m->nvalues)
		memcpy(append_chunk(m, head, sizeof *m->values), m->values, m->nvalues * sizeof *m->values);
}

/* The amounts of THREAD, beside each chunk of contexts that has any: every second one of them in a chunk of its own, since those of several add up.
 * */
static void write_amounts(struct make_amon *m, uint32_t thread, uint32_t base, uint32_t value, size_t odd)
{
	const struct made_thread *t = &m->threads[thread];
	struct amon_amount *to = NULL;

	for (size_t i = odd; i < t->namounts; i += 2) {
		const struct made_amount *a = &t->amounts[i];

		if (a->value != value || a->item < base || a->item >= base + m->chunk_items)
			continue;
		if (!to)
			to = append_chunk(m, (struct amon_chunk){ .kind = AMON_AMOUNTS, .thread = thread, .count = m->chunk_items, .capacity = m->chunk_items,
					.base = base, .value = value }, sizeof *to);
		to[a->item - base].amount += a->amount;
		to[a->item - base].samples += a->samples;
		to[a->item - base].squares[1] += __builtin_add_overflow(to[a->item - base].squares[0], a->squares, &to[a->item - base].squares[0]);
	}
}

static void write_thread_records(struct make_amon *m)
{
	uint32_t n = (uint32_t)m->nthreads;
	struct amon_thread *out = append_chunk(m, (struct amon_chunk){ .kind = AMON_THREADS, .thread = AMON_NONE,
					       .count = n, .capacity = n }, sizeof *out);

	for (uint32_t i = 0; i < n; i++) {
		struct made_thread *t = &m->threads[i];

		out[i] = t->record;
		out[i].depth = (uint32_t)t->depth;
		if (t->depth > 0)
			out[i].current = t->first_item[t->now];
	}
}

uint8_t *make_amon_finish(struct make_amon *m, size_t *len)
{
	uint32_t n = (uint32_t)m->nroutines;
	void *out;

	memset(&m->file, 0, sizeof m->file);
	append(m, AMON_PAGE);
	write_modules(m);
	out = append_chunk(m, (struct amon_chunk){ .kind = AMON_ROUTINES, .thread = AMON_NONE, .count = n, .capacity = n },
			   sizeof *m->routines);
	if (n > 0)
		memcpy(out, m->routines, n * sizeof *m->routines);
	write_thread_records(m);
	write_values(m);
	write_phases(m);
	for (uint32_t thread = 0; thread < m->nthreads; thread++)
		for (uint32_t base = 0; base < m->threads[thread].nitems; base += m->chunk_items)
			write_contexts(m, thread, base);
	for (uint32_t thread = 0; thread < m->nthreads; thread++)
		for (uint32_t base = 0; base < m->threads[thread].nitems; base += m->chunk_items)
			for (uint32_t value = 0; value < m->nvalues; value++) {
				write_amounts(m, thread, base, value, 0);
				write_amounts(m, thread, base, value, 1);
			}
	for (uint32_t thread = 0; thread < m->nthreads; thread++) {
		write_resets(m, thread);
		for (uint32_t phase = 0; phase <= MARK; phase++)
			write_counts(m, thread, phase);
		write_pcs(m, thread);
		write_stacks(m, thread);
		write_slices(m, thread);
	}
	if (m->nthreads == 1)
		write_spreads(m, 0);
	m->header.used = m->file.len;
	memcpy(m->file.data, &m->header, sizeof m->header);
	*len = m->file.len;
	return m->file.data;
}

static void print_name(const struct make_amon *m, uint32_t routine, FILE *out)
{
	static const char *const pseudo[] = { "(root)", "(elided)", "(lost)", "(monitor)", "(unplaced)" };
	const struct amon_routine *r;
	const char *slash;

	if (routine >= AMON_ROUTINE_ROOT) {
		fputs(pseudo[routine - AMON_ROUTINE_ROOT], out);
		return;
	}
	r = &m->routines[routine];
	if (r->module == AMON_NONE) {
		fprintf(out, "0x%" PRIx64, r->address);
		return;
	}
	slash = strrchr(m->modules[r->module].path, '/');
	fprintf(out, "%s+0x%" PRIx64, slash ? slash + 1 : m->modules[r->module].path,
		r->address - m->modules[r->module].record.bias);
}

/* NS as seconds, with as many decimals as it takes, three at least. */
static void print_seconds(uint64_t ns, FILE *out)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000), most = n;

	while (n > most - 6 && text[n - 1] == '0')
		n--;
	fprintf(out, "%.*s", n, text);
}

static void print_context(const struct make_amon *m, const struct made_context *c, FILE *out)
{
	fprintf(out, "%" PRIu64 " %" PRIu64 " ", c->entries, c->recursive);
	print_seconds(c->time, out);
	if (c->length == 0)
		fputs(" -", out);
	for (uint32_t i = 0; i < c->length; i++) {
		fputc(' ', out);
		print_name(m, c->history[i] >> 1, out);
		if (!(c->history[i] & 1))
			fputc('\'', out);
	}
	fputc('\n', out);
}

/* Add up contexts of equal history in a thread made for the purpose. */
void make_amon_print(const struct make_amon *m, FILE *out)
{
	struct made_thread all = { .ncontexts = 0 };

	for (size_t i = 0; i < m->nthreads; i++)
		for (size_t k = 0; k < m->threads[i].ncontexts; k++) {
			const struct made_context *c = &m->threads[i].contexts[k];
			uint32_t *s = must(malloc(c->length * sizeof *s + 1)), at;

			memcpy(s, c->history, c->length * sizeof *s);
			at = find_context(&all, s, c->length);
			all.contexts[at].entries += c->entries;
			all.contexts[at].recursive += c->recursive;
			all.contexts[at].time += c->time;
		}
	for (size_t i = 0; i < all.ncontexts; i++)
		if (all.contexts[i].length > 0 || all.contexts[i].time > 0)
			print_context(m, &all.contexts[i], out);
	free_thread(&all);
}

struct dice { uint64_t state; };

static uint64_t roll(struct dice *d)
{
	return scramble(d->state += UINT64_C(0x9e3779b97f4a7c15));
}

static uint32_t roll_below(struct dice *d, uint32_t n)
{
	return (uint32_t)((roll(d) >> 32) * n >> 32);
}

static double roll_share(struct dice *d)
{
	return (double)(roll(d) >> 11) / 9007199254740992.0;
}

#define CODE UINT64_C(0x400000)
#define LIBC UINT64_C(0x7f0000000000)

/* Whom the current routine calls next. */
static uint32_t choose_callee(const struct made_program *program, const struct made_thread *t, struct dice *d)
{
	const struct made_context *c = &t->contexts[t->now];
	uint32_t last, k;

	if (c->length > 0 && roll_share(d) < program->recursion)
		return c->history[roll_below(d, c->length)] >> 1;
	if (program->callees == 0 || c->length == 0)
		return roll_below(d, program->routines);
	last = c->history[c->length - 1] >> 1;
	k = roll_below(d, program->callees);
	return (uint32_t)(scramble(((uint64_t)last << 32 | k) + program->seed) % program->routines);
}

/* Charge the current context as if the timer had struck, now and then. */
static void maybe_tick(struct make_amon *m, uint32_t thread, const struct made_program *program, struct dice *d)
{
	if (roll_share(d) >= program->ticks)
		return;
	make_amon_charge(m, thread, 1000000 + roll_below(d, 1000), 1);
	for (uint32_t value = 1; value < m->nvalues; value++)
		if (roll_below(d, 2))
			make_amon_amount(m, thread, value, roll_below(d, 1000), value % 2);
	if (roll_below(d, 2))
		make_amon_pc(m, thread, LIBC + 16 * roll_below(d, 100), 1);
	else
		make_amon_pc(m, thread, CODE + 4 * roll_below(d, program->routines * 16), 1);
}

/* Go on to another phase, or stop for a while, now and then. */
static void maybe_phase(struct make_amon *m, const struct made_program *program, struct dice *d)
{
	char name[32];
	uint32_t next;

	if (program->phases == 0 || roll_below(d, 100) > 0)
		return;
	next = roll_below(d, program->phases + 1);
	snprintf(name, sizeof name, "phase %u", next);
	make_amon_phase(m, next > 0 ? name : NULL);
}

/* One thread's life: calls and returns whose histories hover about the mean. */
static void run_thread(struct make_amon *m, const struct made_program *program, uint32_t thread, struct dice *d)
{
	struct made_thread *t = &m->threads[thread];
	uint64_t calls = 0;

	while ((program->calls == 0 || calls < program->calls) &&
	       (program->contexts == 0 || t->ncontexts <= program->contexts)) {
		uint32_t length = make_amon_length(m, thread);
		double up = 0.52 + ((double)program->mean - length) * 0.22 / program->mean;

		if (t->depth == 0 || (length < program->deepest && t->depth < 4 * (size_t)program->deepest && roll_share(d) < up)) {
			make_amon_enter(m, thread, choose_callee(program, t, d));
			calls++;
		} else {
			make_amon_leave(m, thread);
		}
		maybe_tick(m, thread, program, d);
		maybe_phase(m, program, d);
		if (program->reset && calls == program->reset)
			make_amon_reset(m, thread);
	}
}

struct make_amon *make_amon_random(const struct made_program *program)
{
	struct make_amon *m = must(make_amon_new());
	struct dice d = { program->seed };
	uint64_t size = (uint64_t)program->routines * 64;
	uint32_t code = make_amon_module(m, "/made/program", "made-by-make-amon---", CODE, CODE + size, 0);
	uint32_t libc;

	m->intervals = program->intervals;
	if (program->values)
		make_amon_value(m, "cpu", "ns", AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED);
	for (uint32_t i = 1; i < program->values; i++) {
		char name[32];

		snprintf(name, sizeof name, "value%u", i);
		make_amon_value(m, name, i % 2 ? "bytes" : "count", i % 2 ? AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED : 0);
	}
	make_amon_module_record(m, code)->main_program = 1;
	libc = make_amon_module(m, "/lib/libc.so.6", "libc-made-by-make-am", LIBC, LIBC + 0x1000, LIBC);
	make_amon_module_record(m, libc)->hooked = 0;
	for (uint32_t i = 0; i < program->routines; i++)
		make_amon_routine(m, code, CODE + (uint64_t)i * 64, 0);
	for (uint32_t i = 0; i < program->threads; i++) {
		char name[32];

		snprintf(name, sizeof name, "thread-%u", i);
		run_thread(m, program, make_amon_thread(m, name), &d);
	}
	return m;
}

struct make_amon *make_amon_paper(unsigned n)
{
	struct make_amon *m = must(make_amon_new());
	uint32_t code = make_amon_module(m, "/made/paper", "made-by-make-amon--1", CODE, CODE + 0x1000, 0);
	uint32_t main_program, pqr[3], s, thread;

	make_amon_module_record(m, code)->main_program = 1;
	main_program = make_amon_routine(m, code, CODE, 0);
	for (uint32_t i = 0; i < 3; i++)
		pqr[i] = make_amon_routine(m, code, CODE + 0x40 * (i + 1), 0);
	s = make_amon_routine(m, code, CODE + 0x100, 0);
	thread = make_amon_thread(m, "paper");
	make_amon_enter(m, thread, main_program);
	make_amon_charge(m, thread, 1, 0);
	for (unsigned i = 0; i < 3 * n + 1; i++) {
		make_amon_enter(m, thread, pqr[i % 3]);
		make_amon_charge(m, thread, 1, 0);
	}
	make_amon_enter(m, thread, s);
	make_amon_charge(m, thread, 1, 0);
	while (make_amon_depth(m, thread) > 0)
		make_amon_leave(m, thread);
	return m;
}

struct make_amon *make_amon_cc1(uint32_t n)
{
	return make_amon_random(&(struct made_program){
		.seed = 1, .routines = 10000, .callees = 12, .threads = 1, .contexts = n,
		.mean = 25, .deepest = 62, .recursion = 0.012, .ticks = 0.02,
	});
}
