/* roll.h - shared memory in which each program that has the library (inside/preload/ticks.c) writes itself down, for the recorder (record/sample/ticker.c), so that it
 * knows who takes samples of himself, who ended, and after how much CPU time, though there was no sample.
 *
 *     struct roll_head | struct roll_entry[ROLL_ENTRIES]
 *
 * The file ROLL_NAME of the recorder's directory, made by the recorder.  A process takes the first entry that is free, fills it, and shows it by its state; the
 * recorder makes it free again.  Where none is free a process is not sampled by its timer. */
#ifndef FORMAT_ROLL_H
#define FORMAT_ROLL_H

#include <stdint.h>

#define ROLL_MAGIC	"aprofrol"	/* 8 bytes, no final NUL */
#define ROLL_VERSION	1
#define ROLL_NAME	"roll"
#define ROLL_ENTRIES	4096u

enum roll_state {
	ROLL_FREE,
	ROLL_TAKEN,			/* it is being filled */
	ROLL_RUNS,			/* a program has begun */
	ROLL_WAITED,			/* its parent has waited for a process */
};

/* Why a program gives no samples, or no more. */
enum roll_closed {
	ROLL_OPEN,			/* it does */
	ROLL_SIGPROF,			/* it has SIGPROF for itself */
	ROLL_FILTER,			/* it filters its system calls */
	ROLL_RING,			/* there can be no ring */
};

struct roll_entry {
	int32_t pid, ppid;		/* ROLL_WAITED: who waited */
	uint32_t closed;		/* enum roll_closed */
	uint32_t command_size;		/* bytes used in command */
	uint64_t started;		/* CLOCK_MONOTONIC ns */
	uint64_t used;			/* CPU time of the process, ns: ROLL_RUNS: when it was last written, 0: not yet; ROLL_WAITED: with those that it waited for */
	char program[512];		/* path of the executable */
	char command[456];		/* arguments, each ended by NUL; cut to fit */
	char name[16];			/* of the process, as of a thread */
};

struct roll_head {
	char magic[8];			/* ROLL_MAGIC */
	uint32_t version;		/* ROLL_VERSION */
	uint32_t filters;		/* of system calls that the recorder itself is under (roll_filters) */
	uint32_t state[ROLL_ENTRIES];	/* enum roll_state, of each entry */
	uint32_t reserved[1020];	/* so that entries begin with a page */
};

#define ROLL_SIZE (sizeof(struct roll_head) + ROLL_ENTRIES * sizeof(struct roll_entry))

#endif
