/* table.h - tables by hash. NULL: one that has no slots yet. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

static inline uint64_t table_slot(uint64_t hash, uint32_t tag) { return hash << 32 | tag; }
void table_add(uint64_t *table, uint64_t slot) HIDDEN; /* which has room for it */
bool table_has_room(const uint64_t *table, uint32_t used) HIDDEN; /* for one more than USED */
bool table_grow(uint64_t **table, uint32_t used) HIDDEN; /* make room for one more than USED; false: no memory */

#endif
