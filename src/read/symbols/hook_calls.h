/* hook_calls.h - calls of a profiler in machine code, found without running it.
 *
 * Way inline calls by a jump, out of the middle of a routine: each routine has one place that leads to the hook. */
#ifndef SYMBOLS_HOOK_CALLS_H
#define SYMBOLS_HOOK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/symbols/binary.h"

enum {
	HOOK_SLOTS = 8,		/* slots of one hook that are kept */
};

/* One hook function, as a binary refers to it. */
struct hook {
	const char *name;	/* its symbol */
	uint64_t address;	/* link-time address if the binary defines it; 0: it does not */
	bool wanted;		/* the binary leaves it to others to define */
	uint64_t slots[HOOK_SLOTS]; /* addresses of pointers to it: GOT entries */
	unsigned nslots;	/* how many */
};

/* Look NAME up in the symbol tables and relocations of the file of B. If they do not say where it is,
 * ADDRESS is taken, unless 0. */
struct hook hook_find(const struct binary *b, const char *name, uint64_t address);

/* Whether anything in B calls the hook or jumps to it: sure for x86-64, of other machines only whether it is wanted. */
bool hook_is_called(const struct binary *b, const struct hook *hook);

/* Whether the instruction at ADDRESS, or the first one after what has to precede an entry hook, calls it. x86-64 only. */
bool hook_is_at(const struct binary *b, const struct hook *hook, uint64_t address);

/* The addresses of all instructions in B that call the hook or jump to it, malloc'ed, in order within each section, their number in
 * *N.  NULL: out of memory. x86-64 only: of other machines none. */
uint64_t *hook_sites(const struct binary *b, const struct hook *hook, size_t *n);

/* Whether NAME, as linked, is a hook of aprof's, or another function of the monitor that is seen from outside. */
bool hooks_is_aprof(const char *name);

/* The same, or a hook of gprof's. */
bool hooks_is_profilers(const char *name);

/* The contents of the section called NAME of the file: *LENGTH bytes; NULL: there is none. */
const char *hooks_section(const struct binary *b, const char *name, size_t *length);

/* The addresses in the section __mcount_loc, malloc'ed, their number in *N; NULL: none, or out of memory. */
uint64_t *hooks_recorded(const struct binary *b, size_t *n);

/* Whether no-ops stand at the addresses in __mcount_loc, as -mnop-mcount leaves them. */
bool hooks_are_nops(const struct binary *b);

/* The library that B needs whose name begins with PREFIX; NULL: none.  Lives as long as B. */
const char *hooks_needed(const struct binary *b, const char *prefix);

/* The dynamic linker that B asks for, "" if that cannot be read; NULL: none, it is static. */
const char *hooks_loader(const struct binary *b);

/* Whether B has the note that the monitor carries, or needs a library of its name. */
bool hooks_monitor(const struct binary *b);

#endif
