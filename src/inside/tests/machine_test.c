/* machine_test.c - the machine of contexts against a naive model.
 *
 * Random walks call and return; the model keeps the history of each open call as an array and takes the steps A1-A5 as
 * the paper words them.  What the machine says must be the same at every call: the history of its item, replayed from
 * the links of the file as a reader does, equals the model's, and equal histories are one context.  The parts that the machine stands
 * on are stood in for here, so that each allocation can be made to fail in turn. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

#include "contract/amon.h"
#include "contract/history.h"
#include "contract/layout.h"
#include "inside/file/file.h"
#include "inside/hooks/handler.h"
#include "inside/machine/context.h"
#include "inside/machine/front.h"
#include "inside/machine/machine.h"
#include "inside/modules/enrol.h"
#include "inside/modules/routine.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"
#include "inside/x86_64/count.h"

enum { MOST = 128, DEPTH = 60 };	/* entries of a history; open calls */

struct monitor monitor;
static struct amon_header header;

/* ---- what the machine stands on ---- */

static long allocations, fail_at;	/* the allocation that fails, counted from 1; 0: none */
static bool fail_after;			/* and all that come after it */
static bool over_bound;
static long notes[AMON_NOTES];

static bool refused(void)
{
	allocations++;
	return fail_at && (fail_after ? allocations >= fail_at : allocations == fail_at);
}

void note(enum amon_note kind) { notes[kind]++; }
void note_error(enum amon_note kind, long error) { (void)error; notes[kind]++; }
bool file_over_bound(bool reserve) { return over_bound && !reserve; }
uint32_t routine_known(uintptr_t address) { return (uint32_t)(address / 16); }
uint32_t enrol_routine(uintptr_t address, uint32_t flags) { (void)flags; return routine_known(address); }
uintptr_t routine_address(uint32_t index, uint32_t *flags) { *flags = 0; return (uintptr_t)index * 16; }

/* All memory of one machine, given back together. */
static struct block { struct block *next; size_t size; } *blocks;

