/* account.h - the CPU time of a run by program: what the kernel counts, what samples stand for, and why the rest is in no routine.
 *
 *     used = placed + shared + missing[...]   of each program, ns, but for what samples stand for beyond it by chance
 *
 * What no sample saw of a process that has samples, though nothing kept it from being sampled but its end, is shared among its contexts as these say
 * (process_settle); its file says how much, and errors are wider by it.  What else is missing a process that has a file has there, as unplaced; of those that have none each
 * program has one file in common, so that the time and the processes of a program add up to what the kernel says, whoever was sampled. */
#ifndef SAMPLE_ACCOUNT_H
#define SAMPLE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/amon.h"

/* Why time is in no routine. */
enum account_reason {
	ACCOUNT_SOON,			/* its threads ended, or what it ran was replaced, before the next sample was due */
	ACCOUNT_LOST,			/* samples came faster than they were read */
	ACCOUNT_KERNEL,			/* it is the kernel's, which this user may not sample */
	ACCOUNT_FILTER,			/* a filter of system calls (seccomp) leaves the library in the program no samples */
	ACCOUNT_ROOM,			/* a profile found no room, on its disk or within its bound */
	ACCOUNT_FILE,			/* there could be no profile */
	ACCOUNT_REASONS
};

/* A program. */
struct account {
	char *program;			/* path */
	uint64_t processes;		/* that have ended, or were there at the end */
	uint64_t used;			/* CPU time that the kernel counts, ns */
	uint64_t placed;		/* that samples stand for, ns */
	uint64_t shared;		/* that was shared as samples of the same process say, ns */
	uint64_t missing[ACCOUNT_REASONS]; /* ns */
	int error;			/* errno of the last profile that could not be made; 0: there was none */
	/* the module's own */
	int64_t owed;			/* used less placed of all that is settled, and in no file yet, ns: below 0 samples stand for more */
	uint64_t bare, bare_time;	/* processes without a file, and what is missing of them, ns */
	char command[128];		/* of the process that began first, as in a header */
	uint32_t command_size;
	uint64_t started;		/* when that was, CLOCK_MONOTONIC ns; 0: there is none yet */
};

struct accounts {
	struct account *programs;
	size_t n, room;
	bool (*skip)(const char *program); /* the program is none of ours; NULL: all are */
	uint64_t period;		/* after a thread's last sample it ran for so long at most, ns; 0: nobody knows */
	uint64_t skipped;		/* processes of such programs */
	uint64_t tick;			/* what a sample stands for, ns */
	bool wall;			/* files have elapsed time, of which CPU time is no part */
};

/* The account of PROGRAM, made if there is none; valid until the next is made.  NULL: out of memory. */
struct account *account_of(struct accounts *a, const char *program);

/* A process of A began at STARTED, with the arguments COMMAND, of SIZE bytes. */
void account_begin(struct account *a, uint64_t started, const char *command, uint32_t size);

/* Processes without a file: one of A, or none where one only was something else before (MORE 0), with UNPLACED ns. */
void account_bare(struct account *a, uint64_t more, uint64_t unplaced);

/* A process, or what was one until it became another program, is over: it USED so much, ns, samples stand for PLACED of it.  Returns what its file is to have beside
 * that, ns, so that the sum over the program is right. */
uint64_t account_settle(struct account *a, uint64_t used, uint64_t placed);

/* All processes together used ALL ns.  What that is beyond what was told of each is the kernel's work at their first and last moment, when nobody counts for
 * them: each has as much of it.  Where it would be more than that, there were processes that nobody told of, and it stays out. */
void accounts_even(struct accounts *a, uint64_t all);

/* The file of each program's processes that have none of their own, in DIRECTORY; HEADER as in recording_new, but that it began when the
 * monotonic clock did. */
void accounts_write(struct accounts *a, const char *directory, const struct amon_header *header);

void accounts_free(struct accounts *a);

#endif
