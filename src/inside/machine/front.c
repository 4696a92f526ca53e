/* front.c - the front table of a thread, small and evicting, which the hooks probe inline (step B1): targets by the ids of contexts.
 *
 * Slots are in pairs: a target goes into the one that its id says, and what was there into the other, where the hooks look
 * out of line.
 * Invariant: a probe reads the mask, then the table, and a signal handler may come between that makes the table grow, or that forks and
 * returns in the child.  So a table never has fewer slots than a mask says that was there before it, and each slot leads to
 * something that can be looked at. */
#include "inside/machine/front.h"

#include "contract/amon.h"
#include "inside/hooks/handler.h"
#include "inside/machine/context.h"
#include "inside/machine/items.h"
#include "inside/machine/memory.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/tls.h"

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

static uint64_t front_mask_of(uint32_t slots) { return (slots - 1) * sizeof(target); }

static uint32_t slots_of(uint64_t mask) { return (uint32_t)(mask / sizeof(target)) + 1; }

static void front_clear(target *front, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++)
		front[i] = aprof_front_none[0];
}

static void front_put(target *front, uint64_t mask, target to)
{
	uint64_t own = front_slot(target_key(to)->id, mask), other = own ^ 1;

	if (front[own] != aprof_front_none[0])
		front[other] = front[own];
	front[own] = to;
}

/* Let T's table F be one of its own; the one before, if any, stays as it is. */
static bool front_renew(struct front *f, uint32_t slots)
{
	target *front = memory_take_table(0, slots);

	if (!front)
		return false;
	front_clear(front, slots);
	for (uint32_t i = 0; f->slots && i < slots_of(f->mask); i++)
		if (f->slots[i] != aprof_front_none[0] && !handler_is(target_key(f->slots[i])->routine))
			front_put(front, front_mask_of(slots), f->slots[i]);
	f->slots = front;
	f->mask = front_mask_of(slots);
	f->room = slots;
	return true;
}

/* The words of the thread in which T's hooks look for a table: that of transitions from any call site, or that OF_SITES. */
static target **front_place_of(const struct thread *t, bool of_sites) { return of_sites ? &t->tls->sites : &t->tls->front; }
static uint64_t *mask_place_of(const struct thread *t, bool of_sites) { return of_sites ? &t->tls->sites_mask : &t->tls->front_mask; }

/* Where T's call sites are told apart, the table without them is for way inline alone: the other ways, which look at it first, must not find in it
 * what they are to tell apart; beside way inline they all go out of line. */
static bool front_has(const struct thread *t, bool of_sites) { return of_sites ? t->sites : !t->sites || t->tls->current; }

bool front_is_shown(const struct thread *t, bool of_sites) { return *front_place_of(t, of_sites) != aprof_front_none; }

/* Let the hooks have T's table.  Until the mask follows, the old one finds a part of it: misses, never errors. */
static void front_show(struct thread *t, bool of_sites)
{
	*front_place_of(t, of_sites) = t->front[of_sites].slots;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*mask_place_of(t, of_sites) = t->front[of_sites].mask;
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

/* The targets that belong into T's table. */
static uint32_t targets_of(const struct thread *t, bool of_sites) { return of_sites ? t->nsites : t->ntargets - t->nsites; }

static bool machine_front_is_small(const struct thread *t, bool of_sites)
{
	uint32_t slots = slots_of(*mask_place_of(t, of_sites));

	return front_is_shown(t, of_sites) && targets_of(t, of_sites) >= slots / 4 && slots < most_slots();
}

bool front_is_small(const struct thread *t) { return machine_front_is_small(t, false) || (t->sites && machine_front_is_small(t, true)); }

/* The most slots that a table of T's has because slots are fought over. */
static uint32_t most_fought(const struct thread *t, bool of_sites)
{
	uint64_t most = (uint64_t)targets_of(t, of_sites) * FOUGHT_TARGETS;

	if (most < FOUGHT_SLOTS)
		most = FOUGHT_SLOTS;
	return most < most_slots() ? (uint32_t)most : most_slots();
}

bool front_is_fought(const struct thread *t, bool of_sites)
{
	uint32_t slots = slots_of(*mask_place_of(t, of_sites)), fought = t->front[of_sites].fought;

	return front_is_shown(t, of_sites) && (fought >= slots / FOUGHT_LEAST || fought >= FOUGHT_MOST) && slots * 4 <= most_fought(t, of_sites);
}

/* What T has called so far. */
static uint64_t front_calls_of(struct thread *t)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < t->nitems; i++)
		calls += items_counter(t, i)->calls;
	return calls;
}

