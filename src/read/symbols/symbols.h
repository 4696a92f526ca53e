/* symbols.h - names and source places for addresses; the only place that opens ELF and DWARF.
 *
 * Built on elfutils' libdwfl and libiberty's demangler.  Separate debug files are found by build-id and by
 * debuglink: beside the binary, in .debug/ beside it, in /usr/lib/debug, and in the directories of the environment
 * variable APROF_DEBUG_PATH (separated by colons, and laid out like /usr/lib/debug); debuginfod is asked
 * only when the user has set DEBUGINFOD_URLS.  A file that is gone, or is of another build by now, is taken by its build-id from where it is kept (kept_files.h).
 *
 * Addresses are link-time ones: those of the ELF file itself, as nm prints them.
 * Names are as the file has them: whoever prints one escapes it first.  All strings belong to the struct symbols. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "read/profile/profile.h"

struct symbols;

/* What is known of a function.
 *
 * Of several symbols at one address the principal name is, in this order: a function rather than an untyped label; one
 * that is seen outside its file; the one with fewer leading underscores; global rather than
 * weak; the shorter; the first in the alphabet.  The others are aliases.
 *
 * A clone of GCC or LLVM has the `display` of the function that it was made from, and its `key`: equal keys are one
 * routine, and two static functions of one name have two. */
struct symbol {
	const char *name;	/* as linked: mangled, clone suffix included; "0x4010" where there is none, "(plt)" for a linker's table of jumps */
	const char *display;	/* as the programmer wrote it unless symbols_keep_linked was called, clone suffix removed; "libm.so.6+0x4010" where there is no name */
	const char *base;	/* what `display` is made from: as linked, of the function that it is, or is a clone of; "": no name */
	uint64_t origin;	/* link-time address of that function */
	const char *key;	/* identity: module and start of the function that it is, or is a clone of */
	const char *aliases;	/* other names of the same address, as linked, joined by '='; behind an empty one those of functions folded with it (icf.h); NULL: none */
	const char *file;	/* source file; without debug information the bare name, of a static function only; NULL: unknown */
	uint32_t line;		/* line of its definition; 0: unknown */
	uint64_t start;		/* link-time address of its first byte */
	uint64_t size;		/* bytes; 0: unknown */
	bool local;		/* only its own file can name it: no program can have called it by that name */
	bool part;		/* a .part or .cold piece: gives time to `display`, its entries are no calls */
	bool known;		/* false: no symbol covers the address, name is made of it */
};

/* Open the modules of P, each when it is first asked about.  PROGRAM, when not NULL, is the file to use for the main program; it is
 * refused with ERROR_BUILD_ID when its build-id is not the one that was profiled, with ERROR_NOT_ELF or ERROR_SYSTEM when it
 * cannot be read.  A module that cannot be opened, or whose file
 * has another build-id, yields names like `0x4010` and a warning (symbols_warning), not an error.  NULL with *ERR set on failure.
 * A PROGRAM that is refused for its build-id where the profile carries the symbols of the main program makes a warning instead.
 * What a profile carries of a module's symbols (profile_symbols) stands in for a file that is gone, is another one now, or was stripped.
 * P must outlive the result, which symbols_free frees. */
struct symbols *symbols_open(const struct profile *p, const char *program, struct error *err);
void symbols_free(struct symbols *s);

/* Display names as they were linked, but for the suffix of a clone: no C++, Rust or D name is demangled.  To be called before anything
 * is looked up in S. */
void symbols_keep_linked(struct symbols *s);

/* Read debug information of as many modules only as is likely to take less than NS of CPU time: the program's first, then where most samples are.  Of the others what their
 * symbol tables tell is known; of nothing else a line.  To be called before anything is looked up in S. */
void symbols_within(struct symbols *s, uint64_t ns);

/* Whether there is debug information of MODULE that is not read for that. */
bool symbols_are_brief(struct symbols *s, uint32_t module);

/* Warnings met so far, one line each; NULL past the last.  File names in them are not escaped. */
const char *symbols_warning(const struct symbols *s, uint32_t i);

/* QUIET: what is asked from now on is no reason for a warning; it comes when somebody asks who is not quiet. */
void symbols_quiet(struct symbols *s, bool quiet);

