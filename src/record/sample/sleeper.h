/* sleeper.h - a thread that sleeps in the kernel, looked at from outside: nothing stops or wakes it.
 *
 * /proc tells its call, stack pointer and address, and its memory can be read; the other registers nobody tells.  A stack that needs one of them, as code
 * with frame pointers does, is followed up to there. */
#ifndef SAMPLE_SLEEPER_H
#define SAMPLE_SLEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/sample/source.h"

/* In which system call. */
struct sleeper_call {
	int64_t number;			/* -1: it is in the kernel for another reason */
	uint64_t arguments[6];
	uint64_t sp, ip;		/* registers that it came with */
};

/* Parts of a thread's memory: a copy from the stack pointer on, and what else was asked for. */
struct sleeper_memory {
	pid_t tid;			/* by which it is read: that of a first thread that has ended reads nothing */
	uint64_t chunk_start;		/* 0: none */
	size_t stack_size, chunk_size;	/* bytes */
	char stack[16 << 10], chunk[4 << 10];
};

struct sleeper {
	pid_t pid, tid;
	struct sleeper_call call;
	struct sleeper_memory memory;
};

/* The call that thread TID of PID sleeps in.  False: it runs, is gone, or we may not know. */
bool sleeper_in(pid_t pid, pid_t tid, struct sleeper_call *c);

/* Are A and B the same, perhaps begun again by the kernel? */
bool sleeper_is_same(const struct sleeper_call *a, const struct sleeper_call *b);

/* Does the call of PID go on as if nothing had been, timeouts and all, when its thread is stopped and sent on, or else begun again?  signal(7) tells of those
 * that do not. */
bool sleeper_goes_on(pid_t pid, const struct sleeper_call *c);

/* Copy the memory of thread TID from the stack pointer SP on. */
void sleeper_memory_read(struct sleeper_memory *m, pid_t tid, uint64_t sp);

/* Other memory of it, for struct happening: MEMORY is a struct sleeper_memory. */
bool sleeper_more(void *memory, uint64_t address, uint64_t *word);

/* A hash of the stack that M is a copy of: another one, and a thread is not where it was, though its call is the same. */
uint64_t sleeper_stack(const struct sleeper_memory *m);

/* Look at thread TID of PID.  False as sleeper_in. */
bool sleeper_look(struct sleeper *a, pid_t pid, pid_t tid);

/* The sample of A, which waits; time and period are the caller's.  It points to A. */
struct happening sleeper_happening(struct sleeper *a);

#endif
