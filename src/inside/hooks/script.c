/* script.c - what an interpreter tells of its scripts (contract/aprof.h): routines are entered and left by its word, not by hooks.
 *
 * A routine of a script has no frame on the machine stack.  It changes the thread's context where that is (tls.h): in the word of way inline, or
 * in the last open frame of the shadow stack, whose routine is the interpreter's, and goes with it.  Hooks work on from there, so that
 * contexts mix.  What an exit puts back stands in the interpreter's stack:
 *
 *     entry:  before  the context that was left: leave puts it back
 *             inside  the context that was entered: unwind puts that of the last entry kept back, whatever hooks did meanwhile
 *
 * An enter is one probe of the front table, as a hook's.  The stack is the calling thread's, or one that the interpreter made for a coroutine; it is
 * in nobody else's hands, and no signal handler comes here, so it needs no order of stores. */
#include "contract/amon.h"
#include "contract/aprof.h"
#include "contract/layout.h"
#include "inside/clock/cycles.h"
#include "inside/hooks/entry.h"
#include "inside/hooks/script.h"
#include "inside/hooks/told.h"
#include "inside/machine/context.h"
#include "inside/machine/front.h"
#include "inside/machine/items.h"
#include "inside/machine/machine.h"
#include "inside/machine/memory.h"
#include "inside/modules/definition.h"
#include "inside/process/reset.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"
#include "inside/x86_64/count.h"

#define EXPORTED __attribute__((visibility("default")))

enum {
	MOST_ENTRIES = 1 << 22,		/* deeper ones are counted only */
	STACKS = 64,			/* that memory is taken for at once */
};

static struct aprof_stack *spare;	/* free ones, under the lock of the process */

__typeof(__aprof_script_define) __aprof_script_define EXPORTED;
__typeof(__aprof_script_enter) __aprof_script_enter EXPORTED;
__typeof(__aprof_script_leave) __aprof_script_leave EXPORTED;
__typeof(__aprof_script_depth) __aprof_script_depth EXPORTED;
__typeof(__aprof_script_unwind) __aprof_script_unwind EXPORTED;
__typeof(__aprof_script_stack) __aprof_script_stack EXPORTED;
__typeof(__aprof_script_switch) __aprof_script_switch EXPORTED;
__typeof(__aprof_script_add) __aprof_script_add EXPORTED;
__typeof(__aprof_script_bytes) __aprof_script_bytes EXPORTED;
__typeof(__aprof_script_begun) __aprof_script_begun EXPORTED;
__typeof(__aprof_script_words) __aprof_script_words EXPORTED;

/* ---- stacks ---- */

/* Let S be the one in use.  By clock tsc whoever enters and leaves has to charge, and so comes out of line. */
static void script_use(struct aprof_tls *tls, struct aprof_stack *s)
{
	tls->script_last = s;
	tls->script = clock_is_tsc() ? &script_none : s;
}

static struct aprof_stack *script_stack_take(void)
{
	struct aprof_stack *s;

	sys_lock(&monitor.lock);
	if (!spare && (s = memory_take(STACKS * sizeof *s, false)))
		for (int i = 0; i < STACKS; i++) {
			s[i].next = spare;
			spare = &s[i];
		}
	s = spare;
	if (s)
		spare = s->next;
	sys_unlock(&monitor.lock);
	if (s) {
		s->depth = 0;
		s->machine = NULL;
		if (!s->entries)
			s->entries = s->first, s->room = SCRIPT_FIRST_ENTRIES;
	}
	return s;
}

/* Twice the room for S. False: none. */
static bool stack_grow(struct aprof_stack *s)
{
	size_t size = s->room * sizeof *s->entries, pages = (2 * size + AMON_PAGE - 1) & -(size_t)AMON_PAGE;
	struct script_entry *more = s->depth > s->room || s->room >= MOST_ENTRIES ? NULL : memory_take(pages, false);

	if (!more)
		return false;
	mem_copy(more, s->entries, size);
	if (s->entries != s->first)
		memory_forget(s->entries, (size + AMON_PAGE - 1) & -(size_t)AMON_PAGE);
	s->entries = more;
	s->room = (uint32_t)(pages / sizeof *more);
	return true;
}

static void script_push(struct aprof_stack *s, const struct script_entry *e)
{
	if (LIKELY(s->depth < s->room) || stack_grow(s))
		s->entries[s->depth] = *e;
	else
		note(AMON_NOTE_STACK_OVERFLOW);
	s->depth++;
}

/* ---- enter, leave ---- */

/* The entries of S are of the process that forked this one. */
static void script_stack_adopt(struct thread *t, struct aprof_stack *s)
{
	for (uint32_t i = 0; i < s->depth && i < s->room; i++) {
		s->entries[i].before = machine_here(t, s->entries[i].before);
		s->entries[i].inside = machine_here(t, s->entries[i].inside);
	}
	s->base = machine_here(t, s->base);
	s->machine = t;
}

