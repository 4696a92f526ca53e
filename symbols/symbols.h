/* symbols.h - names and source places for addresses; the only place that opens ELF and DWARF.
 *
 * Built on elfutils' libdwfl (separate debug files, build-ids, debuginfod only when the user
 * has set DEBUGINFOD_URLS) and libiberty's demangler.  All strings belong to the struct symbols. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "profile.h"

struct symbols;

/* What is known of a function. */
struct symbol {
	const char *name;	/* as linked: mangled, clone suffix included; "0x4010" where there is none */
	const char *display;	/* demangled, clone suffix of a folded clone removed */
	const char *aliases;	/* other names of the same address, joined by '='; NULL: none */
	const char *file;	/* source file; NULL: unknown */
	uint32_t line;		/* line of its definition; 0: unknown */
	uint64_t start;		/* link-time address of its first byte */
	uint64_t size;		/* bytes; 0: unknown */
	bool part;		/* a .part or .cold piece: gives time to `display`, its entries are no calls */
	bool known;		/* false: no symbol covers the address, name is made of it */
};

/* Open the modules of P.  PROGRAM, when not NULL, is the file to use for the main program; it is
 * refused with ERROR_BUILD_ID when its build-id is not the one that was profiled.  A module that cannot be opened, or whose file
 * has another build-id, yields names like `0x4010` and a warning (symbols_warning), not an error.  NULL with *ERR set on failure. */
struct symbols *symbols_open(const struct profile *p, const char *program, struct error *err);
void symbols_free(struct symbols *s);

/* Warnings met so far, one line each; NULL past the last. */
const char *symbols_warning(const struct symbols *s, uint32_t i);

/* The function that covers ADDRESS (link-time) of module MODULE of the profile.  Never NULL; the same
 * pointer for every address of one function. */
const struct symbol *symbols_find(struct symbols *s, uint32_t module, uint64_t address);

/* The source line of ADDRESS: fills *FILE (owned by S) and *LINE; false when unknown. */
bool symbols_line(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line);

/* Call VISIT with every function of MODULE that has an entry hook in its code or in
 * __mcount_loc, called or not.  False when the way of compiling does not tell (cyg). */
bool symbols_hooked(struct symbols *s, uint32_t module,
		    void (*visit)(void *arg, const struct symbol *symbol), void *arg);

/* Whether MODULE has any call of an aprof hook: to tell a program without hooks. */
bool symbols_has_hooks(const char *path, struct error *err);

#endif
