/* perf.h - samples and changes of processes, as the kernel's perf events give them: perf_event_open(2).
 *
 * The clock is the kernel's cpu-clock, CPU time of each thread: it is on every machine, and a period of it is a time.  A ring for each processor;
 * records come out of all of them in the order of their times. */
#ifndef SAMPLE_PERF_H
#define SAMPLE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Registers as asked for: those of the DWARF numbers 0..15 of x86-64 (rax rdx rcx rbx rsi rdi rbp rsp r8..r15), and the address. */
enum { PERF_REGS = 17, PERF_IP = 16 };

enum perf_kind {
	PERF_SAMPLE,			/* a thread ran for a period */
	PERF_MAPPED,			/* a process mapped code */
	PERF_NAMED,			/* a thread has a name */
	PERF_EXEC,			/* the same, by becoming another program */
	PERF_FORKED,			/* a process or thread began */
	PERF_ENDED,			/* a thread ended */
	PERF_LOST,			/* the ring was full */
};

/* What happened. Pointers live until the next call of perf_next. */
struct perf_happening {
	enum perf_kind kind;
	uint32_t pid, tid;		/* whose */
	uint32_t ppid, ptid;		/* PERF_FORKED: of whom */
	uint64_t time;			/* CLOCK_MONOTONIC, ns */
	/* PERF_SAMPLE */
	uint64_t period;		/* CPU time since the last one, ns */
	bool kernel;			/* the thread was in the kernel; registers are those that it came with */
	bool readable;			/* there are registers of a 64-bit program */
	uint64_t regs[PERF_REGS];
	const void *stack;		/* copy of the memory from the stack pointer on */
	size_t stack_size;		/* bytes of it */
	/* PERF_MAPPED */
	uint64_t start, length, offset;	/* addresses, and where in the file */
	uint64_t device, inode;		/* of the file; 0: none */
	const char *name;		/* path; PERF_NAMED, PERF_EXEC: of the thread */
	/* PERF_LOST */
	uint64_t lost;			/* records */
};

struct perf;

/* Begin to sample, RATE times a second of CPU time, the thread TIDS[0..N-1] and all that they start from now on; ON_EXEC: from the time that
 * they become another program.  NULL with *ERR set: that is not allowed here, or not to be had; the text says what to do. */
struct perf *perf_open(const pid_t *tids, size_t n, unsigned rate, bool on_exec, struct error *err);
void perf_close(struct perf *p);

/* Does it see the kernel's part of the time too? */
bool perf_sees_kernel(const struct perf *p);

/* Wait until there is something to read, for MS milliseconds at most, or until the descriptor WAKE can be read. */
void perf_wait(struct perf *p, int wake, int ms);

/* The next record of before BEFORE, CLOCK_MONOTONIC ns, into *H; false: there is none.  Those of a moment ago may be on their way still: BEFORE is
 * to be a little in the past, but at the end. */
bool perf_next(struct perf *p, uint64_t before, struct perf_happening *h);

#endif
