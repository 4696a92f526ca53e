/* private.h - what the files of profile/ share and no one else sees. */
#ifndef PROFILE_PRIVATE_H
#define PROFILE_PRIVATE_H

#include <stdbool.h>

#include "base/array.h"
#include "base/table.h"
#include "profile/histories.h"
#include "profile/profile.h"

struct profile_private {
	size_t runs, modules, routines, threads;	/* for how many there is room */
	size_t contexts, nodes, shares, pcs, stacks, symbols, room;	/* likewise; nodes for node_of, room for detours */
	struct table module_table;	/* modules by build-id, else path */
	struct table routine_table;	/* routines by (module, address, flags, pseudo) */
	struct histories histories;	/* every history, and which context has it */
	size_t phases;			/* likewise */
	char *phase;			/* the only one that counts; NULL: all */
	uint32_t *node_of;		/* context -> its node in histories */
};

/* How much of everything a profile holds: to go back to when a file turns out bad. */
struct profile_mark {
	uint32_t runs, modules, routines, threads, contexts, nodes;
	size_t shares, pcs, stacks, symbols, detours;
};

struct profile_mark profile_mark(const struct profile *p);
void profile_rewind(struct profile *p, const struct profile_mark *mark);

/* The module like *M (its path of SIZE bytes, final NUL included, is copied), added if new. PROFILE_NONE: out of memory. */
uint32_t profile_module(struct profile *p, const struct profile_module *m, size_t size);

/* The routine equal to R, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_routine(struct profile *p, const struct profile_routine *r);

/* The context that is entered when ROUTINE is called in CONTEXT, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_step(struct profile *p, uint32_t context, uint32_t routine);

#endif
