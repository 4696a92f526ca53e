/* heap_table.c - see heap_table.h. */
#include "inside/preload/heap_table.h"

#include <sys/mman.h>

#include "inside/preload/heap_calls.h"
#include "inside/sys.h"

enum { MOST_FAILURES = 64 };		/* then no more blocks are asked for */

intptr_t heap_regions[HEAP_REGIONS];
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

__attribute__((noinline)) bool heap_region_make(uintptr_t region)
{
	size_t size = (size_t)1 << HEAP_REGION_BITS;
	char *block = failures < MOST_FAILURES ? block_make(size) : NULL;
	intptr_t none = 0;

	if (!block) {
		failures++;
		return false;
	}
	if (!__atomic_compare_exchange_n(&heap_regions[region], &none, (intptr_t)block - (intptr_t)(region << HEAP_REGION_BITS), false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		sys2(munmap, block, size);
	return true;
}
