/* functions.h - the functions of a binary, by address and by name. */
#ifndef SYMBOLS_FUNCTIONS_H
#define SYMBOLS_FUNCTIONS_H

#include "base/arena.h"
#include "read/symbols/binary.h"
#include "read/symbols/clone.h"

#define FUNCTION_NONE UINT32_MAX

/* A symbol of the file. */
struct label {
	uint64_t start;		/* link-time address */
	uint64_t size;		/* bytes; 0: not said */
	const char *name;	/* as linked, default version cut off */
	const char *unit;	/* source file that the symbol table names, of a local symbol; NULL: none */
	bool function;		/* STT_FUNC or STT_GNU_IFUNC, not untyped */
	bool indirect;		/* STT_GNU_IFUNC */
	bool local;		/* STB_LOCAL */
	bool weak;		/* STB_WEAK */
};

/* One function: all labels of one address. */
struct function {
	uint64_t start;		/* link-time address */
	uint64_t end;		/* one past its last byte */
	uint32_t label;		/* its principal name in labels[] */
	uint32_t nlabels;	/* names in all, the aliases after the principal one */
	struct clone clone;	/* what the principal name says */
};

/* A piece of the address space.  Ranges are disjoint and sorted; they are cut where functions nest. */
struct range {
	uint64_t start;		/* link-time address */
	uint64_t end;		/* one past the last */
	uint32_t function;	/* index in functions[] */
};

/* A name of a function, its aliases included. */
struct function_name {
	const char *name;	/* as linked */
	size_t base;		/* bytes of it without the suffixes of clones */
	uint32_t function;	/* index in functions[] */
};

struct functions {
	struct label *labels;	/* by address, the best name first */
	size_t nlabels;		/* how many */
	struct function *functions; /* by address */
	uint32_t nfunctions;	/* how many */
	struct range *ranges;	/* where they are */
	size_t nranges;		/* how many */
	struct function_name *names; /* all names of all functions by base, then address; NULL until asked for */
	uint32_t *by_base;	/* their functions; the same */
	size_t nnames;		/* how many */
	const char **units;	/* names of data that end with _E, as GNAT has one for each package; sorted */
	size_t nunits;		/* how many */
	bool fortran;		/* it has or uses something of gfortran's library */
	bool ada;		/* it has what starts a program of GNAT's */
};

/* Read the symbols of B and of its debug file, and what Go's own table has beside them.  Strings live as long as B and ARENA. False: out of memory. */
bool functions_read(struct functions *f, const struct binary *b, struct arena *arena);
void functions_free(struct functions *f);

/* The function that covers ADDRESS, FUNCTION_NONE if none does. */
uint32_t functions_find(const struct functions *f, uint64_t address);

/* The functions of which some name has the base of the principal name of function I, by address, one for each such name: sets *GROUP and
 * returns how many; 0: out of memory.  A C++ constructor is called C1 and C2 by its labels, and its pieces by one of them. */
size_t functions_group(struct functions *f, uint32_t i, const uint32_t **group);

/* The address of the symbol NAME; 0: there is none. */
uint64_t functions_address(const struct functions *f, const char *name);

/* Whether the LENGTH bytes at NAME are those of an Ada package, or look so, among units[]. */
bool functions_has_unit(const struct functions *f, const char *name, size_t length);

static inline const struct label *function_label(const struct functions *f, uint32_t i)
{
	return &f->labels[f->functions[i].label];
}

#endif
