/* sampled.c - call stacks beside exact contexts of the same processes: a file of this format, whole, in a chunk of another. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

void *profile_sampled_chunk(const void *file, size_t size, size_t *len, struct error *err)
{
	struct amon_chunk head = { .magic = AMON_CHUNK_MAGIC, .kind = AMON_SAMPLED, .thread = AMON_NONE, .first = sizeof head };
	unsigned char *chunk;

	*len = (sizeof head + size + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	chunk = size <= UINT32_MAX / 2 ? calloc(1, *len) : NULL;
	if (!chunk) {
		error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory while writing call stacks");
		return NULL;
	}
	head.size = *len;
	head.count = head.capacity = (uint32_t)size;
	memcpy(chunk, &head, sizeof head);
	memcpy(chunk + sizeof head, file, size);
	return chunk;
}
