/* places.c - where allocations are counted: contexts that have allocated, and what is live of that, and was when most was.
 *
 * A place is a context that has allocated: its amounts of the four values, which stand in the file.  What is live is changed by any thread that frees, so these are locked
 * instructions.  The places of the contexts met last are kept by the thread.
 *
 * What was live at the peak is kept as contract/allocations.h says.
 *
 * State and marks are in the file, so that a reader can tell, whenever that is.  In a signal's handler that comes between two of these steps, and where
 * threads meet in them, the parts of the peak may differ from it by the allocations under way; all else is exact. */
#include "inside/heap/places.h"

#include "inside/file/file.h"
#include "inside/machine/items.h"
#include "inside/machine/machine.h"
#include "inside/machine/memory.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

enum {
	PLACES_PER_PAGE = 1024,
	PAGES = 16384,			/* 16.7 million places, as many as a thread has contexts */
};

static struct heap_place *pages[PAGES];
static uint32_t nplaces OF_PROCESS;	/* made, those of the processes that this one was forked from included */
static uint32_t inherited OF_PROCESS;	/* so many are of these */
static uint64_t live OF_PROCESS, most OF_PROCESS; /* bytes: of all places, and when that was most */
static struct amon_value *values OF_PROCESS; /* in the file; NULL: not written yet */
static struct sys_lock heap_lock;	/* over making places */

/* ---- values ---- */

/* What times are by each clock, as readers take them where no values are said (read/profile/values.c). */
static const struct amon_value times[] = {
	[AMON_CLOCK_NONE] = { .name = "none", .unit = "ns" }, [AMON_CLOCK_TICK] = { .name = "cpu", .unit = "ns", .flags = AMON_VALUE_SAMPLED },
	[AMON_CLOCK_TSC] = { .name = "elapsed", .unit = "ns" }, [AMON_CLOCK_WALL] = { .name = "wall", .unit = "ns", .flags = AMON_VALUE_SAMPLED },
	[AMON_CLOCK_COUNT] = { .name = "count", .unit = "count" },
};

/* The values of the profile, said in the file.  False: no room. */
static bool values_begin(void)
{
	static const struct { const char *name, *unit; uint32_t flags; } ours[HEAP_VALUES] = {
		[HEAP_ALLOCATIONS] = { HEAP_NAME_ALLOCATIONS, "count", 0 }, [HEAP_ALLOCATED] = { HEAP_NAME_ALLOCATED, "bytes", 0 },
		[HEAP_LIVE] = { HEAP_NAME_LIVE, "bytes", 0 }, [HEAP_PEAK] = { HEAP_NAME_PEAK, "bytes", AMON_VALUE_PEAK },
	};
	struct amon_chunk *c = values ? NULL : file_chunk(AMON_VALUES, AMON_NONE, 1 + HEAP_VALUES, sizeof *values);
	struct amon_value *v;

	if (!c)
		return values;
	v = (struct amon_value *)((char *)c + c->first);
	*v = times[monitor.clock.clock];
	for (int i = 0; i < HEAP_VALUES; i++) {
		mem_copy(v[1 + i].name, ours[i].name, str_length(ours[i].name));
		mem_copy(v[1 + i].unit, ours[i].unit, str_length(ours[i].unit));
		v[1 + i].flags = ours[i].flags;
	}
	v[1 + HEAP_PEAK].state = 1;			/* nothing is live, and was not more */
	values = v;
	__atomic_store_n(&c->count, 1 + HEAP_VALUES, __ATOMIC_RELEASE);
	return true;
}

static uint64_t *state(void) { return &values[1 + HEAP_PEAK].state; }

/* ---- live bytes ---- */

