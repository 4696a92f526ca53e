/* private.h - what the files of profile/ share and no one else sees. */
#ifndef PROFILE_PRIVATE_H
#define PROFILE_PRIVATE_H

#include "array.h"
#include "histories.h"
#include "profile.h"

/* Calls that entered a context otherwise than from its parent; kept so that a file
 * written from the profile says as exactly from where the calls came. */
struct profile_detour {
	uint32_t thread;	/* index in threads[] */
	uint32_t from;		/* context that called */
	uint32_t to;		/* context entered */
	uint64_t calls;		/* how often */
};

struct profile_private {
	size_t runs, modules, routines, threads;	/* for how many there is room */
	size_t contexts, nodes, shares, pcs, room;	/* likewise; nodes for node_of, room for detours */
	struct table module_table;	/* modules by build-id, else path */
	struct table routine_table;	/* routines by (module, address, flags, pseudo) */
	struct histories histories;	/* every history, and which context has it */
	size_t phases;			/* likewise */
	char *phase;			/* the only one that counts; NULL: all */
	uint32_t *node_of;		/* context -> its node in histories */
	struct profile_detour *detours;	/* in order of threads */
	size_t ndetours;		/* how many */
};

/* How much of everything a profile holds: to go back to when a file turns out bad. */
struct profile_mark {
	uint32_t runs, modules, routines, threads, contexts, nodes;
	size_t shares, pcs, detours;
};

struct profile_mark profile_mark(const struct profile *p);
void profile_rewind(struct profile *p, const struct profile_mark *mark);

/* The module like *M (its path of SIZE bytes, final NUL included, is copied), added if new. PROFILE_NONE: out of memory. */
uint32_t profile_module(struct profile *p, const struct profile_module *m, size_t size);

/* The routine equal to R, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_routine(struct profile *p, const struct profile_routine *r);

/* The context that is entered when ROUTINE is called in CONTEXT, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_step(struct profile *p, uint32_t context, uint32_t routine);

/* hooks.c: the cost of hooks within the time of S as its run was calibrated, ns. */
int64_t hooks_calibrated(const struct profile *p, const struct profile_share *s);

#endif
