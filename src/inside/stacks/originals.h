/* originals.h - what is behind the functions of libc and libgcc that come to the monitor first: by --wrap from what is linked with it, and by the
 * names themselves (names.S) from shared libraries, since a program's own come before theirs. */
#ifndef ORIGINALS_H
#define ORIGINALS_H

#include <stdbool.h>
#include <stddef.h>

#include "inside/monitor.h"

/* The function NAME of the modules behind ours, as the dynamic linker would find it, but by no lock that a handler could have interrupted
 * beyond the first time: WHERE keeps it. NULL: there is none. */
void *original(void **where, const char *name) HIDDEN;

/* Do the process's modules find NAME here, before any other? */
bool original_is_first(const char *name) HIDDEN;

/* The function NAME of a library that is neither libc, which has empty hooks of the names of way cyg, nor a monitor.  NULL: there is none. */
void *original_of_library(const char *name) HIDDEN;

#define EXPORTED __attribute__((visibility("default")))

#ifdef APROF_MCOUNT
/* Our function in front of NAME by a name that is the preloaded monitor's alone (mcount.S). */
#define FRONT(name) extern __typeof(__wrap_##name) aprof_front_##name __attribute__((alias("__wrap_" #name), visibility("hidden")))
#endif

/* What is behind NAME. */
#define BEHIND(name, type) \
	static void *name##_behind; \
	static type *real_##name(void) { return (type *)original(&name##_behind, #name); }

/* Of each: the function itself in a static program (--wrap), NULL or names.S's elsewhere; that of names.S; and what is behind. */
#ifdef APROF_MCOUNT
#define REAL BEHIND
#else
#define REAL(name, type) \
	extern type __real_##name __attribute__((weak)); \
	extern type aprof_name_##name __attribute__((weak)); \
	static void *name##_behind; \
	static type *real_##name(void) \
	{ \
		type *volatile real = __real_##name, *volatile ours = aprof_name_##name; \
	\
		return real && real != ours ? real : (type *)original(&name##_behind, #name); \
	}
#endif

#endif