/* P is about to have more live, or less: if that is its first change of this epoch, keep what it has. */
static void peak_keep(struct heap_place *p)
{
	uint64_t now = __atomic_load_n(state(), __ATOMIC_RELAXED);
	struct amon_amount *peak = p->amounts[HEAP_PEAK];

	if (now & 1 || heap_peak_is_kept(now, peak->squares[0]))
		return;
	peak->amount = __atomic_load_n(&p->amounts[HEAP_LIVE]->amount, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	peak->squares[0] = now / 2;
}

void places_grow(struct heap_place *p, uint64_t size)
{
	uint64_t all, before = __atomic_load_n(&most, __ATOMIC_RELAXED);

	peak_keep(p);
	__atomic_fetch_add(&p->amounts[HEAP_LIVE]->amount, size, __ATOMIC_RELAXED);
	all = __atomic_add_fetch(&live, size, __ATOMIC_RELAXED);
	if (LIKELY(all <= before))
		return;
	while (all > before && !__atomic_compare_exchange_n(&most, &before, all, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (!(__atomic_load_n(state(), __ATOMIC_RELAXED) & 1))
		__atomic_fetch_or(state(), 1, __ATOMIC_RELAXED);
}

void places_shrink(struct heap_place *p, uint64_t size)
{
	uint64_t now = __atomic_load_n(state(), __ATOMIC_RELAXED);

	if (now & 1)					/* 2 * (epoch + 1) */
		__atomic_compare_exchange_n(state(), &now, now + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	peak_keep(p);
	__atomic_fetch_sub(&p->amounts[HEAP_LIVE]->amount, size, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&live, size, __ATOMIC_RELAXED);
}

/* ---- places ---- */

static struct heap_place *place_at(uint32_t number) { return &pages[number / PLACES_PER_PAGE][number % PLACES_PER_PAGE]; }

/* The amounts of the four values of ITEM of T into AMOUNTS, made if need be.  False: no room. */
static bool amounts_of(struct thread *t, uint32_t item, struct amon_amount *amounts[HEAP_VALUES])
{
	struct span *span = items_span(t, item);

	for (uint32_t i = 0; i < HEAP_VALUES; i++) {
		struct amon_chunk *c = span->heap[i] ? NULL : file_chunk(AMON_AMOUNTS, t->index, span->capacity, sizeof **amounts);

		if (c) {
			c->base = span->base;
			c->value = 1 + i;
			span->heap[i] = (struct amon_amount *)((char *)c + c->first);
			__atomic_store_n(&c->count, span->capacity, __ATOMIC_RELEASE);
		}
		if (!span->heap[i])
			return false;
		amounts[i] = &span->heap[i][item - span->base];
	}
	return true;
}

/* A new place for ITEM of T, called by ID.  NULL: no room. */
static struct heap_place *place_new(struct thread *t, uint32_t item, context_id id)
{
	uint32_t number = nplaces + 1, page = number / PLACES_PER_PAGE;
	struct heap_place *p;

	if (page >= PAGES || (!pages[page] && !(pages[page] = memory_take(PLACES_PER_PAGE * sizeof *p, false))))
		return NULL;
	p = place_at(number);
	if (!values_begin() || !amounts_of(t, item, p->amounts))
		return NULL;
	p->id = id;
	p->number = number;
	nplaces = number;
	return p;
}

/* The place of ITEM of T, the calling thread's, made if need be, with signals blocked.  NULL: no room. */
static struct heap_place *place_of(struct thread *t, uint32_t item, context_id id)
{
	struct span *span = items_span(t, item);
	uint32_t *number;
	struct heap_place *p;

	if (!span->heap_places && !(span->heap_places = memory_take(span->capacity * sizeof *span->heap_places, false)))
		return NULL;
	number = &span->heap_places[item - span->base];
	if (*number)
		return place_at(*number);
	sys_lock(&heap_lock);
	p = place_new(t, item, id);
	sys_unlock(&heap_lock);
	*number = p ? p->number : 0;
	return p;
}

struct heap_place *places_make(struct thread *t, context_id id)
{
	uint32_t item = machine_item(t, id);
	struct heap_place *p;

	if (!t->heap_recent && !(t->heap_recent = memory_take(PLACES_RECENT * sizeof *t->heap_recent, false)))
		return NULL;
	p = item == AMON_NONE ? place_of(t, 0, ROOT_ID) : place_of(t, item, id);
	if (p && item != AMON_NONE)
		*places_recent(t, id) = p;
	return p;
}

struct heap_place *places_find(uint32_t number) { return number > inherited ? place_at(number) : NULL; }

void places_forget(void)
{
	inherited = nplaces;
	live = most = 0;
	values = NULL;
	heap_lock.taken = 0;
}

void places_reset(void)
{
	if (!values)
		return;
	__atomic_store_n(&most, __atomic_load_n(&live, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_fetch_or(state(), 1, __ATOMIC_RELAXED);
}
