/* thread.h - a thread as the monitor has it: its machine, which is its contexts and transitions, and how it begins and ends. */
#ifndef THREAD_H
#define THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/allocations.h"
#include "contract/amon.h"
#include "contract/history.h"
#include "inside/machine/context.h"
#include "inside/monitor.h"
#include "inside/state.h"
#include "inside/tls.h"

struct aprof_stack;
struct heap_place;
struct shadow;
struct spender;
struct unwind_cache;
struct verifier;
struct walks;

/* A chunk of contexts in the file: counters of items base .. base + capacity. */
struct span {
	struct amon_chunk *chunk;	/* in the mapping */
	struct amon_link *links;	/* its links */
	struct amon_counter *counters;	/* its counters */
	uint32_t *ticks;		/* and their ticks */
	uint64_t *sites;		/* and where they were called from; NULL: that is not told */
	struct amon_spent *spent;	/* and the samples of that; NULL: there are none */
	uint64_t *bytes;		/* that they moved; NULL: none was told */
	struct amon_amount *heap[HEAP_VALUES]; /* what they allocated; NULL: nothing */
	uint32_t *heap_places;		/* private: numbers of their places (heap/heap.c), 0: none; NULL: nothing was allocated */
	uint32_t base;			/* index of its first item */
	uint32_t capacity;		/* items */
};

/* What the machine knows of an item beside its counters; private memory. */
struct item {
	context_id id;			/* as in its counters, which a forked child cannot see; 0: it is nobody's context */
	uint32_t parent;		/* item; AMON_NONE: starts a history */
	uint32_t routine;		/* index of the routine */
	uint32_t folded;		/* place in `histories` of its nearest ancestor-or-self made by
					 * unmarking an entry; 0: none, the history is the chain of parents */
	uint32_t hash;			/* of its history */
};

/* A table of what was charged in intervals of one level (contract/slice.h); the chunk's head says the same, but is in the file, which others may cut. */
struct slice_table {
	struct amon_chunk *chunk;
	uint32_t slots;			/* a power of 2 */
	uint32_t level;
};

/* A context that is being made while signals may come: what is to be written, and where. */
struct making {
	context_id id;			/* of the context */
	uintptr_t address;		/* of the routine called */
	uint32_t item;			/* the new one */
	uint32_t parent;		/* its parent */
	uint32_t routine;		/* its routine */
	uint32_t targets;		/* in the full table before */
	uint64_t *place;		/* in the full table */
	uint64_t *known;		/* in the table of known histories; NULL: it has no unmarked entry */
	uint32_t nknown;		/* in that table before */
	struct span *span;		/* that has room for it */
};

#ifndef THREAD_DIRECTORY		/* pages of items, of aliases; a build with few tests what comes behind the last */
#define THREAD_DIRECTORY 4096
#endif

enum {
	THREAD_SPANS = THREAD_DIRECTORY / 16 + 9,
	THREAD_PCS = 10,		/* tables of program counters, each twice as large as the one before: half a million in all */
	THREAD_RECENT = 256,
	THREAD_SLICES = 64,		/* tables of slices: of a level each is twice as large as the one before */
};

/* A front table (front.c). */
struct front {
	target *slots;			/* NULL: there is none */
	uint64_t mask;			/* as in struct aprof_tls */
	uint32_t room;			/* slots there is memory for: in a forked child, more than the mask says */
	uint32_t fought;		/* look-ups that a larger table had answered, since that was last thought of */
	uint64_t fought_calls;		/* calls made up to then */
};

/* The machine stacks that the thread has run on, and their shadow stacks (stacks/). */
struct thread_stacks {
	struct shadow *shadow;		/* in use */
	uintptr_t low;			/* down to which address the machine stack in use is known to go, beside way inline */
	struct shadow *nowhere;		/* in use between a switch that nobody follows and the next hook; NULL: not made */
	struct shadow *shadows;		/* all of them */
	struct shadow *unused, *unused_end; /* room for more */
	struct shadow **announced;	/* table by hash of the low ends of the stacks that were announced; NULL: none were */
	uint32_t announced_slots;	/* its slots, a power of 2 */
	uint32_t nannounced;		/* and those taken */
	uintptr_t refused_low, refused_high; /* the range that was told last, and is no stack; 0: none */
	uint64_t vfork_last;		/* aprof_tls.last while a child of vfork uses the thread's words */
};

/* What the sampler, or a timer, knows of the thread, and charged (clock/). */
struct thread_clock {
	volatile uint32_t watched;	/* the clock may look at tls; clocks tsc and none: if is_told, too */
	bool is_told;			/* tls is there until `watched` is 0: its end will be told, or it is the first thread */
	uint64_t sampled_cpu;		/* CPU clock at the last look, ns */
	uint64_t sampled_wall;		/* CLOCK_MONOTONIC at the last look, ns */
	uint64_t pending;		/* part of record->unplaced that the next sample places, ns */
	int state_tid;			/* whose state_fd is */
	uint64_t slept;			/* times that it had given up its processor by itself when last asked */
	int state_fd;			/* /proc/self/task/TID/status among the sampler's own descriptors; 0: none */
	struct amon_chunk *pcs[THREAD_PCS]; /* tables of PCs; the last one is filled */
	uint32_t npcs;			/* of them; 0: none */
	struct slice_table slices[THREAD_SLICES]; /* the last one is filled */
	uint32_t nslices;		/* of them; 0: none */
	int pc_tid;			/* thread that pc_handle interrupts; 0: none */
	volatile uint32_t pc_phase;	/* of a perf event: PC_FIRST, PC_CAME; 0: it has its period */
	int pc_handle;			/* descriptor of a perf event among the sampler's, or number of a timer; < 0: none */
	struct spender *spender;	/* what samples by call site need; NULL: there was none */
};

