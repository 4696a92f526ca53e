/* condition.h - which profiles of a store are meant: a small language, made into SQL.
 *
 *     service = web AND host != 'db 1' AND time > 2026-11-01 AND time <= now-2h AND label.zone = eu
 *
 *     condition:  comparison { AND comparison }
 *     comparison: field operator value
 *     field:      service | host | version | program | clock | time | label.NAME
 *     operator:   = | != | < | <= | > | >=           the last four for time alone
 *     value:      a word, or anything in '...' or "...", where the mark itself is written twice
 *
 * Times are UTC: 2026-11-01, 2026-11-01T12:30, 2026-11-01T12:30:59, with or without a Z; @SECONDS since 1970; now, or now-NUMBER and s, m, h, d or w.
 * A profile without label NAME has '' there. */
#ifndef STORE_CONDITION_H
#define STORE_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* TEXT as an expression about a row of aprof_profiles, malloc'ed, in which all that TEXT names are quoted values; NOW is the time, seconds since 1970.  NULL with *ERR
 * set: ERROR_USAGE, with a text that names the column, from 1, where it goes wrong; or memory is short. */
char *condition_sql(const char *text, uint64_t now, struct error *err);

/* Read TEXT as a time of a condition, seconds since 1970 (those that fit ClickHouse's DateTime), to *SECONDS.  False: it is none. */
bool condition_time(const char *text, uint64_t now, uint64_t *seconds);

/* Can NAME be that of a label?  A letter, then letters, digits, and _ - . */
bool condition_is_label(const char *name);

#endif
