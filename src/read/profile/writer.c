/* writer.c - a file grows by whole chunks. */
#include "read/profile/writer.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool writer_no_memory(struct writer *w)
{
	return error_no_memory(w->err, "writing the profile");
}

bool writer_append(struct writer *w, size_t size, size_t *at)
{
	if (size > PTRDIFF_MAX - w->len - AMON_PAGE)
		return writer_no_memory(w);
	size = (size + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	if (!array_reserve(&w->data, &w->room, w->len + size, 1))
		return writer_no_memory(w);
	memset(w->data + w->len, 0, size);
	assert(w->len % AMON_PAGE == 0);
	*at = w->len;
	w->len += size;
	return true;
}

bool writer_chunk(struct writer *w, uint32_t kind, uint32_t thread, const void *items, size_t n, size_t size, size_t *at)
{
	struct amon_chunk head = {
		.magic = AMON_CHUNK_MAGIC, .kind = kind, .thread = thread,
		.count = (uint32_t)n, .capacity = (uint32_t)n, .first = sizeof head,
	};
	size_t begin;

	if (n > UINT32_MAX - 1 || n > (PTRDIFF_MAX - sizeof head) / size)
		return writer_no_memory(w);
	if (!writer_append(w, sizeof head + n * size, &begin))
		return false;
	head.size = w->len - begin;
	memcpy(w->data + begin, &head, sizeof head);
	if (items && n > 0)
		memcpy(w->data + begin + sizeof head, items, n * size);
	*at = begin + sizeof head;
	return true;
}

void writer_set_base(struct writer *w, size_t at, size_t base, uint32_t value)
{
	struct amon_chunk head;

	memcpy(&head, w->data + at - sizeof head, sizeof head);
	head.base = (uint32_t)base;
	head.value = value;
	memcpy(w->data + at - sizeof head, &head, sizeof head);
}

void writer_set_count(struct writer *w, size_t at, uint32_t n)
{
	memcpy(w->data + at - sizeof(struct amon_chunk) + offsetof(struct amon_chunk, count), &n, sizeof n);
}

bool writer_context_chunk(struct writer *w, uint32_t thread, size_t base, size_t n)
{
	struct amon_chunk head = {
		.magic = AMON_CHUNK_MAGIC, .kind = AMON_CONTEXTS, .thread = thread,
		.count = (uint32_t)n, .capacity = (uint32_t)n, .first = sizeof head, .base = (uint32_t)base,
	};
	size_t begin, counters;

	if (!writer_append(w, sizeof head + n * sizeof *w->links, &begin) ||
	    !writer_append(w, n * (sizeof *w->counters + sizeof *w->ticks), &counters))
		return false;
	head.counters = (uint32_t)(counters - begin);
	head.size = w->len - begin;
	memcpy(w->data + begin, &head, sizeof head);
	memcpy(w->data + begin + sizeof head, w->links + base, n * sizeof *w->links);
	memcpy(w->data + counters, w->counters + base, n * sizeof *w->counters);
	memcpy(w->data + counters + n * sizeof *w->counters, w->ticks + base, n * sizeof *w->ticks);
	return true;
}

uint64_t writer_address(const struct writer *w, uint32_t module, uint64_t address)
{
	return module == PROFILE_NONE ? address : address - w->places[module].low + w->places[module].start;
}

struct amon_chunk *writer_bytes(uint32_t kind, size_t size, size_t *len)
{
	struct amon_chunk *chunk;

	*len = (sizeof *chunk + size + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	chunk = size <= UINT32_MAX / 2 ? calloc(1, *len) : NULL;
	if (chunk)
		*chunk = (struct amon_chunk){ .magic = AMON_CHUNK_MAGIC, .kind = kind, .size = *len, .thread = AMON_NONE, .count = (uint32_t)size, .capacity = (uint32_t)size,
			.first = sizeof *chunk };
	return chunk;
}
