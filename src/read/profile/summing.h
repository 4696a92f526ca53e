/* summing.h - a sum under way: what sum.c and settle.c hand to each other. */
#ifndef SUMMING_H
#define SUMMING_H

#include "read/profile/key_table.h"
#include "read/profile/private.h"
#include "read/profile/sum.h"

struct profile_sum {
	struct profile_sum *sampled;	/* of the call stacks beside; NULL: none so far */
	struct profile *p;		/* modules, routines, contexts, threads, scripts and symbols so far; its only run has header, label and calls */
	bool by_name;			/* threads of one name are one */
	uint64_t processes;		/* how many were added up */
	uint64_t ranks;			/* of MPI jobs, of which these are; meaningful unless `unranked` */
	bool unranked;			/* some are of none */
	struct table names;		/* by_name: threads by name */
	struct key_table shares, amounts, pcs, detours, sites, arcs, slices; /* those of the profile to be, in no order */
	struct key_table commands;		/* struct profile_command, by name */
	uint32_t *module_of, *routine_of, *context_of, *thread_of; /* of the profile at hand -> of p */
	uint32_t *value_of;		/* the same of values */
	size_t module_room, routine_room, context_room, thread_room, value_room;
	uint64_t *left;			/* of a thread at hand: context of the profile at hand -> entries that came from its parent */
	size_t left_room;
	history_entry *history;		/* one, spelt out */
	size_t history_room;
};

/* Each of them adds one record; false: out of memory. */
bool sum_share(struct key_table *k, const struct profile_share *s);
bool sum_amount(struct key_table *k, const struct profile_amount *a);
bool sum_pc(struct key_table *k, const struct profile_pc *pc);
bool sum_detour(struct key_table *k, const struct profile_detour *d);
bool sum_site(struct key_table *k, const struct profile_site *s);
bool sum_arc(struct key_table *k, const struct profile_arc *a);
bool sum_slice(struct key_table *k, const struct profile_slice *s);

/* Threads of S by name from now on, also those that were kept apart.  False: out of memory. */
bool sum_fold_threads(struct profile_sum *s);

/* Put all of S in its final order, and into its profile.  False: out of memory. */
bool sum_settle(struct profile_sum *s);

#endif