static void *take(size_t size)
{
	struct block *b = mmap(NULL, size + AMON_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(b != MAP_FAILED);
	b->next = blocks;
	b->size = size + AMON_PAGE;
	blocks = b;
	return (char *)b + AMON_PAGE;
}

void *sys_memory(size_t size, bool populate)
{
	(void)populate;
	return refused() ? NULL : take(size);
}

void *sys_memory_large(size_t before, size_t size) { return sys_memory(before + size, false); }

struct amon_chunk *file_chunk(enum amon_kind kind, uint32_t thread, uint32_t capacity, size_t item_size)
{
	size_t first = sizeof(struct amon_chunk);
	size_t counters = (first + capacity * sizeof(struct amon_link) + AMON_PAGE - 1) & -(size_t)AMON_PAGE;
	struct amon_chunk *c = refused() ? NULL : take(counters + capacity * (item_size + 8));

	assert_int_equal(kind, AMON_CONTEXTS);
	if (c)
		*c = (struct amon_chunk){ .kind = kind, .thread = thread, .capacity = capacity, .first = (uint32_t)first,
					  .counters = (uint32_t)counters };
	return c;
}

static void give_back(void)
{
	while (blocks) {
		struct block *b = blocks;

		blocks = b->next;
		munmap(b, b->size);
	}
}

/* ---- the model ---- */

struct history { uint32_t n; struct { uint32_t routine, marked; } s[MOST]; };

static void drop(struct history *h, uint32_t i)
{
	memmove(&h->s[i], &h->s[i + 1], (h->n - i - 1) * sizeof *h->s);
	h->n--;
}

/* *TO becomes the history after ROUTINE is called in *FROM. */
static void model_step(struct history *to, const struct history *from, uint32_t routine)
{
	*to = *from;
	if (from->n && from->s[from->n - 1].routine == routine)		/* A1 */
		return;
	assert_true(to->n < MOST);
	for (uint32_t i = 0; i < to->n; i++)				/* A3 */
		if (to->s[i].routine == routine)
			to->s[i].marked = 0;
	to->s[to->n].routine = routine;					/* A2 */
	to->s[to->n++].marked = 1;
	for (uint32_t i = 1; i + 1 < to->n;)				/* A4 */
		if (!to->s[i - 1].marked && !to->s[i].marked && !to->s[i + 1].marked)
			drop(to, i);
		else
			i++;
	for (uint32_t i = 1; i < to->n;)				/* A5 */
		if (to->s[i].routine == to->s[i - 1].routine && !to->s[i].marked && !to->s[i - 1].marked)
			drop(to, i);
		else
			i++;
}

/* ---- replay: what a reader makes of the links ---- */

struct replay { history_entry *s; uint32_t n; };
static struct replay *replays;
static uint32_t nreplays, room;

static const struct amon_link *link_of(const struct thread *t, uint32_t item)
{
	for (uint32_t i = 0; i < t->nspans; i++)
		if (item - t->spans[i].base < t->spans[i].chunk->count)
			return &t->spans[i].links[item - t->spans[i].base];
	fail_msg("item %u is not in the file", item);
	return NULL;
}

static struct replay *replay(const struct thread *t, uint32_t item)
{
	for (; nreplays <= item; nreplays++) {
		const struct amon_link *link = link_of(t, nreplays);
		struct replay r = { calloc(MOST, sizeof *r.s), 0 };

		if (nreplays == room)
			replays = realloc(replays, (room = room * 2 + 1024) * sizeof *replays);
		if (link->parent != AMON_NONE) {
			assert_true(link->parent < nreplays);
			r.n = replays[link->parent].n;
			memcpy(r.s, replays[link->parent].s, r.n * sizeof *r.s);
		}
		if (link->routine != AMON_ROUTINE_ROOT)
			r.n = (uint32_t)history_next(r.s, r.n, link->routine);
		r.s = realloc(r.s, (r.n + 1) * sizeof *r.s);
		replays[nreplays] = r;
	}
	return &replays[item];
}

static void replay_free(void)
{
	while (nreplays > 0)
		free(replays[--nreplays].s);
}

static void same(const struct replay *r, const struct history *h)
{
	bool equal = r->n == h->n;

	for (uint32_t i = 0; equal && i < h->n; i++)
		equal = r->s[i] == (h->s[i].routine << 1 | h->s[i].marked);
	if (!equal)
		fail_msg("the machine's history of %u entries is not the model's of %u", r->n, h->n);
}

/* ---- walks ---- */

static uint64_t walks = 4;		/* how long: 2.5 million calls each */

static uint64_t seed, walked;		/* of the next number; calls made in all */

static uint32_t any(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

struct walk {
	struct thread thread;
	struct aprof_tls tls;
	struct amon_thread record;
	context_id here[DEPTH + 1];	/* context of each open call */
	struct history history[DEPTH + 1];	/* and its history by the model */
	uint32_t depth;
};

static bool walk_begin(struct walk *w, uint64_t start)
{
	memset(w, 0, sizeof *w);
	memset(notes, 0, sizeof notes);
	seed = start;
	monitor.header = &header;
	monitor.memory_private = 0;
	w->thread.tls = &w->tls;
	w->thread.record = &w->record;
	w->tls.front = aprof_front_none;
	if (!machine_init(&w->thread))
		return false;
	w->here[0] = ROOT_ID;
	return true;
}

static void walk_end(void)
{
	replay_free();
	give_back();
}

enum { TRAP_FLAG = 0x100 };

/* From now on, or no more, SIGTRAP comes before each instruction. */
static void single_step(bool on)
{
	unsigned long flags;

	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; popq %0" : "=r"(flags));
	flags = on ? flags | TRAP_FLAG : flags & ~(unsigned long)TRAP_FLAG;
	__asm__ volatile("pushq %0; popfq; lea 128(%%rsp), %%rsp" : : "r"(flags) : "cc", "memory");
}

/* Call one of ROUTINES routines, as hooks do: what is not to be had otherwise is made with signals blocked.  False: the machine had no room. */
static bool walk_call(struct walk *w, uint32_t routines)
{
	context_id from = w->here[w->depth];
	uint32_t routine = any(routines);
	uintptr_t address = routine_address(routine, &(uint32_t){ 0 });
	target to = machine_reach(&w->thread, from, address, 0);

	if (!to) {
		single_step(false);
		if (!(to = machine_find(&w->thread, from, address, 0)) && !(to = machine_make(&w->thread, from, address, 0, 0)))
			return false;
	}
	counter_bump(&target_count(to)->calls);
	single_step(false);
	walked++;
	w->depth++;
	w->here[w->depth] = target_to(to);
	model_step(&w->history[w->depth], &w->history[w->depth - 1], routine);
	return true;
}

/* N steps among ROUTINES routines, checked at each call.  Returns the calls for which there was no room. */
static long walk(struct walk *w, long n, uint32_t routines)
{
	long lost = 0;

	while (n-- > 0) {
		if (w->depth == DEPTH || (w->depth && any(100) < 48)) {
			w->depth--;
			continue;
		}
		if (!walk_call(w, routines)) {
			lost++;
			continue;
		}
		same(replay(&w->thread, machine_item(&w->thread, w->here[w->depth])), &w->history[w->depth]);
	}
	return lost;
}

/* Call ROUTINE in the context FROM, which the machine has room for.  The context that it leads to. */
static context_id called(struct walk *w, context_id from, uint32_t routine)
{
	uintptr_t address = routine_address(routine, &(uint32_t){ 0 });
	target to = machine_reach(&w->thread, from, address, 0);

	if (!to && !(to = machine_find(&w->thread, from, address, 0)))
		to = machine_make(&w->thread, from, address, 0, 0);
	assert_true(to);
	counter_bump(&target_count(to)->calls);
	return target_to(to);
}

static uint64_t calls_counted(struct walk *w)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < w->thread.nitems; i++)
		calls += machine_counter(&w->thread, i)->calls;
	return calls;
}

