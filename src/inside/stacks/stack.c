/* stack.c - shadow stacks: which context each open frame returns to.
 *
 * One shadow for each machine stack that hooks were seen on.  A frame carries its CFA; the
 * machine stack grows down, so frames below a new one's CFA are dead (a longjmp or an exception
 * went past them) and are popped before it is pushed.
 *
 * Invariant: between stack_low and the shadow's top there is room in the shadow for as many
 * frames as the machine stack can hold there, 8 bytes being the least that a call takes; so the fast path
 * need not look for the end.  An inlined routine's frame takes nothing there: it raises that, and what that
 * costs in slow calls is little, since each sets it anew. */
#include "inside/stacks/stack.h"

#include <signal.h>
#include <sys/resource.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/machine/context.h"
#include "inside/machine/machine.h"
#include "inside/machine/memory.h"
#include "inside/modules/module.h"
#include "inside/process/fork.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

enum {
	FIRST_VERIFIED = 16384,		/* bytes below the first frame taken to be its stack, unseen */
	LEAST = 65536,			/* bytes of a shadow */
	SPACE_PART = 64,		/* of a limited address space, a shadow's largest part */
	FIRST_ANNOUNCED = 512,		/* slots of the table of announced stacks */
	LIKELY_SAME = 1 << 20,		/* bytes below what is known of a stack that are likely to be of it, too */
	FIBER_SIZE = 3 << 20,		/* bytes of the shadow of a fiber's stack */
	FIBER_BELOW = 2048,		/* bytes below the last frame of such a one that are taken for its own, unseen: no stack is smaller */
	NOWHERE = 1,			/* the address of a stack on which nothing can be */
	SHRUNK = 1 << 18,		/* bytes beyond the top that a shadow keeps when memory is dear */
	SIGNAL_FRAME = 512,		/* bytes, less than the kernel needs on the stack to call a handler */
	ABOVE = 64,			/* bytes above a machine stack of its shadow's base */
};

/* Bytes of a shadow for a machine stack of which nothing is known: three words for each word of it, but a small part only of an
 * address space that is limited. */
static size_t usual_size(void)
{
	struct rlimit limit;
	uint64_t stack = 8u << 20, part = sys_address_space() / SPACE_PART;

	if (!sys_failed(sys4(prlimit64, 0, RLIMIT_STACK, NULL, &limit)) && limit.rlim_cur > stack)
		stack = limit.rlim_cur > 512u << 20 ? 512u << 20 : limit.rlim_cur;
	if (part < LEAST)
		part = LEAST;
	return stack * 3 < part ? stack * 3 : part;
}

/* Room for frames, *SIZE bytes or the largest part of it that can be had. */
static struct frame *frames_new(size_t *size)
{
	for (; *size >= LEAST; *size /= 2) {
		struct frame *frames = sys_memory(*size, false);

		if (frames)
			return frames;
	}
	return NULL;
}

static struct shadow *shadow_alloc(struct thread *t)
{
	if (t->stacks.unused == t->stacks.unused_end) {
		t->stacks.unused = sys_memory(AMON_PAGE, false);
		t->stacks.unused_end = t->stacks.unused ? t->stacks.unused + AMON_PAGE / sizeof *t->stacks.unused : NULL;
	}
	return t->stacks.unused ? t->stacks.unused++ : NULL;
}

/* No frame of S, which a former thread left as it was, is open. */
static void frames_forget(struct shadow *s)
{
	size_t size = (size_t)((char *)s->end - (char *)s->base);

	if (sys_failed(sys3(madvise, s->base, size, 4 /* MADV_DONTNEED */)))	/* it is locked */
		mem_zero(s->base, size);
}

/* The machine stack of S is LOW .. HIGH.  Its base is right above, so that no frame there is older, and what is called on a higher stack, after a
 * switch that nobody told of, goes out of line though nothing is open here. */
static void stack_place(struct shadow *s, uintptr_t low, uintptr_t high)
{
	s->low = low;
	s->high = high;
	s->base->cfa = (high + ABOVE) & -(uintptr_t)ABOVE;
}

