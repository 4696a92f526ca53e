/* nursery.c - the file that short forked children share: header, one chunk of places, and the CPU time that waits.
 *
 *     page: header | page: head of the chunk, struct amon_processes | place | place | ... | room that a child's own file may grow into
 *
 * A child that outgrows its place maps a file of its own there, and over what is behind it, so that no counter moves (file.c).
 * Invariant: a place is taken once and by one process; what is in it is of nobody else, until its magic is gone. */
#include "inside/file/nursery.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "contract/amon.h"
#include "inside/file/file.h"
#include "inside/file/name.h"
#include "inside/file/place.h"
#include "inside/state.h"
#include "inside/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PLACES = 256, FIRST = AMON_PAGE };
static const uint64_t SIZE = 2 * AMON_PAGE + (uint64_t)PLACES * NURSERY_PLACE;

static bool refused;			/* none can be had */

static struct amon_processes *processes(struct amon_chunk *c) { return (struct amon_processes *)(c + 1); }

static char *nursery_begin_of(const struct amon_chunk *c) { return (char *)c - AMON_PAGE; }

static bool is_full(const struct amon_chunk *c) { return __atomic_load_n(&c->count, __ATOMIC_RELAXED) >= PLACES; }

/* Should this process make one?  Not for an address space or files that are limited, in which what is reserved counts. */
static bool is_lacking(void)
{
	return monitor_state() == MONITOR_ON && !refused && !monitor.in_nursery && !monitor.anonymous && (!monitor.nursery || is_full(monitor.nursery)) &&
	       sys_address_space() == UINT64_MAX && sys_file_limit() > SIZE;
}

/* The whole of the new file behind FD, with the first pages resident; NULL: no. */
static struct amon_chunk *nursery_map(long fd)
{
	uint64_t all = SIZE + monitor.header->memory_bound;
	long at;

	if (sys_failed(sys2(ftruncate, fd, SIZE)))
		return NULL;
	at = sys6(mmap, NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at))
		return NULL;
	if (!sys_failed(sys6(mmap, at, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)) &&
	    !sys_failed(sys3(madvise, at, 2 * AMON_PAGE, MADV_POPULATE_WRITE))) {
		sys3(madvise, at, SIZE, MADV_RANDOM);
		return (struct amon_chunk *)(at + AMON_PAGE);
	}
	sys2(munmap, at, all);
	return NULL;
}

static void unmap(struct amon_chunk *c)
{
	sys2(munmap, nursery_begin_of(c), SIZE + monitor.header->memory_bound);
}

/* The first pages of the file: it is of this process's program and clock.  Its own file began later, by a nanosecond, and so is the one that is told how it ends. */
static void write_heads(struct amon_chunk *c)
{
	struct amon_header *h = (struct amon_header *)nursery_begin_of(c);

	mem_copy(h, monitor.header, sizeof *h);
	h->start_monotonic--;
	h->state = AMON_ENDED;
	h->cpu_before = h->cpu_user = h->cpu_system = h->pc_unsampled = 0;
	mem_zero(h->notes, sizeof h->notes);
	h->used = SIZE;
	*c = (struct amon_chunk){ .magic = AMON_CHUNK_MAGIC, .kind = AMON_PROCESSES, .size = SIZE - AMON_PAGE, .thread = AMON_NONE,
				  .capacity = PLACES, .first = FIRST, .base = NURSERY_PLACE };
}

/* A new one, or NULL. */
static struct amon_chunk *nursery_make(void)
{
	char *temp = sys_memory(2 * PLACE_PATH, false);
	long fd = temp ? place_create(name_want(), temp, false) : -1;
	struct amon_chunk *c = NULL;

	if (!sys_failed(fd) && !file_is_remote(fd))
		c = nursery_map(fd);
	if (c)
		write_heads(c);
	if (c && sys_failed(name_take_more(fd, temp, temp + PLACE_PATH))) {
		unmap(c);
		c = NULL;
	}
	if (c)
		sys1(close, fd);
	else if (!sys_failed(fd))
		place_drop(fd, temp);
	if (temp)
		sys2(munmap, temp, 2 * PLACE_PATH);
	return c;
}

void nursery_prepare(void)
{
	struct amon_chunk *old, *c;
	uint64_t mask;

	if (!is_lacking())
		return;
	sys_block_signals(&mask);
	sys_lock(&monitor.lock);
	if (is_lacking()) {
		old = monitor.nursery;
		c = nursery_make();
		refused = !c;
		__atomic_store_n(&monitor.nursery, c, __ATOMIC_RELEASE);
		if (old)
			unmap(old);
	}
	sys_unlock(&monitor.lock);
	sys_restore_signals(&mask);
}

void *nursery_take(void)
{
	struct amon_chunk *c = monitor.nursery;
	uint32_t i = c && !is_full(c) ? __atomic_fetch_add(&c->count, 1, __ATOMIC_RELAXED) : PLACES;

	return i < PLACES ? (char *)c + FIRST + (uint64_t)i * NURSERY_PLACE : NULL;
}

void nursery_waits_add(uint64_t nsec)
{
	__atomic_fetch_add(&processes(monitor.nursery)->waits, nsec, __ATOMIC_RELAXED);
}

uint64_t nursery_waits_take(void)
{
	struct amon_chunk *c = monitor.nursery;

	return c ? __atomic_exchange_n(&processes(c)->waits, 0, __ATOMIC_RELAXED) : 0;
}
