/* switch.c - switches of stacks: by libc's swapcontext and setcontext, and what makecontext began; and by functions of libraries (switches.S).
 *
 * Where a stack begins its context is the root; where it goes on way inline's is what waits here, in the frame of the call that left it.  One that
 * was saved otherwise, by getcontext in code without hooks, has its context made out by the next entry (lost_context.c).  The other ways' shadows
 * are told where the stacks lie: coroutines' may be neighbours in one mapping.
 *
 * The function that makecontext is given returns to a place in libc that has no description for unwinders, and takes up the next
 * context (uc_link) by no name of its own.  So it comes by here, ended: the return address on the new stack is replaced before it begins. */
#include <ucontext.h>

#include "contract/amon.h"
#include "contract/layout.h"
#include "inside/machine/context.h"
#include "inside/monitor.h"
#include "inside/process/thread.h"
#include "inside/stacks/originals.h"
#include "inside/stacks/frames.h"
#include "inside/stacks/jump.h"
#include "inside/stacks/stack.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/tls.h"

typedef int set_function(const ucontext_t *to);
typedef int swap_function(ucontext_t *from, const ucontext_t *to);

REAL(setcontext, set_function)
REAL(swapcontext, swap_function)

/* ---- stacks that begin ---- */

static uintptr_t stack_pointer(const ucontext_t *to)
{
#if defined(__x86_64__)
	return (uintptr_t)to->uc_mcontext.gregs[REG_RSP];
#else
	return to->uc_mcontext.sp;
#endif
}

/* Where TO leads, but for what begins there. */
static void landing(const ucontext_t *to, struct landing *l)
{
#if defined(__x86_64__)
	static const uint8_t from[] = { REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15, REG_RSP, REG_RIP };
	static const uint8_t places[] = { UNWIND_RBX, UNWIND_RBP, UNWIND_R12, UNWIND_R12 + 1, UNWIND_R12 + 2, UNWIND_R12 + 3, UNWIND_RSP, UNWIND_RIP };

	l->known = 0;
	for (size_t i = 0; i < sizeof places; i++) {
		l->reg[places[i]] = (uintptr_t)to->uc_mcontext.gregs[from[i]];
		l->known |= 1u << places[i];
	}
#else
	l->reg[UNWIND_RSP] = stack_pointer(to);
	l->known = 1u << UNWIND_RSP;
#endif
}

/* Does TO lead to the stack that it says is its own? */
static bool is_on_own(const ucontext_t *to)
{
	uintptr_t low = (uintptr_t)to->uc_stack.ss_sp, sp = stack_pointer(to);

	return low && sp > low && sp <= low + to->uc_stack.ss_size;
}

#if defined(__GLIBC__) && defined(__x86_64__)
extern __typeof(makecontext) makecontext __attribute__((weak));
void aprof_context_ended(void) HIDDEN;
void aprof_context_follow(const ucontext_t *const *next) HIDDEN;

/* In its place: rbx points to the next context's address. */
__asm__(".text\n"
	".hidden aprof_context_ended\n"
	".globl aprof_context_ended\n"
	".type aprof_context_ended, @function\n"
	".type aprof_context_began, @function\n"
	"aprof_context_began:\n"
	"\t.cfi_startproc\n"
	"\t.cfi_undefined rip\n"
	"\tnop\n"				/* unwinders look for what is before a return address, and name that */
	"aprof_context_ended:\n"
	"\tmovq %rsp, %rbp\n"
	"\tandq $-16, %rsp\n"
	"\tmovq %rbx, %rdi\n"
	"\tcall aprof_context_follow\n"
	"\tmovq %rbp, %rsp\n"
	"\tnotrack jmp *frames_context_start(%rip)\n"
	"\t.cfi_endproc\n"
	".size aprof_context_ended, .-aprof_context_ended\n"
	".size aprof_context_began, .-aprof_context_began\n");

/* A stack of return addresses that the processor keeps would have to be changed, too. */
static bool switch_has_shadow_stack(void)
{
	uintptr_t ssp = 0;

	__asm__("rdsspq %0" : "+r"(ssp));
	return ssp;
}

static void __attribute__((constructor(101))) switch_find_all(void)
{
	static uintptr_t stack[64];
	ucontext_t c;

	real_setcontext();
	real_swapcontext();
	if (!makecontext || switch_has_shadow_stack())
		return;
	mem_zero(&c, sizeof c);
	c.uc_stack.ss_sp = stack;
	c.uc_stack.ss_size = sizeof stack;
	makecontext(&c, aprof_context_ended, 0);
	frames_context_start = *(const uintptr_t *)stack_pointer(&c);
}

/* Has what makecontext began at TO not run yet?  From now on its end comes by here. */
static bool is_fresh(const ucontext_t *to)
{
	uintptr_t *back = (uintptr_t *)stack_pointer(to);

	if (!frames_context_start || !is_on_own(to) || (*back != frames_context_start && *back != (uintptr_t)aprof_context_ended))
		return false;
	*back = (uintptr_t)aprof_context_ended;
	return true;
}
#else
static bool is_fresh(const ucontext_t *to) { return is_on_own(to); }
#endif

/* ---- the switch ---- */

/* Shadows are used that belong to the stack of TO, which may lie within another: in an array of main's, say.  What it says of that is hearsay unless it is
 * FRESH: getcontext and swapcontext leave uc_stack as they find it, in memory that nobody has set.  Of what ran on a fresh one before nothing is left. */
