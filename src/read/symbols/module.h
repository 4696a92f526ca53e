/* module.h - one module of the profile, opened when it is first asked about. */
#ifndef SYMBOLS_MODULE_H
#define SYMBOLS_MODULE_H

#include "base/arena.h"
#include "read/symbols/binary.h"
#include "read/symbols/functions.h"
#include "read/symbols/packed.h"
#include "read/symbols/hook_code.h"
#include "read/symbols/hook_state.h"
#include "read/profile/profile.h"
#include "read/symbols/debug_info.h"
#include "read/symbols/symbols.h"

struct module {
	const struct profile_module *from; /* what the profile knows; NULL: the place of addresses that no module has */
	uint32_t index;		/* in the profile; PROFILE_NONE if from is NULL */
	struct arena *arena;	/* where strings and symbols are kept, not owned */
	bool linked;		/* display names are as linked, not demangled */
	bool opened;		/* opening was tried */
	const char *lacks;	/* what is to be warned of; NULL: nothing */
	bool settled;		/* and what is below is what there is (symbols.c) */
	bool present;		/* the file is there, and is the one that was profiled */
	struct binary binary;	/* the file, if present */
	struct functions functions; /* its functions; none if not present */
	struct debug_info debug;	/* its DWARF, when debug_read was called */
	bool debug_known;	/* it was */
	bool brief;		/* it has some that is not to be read (symbols_within) */
	const struct symbol **made; /* symbol of each function; NULL: not made yet */
	struct hook_code *hook_code; /* reads its routines' hooks; NULL: not asked for yet, or cannot be had */
	bool hook_code_known;	/* it was asked for */
	uint32_t hook_function;	/* the function that it read last; FUNCTION_NONE: none */
	struct hook_state *hook_state; /* says where its routines' hooks are done; NULL: not asked for yet, or cannot be had */
	bool hook_state_known;	/* it was asked for */
	uint32_t state_function; /* the function that it read last; FUNCTION_NONE: none */
	struct area own;	/* the monitor's code in it, link-time; empty: it has none, or was not asked for yet */
	bool own_known;		/* it was asked for */
	void *nameless;		/* tree (tsearch) of symbols that no function of the file covers */
	struct packed *packed;	/* what the profile carries, if it is to be used; NULL: nothing */
	struct goals *goals;	/* follows its calls; NULL: not asked for yet, or cannot be had */
	bool goals_known;	/* they were asked for */
	bool stripped_known;	/* whether the file is stripped was looked at */
};

/* Make M the module FROM of the profile, not open; its display names are demangled. */
void module_init(struct module *m, const struct profile_module *from, uint32_t index, struct arena *arena);

/* Open the module's own file.  False with *ERR set: there is no such file, or it is not what was profiled;
 * the module works without. Code ERROR_NONE: nobody expects a file. */
bool module_open(struct module *m, const Dwfl_Callbacks *callbacks, struct error *err);

/* Whether B is the file that was profiled, as far as build-ids tell. */
bool module_matches(const struct module *m, const struct binary *b);

/* Say in *ERR that the file PATH, open as B, is not the one that was profiled.  Returns false. */
bool module_refuse(const struct module *m, const char *path, const struct binary *b, struct error *err);

/* Use B, which M owns from now on, as the module's file.  False with *ERR set: out of memory. */
bool module_use(struct module *m, struct binary *b, struct error *err);

/* Make M as module_init left it, but that it keeps its `linked`. */
void module_close(struct module *m);

/* The symbol that covers ADDRESS; NULL: out of memory. */
const struct symbol *module_find(struct module *m, uint64_t address);

/* The symbol of function I; NULL: out of memory. */
const struct symbol *module_symbol(struct module *m, uint32_t i);

/* The symbol of function I of those that the profile carries; NULL: out of memory. */
const struct symbol *module_packed(struct module *m, uint32_t i);

/* Whether the instruction at ADDRESS is of a hook: in the monitor's own code, or put into a routine by way inline. */
bool module_in_hooks(struct module *m, uint64_t address);

/* Whether it is open, at ADDRESS, if the routine there is entered for the monitor: its entry hook may not be done yet, or its exit hook
 * is. Where nothing can be told: no. */
bool module_is_open(struct module *m, uint64_t address);

/* The module's DWARF, read on first use. */
struct debug_info *module_debug_info(struct module *m);

#endif
