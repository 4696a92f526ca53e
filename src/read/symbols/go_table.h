/* go_table.h - the functions of a program made by Go's own compiler, from the table that its runtime needs (.gopclntab): stripping leaves it.
 *
 * Source of the format: runtime/symtab.go and cmd/link/internal/ld/pcln.go of Go 1.16 to 1.25. */
#ifndef SYMBOLS_GO_TABLE_H
#define SYMBOLS_GO_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "read/symbols/binary.h"

struct go_table {
	const unsigned char *bytes;	/* the table, which lives as long as the binary; NULL: there is none */
	uint64_t size;			/* bytes of it */
	uint64_t text;			/* link-time address that functions count from */
	uint64_t names, pcs, functions;	/* offsets of parts of it */
	uint32_t n;			/* functions */
	bool wide;			/* its functions begin at addresses, not at offsets (until Go 1.17) */
};

struct go_function {
	uint64_t start, end;		/* link-time addresses */
	const char *name;		/* as linked: runtime.mallocgc, main.(*T).run */
	uint32_t depths;		/* where its depths are, for go_table_depth */
};

/* The table of B; false: it has none, or one of another version of Go. */
bool go_table_read(struct go_table *t, const struct binary *b);

/* Function I of T, in the order of addresses; false: the table says what cannot be. */
bool go_table_function(const struct go_table *t, uint32_t i, struct go_function *f);

/* The function of T that ADDRESS, link-time, is in; false: none. */
bool go_table_find(const struct go_table *t, uint64_t address, struct go_function *f);

/* How many bytes above the stack pointer function F has its return address, at ADDRESS in it: *DEPTH, the same until *END.  False: it is not said. */
bool go_table_depth(const struct go_table *t, const struct go_function *f, uint64_t address, uint32_t *depth, uint64_t *end);

#endif