/* The function that covers ADDRESS of module MODULE of the profile; a MODULE of PROFILE_NONE is fine.  Never NULL; the same
 * pointer for every address of one function.  A function without a size reaches to the next one.  Where there is no
 * symbol, the bounds of the function come from the unwind table if it has them. */
const struct symbol *symbols_find(struct symbols *s, uint32_t module, uint64_t address);

/* Whether the file of MODULE has an unwind table that tells of ADDRESS; true also where the file is not there. */
bool symbols_can_leave(struct symbols *s, uint32_t module, uint64_t address);

/* The module of functions that have no code of their own, since it was inlined into others'. */
#define SYMBOLS_INLINED_MODULE "[inlined]"

/* The source line of ADDRESS: fills *FILE (owned by S) and *LINE; false when unknown. */
bool symbols_line(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line);

/* The first address above ADDRESS at which symbols_line may say something else; UINT64_MAX: there is none. */
uint64_t symbols_next_line(struct symbols *s, uint32_t module, uint64_t address);

/* The same as symbols_line in the source of the function itself: of code that the compiler put into it, the line of the call that it stands for. */
bool symbols_own_line(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line);

/* The same, with the column in *COLUMN; 0: unknown. */
bool symbols_own_place(struct symbols *s, uint32_t module, uint64_t address, const char **file, uint32_t *line, uint32_t *column);

/* Call VISIT with the name of each function that the code at ADDRESS of MODULE was inlined from, outermost first, without the one that covers ADDRESS: none where debug
 * information knows of none, or the module's file is gone. */
void symbols_inlined(struct symbols *s, uint32_t module, uint64_t address, void (*visit)(void *arg, const char *name), void *arg);

/* A call in the source of a function. */
struct symbols_call {
	const char *name;	/* the callee, demangled likewise */
	const char *linked;	/* the same as linked, or as the language calls it */
	const char *file;	/* where the call stands in the caller's own source, as symbols_own_line says; NULL: unknown */
	uint32_t line;		/* in that file; 0: unknown */
	bool tail;		/* by a jump: the caller has been left when the callee runs */
};

/* Call VISIT with each call that debug information describes in the function that covers ADDRESS of MODULE: compilers do so for
 * optimised code, and not for calls through pointers.  False: it describes none. */
bool symbols_described_calls(struct symbols *s, uint32_t module, uint64_t address,
			     void (*visit)(void *arg, const struct symbols_call *call), void *arg);

/* The same, or, where it describes none, with each call in the code, but for a profiler's, without a place: x86-64, x86 and aarch64.  All of the function's
 * code is read for it.  False: neither can be read. */
bool symbols_calls(struct symbols *s, uint32_t module, uint64_t address,
		   void (*visit)(void *arg, const struct symbols_call *call), void *arg);

/* Call VISIT with each instruction of the function that covers ADDRESS of MODULE, in order of their addresses; TEXT is gone behind it.  False: its file is not
 * there, or nothing is known of its machine; x86-64, x86 and aarch64. */
bool symbols_instructions(struct symbols *s, uint32_t module, uint64_t address, void (*visit)(void *arg, uint64_t at, const char *text), void *arg);

/* Whether symbols_instructions has any. */
bool symbols_has_instructions(struct symbols *s, uint32_t module, uint64_t address);

/* How many calls and jumps lead from the function of MODULE that others link to as NAME to the code at ADDRESS, over how few functions: what their
 * code tells.  0: NAME itself is there; negative: it is not known to lead there, or not soon. */
int symbols_leads(struct symbols *s, uint32_t module, const char *name, uint64_t address);

/* Call VISIT with the start of each function of MODULE, whose file must be there, that NAME leads to likewise, and over how many calls. */
void symbols_led(struct symbols *s, uint32_t module, const char *name, void (*visit)(void *arg, uint64_t start, int calls), void *arg);

/* Call VISIT with every function of MODULE that has hooks of the ways `fentry` or `inline`, and with GPROFS also of way `mcount`, called
 * or not; a function may be visited twice.  False, after VISIT has had what there is, when that may not be all: the module is not there, or also has
 * other hooks (of cyg, which does not tell, or of gprof's where they are not asked for), or its machine is not known here. */