/* A shadow of SIZE bytes, at least LEAST, for the machine stack LOW .. HIGH, begun in the context CURRENT. */
static struct shadow *shadow_new(struct thread *t, uintptr_t low, uintptr_t high, size_t size,
				 context_id current)
{
	struct shadow *s = t->stacks.shadows;

	/* One that a former thread left? */
	while (s && (s->high || s == t->stacks.shadow || (size_t)(s->end - s->base) < size / sizeof *s->base))
		s = s->next;
	if (!s) {
		s = shadow_alloc(t);
		if (!s || !(s->base = frames_new(&size)))
			return NULL;
		s->thread = t;
		s->end = s->base + size / sizeof *s->base;
		s->next = t->stacks.shadows;
		t->stacks.shadows = s;
	} else {
		frames_forget(s);
	}
	stack_place(s, low, high);
	s->base->context = current;
	s->top = s->base;
	s->interrupted = NULL;
	s->is_alternate = false;
	s->is_announced = s->is_fiber = false;
	s->has_inner = false;
	s->left = 0;
	return s;
}

/* Let the fast path go down as far as stack and shadow both reach. */
static void stack_limit_set(struct thread *t)
{
	struct aprof_tls *tls = t->tls;
	struct shadow *s = t->stacks.shadow;
	const struct frame *open = tls_open(tls);
	uintptr_t room = (uintptr_t)(s->end - tls->top - 2) * 8;
	uintptr_t from = open == s->base ? s->high : open->cfa;

	tls->end = s->end;
	t->stacks.low = from - s->low > room ? from - room : s->low;
	tls->reach = tls->current ? 0 : t->stacks.low ^ REACH_BIT;
}

struct thread *stack_owner(const struct aprof_tls *tls)
{
	struct thread *t = thread_live(tls);

	if (!t)
		t = fork_waits(tls);
	return t && !tls->inert && ways_push(monitor.header->way) ? t : NULL;	/* without a machine there may be no header yet */
}

uintptr_t stack_low(const struct thread *t)
{
	return t->tls->reach ? t->tls->reach ^ REACH_BIT : t->stacks.low;
}

/* Exits of the frames that are open now go out of line, too. */
void stack_follow_inline(struct thread *t)
{
	struct aprof_tls *tls = t->tls;

	t->stacks.low = stack_low(t);
	tls->reach = 0;
	t->stacks.shadow->top = tls->top;
	for (struct shadow *s = t->stacks.shadows; s; s = s->next)
		for (struct frame *f = s->base + 1; s->high && f <= s->top; f++)
			if (f->cfa)
				f->cfa = frame_cfa(f) - (frame_is_cyg(f) ? FRAME_CYG : FRAME_FENTRY) - FRAME_SLOW;
	__atomic_store_n(&tls->current, tls_open(tls)->context, __ATOMIC_RELAXED);
}

static void stack_use(struct thread *t, struct shadow *s)
{
	t->stacks.shadow = s;
	t->tls->top = s->top;
	stack_limit_set(t);
}

/* Down to which address S goes. */
static uintptr_t low_of(const struct shadow *s) { return s->left ? s->left - 1 : s->low; }

/* The narrowest stack known: a coroutine's lies within a larger mapping. */
static struct shadow *stacks_stack_find(struct thread *t, uintptr_t address)
{
	struct shadow *found = NULL;

	for (struct shadow *s = t->stacks.shadows; s; s = s->next)
		if (address > low_of(s) && address <= s->high && (!found || s->high - low_of(s) < found->high - low_of(found)))
			found = s;
	return found;
}

/* Does a signal handler run now in T, at CFA, on an alternate stack? That is LOW .. HIGH. */
static bool is_on_alternate(const struct thread *t, uintptr_t cfa, uintptr_t *low, uintptr_t *high)
{
	stack_t alternate;

	if (sys_failed(sys2(sigaltstack, NULL, &alternate)) || !(alternate.ss_flags & SS_ONSTACK || t->hook_stack.is_in_room) ||
	    cfa - (uintptr_t)alternate.ss_sp > alternate.ss_size)
		return false;
	*low = (uintptr_t)alternate.ss_sp;
	*high = *low + alternate.ss_size;
	return true;
}

static bool is_on(const struct shadow *s, uintptr_t address) { return address >= s->low && address <= s->high; }

/* Use S, one of T's, instead of the one in use. */
static void stack_take_up(struct thread *t, struct shadow *s)
{
	struct shadow *now = t->stacks.shadow;

	if (s == now)
		return;
	if (now->interrupted == s) {		/* the handler has returned, or jumped out */
		tls_pop_to(t->tls, now->base);
		now->interrupted = NULL;
	}
	now->top = t->tls->top;
	s->left = 0;
	if (s->is_alternate && !s->interrupted) {
		s->interrupted = now;
		s->base->context = tls_open(t->tls)->context;
	}
	stack_use(t, s);
}

