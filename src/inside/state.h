/* state.h - what there is once in the process, and the notes of what went wrong in it. */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"
#include "inside/monitor.h"
#include "inside/sys.h"

struct thread;

/* Clocks as APROF_CLOCK and APROF_RATE ask. */
struct clock_choice {
	uint32_t clock;			/* enum amon_clock */
	uint32_t rate;			/* samples each second, at most */
	bool is_rate_asked;		/* it is the user's */
	uint32_t pc_wanted;		/* enum amon_source for program counters: SOURCE_NONE, _TIMER, _PERF */
	bool is_pc_free;		/* another may stand in for it */
};

/* The process. */
struct monitor {
	struct sys_lock lock;		/* over what follows, but for what says otherwise */
	volatile uint32_t state;	/* enum monitor_state; read without the lock */
	struct amon_header *header;	/* start of the mapping; never NULL once started */
	uint64_t mapped;		/* bytes mapped */
	bool anonymous;			/* there is no file behind the mapping, or not the one wanted */
	struct thread *threads;		/* every machine; prepended, read without the lock */
	uint32_t nthreads;		/* how many */
	struct thread *ended, *ended_last; /* those whose threads are over, or nearly so, as far as known, in that order; NULL: none */
	uint32_t starts;		/* of threads since it was last asked which are gone */
	struct amon_chunk *thread_chunk; /* last chunk of threads */
	struct amon_chunk *routine_chunk; /* last chunk of routines */
	uint32_t nroutines;		/* routines known */
	uint64_t memory_private;	/* anonymous memory taken, bytes */
	int pid;			/* of this process */
	bool started;			/* the clock is chosen and goes */
	volatile bool young;		/* the process has worked for some milliseconds at most, and has no sampler (young_process.h) */
	volatile bool unmeasured;	/* it is so no longer, or has another way since, whose hooks are to be measured */
	bool sigprof_blocked;		/* SIGPROF was blocked when the first thread began */
	bool in_nursery;		/* the file of this process is a place in it */
	struct amon_chunk *nursery;	/* of the file that young children share (nursery.h), as this process has it mapped; NULL: none */
	volatile bool stopped;		/* by the program: what is counted is left out */
	bool forked;			/* began as a forked child */
	uint32_t *alive;		/* page wiped on fork: 1 in the process that started, 0 in a child that ran no handler */
	struct clock_choice clock;	/* as asked */
	bool verify;			/* stacks are held against contexts */
	bool intervals;			/* what samples charge is kept by interval of the run, too */
	bool sites;			/* call sites are told apart in threads that begin */
	bool without_exits;		/* way inline is in use where it does not read the counter: nobody is told of exits */
	bool reads_counter;		/* way inline is in use where it does */
	bool inline_sites;		/* way inline is in use where it tells its call sites */
	bool jumps_untold;		/* libraries without hooks find longjmp and its kin in libc first */
	uint32_t shown;			/* times that an unloaded module came back */
	uint64_t early_calls;		/* hooks met before the thread's words were there, none counted */
	struct sys_lock control;	/* over what the program itself asks for (api.c) */
};

enum monitor_state {
	MONITOR_NEW,		/* no hook has run */
	MONITOR_STARTING,	/* the first one is at work */
	MONITOR_ON,		/* contexts are followed */
	MONITOR_FORKED,		/* a child that has not met a hook since */
	MONITOR_OFF,		/* latched off: set-uid, or trouble; the program runs on */
};

extern struct monitor monitor HIDDEN;

static inline uint32_t monitor_state(void) { return __atomic_load_n(&monitor.state, __ATOMIC_ACQUIRE); }
static inline bool clock_is_tsc(void) { return monitor.clock.clock == AMON_CLOCK_TSC; }

/* What a sample is asked to stand for, ns. */
static inline uint64_t clock_period(void) { return 1000000000u / monitor.clock.rate; }

/* Is a new interval asked for, and no sampler there, or not yet, to see it? */
static inline bool reset_is_due(void)
{
	const struct amon_header *h = monitor.header;

	return (monitor.young || h->source != AMON_SOURCE_SAMPLER) && h->reset_request != h->reset_done;
}

/* Count a note of the given kind. Any thread, any time. */
void note(enum amon_note kind) HIDDEN;
void note_error(enum amon_note kind, long error) HIDDEN;
void note_once(enum amon_note kind) HIDDEN;	/* if it was not */

#endif