static void switch_follow(const ucontext_t *to, bool fresh)
{
	uintptr_t low = (uintptr_t)to->uc_stack.ss_sp, high = low + to->uc_stack.ss_size;
	struct thread *t = stack_owner(&aprof_tls);

	if (!t || !is_on_own(to))
		return;
	stack_return(t, fresh ? high : stack_pointer(to) + 1, stack_announce(t, low, high, !fresh));
	if (fresh)
		stack_begins_anew(t);
}

/* Control goes to TO. */
static void switch_go(const ucontext_t *to)
{
	bool fresh = is_fresh(to);
	struct landing there;

	landing(to, &there);
	if (fresh)
		there.known &= ~(1u << UNWIND_RIP);
	switch_follow(to, fresh);
	jump_lands(&there);
	if (fresh && aprof_tls.current == LOST_ID)
		aprof_tls.current = ROOT_ID;
}

#if defined(__GLIBC__) && defined(__x86_64__)
void aprof_context_follow(const ucontext_t *const *next)
{
	if (*next)
		switch_go(*next);
}
#endif

EXPORTED set_function __wrap_setcontext;
EXPORTED swap_function __wrap_swapcontext;

int __wrap_setcontext(const ucontext_t *to)
{
	switch_go(to);
	return real_setcontext()(to);
}

/* What waits while another stack is in use. */
struct left {
	struct thread *thread;		/* the machine; NULL: none */
	struct shadow *shadow;		/* the stack's; NULL: there are none, or its thread had none */
	context_id context;		/* by way inline; 0: another way */
};

static struct left switch_now(const struct aprof_tls *tls)
{
	const struct thread *stacks = stack_owner(tls);

	return (struct left){ thread_live(tls), stacks ? stacks->stacks.shadow : NULL, tls->current };
}

/* Out of line, as is take_up: a stack may be left in one thread and go on in another. */
static __attribute__((noinline)) struct left switch_leave(const ucontext_t *to)
{
	struct left left = switch_now(&aprof_tls);

	switch_go(to);
	return left;
}

static __attribute__((noinline)) void take_up(const struct left *left, uintptr_t here)
{
	struct aprof_tls *tls = &aprof_tls;
	struct thread *stacks = stack_owner(tls);

	if (stacks)
		stack_return(stacks, here, left->shadow);
	jump_lose();
	if (tls->current && left->context && left->thread == thread_live(tls))
		tls->current = left->context;
	else
		jump_back();
}

int __wrap_swapcontext(ucontext_t *from, const ucontext_t *to)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
	struct left left = switch_leave(to);
	int ret = real_swapcontext()(from, to);

	take_up(&left, here);
	return ret;
}

/* ---- languages' libraries that switch stacks by functions of their own ---- */

#if defined(__x86_64__) && !defined(APROF_MCOUNT)
/* libgo's, for goroutines, takes what setcontext does, and does not return: nobody is there who could take a context up again, in this thread or
 * another.  The next entry on the other stack finds its callers there (lost_context.c). */
typedef void go_function(void);

BEHIND(__go_setcontext, go_function)

/* Only a program in Go has the name. */
extern const char aprof_name___go_setcontext[] __attribute__((weak));

static void __attribute__((constructor(101))) find_go(void)
{
	if (aprof_name___go_setcontext)
		real___go_setcontext();
}

go_function *aprof_away___go_setcontext(const ucontext_t *to) HIDDEN;

go_function *aprof_away___go_setcontext(const ucontext_t *to)
{
	struct landing there;

	landing(to, &there);
	switch_follow(to, false);
	jump_lands(&there);
	return real___go_setcontext();
}

/* Then libgo's own finds stack, arguments and registers as they were. */
__asm__(".text\n"
	".globl aprof_before___go_setcontext\n"
	".type aprof_before___go_setcontext, @function\n"
	".p2align 4\n"
	"aprof_before___go_setcontext:\n"
	".cfi_startproc\n"
	"\tendbr64\n"
	"\tpushq %rdi\n.cfi_adjust_cfa_offset 8\n"
	"\tpushq %rsi\n.cfi_adjust_cfa_offset 8\n"
	"\tpushq %rdx\n.cfi_adjust_cfa_offset 8\n"
	"\tcall aprof_away___go_setcontext\n"
	"\tpopq %rdx\n.cfi_adjust_cfa_offset -8\n"
	"\tpopq %rsi\n.cfi_adjust_cfa_offset -8\n"
	"\tpopq %rdi\n.cfi_adjust_cfa_offset -8\n"
	"\tnotrack jmp *%rax\n"
	".cfi_endproc\n"
	".size aprof_before___go_setcontext, .-aprof_before___go_setcontext\n");
#endif

#if defined(__x86_64__)
/* ---- switches by libraries' own code (switches.S): where they lead nobody says ---- */

/* What is behind one of them. */
struct switch_place {
	void *linked;			/* what the link found under the name; NULL: nothing */
	const void *ours;		/* the name that leads here; NULL: it does not */
	void *kept;			/* of the libraries behind us, once it was wanted */
	const char *name;
};

/* LEFT stands in the frame of the call, at CFA, where switches.S has room for it. */
void *aprof_switch_away(struct left *left, uintptr_t cfa, struct switch_place *place) HIDDEN;
void aprof_switch_back(const struct left *left, uintptr_t cfa) HIDDEN;

void *aprof_switch_away(struct left *left, uintptr_t cfa, struct switch_place *place)
{
	*left = switch_now(&aprof_tls);
	stack_leave(stack_owner(&aprof_tls), cfa);
	jump_lose();
	return place->linked && place->linked != place->ours ? place->linked : original(&place->kept, place->name);
}

void aprof_switch_back(const struct left *left, uintptr_t cfa) { take_up(left, cfa); }
#endif

#ifdef APROF_MCOUNT
FRONT(setcontext);
FRONT(swapcontext);
#endif
