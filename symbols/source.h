/* source.h - source places by DWARF. */
#ifndef SYMBOLS_SOURCE_H
#define SYMBOLS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary.h"

struct source_unit;

/* A range of addresses that a unit of DWARF says is its own. */
struct source_span {
	uint64_t start;		/* link-time address */
	uint64_t end;		/* one past the last */
	uint32_t unit;		/* index in units[] */
};

struct source {
	struct source_unit *units; /* compilation units that have code */
	size_t nunits;		/* how many */
	struct source_span *spans; /* by start */
	size_t nspans;		/* how many */
	uint64_t bias;		/* DWARF's addresses plus this are link-time ones */
};

/* Find the units of B's DWARF, its separate debug file's if need be.  Without DWARF there are none.
 * False: out of memory. */
bool source_read(struct source *s, const struct binary *b);
void source_free(struct source *s);

/* The source line of ADDRESS: sets *FILE, which lives as long as the binary, and *LINE; false: unknown. */
bool source_line(struct source *s, uint64_t address, const char **file, uint32_t *line);

/* Where the function that covers ADDRESS is declared: the function that it is a copy or a piece of,
 * if it is one.  Sets *FILE and *LINE as above; false: unknown. */
bool source_function(struct source *s, uint64_t address, const char **file, uint32_t *line);

#endif
