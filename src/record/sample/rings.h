/* rings.h - the rings that programs leave in a folder, with samples of themselves: the recorder's side of contract/ring.h. */
#ifndef SAMPLE_RINGS_H
#define SAMPLE_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "contract/ring.h"
#include "record/sample/source.h"

/* That of a program. */
struct ring {
	struct ring_head *head;
	const char *data;
	uint64_t size;			/* of the data, bytes */
	uint64_t lost;			/* that were told */
	pid_t pid;
	uint64_t started;		/* with the process, whose it is; 0: nobody told */
	bool gone;			/* its program is: what is here now is all; the owner's */
	char *maps;			/* pieces so far */
	size_t maps_size, maps_room;
	struct ring_record *given;	/* the record that was told last, which is the program's again then; NULL: none */
};

/* All of them. */
struct rings {
	struct ring **all;
	size_t n, room;
};

/* Take up those in DIRECTORY whose names begin with NAME; their files go. */
void rings_look(struct rings *rings, const char *directory, const char *name);

/* The next that R has to tell, of before BEFORE, CLOCK_MONOTONIC ns, into *H; false: nothing now.  What it points to lives until the next call. */
bool ring_next(struct ring *r, uint64_t before, struct happening *h);

/* Nobody wants to be told of ring I any more. */
void rings_remove(struct rings *rings, size_t i);

void rings_free(struct rings *rings);

#endif
