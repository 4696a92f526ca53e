/* site_samples.c - samples by call site: of each arc that is open when a sample is taken, which of its call sites it was entered from.
 *
 * Contexts are histories of routines, so the one that is charged does not say it.  The machine stack does: a frame returns to its call site.
 * So the stack is read by the modules' unwind tables (frames.c), and the machine is led along it, from the root on, each step by the transition from
 * the call site that stands there.  If it comes to the context that the thread is in, the transitions taken are those of the frames, and
 * the item of each, which is that of its call site, gets the sample for the arc that it entered:
 *
 *     main -> f (site 1) -> g (site 2) -> f (site 3) -> g (site 4)      f -> g: 4, self;  g -> f: 3;  main -> f: 1
 *
 * As in contexts only a routine's most recent activation counts as the caller, and direct recursion is one activation.  Of a routine that was
 * interrupted its hook may be still to come, or gone: it is left out in a second try.  What does not fit then is counted nowhere: a report splits
 * the time of an arc by the samples that there are. */
#include "inside/clock/site_samples.h"

#include <stddef.h>

#include "contract/amon.h"
#include "inside/machine/context.h"
#include "inside/machine/items.h"
#include "inside/machine/machine.h"
#include "inside/machine/memory.h"
#include "inside/modules/own_code.h"
#include "inside/modules/routine.h"
#include "inside/process/thread.h"
#include "inside/stacks/frames.h"
#include "inside/stacks/unwind.h"
#include "inside/stacks/verify.h"
#include "inside/state.h"
#include "inside/tls.h"

enum {
	MOST_FRAMES = 4096,		/* with hooks, of a stack that is looked at */
	MARKS = 4 * MOST_FRAMES,	/* a power of two */
	USUAL_FRAMES = 64,		/* up to which mean every sample is looked at; beyond it so many of them that the mean of all is this */
	MEAN_OF = 16,			/* stacks, about, that a mean is of */
	MEMORY_PART = 8,		/* of the memory that may be taken: what is left is for contexts */
};

/* What a thread needs for it; in memory of its own for as long as its machine is there. */
struct spender {
	struct hooked_frame frames[MOST_FRAMES]; /* of the stack, the innermost first */
	uint32_t items[MOST_FRAMES];	/* whose transitions led to them; AMON_NONE: not known */
	struct { uint32_t routine, sample; } callers[MARKS]; /* met in the sample at hand, by hash */
	uint32_t sample;		/* its number */
	uint32_t mean;			/* frames with hooks of the stacks of late, times MEAN_OF */
	uint64_t random;
};

/* Where the frame F leads, from HERE, and in *ITEM what counts its calls.  0: such a call was never seen. */
static target site_samples_step(struct thread *t, context_id here, const struct hooked_frame *f, uint32_t *item)
{
	uint32_t flags;
	uintptr_t address = routine_address(f->routine, &flags);
	target to = machine_find(t, here, address, f->site);

	if (!to)
		to = machine_find(t, here, address, 0);
	*item = to ? items_of(t, target_count(to)) : AMON_NONE;
	return to;
}

/* Lead the machine along the N frames of S, outermost first.  Returns how many of the innermost are to be left out, for the rest to end in HERE; N: they
 * do not. */
static size_t site_samples_follow(struct thread *t, struct spender *s, size_t n, context_id here)
{
	context_id at = ROOT_ID;
	size_t out = n;

	for (size_t i = n; i-- > 0;) {
		target to = site_samples_step(t, at, &s->frames[i], &s->items[i]);

		if (!to)
			break;
		at = target_to(to);
		if (at == here && (i == 0 || (i == 1 && s->frames[0].open)))
			out = i;
	}
	return out;
}

/* Is ROUTINE met as a caller for the first time in this sample? */
static bool site_samples_is_first(struct spender *s, uint32_t routine)
{
	uint32_t i = routine * UINT32_C(0x9e3779b1) % MARKS;

	for (; s->callers[i].sample == s->sample; i = (i + 1) % MARKS)
		if (s->callers[i].routine == routine)
			return false;
	s->callers[i].routine = routine;
	s->callers[i].sample = s->sample;
	return true;
}

/* Count the sample for the item of each arc that is open, of the N frames of S from FIRST on. */
static void site_samples_count(struct thread *t, struct spender *s, size_t first, size_t n)
{
	uint32_t running = s->frames[first].routine;

	s->sample++;
	for (size_t i = first; i < n; i++) {
		uint32_t caller = i + 1 < n ? s->frames[i + 1].routine : AMON_NONE;
		struct amon_spent *spent;

		if (caller == s->frames[i].routine || (caller != AMON_NONE && !site_samples_is_first(s, caller)))
			continue;
		spent = s->items[i] == AMON_NONE ? NULL : items_spent(t, s->items[i]);
		if (!spent)
			continue;
		if (s->frames[i].routine == running)
			spent->self++;
		else
			spent->children++;
	}
}

/* How many of the N frames are of the history that is at work: a signal's handler began another one. */
static size_t frames_of_root(const struct hooked_frame *frames, size_t n)
{
	size_t i = 0;

	while (i < n && !frames[i].is_root)
		i++;
	return i < n ? i + 1 : n;
}

/* What T needs, made if there is memory to spare; else NULL. */
static struct spender *spender_of(struct thread *t)
{
	uint64_t taken = __atomic_load_n(&monitor.memory_private, __ATOMIC_RELAXED);

	if (!t->clock.spender && taken + sizeof *t->clock.spender <= monitor.header->memory_bound / MEMORY_PART)
		t->clock.spender = memory_take(sizeof *t->clock.spender, false);
	return t->clock.spender;
}

/* Is a stack to be looked at now?  Of deep ones only some are, by chance, since to read one takes as long as it is deep. */
static bool site_samples_is_due(struct spender *s)
{
	s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (s->random >> 33) * s->mean <= (UINT64_C(1) << 31) * USUAL_FRAMES * MEAN_OF;
}

void site_samples_take(struct thread *t, const void *ucontext)
{
	struct unwind u;
	struct spender *s = spender_of(t);
	size_t n, out;
	bool told;

	if (!s || !verify_is_settled(t) || !site_samples_is_due(s))
		return;
	unwind_interrupted(&u, ucontext, frames_cache(t));
	if (is_own_code(u.reg[UNWIND_RIP]))
		return;
	told = frames_hooked(&u, s->frames, MOST_FRAMES, &n) == FRAMES_ALL;
	s->mean += (uint32_t)n - s->mean / MEAN_OF;
	if (!told)
		return;
	n = frames_of_root(s->frames, n);
	out = site_samples_follow(t, s, n, tls_context(t->tls));
	if (out < n)
		site_samples_count(t, s, out, n);
}
