/* verify.c - the run checks itself: a stack, read by the modules' unwind tables, against the context that the machine is in.
 *
 * A context is a function of the routines on the stack: steps A1-A5 replayed over them, from the outermost on, or from the last handler that a signal
 * called, give its history (history.h).  The
 * machine came to it by other ways: hooks, tables, restores.  So where the two differ, one of these is wrong.
 *
 * A routine that was interrupted may have its entry hook before it still, or its exit hook behind it: such a one is left out in a second
 * try, and where that fits the reader looks at its code (read/symbols/hook_state.h).  What is caught in the monitor itself tells nothing. */
#include "inside/stacks/verify.h"

#include <time.h>

#include "contract/amon.h"
#include "contract/history.h"
#include "inside/file/file.h"
#include "inside/machine/machine.h"
#include "inside/machine/memory.h"
#include "inside/modules/definition.h"
#include "inside/modules/own_code.h"
#include "inside/modules/routine.h"
#include "inside/process/leave.h"
#include "inside/process/thread.h"
#include "inside/stacks/frames.h"
#include "inside/stacks/stack.h"
#include "inside/stacks/unwind.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

enum {
	SLOTS = 2048,			/* of a thread's table: 48 KB */
	OPEN_SLOTS = 1536,		/* of these, for stacks that are open */
	MOST_PROBES = 32,
	MOST_FRAMES = 16384,		/* with hooks, of a stack that is checked */
	MOST_OPEN = 3,			/* of which it is open whether they are entered */
};

/* What a thread needs for it; in memory of its own for as long as its machine is there. */
struct verifier {
	uint64_t rests_until;		/* the thread's CPU clock, ns: no stack is read before */
	struct hooked_frame frames[MOST_FRAMES]; /* of the stack, the innermost first */
	history_entry stack[MOST_FRAMES + 1]; /* what they give */
	history_entry context[MACHINE_LONGEST + 1]; /* the history of the context */
};

/* A stack and a context at hand. */
struct pair {
	const struct verifier *v;
	size_t nframes;			/* of v->frames */
	size_t ncontext;		/* of v->context */
};

/* Is S of the kind of WHAT?  Of stacks that are open the address and the routine tell all: their first context stands for the others. */
static bool is_like(const struct amon_stack *s, const struct amon_stack *what)
{
	return s->pc == what->pc && s->verdict == what->verdict && s->routine == what->routine &&
	       (s->verdict == AMON_STACK_OPEN || s->context == what->context);
}

/* Write down what came of it, but for stacks that fit. The last slots are for those that differ. */
static void verify_record(struct thread *t, const struct amon_stack *what)
{
	struct amon_stack *slots;
	uint32_t first = what->verdict == AMON_STACK_OPEN ? 0 : OPEN_SLOTS, n = what->verdict == AMON_STACK_OPEN ? OPEN_SLOTS : SLOTS - OPEN_SLOTS;
	uint64_t hash = what->pc * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	if (!t->tables.stacks)
		t->tables.stacks = file_chunk(AMON_STACKS, t->index, SLOTS, sizeof *slots);
	if (!t->tables.stacks)
		return;
	slots = (struct amon_stack *)(t->tables.stacks + 1);
	for (uint32_t i = 0; i < MOST_PROBES; i++) {
		struct amon_stack *s = &slots[first + (hash + i) % n];

		if (is_like(s, what)) {
			s->count++;
			return;
		}
		if (!s->pc) {
			*s = (struct amon_stack){ .context = what->context, .routine = what->routine, .verdict = what->verdict, .count = 1 };
			__atomic_store_n(&s->pc, what->pc, __ATOMIC_RELEASE);
			t->tables.stacks->count++;
			return;
		}
	}
}

/* The history of the stack without the frames of which the bits in OUT, by their order among the open ones, are set. */
static size_t verify_replay(struct verifier *v, size_t nframes, unsigned out)
{
	unsigned open = 0;
	size_t n = 0;

	for (size_t i = 0; i < nframes; i++)
		open += v->frames[i].open;
	for (size_t i = nframes; i-- > 0;) {
		open -= v->frames[i].open;
		if (!v->frames[i].open || !(out >> open & 1))
			n = history_next(v->stack, v->frames[i].is_root ? 0 : n, v->frames[i].routine);
	}
	return n;
}

/* Where two histories part; the length of both: nowhere. */
static size_t parts_at(const struct verifier *v, size_t nstack, size_t ncontext)
{
	size_t i = 0;

	while (i < nstack && i < ncontext && v->stack[i] == v->context[i])
		i++;
	return i == nstack && i == ncontext ? SIZE_MAX : i;
}

/* The frame that is number N among the open ones. */
static const struct hooked_frame *verify_open_frame(const struct verifier *v, unsigned n)
{
	const struct hooked_frame *f = v->frames;

	for (;; f++)
		if (f->open && n-- == 0)
			return f;
}

/* Does the stack fit without one of its NOPEN open frames?  Without several of them it may, and nobody could tell. */
static enum amon_verdict fits_without(struct verifier *v, const struct pair *p, unsigned nopen, struct amon_stack *what)
{
	const struct hooked_frame *f;

