/* writer.h - one writing of a profile: what write.c and write_threads.c hand to each other, and writer.c does for both. */
#ifndef WRITER_H
#define WRITER_H

#include "read/profile/private.h"

/* Where the addresses of a module are put: at run time [start, end). */
struct placement {
	uint64_t low, high;	/* smallest and largest link-time address in use */
	uint64_t start, end;	/* run-time addresses given to it, end one past */
	bool used;		/* some address is in use */
};

struct writer {
	const struct profile *p;
	struct error *err;
	unsigned char *data;		/* the file so far */
	size_t len, room;		/* bytes in it, and room */
	struct placement *places;	/* of each module */
	uint32_t *routine_of;		/* profile routine -> routine of the file */
	uint32_t nroutines;		/* real ones among them */
	size_t threads_at;		/* offset of the thread records */
	uint32_t *item_of;		/* context -> item of the thread at hand; PROFILE_NONE: none */
	bool *homed;			/* context -> its PCs are written */
	uint32_t *order;		/* contexts of the thread at hand, ascending */
	size_t norder, order_room;
	struct amon_link *links;	/* items of the thread at hand */
	struct amon_counter *counters;	/* theirs */
	uint32_t *ticks;		/* theirs */
	uint64_t *sites;		/* where their calls come from */
	struct amon_spent *spent;	/* and the samples of that */
	uint64_t *bytes;		/* that they moved */
	bool moved;			/* some of the thread at hand did */
	size_t nitems, link_room, counter_room, tick_room, site_room, spent_room, bytes_room;
	struct amon_pc *pcs;		/* PCs of the thread at hand */
	size_t npcs, pc_room;
	bool *spread;			/* context -> its spread is written */
	struct amon_spread *spreads;	/* of the thread at hand */
	size_t spread_room;
	struct amon_amount *amounts;	/* of the items of the thread at hand, or of arcs: of one value */
	size_t amount_room;
	size_t amount;			/* the first of the thread at hand, of the profile's */
	size_t share, detour, site, slice; /* the first of the thread at hand */
};

/* Set the error and return false. */
bool writer_no_memory(struct writer *w);

/* Append SIZE zero bytes, rounded up to pages; *AT is where they begin. */
bool writer_append(struct writer *w, size_t size, size_t *at);

/* Append a chunk of KIND for THREAD with N items of SIZE bytes from ITEMS, or zeros for NULL; *AT is the items'
 * offset.  BASE is for contexts, whose counters follow. */
bool writer_chunk(struct writer *w, uint32_t kind, uint32_t thread, const void *items, size_t n, size_t size, size_t *at);
/* A chunk of KIND, which no thread owns, for SIZE bytes that are to be put behind its head, outside of any writing: malloc'ed, *LEN bytes long.  NULL: out of memory, or
 * more than a chunk can say. */
struct amon_chunk *writer_bytes(uint32_t kind, size_t size, size_t *len);
/* Say that the chunk whose items begin at AT is of its thread's items from BASE on, and of VALUE. */
void writer_set_base(struct writer *w, size_t at, size_t base, uint32_t value);
/* Of the chunk whose items begin at AT no more than N are whole. */
void writer_set_count(struct writer *w, size_t at, uint32_t n);
bool writer_context_chunk(struct writer *w, uint32_t thread, size_t base, size_t n);

/* The run-time address of a link-time ADDRESS in MODULE. */
uint64_t writer_address(const struct writer *w, uint32_t module, uint64_t address);

/* Of which processes the profile is the sum, if it is of several. */
bool write_commands(struct writer *w);

/* What is known of the routines of scripts. */
bool write_scripts(struct writer *w);

/* What was charged to the contexts of the thread at hand, THREAD, when; of which processes all threads were, where that is not the file's. */
bool write_slices(struct writer *w, uint32_t thread);
bool write_origins(struct writer *w);

/* How the contexts of the thread at hand differ over ranks. */
bool write_spreads(struct writer *w, uint32_t thread);

/* What the profile has amounts of; what N items, or arcs, of THREAD have of VALUE, which stands in w->amounts. */
bool write_values(struct writer *w);
bool write_amounts(struct writer *w, uint32_t thread, uint32_t value, size_t n);

/* Amounts of nothing, for N items or arcs.  False: out of memory. */
bool writer_clear_amounts(struct writer *w, size_t n);

/* Contexts and PCs of every thread, and the final thread records. */
bool write_threads(struct writer *w);

#endif
