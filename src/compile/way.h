/* way.h - the ways in: how a compiler is made to call hooks, and what a link needs then.
 *
 * Way inline: a plugin of the compiler's puts the hooks' fast path into each routine; a GCC takes only the plugin that was
 * built for its very version, a Clang that for its LLVM. */
#ifndef WAY_H
#define WAY_H

#include <stdbool.h>

#include "base/error.h"
#include "compile/line.h"
#include "base/list.h"

/* The hooks that compiled code calls. */
enum hooks {
	HOOKS_NONE,
	HOOKS_FENTRY,		/* __aprof_entry first thing in a routine, __return__ last (GCC 10 and later, x86-64) */
	HOOKS_CYG,		/* __cyg_profile_func_enter and _exit, inlined routines included, if nobody takes them away (any GCC) */
	HOOKS_CYG_LATE,		/* the same, after inlining (Clang) */
	HOOKS_INLINE,		/* no call but for what is met the first time: code of the plugin's (GCC, x86-64) */
	HOOKS_INLINE_LLVM,	/* the same, of the plugin's for LLVM (Clang, x86-64) */
	HOOKS_INLINE_FLANG,	/* the same, by a compiler that marks no routines (flang, x86-64) */
};

/* What a compiler offers. */
struct ability {
	bool fentry;		/* HOOKS_FENTRY */
	bool late;		/* HOOKS_CYG_LATE: it is a Clang */
	bool flang;		/* it calls no hooks: HOOKS_INLINE_FLANG or none */
	bool plugs;		/* HOOKS_INLINE, HOOKS_INLINE_LLVM or HOOKS_INLINE_FLANG: it takes the plugin */
	bool linker;		/* and so does ld.lld where that makes code for it (-flto) */
	const char *plugin;	/* the plugin's file, the last one tried if none fits; NULL: aprof was built without one for such compilers */
	bool switches;		/* its language has a shared library that switches stacks: gccgo's, gdc's */
};

/* What the caller asked for with --aprof-way=. */
struct way {
	const char *name;	/* as given; NULL: nothing was asked */
	enum hooks hooks;	/* HOOKS_NONE: the best that there is; HOOKS_CYG and HOOKS_INLINE stand for both kinds of these */
	bool nop;		/* link hooks that do nothing */
};

/* Look NAME up. False with *ERR set if there is no such way. */
bool way_find(const char *name, struct way *out, struct error *err);

/* The hooks for a compiler of ABILITY, called COMPILER in errors.  False with *ERR set if it cannot do
 * what WAY asks.  *WHY: the reason, in words, static. */
bool way_choose(const struct way *way, const struct ability *ability, const char *compiler, enum hooks *hooks,
		const char **why, struct error *err);

/* The short name of HOOKS: inline, fentry or cyg. */
const char *way_name(enum hooks hooks);

/* Is HOOKS way inline, or way cyg, by whatever compiler? */
bool way_is_inline(enum hooks hooks);
bool way_is_cyg(enum hooks hooks);

/* Is the file PLUGIN for LLVM? */
bool way_is_for_llvm(const char *plugin);

/* Append the flags that make a compiler call HOOKS, and let GCC inline a routine wholly or not at all, so that each call of it that remains
 * passes its hooks; for way inline, PLUGIN is the file of the plugin, TSC asks for code that reads the
 * cycle counter, and SITES for code that tells its call sites. */
void way_compile_flags(enum hooks hooks, const char *plugin, bool tsc, bool sites, struct list *out);

/* Append the flag that gives PLUGIN the ARGUMENT, KEY=VALUE, by the compiler that has HOOKS of it. */
void way_plugin_argument(enum hooks hooks, const char *plugin, const char *argument, struct list *out);

/* The same where the linker makes the code: that of LINE is ld.lld, or to be it since LINE names none. */
bool way_links_by_lld(const struct line *line);
void way_linker_plugin(const char *plugin, const struct list *arguments, const struct line *line, struct list *out);

/* False with *ERR set if the code for HOOKS, chosen for the reason WHY, cannot be such as clock tsc needs it compiled. */
bool way_check_tsc(enum hooks hooks, const char *why, struct error *err);

/* The same of code that tells its call sites. */
bool way_check_sites(enum hooks hooks, const char *why, struct error *err);

/* Append what the link that LINE does with a compiler of ABILITY needs: the monitor out of the directory LIBDIR, in its static
 * form for an executable (unless its hooks would be hidden), as a shared library for a shared library.
 * These words go before the caller's own, so that the monitor is found before libc's empty hooks. False with *ERR set where it cannot be done. */
bool way_link_flags(enum hooks hooks, bool nop, const struct ability *ability, const struct line *line, const char *libdir, struct list *out,
		    struct error *err);

/* Does the monitor know the function NAME, which switches stacks (inside/x86_64/switches.h)? */
bool way_knows_switch(const char *name);

/* Append, BEFORE and AFTER the caller's own words, what leads calls of functions that switch stacks to the monitor: of those that it knows, and of SWITCHES, whose
 * names are in FILE (switches.h; NULL: there is none).  The names come last: a function of an archive's is taken before. */
void way_link_switches(enum hooks hooks, bool nop, const struct line *line, const struct list *switches, const char *file, const char *libdir,
		       struct list *before, struct list *after);

#endif
