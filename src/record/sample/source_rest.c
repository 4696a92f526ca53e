/* source_rest.c - what sources have in common. */
#include "record/sample/source.h"

#include <poll.h>

void source_rest(struct source *s, int wake, int ms)
{
	struct pollfd fd = { .fd = wake, .events = POLLIN };

	(void)s;
	poll(&fd, 1, ms);
}
