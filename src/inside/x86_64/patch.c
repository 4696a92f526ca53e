/* patch.c - way mcount: the call of gprof's hook in a routine becomes a jump to a copy of the routine's own (mcount.S).
 *
 * A hook that is called must return before anything else returns, so the processor does not expect the routine to return to where
 * it was redirected to, nor, where all leave from one place, that place to lead to the caller: two mispredicted jumps a call.  A copy that is
 * jumped to has neither.
 *
 *     ff 15 slot     call *slot(%rip)     GCC's call in position-independent code: slot holds the hook's address
 *     ff 25 near     jmp *near(%rip)      near, a word of a block that lies in reach, holds the copy's
 *
 *     e8 stub        call stub            in other code: stub is a jump through a slot
 *     e9 jump        jmp jump             jump, in the block behind the words, is a jump through near
 *
 * Invariant: whoever runs the code sees one of the two.  So it is written while the process has no other thread, or by one
 * store to the aligned word that all of it lies in, which processors guarantee; where neither can be, the call stays.
 *
 * While there is no other thread the kernel writes it (/proc/self/mem): the mapping keeps its protection. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "contract/amon.h"
#include "inside/clock/sampler.h"
#include "inside/modules/enrol.h"
#include "inside/modules/module.h"
#include "inside/origin.h"
#include "inside/preload/mcount.h"
#include "inside/sys.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
	CHANGED = 5,				/* bytes of code */
	STUB = 8,				/* bytes of a jump in a block, and of a word */
	WORDS = 2 * COPIES * STUB,		/* bytes of all words of a block, and of all its jumps */
	MOST_ROUTINES = 1 << 16,		/* whose copies are remembered, by their index */
	MOST_BLOCKS = 16,
	STEP = 1 << 22,				/* bytes between two places where a block is tried */
	STEPS = 480,				/* to the end of what a jump reaches */
	LOWEST = 1 << 20,			/* address; below, null pointers go astray */
	PATCHED_NOT = 0xffff,			/* for good */
};

void mcount(void);
void __fentry__(void);

struct copied aprof_mcount_routines[2 * COPIES];

/* What is in reach of some code: the addresses of all copies, and behind them, if somebody wanted them, jumps there. */
static struct block {
	uintptr_t *words;			/* NULL: the block is not made */
	bool has_jumps;				/* the jumps can be used */
} blocks[MOST_BLOCKS];

static uint32_t at_work;			/* somebody is; who comes meanwhile tries another time */
static uint16_t copy_of[MOST_ROUTINES];		/* by index of the routine: number of its copy + 1, 0, PATCHED_NOT */
static uint32_t taken[2] = { 0, 1 };		/* copies for mcount, for __fentry__; the first of those is patch_copy's */

/* ---- code ---- */

/* A call of a hook.  A jump in its place has other bytes than the call in the last CHANGED. */
struct call {
	uintptr_t hook;				/* mcount or __fentry__; 0: there is no call */
	bool is_near;				/* not through memory */
};

/* END and the distance that the four bytes before it say. */
static uintptr_t distant(uintptr_t end)
{
	int32_t distance;

	mem_copy(&distance, (const char *)end - sizeof distance, sizeof distance);
	return end + (uintptr_t)(intptr_t)distance;
}

static uintptr_t patch_word_at(uintptr_t address)
{
	uintptr_t word;

	mem_copy(&word, (const char *)address, sizeof word);
	return word;
}

/* Where the stub of a PLT at ADDRESS jumps to: behind endbr64 and bnd, perhaps, through a slot; 0: it is none. */
static uintptr_t stub_target(uintptr_t address)
{
	const uint8_t *code = (const uint8_t *)address;

	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
		code += 4;
	if (code[0] == 0xf2)
		code++;
	return code[0] == 0xff && code[1] == 0x25 ? patch_word_at(distant((uintptr_t)code + 6)) : 0;
}

/* The call that returns to ROUTINE. */
static struct call call_before(uintptr_t routine)
{
	const uint8_t *code = (const uint8_t *)routine;
	struct call c = { 0, false };

