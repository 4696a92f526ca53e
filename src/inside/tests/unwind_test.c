/* unwind_test.c - the unwinder against libgcc's, at every instruction.
 *
 * unwind_work() is run by single steps: after each of its instructions, and of all that it calls in libc and in the dynamic linker,
 * a handler of SIGTRAP walks the stack by both, and each frame must have the same program counter and saved registers.
 * meson.build links this with unwind_work.c compiled by many options.  Then bad data: stacks overwritten at random, and
 * descriptions, must neither lead to a fault nor to an endless walk.  Without cmocka, which has no static library. */
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "inside/modules/module.h"
#include "inside/stacks/unwind.h"

enum { MOST = 256 };

/* libgcc's, whose header has the name of ours. */
enum reason { GO_ON = 0, STOP = 4 };
enum reason _Unwind_Backtrace(enum reason (*visit)(void *frame, void *arg), void *arg);
uintptr_t _Unwind_GetIP(void *frame);
uintptr_t _Unwind_GetGR(void *frame, int reg);

/* ---- what the unwinder stands on ---- */

struct question {
	uintptr_t address;
	struct identity_rules *answer;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct question *q = arg;
	bool is_here = false;
	const ElfW(Phdr) *index = NULL;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		is_here |= p->p_type == PT_LOAD && q->address - info->dlpi_addr - p->p_vaddr < p->p_memsz;
		if (p->p_type == PT_GNU_EH_FRAME)
			index = p;
	}
	if (!is_here)
		return 0;
	*q->answer = (struct identity_rules){ NULL, 0, 0 };
	for (int i = 0; i < info->dlpi_phnum && index; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && index->p_vaddr - p->p_vaddr < p->p_memsz)
			*q->answer = (struct identity_rules){ (const void *)(info->dlpi_addr + index->p_vaddr),
							    info->dlpi_addr + p->p_vaddr, info->dlpi_addr + p->p_vaddr + p->p_filesz };
	}
	return 1;
}

bool module_rules(uintptr_t address, struct identity_rules *rules)
{
	struct question q = { address, rules };

	return dl_iterate_phdr(visit_module, &q);
}

uint32_t module_epoch(void) { return 0; }

/* ---- the walks ---- */

struct frame {
	uintptr_t reg[UNWIND_REGISTERS];
	uint32_t known;
};

/* Not rsp: libgcc tells the CFA in its place, which in longjmp is another address. */
static const int compared[] = { UNWIND_RIP, UNWIND_RBX, UNWIND_RBP, 12, 13, 14, 15 };
static struct frame theirs[MOST];
static int ntheirs;
static uintptr_t begin_at;		/* program counter of the frame that is to be the first */
static int skipped;			/* frames with the same before it: where signal handlers return to, our own does, too */

static enum reason visit(void *c, void *unused)
{
	struct frame *f = &theirs[ntheirs];

	(void)unused;
	if (!ntheirs && (_Unwind_GetIP(c) != begin_at || skipped-- > 0))
		return GO_ON;
	if (ntheirs == MOST || !_Unwind_GetIP(c))
		return STOP;
	for (size_t i = 1; i < sizeof compared / sizeof *compared; i++)
		f->reg[compared[i]] = _Unwind_GetGR(c, compared[i]);
	f->reg[UNWIND_RIP] = _Unwind_GetIP(c);
	ntheirs++;
	return GO_ON;
}

static long stacks, frames, differing, results[UNWIND_MALFORMED + 1];
static char first_difference[512];

static void differ(const char *what, int n, const struct unwind *u, uintptr_t wanted)
{
	if (!differing++)
		snprintf(first_difference, sizeof first_difference, "%s of frame %d at %#lx (top %#lx): wanted %#lx", what, n,
			 u->reg[UNWIND_RIP], begin_at, wanted);
}

static void compare(const struct unwind *u, int n)
{
	const struct frame *f = &theirs[n];

	frames++;
	for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
		int reg = compared[i];

		if (u->known >> reg & 1 && u->reg[reg] != f->reg[reg]) {
			differ(reg == UNWIND_RIP ? "rip" : "a register", n, u, f->reg[reg]);
			return;
		}
	}
}

/* libgcc reads what a description says without a look whether it can; there are wrong ones. */
static sigjmp_buf fault;
static volatile bool may_fault;
static long faults;

static void on_fault(int sig)
{
	if (may_fault)
		siglongjmp(fault, 1);
	signal(sig, SIG_DFL);
}

