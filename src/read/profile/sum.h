/* sum.h - many profiles added up to one, in memory that grows with the sum and not with what is added.
 *
 * The sum is the same in whatever order profiles are added, and whatever parts of it were sums already:
 * - contexts have for a parent the one that their history itself tells: all its entries but the last, called one after the other (a history
 *   is what it becomes by that).  Where no process came that way a context without calls stands there.
 * - modules, routines, contexts and threads stand in an order that their contents tell (settle.c).
 * - threads stay apart while the sum is of SUM_APART processes at most, and with them what is known by interval; those of more are added up by name.
 * - what there can be one of only is that of the process which began first (headers.h).
 * What a file of a sum cannot have is left out: phases, and stacks that were held against their contexts. */
#ifndef SUM_H
#define SUM_H

#include "read/profile/profile.h"

enum { SUM_APART = 16 };

struct profile_sum;

/* A sum of nothing.  MANY: it will be of more than SUM_APART processes, so threads need not be kept apart until that is seen.  NULL: out of memory. */
struct profile_sum *profile_sum_new(bool many);
void profile_sum_free(struct profile_sum *s);

/* Add P, whose runs are all of one kind.  False with *ERR set: it does not go with what was added before, and S is as it was; or memory is
 * short, and S is good for nothing but to be freed. */
bool profile_sum_add(struct profile_sum *s, const struct profile *p, struct error *err);

/* Will the sum of the runs of P, which tells what was when, tell it, too? */
bool profile_sum_keeps_slices(const struct profile *p);

/* Bytes of symbols that S carries.  Those of many files say the same in other words; whoever knows what is in them (understand/input/) may put others in
 * their place, in the profile itself, which profile_sum_so_far lends.  It is not in order. */
size_t profile_sum_symbols(const struct profile_sum *s);
struct profile *profile_sum_so_far(struct profile_sum *s);

/* The sum as a profile of one run, which the caller frees with profile_free; S is gone.  NULL with *ERR set: memory is short. */
struct profile *profile_sum_take(struct profile_sum *s, struct error *err);

#endif
