/* number.c - strtoll, held to its word. */
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>

bool number_read(const char *text, int64_t least, int64_t most, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return end != text && !*end && errno == 0 && *value >= least && *value <= most;
}
