/* routine.h - who called a hook. */
#ifndef ROUTINE_H
#define ROUTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

uint32_t routine_known(uintptr_t address) HIDDEN; /* index; AMON_NONE. Any time. */
uintptr_t routine_address(uint32_t index, uint32_t *flags) HIDDEN; /* the reverse */
void routine_hide(uintptr_t start, uintptr_t end, uintptr_t tag) HIDDEN; /* nothing at START .. END is known any more */
void routine_show(uintptr_t tag) HIDDEN;	/* what was hidden with TAG is there again */
void routine_forget(void) HIDDEN;		/* forked child: nobody else is at work */

/* The routine with a hook in the code START .. END; AMON_NONE: no hook was seen there. Any time. */
uint32_t routine_within(uintptr_t start, uintptr_t end) HIDDEN;

/* A slot of their table. */
struct routine_slot {
	uintptr_t address;		/* 0: empty */
	uint32_t index;			/* of the routine */
};

/* Under the lock of the process: where ADDRESS is, or is to be added; NULL: no memory.  Then add it, with the next index, which is returned. */
struct routine_slot *routine_place(uintptr_t address) HIDDEN;
uint32_t routine_add(struct routine_slot *s, uintptr_t address, uint32_t flags) HIDDEN;

#endif
