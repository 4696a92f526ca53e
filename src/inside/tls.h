/* tls.h - the words of a thread that its hooks work on, and the frames of its shadow stack. */
#ifndef TLS_H
#define TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/layout.h"
#include "inside/machine/context.h"
#include "inside/monitor.h"

struct aprof_stack;
struct buffer;
struct thread;

/* Frames.  A shadow stack has one for each open routine: the context that it runs in, and where it is on the machine stack.
 *
 * A signal may come between any two instructions of a hook, and its handler's hooks push and pop on the same stack.  So a frame is in one of
 * two states, and a push or a pop goes through them in this order, whoever does it, in assembly or C:
 *
 *     push:  top one up; context and all else; cfa, last of all
 *     pop:   cfa = 0; top one down
 *
 * Above the top every cfa is 0.  At the top or below, 0 says that the frame is on its way, in or out: the place is taken, but what runs
 * is the routine of the next frame below that is open.  A handler that finds that goes out of line, and pushes above it; when it is done the
 * top is what it was, and nothing has been written that the interrupted hook wrote or is about to write.  So none of it is ever
 * repeated, and any number of signals may come.
 *
 * A handler that jumps out of a hook leaves such a frame behind: the slow path drops it where no handler can stand above it (stack.c). */
struct frame {
	uintptr_t cfa;			/* of the routine's frame on the machine stack, its rsp before the call, less
					 * FRAME_FENTRY or FRAME_CYG, less FRAME_SLOW with clock tsc or beside way inline; 0: not open */
	context_id context;		/* while this is the last open frame: the context that is charged */
	uint64_t site;			/* cyg: low half: where the routine was called from, high half: where its entry
					 * hook was; of both addresses the low half; else means nothing */
};

_Static_assert(offsetof(struct frame, cfa) == FRAME_CFA && offsetof(struct frame, context) == FRAME_CONTEXT && offsetof(struct frame, site) == FRAME_SITE &&
	       FRAME_HOOK == FRAME_SITE + 4 && sizeof(struct frame) == FRAME_SIZE, "as in layout.h");

/* The CFA of F: what was subtracted varies by less than CFAs are apart. */
static inline uintptr_t frame_cfa(const struct frame *f) { return (f->cfa + FRAME_FENTRY + 7) & -(uintptr_t)8; }
static inline bool frame_is_cyg(const struct frame *f) { return f->cfa & 1; }
static inline bool frame_same_site(const struct frame *f, uint64_t site) { return (uint32_t)f->site == (uint32_t)site; }

#define REACH_BIT ((uintptr_t)1 << 63)	/* no address of the program has it */

/* The thread's words that the fast path needs; layout.h has their offsets. */
struct aprof_tls {
	target *front;			/*  0: table of targets, by hash; slots are never 0 */
	uint64_t front_mask;		/*  8: (slots - 1) * sizeof (target): of offsets in bytes */
	struct frame *top;		/* 16: last frame of the shadow stack in use; the context of the last open one is charged now */
	uintptr_t reach;		/* 24: the address down to which this machine stack is known to go, with REACH_BIT: what is not below it,
					 * less this, overflows as signed numbers do.  0, from which nothing does, so that every entry goes
					 * out of line, while these words are not initialised, and beside way inline */
	struct thread *thread;		/* 32: the rest; NULL before the first hook */
	struct frame *end;		/* 40: one past the last frame of the shadow in use */
	uint64_t inert;			/* 48: not INERT_NOT while the thread must not enter the monitor */
	context_id current;		/* 56: way inline: the context that is charged now; 0 (no context's id) while the
					 * thread has not met that way, and then it is the top frame's */
	uint64_t last;			/* 64: clock tsc: up to when this thread's time is charged, cycles; 0: it is not taken */
	struct amon_counter *charged;	/* 72: clock tsc: the counters of the context that is charged now, if they have its id;
					 * else whoever charges next looks for them. Never NULL */
	target *sites;			/* 80: the front table, where call sites are told apart, and `front` is empty */
	uint64_t sites_mask;		/* 88: its mask; 0: they are not */
	struct aprof_stack *script;	/* 96: which routines of a script are open, if such a routine is entered and left without a charge; else one
					 * that has no room for any.  Never NULL */
	struct aprof_stack *script_last; /* 104: the routines of a script that are open, whoever charges. Never NULL */
	struct buffer *landing;		/* 112: where control lands next (cancel.c); NULL: at the newest buffer */
};

