/* packed.h - the symbols of a module as a profile carries them (packed.proto): for when the module's file is gone, or is another one now. */
#ifndef SYMBOLS_PACKED_H
#define SYMBOLS_PACKED_H

#include "read/symbols/symbols.h"

#define PACKED_NONE UINT32_MAX

/* A function. */
struct packed_function {
	uint64_t start, size, origin;	/* as in struct symbol */
	const char *name;		/* as linked; "": it has none */
	const char *base;		/* the same of the function that it was made from, without the suffix of a clone; "": none */
	const char *written;		/* what the programmer called it, where `base` does not tell; NULL: it does */
	const char *aliases, *file;	/* as in struct symbol */
	uint32_t line;
	bool local;
	bool part;
	uint64_t code;			/* as symbols_code says; 0: not told */
	const struct symbol *made;	/* its symbol; NULL: not made yet (module.c does) */
};

/* An address of the profile. */
struct packed_place {
	uint64_t at;
	uint32_t function;		/* index in functions[] */
	const char *called;		/* as symbols_call_goal says of the call that ends behind it; NULL: nothing */
	bool by_pointer;		/* the same */
	bool in_hooks, is_open;		/* as symbols_in_hooks and symbols_is_open say */
	const char *file, *own_file;	/* as symbols_line and symbols_own_line say; NULL: unknown */
	uint32_t line, own_line, own_column;
};

/* A call in the source of a function. */
struct packed_call {
	uint32_t function;		/* index in functions[] */
	const char *name, *file;	/* the callee as linked; where the call stands */
	uint32_t line;			/* 0: unknown */
	bool tail;			/* by a jump */
};

/* What a name leads to, as symbols_leads says. */
struct packed_lead {
	const char *name;		/* as linked */
	uint32_t to;			/* index in functions[] */
	uint32_t calls;
};

struct packed_arc { uint32_t from, to; };	/* indices in functions[] */

struct packed_left { enum symbols_left_out why; const char *name; };

struct packed {
	struct packed_function *functions; /* by start, then name */
	size_t nfunctions;
	struct packed_place *places;	/* by address */
	size_t nplaces;
	struct packed_call *calls;	/* by function */
	size_t ncalls;
	uint32_t *hooked;		/* functions with hooks */
	size_t nhooked;
	struct packed_arc *arcs;	/* static ones */
	size_t narcs;
	struct packed_left *left;	/* functions left out */
	size_t nleft;
	struct packed_lead *leads;	/* to functions without hooks in which samples are */
	size_t nleads;
	bool hooked_all, arcs_read;	/* these are all; the code was read */
	bool alone;			/* nothing else tells about these addresses: the module's file has others */
	void **messages;		/* owners of the strings */
	size_t nmessages;
};

/* All that P carries of MODULE, from however many files.  NULL: nothing, or nothing that can be read, or memory is short.  Freed with packed_free;
 * NULL is allowed. */
struct packed *packed_read(const struct profile *p, uint32_t module);
void packed_free(struct packed *k);

/* The function at ADDRESS; PACKED_NONE: none is known to be there. */
uint32_t packed_find(const struct packed *k, uint64_t address);

/* What is known of ADDRESS; NULL: nothing. */
const struct packed_place *packed_place(const struct packed *k, uint64_t address);

/* The first address above ADDRESS of which something is known; UINT64_MAX: there is none. */
uint64_t packed_next_place(const struct packed *k, uint64_t address);

/* As symbols_leads. */
int packed_leads(const struct packed *k, const char *name, uint64_t address);

/* The calls of function I, *N of them. */
const struct packed_call *packed_calls(const struct packed *k, uint32_t i, size_t *n);

#endif
