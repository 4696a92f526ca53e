/* context.h - contexts, and the transitions that lead to them. */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/amon.h"
#include "contract/layout.h"

/* What a context is called.  A call of ROUTINE in the context FROM leads to the one called context_step(FROM, ROUTINE),
 * so the fast path knows where it goes before it has looked anything up: no load stands between one call and the next.
 * No two contexts of a machine have one id; where the step gives one that is taken, the context gets another, and an
 * alias leads to it. */
typedef uint64_t context_id;

#define NO_ROUTINE UINTPTR_MAX		/* in the key of a context that no call finds by it */
#define ROOT_ID UINT64_C(0x9e3779b97f4a7c15) /* of the root; other contexts without a caller are near it */

/* For one routine no two contexts step to one id.  All code with hooks written into it does the same (layout.h). */
static inline context_id context_step(context_id from, uintptr_t routine) { return (from + routine) * STEP_FACTOR; }

/* The id in the key of a transition from the call site SITE; 0: from any. */
static inline context_id key_step(context_id from, uintptr_t routine, uintptr_t site)
{
	context_id id = context_step(from, routine);

	return site ? context_step(id, site) : id;
}

/* The key of a transition, (id that it steps to, routine), stands in the counters of its item: a call that finds
 * its context bumps it in the cache line that it compared (B1).  The key is exact: for one routine the step is one to one.
 * Keys never change once they are in a table and
 * are never freed, so a probe that finds its key is right whatever a signal handler did meanwhile.
 * A transition to a context made by another one, and a direct recursive call, is an alias.
 *
 * Where call sites are told apart, each (context, call site, routine) is an alias; its key is exact, too: (id, routine, site). */
struct alias {
	struct amon_counter key;	/* id and routine as in a context, but nothing is called so; calls unused; its
					 * time is the address of the counters of the context after the call */
	struct amon_counter *count;	/* whose calls to bump */
	context_id to;			/* context after the call */
	uintptr_t site;			/* the call site that it is of, by which key.id has been stepped once more; 0: of any */
	uintptr_t unused;		/* to fill a cache line */
};

_Static_assert(offsetof(struct amon_counter, calls) == KEY_CALLS && offsetof(struct amon_counter, time) == KEY_TIME &&
	       offsetof(struct amon_counter, id) == KEY_ID && offsetof(struct amon_counter, routine) == KEY_ROUTINE, "as in layout.h");
_Static_assert(offsetof(struct alias, key) == 0 && offsetof(struct alias, count) == ALIAS_COUNT && offsetof(struct alias, to) == ALIAS_TO &&
	       offsetof(struct alias, site) == ALIAS_SITE, "as in layout.h");
_Static_assert(ROUTINE_INSIDE == AMON_ROUTINE_INSIDE, "as in layout.h");

/* A routine's address, as part of a key, while its module is unloaded: with a tag of the module in the bits that no
 * address has, so that no call finds it. */
#define KEY_TAG_SHIFT 48
#define KEY_ADDRESS ((UINT64_C(1) << KEY_TAG_SHIFT) - 1)

/* A context, or an alias + 1.  0: none. */
typedef uintptr_t target;

static inline bool target_is_alias(target t) { return t & 1; }
static inline struct alias *target_alias(target t) { return (struct alias *)(t - 1); }
static inline struct amon_counter *target_key(target t) { return (struct amon_counter *)(t & ~(uintptr_t)1); }
static inline context_id target_to(target t) { return t & 1 ? target_alias(t)->to : target_key(t)->id; }
static inline uintptr_t target_site(target t) { return t & 1 ? target_alias(t)->site : 0; }
static inline struct amon_counter *target_count(target t) { return t & 1 ? target_alias(t)->count : target_key(t); }

/* The counters of the context that T leads to: those that are charged there. */
static inline struct amon_counter *target_charged(target t)
{
	return t & 1 ? (struct amon_counter *)(uintptr_t)target_alias(t)->key.time : target_key(t);
}

static inline bool target_matches(target t, context_id id, uintptr_t routine, uintptr_t site)
{
	return target_key(t)->id == id && target_key(t)->routine == routine && target_site(t) == site;
}

#endif
