/* make_amon.h - makes amon.out files without running a program: for tests and benchmarks.
 *
 * The maker plays the machine of contexts itself, by the plainest reading of A1-A5 (whole
 * histories, each deletion searched from the start), and shares no code with src/inside/, src/contract/history.c
 * or src/read/profile/; so what it counts is what they must find. */
#ifndef MAKE_AMON_H
#define MAKE_AMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contract/amon.h"

/* A context of one thread, as the maker counted it. */
struct made_context {
	uint32_t *history;	/* routine << 1 | mark, routines as make_amon_routine numbered them; pseudo ones as they are */
	uint32_t length;	/* entries */
	uint64_t entries;	/* calls that entered it */
	uint64_t recursive;	/* direct recursive calls */
	uint64_t time;		/* as charged, unit of the header's clock */
	uint64_t ticks;		/* samples */
};

struct make_amon;

/* A process with nothing in it: clock tick, state ended, no hooks' cost. NULL: out of memory; from then on
 * the maker aborts when memory is short, being a tool of tests. */
struct make_amon *make_amon_new(void);
void make_amon_free(struct make_amon *m);

/* The header, to be changed at will before make_amon_finish, which fills sizes only. */
struct amon_header *make_amon_header(struct make_amon *m);

/* Add a module mapped from START to END with the given BIAS; BUILD_ID is text whose bytes are taken (NULL: none).
 * Returns its index. */
uint32_t make_amon_module(struct make_amon *m, const char *path, const char *build_id,
			  uint64_t start, uint64_t end, uint64_t bias);

/* The record of a module, to set flags. */
struct amon_module *make_amon_module_record(struct make_amon *m, uint32_t module);

/* Add a routine at the run-time ADDRESS in MODULE (AMON_NONE: unknown). Returns its index. */
uint32_t make_amon_routine(struct make_amon *m, uint32_t module, uint64_t address, uint32_t flags);

/* Add a thread, in context 0.  Returns its index. */
uint32_t make_amon_thread(struct make_amon *m, const char *name);

/* The record of a thread, to set times and state. */
struct amon_thread *make_amon_thread_record(struct make_amon *m, uint32_t thread);

/* In THREAD, call a routine or a pseudo-routine, or return from the last call not yet returned. */
void make_amon_enter(struct make_amon *m, uint32_t thread, uint32_t routine);
void make_amon_leave(struct make_amon *m, uint32_t thread);

/* In THREAD, begin a stack of its own with ROUTINE (parent AMON_NONE); left by make_amon_leave. */
void make_amon_start(struct make_amon *m, uint32_t thread, uint32_t routine);

/* Charge THREAD's current context. */
void make_amon_charge(struct make_amon *m, uint32_t thread, uint64_t time, uint64_t ticks);

/* From here on what is charged is kept by interval of LEVEL, too; the clock of the run goes on by what is charged, by whatever thread. */
void make_amon_intervals(struct make_amon *m, uint32_t level);

/* The file has amounts of NAME in UNIT, FLAGS of enum amon_value_flag; the first that is told is what make_amon_charge charges, of which the squares
 * are kept then.  Returns its index. */
uint32_t make_amon_value(struct make_amon *m, const char *name, const char *unit, uint32_t flags);

/* Add AMOUNT of VALUE, not the first, which SAMPLES brought, to THREAD's current context. */
void make_amon_amount(struct make_amon *m, uint32_t thread, uint32_t value, uint64_t amount, uint64_t samples);

/* Count samples at the run-time address PC in THREAD's current context. */
void make_amon_pc(struct make_amon *m, uint32_t thread, uint64_t pc, uint32_t count);

/* Count, in THREAD, a stack that did not fit the current context: it was interrupted at PC; ROUTINE and VERDICT as in struct amon_stack. */
void make_amon_stack(struct make_amon *m, uint32_t thread, uint64_t pc, enum amon_verdict verdict, uint32_t routine);

/* Zero what THREAD counted so far, as `aprof reset` does. */
void make_amon_reset(struct make_amon *m, uint32_t thread);

/* From here on all threads count in the phase NAME (at most 10 different ones), or, NULL, are stopped: nothing counts for the
 * contexts that the maker reports, until the next phase. */
void make_amon_phase(struct make_amon *m, const char *name);

/* Calls not yet returned in THREAD, and length of the history of its current context. */
size_t make_amon_depth(const struct make_amon *m, uint32_t thread);
uint32_t make_amon_length(const struct make_amon *m, uint32_t thread);

/* The contexts of THREAD, the root first; valid until the next call in it. */
const struct made_context *make_amon_contexts(const struct make_amon *m, uint32_t thread, uint32_t *count);

/* Items of THREAD, root and direct recursion included. */
uint32_t make_amon_items(const struct make_amon *m, uint32_t thread);

/* Items that a chunk of contexts holds at most, from the next one on; small ones try the reader. */
void make_amon_chunk_items(struct make_amon *m, uint32_t items);

/* The process, if it has one thread, is taken for the sum of RANKS ranks of an MPI job, of which one has most of each context. */
void make_amon_ranks(struct make_amon *m, uint32_t ranks);

/* The file.  Freed by the caller with free; its size in *LEN.  May be called again later. */
uint8_t *make_amon_finish(struct make_amon *m, size_t *len);

/* Print the contexts of all threads, equal histories merged, in no particular order, as `aprof contexts` does, with
 * module-basename+0xoffset as names. */
void make_amon_print(const struct make_amon *m, FILE *out);

/* A random program run: see make_amon_random. */
struct made_program {
	uint64_t seed;		/* equal seeds give equal files */
	uint32_t routines;	/* functions of the program */
	uint32_t callees;	/* how many of them each one calls; 0: any calls any */
	uint32_t threads;	/* threads, one after another */
	uint64_t calls;		/* calls made by each thread; 0: no bound */
	uint64_t reset;		/* counters are reset after so many calls of a thread; 0: never */
	uint32_t phases;	/* named, each again and again, with stops between; at most 10; 0: none */
	uint32_t contexts;	/* stop when a thread has so many; 0: no bound */
	uint32_t mean, deepest;	/* length of history aimed at, and the largest */
	double recursion;	/* share of calls that go to a routine active already */
	double ticks;		/* samples for each call, on average */
	uint32_t intervals;	/* what is charged is kept by interval of this level less 1; 0: it is not */
	uint32_t values;	/* that it has, at most 4; 0: none are told */
};

/* Run a program made up at random, charging time and counting PCs on the way.  PCs are counted in main program and "libc". */
struct make_amon *make_amon_random(const struct made_program *program);

/* The program of the paper's Figure 1: Main calls (P Q R) N times over, then P, which calls S; one ns is charged
 * to each context at each entry. */
struct make_amon *make_amon_paper(unsigned n);

/* The profile of N contexts shaped like GCC's cc1 (mean history 25, longest 62, 10,000 routines, 1.5 % folded). */
struct make_amon *make_amon_cc1(uint32_t n);

#endif
