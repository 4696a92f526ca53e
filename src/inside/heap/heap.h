/* heap.h - what the program allocates, by context: between the monitor and the library that aprof run preloads in front of the program's allocator
 * (preload/allocations.c).
 *
 * The library knows which address is whose, and nothing of contexts; the monitor knows contexts, and no address.  What passes between them is the number of
 * the place at which an allocation was counted. */
#ifndef HEAP_H
#define HEAP_H

#include <stdint.h>

#include "inside/monitor.h"

/* The calling thread has got SIZE bytes from the allocator, for the context that it is in.  Returns the number of the place where they are counted, to be given
 * back when they are freed; 0: they are counted nowhere.  Any thread, any time. */
uint32_t __aprof_heap_allocated(uint64_t size) __attribute__((weak));

/* SIZE bytes that were counted at PLACE, not 0, are the allocator's again.  Any thread, any time. */
void __aprof_heap_freed(uint32_t place, uint64_t size) __attribute__((weak));

/* Nobody will know when SIZE bytes are free that were counted at PLACE, not 0: they are taken for it, and that is noted.  Any thread, any time. */
void __aprof_heap_untracked(uint32_t place, uint64_t size) __attribute__((weak));

/* The address of the first of these in the monitor that aprof run preloads into programs without hooks of their own, which may be there for nothing. */
extern uint32_t (*const __aprof_heap_preloaded)(uint64_t size) __attribute__((weak));

#endif
