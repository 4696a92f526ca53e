/* jump.c - longjmp and its kin, and the moment in which an exception lands.
 *
 * Way inline keeps a routine's context in the routine: where control comes back by no return, the routine that receives it puts its own
 * back.  A receiver without hooks cannot.  So before a jump its context is made out from the stack that control is about to land on
 * (lost_context.c).  Where that cannot be told, or a routine with hooks receives it, LOST_ID stands for a context: the receiver overwrites that, or
 * the next entry misses, and finds out of line in which context it is.  The shadow stacks of the other ways are told how deep the landing
 * is, and drop the frames below.
 *
 * Whatever the language, unwinders call _Unwind_SetIP right before control lands in a handler or a cleanup; it is a name of libgcc's that
 * libgcc, too, calls by name. */
#include "inside/stacks/jump.h"

#include <setjmp.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/clock/cycles.h"
#include "inside/hooks/entry.h"
#include "inside/modules/module.h"
#include "inside/process/thread.h"
#include "inside/stacks/originals.h"
#include "inside/stacks/lost_context.h"
#include "inside/stacks/frames.h"
#include "inside/stacks/stack.h"
#include "inside/stacks/walk_cache.h"
#include "inside/state.h"
#include "inside/tls.h"

/* ---- what is lost ---- */

/* Has the calling thread a context, or may it come to a stack that has one?  So may a thread that was in no routine yet, where coroutines go on. */
static bool can_lose(const struct aprof_tls *tls)
{
	if (tls->current == LOST_ID || tls->inert)
		return false;
	return tls->current || (monitor_state() == MONITOR_ON && monitor.header->way >> AMON_WAY_INLINE & 1);
}

/* T has met no way but those that push frames, whose exits are to take up a context from now on. */
static void follow_inline(struct thread *t)
{
	uint64_t mask;

	sys_block_signals(&mask);
	stack_follow_inline(t);
	sys_restore_signals(&mask);
}

/* What is charged up to here was right still. */
void jump_lose(void)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *t = thread_live(tls);

	if (!can_lose(tls))
		return;
	if (t && tls->last)
		cycles_charge(t, tls->current);
	if (t && !tls->current)
		follow_inline(t);
	__atomic_store_n(&tls->current, LOST_ID, __ATOMIC_RELAXED);
}

/* ---- what is found ---- */

/* Places in routines with hooks where control has landed, which put back their contexts themselves: a guess, by a hash of the address. */
enum { RECEIVERS = 256 };
static uint64_t receivers[RECEIVERS];

static uint64_t *receiver_at(uintptr_t pc) { return &receivers[(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) % RECEIVERS]; }

/* PC as it stands there: other code may come where a module was. */
static uint64_t receiver(uintptr_t pc) { return pc | (uint64_t)module_epoch() << KEY_TAG_SHIFT; }

static bool is_receiver(uintptr_t pc) { return __atomic_load_n(receiver_at(pc), __ATOMIC_RELAXED) == receiver(pc); }

/* Call lost_context_landing, or with TO NULL lost_context_back, and take up what that finds. */
static void jump_find(const struct landing *to)
{
	struct aprof_tls *tls = &aprof_tls;
	bool receives = false;
	struct thread *t;
	uint64_t mask;

	entry_block(tls, &mask);
	t = thread_live(tls);
	if (t && (to || tls->current == LOST_ID)) {	/* a handler may have found its own meanwhile */
		t->busy = BUSY;
		tls->current = to ? lost_context_landing(t, to, &receives) : lost_context_back(t);
		if (receives)
			__atomic_store_n(receiver_at(to->reg[UNWIND_RIP]), receiver(to->reg[UNWIND_RIP]), __ATOMIC_RELAXED);
		if (clock_is_tsc())
			cycles_charge_monitor(t);
		t->busy = 0;
	}
	entry_unblock(tls, &mask);
	entry_charge_rest(tls);
}

static bool jump_is_lost(const struct aprof_tls *tls) { return tls->current == LOST_ID && !tls->inert && thread_live(tls); }

void jump_back(void)
{
	if (jump_is_lost(&aprof_tls))
		jump_find(NULL);
}

void jump_lands(const struct landing *to)
{
	struct thread *t = stack_owner(&aprof_tls);
	context_id before;

	if (t && to->known)
		stack_return(t, to->reg[UNWIND_RSP] + 1, NULL);	/* a routine that was called from there has its CFA there, or below */
	jump_lose();
	if (!jump_is_lost(&aprof_tls) || !(to->known >> UNWIND_RIP & 1) || is_receiver(to->reg[UNWIND_RIP]))
		return;
	before = walk_cache_before(aprof_tls.thread, to);
	if (before)
		__atomic_store_n(&aprof_tls.current, before, __ATOMIC_RELAXED);
	else
		jump_find(to);
}

/* ---- the functions behind ours ---- */

typedef void jump_function(struct __jmp_buf_tag *env, int value);
typedef void set_function(void *frame, uintptr_t pc);
typedef uintptr_t get_function(void *frame);
typedef uintptr_t get_register_function(void *frame, int reg);

REAL(longjmp, jump_function)
REAL(_longjmp, jump_function)
REAL(siglongjmp, jump_function)
REAL(__longjmp_chk, jump_function)
REAL(_Unwind_SetIP, set_function)

