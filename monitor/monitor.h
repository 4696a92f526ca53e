/* monitor.h - what the parts of the monitor know of each other.
 *
 * The monitor lives inside other people's programs.  Rules that every part keeps:
 *   - no malloc, no stdio, no exit, no libc call that could be the program's own or
 *     a cancellation point once hooks are live: raw system calls (sys.h) only;
 *   - no vector or x87 register is touched in code that a hook can reach;
 *   - nothing on the fast path but one probe and one bump (entry.h, fentry.S);
 *   - whatever goes wrong is noted (note()), and the program runs on.
 *
 * Words:
 *   item     a transition with its counters in the file: (parent item, routine), see amon.h
 *   context  the first item with its history; known by its id, a number made of the calls that led to it
 *   alias    a transition to a context that another transition made
 *   target   where a call leads: a context, or an alias with the lowest bit set
 *   machine  a thread's items, aliases and tables (struct thread)
 *   shadow   stack of contexts beside one machine stack
 *   front    small table of targets, evicting, probed inline
 *   full     complete table of targets behind it */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/amon.h"
#include "format/history.h"
#include "monitor/sys.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* What a context is called.  A call of ROUTINE in the context FROM leads to the one called context_step(FROM, ROUTINE),
 * so the fast path knows where it goes before it has looked anything up: no load stands between one call and the next.
 * No two contexts of a machine have one id; where the step gives one that is taken, the context gets another, and an
 * alias leads to it. */
typedef uint64_t context_id;

#ifndef STEP_FACTOR			/* odd, and an immediate of 32 bits; a build with 1 tests ids that are taken */
#define STEP_FACTOR UINT64_C(0xffffffff9e3779b1)
#endif
#define NO_ROUTINE UINTPTR_MAX		/* in the key of a context that no call finds by it */
#define ROOT_ID UINT64_C(0x9e3779b97f4a7c15) /* of the root; other contexts without a caller are near it */

/* For one routine no two contexts step to one id.  The code of hooks.S and of the plugin does the same. */
static inline context_id context_step(context_id from, uintptr_t routine) { return (from + routine) * STEP_FACTOR; }

/* In the place of a context while the thread's is not known: a jump has left routines without a word (jump.c).  No context has it and no call
 * finds anything from it; who misses so has the context made out from the machine stack. */
#define LOST_ID UINT64_C(1)

/* The key of a transition, (id that it steps to, routine), stands in the counters of its item: a call that finds
 * its context bumps it in the cache line that it compared (B1).  The key is exact: for one routine the step is one to one.
 * Keys never change once they are in a table and
 * are never freed, so a probe that finds its key is right whatever a signal handler did meanwhile.
 * A transition to a context made by another one, and a direct recursive call, is an alias. */
struct alias {
	struct amon_counter key;	/* id and routine as in a context, but nothing is called so; calls unused; with clock tsc
					 * its time is the address of the counters of the context after the call */
	struct amon_counter *count;	/* whose calls to bump */
	context_id to;			/* context after the call */
};

/* A routine's address, as part of a key, while its module is unloaded: with a tag of the module in the bits that no
 * address has, so that no call finds it. */
#define KEY_TAG_SHIFT 48
#define KEY_ADDRESS ((UINT64_C(1) << KEY_TAG_SHIFT) - 1)

/* A context, or an alias + 1.  0: none. */
typedef uintptr_t target;

static inline bool target_is_alias(target t) { return t & 1; }
static inline struct alias *target_alias(target t) { return (struct alias *)(t - 1); }
static inline struct amon_counter *target_key(target t) { return (struct amon_counter *)(t & ~(uintptr_t)1); }
static inline context_id target_to(target t) { return t & 1 ? target_alias(t)->to : target_key(t)->id; }
static inline struct amon_counter *target_count(target t) { return t & 1 ? target_alias(t)->count : target_key(t); }

/* The counters of the context that T leads to: those that are charged there. */
static inline struct amon_counter *target_charged(target t)
{
	return t & 1 ? (struct amon_counter *)(uintptr_t)target_alias(t)->key.time : target_key(t);
}

static inline bool target_matches(target t, context_id id, uintptr_t routine)
{
	return target_key(t)->id == id && target_key(t)->routine == routine;
}

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

