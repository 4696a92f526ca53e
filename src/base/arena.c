/* arena.c - blocks in a list; an allocation is the next bytes of the newest. */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 65536, ALIGN = 16 };	/* bytes */

struct arena_block {
	struct arena_block *next;	/* older one */
	size_t used;			/* bytes of data[] given away */
	size_t size;			/* bytes of data[] */
	_Alignas(ALIGN) char data[];	/* zeros, until given away */
};

static struct arena_block *add_block(struct arena *a, size_t size)
{
	size_t bytes = size > BLOCK ? size : BLOCK;
	struct arena_block *block = calloc(1, sizeof *block + bytes);

	if (!block)
		return NULL;
	block->size = bytes;
	block->next = a->blocks;
	a->blocks = block;
	return block;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *block = a->blocks;
	void *result;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGN - 1) & -(size_t)ALIGN;
	if (!block || size > block->size - block->used)
		block = add_block(a, size);
	if (!block)
		return NULL;
	result = block->data + block->used;
	assert((uintptr_t)result % ALIGN == 0 && size <= block->size - block->used);
	block->used += size;
	return result;
}

char *arena_copy(struct arena *a, const char *s, size_t length)
{
	char *copy = arena_alloc(a, length + 1);

	return copy ? memcpy(copy, s, length) : NULL;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
	va_list args;
	char *text, *copy;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return NULL;
	copy = arena_copy(a, text, length);
	free(text);
	return copy;
}

void arena_free(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *block = a->blocks;
		a->blocks = block->next;
		free(block);
	}
}