/* Slots of T's table F are fought over: so much that it matters? From now on it is counted anew. */
static bool is_losing(struct thread *t, struct front *f)
{
	uint64_t calls = front_calls_of(t), before = f->fought_calls, fought = f->fought;

	f->fought_calls = calls;
	f->fought = 0;
	return fought * FOUGHT_CALLS > calls - before;
}

/* The slots of the table after one of SLOTS that are fought over. */
static uint32_t size_for_peace(const struct thread *t, bool of_sites, uint32_t slots)
{
	int steps = slots < FOUGHT_SMALL ? 2 : 1;

	for (int i = 0; i < steps && slots * 4 <= most_fought(t, of_sites); i++)
		slots *= 4;
	return slots;
}

static void machine_front_grow(struct thread *t, bool of_sites)
{
	struct front *f = &t->front[of_sites];
	uint32_t slots = slots_of(f->mask);

	if (front_is_fought(t, of_sites) && is_losing(t, f))
		slots = size_for_peace(t, of_sites, slots);
	else if (machine_front_is_small(t, of_sites))
		slots = next_size(slots);
	else
		return;
	if (slots <= f->room) {		/* where a forked child's parent had its own */
		front_clear(f->slots, slots);
		f->mask = front_mask_of(slots);
	} else if (!front_renew(f, slots)) {
		return;
	}
	front_show(t, of_sites);
}

void front_grow(struct thread *t)
{
	machine_front_grow(t, false);
	if (t->sites)
		machine_front_grow(t, true);
}

void front_add(struct thread *t, target to)
{
	bool of_sites = target_site(to) != 0;
	uint64_t mask = *(volatile uint64_t *)mask_place_of(t, of_sites);
	target *front;

	if (handler_is(target_key(to)->routine))
		return;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	front = *(target *volatile *)front_place_of(t, of_sites);
	if (front != aprof_front_none && *(struct thread *volatile *)&t->tls->thread == t)	/* else TO is a parent process's */
		front_put(front, mask, to);
}

static void drop(const struct front *f, uintptr_t routine)
{
	uint64_t mask = __atomic_load_n(&f->mask, __ATOMIC_ACQUIRE);	/* before the table: as probes do */
	target *slots = __atomic_load_n(&f->slots, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; slots && i < slots_of(mask); i++)
		if (target_key(__atomic_load_n(&slots[i], __ATOMIC_RELAXED))->routine == routine)
			__atomic_store_n(&slots[i], aprof_front_none[0], __ATOMIC_RELAXED);
}

void front_drop(struct thread *t, uintptr_t routine)
{
	drop(&t->front[false], routine);
	drop(&t->front[true], routine);
}

void front_none(struct aprof_tls *tls)
{
	tls->front_mask = tls->sites_mask = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tls->front = tls->sites = aprof_front_none;
}

void front_leave(struct aprof_tls *tls)
{
	tls->front_mask = tls->sites_mask = 0;
	if (tls->front != aprof_front_none)
		front_clear(tls->front, 2);
	if (tls->sites != aprof_front_none)
		front_clear(tls->sites, 2);
}

/* In a forked child T's first table begins as small as any other, but in the place of its parent's. */
static bool machine_front_begin(struct thread *t, bool of_sites)
{
	struct front *f = &t->front[of_sites];

	if (!t->chain.forked_from || !front_is_shown(t, of_sites))
		return front_renew(f, FRONT_FIRST);
	f->slots = *front_place_of(t, of_sites);
	f->room = t->chain.forked_from->front[of_sites].room;
	f->mask = front_mask_of(FRONT_FIRST);
	front_clear(f->slots, FRONT_FIRST);
	return true;
}

static bool begin_one(struct thread *t, bool of_sites)
{
	if (!front_has(t, of_sites))
		return true;
	if (!t->front[of_sites].slots && !machine_front_begin(t, of_sites))
		return false;
	front_show(t, of_sites);
	return true;
}

bool front_begin(struct thread *t)
{
	if (clock_is_tsc() && !t->tls->current)
		return true;
	return begin_one(t, false) && begin_one(t, true);
}