/* The stack in use is one of T's.  False: there is none. */
static bool stack_ready(struct thread *t)
{
	if (aprof_tls.script_last == &script_none) {
		if (!t->script && !(t->script = script_stack_take()))
			return false;
		script_use(t->tls, t->script);
		aprof_tls.script_last->depth = 0;	/* a former thread of the machine may have left some */
		aprof_tls.script_last->machine = t;
	} else if (aprof_tls.script_last->machine != t) {
		script_stack_adopt(t, aprof_tls.script_last);
	}
	return true;
}

/* With signals blocked: any thread, any routine. False: nothing was entered. */
static bool script_enter_blocked(struct aprof_tls *tls, uintptr_t routine)
{
	struct thread *t = told_thread(tls);
	context_id from;
	target to;

	if (!t || !stack_ready(t))
		return false;
	t->busy = BUSY;
	reset_if_asked();
	from = told_context(t);
	to = entry_show(t, entry_find(t, from, routine, ROUTINE_SCRIPT, 0));
	counter_bump(&target_count(to)->calls);
	script_push(aprof_tls.script_last, &(struct script_entry){ from, target_to(to), routine });
	told_go(tls, target_to(to));
	if (clock_is_tsc())
		cycles_charge_monitor(t);
	t->busy = 0;
	return true;
}

static __attribute__((noinline)) void enter_slow(struct aprof_tls *tls, uintptr_t routine)
{
	bool entered = false;
	struct thread *t;
	uint64_t mask;

	if (told_is_out(tls))
		return;
	t = thread_live(tls);
	if (t && aprof_tls.script_last->machine == t) {
		context_id from = tls_context(tls);
		target to;

		if (!routine) {
			script_push(aprof_tls.script_last, &(struct script_entry){ from, from, 0 });
			return;
		}
		to = machine_reach(t, from, routine, 0);

		if (to && thread_live(tls) == t) {
			counter_bump(&target_count(to)->calls);
			script_push(aprof_tls.script_last, &(struct script_entry){ from, target_to(to), routine });
			told_go(tls, target_to(to));
			return;
		}
	}
	entry_block(tls, &mask);
	if (routine || (routine = definition_key("script", "?", NULL, 0)))
		entered = script_enter_blocked(tls, routine);
	entry_unblock_charged(tls, &mask, entered);
}

void __aprof_script_enter(unsigned long long routine)
{
	if (UNLIKELY(!routine || !script_enter(&aprof_tls, routine, false)))
		enter_slow(&aprof_tls, routine);
}

static __attribute__((noinline)) void leave_slow(struct aprof_tls *tls, struct aprof_stack *s)
{
	if (tls->inert)
		return;
	if (!s->depth) {
		if (monitor_state() == MONITOR_ON)
			note(AMON_NOTE_UNBALANCED_EXIT);
		return;
	}
	if (--s->depth < s->room)
		told_go(tls, s->entries[s->depth].before);
}

void __aprof_script_leave(void)
{
	if (UNLIKELY(!script_leave(&aprof_tls)))
		leave_slow(&aprof_tls, aprof_tls.script_last);
}

struct aprof_tls *__aprof_script_words(unsigned layout)
{
	return layout == SCRIPT_LAYOUT ? &aprof_tls : NULL;
}

unsigned __aprof_script_depth(void)
{
	return aprof_tls.script_last->depth;
}

/* Where nothing was entered since, the context is that of the last entry all the same: hooks of the interpreter's own, which
 * a jump has passed by, are forgotten. */
void __aprof_script_unwind(unsigned depth)
{
	struct aprof_tls *tls = &aprof_tls;
	struct aprof_stack *s = aprof_tls.script_last;

	if (!s->depth || tls->inert)
		return;
	if (depth < s->depth)
		s->depth = depth;
	if (s->depth > s->room)
		return;
	told_go(tls, s->depth ? s->entries[s->depth - 1].inside : s->entries[0].before);
}

/* ---- coroutines ---- */

/* T's context after the call of ROUTINE in HERE, which is not counted: it was when the routine was entered. */
static context_id script_step(struct thread *t, context_id here, uintptr_t routine)
{
	target to = routine ? entry_find(t, here, routine, ROUTINE_SCRIPT, 0) : 0;

	if (!routine)
		return here;
	return to ? target_to(to) : machine_counter(t, t->lost)->id;
}

/* What is open in S was called from BASE, in T. */
static void stack_move(struct thread *t, struct aprof_stack *s, context_id base)
{
	uint32_t n = s->depth < s->room ? s->depth : s->room;
	context_id here = base;

	t->busy = BUSY;
	for (uint32_t i = 0; i < n; i++) {
		s->entries[i].before = here;
		here = s->entries[i].inside = script_step(t, here, s->entries[i].routine);
	}
	s->base = base;
	s->here = here;
	s->machine = t;
	t->busy = 0;
}

/* In a forked child and another thread contexts are others.  And a coroutine runs on behalf of who resumes it. */
static void stack_begin(struct thread *t, struct aprof_stack *s, context_id from, bool under)
{
	context_id base = under ? from : s->machine ? machine_adopt(t, s->machine, s->base) : ROOT_ID;

	if (s->machine == t && (!under || s->base == base))
		return;
	stack_move(t, s, base);
}

