/* clone.h - what the suffix of a symbol says about the function that it was made from. */
#ifndef CLONE_H
#define CLONE_H

#include <stdbool.h>
#include <stddef.h>

struct clone {
	size_t base;		/* bytes of the name without the suffixes of clones */
	size_t stem;		/* the same, but suffixes before the innermost renaming kept: what the compiler cloned */
	bool copied;		/* another function stands behind it: .constprop, .isra, .part, .cold and the like */
	bool part;		/* it is a piece of that function, not all of it: .part, .cold */
};

/* Take NAME apart.  Suffixes of routines of their own (._omp_fn.0, .resolver, .avx2) belong to the base. */
struct clone clone_parse(const char *name);

#endif
