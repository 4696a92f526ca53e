/* key_table.h - records of which each key has one: those with a key that was met add up. */
#ifndef KEY_TABLE_H
#define KEY_TABLE_H

#include <stddef.h>

#include "base/table.h"

/* Records of one kind, in the order in which their keys came.  A key stands first in its record; it is of u32 and u64 words without room between. */
struct key_table {
	size_t size, key;	/* bytes of a record, of its key: a multiple of 4; set before the first use */
	char *items;		/* the records; freed by key_table_free */
	size_t n, room;		/* how many, and for how many there is room */
	struct table table;	/* finds them */
};

/* The record with the key of ITEM: a copy of it if it is new, *IS_NEW says so.  Valid until the next call.  NULL: out of memory. */
void *key_table_at(struct key_table *k, const void *item, bool *is_new);

/* Free what K holds; it is empty then. */
void key_table_free(struct key_table *k);

#endif
