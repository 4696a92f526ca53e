/* read.c - from the bytes of an amon.out to a profile.
 *
 * The writer may be alive.  What it publishes last we read first: counts of contexts before
 * those of the routines that they name, each count once. So whatever is read is
 * complete.  Nothing is added to the sums of the profile before all has been checked. */
#include "profile/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A replay may handle and keep so many entries for each item.  Real programs need some
 * tens; a file made to exhaust us is refused. */
#define WORK_PER_ITEM 4096
#define WORK_AT_LEAST (UINT64_C(1) << 22)
#define NODES_PER_ITEM 128
#define NODES_AT_LEAST (UINT64_C(1) << 18)
#define OLD_PERIODS 4		/* of the clock between two program counters, in files that do not say */

bool reader_corrupt(struct reader *r, uint64_t offset, const char *format, ...)
{
	char what[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return error_set(r->err, ERROR_CORRUPT, offset, "%.60s: corrupt at byte %llu: %s",
			 r->label, (unsigned long long)offset, what);
}

bool reader_no_memory(struct reader *r)
{
	return error_set(r->err, ERROR_MEMORY, ERROR_NO_OFFSET, "%.60s: out of memory while reading it", r->label);
}

uint64_t reader_nsec(const struct reader *r, uint64_t x)
{
	const struct amon_header *h = &r->run.header;
	unsigned __int128 nsec;

	if (x == 0 || h->clock != AMON_CLOCK_TSC)
		return x;
	nsec = (unsigned __int128)x * 1000000000 / h->tsc_hz;
	return nsec > UINT64_MAX ? UINT64_MAX : (uint64_t)nsec;
}

/* A number that the writer may be raising. */
static uint64_t load64(const struct reader *r, uint64_t at)
{
	uint64_t x;

	memcpy(&x, r->data + at, sizeof x);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return x;
}

static uint32_t load32(const struct reader *r, uint64_t at)
{
	uint32_t x;

	memcpy(&x, r->data + at, sizeof x);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return x;
}

static bool check_magic(struct reader *r)
{
	const struct amon_header *h = &r->run.header;

	if (r->len < sizeof h->magic || memcmp(r->data, AMON_MAGIC, sizeof h->magic) != 0)
		return error_set(r->err, ERROR_NOT_AMON, 0, "%.60s: %s", r->label,
				 r->len ? "not an amon.out file" : "empty; not an amon.out file");
	if (r->len < sizeof *h)
		return reader_corrupt(r, r->len, "cut off inside its header, nothing can be read");
	memcpy(&r->run.header, r->data, sizeof *h);
	if (h->version != AMON_VERSION)
		return error_set(r->err, ERROR_VERSION, offsetof(struct amon_header, version),
				 "%.60s: format version %u, this aprof reads %u", r->label, h->version, AMON_VERSION);
	if (h->header_size < offsetof(struct amon_header, cpu_user) || h->header_size > sizeof *h || h->counter_size != sizeof(struct amon_counter))
		return error_set(r->err, ERROR_VERSION, offsetof(struct amon_header, header_size),
				 "%.60s: header of %u and counters of %u bytes, this aprof reads %zu and %zu",
				 r->label, h->header_size, h->counter_size, sizeof *h, sizeof(struct amon_counter));
	memset((char *)&r->run.header + h->header_size, 0, sizeof *h - h->header_size);
	if (h->pc_source != AMON_SOURCE_NONE && !h->pc_period && h->rate)
		r->run.header.pc_period = OLD_PERIODS * UINT64_C(1000000000) / h->rate;
	return true;
}

static bool check_header(struct reader *r)
{
	struct amon_header *h = &r->run.header;
	const struct profile *p = r->p;

	if (h->clock > AMON_CLOCK_WALL)
		return reader_corrupt(r, offsetof(struct amon_header, clock), "unknown clock %u", h->clock);
	if (h->clock == AMON_CLOCK_TSC && h->tsc_hz == 0)
		return reader_corrupt(r, offsetof(struct amon_header, tsc_hz), "a cycle clock of unknown frequency");
	if (h->source > AMON_SOURCE_PERF || h->pc_source > AMON_SOURCE_PERF)
		return reader_corrupt(r, offsetof(struct amon_header, source), "unknown source of ticks");
	if (h->state > AMON_ENDED)
		return reader_corrupt(r, offsetof(struct amon_header, state), "unknown state %u", h->state);
	if (h->command_size > sizeof h->command)
		return reader_corrupt(r, offsetof(struct amon_header, command_size), "command line of %u bytes, %zu fit",
				      h->command_size, sizeof h->command);
	if (h->used < AMON_PAGE || h->used % AMON_PAGE != 0)
		return reader_corrupt(r, offsetof(struct amon_header, used), "%llu bytes in use are no whole pages",
				      (unsigned long long)h->used);
	if (p->nruns > 0 && p->runs[0].header.clock != h->clock)
		return error_set(r->err, ERROR_MISMATCH, offsetof(struct amon_header, clock),
				 "%.60s: its times are by another clock than those of %.60s; report them apart",
				 r->label, p->runs[0].label);
	h->host[sizeof h->host - 1] = h->program[sizeof h->program - 1] = 0;
	h->directory[sizeof h->directory - 1] = h->command[sizeof h->command - 1] = 0;
	return true;
}

/* Size of an item and of what a chunk needs; 0: no items. */
static uint32_t item_size(uint32_t kind)
{
	switch (kind) {
	case AMON_MODULES: return 1;
	case AMON_ROUTINES: return sizeof(struct amon_routine);
	case AMON_THREADS: return sizeof(struct amon_thread);
	case AMON_CONTEXTS: return sizeof(struct amon_link);
	case AMON_PCS: return sizeof(struct amon_pc);
	case AMON_RESET: return sizeof(uint64_t);
	case AMON_PHASES: return sizeof(struct amon_phase);
	case AMON_PHASE_COUNTS: return sizeof(struct amon_phase_count);
	case AMON_STACKS: return sizeof(struct amon_stack);
	default: return 0;
	}
}

/* Whether what the chunk says of itself holds together and fits before USED. */
static bool check_chunk(struct reader *r, uint64_t at, const struct amon_chunk *c, uint64_t used)
{
	uint64_t items_end = c->first + (uint64_t)c->capacity * item_size(c->kind), end = c->size;

	if (c->magic != AMON_CHUNK_MAGIC)
		return reader_corrupt(r, at, "no chunk begins here");
	if (c->size == 0 || c->size % AMON_PAGE != 0 || c->size > used - at)
		return reader_corrupt(r, at, "chunk of %llu bytes, %llu are left",
				      (unsigned long long)c->size, (unsigned long long)(used - at));
	if (c->kind < AMON_MODULES || c->kind > AMON_STACKS)
		return reader_corrupt(r, at, "chunk of unknown kind %u", c->kind);
	if (c->kind == AMON_FILLER)
		return true;
	if (c->first < sizeof *c || c->first % 8 != 0)
		return reader_corrupt(r, at, "items at %u within their chunk", c->first);
	if (c->kind == AMON_CONTEXTS) {
		end = c->counters;
		if (end % AMON_PAGE != 0 ||
		    end + (uint64_t)c->capacity * (sizeof(struct amon_counter) + sizeof(uint32_t)) > c->size)
			return reader_corrupt(r, at, "counters at %u do not fit in their chunk", c->counters);
	}
	if (items_end > end)
		return reader_corrupt(r, at, "%u items do not fit in their chunk", c->capacity);
	return true;
}

/* Find the chunks between FROM and USED. */
static bool find_chunks(struct reader *r, uint64_t from, uint64_t used)
{
	for (uint64_t at = from; at < used; ) {
		struct amon_chunk head;

		if (r->len < sizeof head || at > r->len - sizeof head)
			return true;			/* cut off */
		memcpy(&head, r->data + at, sizeof head);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!check_chunk(r, at, &head, used))
			return false;
		if (!array_reserve(&r->chunks, &r->chunk_room, r->nchunks + 1, sizeof *r->chunks))
			return reader_no_memory(r);
		r->chunks[r->nchunks++] = (struct chunk){ .at = at, .head = head };
		at += head.size;
	}
	return true;
}

