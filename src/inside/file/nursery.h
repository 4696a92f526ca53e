/* nursery.h - the file that short forked children share.
 *
 * A process that forks makes it, beside its own, and maps it; its children inherit the mapping, and each takes a place in it, as large as
 * most of them ever need, which is laid out as a file of its own is.  Nothing has to be opened, made or removed for a child, and what it has counted
 * is there however it ends. */
#ifndef NURSERY_H
#define NURSERY_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

enum { NURSERY_PLACE = 256 << 10 };		/* bytes of a place */

void nursery_prepare(void) HIDDEN;		/* the calling process is about to fork: see to it that there is a place */
void *nursery_take(void) HIDDEN;		/* in a forked child: its place, of zeros; NULL: there is none */

/* CPU time of young processes that waits for a sample (young_process.h), ns: add to it, where there is a nursery; and take all of it. */
void nursery_waits_add(uint64_t nsec) HIDDEN;
uint64_t nursery_waits_take(void) HIDDEN;

#endif