struct aprof_stack *__aprof_script_switch(struct aprof_stack *to, int under)
{
	struct aprof_tls *tls = &aprof_tls;
	struct aprof_stack *from = aprof_tls.script_last;
	struct thread *t = thread_live(tls);
	uint64_t mask;

	if (LIKELY(t && to && from != &script_none && to->machine == t && !tls->inert && !(under && to->base != tls_context(tls)))) {
		from->here = tls_context(tls);
		script_use(tls, to);
		told_go(tls, to->here);
		return from;
	}
	if (!to || told_is_out(tls))
		return NULL;
	entry_block(tls, &mask);
	t = told_thread(tls);
	if (t && stack_ready(t)) {
		from = aprof_tls.script_last;
		from->here = told_context(t);
		from->base = from->depth ? from->base : from->here;
		stack_begin(t, to, from->here, under);
		script_use(tls, to);
		told_go(tls, to->here);
	}
	entry_unblock(tls, &mask);
	return aprof_tls.script_last == to ? from : NULL;
}

/* With NULL a new one; else TO is of no more use. */
struct aprof_stack *__aprof_script_stack(struct aprof_stack *old)
{
	struct aprof_tls *tls = &aprof_tls;
	struct aprof_stack *s = NULL;
	uint64_t mask;

	if (told_is_out(tls))
		return NULL;
	entry_block(tls, &mask);
	if (!old && told_thread(tls)) {
		s = script_stack_take();
	} else if (old) {
		if (aprof_tls.script_last == old)
			script_use(tls, &script_none);
		sys_lock(&monitor.lock);
		old->next = spare;
		spare = old;
		sys_unlock(&monitor.lock);
	}
	entry_unblock(tls, &mask);
	return s;
}

/* ---- definitions, and what is counted ---- */

unsigned long long __aprof_script_define(const char *language, const char *name, const char *file, int line)
{
	struct aprof_tls *tls = &aprof_tls;
	uintptr_t key = 0;
	uint64_t mask;

	if (told_is_out(tls))
		return 0;
	entry_block(tls, &mask);
	if (told_thread(tls))
		key = definition_key(language ? language : "script", name && *name ? name : "?", file, line > 0 ? (uint32_t)line : 0);
	entry_unblock(tls, &mask);
	return key;
}

/* N are of the context of T, the calling thread's.  False: its machine does not know it. */
static bool charge_known(struct thread *t, uint64_t n)
{
	uint32_t item = machine_item(t, tls_context(t->tls));

	if (item == AMON_NONE)
		return false;
	t->tls->charged = machine_counter(t, item);
	counter_add(&t->tls->charged->time, n);
	return true;
}

void __aprof_script_add(unsigned long long n)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t;
	uint64_t mask;

	if (tls->thread && monitor.clock.clock != AMON_CLOCK_COUNT)
		return;
	if (LIKELY(tls->charged->id == tls_context(tls) && !tls->inert)) {
		counter_add(&tls->charged->time, n);
		return;
	}
	t = thread_live(tls);
	if (t && !tls->inert && charge_known(t, n))
		return;
	if (told_is_out(tls))
		return;
	entry_block(tls, &mask);
	t = told_thread(tls);
	if (t && monitor.clock.clock == AMON_CLOCK_COUNT && !(told_context(t), charge_known(t, n)))
		counter_add(&machine_counter(t, 0)->time, n);
	entry_unblock(tls, &mask);
}

/* Where the bytes of the context of T, the calling thread's, are counted; NULL: not known, or no such place was made yet. */
static uint64_t *bytes_known(struct thread *t)
{
	uint32_t item = machine_item(t, tls_context(t->tls));
	struct span *span = item == AMON_NONE ? NULL : items_span(t, item);

	return span && span->bytes ? &span->bytes[item - span->base] : NULL;
}

/* The same, made if need be, with signals blocked; NULL: no room. */
static uint64_t *bytes_here(struct thread *t)
{
	uint32_t item = machine_item(t, told_context(t));

	return items_bytes(t, item == AMON_NONE ? 0 : item);
}

void __aprof_script_bytes(unsigned long long n)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = thread_live(tls);
	uint64_t *bytes = t && !tls->inert ? bytes_known(t) : NULL;
	uint64_t mask;

	if (!n || monitor.stopped)
		return;
	if (LIKELY(bytes != NULL)) {
		counter_add(bytes, n);
		return;
	}
	if (told_is_out(tls))
		return;
	entry_block(tls, &mask);
	t = told_thread(tls);
	bytes = t ? bytes_here(t) : NULL;
	if (bytes)
		counter_add(bytes, n);
	entry_unblock(tls, &mask);
}

int __aprof_script_begun(void)
{
	uint32_t state = monitor_state();

	return state == MONITOR_ON || state == MONITOR_FORKED;
}