enum {
#ifdef APROF_MCOUNT
	FRAME_FENTRY = 24,		/* pushed by way mcount: what rsp is when a return's hook has begun */
#else
	FRAME_FENTRY = 8,		/* pushed by way fentry: what rsp is when the routine is entered */
#endif
	FRAME_CYG = FRAME_FENTRY + 1,	/* pushed by way cyg: odd */
	FRAME_SLOW = 2,			/* never equal to what the exit hooks look for: all exits go out of line */
};

/* The CFA of F: what was subtracted varies by less than CFAs are apart. */
static inline uintptr_t frame_cfa(const struct frame *f) { return (f->cfa + FRAME_FENTRY + 7) & -(uintptr_t)8; }
static inline bool frame_is_cyg(const struct frame *f) { return f->cfa & 1; }
static inline bool frame_same_site(const struct frame *f, uint64_t site) { return (uint32_t)f->site == (uint32_t)site; }

#define REACH_BIT ((uintptr_t)1 << 63)	/* no address of the program has it */

/* The thread's words that the fast path needs; offsets are known to hooks.S. */
struct aprof_tls {
	target *front;			/*  0: table of targets, by hash; slots are never 0 */
	uint64_t front_mask;		/*  8: (slots - 1) * sizeof (target): of offsets in bytes */
	struct frame *top;		/* 16: last frame of the shadow stack in use; the context of the last open one is charged now */
	uintptr_t reach;		/* 24: the address down to which this machine stack is known to go, with REACH_BIT: what is not below it,
					 * less this, overflows as signed numbers do.  0, from which nothing does, so that every entry goes
					 * out of line, while these words are not initialised, and beside way inline */
	struct thread *thread;		/* 32: the rest; NULL before the first hook */
	struct frame *end;		/* 40: one past the last frame of the shadow in use */
	uint64_t inert;			/* 48: not 0 while the thread must not enter the monitor */
	context_id current;		/* 56: way inline: the context that is charged now; 0 (no context's id) while the
					 * thread has not met that way, and then it is the top frame's */
	uint64_t last;			/* 64: clock tsc: up to when this thread's time is charged, cycles; 0: it is not taken */
	struct amon_counter *charged;	/* 72: clock tsc: the counters of the context that is charged now, if they have its id;
					 * else whoever charges next looks for them. Never NULL */
};

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

extern __thread struct aprof_tls aprof_tls __attribute__((tls_model("initial-exec"), visibility("default")));

/* One machine stack and its shadow. */
struct shadow {
	uintptr_t low, high;		/* range of the machine stack as known, addresses */
	struct frame *base;		/* sentinel, never popped: the context that the stack began in */
	struct frame *top;		/* last frame, while another shadow is in use */
	struct shadow *interrupted;	/* of an alternate stack whose handler is at work: what was in use before; else NULL */
	bool is_alternate;		/* it is one of sigaltstack's */
	struct frame *end;		/* one past the last frame that fits */
	struct shadow *next;		/* of the same thread */
	struct thread *thread;		/* that thread */
};

/* A chunk of contexts in the file: counters of items base .. base + capacity. */
struct span {
	struct amon_chunk *chunk;	/* in the mapping */
	struct amon_link *links;	/* its links */
	struct amon_counter *counters;	/* its counters */
	uint32_t *ticks;		/* and their ticks */
	uint32_t base;			/* index of its first item */
	uint32_t capacity;		/* items */
};

/* What the machine knows of an item beside its counters; private memory. */
struct item {
	context_id id;			/* as in its counters, which a forked child cannot see; 0: it is nobody's context */
	uint32_t parent;		/* item; AMON_NONE: starts a history */
	uint32_t routine;		/* index of the routine */
	uint32_t folded;		/* place in `histories` of its nearest ancestor-or-self made by
					 * unmarking an entry; 0: none, the history is the chain of parents */
	uint32_t hash;			/* of its history */
};

/* A context that is being made while signals may come: what is to be written, and where. */
struct making {
	context_id id;			/* of the context */
	uintptr_t address;		/* of the routine called */
	uint32_t item;			/* the new one */
	uint32_t parent;		/* its parent */
	uint32_t routine;		/* its routine */
	uint32_t targets;		/* in the full table before */
	uint64_t *place;		/* in the full table */
	uint64_t *known;		/* in the table of known histories; NULL: it has no unmarked entry */
	uint32_t nknown;		/* in that table before */
	struct span *span;		/* that has room for it */
};

