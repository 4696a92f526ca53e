/* cost_lines.h - the lines of the source that cost something, and where in it calls stand, as callgrind's files tell: each once, with a number. */
#ifndef IMPORT_COST_LINES_H
#define IMPORT_COST_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* A line that costs a function something; or, if TO is one, a call that stands there. */
struct cost_line {
	uint32_t function, file, line, to; /* numbers that the reader gives them */
	uint32_t number;		/* of the line itself, in the order in which they came */
};

#define COST_LINE_NO_CALL UINT32_MAX

struct cost_lines {
	struct cost_line *all;
	uint32_t n;
	size_t room;
	struct table by_place;
};

void cost_lines_free(struct cost_lines *c);

/* The number of the line that is LINE but for its number, added if it is new.  COST_LINE_NONE: out of memory. */
uint32_t cost_lines_add(struct cost_lines *c, const struct cost_line *line);
#define COST_LINE_NONE UINT32_MAX

/* All are in: sort them by function.  Nothing is added any more. */
void cost_lines_settle(struct cost_lines *c);

/* Those of FUNCTION, *N of them. */
const struct cost_line *cost_lines_of(const struct cost_lines *c, uint32_t function, size_t *n);

#endif
