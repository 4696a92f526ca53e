/* debug_info.h - source places by DWARF. */
#ifndef SYMBOLS_DEBUG_INFO_H
#define SYMBOLS_DEBUG_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/symbols/binary.h"
#include "read/symbols/language.h"

struct debug_unit;
struct debug_outer;

/* A range of addresses that a unit of DWARF says is its own. */
struct debug_span {
	uint64_t start;		/* link-time address */
	uint64_t end;		/* one past the last */
	uint32_t unit;		/* index in units[] */
};

struct debug_info {
	struct debug_unit *units; /* compilation units that have code */
	size_t nunits;		/* how many */
	struct debug_span *spans; /* by start */
	size_t nspans;		/* how many */
	uint64_t bias;		/* DWARF's addresses plus this are link-time ones */
	void *paths;		/* tree (tsearch) of file names that were made absolute */
	void *scoped;		/* the same of names that were put behind what they are in */
	struct debug_outer *outer; /* what was inlined into the function that was asked about last; NULL: nobody asked */
};

/* Find the units of B's DWARF, its separate debug file's if need be.  Without DWARF there are none.
 * False: out of memory. */
bool debug_read(struct debug_info *s, const struct binary *b);
void debug_free(struct debug_info *s);

/* Whether functions can be children of an entry of DWARF's with TAG. */
bool debug_holds_functions(int tag);

/* The source line of ADDRESS: sets *FILE, which lives as long as the binary, and *LINE; false: unknown. */
bool debug_line(struct debug_info *s, uint64_t address, const char **file, uint32_t *line);

/* The first address above ADDRESS at which debug_line may say something else; UINT64_MAX: there is none. */
uint64_t debug_next_line(struct debug_info *s, uint64_t address);

/* The same in the source of the function that covers ADDRESS: of code that the compiler put into it, the line of the call
 * that it stands for.  Quick for addresses in order: what is inlined into the function that was asked about last is kept. */
bool debug_own_line(struct debug_info *s, uint64_t address, const char **file, uint32_t *line);

/* The same, with the column in *COLUMN; 0: unknown. */
bool debug_own_place(struct debug_info *s, uint64_t address, const char **file, uint32_t *line, uint32_t *column);

/* A function that the compiler put into the code of another. */
struct debug_inlined {
	const char *name;	/* as linked, or where it has no such name `outer::<lambda(int)>::operator()`; lives as long as the struct debug_info */
	const char *file;	/* where it is declared, as above; NULL: unknown */
	uint32_t line;		/* in that file; 0: unknown */
	uint64_t entry;		/* of the outermost, which stands in the source of the function that covers the address: where its code begins; else 0 */
};

/* Call VISIT with each function that the code at ADDRESS was inlined from, outermost first: what addr2line -i names, but the function that covers
 * ADDRESS.  None where DWARF knows of none. */
void debug_inlined(struct debug_info *s, uint64_t address, void (*visit)(void *arg, const struct debug_inlined *function), void *arg);

/* A call in the code of a function. */
struct debug_call {
	uint64_t at;		/* an address in the instruction that calls */
	const char *name;	/* the callee as linked, or as the language calls it; lives as long as the binary */
	enum language language;	/* of the callee */
	bool tail;		/* by a jump: the caller is left */
	const char *path;	/* its name with what it is in, as language_name wants it, for the time of the visit; NULL: unknown */
};

/* Call VISIT with each call that DWARF describes in the function that covers ADDRESS: compilers do so for optimised code, and not for
 * calls through pointers.  Jumps to the callee count.  False: ADDRESS is in no function that DWARF knows. */
bool debug_calls(struct debug_info *s, uint64_t address, void (*visit)(void *arg, const struct debug_call *call), void *arg);

/* Where the function that covers ADDRESS is declared: the function that it is a copy or a piece of,
 * if it is one.  Sets *FILE and *LINE as above; false: unknown. */
bool debug_function(struct debug_info *s, uint64_t address, const char **file, uint32_t *line);

/* The language of the function that covers ADDRESS; UNKNOWN where no unit does.  Of Fortran *PATH becomes its name with what it is in, as
 * language_name wants it, malloc'ed; else, and where that is not known, NULL. */
enum language debug_language(struct debug_info *s, uint64_t address, char **path);

#endif
