/* ring.h - shared memory by which a program that was not built for it gives samples of its stacks away (inside/preload/ticks.c) to the recorder (record/sample/ticker.c).
 *
 *     struct ring_head (a page) | data, SIZE bytes, which begin again at their start
 *
 * A file NAME of the recorder's directory, "ring.PID.TIME", or "heap.PID.TIME" with samples of what is allocated (inside/preload/heap_samples.c): made by the program, taken away by the recorder, which maps it.  Threads reserve room by moving `head`, and
 * publish a record by writing its position into it, so that one in the making is not read, and one of the ring's last round neither; the recorder
 * moves `tail`.  What finds no room is counted as lost: the program never waits.  Both map the data twice, one behind the other. */
#ifndef FORMAT_RING_H
#define FORMAT_RING_H

#include <stdint.h>

#define RING_MAGIC	"aprofrng"	/* 8 bytes, no final NUL */
#define RING_VERSION	4
#define RING_NAME	"ring."
#define RING_HEAP_NAME	"heap."
#define RING_DATA	4096u		/* offset of the data, bytes */
#define RING_STACK	32768u		/* bytes of a stack that are copied at most */

struct ring_head {
	char magic[8];			/* RING_MAGIC */
	uint32_t version;		/* RING_VERSION */
	uint32_t ready;			/* 1: what stands here is whole */
	uint64_t size;			/* of the data, bytes, a multiple of pages */
	int32_t pid;			/* of the process, which roll.h tells of */
	uint32_t unwanted;		/* 1, by the recorder: no more samples are to come */
	uint64_t started;		/* the program, CLOCK_MONOTONIC ns */
	uint64_t lost;			/* records that found no room */
	uint64_t head __attribute__((aligned(64))); /* position behind what is reserved, bytes since the start */
	uint64_t tail __attribute__((aligned(64))); /* behind what was read */
};

enum ring_kind {
	RING_SAMPLE = 1,		/* struct ring_sample, the stack's bytes, the other stack's */
	RING_MAPS,			/* a piece of /proc/PID/maps; the last one is empty */
	RING_ENDED,			/* thread TID ended */
	RING_ALLOCATED,			/* struct ring_sample, the stack's bytes: of a thread that got memory */
	RING_FREED,			/* struct ring_freed */
};

/* Head of each record; 8-aligned. */
struct ring_record {
	uint64_t at;			/* its position + 1, written last */
	uint32_t size;			/* bytes to the next one */
	uint32_t kind;			/* enum ring_kind */
	uint32_t tid;			/* of the thread */
	uint32_t used;			/* bytes that follow this and mean something */
	uint64_t time;			/* CLOCK_MONOTONIC, ns */
};

struct ring_sample {
	struct ring_record record;
	uint64_t period;		/* CPU time since the thread's last sample, ns; RING_ALLOCATED: bytes that it got, not 0 */
	uint64_t mean;			/* RING_ALLOCATED: bytes from one sample to the next, in the mean: they are exponentially distributed */
	uint64_t allocation;		/* RING_ALLOCATED: its number, not 0, each once in a process */
	uint64_t lost, lost_bytes;	/* RING_ALLOCATED: for how many allocations, and bytes, those stand, about, that found no room since the last one */
	uint64_t regs[17];		/* by their DWARF numbers, and the address */
	uint32_t kernel;		/* 1: it was in a system call */
	uint32_t stack_size;		/* bytes from the stack pointer on that follow */
	uint64_t other;			/* where the stack is that a handler's own one interrupted; 0: there is none */
	uint32_t other_size;		/* bytes from there on that follow those */
	char name[20];			/* of the thread; NUL-terminated */
};

/* What was told as RING_ALLOCATED is free again. */
struct ring_freed {
	struct ring_record record;
	uint64_t allocation;		/* its number */
	uint64_t untracked;		/* 1: it is not, but nobody will know when it is */
};

#endif