/* Read the count of C, and see how many of the items are before the cut. */
static bool take_count(struct reader *r, struct chunk *c)
{
	bool contexts = c->head.kind == AMON_CONTEXTS;
	uint64_t begin = c->at + (contexts ? c->head.counters : c->head.first);
	uint64_t here = r->len > begin ? r->len - begin : 0;
	uint32_t count = load32(r, c->at + offsetof(struct amon_chunk, count));

	if (count > c->head.capacity)
		return reader_corrupt(r, c->at, "%u items where %u fit", count, c->head.capacity);
	if (c->head.kind == AMON_PCS || c->head.kind == AMON_STACKS)
		count = c->head.capacity;		/* taken slots may be anywhere */
	here /= contexts ? sizeof(struct amon_counter) : item_size(c->head.kind);
	c->items = here < count ? (uint32_t)here : count;
	return true;
}

/* Take the counts of the N first chunks, OWNED by threads or not, the last chunk first, since an earlier one is
 * full before a later one is begun. */
static bool take_counts(struct reader *r, size_t n, bool owned)
{
	while (n-- > 0)
		if (r->chunks[n].head.kind != AMON_FILLER && chunk_is_owned(&r->chunks[n]) == owned &&
		    !take_count(r, &r->chunks[n]))
			return false;
	return true;
}