/* No two contexts have one history: an item whose history an earlier one has counts a transition and is nobody's context. */
static void check_unique(struct walk *w, uint32_t most)
{
	uint32_t n = w->thread.nitems < most ? w->thread.nitems : most;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++) {
			struct replay *a = replay(&w->thread, i), *b = replay(&w->thread, k);

			if (a->n == b->n && !memcmp(a->s, b->s, a->n * sizeof *a->s) && a->n)
				assert_true(link_of(&w->thread, i)->parent == k);
		}
}

/* ---- tests ---- */

static void test_walks(void **state)
{
	static const uint32_t routines[] = { 1, 2, 3, 4, 5, 6, 8, 12, 3, 4 };
	static struct walk w;
	uint64_t calls = 0;

	(void)state;
	fail_at = 0;
	for (uint32_t i = 0; i < 10; i++) {
		assert_true(walk_begin(&w, i));
		assert_int_equal(walk(&w, walks * (routines[i] > 6 ? 100000 : 650000), routines[i]), 0);
		check_unique(&w, 2000);
		calls += calls_counted(&w);
		walk_end();
	}
	assert_true(calls == walked && calls >= walks * 2500000);
}

static void test_nth_allocation(void **state)
{
	static struct walk w;
	long most;

	(void)state;
	fail_at = 0;
	allocations = 0;
	assert_true(walk_begin(&w, 7));
	walk(&w, 40000, 8);
	walk_end();
	most = allocations;
	assert_true(most > 10);
	for (int after = 0; after < 2; after++)
		for (long n = 1; n <= most; n++) {
			fail_at = n;
			fail_after = after;
			allocations = 0;
			if (walk_begin(&w, 7)) {
				long lost = walk(&w, 40000, 8);

				assert_true(lost == 0 || notes[AMON_NOTE_OUT_OF_MEMORY] || allocations >= n);
			}
			walk_end();
		}
	fail_at = 0;
}