bool stack_begins(const struct thread *t) { return t && t->stacks.shadow->interrupted && t->tls->top == t->stacks.shadow->base; }
bool stack_ends(const struct thread *t) { return t->stacks.shadow->interrupted && t->tls->top == t->stacks.shadow->base + 1; }

/* Nothing else tells that a handler on an alternate stack returns, and the hook that it interrupted goes on with the top frame that it
 * knows. */
void stack_pop(struct thread *t)
{
	struct aprof_tls *tls = t->tls;
	const struct frame *below = tls->top - 1;

	while (!below->cfa)
		below--;
	if (tls->current)		/* before the frame is popped: then a handler puts it away into the one below */
		__atomic_store_n(&tls->current, below->context, __ATOMIC_RELAXED);
	tls_pop_to(tls, tls->top - 1);
	if (stack_begins(t))
		stack_take_up(t, t->stacks.shadow->interrupted);
}

/* Does the machine stack of S lie in the mapping LOW .. HIGH, and reach as far as hooks were seen?  One that was told may lie within another, and fibers' share one. */
static bool reaches_into(const struct shadow *s, uintptr_t low, uintptr_t high)
{
	return s->low < high && s->high > low && !s->is_announced && !s->is_alternate && !s->is_fiber;
}

/* The shadow of T of which that is so: the one in use, if it is one. */
static struct shadow *find_in_mapping(struct thread *t, uintptr_t low, uintptr_t high)
{
	struct shadow *s = t->stacks.shadow;

	if (reaches_into(s, low, high))
		return s;
	for (s = t->stacks.shadows; s && !reaches_into(s, low, high);)
		s = s->next;
	return s;
}

/* Is CFA on the machine stack of S, further down than is known of it? */
static bool is_further_down(const struct shadow *s, uintptr_t cfa)
{
	uintptr_t low, high;

	return !s->is_announced && !s->is_alternate && !s->is_fiber && cfa < s->low && module_range(cfa - 8, &low, &high) && s->low < high;
}

/* Was S announced in a frame of the stack in use that has been left, and is CFA of that stack?  Nobody has told of a switch. */
static bool stack_is_past(const struct thread *t, const struct shadow *s, uintptr_t cfa)
{
	return s->is_announced && is_further_down(t->stacks.shadow, cfa);
}

/* The shadow of the machine stack that CFA is on, where a hook is; NULL: none is known. */
static struct shadow *find_untold(struct thread *t, uintptr_t cfa)
{
	struct shadow *s;

	while ((s = stacks_stack_find(t, cfa)) && stack_is_past(t, s, cfa))
		s->low = s->high = 0;
	return s;
}

/* Use S, the shadow of the machine stack that CFA is on; NULL: find out, or make one. False: no memory for a new one. */
static bool stack_switch(struct thread *t, uintptr_t cfa, struct shadow *s)
{
	struct shadow *now = t->stacks.shadow;
	uintptr_t low, high;

	if (!s && is_on_alternate(t, cfa, &low, &high)) {
		if (!(s = shadow_new(t, low, high, usual_size(), ROOT_ID)))
			return false;
		s->is_alternate = true;
	}
	if (!s && module_range(cfa - 8, &low, &high)) {
		if ((s = find_in_mapping(t, low, high))) {	/* more is known of it */
			stack_place(s, low, high > cfa ? high : cfa);
		} else if (!(s = shadow_new(t, low, high, usual_size(), ROOT_ID))) {
			return false;
		} else {
			note(AMON_NOTE_FOREIGN_STACK);
		}
	}
	if (!s) {				/* no map to look at: take it for the same */
		if (cfa > now->high || (cfa < now->low && now->low - cfa > LIKELY_SAME))
			note(AMON_NOTE_AMBIGUOUS);
		stack_place(now, cfa - FIRST_VERIFIED < now->low ? cfa - FIRST_VERIFIED : now->low, cfa > now->high ? cfa : now->high);
		s = now;
	}
	stack_take_up(t, s);
	stack_limit_set(t);
	return true;
}

/* Pop the last open frame, and what is above it: its routine was left without a word. */
static void pop_left(struct aprof_tls *tls)
{
	tls_pop_to(tls, tls_open(tls) - 1);
	note(AMON_NOTE_RESYNC);
}

