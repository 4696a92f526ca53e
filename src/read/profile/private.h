/* private.h - what the files of read/profile/ share and no one else sees. */
#ifndef PROFILE_PRIVATE_H
#define PROFILE_PRIVATE_H

#include <stdbool.h>

#include "base/array.h"
#include "base/table.h"
#include "read/profile/histories.h"
#include "read/profile/profile.h"

struct profile_private {
	size_t runs, modules, routines, threads;	/* for how many there is room */
	size_t contexts, nodes, shares, pcs, stacks, sites, symbols, arcs, room;	/* likewise; nodes for node_of, room for detours */
	struct table module_table;	/* modules by build-id, else path */
	struct table routine_table;	/* routines by (module, address, flags, pseudo) */
	struct histories histories;	/* every history, and which context has it */
	size_t phases, scripts, spreads, slices, values, amounts; /* likewise */
	char *phase;			/* the only one that counts; NULL: all */
	char *value;			/* the one that is to be in the place of times; NULL: each file's first */
	enum profile_value_from value_from; /* who has that */
	bool value_beside;		/* some file has it in its call stacks alone */
	bool weighed;			/* some share has squares */
	uint64_t divisor;		/* parts.c: times come so many times too large; 0: they do not */
	uint32_t *node_of;		/* context -> its node in histories */
};

/* How much of everything a profile holds: to go back to when a file turns out bad. */
struct profile_mark {
	uint32_t runs, modules, routines, threads, contexts, nodes, scripts, values;
	size_t amounts, shares, slices, pcs, stacks, sites, symbols, arcs, detours;
	bool value_beside;
};

struct profile_mark profile_mark(const struct profile *p);
void profile_rewind(struct profile *p, const struct profile_mark *mark);

/* The module like *M (its path of SIZE bytes, final NUL included, is copied), added if new. PROFILE_NONE: out of memory. */
uint32_t profile_module(struct profile *p, const struct profile_module *m, size_t size);

/* The routine equal to R, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_routine(struct profile *p, const struct profile_routine *r);

/* The context that is entered when ROUTINE is called in CONTEXT, added if new. PROFILE_NONE: out of memory. */
uint32_t profile_step(struct profile *p, uint32_t context, uint32_t routine);

/* Modules and routines stand in other places now: find them there. */
void profile_tables_renew(struct profile *p);

/* Add what S has to SUM, which stands for the same thread and context. */
void profile_sum_share(struct profile_share *sum, const struct profile_share *s);

/* Add S to the sums of its context and of P. */
void profile_add_share(struct profile *p, const struct profile_share *s);

/* The order of a profile's records, for qsort; 0: two that add up to one (record_order.c). */
int order_shares(const void *x, const void *y);
int order_amounts(const void *x, const void *y);
int order_slices(const void *x, const void *y);
void slice_add_up(struct profile_slice *to, const struct profile_slice *s);	/* both of one key */
int order_pcs(const void *x, const void *y);
int order_detours(const void *x, const void *y);
int order_sites(const void *x, const void *y);
int order_arcs(const void *x, const void *y);

/* Add how the contexts of Q differ over its ranks to P, of which they are CONTEXT_OF.  False: out of memory. */
bool profile_add_spreads(struct profile *p, const struct profile *q, const uint32_t *context_of);

/* See that P has a spread of each context, if it has any.  False: out of memory. */
bool profile_cover_spreads(struct profile *p);

#endif
