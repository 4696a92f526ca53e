/* jump.c - longjmp and its kin, and the moment in which an exception lands.
 *
 * Way inline keeps a routine's context in the routine: where control comes back by no return, the routine that receives it puts its own
 * back.  A receiver without hooks cannot.  So who jumps leaves LOST_ID for a context.  A receiver with hooks overwrites that; else
 * the next entry misses, and finds out of line in which context it is (found.c).  The
 * shadow stacks of the other ways are told how deep the landing is, and drop the frames below.
 *
 * Whatever the language, unwinders call _Unwind_SetIP right before control lands in a handler or a cleanup; it is a name of libgcc's that
 * libgcc, too, calls by name. */
#include "monitor/jump.h"

#include <setjmp.h>

#include "format/amon.h"
#include "monitor/behind.h"
#include "monitor/cycles.h"
#include "monitor/layout.h"
#include "monitor/stack.h"
#include "monitor/state.h"
#include "monitor/thread.h"
#include "monitor/tls.h"

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

void jump_lands(uintptr_t sp)
{
	struct thread *t = stack_owner(&aprof_tls);

	if (t && sp)
		stack_return(t, sp + 1, NULL);	/* a routine that was called from there has its CFA there, or below */
	jump_lose();
}

/* ---- the functions behind ours ---- */

typedef void jump_function(struct __jmp_buf_tag *env, int value);
typedef void set_function(void *frame, uintptr_t pc);
typedef uintptr_t get_function(void *frame);

REAL(longjmp, jump_function)
REAL(_longjmp, jump_function)
REAL(siglongjmp, jump_function)
REAL(__longjmp_chk, jump_function)
REAL(_Unwind_SetIP, set_function)

/* Before the program runs: the search takes the dynamic linker's lock. */
static void __attribute__((constructor(101))) find_all(void)
{
	real_longjmp();
	real__longjmp();
	real_siglongjmp();
	real___longjmp_chk();
	real__Unwind_SetIP();
	monitor.jumps_untold = !behind_is_first("longjmp");
	if (monitor.jumps_untold && monitor_state() == MONITOR_ON && monitor.header->way >> AMON_WAY_INLINE & 1)
		note_once(AMON_NOTE_UNTOLD_JUMPS);
}

/* ---- the jumps ---- */

/* Where ENV leads to; 0: unknown. */
static uintptr_t stack_of(const struct __jmp_buf_tag *env)
{
#if defined(__GLIBC__) && defined(__x86_64__)
	uintptr_t sp = ((const uintptr_t *)env)[6];

	__asm__("rorq $17, %0\n\txorq %%fs:48, %0" : "+r"(sp));
	return sp;
#else
	(void)env;
	return 0;
#endif
}

#define JUMP(name) \
	EXPORTED jump_function __wrap_##name; \
	extern jump_function aprof_jump_##name __attribute__((alias("__wrap_" #name), visibility("hidden"))); \
	void __wrap_##name(struct __jmp_buf_tag *env, int value) \
	{ \
		jump_lands(stack_of(env)); \
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
	static void *name##_behind; \
	static uintptr_t at_##name(void) { return (uintptr_t)name ? (uintptr_t)name : (uintptr_t)name##_behind; }
UNWINDER(_Unwind_RaiseException)
UNWINDER(_Unwind_Resume)
UNWINDER(_Unwind_Resume_or_Rethrow)
UNWINDER(_Unwind_ForcedUnwind)

void jump_find_unwinder(void)
{
	behind(&_Unwind_RaiseException_behind, "_Unwind_RaiseException");
	behind(&_Unwind_Resume_behind, "_Unwind_Resume");
	behind(&_Unwind_Resume_or_Rethrow_behind, "_Unwind_Resume_or_Rethrow");
	behind(&_Unwind_ForcedUnwind_behind, "_Unwind_ForcedUnwind");
}

static bool is_unwinder_at(uintptr_t start)
{
	return start == at__Unwind_RaiseException() || start == at__Unwind_Resume() || start == at__Unwind_Resume_or_Rethrow() ||
	       start == at__Unwind_ForcedUnwind();
}

bool jump_is_at(uintptr_t start, bool own)
{
	if (!own)
		return start && is_unwinder_at(start);
	return start == (uintptr_t)aprof_jump_longjmp || start == (uintptr_t)aprof_jump__longjmp || start == (uintptr_t)aprof_jump_siglongjmp ||
	       start == (uintptr_t)aprof_jump___longjmp_chk;
}

EXPORTED set_function __wrap__Unwind_SetIP;

extern get_function _Unwind_GetCFA __attribute__((weak));

void __wrap__Unwind_SetIP(void *frame, uintptr_t pc)
{
	static void *get_behind;
	get_function *get = _Unwind_GetCFA;

	get = get ? get : (get_function *)behind(&get_behind, "_Unwind_GetCFA");
	jump_lands(get ? get(frame) : 0);
	real__Unwind_SetIP()(frame, pc);
}

#ifdef APROF_MCOUNT
FRONT(longjmp);
FRONT(_longjmp);
FRONT(siglongjmp);
FRONT(__longjmp_chk);
FRONT(_Unwind_SetIP);
#endif