/* The same for all frames that lie below CFA. */
static void pop_dead(struct aprof_tls *tls, uintptr_t cfa)
{
	while (frame_cfa(tls_open(tls)) < cfa)
		pop_left(tls);
}

/* Frames above the last open one are on their way, and a handler that interrupted that stands at CFA now; but not if there is no room for the
 * kernel's own frame on the machine stack: then they were left by a jump out of a handler.  Above the top nothing is open. */
static void drop_stale(struct thread *t, uintptr_t cfa)
{
	struct aprof_tls *tls = t->tls;
	struct frame *open = tls_open(tls);
	uintptr_t above = open == t->stacks.shadow->base ? t->stacks.shadow->high : frame_cfa(open);

	if (tls->top != open && above - cfa < SIGNAL_FRAME)
		tls_pop_to(tls, open);
	for (struct frame *f = tls->top + 1; f < t->stacks.shadow->end && f->cfa; f++)
		f->cfa = 0;
}

/* It has the CFA and the call site of the one that it is inlined into, and of those that are inlined there no one's
 * entry hook was called where its own was.  Where hooks are called for routines alone it says so. */
bool stack_is_inlined(const struct aprof_tls *tls, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	const struct frame *f = tls_open(tls);

	if (flags & AMON_ROUTINE_INSIDE)
		return flags & ROUTINE_INLINED && frame_cfa(f) == cfa;
	if (frame_cfa(f) != cfa || !frame_is_cyg(f) || !frame_same_site(f, site))
		return false;
	for (; !f->cfa || frame_cfa(f) == cfa; f--)
		if (f->cfa && f->site == site)
			return false;
	return true;
}

bool stack_sync(struct thread *t, uintptr_t cfa, uint64_t site, uint32_t flags)
{
	struct aprof_tls *tls = t->tls;

	if ((cfa - FRAME_FENTRY < stack_low(t) || cfa > t->stacks.shadow->high) && !stack_switch(t, cfa, find_untold(t, cfa)))
		return false;
	pop_dead(tls, cfa);
	while (frame_cfa(tls_open(tls)) == cfa && !stack_is_inlined(tls, cfa, site, flags))
		pop_left(tls);			/* another activation with the same frame */
	drop_stale(t, cfa);
	return tls->top + 2 < t->stacks.shadow->end;
}

/* GCC splits off the end of a routine (.part), the exit hook with it, and inlines the rest, the entry hook with it: ROUTINE, whose exit
 * hook sees CFA, is the top frame's all the same.  Not where the shadow is full: then the last frames were never pushed. */
static bool is_left_by_piece(struct thread *t, uintptr_t cfa, uintptr_t routine)
{
	const struct frame *top = t->tls->top;

	return routine && frame_is_cyg(top) && frame_cfa(top) > cfa && top + 2 < t->stacks.shadow->end &&
	       machine_routine(t, top->context) == routine;
}

bool stack_sync_exit(struct thread *t, uintptr_t cfa, uintptr_t site, uintptr_t routine)
{
	struct aprof_tls *tls = t->tls;
	struct frame left = { .cfa = 0 };

	if ((cfa < t->stacks.shadow->low || cfa > t->stacks.shadow->high) && !stack_switch(t, cfa, find_untold(t, cfa)))
		return false;
	/* A nested function pushes its static chain before its entry hook, but not before its exit hook. */
	for (; frame_cfa(tls_open(tls)) < cfa - 8; pop_left(tls))
		left = *tls_open(tls);
	tls_pop_to(tls, tls_open(tls));		/* above an exit nothing is on its way */
	if (frame_cfa(tls->top) == cfa || frame_cfa(tls->top) == cfa - 8 || is_left_by_piece(t, cfa, routine))
		return true;
	/* A routine that aligned its frame told its entry hook a lower CFA than an exit hook that it jumps to. */
	if (!left.cfa || !frame_is_cyg(&left) || !frame_same_site(&left, site))
		return false;
	tls_push(tls, &left);
	return true;
}

/* A frame of no routine, as deep as the one below it: no exit hook looks for it. */
void stack_push_root(struct thread *t)
{
	struct aprof_tls *tls = t->tls;

	if (tls->top + 2 >= t->stacks.shadow->end) {
		note(AMON_NOTE_STACK_OVERFLOW);
		return;
	}
	tls_put_away(tls);
	tls_push(tls, &(struct frame){ .cfa = tls_open(tls)->cfa - FRAME_SLOW, .context = ROOT_ID });
	if (tls->current)
		__atomic_store_n(&tls->current, ROOT_ID, __ATOMIC_RELAXED);
}

