/* patch.c - way mcount: the call of gprof's hook in a routine becomes a jump to a copy of the routine's own (mcount.S).
 *
 * A hook that is called must return before anything else returns, so the processor does not expect the routine to return to where
 * it was redirected to, nor, where all leave from one place, that place to lead to the caller: two mispredicted jumps a call.  A copy that is
 * jumped to has neither.
 *
 *     ff 15 slot     call *slot(%rip)     GCC's call in position-independent code: slot holds the hook's address
 *     ff 25 near     jmp *near(%rip)      near, a word of a block that lies in reach, holds the copy's
 *
 * Invariant: whoever runs the code sees one of the two.  So it is written while the process has no other thread, or by one
 * store to the aligned word that all of it lies in, which processors guarantee; where neither can be, the call stays.
 *
 * While there is no other thread the kernel writes it (/proc/self/mem): the mapping keeps its protection. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "clock.h"
#include "mcount.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
	CALL = 6,				/* bytes */
	MOST_ROUTINES = 1 << 16,		/* whose copies are remembered, by their index */
	MOST_BLOCKS = 16,
	STEP = 1 << 22,				/* bytes between two places where a block is tried */
	STEPS = 480,				/* to the end of what a jump reaches */
	PATCHED_NOT = 0xffff,			/* for good */
};

void mcount(void);
void __fentry__(void);

struct copied aprof_mcount_routines[2 * COPIES];

/* Addresses of all copies, in reach of some code. */
static uintptr_t *blocks[MOST_BLOCKS];

static uint32_t at_work;			/* somebody is; who comes meanwhile tries another time */
static uint16_t copy_of[MOST_ROUTINES];		/* by index of the routine: number of its copy + 1, 0, PATCHED_NOT */
static uint32_t taken[2] = { 0, 1 };		/* copies for mcount, for __fentry__; the first of those is patch_copy's */

/* ---- code ---- */

/* The hook that the CALL bytes before ROUTINE call through a word in memory; NULL: no such call. */
static void (*hook_called(uintptr_t routine))(void)
{
	const uint8_t *code = (const uint8_t *)routine - CALL;
	int32_t distance;
	uintptr_t hook;

	if (code[0] != 0xff || code[1] != 0x15)
		return NULL;
	mem_copy(&distance, code + 2, sizeof distance);
	mem_copy(&hook, (const char *)routine + distance, sizeof hook);
	return hook == (uintptr_t)mcount ? mcount : hook == (uintptr_t)__fentry__ ? __fentry__ : NULL;
}

/* Is ROUTINE, which calls HOOK, like any other?  A nested function pops its static chain behind the call; before the call of mcount a
 * frame is made. */
static bool is_usual(uintptr_t routine, void (*hook)(void))
{
	const uint8_t *code = (const uint8_t *)routine;

	if (hook == __fentry__)
		return code[0] != 0x41 || code[1] != 0x5a;
	for (int back = CALL + 4; back < 80; back++)
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
	long fd = sys4(openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC, 0), n;

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

/* ---- the words in reach ---- */

static bool is_reached(uintptr_t from, const uintptr_t *block)
{
	uintptr_t room = (uintptr_t)STEP * STEPS;

	return (uintptr_t)block - from + room < 2 * room;
}

/* A block in reach of ROUTINE, made if need be: below, where heaps do not grow, or else as far above as can be. */
static uintptr_t *block_near(uintptr_t routine)
{
	size_t size = sizeof(uintptr_t) * 2 * COPIES;
	uintptr_t page = routine & -(uintptr_t)AMON_PAGE;
	int n = 0;

	for (; n < MOST_BLOCKS && blocks[n]; n++)
		if (is_reached(routine, blocks[n]))
			return blocks[n];
	for (int i = 1; n < MOST_BLOCKS && i < 2 * STEPS - 1; i++) {
		uintptr_t at = i < STEPS ? page - (uintptr_t)i * STEP : page + (uintptr_t)(2 * STEPS - 1 - i) * STEP;
		long got = sys6(mmap, at, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

		if (sys_failed(got))
			continue;
		if (is_reached(routine, (uintptr_t *)got))
			return blocks[n] = (uintptr_t *)got;
		sys2(munmap, got, size);	/* a kernel before 4.17 */
	}
	return NULL;
}

/* ---- copies ---- */

/* The number of the copy of ROUTINE, which calls HOOK and has INDEX; one that is loaded again finds its own. 2 * COPIES: there is none. */
static uint32_t copy_for(uintptr_t routine, uint32_t index, void (*hook)(void))
{
	int kind = hook == __fentry__;
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

static bool patch(uintptr_t routine, uint32_t index, void (*hook)(void))
{
	uintptr_t code = routine - CALL + 1, *block;
	bool alone = is_alone();
	uint32_t copy;
	uint8_t bytes[CALL - 1] = { 0x25 };
	int32_t distance;

	if ((!alone && !is_in_word(code, sizeof bytes)) || !(block = block_near(routine)) ||
	    (copy = copy_for(routine, index, hook)) == 2 * COPIES)
		return false;
	__atomic_store_n(&block[copy], (uintptr_t)aprof_mcount_copies + copy * COPY_SIZE, __ATOMIC_RELEASE);
	distance = (int32_t)((intptr_t)&block[copy] - (intptr_t)routine);
	mem_copy(bytes + 1, &distance, sizeof distance);
	return (alone && write_alone(code, bytes, sizeof bytes)) ||
	       (is_in_word(code, sizeof bytes) && write_word(code, bytes, sizeof bytes));
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
		wish = process_env("APROF_PATCH");
		forbidden = wish && str_equal(wish, "no") ? YES : NO;
	}
	return forbidden == YES;
}

void patch_routine(uintptr_t routine)
{
	void (*hook)(void) = is_forbidden() ? NULL : hook_called(routine);
	uint32_t index = hook ? routine_index(routine, AMON_ROUTINE_INSIDE) : AMON_NONE;
	uint64_t mask;

	if (index >= MOST_ROUTINES || copy_of[index] == PATCHED_NOT)
		return;
	sys_block_signals(&mask);
	if (!__atomic_exchange_n(&at_work, 1, __ATOMIC_ACQUIRE)) {
		if (hook_called(routine) && (!is_usual(routine, hook) || !patch(routine, index, hook)))
			copy_of[index] = PATCHED_NOT;
		__atomic_store_n(&at_work, 0, __ATOMIC_RELEASE);
	}
	sys_restore_signals(&mask);
}
