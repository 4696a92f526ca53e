/* cancel.c - a thread is unwound to its end: pthread_exit, and cancellation.
 *
 * Handlers of C++, and of C with -fexceptions, are landing pads: jump.c.  The others, of pthread_cleanup_push in plain C, are jumped to from
 * within libc: what it jumps by is a buffer that was registered by a call, in the frame of the routine with the handler, and all of a thread's
 * buffers are a list.  So the address in the buffer is made one of ours.  The outermost is libc's own, where each thread begins: there destructors of
 * the thread's variables and keys run, under nobody.
 *
 * A process can have several monitors: a program's own, a plugin's, and the one that aprof run preloads.  Each makes a buffer's address its own, and goes on
 * where the one before it had led. */
#include "inside/stacks/cancel.h"

#include "inside/monitor.h"
#include "inside/stacks/originals.h"
#include "inside/stacks/jump.h"
#include "inside/tls.h"

/* What libc knows of a handler, as far as programs must know it, too. */
struct buffer {
	uintptr_t reg[8];		/* as in a jmp_buf: rbx, rbp, r12 .. r15, rsp, rip; some of them disguised */
	int mask_was_saved;
	struct buffer *outer;		/* the one that was registered before */
	void *unused;
	int type;
	uintptr_t goes_on;		/* libc does not use it: what rip was, as it was, before any monitor; in the bits above an address, how many came after the first */
};

typedef void buffer_function(struct buffer *b);
typedef void end_function(void *value);

REAL(pthread_exit, end_function)
REAL(__pthread_unwind_next, buffer_function)
REAL(__pthread_register_cancel, buffer_function)
REAL(__pthread_register_cancel_defer, buffer_function)

EXPORTED end_function __wrap_pthread_exit;
EXPORTED buffer_function __wrap___pthread_unwind_next, __wrap___pthread_register_cancel, __wrap___pthread_register_cancel_defer;

static bool has_buffers;		/* libc can be asked for them, and no search is needed any more */

#if defined(__GLIBC__) && defined(__x86_64__)
extern buffer_function __pthread_unregister_cancel __attribute__((weak));
void aprof_cancel_landed(void) HIDDEN;
uintptr_t aprof_cancel_lands(uintptr_t sp) HIDDEN;

__asm__(".text\n"
	".hidden aprof_cancel_landed\n"
	".globl aprof_cancel_landed\n"
	".type aprof_cancel_landed, @function\n"
	"aprof_cancel_landed:\n"
	"\tendbr64\n"
	"\tmovq %rsp, %rdi\n"
	"\tmovl $0x6e6f6d61, %esi\n"		/* nobody reads it: by what stands up to here monitors know each other's */
	"\tcall aprof_cancel_lands\n"
	"\tmovq %rax, %rdx\n"
	"\tmovl $1, %eax\n"			/* what setjmp is to return */
	"\tnotrack jmp *%rdx\n"
	".size aprof_cancel_landed, .-aprof_cancel_landed\n");

static uintptr_t disguised(uintptr_t address)
{
	__asm__("xorq %%fs:48, %0\n\trolq $17, %0" : "+r"(address));
	return address;
}

static uintptr_t plain(uintptr_t word)
{
	__asm__("rorq $17, %0\n\txorq %%fs:48, %0" : "+r"(word));
	return word;
}

enum { KNOWN_BY = 12 };				/* bytes of aprof_cancel_landed that are alike in all monitors */
#define ONE_MORE ((uintptr_t)1 << 48)		/* monitors that came later, in goes_on */

static uintptr_t before;			/* another monitor's aprof_cancel_landed; 0: none was met */

static bool cancel_is_monitors(uintptr_t address)
{
	const char *there = (const char *)address, *ours = (const char *)(uintptr_t)aprof_cancel_landed;
	int i = 0;

	while (i < KNOWN_BY && there[i] == ours[i])
		i++;
	return i == KNOWN_BY;
}

static void divert(struct buffer *b)
{
	uintptr_t to = plain(b->reg[7]), known = __atomic_load_n(&before, __ATOMIC_RELAXED);

	if (to == (uintptr_t)aprof_cancel_landed)
		return;
	if (!cancel_is_monitors(to)) {
		b->goes_on = to;
	} else {
		if (known && known != to)
			return;				/* a third one's: it is not told of landings there */
		__atomic_store_n(&before, to, __ATOMIC_RELAXED);
		b->goes_on += ONE_MORE;
	}
	b->reg[7] = disguised((uintptr_t)aprof_cancel_landed);
}

/* Where control goes on that has landed by B.  If with another monitor, that one may have the same words of the thread, and is to find B there. */
static uintptr_t cancel_follow(struct buffer *b)
{
	bool last = b->goes_on < ONE_MORE;

	aprof_tls.landing = last ? NULL : b;
	if (last)
		return b->goes_on;
	b->goes_on -= ONE_MORE;
	return __atomic_load_n(&before, __ATOMIC_RELAXED);
}

/* The newest of the thread's buffers: one more would come before it. */
static struct buffer *newest(void)
{
	struct buffer more = { .reg = { [7] = disguised((uintptr_t)aprof_cancel_landed) } };	/* another monitor looks at it */

	real___pthread_register_cancel()(&more);
	__pthread_unregister_cancel(&more);
	return more.outer;
}

/* Did libc make the calling thread?  A raw clone's thread-local storage may be of any make. */
static bool is_libcs(void)
{
	uintptr_t first, self;

	__asm__("movq %%fs:0, %0\n\tmovq %%fs:16, %1" : "=r"(first), "=r"(self));
	return first == self;
}

void cancel_thread(void)
{
	struct buffer *b = has_buffers && is_libcs() ? newest() : NULL;

	while (b && b->outer)
		b = b->outer;
	if (b)
		divert(b);
}

uintptr_t aprof_cancel_lands(uintptr_t sp)
{
	struct landing to;
	struct buffer *b;

	for (b = aprof_tls.landing ? aprof_tls.landing : newest(); plain(b->reg[6]) != sp; b = b->outer)
		;
	jump_landing(b->reg, &to);
	to.reg[UNWIND_RIP] = cancel_follow(b);
	jump_lands(&to);
	return to.reg[UNWIND_RIP];
}
#else
static void divert(struct buffer *b) { (void)b; }
void cancel_thread(void) { }
#endif

static void __attribute__((constructor(101))) cancel_find_all(void)
{
	real_pthread_exit();
	real___pthread_unwind_next();
	real___pthread_register_cancel();
	real___pthread_register_cancel_defer();
#if defined(__GLIBC__) && defined(__x86_64__)
	has_buffers = real___pthread_register_cancel() && __pthread_unregister_cancel;
#endif
}

void __wrap_pthread_exit(void *value)
{
	aprof_tls.landing = NULL;
	jump_lose();
	real_pthread_exit()(value);
	__builtin_unreachable();
}

void __wrap___pthread_unwind_next(struct buffer *b)
{
	aprof_tls.landing = b->outer;
	jump_lose();
	real___pthread_unwind_next()(b);
	__builtin_unreachable();
}

void __wrap___pthread_register_cancel(struct buffer *b)
{
	real___pthread_register_cancel()(b);
	divert(b);
}

void __wrap___pthread_register_cancel_defer(struct buffer *b)
{
	real___pthread_register_cancel_defer()(b);
	divert(b);
}

#ifdef APROF_MCOUNT
FRONT(pthread_exit);
FRONT(__pthread_unwind_next);
FRONT(__pthread_register_cancel);
FRONT(__pthread_register_cancel_defer);
#endif
