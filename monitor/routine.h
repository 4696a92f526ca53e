/* routine.h - who called a hook. */
#ifndef ROUTINE_H
#define ROUTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

uint32_t routine_index(uintptr_t address, uint32_t flags) HIDDEN; /* AMON_NONE: no room */
uintptr_t routine_address(uint32_t index, uint32_t *flags) HIDDEN; /* the reverse */
uint32_t routine_known(uintptr_t address) HIDDEN; /* the same if it is known; AMON_NONE. Any time. */
void routine_hide(uintptr_t start, uintptr_t end, uintptr_t tag) HIDDEN; /* nothing at START .. END is known any more */
void routine_show(uintptr_t tag) HIDDEN;	/* what was hidden with TAG is there again */
bool routine_record_all(void) HIDDEN;		/* forked child: write all of them to the new file */
void routine_forget(void) HIDDEN;		/* forked child: nobody else is at work */

/* The routine with a hook in the code START .. END; AMON_NONE: no hook was seen there. Any time. */
uint32_t routine_within(uintptr_t start, uintptr_t end) HIDDEN;

#endif