#ifndef THREAD_DIRECTORY		/* pages of items, of aliases; a build with few tests what comes behind the last */
#define THREAD_DIRECTORY 4096
#endif

enum {
	THREAD_SPANS = THREAD_DIRECTORY / 16 + 8,
	THREAD_RECENT = 256,
	MACHINE_LONGEST = 16384,	/* entries of a history; calls that lead to longer ones are counted in "(lost)" */
};

/* A machine.  Lives in anonymous memory for ever; reused when its thread is gone. */
struct thread {
	struct aprof_tls *tls;		/* of the live thread; NULL: ended */
	struct amon_thread *record;	/* in the file */
	uint32_t index;			/* of record */
	int tid;			/* kernel's id */
	volatile uint32_t busy;		/* BUSY in the slow path: time now is the monitor's; busy_open(c): it is, as long as the
					 * thread's context is c; else 0 */
	uint32_t nitems;		/* items made */
	uint32_t naliases;		/* aliases made */
	uint32_t ntargets;		/* targets in the full table */
	uint32_t nspans;		/* spans in use */
	struct span spans[THREAD_SPANS]; /* chunks of contexts */
	struct alias *aliases[THREAD_DIRECTORY]; /* pages of ALIASES_PER_PAGE */
	struct item *items[THREAD_DIRECTORY]; /* pages of ITEMS_PER_PAGE items */
	uint32_t version;		/* of all that a look-up sees; odd: `making` is being written */
	struct making making;
	uint32_t recent[THREAD_RECENT];	/* items asked for not long ago, a guess, by the id */
	target *front;			/* the front table, for the next thread that uses the machine */
	uint64_t front_mask;		/* its mask, as in struct aprof_tls */
	uint32_t front_room;		/* slots there is memory for: in a forked child, more than the mask says */
	uint64_t *full;			/* complete table: full_hash of the id above; below, the item + 1, or the alias + 1 with the
					 * highest bit */
	uint64_t *known;		/* contexts with an unmarked entry by history: the hash of the history above; below, the
					 * item + 1 */
	uint32_t nknown;		/* contexts in it */
	uint32_t *histories;		/* folded histories: owner item, length, entries, ... */
	uint32_t histories_used;	/* words used; 0 is no place */
	uint32_t histories_size;	/* words that fit */
	history_entry *scratch[2];	/* room for one history each */
	uint32_t lost;			/* item "(lost)" */
	uint32_t elided;		/* item "(elided)"; 0: not made */
	struct shadow *shadow;		/* in use */
	uintptr_t low;			/* down to which address the machine stack in use is known to go, beside way inline */
	struct shadow *shadows;		/* all of them */
	struct shadow *unused, *unused_end; /* room for more */
	struct shadow **announced;	/* table by hash of the low ends of the stacks that were announced; NULL: none were */
	uint32_t announced_slots;	/* its slots, a power of 2 */
	uint32_t nannounced;		/* and those taken */
	uint64_t vfork_last;		/* aprof_tls.last while a child of vfork uses the thread's words */
	volatile uint32_t watched;	/* the clock may look at tls; clocks tsc and none: if is_told, too */
	bool is_told;			/* tls is there until `watched` is 0: its end will be told, or it is the first thread */
	uint64_t sampled_cpu;		/* CPU clock at the last look, ns */
	uint64_t sampled_wall;		/* CLOCK_MONOTONIC at the last look, ns */
	uint64_t pending;		/* part of record->unplaced that the next sample places, ns */
	uint64_t lost_time;		/* what looks found in LOST_ID, ns: it waits for `found`, and until then it is unplaced. The sampler's */
	uint32_t lost_ticks;		/* those looks */
	context_id found;		/* in which context the thread was, as it found out when there was such time; 0: not yet. The sampler
					 * takes it back */
	int state_tid;			/* whose state_fd is */
	int state_fd;			/* /proc/self/task/TID/status among the sampler's own descriptors; 0: none */
	uint64_t slept;			/* times that it gave up its processor, when last asked */
	uint64_t preempted;		/* times that one was taken from it */
	bool asked;			/* that was in the last look */
	struct amon_chunk *pcs;		/* table of PCs; NULL: none */
	int pc_tid;			/* thread that pc_handle interrupts; 0: none */
	int pc_handle;			/* descriptor of a perf event among the sampler's, or number of a timer; < 0: none */
	struct verifier *verifier;	/* what holding stacks against contexts needs; NULL: nobody has */
	struct amon_chunk *stacks;	/* table of those that did not fit; NULL: none */
	struct amon_chunk *reset;	/* calls at the last reset; NULL: none */
	struct amon_chunk **phases;	/* counts of phases, and last of all the mark; NULL: none */
	uint32_t *kept_frames;		/* routines of a stack that is walked (frames.c); NULL: none was */
	struct thread *forked_from;	/* machine whose contexts open routines may still hold; NULL: none */
	struct thread *next;		/* in monitor.threads */
	struct thread *next_ended;	/* in monitor.ended; NULL: the last */
	bool ended;			/* it is there */
};