static void test_bound(void **state)
{
	static struct walk w;
	uint32_t above;

	(void)state;
	assert_true(walk_begin(&w, 11));
	walk(&w, 2000, 10);
	over_bound = true;
	above = w.thread.nitems;
	for (long n = 0; n < 300000; n++) {
		struct replay *r, *before;
		uint32_t routine;

		if (w.depth == DEPTH || (w.depth && any(100) < 48)) {
			w.depth--;
			continue;
		}
		assert_true(walk_call(&w, 10));
		before = replay(&w.thread, machine_item(&w.thread, w.here[w.depth - 1]));
		routine = before->n ? history_routine(before->s[before->n - 1]) : AMON_NONE;
		r = replay(&w.thread, machine_item(&w.thread, w.here[w.depth]));
		before = replay(&w.thread, machine_item(&w.thread, w.here[w.depth - 1]));
		if (r->n > 1 && w.here[w.depth] != w.here[w.depth - 1] && routine < AMON_ROUTINE_ROOT)
			assert_int_equal(history_routine(r->s[r->n - 2]), routine);	/* the caller is known */
	}
	over_bound = false;
	assert_true(notes[AMON_NOTE_MEMORY_BOUND] > 0);
	assert_true(w.thread.nitems - above <= 1 + 10 + 10 * 10 + above + 2 * 10 * 11);
	walk_end();
}

/* A context for each of N routines called by each of N, more than a thread had room for once.  In a directory of 32 pages three quarters of
 * them are elided, and at last there is no alias for those; but each call is counted with its caller. */
static void test_many(void **state)
{
	enum { FULL = THREAD_DIRECTORY == 32, N = FULL ? 355 : STEP_FACTOR == 1 ? 100 : 1600 };
	static struct walk w;
	static context_id from[N];

	(void)state;
	assert_true(walk_begin(&w, 1));
	header.memory_bound = UINT64_C(1) << 30;
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < N; i++) {
			from[i] = called(&w, ROOT_ID, i);
			for (uint32_t k = 0; k < N; k++) {
				uint32_t item = machine_item(&w.thread, called(&w, from[i], N + k));

				assert_int_equal(machine_counter(&w.thread, item)->calls, round + 1);
				assert_int_equal(link_of(&w.thread, item)->routine, N + k);
				assert_int_equal(link_of(&w.thread, link_of(&w.thread, item)->parent)->routine, i);
			}
		}
	header.memory_bound = 0;
	assert_int_equal(notes[AMON_NOTE_MEMORY_BOUND] > 0, FULL);
	walk_end();
}

/* The front table grows when a quarter of it is taken, each time to a larger one, but not beyond its part of the memory; what was in it still is. */
static void test_front(void **state)
{
	enum { FIRST = 256, LARGEST = 2097152, SLOT = sizeof(target) };
	static struct walk w;
	context_id id;

	(void)state;
	assert_true(walk_begin(&w, 1));
	w.tls.thread = &w.thread;
	header.memory_bound = UINT64_C(16) * LARGEST / 8 * SLOT;
	assert_true(front_begin(&w.thread));
	assert_int_equal(w.tls.front_mask, (FIRST - 1) * SLOT);
	id = called(&w, ROOT_ID, 0);
	front_add(&w.thread, (target)machine_counter(&w.thread, machine_item(&w.thread, id)));
	for (uint64_t slots = FIRST; slots < LARGEST / 8; slots *= 4) {
		w.thread.ntargets = (uint32_t)slots / 4 - 1;
		assert_false(front_is_small(&w.thread));
		w.thread.ntargets++;
		front_grow(&w.thread);
		assert_int_equal(w.tls.front_mask, (slots * 4 - 1) * SLOT);
		assert_true(target_key(w.tls.front[front_slot(id, w.tls.front_mask)])->id == id);
	}
	w.thread.ntargets = LARGEST;
	assert_false(front_is_small(&w.thread));	/* a larger one would take more than a sixteenth */
	header.memory_bound *= 8;
	front_grow(&w.thread);
	assert_int_equal(w.tls.front_mask, (LARGEST - 1) * SLOT);
	assert_false(front_is_small(&w.thread));
	header.memory_bound = 0;
	walk_end();
}

