/* profile_builder.h - an amon.out in the making, for each process that a file of other people's tells of: stacks in, whole files in memory out.
 *
 * Readers of formats (from_*.c) name modules and functions, and add stacks; these fold into contexts as the recorder's do (read/stacks/fold.h).
 * Running out of memory, or of patience, is remembered in the builder and told once at its end. */
#ifndef IMPORT_PROFILE_BUILDER_H
#define IMPORT_PROFILE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "contract/amon.h"

#define BUILDER_NONE UINT32_MAX

struct builder;

/* Begin.  HEADER holds what is the same for all processes: origin and way.  SIZE is that of the file, bytes: the work that it may
 * make is in proportion.  NULL: out of memory. */
struct builder *builder_new(const struct amon_header *header, size_t size);
void builder_free(struct builder *d);

/* The header that the processes begin with; the origin may be changed until builder_end, and so may the notes, which the first process gets. */
struct amon_header *builder_header(struct builder *d);

/* The module PATH with the BUILD_ID of SIZE bytes, 32 at most; the number of an equal one if there is one. */
uint32_t builder_module(struct builder *d, const char *path, const uint8_t *build_id, size_t size);

/* MODULE is a program. */
void builder_main(struct builder *d, uint32_t module);

struct builder_function {
	uint32_t module;		/* BUILDER_NONE: not known */
	const char *name;		/* copied; NULL: what the module's file says about `address` */
	const char *file;		/* source file, copied; NULL: not known */
	uint32_t line;			/* of its definition; 0: not known */
	uint64_t address;		/* link-time, where it begins; 0: not known */
	bool apart;			/* functions of one name at several addresses are several */
};

/* The number of the function F; that of an equal one if there is one: by address where names are to be had elsewhere, else by module, name and
 * file.  What aprof writes as a frame though it is no function is known by its name. */
uint32_t builder_function(struct builder *d, const struct builder_function *f);

/* Whether FUNCTION is such a frame, or BUILDER_NONE. */
bool builder_is_special(uint32_t function);

/* Process PID, called PROGRAM: at first ever; later changes are not heard.  TIME, ns since 1970, is when it began; 0: not known.  NTH tells the programs
 * apart that one process was. */
uint32_t builder_process(struct builder *d, uint32_t pid, uint32_t nth, const char *program, uint64_t time);

/* Thread TID of PROCESS, called NAME as of the first time that it is said. */
uint32_t builder_thread(struct builder *d, uint32_t process, uint32_t tid, const char *name);

/* An address in a module. */
struct builder_place {
	uint32_t module;		/* BUILDER_NONE: it is not known */
	uint64_t address;		/* link-time */
};

/* Samples tell where calls return to, of some functions at least: the files keep call sites, and not only how many found direct recursion.  Before the first of
 * them. */
void builder_keep_sites(struct builder *d);

/* Stacks have amounts of the value NAME, in UNIT ("ns", "bytes", "count", "cycles"), SAMPLED or exact: the first is what is shown where no other is
 * asked for.  All are to be told before the first stack.  One of that name stays one.  NAME and UNIT may be NULL, or empty: that is not known.  Its number. */
uint32_t builder_value(struct builder *d, const char *name, const char *unit, bool sampled);

/* A place that has a part of what a sample says of a value: an address in a module, or, of functions with names where there is no module, a line of the source. */
struct builder_line {
	struct builder_place place;
	const char *file;		/* copied; NULL: the function's own */
	uint32_t line;
	uint32_t value;
	uint32_t weight;		/* how much, in comparison to others of the function */
};

struct builder_sample {
	uint32_t thread;
	const uint32_t *functions;	/* numbers, outermost first; none: the time was outside all of them */
	size_t n;
	const struct builder_place *backs; /* of each function: where the call returns to that it waits for; NULL: of none is it known */
	const uint64_t *amounts;	/* of each value, in its unit */
	uint64_t ticks;			/* samples, alike, that brought those of them that are not 0; 0: their number is not known */
	uint64_t calls;			/* of the last function, in this stack; 0 where calls were not counted */
	bool cut;			/* it does not go back to the thread's start */
	const struct builder_line *lines; /* of the last function: where in its source or code that was; none: not known */
	size_t nlines;
};

/* Add a stack. */
void builder_add(struct builder *d, const struct builder_sample *s);

/* A call of function TO stands in FROM, which has a name, at LINE of FILE, copied; NULL: of its own. */
void builder_call(struct builder *d, uint32_t from, uint32_t to, const char *file, uint32_t line);

/* A file without contexts: the calls of function FROM to TO, each pair once, and what was spent in them of each value; FROM BUILDER_NONE: not known
 * by whom.  Its stacks are of one function each, with its own amounts. */
void builder_arc(struct builder *d, uint32_t thread, uint32_t from, uint32_t to, uint64_t calls, const uint64_t *amounts);

/* All is in: the number of files.  0 with *ERR set: memory is short, stacks grew beyond all measure, or there are none at all. */
size_t builder_end(struct builder *d, const char *label, struct error *err);

/* File I, *LEN bytes, which D owns. */
const void *builder_bytes(const struct builder *d, size_t i, size_t *len);

#endif