/* Clocks as APROF_CLOCK and APROF_RATE ask. */
struct clock_choice {
	uint32_t clock;			/* enum amon_clock */
	uint32_t rate;			/* samples each second, at most */
	bool is_rate_asked;		/* it is the user's */
	uint32_t pc_wanted;		/* enum amon_source for program counters: SOURCE_NONE, _TIMER, _PERF */
};

/* The process. */
struct monitor {
	struct sys_lock lock;		/* over what follows, but for what says otherwise */
	volatile uint32_t state;	/* enum monitor_state; read without the lock */
	struct amon_header *header;	/* start of the mapping; never NULL once started */
	uint64_t mapped;		/* bytes mapped */
	bool anonymous;			/* there is no file behind the mapping, or not the one wanted */
	struct thread *threads;		/* every machine; prepended, read without the lock */
	uint32_t nthreads;		/* how many */
	struct thread *ended, *ended_last; /* those whose threads are over, or nearly so, as far as known, in that order; NULL: none */
	uint32_t starts;		/* of threads since it was last asked which are gone */
	struct amon_chunk *thread_chunk; /* last chunk of threads */
	struct amon_chunk *routine_chunk; /* last chunk of routines */
	uint32_t nroutines;		/* routines known */
	uint64_t memory_private;	/* anonymous memory taken, bytes */
	int pid;			/* of this process */
	bool started;			/* clock and calibration are done */
	volatile bool stopped;		/* by the program: what is counted is left out */
	bool forked;			/* began as a forked child */
	uint32_t *alive;		/* page wiped on fork: 1 in the process that started, 0 in a child that ran no handler */
	struct clock_choice clock;	/* as asked */
	bool verify;			/* stacks are held against contexts */
	bool without_exits;		/* way inline is in use where it does not read the counter: nobody is told of exits */
	bool reads_counter;		/* way inline is in use where it does */
	bool jumps_untold;		/* libraries without hooks find longjmp and its kin in libc first */
	uint32_t shown;			/* times that an unloaded module came back */
	uint64_t early_calls;		/* hooks met before the thread's words were there, none counted */
};

/* Values of aprof_tls.inert; hooks.S knows the last. */
enum {
	INERT_NOT,
	INERT_MONITOR,			/* in the monitor */
	INERT_VFORK,			/* a child of vfork uses it */
	INERT_EARLY,			/* before the thread's words are initialised: the resolver of an IFUNC */
};

enum monitor_state {
	MONITOR_NEW,		/* no hook has run */
	MONITOR_STARTING,	/* the first one is at work */
	MONITOR_ON,		/* contexts are followed */
	MONITOR_FORKED,		/* a child that has not met a hook since */
	MONITOR_OFF,		/* latched off: set-uid, or trouble; the program runs on */
};

extern struct monitor monitor HIDDEN;

/* Marks in thread.busy. The second is of who makes a context while signals may come: their handlers are not the monitor's time,
 * and one that leaves by a jump leaves the mark where it is. */
enum { BUSY = 2 };
static inline uint32_t busy_open(context_id c) { return (uint32_t)c | 1; }

static inline bool clock_is_tsc(void) { return monitor.clock.clock == AMON_CLOCK_TSC; }

/* Is a new interval asked for, and no sampler there to see it? */
static inline bool reset_is_due(void)
{
	const struct amon_header *h = monitor.header;

	return h->source != AMON_SOURCE_SAMPLER && h->reset_request != h->reset_done;
}

static inline uint32_t monitor_state(void) { return __atomic_load_n(&monitor.state, __ATOMIC_ACQUIRE); }

/* Add one, by one instruction: a signal handler's counts are never overwritten. */
static inline void counter_bump(uint64_t *count)
{
#if defined(__x86_64__)
	__asm__ volatile("incq %0" : "+m"(*count));
#else
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#endif
}

