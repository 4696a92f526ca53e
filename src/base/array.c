/* array.c - growth of arrays. */
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve(void *array, size_t *room, size_t need, size_t size)
{
	size_t more = *room + *room / 2 < 16 ? 16 : *room + *room / 2;
	void *old, *new;

	assert(size > 0);
	if (need <= *room)
		return true;
	if (more < need)
		more = need;
	if (more > PTRDIFF_MAX / size)
		return false;
	memcpy(&old, array, sizeof old);
	new = realloc(old, more * size);
	if (!new)
		return false;
	memcpy(array, &new, sizeof new);
	*room = more;
	return true;
}

bool array_grow(void *array, size_t *room, uint32_t n, size_t size)
{
	return n < UINT32_MAX - 1 && array_reserve(array, room, (size_t)n + 1, size);
}
