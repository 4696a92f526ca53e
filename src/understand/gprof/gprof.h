/* gprof.h - from a gmon.out to gprof's view of who pays: Graham, Kessler and McKusick 1982, as GNU gprof computes it.
 *
 * graph.h shares out whole nanoseconds of measured contexts; this file shares out samples, in floating point and in the very order in
 * which gprof does, since what it makes is held against gprof's output digit for digit:
 *
 *     credit: bins -> self times    tally: arcs -> calls    order: components, numbered    spread: times, from callees to callers
 *
 * What GNU gprof's options name (-e -E -f -F -k -n -N -p -P -q -Q -J -A -C -Z) is picked here, too: it decides what is
 * counted.  No I/O, no ELF. */
#ifndef GPROF_H
#define GPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "read/gmon/gmon.h"
#include "understand/graph/gprof_spec.h"

#define GPROF_NONE UINT32_MAX

struct gprof_options {
	const struct gprof_spec *specs; /* what options named */
	size_t nspecs;			/* how many */
	bool lines;			/* symbols are source lines (-l): basic blocks count */
	const struct gmon_arc *found;	/* further arcs, found in the text (-c): they join before the ordering, with a count of 0 */
	size_t nfound;			/* how many */
	const char *const *others;	/* object files in which no symbol stands (-R), for their order; outlives the graph */
	size_t nothers;			/* how many */
};

/* A routine, or a source line with -l; or, behind routines[nroutines - 1], a cycle as a whole.  Times in samples. */
struct gprof_routine {
	const struct gmon_symbol *symbol; /* NULL: a cycle */
	uint64_t calls;		/* from other routines; of a cycle: from outside of it */
	uint64_t self_calls;	/* direct recursive ones; of a cycle: among its members */
	double self;		/* samples in it */
	double child;		/* passed to it by what it calls */
	double fraction;	/* part of its time that is shown, as -E, -F, -n, -N leave it to the callers: 0..1 */
	double shown_self;	/* that part of self */
	double shown_child;	/* and of child */
	uint32_t first_out;	/* arcs to callees: arcs[first_out], and on by next_out; GPROF_NONE: none */
	uint32_t first_in;	/* arcs from callers, by next_in */
	uint32_t first_block;	/* basic blocks, with -l: blocks[first_block .. first_block + nblocks) */
	uint32_t nblocks;	/* how many */
	uint32_t topological;	/* number of its component from 1: callees have lower ones */
	uint32_t cycle;		/* number of its cycle, from 1; 0: in none */
	uint32_t place;		/* number of its entry in the call graph, from 1, shown or not */
	uint16_t picked;	/* bit 1 << T: it is in table T */
	bool printed;		/* has an entry in the call graph, unless nothing happened in it */
};

struct gprof_arc {
	uint32_t from;		/* caller, index in routines[] */
	uint32_t to;		/* callee */
	uint64_t calls;		/* how often; 0: found in the text only */
	double self;		/* what the callee passes on of its self time, samples */
	double child;		/* and of its child time */
	uint32_t next_out;	/* the next arc of the same caller; GPROF_NONE: the last */
	uint32_t next_in;	/* the next arc of the same callee */
};

/* The members of a cycle. */
struct gprof_cycle {
	uint32_t first;		/* members[first .. first + size) */
	uint32_t size;		/* 2 at least */
};

struct gprof {
	const struct gmon *gmon;	/* what it was made from, not owned */
	struct gprof_routine *routines;	/* by address, then the ncycles cycles */
	uint32_t nroutines;		/* without the cycles */
	struct gprof_arc *arcs;		/* in the order in which they were met */
	uint32_t narcs;			/* how many */
	struct gmon_block *blocks;	/* each once, by routine, those of one in the order in which they were met */
	struct gprof_cycle *cycles;	/* cycle number - 1 */
	uint32_t ncycles;		/* how many */
	uint32_t *members;		/* routines of all cycles, in the order in which the ordering found them */
	uint32_t *listed;		/* routines and cycles in the order of the call graph, nroutines + ncycles of them */
	uint32_t npicked[GPROF_TABLES];	/* routines in each table */
	double time;			/* samples in all, what the flat profile leaves out not counted */
	const char *const *others;	/* as in the options */
	size_t nothers;			/* how many */
	double shown_time;		/* of them those that the call graph shows */
};

/* Make gprof's view of M with the N SYMBOLS, sorted and disjoint.  M and SYMBOLS must outlive it.  NULL with *ERR set when memory is
 * short.  Freed with gprof_free. */
struct gprof *gprof_build(const struct gmon *m, const struct gmon_symbol *symbols, size_t n,
			  const struct gprof_options *options, struct error *err);
void gprof_free(struct gprof *g);

/* Whether routine R is in the view of the tables INCLUDE and INCLUDE + 1. */
bool gprof_wanted(const struct gprof *g, uint32_t r, enum gprof_table include);

/* All routines in the order of gprof's flat profile: malloc'ed.  NULL: out of memory. */
uint32_t *gprof_flat_rows(const struct gprof *g);

/* N samples in the unit of the file's rate: seconds; and in ns. */
static inline double gprof_seconds(const struct gprof *g, double samples)
{
	return g->gmon->rate ? samples / g->gmon->rate : 0;
}

static inline uint64_t gprof_nanoseconds(const struct gprof *g, double samples)
{
	return (uint64_t)(gprof_seconds(g, samples) * 1e9 + 0.5);
}

/* The routine that has ADDRESS; GPROF_NONE if none does. */
uint32_t gprof_find(const struct gprof *g, uint64_t address);

/* The routine or cycle whose calls share the time of routine R: its cycle if it is in one. */
static inline uint32_t gprof_whole(const struct gprof *g, uint32_t r)
{
	return g->routines[r].cycle ? g->nroutines + g->routines[r].cycle - 1 : r;
}

/* Whether ARC stays within a cycle, or is a direct recursion: it passes no time. */
static inline bool gprof_is_inner(const struct gprof *g, const struct gprof_arc *arc)
{
	return arc->from == arc->to || (g->routines[arc->from].cycle && g->routines[arc->from].cycle == g->routines[arc->to].cycle);
}

#endif