bool symbols_hooked(struct symbols *s, uint32_t module, bool gprofs,
		    void (*visit)(void *arg, const struct symbol *symbol), void *arg);

/* Whether the instruction at ADDRESS of MODULE is of aprof's hooks: in the monitor's own code, which its note tells the bounds of, or one that
 * the ways inline and fentry put into a routine, or by which the compiler passes plain hooks of way cyg what they ask for. The code of inline hooks is known on x86-64 where the symbol aprof_tls tells where the thread's words are; else it
 * is the routine's. Quick for addresses in order: the routine that was asked about last is kept. */
bool symbols_in_hooks(struct symbols *s, uint32_t module, uint64_t address);

/* Whether it is open, before the instruction at ADDRESS of MODULE, if the routine there is entered for the monitor: its entry hook may
 * not be done yet, or its exit hook is.  x86-64; no where nothing can be told. Quick for addresses in order. */
bool symbols_is_open(struct symbols *s, uint32_t module, uint64_t address);

/* Call VISIT with each pair of functions of MODULE such that the code of FROM has a call of, or a jump to, the first byte of TO,
 * made or not: gprof's static call graph.  Each pair comes once, in order of address; calls through pointers are not seen, nor
 * those of other modules.  HOOKED: only pairs of functions that call hooks of a profiler, whichever.  x86-64, x86 and aarch64.
 * False when nothing was read: the module is not there, or its machine is not known here, or memory is short. */
bool symbols_static_arcs(struct symbols *s, uint32_t module, bool hooked,
			 void (*visit)(void *arg, const struct symbol *from, const struct symbol *to), void *arg);

/* A digest of the machine code of the function that covers ADDRESS of MODULE, which is the same in two builds if the code is, wherever the linker
 * put it (code_identity.h).  0: it cannot be told.  x86-64.  It takes a while, and is asked of routines with such a part of a run's time of their own, and more. */
enum { SYMBOLS_CODE_PART = 500 };
uint64_t symbols_code(struct symbols *s, uint32_t module, uint64_t address);

/* What a call says that it calls. */
enum symbols_goal {
	SYMBOLS_GOAL_UNKNOWN,	/* nothing can be told */
	SYMBOLS_GOAL_POINTER,	/* it goes by a pointer */
	SYMBOLS_GOAL_NAMED,	/* a function */
};

/* What the call in MODULE says that returns to ADDRESS; *NAME is the function's, demangled likewise, or NULL.  x86-64. */
enum symbols_goal symbols_call_goal(struct symbols *s, uint32_t module, uint64_t address, const char **name);

/* Ways in which a binary calls for a profiler, or'ed. */
enum symbols_hooks {
	SYMBOLS_FENTRY = 1,	/* calls __aprof_entry, or leads to aprof_entry_miss */
	SYMBOLS_CYG = 2,	/* calls __cyg_profile_func_enter or __aprof_enter */
	SYMBOLS_MCOUNT = 4,	/* calls mcount, _mcount or __fentry__: plain -pg, gprof's */
	SYMBOLS_INLINE = 16,	/* leads to aprof_inline_miss, or to that of its kinds: way inline */
	SYMBOLS_MONITOR = 8,	/* the monitor is linked into it, or is among the libraries that it needs */
	SYMBOLS_SCRIPT = 64,	/* tells of its scripts: calls __aprof_script_enter */
	SYMBOLS_NOPS = 32,	/* where it would call __fentry__ it does nothing: -mnop-mcount -mrecord-mcount */
};

/* Why a function has no hooks although aprof compiled its unit. */
enum symbols_left_out {
	SYMBOLS_LEFT_FILE,	/* --aprof-only or --aprof-except: by its file */
	SYMBOLS_LEFT_NAME,	/* the same: by its name */
	SYMBOLS_LEFT_LEAF,	/* --aprof-leaf: small, and calls nothing */
	SYMBOLS_LEFT_NAKED,	/* attribute naked: asm and nothing else */
	SYMBOLS_LEFT_REASONS
};

