/* cost_lines.h - what each line of the source costs, and where in it calls stand, as callgrind's files tell. */
#ifndef IMPORT_COST_LINES_H
#define IMPORT_COST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* What a line costs a function; or, if TO is one, a call that stands there. */
struct cost_line {
	uint32_t function, file, line, to; /* numbers that the reader gives them */
	uint64_t cost;
};

#define COST_LINE_NO_CALL UINT32_MAX

struct cost_lines {
	struct cost_line *all;
	uint32_t n;
	size_t room;
	struct table by_place;
};

void cost_lines_free(struct cost_lines *c);

/* Add COST to what there is of that place.  False: out of memory. */
bool cost_lines_add(struct cost_lines *c, const struct cost_line *line);

/* All are in: sort them by function.  Nothing is added any more. */
void cost_lines_settle(struct cost_lines *c);

/* Those of FUNCTION, *N of them. */
const struct cost_line *cost_lines_of(const struct cost_lines *c, uint32_t function, size_t *n);

#endif