	c.is_near = code[-CHANGED] == 0xe8;
	if (c.is_near)
		c.hook = stub_target(distant(routine));
	else if (code[-6] == 0xff && code[-CHANGED] == 0x15)
		c.hook = patch_word_at(distant(routine));
	if (c.hook != (uintptr_t)mcount && c.hook != (uintptr_t)__fentry__)
		c.hook = 0;
	return c;
}

/* Is ROUTINE, which calls HOOK, like any other?  A nested function pops its static chain behind the call; before the call of mcount a
 * frame is made. */
static bool is_usual(uintptr_t routine, uintptr_t hook)
{
	const uint8_t *code = (const uint8_t *)routine;

	if (hook == (uintptr_t)__fentry__)
		return code[0] != 0x41 || code[1] != 0x5a;
	for (int back = 9; back < 80; back++)
		if (code[-back] == 0x55 && code[1 - back] == 0x48 && code[2 - back] == 0x89 && code[3 - back] == 0xe5)
			return true;
	return false;
}

/* ---- threads ---- */

/* Has the process no thread but this one and our own? */
static bool is_alone(void)
{
	struct stat s;
	long threads;

	if (sys_failed(sys4(newfstatat, AT_FDCWD, "/proc/self/task", &s, 0)))
		return false;
	threads = (long)s.st_nlink - 2;		/* "." and ".." */
	return threads == 1 || (threads == 2 && sampler_is_there());
}

/* Do the SIZE bytes at CODE lie in one aligned word? */
static bool is_in_word(uintptr_t code, size_t size)
{
	return code / 8 == (code + size - 1) / 8;
}

/* ---- writing ---- */

static bool write_alone(uintptr_t code, const uint8_t *bytes, size_t size)
{
	long fd = sys4(openat, AT_FDCWD, "/proc/thread-self/mem", O_RDWR | O_CLOEXEC, 0), n;

	if (sys_failed(fd))
		return false;
	n = sys4(pwrite64, fd, bytes, size, code);
	sys1(close, fd);
	return n == (long)size;
}

/* The whole mapping, so that it stays one. */
static bool write_word(uintptr_t code, const uint8_t *bytes, size_t size)
{
	uint64_t *word = (uint64_t *)(code & -(uintptr_t)8), now;
	uintptr_t low, high;

	if (!module_code(code, &low, &high) || sys_failed(sys3(mprotect, low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC)))
		return false;
	now = *word;
	mem_copy((char *)&now + code % 8, bytes, size);
	__atomic_store_n(word, now, __ATOMIC_RELEASE);
	sys3(mprotect, low, high - low, PROT_READ | PROT_EXEC);
	return true;
}

/* ---- blocks ---- */

static bool is_reached(uintptr_t from, uintptr_t block)
{
	uintptr_t room = (uintptr_t)STEP * STEPS;

	return block - from + room < 2 * room;
}

/* Memory for a block in reach of ROUTINE: below, where heaps do not grow, or else as far above as can be. */
static uintptr_t *block_map(uintptr_t routine)
{
	uintptr_t page = routine & -(uintptr_t)AMON_PAGE;

	for (int i = 1; i < 2 * STEPS - 1; i++) {
		uintptr_t at = i < STEPS ? page - (uintptr_t)i * STEP : page + (uintptr_t)(2 * STEPS - 1 - i) * STEP;
		long got = at - LOWEST < page + (uintptr_t)STEP * STEPS
			? sys6(mmap, at, 2 * WORDS, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) : -1;

		if (sys_failed(got))
			continue;
		if (is_reached(routine, (uintptr_t)got))
			return (uintptr_t *)got;
		sys2(munmap, got, 2 * WORDS);	/* a kernel before 4.17 */
	}
	return NULL;
}

/* A block in reach of ROUTINE, made if need be; NULL: there is none. */
static struct block *block_near(uintptr_t routine)
{
	struct block *b = blocks;

	for (; b < blocks + MOST_BLOCKS && b->words; b++)
		if (is_reached(routine, (uintptr_t)b->words))
			return b;
	if (b < blocks + MOST_BLOCKS)
		b->words = block_map(routine);
	return b < blocks + MOST_BLOCKS && b->words ? b : NULL;
}