/* Call VISIT with every function of MODULE that was left out, by its name, demangled likewise, which is the visitor's for the time of the
 * visit, and as linked. Nothing is visited where the module's file is not there. */
void symbols_left_out(struct symbols *s, uint32_t module,
		      void (*visit)(void *arg, enum symbols_left_out why, const char *name, const char *linked), void *arg);

/* Whether the functions of MODULE are known: its file is there, and is not stripped if it has hooks, or the profile carries its symbols. */
bool symbols_have(struct symbols *s, uint32_t module);

/* Write down all that can be asked here about the addresses that P, whose symbols S are, has in MODULE, for readers to whom its file is
 * gone: OUT->data is malloc'ed.  False: nothing is known of it, or memory is short. */
bool symbols_pack(struct symbols *s, const struct profile *p, uint32_t module, struct profile_symbols *out);

/* Whether OUT, of a profile, was written by symbols that were brief. */
bool symbols_is_brief(const struct profile_symbols *out);

/* Whether only what the profile carries tells about MODULE: it was made from a file of other people's, with addresses of its own. */
bool symbols_are_alone(struct symbols *s, uint32_t module);

/* Write down the N functions FUNCTIONS of one module, by start, then name, each once, as somebody else kept them; ALONE: their addresses are made of their names, as symbols_are_alone says.
 * OUT->data is malloc'ed.  False: memory is short. */
bool symbols_pack_functions(const struct symbol *const *functions, size_t n, bool alone, struct profile_symbols *out);

/* A function that a file of other people's names. */
struct symbols_named {
	uint64_t start;		/* an address that no other has */
	const char *name;	/* as the file has it */
	const char *file;	/* source file; NULL: unknown */
	uint32_t line;		/* of its definition; 0: unknown */
};

/* An address of such a function, made for a line of the source. */
struct symbols_named_place {
	uint64_t address;	/* that no other has */
	uint32_t function;	/* index of it */
	const char *file;	/* source file */
	uint32_t line;
};

/* A call that stands in such a function. */
struct symbols_named_call {
	uint32_t function;	/* index of it */
	const char *name;	/* who is called */
	const char *file;	/* source file */
	uint32_t line;
};

/* What such a file tells of a module. */
struct symbols_naming {
	const struct symbols_named *functions; /* by start */
	size_t n;
	const struct symbols_named_place *places; /* by address */
	size_t nplaces;
	const struct symbols_named_call *calls;
	size_t ncalls;
};

/* Write down what NAMING tells of one module, whose file is not to be asked about these addresses: OUT->data is malloc'ed.  False: memory is short. */
bool symbols_pack_named(const struct symbols_naming *naming, struct profile_symbols *out);

/* Write down likewise what interpreters say of the routines of P in MODULE, which stands for a language. False: nothing, or memory is short. */
bool symbols_pack_scripts(const struct profile *p, uint32_t module, struct profile_symbols *out);

/* What hooks the file PATH has, an executable or a shared object: *HOOKS becomes bits of enum symbols_hooks, 0 for none.  Hooks in the
 * libraries that it needs are not looked for.  A static program that was stripped tells only SYMBOLS_MONITOR, by the
 * note that the monitor carries: an allocated section `.note.aprof`, owner "aprof", type 1; a
 * needed library is the monitor if its name is "libaprof" and what follows a "-" or "_": libaprof.so itself reads profiles.
 * False with *ERR set (ERROR_SYSTEM, ERROR_NOT_ELF) when it cannot be read or is no such file, a script for one. */
bool symbols_has_hooks(const char *path, uint32_t *hooks, struct error *err);

/* By what the executable PATH is loaded: glibc's dynamic linker, by which alone our libraries can be preloaded, and which stands for what cannot be read; none; or
 * another libc's. */
enum symbols_loading { SYMBOLS_DYNAMIC, SYMBOLS_STATIC, SYMBOLS_FOREIGN };

enum symbols_loading symbols_loading(const char *path);

/* The name of the library that the file PATH needs and that begins with PREFIX, malloc'ed; NULL: there is none, or it cannot be read. */
char *symbols_needed(const char *path, const char *prefix);

#endif
