/* maps.h - what is mapped, by /proc. */
#ifndef MAPS_H
#define MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

enum { MAPS_PATH = 4096 };			/* bytes of a path, at most */

/* A mapping, as a line of the memory map tells of it. */
struct mapping {
	uintptr_t start, end, offset;	/* addresses, file offset in bytes */
	char mode[4];			/* rwxp */
	const char *path;		/* "" for anonymous memory */
};

/* Hand each mapping to VISIT, until it returns true.  The lock of the process is held: there is one buffer.  False: the map could not be read. */
bool maps_each(bool (*visit)(const struct mapping *m, void *arg), void *arg) HIDDEN;

#endif
