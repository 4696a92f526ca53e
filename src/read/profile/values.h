/* values.h - what the files of read/profile/ share about values: which there are, and what contexts and arcs have of them. */
#ifndef PROFILE_VALUES_H
#define PROFILE_VALUES_H

#include "read/profile/private.h"

struct reader;
struct chunk;

extern const struct profile_value value_bytes; /* what calls moved, as far as somebody told */

/* The value that times of a file with the header *H are where no AMON_VALUES tell.  What was no time and shown as one by earlier versions is by so
 * much more as is returned, 1 as a rule; *H is then as it is made now. */
uint64_t value_of_header(struct amon_header *h, struct profile_value *v);

/* What V is, for people, into TEXT of SIZE bytes: "page-faults", "alloc_space, in bytes". */
void value_tell(const struct profile_value *v, char *text, size_t size);

/* Do A and B have one name and one unit? */
bool value_is_like(const struct profile_value *a, const struct profile_value *b);

/* The flags of the sum of two values; it does not depend on the order. */
uint32_t value_flags_join(uint32_t a, uint32_t b);

/* The value of P called NAME; PROFILE_NONE: there is none. */
uint32_t profile_value_find(const struct profile *p, const char *name);

/* The same for V, added if it is new; PROFILE_NONE: out of memory. */
uint32_t profile_value_add(struct profile *p, const struct profile_value *v);

/* Have the N values V, of a file called LABEL, the units that those of P have?  False with *ERR set. */
bool values_agree(const struct profile *p, const struct profile_value *v, size_t n, const char *label, struct error *err);

/* What item I has of the value that was chosen for R, by the N chunks C beside. */
void values_take_chosen(const struct reader *r, const struct chunk *c, size_t n, uint32_t i, uint64_t *amount, uint64_t *samples);

/* Take all that the N chunks C beside say of item I, which counts for S.  False with the error set. */
bool values_take_item(struct reader *r, const struct chunk *c, size_t n, uint32_t i, struct profile_share *s);

/* The same of the file's arcs, which stand in P from FIRST on. */
bool values_take_arcs(struct reader *r, size_t first);

/* Where it is not known of all samples of P what they stand for, forget it of the others. */
void squares_settle(struct profile *p);

/* Add MORE to TO. */
void amount_sum(struct profile_amount *to, const struct profile_amount *more);

/* Put the amounts of P from FIRST on in order, each once. */
void amounts_merge(struct profile *p, size_t first);

/* All is checked: what the values of the profile are with the file. */
void values_commit(struct reader *r);

#endif
