/* bulk.c - the heap made long at once, as one range that may have huge pages. */
#include "base/bulk.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* mallopt(3) */
enum {
	MUCH = 32 << 20,		/* bytes from which on it pays */
	KEPT = -1,			/* M_TRIM_THRESHOLD: what is free at the end of the heap stays there, whatever its size */
	MMAPS = 65536, PAD = 128 << 10, /* M_MMAP_MAX and M_TOP_PAD as they are at first */
};

void bulk_expect(size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)sbrk(0), end;
	void *first;

	if (bytes < MUCH)
		return;
	mallopt(M_MMAP_MAX, 0);			/* all of it in the heap */
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_TOP_PAD, bytes < INT_MAX ? (int)bytes : INT_MAX);
	first = malloc(MUCH);			/* more than is free at the heap's end: it grows, by so much more */
	mallopt(M_TOP_PAD, PAD);
	end = (uintptr_t)sbrk(0);
	if (first && end > begin)
		madvise((void *)((begin + page - 1) / page * page), (end - begin) / page * page, MADV_HUGEPAGE);
	else
		mallopt(M_MMAP_MAX, MMAPS);	/* a heap that cannot grow so far is no reason to do without the rest */
	free(first);
}
