/* cyg.c - the hooks of way cyg, step B1 in C: -finstrument-functions, any compiler.
 *
 * The compiler calls them with ordinary calls inside the routine's body, so nothing need be kept;
 * the frame pointer, which this way asks for, tells the CFA. An inlined routine shares the CFA and the call site of
 * the one that it was inlined into; another site at the same CFA is another activation. */
#include "monitor.h"

/* Weak: a program that brings hooks of its own keeps them. */
void __cyg_profile_func_enter(void *routine, void *site) __attribute__((visibility("default"), weak));
void __cyg_profile_func_exit(void *routine, void *site) __attribute__((visibility("default"), weak));

/* The names that the wrapper links way cyg to (--wrap): libc's empty hooks, which a shared library in a plain
 * program would find first, have no such names. */
void __wrap___cyg_profile_func_enter(void *routine, void *site)
	__attribute__((visibility("default"), alias("__cyg_profile_func_enter")));
void __wrap___cyg_profile_func_exit(void *routine, void *site)
	__attribute__((visibility("default"), alias("__cyg_profile_func_exit")));

/* CFA of the hook's own frame at FRAME, or of any routine whose frame pointer is FRAME: above the saved frame
 * pointer and the return address. */
static inline uintptr_t cfa_of(uintptr_t frame)
{
	return frame + 2 * sizeof(void *);
}

/* CFA of the routine that called the hook. */
#define CFA() cfa_of(*(uintptr_t *)__builtin_frame_address(0))

void __cyg_profile_func_enter(void *routine, void *call_site)
{
	uintptr_t address = (uintptr_t)routine, cfa = CFA(), site = (uintptr_t)call_site;
	struct aprof_tls *tls = &aprof_tls;
	struct frame *f = tls->top;
	struct amon_counter *from = tls->current;
	struct edge *e = tls->front[front_slot(from, address, tls->front_mask)];

	if (UNLIKELY(e->from != from || e->routine != address || cfa < tls->stack_low ||
		     f->cfa < cfa || (f->cfa == cfa && f->site != site) || f + 2 >= tls->end)) {
		aprof_entry_slow(address, cfa, site, 0);
		return;
	}
	f++;
	f->cfa = cfa;
	tls->top = f;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	f->cfa = cfa;
	f->previous = from;
	f->site = site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	counter_bump(&e->count->calls);
	if (UNLIKELY(e->count != e->to && f[-1].cfa == cfa))
		note(AMON_NOTE_AMBIGUOUS);	/* inlined into itself, or left by longjmp and called again? */
	tls->current = e->to;
}

void __cyg_profile_func_exit(void *routine, void *call_site)
{
	/* A hook that was jumped to as a tail call stands in the place of the routine's frame. */
	uintptr_t cfa = __builtin_return_address(0) == call_site ? cfa_of((uintptr_t)__builtin_frame_address(0)) : CFA();
	struct aprof_tls *tls = &aprof_tls;
	struct frame *f = tls->top;

	(void)routine;
	if (UNLIKELY(f->cfa != cfa)) {
		aprof_exit_slow(cfa);
		return;
	}
	tls->current = f->previous;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tls->top = f - 1;
}
