/* record.h - the recorder: samples the call stacks of processes from outside, and folds them into an amon.out for each program. */
#ifndef SAMPLE_RECORD_H
#define SAMPLE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "contract/amon.h"
#include "record/sample/account.h"
#include "record/sample/perf_events.h"

struct recorder;

/* What to record. */
struct record_options {
	const char *directory;		/* where the files go: stacks.PID.N for the Nth program of a process */
	unsigned rate;			/* samples a second of the clock's time */
	bool wall;			/* the clock is elapsed time, what threads wait for included; else CPU time */
	uint64_t memory;		/* bound of each file, bytes */
	enum amon_source source;	/* who takes the samples; NONE: who may */
	bool intervals;			/* time is kept by interval of the run, too (contract/slice.h) */
	const struct event *events;	/* sampled beside time, by perf events alone */
	size_t nevents;			/* how many */
	bool allocations;		/* what is allocated, too, as far as a library in the program tells (heap.h) */
	bool kernel;			/* the kernel's routines, too, where that is permitted */
	bool inlined;			/* functions that the compiler inlined, too, as far as debug information tells of them */
	char **command;			/* arguments of the program, which may be gone before anybody looks; NULL behind the last */
	bool (*skip)(const char *program); /* whether the program, by its path, is none of ours; NULL: all are */
	uint32_t (*ways)(const char *program); /* how hooks got into the program, bits of enum amon_way; NULL: nobody asks */
};

/* Who takes samples of a program that is run here: perf events where they are permitted, else a timer in the program, which can tell of no thread that
 * waits: for WALL ptrace.  WANTED if that is not NONE. */
enum amon_source record_source(enum amon_source wanted, bool wall);

/* Begin to record the process PID, which is about to become its program, and all that it starts, in a thread of its own.  OPTIONS say by what
 * source; by a timer, the program must have been told of it (ticker.h).  The memory of OPTIONS must outlive it.  NULL with *ERR set: it cannot be sampled here, and why. */
struct recorder *record_child(pid_t pid, const struct record_options *options, struct error *err);

/* Begin to record the N processes PIDS, which run already, and all that they start.  Likewise; ERR names a process that is not there. */
struct recorder *record_processes(const pid_t *pids, size_t n, const struct record_options *options, struct error *err);

/* Begin to record all that runs on this machine, but this process, as it is met.  NULL with *ERR set: that is not permitted. */
struct recorder *record_all(const struct record_options *options, struct error *err);

/* When it is over: */
struct record_untold {
	uint64_t refused;		/* processes that no source may look at */
	uint64_t running;		/* processes that have not ended */
	struct accounts accounts;	/* what the kernel counts, by program, and what is missing of it; for accounts_free.  The rest is of record_all, which has none. */
	uint64_t processes;		/* whose mappings we may not read: their stacks are not followed */
	uint64_t samples;		/* of processes that have no number here: of other containers */
	uint64_t lost;			/* records that came faster than they were read, most of them samples */
};

/* Why the kernel's routines are not recorded though they were asked for: NULL: they are.  Owned by R. */
const char *record_kernel_refused(const struct recorder *r);

/* The child of record_child has ended: it used CPU ns of CPU time itself, and ALL with those that it waited for, and these. */
void record_child_used(struct recorder *r, uint64_t cpu, uint64_t all);

/* Stop; all that was sampled is in the files then.  Frees R.  What was not to be had goes to *UNTOLD, unless that is NULL. */
void record_end(struct recorder *r, struct record_untold *untold);

#endif
