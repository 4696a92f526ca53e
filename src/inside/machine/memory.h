/* memory.h - private memory, counted; zeros. NULL: none, which is noted. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/monitor.h"

void *memory_take(size_t size, bool populate) HIDDEN; /* SIZE bytes, resident at once if POPULATE */
void *memory_take_table(size_t before, uint32_t slots) HIDDEN; /* SLOTS words behind BEFORE bytes */
void memory_forget(void *memory, size_t size) HIDDEN; /* SIZE bytes are of no more use, but may be looked at */

#endif
