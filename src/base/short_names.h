/* short_names.h - the names of a profile, each as short as it can be among the others. */
#ifndef BASE_SHORT_NAMES_H
#define BASE_SHORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Set BRIEF[i] to the short form of the demangled name NAMES[i], which may be NULL, as BRIEF[i] is then.  It is the qualified name alone,
 * `std::vector::push_back`: without return type, without template arguments and parameters, without what the ABI puts between (`std::__cxx11`,
 * `std::__1`, `[abi:cxx11]`).  Where several different names would be the same then, each keeps so much of that as tells it from the others,
 * `std::vector<int, ...>::push_back`, the arguments shortened by the same rule.  Different names have different short forms.  The strings are of ARENA, or
 * NAMES' own.  BRIEF may be NAMES, which are replaced then.  False: out of memory. */
bool short_names(const char **brief, const char *const *names, size_t n, struct arena *arena);

#endif