/* ---- the jumps ---- */

/* The words are rbx, rbp, r12 .. r15, rsp, rip; some of them in disguise. */
void jump_landing(const uintptr_t *env, struct landing *to)
{
	to->known = 0;
#if defined(__GLIBC__) && defined(__x86_64__)
	static const uint8_t places[] = { UNWIND_RBX, UNWIND_RBP, UNWIND_R12, UNWIND_R12 + 1, UNWIND_R12 + 2, UNWIND_R12 + 3, UNWIND_RSP, UNWIND_RIP };

	for (size_t i = 0; i < sizeof places; i++) {
		uintptr_t value = env[i];

		if (places[i] == UNWIND_RBP || places[i] == UNWIND_RSP || places[i] == UNWIND_RIP)
			__asm__("rorq $17, %0\n\txorq %%fs:48, %0" : "+r"(value));
		to->reg[places[i]] = value;
		to->known |= 1u << places[i];
	}
#else
	(void)env;
#endif
}

static __attribute__((noinline)) void jump_by(const struct __jmp_buf_tag *env)
{
	struct landing to;

	jump_landing((const uintptr_t *)env, &to);
	jump_lands(&to);
}

#define JUMP(name) \
	EXPORTED jump_function __wrap_##name; \
	extern jump_function aprof_jump_##name __attribute__((alias("__wrap_" #name), visibility("hidden"))); \
	void __wrap_##name(struct __jmp_buf_tag *env, int value) \
	{ \
		jump_by(env); \
		real_##name()(env, value); \
		__builtin_unreachable();	/* and so no jump: whoever reads the stack meanwhile is to see that it is being left */ \
	}
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

/* Of the unwinder itself: the stack still shows routines that have run their cleanups and are left. */
#define UNWINDER(name) \
	extern jump_function name __attribute__((weak)); \
	static void *name##_behind;
UNWINDER(_Unwind_RaiseException)
UNWINDER(_Unwind_Resume)
UNWINDER(_Unwind_Resume_or_Rethrow)
UNWINDER(_Unwind_ForcedUnwind)

#define SEARCH(name) frames_tell_jump((uintptr_t)original(&name##_behind, #name))

void jump_find_unwinder(void)
{
	SEARCH(_Unwind_RaiseException);
	SEARCH(_Unwind_Resume);
	SEARCH(_Unwind_Resume_or_Rethrow);
	SEARCH(_Unwind_ForcedUnwind);
}

EXPORTED set_function __wrap__Unwind_SetIP;

extern get_function _Unwind_GetCFA __attribute__((weak));
extern get_register_function _Unwind_GetGR __attribute__((weak));

/* The unwinder has saved the registers that calls leave alone, and only those for certain. */
static void landing_of_frame(void *frame, uintptr_t pc, struct landing *to)
{
	static const uint8_t kept[] = { UNWIND_RBX, UNWIND_RBP, UNWIND_R12, UNWIND_R12 + 1, UNWIND_R12 + 2, UNWIND_R12 + 3 };
	static void *cfa_behind, *register_behind;
	get_function *cfa = _Unwind_GetCFA;
	get_register_function *get = _Unwind_GetGR;

	to->known = 0;
	cfa = cfa ? cfa : (get_function *)original(&cfa_behind, "_Unwind_GetCFA");
	get = get ? get : (get_register_function *)original(&register_behind, "_Unwind_GetGR");
	if (!cfa)
		return;
	to->reg[UNWIND_RSP] = cfa(frame);
	to->reg[UNWIND_RIP] = pc;
	to->known = 1u << UNWIND_RSP | 1u << UNWIND_RIP;
	for (size_t i = 0; get && !is_receiver(pc) && i < sizeof kept; i++) {
		to->reg[kept[i]] = get(frame, kept[i]);
		to->known |= 1u << kept[i];
	}
}

void __wrap__Unwind_SetIP(void *frame, uintptr_t pc)
{
	struct landing to;

	landing_of_frame(frame, pc, &to);
	jump_lands(&to);
	real__Unwind_SetIP()(frame, pc);
}

/* A name of the unwinder's is weak. */
static void tell_jumps(void)
{
	jump_function *const jumps[] = { aprof_jump_longjmp, aprof_jump__longjmp, aprof_jump_siglongjmp, aprof_jump___longjmp_chk,
		_Unwind_RaiseException, _Unwind_Resume, _Unwind_Resume_or_Rethrow, _Unwind_ForcedUnwind };

	for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
		frames_tell_jump((uintptr_t)jumps[i]);
}

/* Before the program runs: the search takes the dynamic linker's lock. */
static void __attribute__((constructor(101))) jump_find_all(void)
{
	real_longjmp();
	real__longjmp();
	real_siglongjmp();
	real___longjmp_chk();
	real__Unwind_SetIP();
	tell_jumps();
	monitor.jumps_untold = !original_is_first("longjmp");
	if (monitor.jumps_untold && monitor_state() == MONITOR_ON && monitor.header->way >> AMON_WAY_INLINE & 1)
		note_once(AMON_NOTE_UNTOLD_JUMPS);
}

#ifdef APROF_MCOUNT
FRONT(longjmp);
FRONT(_longjmp);
FRONT(siglongjmp);
FRONT(__longjmp_chk);
FRONT(_Unwind_SetIP);
#endif
