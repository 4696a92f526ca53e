/* inline.h - way inline's hooks out of line. */
#ifndef INLINE_H
#define INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/machine/context.h"
#include "inside/monitor.h"

struct amon_counter;

/* ROUTINE is entered, with the stack at about SP; READS: its code reads the counter; SITE: where it returns to, if its code tells its call
 * sites, else 0. Returns what was there before the entry, which is what its exit puts back. */
struct entered {
	context_id before;		/* the context */
	struct amon_counter *charged;	/* aprof_tls.charged; of no use but to a routine that reads the counter */
};
struct entered aprof_inline_slow(uintptr_t routine, uintptr_t sp, bool reads, uintptr_t site) HIDDEN;
void aprof_inline_settle(void) HIDDEN;	/* clock tsc: charge the current context, which aprof_tls.charged is not of */

#endif