/* Make *COUNT one more if it is FROM, by one instruction.  False: it is not, a signal handler was there before. */
static inline bool count_step(uint32_t *count, uint32_t from)
{
#if defined(__x86_64__)
	bool done;

	__asm__ volatile("cmpxchgl %3, %1" : "=@ccz"(done), "+m"(*count), "+a"(from) : "r"(from + 1) : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(count, &from, from + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* Add N in the same way. */
static inline void counter_add(uint64_t *count, uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*count) : "r"(n));
#else
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
#endif
}

/* The ends of the monitor's own code: a section of its own in a program (localize.sh), all of its library. */
#ifdef APROF_SHARED
extern const char __ehdr_start[] HIDDEN, etext[] HIDDEN;
#define OWN_CODE_BEGINS __ehdr_start
#define OWN_CODE_ENDS etext
#else
extern const char __start_aprof_text[] HIDDEN __attribute__((weak)), __stop_aprof_text[] HIDDEN __attribute__((weak));
#define OWN_CODE_BEGINS __start_aprof_text
#define OWN_CODE_ENDS __stop_aprof_text
#endif

/* Is the monitor's own code at ADDRESS? */
static inline bool is_own_code(uintptr_t address)
{
	return address >= (uintptr_t)OWN_CODE_BEGINS && address < (uintptr_t)OWN_CODE_ENDS;
}

/* Count a note of the given kind. Any thread, any time. */
void note(enum amon_note kind) HIDDEN;
void note_error(enum amon_note kind, long error) HIDDEN;
void note_once(enum amon_note kind) HIDDEN;	/* if it was not */

/* process.c - start, fork, exit. */
const char *process_env(const char *name) HIDDEN; /* value in the environment of the start, or NULL */
bool process_start(void) HIDDEN;		/* at the first hook; false: stay out */
bool process_child_unseen(void) HIDDEN;		/* first miss in a child that ran no fork handler; false: stay out */
void process_look_for_reset(void) HIDDEN;	/* the same where there is no sampler: with signals blocked, when something is made */
void process_reset(void) HIDDEN;		/* zero the counters, as header.reset_request asks; the sampler calls it */
void process_started(void) HIDDEN;		/* the first thread has its machine: calibrate, start the clock */
struct thread *process_forked_from(void) HIDDEN; /* in a child, once: the machine to adopt contexts from; else NULL */
bool process_unmoved(void) HIDDEN;		/* in a child: no routine was left since the fork, nor entered */
uint64_t process_forked_at(void) HIDDEN;	/* in a child, clock tsc: when it began, cycles */
bool process_watch_thread(void) HIDDEN;		/* be told when the calling thread ends; false: cannot be had */
void aprof_vfork_before(void) HIDDEN;		/* hooks.S: around a call of vfork */
void aprof_vfork_after(void) HIDDEN;
int aprof_dlclose_begun(void *handle) HIDDEN;	/* wrap.c: the function that has destructors of a library run */
void aprof_exit_begun(int status) HIDDEN;	/* wrap.c: the function that has handlers of exit run, under the root */
void process_leave(void) HIDDEN;		/* exit is called here: open frames stay open */
void process_finish(void) HIDDEN;		/* at exit, as late as can be */

/* file.c - the data file, mapped. */
bool file_open(uint64_t size) HIDDEN;		/* make the file and map it, or memory in its place */
void file_leave(void) HIDDEN;			/* forked child: let go of the parent's */
void file_finish(void) HIDDEN;			/* cut to the used length, or copy to where it belongs */
struct amon_chunk *file_chunk(enum amon_kind kind, uint32_t thread, uint32_t capacity,
			      size_t item_size) HIDDEN; /* append a chunk, resident; NULL: no room */
bool file_over_bound(bool reserve) HIDDEN;	/* APROF_MEMORY is used up but for a quarter; or exceeded by half */
void file_shrink(void) HIDDEN;			/* give back most of what is mapped and not used; it cannot be had again */
void file_sigbus(void) HIDDEN;			/* install the handler of SIGBUS */
struct sigaction;
void file_sigbus_show(struct sigaction *old) HIDDEN;	/* if OLD is that: as it was before */
void aprof_signal_return(void) HIDDEN;		/* hooks.S: sa_restorer of our handlers */

bool file_write_at(long fd, const void *data, uint64_t size, uint64_t at) HIDDEN; /* false: not all of SIZE bytes */

/* fit.c */
bool fit_write(long fd, uint64_t limit) HIDDEN;	/* all that is mapped to FD, an empty file, in LIMIT bytes at most; false: not even the header */

int file_flush(const char *path) HIDDEN;	/* write what there is now to PATH; 0 or an errno */

/* phase.c - under the lock of api.c, and while the sampler is held, or before there is anybody else. */
void phase_begin(void) HIDDEN;			/* process has started, or a child began anew: in the phase where it was */
void phase_set(const char *name) HIDDEN;	/* go to the phase NAME, "" for none */
void phase_stop(bool stop) HIDDEN;		/* leave out what follows, or no longer */
void phase_reset(void) HIDDEN;			/* the counters were zeroed */

/* api.c - include/aprof.h. */
void api_forget(void) HIDDEN;			/* forked child: nobody else is at work */

/* A mapping, as a line of the memory map tells of it. */
struct mapping {
	uintptr_t start, end, offset;	/* addresses, file offset in bytes */
	char mode[4];			/* rwxp */
	const char *path;		/* "" for anonymous memory */
};

/* loader.c - the same as /proc/self tells, where there is none.  The first stack may be looked at any time. */
uintptr_t loader_auxiliary(uintptr_t type) HIDDEN; /* value of the auxiliary vector; 0: unknown, too */
long loader_environment(char *to, size_t size) HIDDEN; /* as /proc/self/environ: bytes, or minus an errno */
long loader_arguments(char *to, size_t size) HIDDEN; /* as /proc/self/cmdline */
bool loader_modules(void (*visit)(const struct mapping *m, void *arg), void *arg) HIDDEN; /* of each module its first page and its code;
						 * false: there may be others */
bool loader_range(uintptr_t address, uintptr_t *low, uintptr_t *high, bool *grows) HIDDEN; /* what can be read around ADDRESS; it is the first stack */

/* module.c, routine.c - what is mapped, who called a hook. */
void module_scan(void) HIDDEN;			/* look at the memory map again */
bool module_range(uintptr_t address, uintptr_t *low, uintptr_t *high) HIDDEN; /* of the mapping around it; a
						 * stack that grows counts as twice as deep as ADDRESS */
bool module_code(uintptr_t address, uintptr_t *low, uintptr_t *high) HIDDEN; /* the same, if it is code and nothing else */
void module_unloaded(void) HIDDEN;		/* dlclose was called: hide what is gone */
/* Is code START .. END one of the two parts of a routine?  *OTHER is then an address in the rest of it. Any time. */
bool module_other_part(uintptr_t start, uintptr_t end, uintptr_t *other) HIDDEN;
/* Has the module with the code at ADDRESS hooks, and says of no routine where its parts are?  Who wrote it may not have known. */
bool module_hides_parts(uintptr_t address) HIDDEN;
void module_forget(void) HIDDEN;		/* forked child: its file knows none yet */
uint32_t module_find(uintptr_t address, bool hooked) HIDDEN; /* index, AMON_NONE */
uint32_t routine_index(uintptr_t address, uint32_t flags) HIDDEN; /* AMON_NONE: no room */
void routine_hide(uintptr_t start, uintptr_t end, uintptr_t tag) HIDDEN; /* nothing at START .. END is known any more */
void routine_show(uintptr_t tag) HIDDEN;	/* what was hidden with TAG is there again */
bool routine_record_all(void) HIDDEN;		/* forked child: write all of them to the new file */
uintptr_t routine_address(uint32_t index, uint32_t *flags) HIDDEN; /* the reverse */

void routine_forget(void) HIDDEN;		/* forked child: nobody else is at work */
uint32_t routine_known(uintptr_t address) HIDDEN; /* the same if it is known; AMON_NONE. Any time. */

/* memory.c - private memory, counted; zeros. NULL: none, which is noted. */
void *memory_take(size_t size, bool populate) HIDDEN; /* SIZE bytes, resident at once if POPULATE */
void *memory_take_table(size_t before, uint32_t slots) HIDDEN; /* SLOTS words behind BEFORE bytes */
void memory_forget(void *memory, size_t size) HIDDEN; /* SIZE bytes are of no more use, but may be looked at */

/* table.c - tables by hash. NULL: one that has no slots yet. */
static inline uint64_t table_slot(uint64_t hash, uint32_t tag) { return hash << 32 | tag; }
void table_add(uint64_t *table, uint64_t slot) HIDDEN; /* which has room for it */
bool table_has_room(const uint64_t *table, uint32_t used) HIDDEN; /* for one more than USED */
bool table_grow(uint64_t **table, uint32_t used) HIDDEN; /* make room for one more than USED; false: no memory */

/* front.c - the front table: signals blocked, but for front_add and front_is_small. */
bool front_begin(struct thread *t) HIDDEN;	/* let the hooks find what is in it. False: no memory. With clock tsc there is none for ways whose
						 * hooks do not read the counter: their calls all go out of line, as they do where
						 * way inline is in use, which has one */
bool front_is_small(const struct thread *t) HIDDEN; /* should it grow? */
void front_grow(struct thread *t) HIDDEN;	/* if it should */
void front_add(struct thread *t, target to) HIDDEN; /* if there is one */
void front_none(struct aprof_tls *tls) HIDDEN;	/* let the hooks find nothing */
void front_leave(struct aprof_tls *tls) HIDDEN;	/* the same, where a probe that was interrupted may go on */

/* machine.c - A1-A5 and B2, B3: signals blocked, but for machine_find and machine_reach. */
bool machine_init(struct thread *t) HIDDEN;	/* a new machine */
target machine_find(struct thread *t, context_id from, uintptr_t routine) HIDDEN; /* full table; 0: none */
target machine_reach(struct thread *t, context_id from, uintptr_t routine) HIDDEN; /* found, or made with no more memory, and
										 * put into the front table; 0: block signals */
target machine_make(struct thread *t, context_id from, uintptr_t routine, uint32_t flags) HIDDEN; /* 0: no room */
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

/* The same for the transitions into a module, which are kept for its return.  Threads may run meanwhile, but not in it. */
void machine_hide(struct thread *t, uintptr_t start, uintptr_t end, uintptr_t tag) HIDDEN;
void machine_show(struct thread *t, uintptr_t tag) HIDDEN;

uint32_t machine_ticks(struct thread *t, uint32_t item) HIDDEN; /* samples that charged it */

/* stack.c - shadow stacks. */
uintptr_t stack_low(const struct thread *t) HIDDEN; /* down to which address the stack in use is known to go */
void stack_follow_inline(struct thread *t) HIDDEN; /* way inline is met in T for the first time */
bool stack_init(struct thread *t, uintptr_t cfa) HIDDEN; /* first hook of a thread, at CFA */
void stack_push_root(struct thread *t) HIDDEN;	/* what is called from now on is under the root */
/* LOW .. HIGH is a stack of its own, perhaps within another.  Its shadow; NULL: no memory. */
struct shadow *stack_announce(struct thread *t, uintptr_t low, uintptr_t high) HIDDEN;
void stack_shrink(struct thread *t) HIDDEN;	/* give back most of what the shadow of the calling thread T does not use */
/* Back on the machine stack of CFA, of which KNOWN was the shadow, perhaps of another thread; NULL: unknown. */
void stack_return(struct thread *t, uintptr_t cfa, struct shadow *known) HIDDEN;
bool stack_adopt(struct thread *t) HIDDEN;	/* forked child: go on with the parent's frames */
bool stack_sync(struct thread *t, uintptr_t cfa, uint64_t site, uint32_t flags) HIDDEN; /* before an entry, as aprof_entry_slow has it: room for a frame? */
/* Is the routine at CFA inlined into the top frame's?  SITE as in struct frame, FLAGS of the routine. */
bool stack_is_inlined(const struct aprof_tls *tls, uintptr_t cfa, uint64_t site, uint32_t flags) HIDDEN;
bool stack_sync_exit(struct thread *t, uintptr_t cfa, uintptr_t site, uintptr_t routine) HIDDEN; /* before an exit: is top its frame? */
bool stack_begins(const struct thread *t) HIDDEN; /* is the next frame the first one of a handler on an alternate stack? T NULL, as in a child that a handler forked: no */
bool stack_ends(const struct thread *t) HIDDEN;	/* is the top frame the first one of a handler on an alternate stack? */
void stack_pop(struct thread *t) HIDDEN;	/* pop the top frame: an exit, with signals blocked where stack_ends() */

/* thread.c - a thread begins and ends. */
struct thread *thread_start(uintptr_t cfa) HIDDEN; /* first hook of the calling thread; NULL: stay out */
void thread_end(struct thread *t) HIDDEN;	/* its destructors run; hooks may still follow */

/* The machine that counts what the calling thread, whose words are at TLS, calls now; NULL: none, or not yet. It is read once, since a
 * signal handler may fork at any time, and in the child there is none at first. */
static inline struct thread *thread_live(const struct aprof_tls *tls)
{
	struct thread *t = *(struct thread *const volatile *)&tls->thread;

	return t && monitor_state() == MONITOR_ON && *monitor.alive ? t : NULL;
}

/* slow.c - out of line parts of the hooks. */
bool slow_is_early(struct aprof_tls *tls) HIDDEN; /* before relocation is done: this call is counted as such only */
void aprof_entry_slow(uintptr_t routine, uintptr_t cfa, uint64_t site, uint32_t flags) HIDDEN;
void aprof_exit_slow(uintptr_t cfa, uintptr_t site, uintptr_t routine) HIDDEN; /* SITE and ROUTINE as at the entry; not way cyg: 0 */

/* inline.c - the same for way inline: ROUTINE is entered, with the stack at about SP; READS: its code reads the counter. Returns what
 * was there before the entry, which is what its exit puts back. */
struct entered {
	context_id before;		/* the context */
	struct amon_counter *charged;	/* aprof_tls.charged; of no use but to a routine that reads the counter */
};
struct entered aprof_inline_slow(uintptr_t routine, uintptr_t sp, bool reads) HIDDEN;
void aprof_inline_settle(void) HIDDEN;	/* clock tsc: charge the current context, which aprof_tls.charged is not of */
/* Beside AMON_ROUTINE_INSIDE, in the monitor only. */
enum {
	ROUTINE_INLINE = 1u << 16,	/* of way inline */
	ROUTINE_BODY = 1u << 17,	/* of way cyg */
	ROUTINE_INLINED = 1u << 18,	/* and entered on a frame that it has: it is inlined into itself */
};

/* clock.c and its sources. */
void clock_choose(void) HIDDEN;			/* read APROF_CLOCK, APROF_RATE, APROF_PC */
void clock_start(void) HIDDEN;			/* process has started, or a child began anew */
void clock_thread(struct thread *t, bool end_seen) HIDDEN; /* T has begun, and its end will be told; called in T */
void clock_thread_end(struct thread *t) HIDDEN;	/* T is about to end; called in T */
void clock_stop(void) HIDDEN;			/* process exits */
void clock_charge_tsc(struct thread *t, context_id c) HIDDEN; /* charge the calling thread's cycles up to now to its context C */
void clock_charge_tsc_monitor(struct thread *t) HIDDEN; /* and to the monitor: at the end of the slow path */
void pc_give_up(void) HIDDEN;			/* the program is about to take SIGPROF: it gets none of ours */
bool pc_is_handler(const void *handler) HIDDEN;	/* ours, of SIGPROF? */
bool pc_has_sigprof(void) HIDDEN;	/* is SIGPROF handled by us, for program counters? */
void sampler_hold(void) HIDDEN;			/* all time up to now is charged, and no more until sampler_release */
void sampler_release(void) HIDDEN;
bool sampler_pause(void) HIDDEN;		/* be of no more threads than the program; false: there was no sampler */
void sampler_resume(void) HIDDEN;		/* after sampler_pause: go on */
void calibrate(void) HIDDEN;			/* measure the hooks' own cost, once */
void calibrate_record(void) HIDDEN;		/* say in the header what the hooks of the way in use cost */

/* front table of a thread that has none: every probe misses. */
extern target aprof_front_none[2] HIDDEN; /* a pair */
extern struct amon_counter aprof_counter_none HIDDEN;
extern struct frame aprof_frame_none HIDDEN;

/* The hash of the full table: its low bits are where the search for ID begins, and all of it stands in the slot, so
 * that a search looks at no other key. */
static inline uint64_t full_hash(context_id id) { return ((id ^ id >> 32) * UINT64_C(0xc4ceb9fe1a85ec53)) >> 32; }

/* The hash of the front table, the first slot of two to look at; hooks.S and the plugin compute the same. */
static inline uint64_t front_slot(context_id id, uint64_t mask)
{
	return (id >> 29 & mask) / sizeof(target);
}

#endif
