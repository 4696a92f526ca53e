/* front.c - the front table of a thread, small and evicting, which the hooks probe inline (step B1): targets by the ids of contexts.
 *
 * Slots are in pairs: a target goes into the one that its id says, and what was there into the other, where the hooks look
 * out of line.
 * Invariant: a probe reads the mask, then the table, and a signal handler may come between that makes the table grow, or that forks and
 * returns in the child.  So a table never has fewer slots than a mask says that was there before it, and each slot leads to
 * something that can be looked at. */
#include "monitor/front.h"

#include "format/amon.h"
#include "monitor/context.h"
#include "monitor/items.h"
#include "monitor/memory.h"
#include "monitor/state.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

enum {
	FOUGHT_SLOTS = 1 << 20,		/* up to which a table grows since slots are fought over, however few targets there are, */
	FOUGHT_TARGETS = 16,		/* or to so many slots a target */
	FOUGHT_LEAST = 32,		/* part of the slots that as many look-ups are as make it worth a thought, */
	FOUGHT_MOST = 512,		/* or so many */
	FOUGHT_SMALL = 4096,		/* slots below which it grows by two steps at once: of four times the size each */
	FOUGHT_CALLS = 100000,		/* one call in so many may find its slots taken */
};

#ifndef FRONT_FIRST			/* slots; a build with a tiny table tests what evicts */
#define FRONT_FIRST 256
#define FRONT_MOST 2097152
#endif

static uint64_t mask_of(uint32_t slots) { return (slots - 1) * sizeof(target); }

static uint32_t slots_of(uint64_t mask) { return (uint32_t)(mask / sizeof(target)) + 1; }

static void clear(target *front, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++)
		front[i] = aprof_front_none[0];
}

static void put(target *front, uint64_t mask, target to)
{
	uint64_t own = front_slot(target_key(to)->id, mask), other = own ^ 1;

	if (front[own] != aprof_front_none[0])
		front[other] = front[own];
	front[own] = to;
}

/* A table of T's own; the one before, if any, stays as it is. */
static bool renew(struct thread *t, uint32_t slots)
{
	target *front = memory_take_table(0, slots);

	if (!front)
		return false;
	clear(front, slots);
	for (uint32_t i = 0; t->front && i < slots_of(t->front_mask); i++)
		if (t->front[i] != aprof_front_none[0])
			put(front, mask_of(slots), t->front[i]);
	t->front = front;
	t->front_mask = mask_of(slots);
	t->front_room = slots;
	return true;
}

/* Let the hooks have T's table.  Until the mask follows, the old one finds a part of it: misses, never errors. */
static void show(struct thread *t)
{
	t->tls->front = t->front;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->tls->front_mask = t->front_mask;
}

/* The slots of the largest table that the memory allows: of a sixteenth of it. */
static uint32_t most_slots(void)
{
	uint32_t slots = FRONT_MOST;

	while (slots * sizeof(target) > monitor.header->memory_bound / 16)
		slots /= 2;
	return slots;
}

/* The slots of the table after one of SLOTS.  The last step is the widest: the tables before it are never freed, so one less is there. */
static uint32_t next_size(uint32_t slots)
{
	uint32_t most = most_slots();

	return slots * 4 <= most / 4 ? slots * 4 : most;
}

bool front_is_small(const struct thread *t)
{
	uint32_t slots = slots_of(t->tls->front_mask);

	return t->tls->front != aprof_front_none && t->ntargets >= slots / 4 && slots < most_slots();
}

/* The most slots that a table of T's has because slots are fought over. */
static uint32_t most_fought(const struct thread *t)
{
	uint64_t most = (uint64_t)t->ntargets * FOUGHT_TARGETS;

	if (most < FOUGHT_SLOTS)
		most = FOUGHT_SLOTS;
	return most < most_slots() ? (uint32_t)most : most_slots();
}

bool front_is_fought(const struct thread *t)
{
	uint32_t slots = slots_of(t->tls->front_mask);

	return t->tls->front != aprof_front_none && (t->fought >= slots / FOUGHT_LEAST || t->fought >= FOUGHT_MOST) && slots * 4 <= most_fought(t);
}

/* What T has called so far. */
static uint64_t calls_of(struct thread *t)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < t->nitems; i++)
		calls += items_counter(t, i)->calls;
	return calls;
}

/* Slots are fought over: so much that it matters? From now on it is counted anew. */
static bool is_losing(struct thread *t)
{
	uint64_t calls = calls_of(t), before = t->fought_calls, fought = t->fought;

	t->fought_calls = calls;
	t->fought = 0;
	return fought * FOUGHT_CALLS > calls - before;
}

/* The slots of the table after one of SLOTS that are fought over. */
static uint32_t size_for_peace(const struct thread *t, uint32_t slots)
{
	int steps = slots < FOUGHT_SMALL ? 2 : 1;

	for (int i = 0; i < steps && slots * 4 <= most_fought(t); i++)
		slots *= 4;
	return slots;
}

void front_grow(struct thread *t)
{
	uint32_t slots = slots_of(t->front_mask);

	if (front_is_fought(t) && is_losing(t))
		slots = size_for_peace(t, slots);
	else if (front_is_small(t))
		slots = next_size(slots);
	else
		return;
	if (slots <= t->front_room) {		/* where a forked child's parent had its own */
		clear(t->front, slots);
		t->front_mask = mask_of(slots);
	} else if (!renew(t, slots)) {
		return;
	}
	show(t);
}

void front_add(struct thread *t, target to)
{
	struct aprof_tls *tls = t->tls;
	uint64_t mask = *(volatile uint64_t *)&tls->front_mask;
	target *front;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	front = *(target *volatile *)&tls->front;
	if (front != aprof_front_none && *(struct thread *volatile *)&tls->thread == t)	/* else TO is a parent process's */
		put(front, mask, to);
}

void front_none(struct aprof_tls *tls)
{
	tls->front_mask = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tls->front = aprof_front_none;
}

void front_leave(struct aprof_tls *tls)
{
	tls->front_mask = 0;
	if (tls->front != aprof_front_none)
		clear(tls->front, 2);
}

/* In a forked child T's first table begins as small as any other, but in the place of its parent's. */
static bool begin(struct thread *t)
{
	if (!t->forked_from || t->tls->front == aprof_front_none)
		return renew(t, FRONT_FIRST);
	t->front = t->tls->front;
	t->front_room = t->forked_from->front_room;
	t->front_mask = mask_of(FRONT_FIRST);
	clear(t->front, FRONT_FIRST);
	return true;
}

bool front_begin(struct thread *t)
{
	if (clock_is_tsc() && !t->tls->current)
		return true;
	if (!t->front && !begin(t))
		return false;
	show(t);
	return true;
}
