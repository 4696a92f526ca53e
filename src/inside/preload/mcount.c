/* mcount.c - way mcount out of line: where return addresses are kept, and entries and returns that mcount.S does not
 * answer.
 *
 * Invariant: once a slot holds the address of aprof_mcount_return or of a place in a copy, its double holds the return address that it stands
 * for, until the slot is redirected again; doubles are never unmapped.  So a routine returns to where it was
 * called from whatever else went wrong: a frame that was dropped, a stack that nobody announced, a child that fork made,
 * a monitor that latched itself off. */
#include "inside/preload/mcount.h"

#include <stddef.h>

#include "contract/amon.h"
#include "inside/hooks/slow.h"
#include "inside/machine/front.h"
#include "inside/origin.h"
#include "inside/process/thread.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

/* A region of the address space has a block of the same size, made when a slot of the region is first redirected; a page of it is touched when
 * the same page of the stack is.  Slots are taken to be where 16 bytes below them are, as mcount.S finds handy. */
enum { REGION_BITS = 26, ADDRESS_BITS = 47, REGIONS = 1 << (ADDRESS_BITS - REGION_BITS), BELOW = 16,
	MOST_FAILURES = 64,		/* then no more blocks are asked for */
	ALIGNED = 128 };		/* as in mcount.S */

intptr_t aprof_mcount_doubles[REGIONS];	/* what added to a slot's address is its double's; 0: no block */

/* May returns be redirected in this process? */
static enum { NOT_ASKED, ALLOWED, REFUSED } redirection;
static uint32_t failures;		/* blocks that the system refused */

static intptr_t *region_of(const uintptr_t *slot)
{
	uintptr_t region = ((uintptr_t)slot - BELOW) >> REGION_BITS;

	return region < REGIONS ? &aprof_mcount_doubles[region] : NULL;
}

static uintptr_t *double_of(uintptr_t *slot)
{
	return (uintptr_t *)((uintptr_t)slot + (uintptr_t)*region_of(slot));
}