/* The jump of COPY in B; 0: the system refuses to run it. */
static uintptr_t block_jump(struct block *b, uint32_t copy)
{
	static const uint8_t jump[STUB] = { 0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc };
	const int32_t distance = -WORDS - 6;
	uint8_t *code = (uint8_t *)b->words + WORDS;

	for (uint8_t *at = code; !b->has_jumps && at < code + WORDS; at += STUB) {
		mem_copy(at, jump, sizeof jump);
		mem_copy(at + 2, &distance, sizeof distance);
	}
	b->has_jumps = b->has_jumps || !sys_failed(sys3(mprotect, code, WORDS, PROT_READ | PROT_EXEC));
	return b->has_jumps ? (uintptr_t)code + copy * STUB : 0;
}

/* ---- copies ---- */

/* The number of the copy of ROUTINE, which calls HOOK and has INDEX; one that is loaded again finds its own. 2 * COPIES: there is none. */
static uint32_t copy_for(uintptr_t routine, uint32_t index, uintptr_t hook)
{
	int kind = hook == (uintptr_t)__fentry__;
	uint32_t copy;

	if (copy_of[index])
		return copy_of[index] - 1;
	if (taken[kind] == COPIES)
		return 2 * COPIES;
	copy = (uint32_t)kind * COPIES + taken[kind]++;
	aprof_mcount_routines[copy].routine = routine;
	copy_of[index] = (uint16_t)(copy + 1);
	return copy;
}

/* Where the jump in the place of CALL leads: the word of COPY in B, or its jump; 0: it cannot be had. */
static uintptr_t jump_target(const struct call *call, struct block *b, uint32_t copy)
{
	__atomic_store_n(&b->words[copy], (uintptr_t)aprof_mcount_copies + copy * COPY_SIZE, __ATOMIC_RELEASE);
	return call->is_near ? block_jump(b, copy) : (uintptr_t)&b->words[copy];
}

static bool patch(uintptr_t routine, uint32_t index, const struct call *call)
{
	uint8_t bytes[CHANGED] = { call->is_near ? 0xe9 : 0x25 };
	uintptr_t code = routine - CHANGED, to;
	bool alone = is_alone(), in_word = is_in_word(code, CHANGED);
	struct block *b = alone || in_word ? block_near(routine) : NULL;
	uint32_t copy = b ? copy_for(routine, index, call->hook) : 2 * COPIES;
	int32_t distance;

	if (copy == 2 * COPIES || !(to = jump_target(call, b, copy)))
		return false;
	distance = (int32_t)((intptr_t)to - (intptr_t)routine);
	mem_copy(bytes + 1, &distance, sizeof distance);
	return (alone && write_alone(code, bytes, CHANGED)) || (in_word && write_word(code, bytes, CHANGED));
}

const char *patch_copy(uintptr_t routine)
{
	aprof_mcount_routines[COPIES].routine = routine;
	return aprof_mcount_copies + COPIES * COPY_SIZE;
}

static bool is_forbidden(void)
{
	static enum { NOT_ASKED, NO, YES } forbidden;
	const char *wish;

	if (forbidden == NOT_ASKED) {
		wish = origin_env("APROF_PATCH");
		forbidden = wish && str_equal(wish, "no") ? YES : NO;
	}
	return forbidden == YES;
}

void patch_routine(uintptr_t routine)
{
	struct call call = is_forbidden() ? (struct call){ 0, false } : call_before(routine);
	uint32_t index = call.hook ? enrol_routine(routine, AMON_ROUTINE_INSIDE) : AMON_NONE;
	uint64_t mask;

	if (index >= MOST_ROUTINES || copy_of[index] == PATCHED_NOT)
		return;
	sys_block_signals(&mask);
	if (!__atomic_exchange_n(&at_work, 1, __ATOMIC_ACQUIRE)) {
		if (call_before(routine).hook && (!is_usual(routine, call.hook) || !patch(routine, index, &call)))
			copy_of[index] = PATCHED_NOT;
		__atomic_store_n(&at_work, 0, __ATOMIC_RELEASE);
	}
	sys_restore_signals(&mask);
}