	for (unsigned out = 1; out < 1u << nopen; out++)
		if (parts_at(v, verify_replay(v, p->nframes, out), p->ncontext) == SIZE_MAX) {
			if (out & (out - 1))
				return AMON_STACK_UNTOLD;
			f = verify_open_frame(v, (unsigned)__builtin_ctz(out));
			what->pc = f->pc;
			what->routine = f->routine;
			return AMON_STACK_OPEN;
		}
	return AMON_STACK_DIFFERS;
}

/* Does what lies below a signal's frame fit alone?  What the signal interrupted may be over: where its handler, which has no hook, was left by a jump and gone
 * back to since, it is a coroutine on the signal's stack, and whoever started it is not there any more. */
static bool fits_below_signal(struct verifier *v, const struct pair *p)
{
	unsigned open = 0;
	size_t n = 0;

	while (n < p->nframes && !v->frames[n].past_signal)
		open += v->frames[n++].open;
	for (unsigned out = 0; n < p->nframes && out < 1u << open; out++)
		if (parts_at(v, verify_replay(v, n, out), p->ncontext) == SIZE_MAX)
			return true;
	return false;
}

/* Is the hook of one of the frames at work?  It may have made half of a change. */
static bool has_hook(const struct verifier *v, size_t nframes)
{
	for (size_t i = 0; i < nframes; i++)
		if (v->frames[i].in_hook)
			return true;
	return false;
}

/* Hold the two of P against each other. */
static enum amon_verdict verify_compare(struct verifier *v, const struct pair *p, struct amon_stack *what)
{
	size_t n = verify_replay(v, p->nframes, 0), at = parts_at(v, n, p->ncontext);
	enum amon_verdict verdict;
	unsigned open = 0;

	if (at == SIZE_MAX)
		return AMON_STACK_FITS;
	what->routine = at < n ? history_routine(v->stack[at]) : AMON_NONE;
	for (size_t i = 0; i < p->nframes; i++)
		open += v->frames[i].open;
	if (open > MOST_OPEN || has_hook(v, p->nframes))
		return AMON_STACK_UNTOLD;
	verdict = fits_without(v, p, open, what);
	return verdict == AMON_STACK_DIFFERS && fits_below_signal(v, p) ? AMON_STACK_UNTOLD : verdict;
}

bool verify_is_settled(const struct thread *t)
{
	uint32_t busy = t->busy;

	return !t->tls->inert && t->version % 2 == 0 && busy != BUSY && (!busy || busy != busy_open(tls_context(t->tls)));
}

/* Is there a routine of a script among the N entries of S?  It has no frame on the machine stack. */
static bool has_script(const history_entry *s, size_t n)
{
	uint32_t flags;

	for (size_t i = 0; i < n; i++)
		if (definition_is_key(routine_address(history_routine(s[i]), &flags)))
			return true;
	return false;
}

static enum amon_verdict verify_look(struct thread *t, const void *ucontext, struct amon_stack *what)
{
	struct unwind u;
	struct pair p = { .v = t->verifier };
	struct verifier *v = t->verifier;
	enum frames_read read;

	what->context = machine_item(t, tls_context(t->tls));
	if (!verify_is_settled(t) || what->context == AMON_NONE || leave_was_unseen(t) || stack_is_nowhere(t))
		return AMON_STACK_UNTOLD;
	p.ncontext = machine_history(t, what->context, v->context);
	unwind_interrupted(&u, ucontext, frames_cache(t));
	what->pc = u.reg[UNWIND_RIP];
	if (is_own_code(what->pc))
		return AMON_STACK_UNTOLD;
	if (p.ncontext && history_routine(v->context[0]) >= AMON_ROUTINE_ROOT)
		return AMON_STACK_UNREAD;	/* "(elided)", "(lost)" */
	if (has_script(v->context, p.ncontext))
		return AMON_STACK_UNREAD;
	read = frames_hooked(&u, v->frames, MOST_FRAMES, &p.nframes);
	if (read != FRAMES_ALL)
		return read == FRAMES_LEAVING ? AMON_STACK_UNTOLD : AMON_STACK_UNREAD;
	return verify_compare(v, &p, what);
}

/* Invariant: half of the thread's time at least is its own, however fast interrupts come and however deep its stacks are. */
void verify_stack(struct thread *t, const void *ucontext)
{
	struct amon_stack what = { .routine = AMON_NONE };
	uint64_t begin = sys_clock(CLOCK_THREAD_CPUTIME_ID), end;

	if (!t->verifier && !(t->verifier = memory_take(sizeof *t->verifier, false)))
		return;
	if (begin < t->verifier->rests_until)
		return;
	what.verdict = verify_look(t, ucontext, &what);
	__atomic_add_fetch(&monitor.header->stacks[what.verdict], 1, __ATOMIC_RELAXED);
	if (what.verdict == AMON_STACK_OPEN || what.verdict == AMON_STACK_DIFFERS)
		verify_record(t, &what);
	end = sys_clock(CLOCK_THREAD_CPUTIME_ID);
	t->verifier->rests_until = end + (end - begin);
}
