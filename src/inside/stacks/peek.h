/* peek.h - reading the stack, wherever a description says that it is. */
#ifndef PEEK_H
#define PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/monitor.h"
#include "inside/stacks/unwind.h"

enum { PEEK_PAGE = 4096 };

/* The SIZE bytes at ADDRESS as a number, *VALUE.  False: they cannot be read. */
bool peek_memory(struct unwind *u, uintptr_t address, size_t size, uintptr_t *value) HIDDEN;

/* The same for a word. */
static inline bool peek_word(struct unwind *u, uintptr_t address, uintptr_t *value)
{
	if (address % sizeof *value || (address & -(uintptr_t)PEEK_PAGE) != u->page)
		return peek_memory(u, address, sizeof *value, value);
	*value = *(const volatile uintptr_t *)address;
	return true;
}

#endif