/* ---- stacks that are left by switches of which nobody knows where they lead ----
 *
 * Between such a switch and the next hook no stack is in use, and all that hooks do goes out of line.  What of a stack is below the switch by which it was
 * left is dead, so another may be there; and a stack that holds the hook's own frame has ended unheard. */

static bool leave_for_nowhere(struct thread *t, uintptr_t cfa)
{
	struct shadow *now = t->stacks.shadow;

	if (!t->stacks.nowhere && !(t->stacks.nowhere = shadow_new(t, NOWHERE, NOWHERE, LEAST, ROOT_ID)))
		return false;
	t->stacks.nowhere->base->context = ROOT_ID;
	stack_take_up(t, t->stacks.nowhere);
	now->left = cfa;
	return true;
}

void stack_leave(struct thread *t, uintptr_t cfa)
{
	struct aprof_tls *tls;
	uint64_t mask;

	if (!t || t->stacks.shadow == t->stacks.nowhere)
		return;
	tls = t->tls;
	sys_block_signals(&mask);
	if (t == stack_owner(tls) && is_on(t->stacks.shadow, cfa)) {
		tls_put_away(tls);
		leave_for_nowhere(t, cfa);
		tls_take_up(tls);
	}
	sys_restore_signals(&mask);
}

bool stack_is_nowhere(const struct thread *t) { return t->stacks.nowhere && t->stacks.shadow == t->stacks.nowhere; }

/* Neither libc's, nor a signal's. */
static bool is_untold(const struct shadow *s) { return !s->is_announced && !s->is_alternate; }

bool stack_is_elsewhere(struct thread *t, uintptr_t cfa)
{
	const struct shadow *now = t->stacks.shadow, *s;
	uintptr_t low, high;

	if (cfa - FRAME_FENTRY >= stack_low(t) && cfa <= now->high)
		return false;
	s = stacks_stack_find(t, cfa);
	if ((s && !is_untold(s)) || is_on_alternate(t, cfa, &low, &high))
		return false;
	if (now == t->stacks.nowhere || now->is_fiber || (s && s->is_fiber))
		return true;
	return !s && is_untold(now) && module_range(cfa - 8, &low, &high) && !find_in_mapping(t, low, high);
}

/* The last open frame of S. */
static const struct frame *last_open(const struct thread *t, const struct shadow *s)
{
	const struct frame *f = s == t->stacks.shadow ? t->tls->top : s->top;

	while (!f->cfa)
		f--;
	return f;
}

uintptr_t stack_bottom(const struct thread *t, const struct shadow *s)
{
	const struct frame *f = last_open(t, s);

	return s->left ? s->left : f == s->base ? s->high : frame_cfa(f);
}

struct shadow *stack_above(const struct thread *t, uintptr_t cfa)
{
	struct shadow *nearest = NULL;
	uintptr_t least = UINTPTR_MAX;

	for (struct shadow *s = t->stacks.shadows; s; s = s->next) {
		uintptr_t bottom = s->high && s != t->stacks.nowhere ? stack_bottom(t, s) : UINTPTR_MAX;

		if (bottom >= cfa && bottom < least) {
			nearest = s;
			least = bottom;
		}
	}
	return nearest;
}

/* The shadow for a hook at CFA that was found on no stack that goes on.  One that was left by a switch above it has ended unheard. */
static struct shadow *fiber_at(struct thread *t, uintptr_t cfa)
{
	struct shadow *s;

	for (s = t->stacks.shadows; s; s = s->next)
		if (s->left && is_untold(s) && cfa >= s->left && cfa <= s->high)
			s->low = s->high = s->left = 0;
	s = stacks_stack_find(t, cfa);
	if (s && (!is_untold(s) || last_open(t, s) == s->base || cfa >= stack_bottom(t, s)))
		return s;
	s = t->stacks.shadow;
	if (s->is_fiber && last_open(t, s) == s->base) {	/* whose stack that was does not matter: nothing is open on it */
		stack_place(s, cfa - FIBER_BELOW, cfa);
		return s;
	}
	s = shadow_new(t, cfa - FIBER_BELOW, cfa, FIBER_SIZE, ROOT_ID);
	if (!s)
		return NULL;
	s->is_fiber = true;
	note(AMON_NOTE_FOREIGN_STACK);
	return s;
}

