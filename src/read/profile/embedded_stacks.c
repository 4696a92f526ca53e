/* embedded_stacks.c - call stacks beside exact contexts of the same processes: a file of this format, whole, in a chunk of another. */
#include <string.h>

#include "read/profile/writer.h"

void *profile_sampled_chunk(const void *file, size_t size, size_t *len, struct error *err)
{
	struct amon_chunk *chunk = writer_bytes(AMON_SAMPLED, size, len);

	if (chunk)
		memcpy(chunk + 1, file, size);
	else
		error_no_memory(err, "writing call stacks");
	return chunk;
}
