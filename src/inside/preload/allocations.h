/* allocations.h - that memory was got, or is free again: to whoever counts it. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdint.h>

#include "inside/monitor.h"
#include "inside/preload/heap_table.h"

/* The program got SIZE bytes.  The place where they are counted, of an entry; 0: nowhere. */
uint32_t allocation_place(uint64_t size) HIDDEN;

/* The same at P, which gets an entry; NULL: it got none.  Returns P. */
void *allocation_counted(void *p, uint64_t size) HIDDEN;

/* What E stands for is free again; of a place 0 nothing is. */
void allocation_freed(struct heap_entry e) HIDDEN;

/* What E stands for has no place where its end could be looked up. */
void allocation_untracked(struct heap_entry e) HIDDEN;

/* Is CODE within the allocator behind us? */
bool allocation_is_within(const void *code) HIDDEN;

#endif