/* Tables of the thread in the file beside its contexts. */
struct thread_tables {
	struct amon_chunk *stacks;	/* of stacks that did not fit; NULL: none */
	struct amon_chunk *reset;	/* calls at the last reset; NULL: none */
	struct amon_chunk **phases;	/* counts of phases, and last of all the mark; NULL: none */
};

/* What walking its machine stack needs (stacks/). */
struct thread_walk {
	uint32_t *kept_frames;		/* routines of a stack that is walked (frames.c); NULL: none was */
	struct unwind_cache *unwinding;	/* for that; NULL: none yet */
	struct walks *walks;		/* that were made (walk_cache.c); NULL: none yet */
};

/* A stack for hooks that run where there is too little of one (stacks/hook_stack.c). */
struct thread_hook_stack {
	void *room;			/* NULL: none yet */
	bool is_in_room;		/* it is in use, and a signal stack has been left for it */
};

/* Its place among all machines (process/). */
struct thread_chain {
	struct thread *forked_from;	/* machine whose contexts open routines may still hold; NULL: none */
	struct thread *next;		/* in monitor.threads */
	struct thread *next_ended;	/* in monitor.ended; NULL: the last */
	bool ended;			/* it is there */
};

/* A machine: whose it is, its contexts and transitions, and who is making one.  Lives in anonymous memory for ever; reused when its thread is gone. */
struct thread {
	struct aprof_tls *tls;		/* of the live thread; NULL: ended */
	struct amon_thread *record;	/* in the file */
	uint32_t index;			/* of record */
	int tid;			/* kernel's id */
	volatile uint32_t busy;		/* BUSY in the slow path: time now is the monitor's; busy_open(c): it is, as long as the
					 * thread's context is c; else 0 */
	uint32_t nitems;		/* items made */
	uint32_t naliases;		/* aliases made */
	uint32_t ntargets;		/* targets in the full table, */
	uint32_t nsites;		/* and those of them that are of one call site */
	uint32_t nspans;		/* spans in use */
	struct span spans[THREAD_SPANS]; /* chunks of contexts */
	struct alias *aliases[THREAD_DIRECTORY]; /* pages of ALIASES_PER_PAGE */
	struct item *items[THREAD_DIRECTORY]; /* pages of ITEMS_PER_PAGE items */
	uint32_t version;		/* of all that a look-up sees; odd: `making` is being written */
	struct making making;
	uint32_t recent[THREAD_RECENT];	/* items asked for not long ago, a guess, by the id */
	struct front front[2];		/* the front tables, for the next thread that uses the machine: of transitions from any call site, and by site */
	bool sites;			/* call sites are told apart: there is the second */
	uint64_t *full;			/* complete table: full_hash of the id above; below, the item + 1, or the alias + 1 with the
					 * highest bit */
	uint64_t *known;		/* contexts with an unmarked entry by history: the hash of the history above; below, the
					 * item + 1 */
	uint32_t nknown;		/* contexts in it */
	uint32_t *histories;		/* folded histories: owner item, length, entries, ... */
	uint32_t histories_used;	/* words used; 0 is no place */
	uint32_t histories_size;	/* words that fit */
	history_entry *scratch[2];	/* room for one history each */
	uint32_t lost;			/* item "(lost)" */
	uint32_t elided;		/* item "(elided)"; 0: not made */

	/* what others keep of it */
	struct thread_stacks stacks;
	struct thread_clock clock;
	struct verifier *verifier;	/* what holding stacks against contexts needs; NULL: nobody has */
	struct thread_tables tables;
	struct thread_walk walk;
	struct thread_hook_stack hook_stack;
	struct heap_place **heap_recent; /* places of contexts that allocated not long ago (heap/heap.c); NULL: none did */
	struct aprof_stack *script;	/* routines of scripts that its thread has open, but for coroutines' (script.c); NULL: none yet */
	struct thread_chain chain;
};

/* Marks in thread.busy. The second is of who makes a context while signals may come: their handlers are not the monitor's time,
 * and one that leaves by a jump leaves the mark where it is. */
enum { BUSY = 2 };
static inline uint32_t busy_open(context_id c) { return (uint32_t)c | 1; }

struct thread *thread_start(uintptr_t cfa) HIDDEN; /* first hook of the calling thread; NULL: stay out */
void thread_watch_begin(void) HIDDEN;		/* from now on libc can tell of a thread's end */

/* The machine that counts what the calling thread, whose words are at TLS, calls now; NULL: none, or not yet. It is read once, since a
 * signal handler may fork at any time, and in the child there is none at first. */
static inline struct thread *thread_live(const struct aprof_tls *tls)
{
	struct thread *t = *(struct thread *const volatile *)&tls->thread;

	return t && monitor_state() == MONITOR_ON && *monitor.alive ? t : NULL;
}

#endif
