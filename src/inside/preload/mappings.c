/* mappings.c - memory that the program gets from the kernel itself, by mmap: what is nobody's file, and may be touched.
 *
 * What the allocator maps for itself is no allocation of the program's.  A mapping may be given back in parts, and with its neighbours: so they stand in a list in the order of
 * their addresses, under a lock that is held with all signals blocked.  Who cannot have it, in a child that was made while another thread had it, counts nothing. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <dlfcn.h>

#include "inside/monitor.h"
#include "inside/preload/allocations.h"
#include "inside/preload/heap_table.h"
#include "inside/sys.h"

#define EXPORTED __attribute__((visibility("default")))

enum { PAGE = 4096, FIRST_ROOM = 512, MOST_TRIES = 2000 };

struct mapping {
	uintptr_t start, end;		/* end: as was asked for, not of its last page */
	uint32_t place;			/* who counts it */
};

static struct sys_lock list_lock;
static struct mapping *list;		/* sorted; apart */
static size_t nmappings, room;

static struct {
	void *(*mmap)(void *at, size_t size, int protection, int flags, int fd, off_t offset);
	int (*munmap)(void *at, size_t size);
	void *(*mremap)(void *at, size_t size, size_t wanted, int flags, ...);
} next;

static void __attribute__((constructor(101))) mappings_find(void)
{
	*(void **)&next.mmap = dlsym(RTLD_NEXT, "mmap");
	*(void **)&next.munmap = dlsym(RTLD_NEXT, "munmap");
	*(void **)&next.mremap = dlsym(RTLD_NEXT, "mremap");
}

#define NEXT(name) (next.name ? (void)0 : mappings_find(), next.name)

/* ---- the list ---- */

static bool list_hold(uint64_t *mask)
{
	sys_block_signals(mask);
	for (int i = 0; i < MOST_TRIES; i++) {
		if (sys_lock_if_free(&list_lock))
			return true;
		sys0(sched_yield);
	}
	sys_restore_signals(mask);
	return false;
}

static void list_let_go(const uint64_t *mask)
{
	sys_unlock(&list_lock);
	sys_restore_signals(mask);
}

/* The first mapping that ends behind AT. */
static size_t list_find(uintptr_t at)
{
	size_t low = 0, high = nmappings;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list[middle].end > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* N mappings are to stand at I in the place of the one there, or of OLD ones. False: there is no room. */
static bool list_splice(size_t i, size_t old, const struct mapping *m, size_t n)
{
	size_t rest = nmappings - i - old;

	if (nmappings + n - old > room) {
		size_t more = room ? 2 * room : FIRST_ROOM;
		struct mapping *grown = sys_memory(more * sizeof *grown, false);

		if (!grown)
			return false;
		mem_copy(grown, list, nmappings * sizeof *list);
		if (list)
			sys2(munmap, list, room * sizeof *list);
		list = grown;
		room = more;
	}
	if (n < old)
		mem_copy(&list[i + n], &list[i + old], rest * sizeof *list);
	for (size_t k = rest; n > old && k-- > 0;)
		list[i + n + k] = list[i + old + k];
	mem_copy(&list[i], m, n * sizeof *m);
	nmappings = nmappings - old + n;
	return true;
}

/* Nothing from START up to END is the program's any more: what is left of mappings there are mappings of their own. */
static void list_forget(uintptr_t start, uintptr_t end)
{
	size_t i = list_find(start);

	while (i < nmappings && list[i].start < end) {
		struct mapping m = list[i], left[2];
		size_t n = 0;

		if (m.start < start)
			left[n++] = (struct mapping){ m.start, start, m.place };
		if (m.end > end)
			left[n++] = (struct mapping){ end, m.end, m.place };
		allocation_freed((struct heap_entry){ m.place, (m.end < end ? m.end : end) - (m.start > start ? m.start : start) });
		if (!list_splice(i, 1, left, n))
			return;
		i += n;
	}
}

static void list_add(uintptr_t start, size_t size)
{
	struct mapping m = { start, start + size, allocation_place(size) };

	if (m.place && !list_splice(list_find(start), 0, &m, 1))
		allocation_untracked((struct heap_entry){ m.place, size });
}

/* ---- what is told ---- */

static uintptr_t whole_pages(size_t size) { return (size + PAGE - 1) & -(uintptr_t)PAGE; }

/* What was at OLD, of OLD_SIZE bytes, is gone (0: nothing), and P, of SIZE bytes (0: nothing), came. */
static void mappings_change(const void *old, size_t old_size, const void *p, size_t size)
{
	uint64_t mask;

	if ((!size && !__atomic_load_n(&nmappings, __ATOMIC_RELAXED)) || !list_hold(&mask))
		return;
	if (old_size)
		list_forget((uintptr_t)old, (uintptr_t)old + whole_pages(old_size));
	if (size)
		list_add((uintptr_t)p, size);
	list_let_go(&mask);
}

/* Is what is mapped so memory, of the program of which CALLER is? */
static bool is_memory(const void *caller, int protection, int flags)
{
	return flags & MAP_ANONYMOUS && protection != PROT_NONE && !allocation_is_within(caller);
}

static void *mapped(void *p, size_t size, int protection, int flags, const void *caller)
{
	if (p != MAP_FAILED)
		mappings_change(p, size, p, is_memory(caller, protection, flags) ? size : 0);
	return p;
}

/* By both names, of which the compiler's own name for mmap is one. */
EXPORTED void *mappings_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) __asm__("mmap");
extern __typeof(mappings_mmap) mappings_mmap64 __asm__("mmap64") __attribute__((alias("mmap"), visibility("default")));

void *mappings_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return mapped(NEXT(mmap)(at, size, protection, flags, fd, offset), size, protection, flags, __builtin_return_address(0));
}

/* It is told before it is done: behind that the addresses may be another thread's. */
EXPORTED int munmap(void *at, size_t size)
{
	if ((uintptr_t)at % PAGE == 0)
		mappings_change(at, size, NULL, 0);
	return NEXT(munmap)(at, size);
}

/* Is there a mapping of the program's at AT? */
static bool is_mapping(const void *at)
{
	bool is = false;
	uint64_t mask;
	size_t i;

	if (!__atomic_load_n(&nmappings, __ATOMIC_RELAXED) || !list_hold(&mask))
		return false;
	i = list_find((uintptr_t)at);
	is = i < nmappings && list[i].start <= (uintptr_t)at;
	list_let_go(&mask);
	return is;
}

EXPORTED void *mremap(void *at, size_t size, size_t wanted, int flags, ...)
{
	bool is_ours = is_mapping(at);
	va_list list_of;
	void *to, *p;

	va_start(list_of, flags);
	to = va_arg(list_of, void *);
	va_end(list_of);
	if (is_ours)
		mappings_change(at, size, NULL, 0);
	p = NEXT(mremap)(at, size, wanted, flags, to);
	if (is_ours && p == MAP_FAILED)
		mappings_change(NULL, 0, at, size);
	else if (is_ours)
		mappings_change(p, wanted, p, wanted);
	return p;
}