static bool walk_theirs(uintptr_t pc)
{
	ntheirs = 0;
	begin_at = pc;
	skipped = !memcmp((const void *)pc, "\x48\xc7\xc0\x0f", 4);
	if (sigsetjmp(fault, 1)) {
		may_fault = false;
		faults++;
		return false;
	}
	may_fault = true;
	_Unwind_Backtrace(visit, NULL);
	may_fault = false;
	return true;
}

/* Where libgcc ends, so must we; every second walk remembers. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	static struct unwind_cache cache;
	enum unwind_result result = UNWIND_STEPPED;
	struct unwind u;
	int n = 0;

	(void)sig;
	(void)info;
	unwind_interrupted(&u, context, stacks % 2 ? &cache : NULL);
	if (!walk_theirs(u.reg[UNWIND_RIP])) {
		while (unwind_step(&u) == UNWIND_STEPPED)
			;
		return;
	}
	for (; n < ntheirs && result == UNWIND_STEPPED; n++) {
		compare(&u, n);
		result = unwind_step(&u);
	}
	stacks++;
	results[result]++;
	if (n != ntheirs)
		differ("end", n, &u, theirs[n].reg[UNWIND_RIP]);
	else if (result == UNWIND_STEPPED)
		differ("what is above the last", n, &u, 0);
}

/* ---- the work, by single steps ---- */

void unwind_work(void (*begin_steps)(void), void (*end_steps)(void));

void begin_steps(void);
void end_steps(void);
#define TRAP_FLAG(name, instruction) \
	__asm__(".text\n" #name ":\n.cfi_startproc\npushfq\n.cfi_adjust_cfa_offset 8\n" instruction ", (%rsp)\n" \
		"popfq\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n")
TRAP_FLAG(begin_steps, "orl $0x100");
TRAP_FLAG(end_steps, "andl $~0x100");

static bool test_each_instruction(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	_Unwind_Backtrace(visit, NULL);
	sigaction(SIGTRAP, &action, NULL);
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	unwind_work(begin_steps, end_steps);
	printf("%ld stacks, %ld frames; %ld ended, %ld without a description; libgcc faults at %ld\n", stacks, frames,
	       results[UNWIND_END], results[UNWIND_NO_RULES], faults);
	if (differing)
		printf("%ld differ: %s\n", differing, first_difference);
	return !differing && stacks > 1000 && !results[UNWIND_UNREADABLE] && !results[UNWIND_MALFORMED];
}

/* ---- bad data ---- */

static uint64_t seed = 1;

static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void walk(struct unwind *u)
{
	for (long n = 0; unwind_step(u) == UNWIND_STEPPED; n++)
		if (n > 1 << 20) {
			printf("a walk does not end\n");
			exit(1);
		}
}

static __attribute__((noinline)) void deeper(int n, void (*then)(void))
{
	volatile char room[100];

	room[n] = (char)n;
	if (n)
		deeper(n - 1, then);
	else
		then();
	room[n + 1] = room[n];
}

static void walk_wrong_registers(void)
{
	struct unwind right, u;

	unwind_here(&right);
	for (int i = 0; i < 20000; i++) {
		u = right;
		u.reg[random_next() % UNWIND_REGISTERS] = random_next() >> random_next() % 64;
		u.reg[random_next() % UNWIND_REGISTERS] += (intptr_t)(random_next() % 4096) - 2048;
		unwind_begin(&u);
		walk(&u);
	}
}

/* The program's own descriptions, overwritten where they are. */
static void walk_wrong_rules(void)
{
	struct identity_rules mine;
	struct unwind right, u;
	uint8_t *table;
	size_t size;

	if (!module_rules((uintptr_t)walk_wrong_rules, &mine) || !mine.index)
		exit(1);
	table = (uint8_t *)mine.index;
	size = mine.high - (uintptr_t)table;
	mprotect((void *)(mine.low & -4096ul), mine.high - (mine.low & -4096ul), PROT_READ | PROT_WRITE | PROT_EXEC);
	unwind_here(&right);
	for (int i = 0; i < 20000; i++) {
		struct { size_t at; uint8_t was; } changed[8];

		for (int n = 0; n < 8; n++) {
			changed[n].at = random_next() % size;
			changed[n].was = table[changed[n].at];
			table[changed[n].at] = (uint8_t)random_next();
		}
		u = right;
		unwind_begin(&u);
		walk(&u);
		for (int n = 8; n-- > 0;)
			table[changed[n].at] = changed[n].was;
	}
}

int main(void)
{
	if (!test_each_instruction())
		return 1;
	deeper(20, walk_wrong_registers);
	deeper(20, walk_wrong_rules);
	return 0;
}
