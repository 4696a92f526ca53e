/* reader.c - the header of a file, and its chunks: found, counted, and handed out to those who read them.
 *
 * The writer may be alive.  What it publishes last we read first: counts of contexts before
 * those of the routines that they name, each count once. So whatever is read is
 * complete. */
#include "read/profile/reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		return r->divisor > 1 ? x / r->divisor : x;
	nsec = (unsigned __int128)x * 1000000000 / h->tsc_hz;
	return nsec > UINT64_MAX ? UINT64_MAX : (uint64_t)nsec;
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

	if (h->clock > AMON_CLOCK_COUNT)
		return reader_corrupt(r, offsetof(struct amon_header, clock), "unknown clock %u", h->clock);
	if (h->clock == AMON_CLOCK_TSC && h->tsc_hz == 0)
		return reader_corrupt(r, offsetof(struct amon_header, tsc_hz), "a cycle clock of unknown frequency");
	if (h->source > AMON_SOURCE_PTRACE || h->pc_source > AMON_SOURCE_PTRACE)
		return reader_corrupt(r, offsetof(struct amon_header, source), "unknown source of ticks");
	if (h->state > AMON_ENDED)
		return reader_corrupt(r, offsetof(struct amon_header, state), "unknown state %u", h->state);
	if (h->command_size > sizeof h->command)
		return reader_corrupt(r, offsetof(struct amon_header, command_size), "command line of %u bytes, %zu fit",
				      h->command_size, sizeof h->command);
	if (h->used < AMON_PAGE || h->used % AMON_PAGE != 0)
		return reader_corrupt(r, offsetof(struct amon_header, used), "%llu bytes in use are no whole pages",
				      (unsigned long long)h->used);
	h->host[sizeof h->host - 1] = h->program[sizeof h->program - 1] = 0;
	h->directory[sizeof h->directory - 1] = h->command[sizeof h->command - 1] = 0;
	h->origin[sizeof h->origin - 1] = h->unit[sizeof h->unit - 1] = 0;
	return true;
}

bool reader_header(struct reader *r) { return check_magic(r) && check_header(r); }

void reader_end(struct reader *r)
{
	free(r->chunks);
	free(r->mappings);
	free(r->routines);
	free(r->items);
	free(r->share_of);
	free(r->met);
	free(r->phases);
	free(r->spreads);
	free(r->parts);
	free(r->values);
	free(r->value_of);
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

/* Size of an item and of what a chunk needs; 0: no items. */
static uint32_t reader_item_size(uint32_t kind)
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
	case AMON_SYMBOLS: return 1;
	case AMON_COMMANDS: return sizeof(struct amon_command);
	case AMON_ARCS: return sizeof(struct amon_arc);
	case AMON_SCRIPTS: return 1;
	case AMON_SITES: return sizeof(uint64_t);
	case AMON_SPENT: return sizeof(struct amon_spent);
	case AMON_SPREADS: return sizeof(struct amon_spread);
	case AMON_BYTES: return sizeof(uint64_t);
	case AMON_SLICES: return sizeof(struct amon_slice);
	case AMON_VALUES: return sizeof(struct amon_value);
	case AMON_AMOUNTS: return sizeof(struct amon_amount);
	case AMON_PCS_PACKED: return 1;
	case AMON_SAMPLED: return 1;
	case AMON_ORIGINS: return sizeof(struct amon_origin);
	default: return 0;
	}
}

/* Whether what the chunk says of itself holds together and fits before USED. */
static bool check_chunk(struct reader *r, uint64_t at, const struct amon_chunk *c, uint64_t used)
{
	uint64_t items_end = c->first + (uint64_t)c->capacity * reader_item_size(c->kind), end = c->size;

	if (c->magic != AMON_CHUNK_MAGIC)
		return reader_corrupt(r, at, "no chunk begins here");
	if (c->size == 0 || c->size % AMON_PAGE != 0 || c->size > used - at)
		return reader_corrupt(r, at, "chunk of %llu bytes, %llu are left",
				      (unsigned long long)c->size, (unsigned long long)(used - at));
	if (c->kind < AMON_MODULES || c->kind >= AMON_KINDS)
		return reader_corrupt(r, at, "chunk of unknown kind %u", c->kind);
	if (c->kind == AMON_FILLER)
		return true;
	if (c->kind == AMON_PROCESSES)
		return reader_corrupt(r, at, "short processes, which have a file of their own");
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
		assert(head.size > 0 && head.size <= used - at);
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
	if (c->head.kind == AMON_SLICES && count > 0) {
		c->head.base = load32(r, c->at + offsetof(struct amon_chunk, base));	/* it was set before the first was taken */
		count = c->head.capacity;
	}
	here /= contexts ? sizeof(struct amon_counter) : reader_item_size(c->head.kind);
	c->items = here < count ? (uint32_t)here : count;
	assert(c->items <= c->head.capacity);
	return true;
}

/* Take the counts of the N first chunks, OWNED by threads or not, the last chunk first, since an earlier one is
 * full before a later one is begun. */
static bool reader_take_counts(struct reader *r, size_t n, bool owned)
{
	while (n-- > 0)
		if (r->chunks[n].head.kind != AMON_FILLER && chunk_is_owned(&r->chunks[n]) == owned &&
		    !take_count(r, &r->chunks[n]))
			return false;
	return true;
}

/* Do chunks of KIND say of which items of their thread they are? */
static bool has_base(uint32_t kind)
{
	return kind == AMON_CONTEXTS || kind == AMON_SITES || kind == AMON_SPENT || kind == AMON_BYTES || kind == AMON_AMOUNTS;
}

static int compare_chunks(const void *x, const void *y)
{
	const struct chunk *a = x, *b = y;

	if (a->head.kind != b->head.kind)
		return a->head.kind < b->head.kind ? -1 : 1;
	if ((chunk_is_owned(a) || chunk_is_owned(b)) && a->head.thread != b->head.thread)
		return a->head.thread < b->head.thread ? -1 : 1;
	if (has_base(a->head.kind) && a->head.base != b->head.base)
		return a->head.base < b->head.base ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

bool reader_collect(struct reader *r)
{
	uint64_t used = r->run.header.used, later;
	size_t before;

	r->run.truncated = used > r->len;
	r->run.cut_at = r->len;
	if (!find_chunks(r, AMON_PAGE, used))
		return false;
	before = r->nchunks;
	if (!reader_take_counts(r, before, true))
		return false;
	later = load64(r, offsetof(struct amon_header, used));
	if (later > used && later <= r->len && later % AMON_PAGE == 0 && !find_chunks(r, used, later))
		return false;
	if (!reader_take_counts(r, r->nchunks, false))
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