void stack_arrive(struct thread *t, uintptr_t cfa, struct shadow *on)
{
	on = on ? on : fiber_at(t, cfa);
	if (!on)
		return;
	if (on->is_fiber && cfa - FIBER_BELOW < on->low)
		on->low = cfa - FIBER_BELOW;
	stack_take_up(t, on);
	stack_limit_set(t);
}

/* ---- stacks that makecontext tells of: by the thousand ---- */

/* The place in T's table of the stack that begins at LOW, or the free one where it belongs.  Shadows that are used again stand in it more than
 * once, and are found by what they are now. */
static struct shadow **announced_place(const struct thread *t, uintptr_t low)
{
	uint32_t mask = t->stacks.announced_slots - 1, i = (uint32_t)(low * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (t->stacks.announced[i] && t->stacks.announced[i]->low != low)
		i = (i + 1) & mask;
	return &t->stacks.announced[i];
}

/* A table with room for twice as many as there are shadows. */
static bool announced_grow(struct thread *t)
{
	uint32_t slots = FIRST_ANNOUNCED, n = 0;
	struct shadow **old = t->stacks.announced, **grown;

	for (struct shadow *s = t->stacks.shadows; s; s = s->next)
		n++;
	while (slots < n * 4)
		slots *= 2;
	if (!(grown = memory_take(slots * sizeof *grown, false)))
		return false;
	if (old)
		memory_forget(old, t->stacks.announced_slots * sizeof *old);
	t->stacks.announced = grown;
	t->stacks.announced_slots = slots;
	t->stacks.nannounced = n;
	for (struct shadow *s = t->stacks.shadows; s; s = s->next)
		*announced_place(t, s->low) = s;
	return true;
}

static void announced_add(struct thread *t, struct shadow *s)
{
	if ((t->stacks.announced && t->stacks.nannounced < t->stacks.announced_slots / 2) || announced_grow(t)) {
		*announced_place(t, s->low) = s;
		t->stacks.nannounced++;
	}
}

static bool stack_overlaps(const struct shadow *s, uintptr_t low, uintptr_t high) { return s->low < high && s->high > low; }
static bool is_around(const struct shadow *s, uintptr_t low, uintptr_t high) { return s->low <= low && s->high >= high; }

/* The shadow of LOW .. HIGH if there is one.  Those of stacks that were there before are free from now on, but for the one in use: *INNER. */
static struct shadow *announced_before(struct thread *t, uintptr_t low, uintptr_t high, bool *inner)
{
	struct shadow *found = NULL;

	*inner = false;
	for (struct shadow *s = t->stacks.shadows; s; s = s->next)
		if (s->low == low && s->high == high)
			found = s;
		else if (is_around(s, low, high))
			s->has_inner = true;
		else if (stack_overlaps(s, low, high) && s == t->stacks.shadow)
			*inner = s->is_announced;	/* else it goes further down than is known */
		else if (stack_overlaps(s, low, high))
			s->low = s->high = 0;
	return found;
}

/* What begins on a stack may have a smaller one in its memory that was used before. */
void stack_begins_anew(struct thread *t)
{
	struct shadow *now = t->stacks.shadow;

	if (!now->has_inner)
		return;
	for (struct shadow *s = t->stacks.shadows; s; s = s->next)
		if (s != now && s->is_announced && stack_overlaps(s, now->low, now->high) && !is_around(s, now->low, now->high))
			s->low = s->high = 0;
	now->has_inner = false;
}

/* Is LOW .. HIGH, which somebody says, a stack: within one mapping, but for a guard at its low end?  Who says it does so at each switch: the answer no is
 * kept, as the shadow is for yes. */
static bool is_mapped(struct thread *t, uintptr_t low, uintptr_t high)
{
	uintptr_t first, end;

	if (low == t->stacks.refused_low && high == t->stacks.refused_high)
		return false;
	if (low < high && module_range(high - 1, &first, &end) && first < low + (high - low) / 2 && high <= end)
		return true;
	t->stacks.refused_low = low;
	t->stacks.refused_high = high;
	return false;
}

static struct shadow *announce(struct thread *t, uintptr_t low, uintptr_t high, bool hearsay)
{
	size_t size = (high - low) * 3;
	struct shadow *s = t->stacks.announced ? *announced_place(t, low) : NULL;
	bool inner;

