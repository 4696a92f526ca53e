/* fit.c - the profile in as few bytes as can be, for a process that may make small files only.
 *
 * While a program runs its chunks have room for what may come; here each is written with room for what is in it.  Program counters
 * that are not packed and slices, whose tables are the largest, are left out.  What is still too much is cut off, and a reader shows the part that is whole. */
#include "inside/file/fit.h"

#include <errno.h>

#include "contract/amon.h"
#include "inside/state.h"
#include "inside/sys.h"

/* Of a chunk: what is written of it, bytes from its start. */
struct fit {
	uint64_t items;			/* of the items */
	uint64_t counters;		/* of contexts: of the counters, */
	uint64_t ticks;			/* and of the ticks; 0 in other kinds */
	struct amon_chunk head;		/* as it is written */
};

/* A file being written. */
struct output {
	long fd;			/* where to */
	uint64_t at;			/* where the next chunk goes, bytes */
	uint64_t limit;			/* most bytes of the file */
	bool failed;			/* a write did */
};

static uint64_t pages(uint64_t size) { return (size + AMON_PAGE - 1) & -(uint64_t)AMON_PAGE; }

static uint64_t fit_item_size(uint32_t kind)
{
	switch (kind) {
	case AMON_MODULES: return 1;
	case AMON_PCS_PACKED: return 1;
	case AMON_ROUTINES: return sizeof(struct amon_routine);
	case AMON_THREADS: return sizeof(struct amon_thread);
	case AMON_CONTEXTS: return sizeof(struct amon_link);
	case AMON_RESET: return sizeof(uint64_t);
	case AMON_PHASES: return sizeof(struct amon_phase);
	case AMON_PHASE_COUNTS: return sizeof(struct amon_phase_count);
	default: return 0;		/* left out */
	}
}

static struct fit fit_of(const struct amon_chunk *c)
{
	uint64_t n = c->count;
	struct fit f = { .items = n * fit_item_size(c->kind), .head = *c };

	f.head.capacity = c->count;
	f.head.size = pages(c->first + f.items);
	if (c->kind == AMON_CONTEXTS) {
		f.counters = n * sizeof(struct amon_counter);
		f.ticks = n * sizeof(uint32_t);
		f.head.counters = (uint32_t)f.head.size;
		f.head.size += pages(f.counters + f.ticks);
	}
	return f;
}

static void put_bytes(struct output *o, const void *data, uint64_t size, uint64_t at)
{
	if (at < o->limit && !sys_write_at(o->fd, data, size < o->limit - at ? size : o->limit - at, at))
		o->failed = true;
}

static void put_chunk(struct output *o, const struct amon_chunk *c)
{
	struct fit f = fit_of(c);
	const char *from = (const char *)c;

	if (!f.items) {
		if (c->kind == AMON_PCS && c->count)
			note(AMON_NOTE_PC_LOST);
		if (c->kind == AMON_SLICES && c->count)
			note(AMON_NOTE_SLICES_BOUND);
		return;
	}
	put_bytes(o, &f.head, sizeof f.head, o->at);
	put_bytes(o, from + c->first, f.items, o->at + c->first);
	if (c->kind == AMON_CONTEXTS) {
		const char *counters = from + c->counters, *ticks = counters + c->capacity * sizeof(struct amon_counter);

		put_bytes(o, counters, f.counters, o->at + f.head.counters);
		put_bytes(o, ticks, f.ticks, o->at + f.head.counters + f.counters);
	}
	o->at += f.head.size;
}

bool fit_write(long fd, uint64_t limit)
{
	static struct amon_header copy;
	struct output o = { .fd = fd, .at = AMON_PAGE, .limit = limit };

	if (limit < sizeof copy)
		return false;
	for (uint64_t at = AMON_PAGE; at < monitor.header->used;) {
		const struct amon_chunk *c = (const struct amon_chunk *)((char *)monitor.header + at);

		put_chunk(&o, c);
		at += c->size;
	}
	if (o.at > limit)
		note_error(AMON_NOTE_DISK_FULL, -EFBIG);
	mem_copy(&copy, monitor.header, sizeof copy);
	copy.used = o.at;
	put_bytes(&o, &copy, sizeof copy, 0);
	return !o.failed && !sys_failed(sys2(ftruncate, fd, o.at < limit ? o.at : limit));
}