static int compare_chunks(const void *x, const void *y)
{
	const struct chunk *a = x, *b = y;

	if (a->head.kind != b->head.kind)
		return a->head.kind < b->head.kind ? -1 : 1;
	if (chunk_is_owned(a) && a->head.thread != b->head.thread)
		return a->head.thread < b->head.thread ? -1 : 1;
	if (a->head.kind == AMON_CONTEXTS && a->head.base != b->head.base)
		return a->head.base < b->head.base ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Chunks, their counts, and again what was appended meanwhile: a routine that a context names may be there. */
static bool collect_chunks(struct reader *r)
{
	uint64_t used = r->run.header.used, later;
	size_t before;

	r->run.truncated = used > r->len;
	r->run.cut_at = r->len;
	if (!find_chunks(r, AMON_PAGE, used))
		return false;
	before = r->nchunks;
	if (!take_counts(r, before, true))
		return false;
	later = load64(r, offsetof(struct amon_header, used));
	if (later > used && later <= r->len && later % AMON_PAGE == 0 && !find_chunks(r, used, later))
		return false;
	if (!take_counts(r, r->nchunks, false))
		return false;
	if (r->nchunks > 0)
		qsort(r->chunks, r->nchunks, sizeof *r->chunks, compare_chunks);
	return true;
}

const struct chunk *reader_next(const struct reader *r, uint32_t kind, size_t *i)
{
	for (; *i < r->nchunks; (*i)++)
		if (r->chunks[*i].head.kind == kind)
			return &r->chunks[(*i)++];
	return NULL;
}

/* Room for what the items may bring, and the bound on the work of replaying them. */
static bool prepare(struct reader *r)
{
	struct profile_private *own = r->p->private;
	const struct chunk *c;
	uint64_t items = 0;

	for (size_t i = 0; (c = reader_next(r, AMON_CONTEXTS, &i)) != NULL;)
		items += c->items;
	own->histories.work = 0;
	r->budget = items * WORK_PER_ITEM + WORK_AT_LEAST;
	r->node_budget = own->histories.n + items * NODES_PER_ITEM + NODES_AT_LEAST;
	return (items < PROFILE_NONE - own->histories.n &&
		histories_reserve(&own->histories, items, r->p->nroutines)) || reader_no_memory(r);
}

static int compare_pcs(const void *x, const void *y)
{
	const struct profile_pc *a = x, *b = y;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void merge_pcs(struct profile *p)
{
	size_t kept = 0;

	if (p->npcs > 1)
		qsort(p->pcs, p->npcs, sizeof *p->pcs, compare_pcs);
	for (size_t i = 0; i < p->npcs; i++)
		if (kept > 0 && compare_pcs(&p->pcs[kept - 1], &p->pcs[i]) == 0)
			add_capped(&p->pcs[kept - 1].count, p->pcs[i].count);
		else
			p->pcs[kept++] = p->pcs[i];
	p->npcs = kept;
}

static void add_share(struct profile *p, const struct profile_share *s)
{
	struct profile_context *c = &p->contexts[s->context];

	add_capped(&c->entries, s->entries);
	add_capped(&c->recursive, s->recursive);
	add_capped(&c->calls_out, s->calls_out);
	add_capped(&c->time, s->time);
	add_capped(&c->ticks, s->ticks);
	add_capped(&p->time, s->time);
}

/* All is checked and in its place: add it up. */
static void commit(struct reader *r)
{
	struct profile *p = r->p;

	for (size_t i = r->mark.shares; i < p->nshares; i++)
		add_share(p, &p->shares[i]);
	for (uint32_t i = r->mark.contexts; i < p->ncontexts; i++)
		if (p->contexts[i].length > p->longest)
			p->longest = p->contexts[i].length;
	for (uint32_t i = r->mark.threads; i < p->nthreads; i++) {
		add_capped(&p->monitor, p->threads[i].record.monitor);
		add_capped(&p->unplaced, p->threads[i].record.unplaced);
	}
	for (size_t i = 0; i < r->nmappings; i++) {
		p->modules[r->mappings[i].module].main_program |= r->mappings[i].main_program;
		p->modules[r->mappings[i].module].hooked |= r->mappings[i].hooked;
	}
	merge_pcs(p);
	phases_commit(r);
	p->runs[p->nruns - 1] = r->run;
}

static bool add_run(struct reader *r)
{
	struct profile *p = r->p;

	if (!array_reserve(&p->runs, &p->private->runs, (size_t)p->nruns + 1, sizeof *p->runs))
		return reader_no_memory(r);
	r->run.label = strdup(r->label);
	if (!r->run.label)
		return reader_no_memory(r);
	r->run.file_size = r->len;
	r->run.first_thread = p->nthreads;
	p->runs[p->nruns++] = r->run;
	return true;
}

static bool read_all(struct reader *r)
{
	return check_magic(r) && check_header(r) && collect_chunks(r) && add_run(r) && read_modules(r) &&
	       read_routines(r) && read_threads(r) && read_phases(r) && prepare(r) && read_contexts(r);
}

bool profile_read(struct profile *p, const void *data, size_t len, const char *label, struct error *err)
{
	struct reader r = { .p = p, .mark = profile_mark(p), .data = data, .len = len, .label = label, .err = err };
	bool ok = read_all(&r);

	if (ok)
		commit(&r);
	else
		profile_rewind(p, &r.mark);
	free(r.chunks);
	free(r.mappings);
	free(r.routines);
	free(r.items);
	free(r.share_of);
	free(r.met);
	free(r.phases);
	return ok;
}