	if (s && s->high == high)
		return s;
	if (hearsay && !is_mapped(t, low, high))
		return NULL;
	s = announced_before(t, low, high, &inner);
	if (!s) {
		s = shadow_new(t, low, high, size < LEAST ? LEAST : size, ROOT_ID);
		if (s)
			note(AMON_NOTE_FOREIGN_STACK);
	}
	if (s) {
		s->is_announced = true;
		s->has_inner |= inner;
		announced_add(t, s);
	}
	return s;
}

struct shadow *stack_announce(struct thread *t, uintptr_t low, uintptr_t high, bool hearsay)
{
	struct shadow *s;
	uint64_t mask;

	sys_block_signals(&mask);
	s = announce(t, low, high, hearsay);
	sys_restore_signals(&mask);
	return s;
}

void stack_shrink(struct thread *t)
{
	struct shadow *s = t->stacks.shadow;
	uintptr_t keep = ((uintptr_t)t->tls->top + SHRUNK) & -(uintptr_t)AMON_PAGE, end = (uintptr_t)s->end;
	uint64_t mask;

	sys_block_signals(&mask);
	if (keep < end && !sys_failed(sys2(munmap, keep, end - keep))) {
		s->end = s->base + (keep - (uintptr_t)s->base) / sizeof *s->base;
		stack_limit_set(t);
	}
	sys_restore_signals(&mask);
}

void stack_return(struct thread *t, uintptr_t cfa, struct shadow *known)
{
	bool is_there = true;
	uint64_t mask;

	if (known == t->stacks.shadow && is_on(known, cfa) && frame_cfa(tls_open(t->tls)) >= cfa)
		return;
	sys_block_signals(&mask);
	if (t != stack_owner(t->tls)) {		/* a handler's hook was a child's first, and has adopted it */
		sys_restore_signals(&mask);
		return;
	}
	tls_put_away(t->tls);
	if (known && known == t->stacks.nowhere) {
		stack_take_up(t, known);
		is_there = false;
	} else if (known && known->thread == t && (is_on(known, cfa) || is_further_down(known, cfa))) {
		stack_take_up(t, known);
		is_there = is_on(known, cfa) || stack_switch(t, cfa, find_untold(t, cfa));
	} else if (!is_on(t->stacks.shadow, cfa)) {
		is_there = stack_switch(t, cfa, stacks_stack_find(t, cfa));
	}
	if (is_there)
		pop_dead(t->tls, cfa);
	tls_take_up(t->tls);
	sys_restore_signals(&mask);
}

bool stack_init(struct thread *t, uintptr_t cfa)
{
	struct shadow *s;

	for (s = t->stacks.shadows; s; s = s->next)	/* a machine used again: its stacks are gone */
		s->low = s->high = s->left = 0;
	t->stacks.shadow = t->stacks.nowhere = NULL;
	s = shadow_new(t, cfa - FIRST_VERIFIED, cfa, usual_size(), ROOT_ID);
	if (s)
		stack_use(t, s);
	return s != NULL;
}

/* A frame's context in T for that in its parent, or, by way inline, in the parent's own; frames of a recursion repeat, so look back a little. */
static context_id stacks_stack_adopt(struct thread *t, context_id c)
{
	static struct { context_id old, here; } seen[256];
	size_t i = (c >> 32) % (sizeof seen / sizeof *seen);

	if (c == LOST_ID)
		return c;
	if (seen[i].old != c || machine_item(t, seen[i].here) == AMON_NONE) {
		seen[i].here = machine_here(t, c);
		seen[i].old = c;
	}
	return seen[i].here;
}

bool stack_adopt(struct thread *t)
{
	struct aprof_tls *tls = t->tls;
	struct thread *parent = t->chain.forked_from;

	tls_put_away(tls);
	parent->stacks.shadow->top = tls->top;
	t->stacks.shadows = parent->stacks.shadows;
	t->stacks.nowhere = parent->stacks.nowhere;
	t->stacks.announced = parent->stacks.announced;
	t->stacks.announced_slots = parent->stacks.announced_slots;
	t->stacks.nannounced = parent->stacks.nannounced;
	for (struct shadow *s = t->stacks.shadows; s; s = s->next) {
		s->thread = t;
		for (struct frame *f = s->base; f <= s->top; f++)
			f->context = stacks_stack_adopt(t, f->context);
	}
	stack_use(t, parent->stacks.shadow);
	tls_take_up(tls);
	return true;
}
