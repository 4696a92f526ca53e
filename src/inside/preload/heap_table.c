/* heap_table.c - see heap_table.h. */
#include "inside/preload/heap_table.h"

#include <sys/mman.h>

#include "inside/preload/heap_calls.h"
#include "inside/sys.h"

enum { MOST_FAILURES = 64,		/* then no more blocks are asked for */
	PART = 16 };			/* of a limited address space a block takes a sixteenth at most */

intptr_t *heap_lists[HEAP_LISTS];
static uint32_t failures;		/* blocks that the system refused */

/* A block: not locked in memory, whatever the program wants of its own. */
static char *block_make(size_t size)
{
	long at;

	if (!heap_is_locked)
		return sys_memory(size, false);
	at = sys6(mmap, NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at))
		return NULL;
	sys2(munlock, at, size);
	if (!sys_failed(sys3(mprotect, at, size, PROT_READ | PROT_WRITE)))
		return (char *)at;
	sys2(munmap, at, size);
	return NULL;
}

/* The list of REGION, made if need be.  NULL: the system refuses. */
static intptr_t *list_make(uintptr_t region)
{
	intptr_t **place = &heap_lists[region >> HEAP_LIST_BITS], *none = NULL, *list = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	size_t size = sizeof *list << HEAP_LIST_BITS;

	if (list || !(list = sys_memory(size, false)))
		return list;
	if (__atomic_compare_exchange_n(place, &none, list, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return list;
	sys2(munmap, list, size);
	return none;
}

__attribute__((noinline)) bool heap_region_make(uintptr_t region)
{
	size_t size = (size_t)1 << HEAP_REGION_BITS;
	intptr_t none = 0, *list = failures < MOST_FAILURES && sys_address_space() / PART >= size ? list_make(region) : NULL;
	char *block = list ? block_make(size) : NULL;

	if (!block) {
		failures++;
		return false;
	}
	if (!__atomic_compare_exchange_n(&list[region % (1 << HEAP_LIST_BITS)], &none, (intptr_t)block - (intptr_t)(region << HEAP_REGION_BITS), false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		sys2(munmap, block, size);
	return true;
}
