/* icf.h - functions of which a linker (--icf) or a compiler (-fipa-icf) made one, since their code is the same: several names of one address that are not
 * names of one function.  Nothing in a file tells which is which; names do, as far as programmers give one function names that are alike. */
#ifndef ICF_H
#define ICF_H

#include <stdbool.h>
#include <stddef.h>

#include "read/symbols/functions.h"

/* Whether A and B, labels of one address, name different functions. */
bool icf_is(const struct label *a, const struct label *b);

/* Of a symbol's ALIASES those that name other functions, joined by '='; NULL: none does. */
const char *icf_names(const char *aliases);

/* The LENGTH bytes at NAME as it was written, without what says which clone it is: malloc'ed; NULL: out of memory. */
char *icf_written(const char *name, size_t length);

#endif
