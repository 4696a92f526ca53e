/* source.h - where samples come from: one of several, by what is permitted; the recorder asks none of them which it is.
 *
 *     perf.c     perf events: samples, and all that changes, in the order of time
 *     ticker.c   a timer for each thread, set by a library preloaded into the program; what has no samples of its own is left to
 *     trace.c    ptrace: stopped, looked at, sent on
 *     heap.c     beside one of these: what is allocated
 *
 * A source is opened by its own function, and used in one thread from then on. */
#ifndef SAMPLE_SOURCE_H
#define SAMPLE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "contract/amon.h"

/* Registers: those of the DWARF numbers 0..15 of x86-64 (rax rdx rcx rbx rsi rdi rbp rsp r8..r15), and the address. */
enum { HAPPENING_REGS = 17, HAPPENING_IP = 16 };

enum what_happened {
	HAPPENED_SAMPLE,			/* a thread ran for a period, or begins to wait */
	HAPPENED_RESUMED,		/* a thread that waited runs again, since `time` */
	HAPPENED_MAPPED,			/* a process mapped code */
	HAPPENED_NAMED,			/* a thread has a name */
	HAPPENED_EXEC,			/* the same, by becoming another program */
	HAPPENED_FORKED,			/* a process or thread began */
	HAPPENED_ENDED,			/* a thread ended */
	HAPPENED_LOST,			/* the ring was full */
	HAPPENED_BEGAN,			/* a program runs, of which nothing was told before; its threads' number is not known */
	HAPPENED_MAPS,			/* all that it has mapped is told: `name` */
	HAPPENED_GONE,			/* a process is gone */
	HAPPENED_COUNTED,		/* an event that was asked for beside time has come so often */
	HAPPENED_COUNTED_ALL,		/* a thread ended, to which such an event came `period` times in all on one processor */
	HAPPENED_ALLOCATED,		/* a thread got memory, one of so many */
	HAPPENED_FREED,			/* that is free again */
	HAPPENED_USED,			/* a thread of a process ended after `cpu` of CPU time, as the kernel counts it; tid 0: all of the process */
};

/* What happened. Pointers live until the next call of the source's `next`. */
struct happening {
	enum what_happened kind;
	uint32_t pid, tid;		/* whose */
	uint32_t ppid, ptid;		/* HAPPENED_FORKED: of whom; HAPPENED_BEGAN: ppid, 0: not known */
	uint64_t time;			/* CLOCK_MONOTONIC, ns */
	/* HAPPENED_SAMPLE */
	uint64_t period;		/* time since the last one, ns: CPU time, or elapsed, as the clock is */
	uint64_t cpu;			/* CPU time of that, ns; HAPPENED_USED: what it is about; HAPPENED_BEGAN: what the process had used before anybody looked */
	bool waits;			/* clock wall: from now on the thread does not run, until HAPPENED_RESUMED */
	bool kernel;			/* the thread was in the kernel; registers are those that it came with */
	bool readable;			/* there are registers of a 64-bit program */
	uint64_t regs[HAPPENING_REGS];
	const void *stack;		/* copy of the memory from the stack pointer on */
	size_t stack_size;		/* bytes of it */
	bool (*more)(void *arg, uint64_t address, uint64_t *word); /* reads what the copy has not, as it was then; NULL: nobody can */
	void *more_arg;			/* for it */
	const uint64_t *chain;		/* the kernel's frames, if they were asked for: addresses, innermost first */
	size_t nchain;			/* how many */
	const uint64_t *user;		/* the same of the program, as frame pointers have it */
	size_t nuser;			/* how many */
	/* HAPPENED_COUNTED, as a sample, but that `period` is how often */
	size_t event;			/* which of those that were asked for; HAPPENED_COUNTED_ALL, too */
	/* HAPPENED_ALLOCATED, as a sample: */
	uint64_t bytes;			/* that it got */
	uint64_t mean;			/* from one sample to the next, exponentially distributed */
	uint64_t others, others_bytes;	/* allocations and bytes that it stands for beside, since samples of them were lost */
	uint64_t allocation;		/* its number in the process; HAPPENED_FREED: which */
	bool untracked;			/* HAPPENED_FREED: it is not known when it will be */
	/* HAPPENED_MAPPED */
	uint64_t start, length, offset;	/* addresses, and where in the file */
	uint64_t device, inode;		/* of the file; 0: none */
	const char *name;		/* path; HAPPENED_NAMED, HAPPENED_EXEC, HAPPENED_BEGAN, HAPPENED_SAMPLE (or NULL): of the thread; HAPPENED_MAPS: as /proc/PID/maps */
	/* HAPPENED_BEGAN */
	const char *program;		/* path of the executable; NULL: /proc tells all of this */
	const char *command;		/* arguments, each ended by NUL */
	size_t command_size;		/* bytes */
	/* HAPPENED_USED */
	bool filtered;			/* there were no samples since it filters its system calls */
	/* HAPPENED_LOST */
	uint64_t lost;			/* samples */
};

struct source;

struct source_kind {
	enum amon_source number;	/* in the file */
	bool tells_maps;		/* it tells of each change of what is mapped; else /proc is asked now and then */

	/* Begin, in the thread that will use it.  False with *ERR set: it is not permitted.  NULL: there is nothing to do. */
	bool (*begin)(struct source *s, struct error *err);

	/* Wait until there is something to read, for MS milliseconds at most, or until the descriptor WAKE can be read. */
	void (*wait)(struct source *s, int wake, int ms);

	/* The next that happened before BEFORE, CLOCK_MONOTONIC ns, into *H, cleared before; false: there is nothing now.  What is of a moment ago may be
	 * on its way still: BEFORE is to be a little in the past, but at the end. */
	bool (*next)(struct source *s, uint64_t before, struct happening *h);

	/* Clock wall: up to when it is certain who waits, CLOCK_MONOTONIC ns.  NULL: a moment after things happen they are told. */
	uint64_t (*told)(struct source *s);

	/* Nobody wants samples of the process PID any more.  NULL: they cost it nothing. */
	void (*leave)(struct source *s, pid_t pid);

	/* Threads end after so much CPU time by now, in the mean, ns: those that begin may be looked at sooner.  NULL: it makes no difference. */
	void (*hasten)(struct source *s, uint64_t mean);

	/* The end: nothing that happens from now on is told.  NULL: little happens until all is read. */
	void (*stop)(struct source *s);

	void (*close)(struct source *s);
};

/* The head of each source's own struct. */
struct source {
	const struct source_kind *kind;
	unsigned rate;			/* samples a second of the clock's time that it takes at most; 0: as many as were asked for */
	uint64_t refused;		/* processes that may not be looked at, so far */
	bool sees_kernel;		/* the kernel's part of the time is in its samples */
	unsigned ends;			/* HAPPENED_USED and _COUNTED_ALL come so often after HAPPENED_ENDED of each thread, some time later; 0: nobody knows */
};

#endif
