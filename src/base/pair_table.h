/* pair_table.h - numbers by pairs of indices: arcs by (caller, callee), nodes by (parent, routine). */
#ifndef BASE_PAIR_TABLE_H
#define BASE_PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct pair;

/* All zeros: empty. */
struct pair_table {
	struct pair *pairs;	/* in the order in which they came; owned, pair_table_free frees them */
	size_t room;		/* how many fit there */
	uint32_t n;		/* how many there are */
	struct table table;	/* finds them */
};

/* The number of (A, B); 0 for a pair met for the first time, whose number, not 0, the caller then writes there.
 * Valid until the next call.  NULL: out of memory. */
uint32_t *pair_table_at(struct pair_table *t, uint32_t a, uint32_t b);

/* The number of (A, B), 0 if it was not met; adds nothing. */
uint32_t pair_table_find(const struct pair_table *t, uint32_t a, uint32_t b);

/* Free what T holds. */
void pair_table_free(struct pair_table *t);

#endif
