/* reader.h - one reading of one file: what the files that read hand to each other.
 *
 * read.c walks the steps, read_values.c says which values there are, reader.c checks the header, finds the chunks and takes their counts, records.c
 * turns modules, routines and threads into the profile's, scripts.c says what those of scripts are, phases.c their phases, spreads.c how they differ
 * over ranks, slices.c what was when, items.c replays the contexts and sums their counters. */
#ifndef READER_H
#define READER_H

#include "read/profile/private.h"

/* A chunk that was found whole enough to use. */
struct chunk {
	uint64_t at;		/* its offset in the file, bytes */
	struct amon_chunk head;	/* checked copy of its head; head.count is not used */
	uint32_t items;		/* whole items to read: published, and before the cut */
};

/* Whether a chunk belongs to one thread. */
static inline bool chunk_is_owned(const struct chunk *c)
{
	return c->head.kind == AMON_CONTEXTS || c->head.kind == AMON_PCS || c->head.kind == AMON_RESET ||
	       c->head.kind == AMON_PHASE_COUNTS || c->head.kind == AMON_STACKS || c->head.kind == AMON_SITES ||
	       c->head.kind == AMON_SPENT || c->head.kind == AMON_SPREADS || c->head.kind == AMON_BYTES || c->head.kind == AMON_SLICES ||
	       c->head.kind == AMON_PCS_PACKED || (c->head.kind == AMON_AMOUNTS && c->head.thread != AMON_NONE);
}

/* A module record of the file. */
struct mapping {
	uint64_t start, end;	/* address range at run time, end one past */
	uint64_t bias;		/* run-time address minus link-time one */
	uint32_t module;	/* index in profile.modules */
	uint32_t order;		/* place in the file */
	bool main_program, hooked; /* as recorded */
	bool anonymous;		/* it stands for code that no file has */
};

/* A phase of the file. */
struct file_phase {
	uint32_t index;			/* in profile.phases */
	bool current;			/* it goes on */
	bool wanted;			/* the profile is to be of it */
	const struct chunk *counts;	/* of the thread at hand; NULL: none */
	struct profile_phase sum;	/* over the threads so far; the name is not used */
};

/* What the file says of a context's ranks. */
struct file_spread {
	uint32_t context;
	struct profile_spread spread;
};

/* What may be read in the place of times that is none of the values that the file says it has. */
enum chosen {
	CHOSEN_CALLS = 0x7fffff00,	/* its calls */
	CHOSEN_BYTES,			/* what these moved (AMON_BYTES) */
	CHOSEN_BESIDE			/* one that the call stacks beside have */
};

struct reader {
	struct profile *p;		/* what is added to */
	struct profile_mark mark;	/* how much it held before */
	const unsigned char *data;	/* the file */
	size_t len;			/* bytes there are */
	const char *label;		/* its name in messages */
	struct error *err;		/* what went wrong */
	struct profile_run run;		/* facts about the file so far */
	struct chunk *chunks;		/* by kind, thread, base, offset */
	size_t nchunks, chunk_room;	/* how many, and for how many there is room */
	struct mapping *mappings;	/* in the order of the file; by start once sorted */
	size_t nmappings, mapping_room;
	uint32_t *routines;		/* routine of the file -> index in profile.routines */
	size_t nroutines, routine_room;
	uint32_t pseudo[8];		/* the same for AMON_ROUTINE_ROOT + i; PROFILE_NONE: not met yet */
	uint32_t *items;		/* item of the thread at hand -> context */
	size_t nitems, item_room;
	uint32_t *share_of;		/* context -> share of the thread at hand; PROFILE_NONE: none yet */
	size_t nshare_of, share_room;
	bool *met;			/* context -> met in this file */
	size_t nmet, met_room;
	const struct chunk *reset;	/* calls of the items at the thread's last reset; NULL: none */
	struct file_phase *phases;	/* in the order of the file */
	size_t nphases, phase_room;
	const struct chunk *phase_mark;	/* where the thread at hand stood when the phase that goes on began; NULL: at 0 */
	struct file_spread *spreads;	/* of all threads */
	size_t nspreads, spread_room;
	struct source_part *parts;	/* what each thread has, in the order of threads (times.h) */
	size_t nparts, part_room;
	struct profile_value *values;	/* of the file; of one that was chosen [0] alone */
	uint32_t *value_of;		/* value of the file -> value of the profile */
	uint32_t nvalues;		/* how many */
	uint32_t chosen;		/* which of the file's is read in the place of times, or what else (enum chosen); 0: these are */
	uint32_t peak;			/* the value that is the peak of the one before it (AMON_VALUE_PEAK), and its state; 0: none is */
	uint64_t peak_state;
	uint64_t divisor;		/* what stands in the place of times is by so much too large */
	uint64_t budget;		/* bound on histories.work: beyond it the file is absurd */
	uint64_t node_budget;		/* the same for histories.n */
};

/* Set the error and return false. */
bool reader_corrupt(struct reader *r, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool reader_no_memory(struct reader *r);

/* Take the header, and check it. */
bool reader_header(struct reader *r);

/* R is done with: free what it has of its own. */
void reader_end(struct reader *r);

/* Find the chunks, their counts, and again what was appended meanwhile: a routine that a context names may be there.  False with the
 * error set. */
bool reader_collect(struct reader *r);

/* The chunks of one KIND: the first at or after *I, which moves behind it.  NULL: no more. */
const struct chunk *reader_next(const struct reader *r, uint32_t kind, size_t *i);

/* X in the unit of the file's counters, as ns, or in the unit of the value that they are. */
uint64_t reader_nsec(const struct reader *r, uint64_t x);

/* Steps of the reading, in this order; false with the error set. */
bool read_values(struct reader *r);
bool read_modules(struct reader *r);
bool read_symbols(struct reader *r);
bool read_commands(struct reader *r);
bool read_routines(struct reader *r);
bool read_scripts(struct reader *r);
bool read_threads(struct reader *r);
bool read_phases(struct reader *r);
bool read_contexts(struct reader *r);
bool read_arcs(struct reader *r);

/* spreads.c: take chunk C of the thread at hand; see that nothing can fail; add it up. */
bool read_spreads(struct reader *r, const struct chunk *c);
bool spreads_prepare(struct reader *r);
void spreads_commit(struct reader *r);

/* slices.c: before any thread, how long their intervals are; take chunk C of thread THREAD, the one at hand; put its slices, from FIRST on, in order. */
void slices_prepare(struct reader *r);
bool read_slices(struct reader *r, const struct chunk *c, uint32_t thread);
void slices_merge(struct profile *p, size_t first);

/* phases.c, for each thread: forget the one before; take each of its chunks of counts; then ask what is to count at each
 * entry (see struct amon_phase_count), where NOW stands in the file, of the thread itself and of its items. */
void phases_next_thread(struct reader *r);
bool phases_take_chunk(struct reader *r, const struct chunk *c);
void phases_thread_totals(struct reader *r, struct amon_thread *t);
struct amon_phase_count phases_count(struct reader *r, uint64_t i, struct amon_phase_count now, uint64_t calls_at_reset);
void phases_commit(struct reader *r);

/* The profile's routine for the routine ID of the file, which stands at AT; PROFILE_NONE with the error set. */
uint32_t reader_routine(struct reader *r, uint32_t id, uint64_t at);

/* The mapping that held ADDRESS, or NULL.  Only after read_modules and read_routines. */
const struct mapping *reader_mapping(const struct reader *r, uint64_t address);

#endif