/* ---- handlers ---- */

uintptr_t handler_table[HANDLER_SLOTS];
uint32_t handler_count;

/* Is there a transition to the routine at ADDRESS in W's front table? */
static bool is_shown(const struct walk *w, uintptr_t address)
{
	for (uint64_t i = 0; i <= w->tls.front_mask / sizeof(target); i++)
		if (target_key(w->tls.front[i])->routine == address)
			return true;
	return false;
}

/* The hooks find no transition to a handler, neither one that was there before nor one that is made later. */
static void test_handler(void **state)
{
	static struct walk w;
	uintptr_t handler = routine_address(1, &(uint32_t){ 0 }), other = routine_address(2, &(uint32_t){ 0 });
	target to;

	(void)state;
	assert_true(walk_begin(&w, 1));
	w.tls.thread = &w.thread;
	header.memory_bound = UINT64_MAX;
	assert_true(front_begin(&w.thread));
	front_add(&w.thread, to = machine_make(&w.thread, ROOT_ID, handler, 0, 0));
	front_add(&w.thread, machine_make(&w.thread, ROOT_ID, other, 0, 0));
	assert_true(is_shown(&w, handler) && is_shown(&w, other));
	handler_table[handler_slot(handler)] = handler;
	handler_count = 1;
	front_drop(&w.thread, handler);
	front_add(&w.thread, to);
	assert_false(is_shown(&w, handler));
	assert_true(is_shown(&w, other));
	assert_true(machine_find(&w.thread, ROOT_ID, handler, 0) == to);
	handler_table[handler_slot(handler)] = 0;
	handler_count = 0;
	header.memory_bound = 0;
	walk_end();
}

/* A call of ROUTINE in the root by the hooks: they look into a pair of slots, and go out of line where neither has it. */
static void probed(struct walk *w, uint32_t routine)
{
	uintptr_t address = routine_address(routine, &(uint32_t){ 0 });
	context_id id = context_step(ROOT_ID, address);
	uint64_t own = front_slot(id, w->tls.front_mask);
	target to = 0;

	for (int i = 0; i < 2 && !to; i++, own ^= 1)
		if (target_key(w->tls.front[own])->id == id)
			to = w->tls.front[own];
	if (!to && !(to = machine_reach(&w->thread, ROOT_ID, address, 0))) {
		to = machine_find(&w->thread, ROOT_ID, address, 0);
		front_grow(&w->thread);
		front_add(&w->thread, to);
	}
	counter_bump(&target_count(to)->calls);
}

