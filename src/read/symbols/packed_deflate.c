/* packed_deflate.c - a message of packed symbols as the bytes that the file has of it. */
#include "read/symbols/packed_message.h"

#include <stdlib.h>
#include <zlib.h>

bool packed_deflate(const Symbols *m, struct profile_symbols *out)
{
	size_t size = symbols__get_packed_size(m);
	unsigned char *plain = malloc(size + 1);
	uLongf room = compressBound(size);

	out->data = plain ? malloc(room) : NULL;
	if (out->data)
		symbols__pack(m, plain);
	if (out->data && compress2(out->data, &room, plain, size, Z_BEST_COMPRESSION) != Z_OK) {
		free(out->data);
		out->data = NULL;
	}
	free(plain);
	out->size = room;
	out->plain_size = size;
	return out->data != NULL;
}
