/* plan.h - from the caller's words to the real command: a pure function, apart from response files read. */
#ifndef PLAN_H
#define PLAN_H

#include "compile/choice.h"
#include "compile/line.h"
#include "compile/way.h"

/* What a plan depends on beside the caller's words. */
struct surroundings {
	const char *compiler;	/* name of the compiler, for errors */
	struct ability ability;	/* what it offers */
	const char *libdir;	/* directory of the monitor's libraries */
	const char *self;	/* path of aprof, for -wrapper */
	const char *key;	/* what tells it from another aprof */
	const char *headers;	/* directory of aprof.h and nothing else; NULL: it is not there */
	const char *switches;	/* file with the names of the routines that --aprof-switch gives, for this link; NULL: there is none */
	const char *layout;	/* the environment's APROF_LAYOUT; NULL: none */
	bool nested;		/* another aprof-cc has started this one: the words may be of its making */
};

/* A plan in the making and its result. */
struct plan {
	struct choice choice;	/* the wrapper's own options */
	struct line line;	/* the compiler's words, without those */
	struct list given;	/* the compiler's words as they will be passed on: response files kept if they can be */
	enum hooks hooks;	/* that were chosen; HOOKS_NONE: this command is passed on without */
	bool steps;		/* GCC's steps go through compiler_step */
	bool no_lto;		/* no link-time optimisation: it makes code for all files and routines alike */
	const char *why;	/* reason for the hooks, static */
	struct list before;	/* words to put before those of the caller */
	struct list after;	/* and behind them */
};

/* Part 1: read ARGS. False with *ERR set if the wrapper's own options are wrong. */
bool plan_read(struct plan *p, char *const args[], struct error *err);

/* True if the command makes code or links, so that part 2 needs to know the compiler. */
bool plan_is_ours(const struct plan *p);

/* True if the command reads sources into which aprof.h may be included: plan_headers will add something. */
bool plan_wants_headers(const struct plan *p);

/* Let the compiler find aprof.h in DIRECTORY, where it finds none before.  For a command that is not ours; plan_make does it for the
 * others. */
void plan_headers(struct plan *p, const char *directory);

/* True if the command only preprocesses sources. */
bool plan_is_preprocessed(const struct plan *p);

/* Have KEY in what is preprocessed, by the header for that in DIRECTORY: as a name of a file, or, where there are no line marks, as a word. */
void plan_key(struct plan *p, const char *directory, const char *key);

/* The word for compiler_step that is of no use to it: a cache of compilations heeds it. */
extern const char step_key_option[];

/* The header with the inlined hooks of way cyg, which each source gets by -include. */
extern const char hooks_header[];

/* Part 2: decide. False with *ERR set if the command cannot be profiled as asked. */
bool plan_make(struct plan *p, const struct surroundings *around, struct error *err);

void plan_free(struct plan *p);

#endif