/* Three targets of one pair of slots: the table grows until they have slots of their own, if they are called often enough to matter. */
static void test_fought(void **state)
{
	enum { ALIKE = 3, LARGE = 1 << 20 };
	static struct walk w;
	uint32_t alike[ALIKE], n = 0;
	uint64_t before, pair = 0;

	(void)state;
	if (STEP_FACTOR == 1)
		skip();			/* those ids are alike in any table */
	assert_true(walk_begin(&w, 1));
	w.tls.thread = &w.thread;
	header.memory_bound = UINT64_C(1) << 30;
	assert_true(front_begin(&w.thread));
	for (uint32_t routine = 0; n < ALIKE && routine < 100000; routine++) {
		uint64_t slot = front_slot(context_step(ROOT_ID, routine_address(routine, &(uint32_t){ 0 })), w.tls.front_mask) / 2;

		pair = n ? pair : slot;
		if (slot == pair)
			alike[n++] = routine;
	}
	assert_int_equal(n, ALIKE);
	for (uint32_t i = 0; i < ALIKE; i++)
		called(&w, ROOT_ID, alike[i]);
	before = w.tls.front_mask;
	for (uint32_t i = 0; i < 1000; i++) {
		machine_counter(&w.thread, machine_item(&w.thread, called(&w, ROOT_ID, alike[0])))->calls += 1 << 20;
		probed(&w, alike[i % ALIKE]);
	}
	assert_int_equal(w.tls.front_mask, before);	/* one call in a million */
	for (uint32_t i = 0; i < 100000; i++)
		probed(&w, alike[i % ALIKE]);
	assert_true(w.tls.front_mask > before && w.tls.front_mask < LARGE * sizeof(target));
	before = w.record.misses;
	for (uint32_t i = 0; i < 100000; i++)
		probed(&w, alike[i % ALIKE]);
	assert_int_equal(w.record.misses, before);
	header.memory_bound = 0;
	walk_end();
}

/* ---- a signal at each instruction ---- */

static struct interrupted {
	struct walk walk;
	long step, at;			/* instructions since the call began; the one before which the signal comes */
	long calls;			/* how many the handler makes */
} interrupted;

/* The signal's handler calls routines and returns from them, first of all the one that is being called. */
static void on_step(int signal, siginfo_t *info, void *context)
{
	struct walk *w = &interrupted.walk;
	uint32_t depth = w->depth;
	uint64_t after = seed;

	(void)signal;
	(void)info;
	if (interrupted.step++ != interrupted.at)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	for (long n = 0; n < interrupted.calls; n++) {
		if (w->depth == DEPTH)
			w->depth = depth;
		assert_true(walk_call(w, 12));
	}
	w->depth = depth;
	seed = after;
}

/* One call of a walk from SEED, which the handler interrupts at the instruction AT with CALLS calls. False: it ended before. */
static bool interrupt(uint64_t start, long at, long calls)
{
	struct walk *w = &interrupted.walk;
	uint64_t before = walked;

	interrupted.at = at;
	interrupted.step = 0;
	interrupted.calls = calls;
	assert_true(walk_begin(w, start));
	w->tls.current = 1;		/* as by way inline: whoever has no front table counts no misses */
	walk(w, 200 + (long)start * 30, 12);
	w->depth = w->depth < DEPTH / 2 ? w->depth : DEPTH / 2;
	while (machine_find(&w->thread, w->here[w->depth], (uintptr_t)any(12) * 16, 0))
		;			/* the last number is that of a routine not called from here yet */
	seed = (seed - 1442695040888963407u) * UINT64_C(0xc097ef87329e28a5);
	single_step(true);
	assert_true(walk_call(w, 12));
	single_step(false);
	same(replay(&w->thread, machine_item(&w->thread, w->here[w->depth])), &w->history[w->depth]);
	assert_int_equal(walk(w, 300, 12), 0);
	check_unique(w, 4000);
	assert_int_equal(calls_counted(w), walked - before);
	walk_end();
	return interrupted.step > at;
}

static uint64_t starts = 3;

static void test_interrupted(void **state)
{
	static const long calls[] = { 1, 4, 900 };
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	long interruptions = 0;

	(void)state;
	sigaction(SIGTRAP, &action, NULL);
	for (uint64_t start = 0; start < starts; start++)
		for (int i = 0; i < 3; i++)
			for (long at = 0; interrupt(start, at, calls[i]); at += calls[i] < 100 ? 1 : 7)
				interruptions++;
	assert_true(interruptions > 1000 * (long)starts / 3);
}

/* The argument: the one test to run, or --short for shorter walks and fewer interruptions. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_nth_allocation),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_front), cmocka_unit_test(test_fought), cmocka_unit_test(test_handler),
		cmocka_unit_test(test_interrupted),
	};

	if (argc > 1 && !strcmp(argv[1], "--short"))
		starts = walks = 1;
	else if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
