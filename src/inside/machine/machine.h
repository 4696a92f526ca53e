/* machine.h - A1-A5 and B2, B3: signals blocked, but for machine_find and machine_reach. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/history.h"
#include "inside/machine/context.h"
#include "inside/monitor.h"

struct amon_counter;
struct thread;

enum { MACHINE_LONGEST = 16384 };	/* entries of a history; calls that lead to longer ones are counted in "(lost)" */

bool machine_init(struct thread *t) HIDDEN;	/* a new machine */
/* SITE is the call site, if they are told apart, else 0. */
target machine_find(struct thread *t, context_id from, uintptr_t routine, uintptr_t site) HIDDEN; /* full table; 0: none */
target machine_reach(struct thread *t, context_id from, uintptr_t routine, uintptr_t site) HIDDEN; /* found, or made with no more memory, and
										 * put into the front table; 0: block signals */
target machine_make(struct thread *t, context_id from, uintptr_t routine, uint32_t flags, uintptr_t site) HIDDEN; /* 0: no room */
struct amon_counter *machine_counter(struct thread *t, uint32_t item) HIDDEN;
uint32_t machine_item(struct thread *t, context_id id) HIDDEN; /* AMON_NONE: not one of t's */
size_t machine_history(struct thread *t, uint32_t item, history_entry *s) HIDDEN; /* write ITEM's to S, of MACHINE_LONGEST; its length. Any time */
uintptr_t machine_routine(struct thread *t, context_id id) HIDDEN; /* address of the one that runs in it; 0: unknown */
void machine_charge(struct thread *t, uint32_t item, uint64_t time, uint32_t ticks) HIDDEN; /* samples: their time and how many */
/* T's context after the call of ROUTINE, an index, in HERE, made if need be. */
context_id machine_step(struct thread *t, context_id here, uint32_t routine) HIDDEN;
/* T's context for C, which is said to be the current one: of a forked child's parent's it is the one with the same history. The root: unknown. */
context_id machine_here(struct thread *t, context_id c) HIDDEN;
/* The context of T with the history of context ID of the machine FROM, made step by step. */
context_id machine_adopt(struct thread *t, struct thread *from, context_id id) HIDDEN;

uint32_t machine_ticks(struct thread *t, uint32_t item) HIDDEN; /* samples that charged it */

/* The hash of the full table: its low bits are where the search for ID begins, and all of it stands in the slot, so
 * that a search looks at no other key. */
static inline uint64_t full_hash(context_id id) { return ((id ^ id >> 32) * UINT64_C(0xc4ceb9fe1a85ec53)) >> 32; }

#endif