_Static_assert(offsetof(struct aprof_tls, front) == TLS_FRONT && offsetof(struct aprof_tls, front_mask) == TLS_MASK &&
	       offsetof(struct aprof_tls, top) == TLS_TOP && offsetof(struct aprof_tls, reach) == TLS_REACH && offsetof(struct aprof_tls, end) == TLS_END &&
	       offsetof(struct aprof_tls, inert) == TLS_INERT && offsetof(struct aprof_tls, current) == TLS_CURRENT &&
	       offsetof(struct aprof_tls, last) == TLS_LAST && offsetof(struct aprof_tls, charged) == TLS_CHARGED &&
	       offsetof(struct aprof_tls, sites) == TLS_SITES && offsetof(struct aprof_tls, sites_mask) == TLS_SITES_MASK, "as in layout.h");

#ifndef TLS_MODEL
#define TLS_MODEL "initial-exec"
#endif
/* The only words of a thread's that the monitor has: where the program has a monitor, that of the libraries that it loads then takes nothing of the little room
 * (1.6 KB) that glibc keeps for such words of libraries that come later. */
extern __thread struct aprof_tls aprof_tls __attribute__((tls_model(TLS_MODEL), visibility("default")));

/* Before a thread has its own: a front table, in which every probe misses; the counters that it holds; the frame below all others. */
extern target aprof_front_none[2] HIDDEN; /* a pair */
extern struct amon_counter aprof_counter_none HIDDEN;
extern struct frame aprof_frame_none HIDDEN;

/* The last open frame: the base of a shadow always is. */
static inline struct frame *tls_open(const struct aprof_tls *tls)
{
	struct frame *f = __atomic_load_n(&tls->top, __ATOMIC_RELAXED);

	while (UNLIKELY(!__atomic_load_n(&f->cfa, __ATOMIC_RELAXED)))
		f--;
	return f;
}

/* Way inline keeps the context in a word of the thread, not in a frame: an entry and an exit then need not look where the top
 * is.  From its first entry on in a thread, the top frame's context is what it was when the thread's current one was last put
 * away; the other ways' entries and exits go out of line there (reach is 0, the frames' CFAs have FRAME_SLOW), which put it
 * away before they look at the frames and take it up again behind. */
static inline context_id tls_context(const struct aprof_tls *tls)
{
	return tls->current ? tls->current : __atomic_load_n(&tls_open(tls)->context, __ATOMIC_RELAXED);
}

static inline void tls_put_away(struct aprof_tls *tls)
{
	if (tls->current)
		__atomic_store_n(&tls_open(tls)->context, tls->current, __ATOMIC_RELAXED);
}

static inline void tls_take_up(struct aprof_tls *tls)
{
	if (tls->current)
		__atomic_store_n(&tls->current, tls_open(tls)->context, __ATOMIC_RELAXED);
}

/* Push F's frame. */
static inline void tls_push(struct aprof_tls *tls, const struct frame *f)
{
	struct frame *place = tls->top + 1;

	__atomic_store_n(&place->cfa, 0, __ATOMIC_RELAXED);	/* beside way inline something else may stand there */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&tls->top, place, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	place->context = f->context;
	place->site = f->site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&place->cfa, f->cfa, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Pop the top frame, and those below until LAST is the top. */
static inline void tls_pop_to(struct aprof_tls *tls, struct frame *last)
{
	for (struct frame *f = tls->top; f > last; f--) {
		__atomic_store_n(&f->cfa, 0, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n(&tls->top, f - 1, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	}
}

#endif