/* Make the block of SLOT's region, unless another thread has. False: the system refuses. */
static bool region_make(const uintptr_t *slot)
{
	size_t size = (size_t)1 << REGION_BITS;
	intptr_t none = 0, *region = region_of(slot);
	char *block;

	if (!region)
		return false;
	if (__atomic_load_n(region, __ATOMIC_ACQUIRE))
		return true;
	block = failures < MOST_FAILURES ? sys_memory(size, false) : NULL;
	if (!block) {
		failures++;
		return false;
	}
	if (!__atomic_compare_exchange_n(region, &none,
					 (intptr_t)block - (intptr_t)(((uintptr_t)slot - BELOW) & -size) - BELOW, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		sys2(munmap, block, size);
	return true;
}

/* A shadow stack of the processor's compares return addresses: none may be changed. */
static bool mcount_has_shadow_stack(void)
{
	uintptr_t pointer = 0;

	__asm__ volatile("rdsspq %0" : "+r"(pointer));	/* does nothing where there is none */
	return pointer != 0;
}

bool mcount_is_refused(void)
{
	const char *wish;

	if (redirection == NOT_ASKED && monitor_state() != MONITOR_NEW) {
		wish = origin_env("APROF_REDIRECT");
		redirection = (wish && str_equal(wish, "no")) || mcount_has_shadow_stack() ? REFUSED : ALLOWED;
	}
	return redirection == REFUSED;
}

bool mcount_may_redirect(const uintptr_t *slot)
{
	return !mcount_is_refused() && region_make(slot);
}

static bool is_redirected(const uintptr_t *slot)
{
	return mcount_is_place(*slot);
}

void aprof_mcount_redirect(uintptr_t *slot)
{
	if (is_redirected(slot))
		return;
	if (!mcount_may_redirect(slot)) {
		note(AMON_NOTE_UNREDIRECTED);
		return;
	}
	*double_of(slot) = *slot;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*(volatile uintptr_t *)slot = (uintptr_t)aprof_mcount_return;
}

/* ---- entries ---- */

/* Did the prologue before ROUTINE, where mcount was called, begin with lea 8(%rsp), REG (r10 or r13)? */
static bool prologue_aligns(uintptr_t routine)
{
	const unsigned char *code = (const unsigned char *)routine;

	for (int back = 12; back < 80; back++)
		if (code[-back] == 0x4c && code[1 - back] == 0x8d && (code[2 - back] == 0x54 || code[2 - back] == 0x6c) &&
		    code[3 - back] == 0x24 && code[4 - back] == 0x08)
			return true;
	return false;
}

/* The true slot of a routine whose frame's return address may be a copy; BEHIND may point behind it. */
static uintptr_t *slot_aligned(uintptr_t routine, uintptr_t *slot, uintptr_t behind)
{
	uintptr_t *other = (uintptr_t *)(behind - sizeof *other);

	if (behind - (uintptr_t)slot - 16 < ALIGNED && *other == *slot && prologue_aligns(routine))
		return other;
	return slot;
}

/* Where nobody tells of exits: drop the frames that have been left, those below CFA and those whose slots no longer hold what
 * they held at their entry. */
static void drop_left(struct aprof_tls *tls, uintptr_t cfa)
{
	const struct shadow *s = tls->thread->stacks.shadow;

	if (cfa <= s->low || cfa > s->high)
		return;				/* another stack */
	for (struct frame *f = tls_open(tls); frame_cfa(f) <= s->high && (frame_cfa(f) <= cfa || (f->site && *(uintptr_t *)(frame_cfa(f) - 8) != f->site));
	     f = tls_open(tls))
		tls_pop_to(tls, f - 1);
}

/* Where returns are not redirected every entry comes out of line, to look what has been left. */
static void enter_refused(struct aprof_tls *tls, uintptr_t cfa)
{
	front_none(tls);
	if (tls->thread)
		drop_left(tls, cfa);
}

static void mcount_enter(uintptr_t routine, uintptr_t *slot, bool is_plain)
{
	struct aprof_tls *tls = &aprof_tls;
	uintptr_t cfa = (uintptr_t)(slot + 1);

	if (slow_is_early(tls) || tls->inert || monitor_state() == MONITOR_OFF)
		return;
	if (is_redirected(slot) && frame_cfa(tls->top) == cfa)
		tls_pop_to(tls, tls->top - 1);	/* it jumped here */
	if (redirection == REFUSED)
		enter_refused(tls, cfa);
	aprof_entry_slow(routine, cfa, is_redirected(slot) ? *double_of(slot) : *slot, AMON_ROUTINE_INSIDE);
	if (frame_cfa(tls->top) != cfa)
		return;
	aprof_mcount_redirect(slot);
	if (is_redirected(slot) && is_plain)
		patch_routine(routine);
}

void aprof_mcount_slow(uintptr_t routine, uintptr_t cfa)
{
	mcount_enter(routine, (uintptr_t *)cfa - 1, true);
}

void aprof_mcount_odd(uintptr_t routine, uintptr_t *slot, uintptr_t frame, uintptr_t chain, uintptr_t behind)
{
	uintptr_t *true_slot = slot;

	if (!frame)
		true_slot += *(const uint16_t *)routine == POP_R10;
	else if (frame < (uintptr_t)__builtin_frame_address(0))
		return;				/* no frame pointer */
	else if ((true_slot = slot_aligned(routine, slot, chain)) == slot)
		true_slot = slot_aligned(routine, slot, behind);
	/* By another name than the address that mcount.S looks for, it comes here always. */
	mcount_enter(routine + (true_slot != slot), true_slot, false);
}

/* ---- returns ---- */

uintptr_t aprof_mcount_leave(uintptr_t cfa)
{
	struct aprof_tls *tls = &aprof_tls;

	if (tls->thread)
		aprof_exit_slow(cfa, 0, 0);
	for (struct frame *f = tls_open(tls); frame_cfa(f) <= cfa && frame_cfa(f) > cfa - 64; f = tls_open(tls))
		tls_pop_to(tls, f - 1);
	return *double_of((uintptr_t *)cfa - 1);
}
