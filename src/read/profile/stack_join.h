/* stack_join.h - exact contexts and call stacks of the same processes, joined: which plain code, without hooks, ran below each exact context, and what was sampled by stack alone, by exact context.
 *
 *     stack      main  qsort  cmp  fold  towlower        main and cmp have hooks
 *     context    main         cmp                        of the exact profile
 *     path                         fold  towlower        below it
 *
 * A stack's routines with hooks, called one after the other (steps A1-A5, contract/history.h), give the exact context that its thread was in; the routines behind the
 * last of these are a path of plain code.  What stands above or between routines with hooks is the exact profile's not to say, and stays out.
 *
 * Where the monitor begins a history of its own the stack goes on: behind a signal a routine is looked for at the root first, and at the root, too, if it is not known where the stack has it.
 *
 * Of a context that no stack stands in its program counters tell, one routine deep.
 *
 * The stacks' profile keeps of a stack its history.  Where routines recur in it through each other, two stacks that have different exact contexts may have one
 * history: then the one that was seen first stands for both. */
#ifndef PROFILE_STACK_JOIN_H
#define PROFILE_STACK_JOIN_H

#include "read/profile/profile.h"

/* What the caller, who knows symbols, says of the routines. */
struct stack_join_given {
	const uint32_t *routine_of;	/* by routine of the stacks: in the exact profile; a routine with hooks in it, or a plain one (parts_routine), or, where no paths are wanted, PROFILE_NONE */
	const uint32_t *alike;		/* by routine of the exact profile: the next one of the same function; PROFILE_NONE: no more */
	uint32_t hooked;		/* routines of the exact profile before this one have hooks, the others are plain */
	const double *counts;		/* by context of the stacks: what of its samples counts, 0..1; the others found aprof's own code */
	const uint32_t *leaf_of;	/* by program counter of the exact profile: the plain routine in whose code it was, BELOW_OWN or BELOW_NOTHING; NULL: none count */
};

enum {
	BELOW_OWN = PROFILE_NONE,		/* in the routine's own code */
	BELOW_NOTHING = PROFILE_NONE - 1,	/* in aprof's, or nobody knows */
};

/* Samples of one exact context of one thread that found one path below it. */
struct stack_join_part {
	uint32_t context;		/* the exact one */
	uint32_t thread;		/* of the exact profile; PROFILE_NONE: it cannot be told */
	uint32_t path;			/* a context of plain code, `plain` of the profile or above; or `context`: its own code */
	double samples;			/* above 0 */
};

struct stack_join {
	struct stack_join_part *parts;	/* by context, thread, path; each triple once */
	size_t n;			/* how many */
	uint32_t hooked;		/* as given */
	uint64_t samples;		/* of all stacks */
	uint64_t placed;		/* of those that an exact context is known of, */
	uint64_t outside;		/* of those without any routine with hooks, */
	uint64_t cut;			/* of those whose callers are not all known, */
	uint64_t strange;		/* and of those whose routines with hooks name no exact context: they ran before the monitor began, or unknown to it */
};

/* Join P and its call stacks, P->sampled.  P gets the contexts of the paths, without calls, times or samples, behind those that it has, and `plain`.  Call it once for a P.
 * False with *ERR set: out of memory, and P is good for nothing but to be freed.  Freed with stack_join_free. */
bool stack_join_make(struct stack_join *b, struct profile *p, const struct stack_join_given *given, struct error *err);
void stack_join_free(struct stack_join *b);

/* Give the contexts of P, whose value is one that its call stacks alone have (profile_value_is_beside), what these have of it: amounts, samples and
 * squares go where stack_join_make would have a sample, below the contexts only if they are to be SPLIT; of stacks outside of all routines with
 * hooks to the root.  What is aprof's own becomes P's `monitor`, and of stacks that no exact context is known of `unplaced`.  Threads are told by
 * the kernel's id, or where it is not one thread's by name; else what they have is the first one's.  *B has no parts.  Likewise. */
bool stack_join_charge(struct stack_join *b, struct profile *p, const struct stack_join_given *given, bool split, struct error *err);

#endif
