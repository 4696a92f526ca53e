/* hook_code.c - tells aprof's instructions from the program's, by where their values come from.
 *
 * The compiler schedules what way inline puts in among the instructions of the routine, so there is no range to mark; what way fentry writes
 * out (compile/written.c) reads and makes the same.  But nothing
 * of the program ever uses a value that the hooks made, and all that the hooks make comes
 *
 *     from the words of the monitor's thread     mov %fs:aprof_tls@tpoff+16, %rsi      mov %fs:16(%rbx), %rsi after mov aprof_tls@gottpoff(%rip), %rbx
 *     from the routine's own address             lea routine(%rip), %rcx
 *     from where it returns to                   mov 8(%rsp), %r8          (code that tells its call sites; the program itself hardly ever reads that)
 *     or from these                              mov 8(%rsi), %rbx; lea (%rbx,%rcx), %rax; imul ...; cmp %rax, 16(%rdx); jne ...
 *
 * So a register is ours after an instruction of ours wrote it, and an instruction is ours that reads such a register.  The code is read
 * once, forward, in the order of its addresses; what is known at a branch is kept for its target, and where ways meet, only what
 * all of them agree on stays.  A value that is saved on the stack and fetched again is not followed: then too few are taken for ours.
 *
 * Plain hooks of way cyg, as Clang's, are passed where the routine is and where it returns to: their calls are ours, and so is what saves and restores
 * the registers that keep both from one call to the next. */
#include "read/symbols/hook_code.h"

#include <assert.h>
#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "read/symbols/hook_words.h"

typedef uint32_t marks;		/* a bit for each general register, and one for the flags */

enum {
	FLAGS = 16,		/* their bit */
	UNKNOWN = -1,		/* no register of interest */
};

#define MARK(bit) (UINT32_C(1) << (bit))
#define NOWHERE UINT32_MAX	/* nothing is known to lead here */

/* Where the return address is, as far as the code from the start of the routine on tells. */
struct returns {
	bool known;		/* the next two are */
	int64_t depth;		/* bytes from the stack pointer up to it */
	bool framed;		/* the frame pointer has the routine's frame, */
	int64_t frame;		/* and is so many bytes below it */
};

struct hook_code {
	const struct binary *binary; /* whose code */
	csh engine;		/* capstone */
	cs_insn *insn;		/* the instruction at hand */
	struct hook_words words; /* where the thread's words are */
	uint64_t start;		/* of the routine, link-time */
	uint64_t end;		/* one past its last byte */
	struct returns returns;	/* at the instruction at hand */
	bool fetches;		/* it has fetched where it returns to */
	bool passes;		/* it has called plain hooks */
	marks held;		/* registers that were ours across a call */
	marks *arriving;	/* by offset in the routine: registers that are ours on all ways that branch there */
	bool *ours;		/* by offset: an instruction of ours begins there */
	size_t room;		/* bytes of code for which both have room */
};

struct hook_code *hook_code_new(const struct binary *b)
{
	struct hook_code *h = b->machine == EM_X86_64 ? calloc(1, sizeof *h) : NULL;

	if (!h)
		return NULL;
	h->binary = b;
	h->words = hook_words_find(b);
	if (hook_words_used(&h->words) && cs_open(CS_ARCH_X86, CS_MODE_64, &h->engine) == CS_ERR_OK
	    && cs_option(h->engine, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK && (h->insn = cs_malloc(h->engine)))
		return h;
	hook_code_free(h);
	return NULL;
}

void hook_code_free(struct hook_code *h)
{
	if (!h)
		return;
	if (h->insn)
		cs_free(h->insn, 1);
	if (h->engine)
		cs_close(&h->engine);
	free(h->arriving);
	free(h->ours);
	free(h);
}

/* ---- registers ---- */

/* Of each general register its four names. */
static const uint16_t registers[FLAGS][5] = {
	{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH }, { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
	{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH }, { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
	{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL }, { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
	{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL }, { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
	{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B }, { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
	{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B }, { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B },
	{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B }, { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B },
	{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B },
};

/* Those that a call leaves as they are. */
static const uint16_t kept[] = { X86_REG_RBX, X86_REG_RBP, X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15 };

static int bit_of(unsigned reg)
{
	if (reg == X86_REG_EFLAGS)
		return FLAGS;
	for (int i = 0; reg != X86_REG_INVALID && i < FLAGS; i++)
		for (int j = 0; j < 5; j++)
			if (registers[i][j] == reg)
				return i;
	return UNKNOWN;
}

static marks marks_of(const uint16_t *regs, size_t n)
{
	marks m = 0;

	for (size_t i = 0; i < n; i++)
		if (bit_of(regs[i]) != UNKNOWN)
			m |= MARK(bit_of(regs[i]));
	return m;
}

/* ---- one instruction ---- */

/* lea of an address in the routine itself: what the hooks call it. */
static bool is_own_address(const struct hook_code *h)
{
	const cs_x86 *x = &h->insn->detail->x86;
	uint64_t address;

	if (h->insn->id != X86_INS_LEA || x->op_count != 2 || x->operands[1].mem.base != X86_REG_RIP)
		return false;
	address = h->insn->address + h->insn->size + (uint64_t)x->operands[1].mem.disp;
	return address >= h->start && address < h->end;
}

/* Fetches where the routine returns to. */
static bool is_call_site(const struct hook_code *h)
{
	const cs_x86_op *from = &h->insn->detail->x86.operands[1];
	const struct returns *r = &h->returns;

	if (!r->known || h->insn->id != X86_INS_MOV || from->type != X86_OP_MEM || from->size != 8 || from->mem.index != X86_REG_INVALID)
		return false;
	return (from->mem.base == X86_REG_RSP && from->mem.disp == r->depth) ||
	       (r->framed && from->mem.base == X86_REG_RBP && from->mem.disp == r->frame);
}

/* What the instruction makes of the stack pointer: it moves down by so many bytes; 0 with *TOLD false: who knows. */
static int64_t moves_down(const cs_insn *insn, bool *told)
{
	const cs_x86_op *op = insn->detail->x86.operands;
	bool by_number = insn->detail->x86.op_count == 2 && op[0].type == X86_OP_REG && op[0].reg == X86_REG_RSP;

	*told = true;
	if (insn->id == X86_INS_PUSH)
		return op[0].size;
	if (insn->id == X86_INS_POP)
		return -(int64_t)op[0].size;
	if (by_number && op[1].type == X86_OP_IMM && (insn->id == X86_INS_SUB || insn->id == X86_INS_ADD))
		return insn->id == X86_INS_SUB ? op[1].imm : -op[1].imm;
	if (by_number && insn->id == X86_INS_LEA && op[1].mem.base == X86_REG_RSP && op[1].mem.index == X86_REG_INVALID)
		return -op[1].mem.disp;
	*told = false;
	return 0;
}

static bool hook_code_is_among(uint16_t reg, const uint16_t *regs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (regs[i] == reg)
			return true;
	return false;
}

/* Follow the stack and frame pointers over the instruction, which writes the N registers WRITTEN. */
static void follow_stack(struct hook_code *h, const uint16_t *written, size_t n)
{
	const cs_insn *insn = h->insn;
	const cs_x86_op *op = insn->detail->x86.operands;
	struct returns *r = &h->returns;
	bool told, is_move = insn->id == X86_INS_MOV && op[0].type == X86_OP_REG && op[1].type == X86_OP_REG;

	if (is_move && op[0].reg == X86_REG_RBP && op[1].reg == X86_REG_RSP) {
		r->framed = r->known;
		r->frame = r->depth;
		return;
	}
	r->framed &= !hook_code_is_among(X86_REG_RBP, written, n);
	if (!hook_code_is_among(X86_REG_RSP, written, n))
		return;
	r->depth += moves_down(insn, &told);
	r->known &= told;
}

/* xor %eax, %eax: reads nothing. */
static bool is_zeroing(const cs_insn *insn)
{
	const cs_x86 *x = &insn->detail->x86;

	return (insn->id == X86_INS_XOR || insn->id == X86_INS_SUB) && x->op_count == 2 && x->operands[0].type == X86_OP_REG
		&& x->operands[1].type == X86_OP_REG && x->operands[0].reg == x->operands[1].reg;
}

static bool hook_code_in_group(const cs_insn *insn, uint8_t group)
{
	for (int i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

static bool hook_code_is_ours(const struct hook_code *h, marks ours, marks reads)
{
	const cs_x86 *x = &h->insn->detail->x86;

	if (is_own_address(h) || is_call_site(h) || (!is_zeroing(h->insn) && reads & ours))
		return true;
	for (int i = 0; i < x->op_count; i++)
		if (hook_words_has(&h->words, h->insn, &x->operands[i]))
			return true;
	return false;
}

/* What is known where the instruction branches to, within the routine. */
static void branch_to(struct hook_code *h, marks ours)
{
	const cs_x86 *x = &h->insn->detail->x86;
	uint64_t to = x->op_count == 1 && x->operands[0].type == X86_OP_IMM ? (uint64_t)x->operands[0].imm : 0;

	if (to > h->insn->address && to < h->end)
		h->arriving[to - h->start] &= ours;
}

/* The registers that are ours behind the instruction, a call: those that it leaves as they are. */
static marks call(struct hook_code *h, marks ours)
{
	bool is_hook = h->fetches && ours & MARK(bit_of(X86_REG_RDI)) && ours & MARK(bit_of(X86_REG_RSI));

	h->ours[h->insn->address - h->start] = is_hook;
	h->passes |= is_hook;
	ours &= marks_of(kept, sizeof kept / sizeof *kept);
	h->held |= ours;
	return ours;
}

/* The registers that are ours behind the instruction; NOWHERE: control does not pass there. */
static marks hook_code_step(struct hook_code *h, marks ours)
{
	cs_insn *insn = h->insn;
	cs_regs read, written;
	uint8_t nread, nwritten;
	marks reads, writes;

	if (cs_regs_access(h->engine, insn, read, &nread, written, &nwritten) != CS_ERR_OK)
		return 0;
	reads = marks_of(read, nread);
	writes = marks_of(written, nwritten);
	if (hook_code_in_group(insn, X86_GRP_CALL))	/* which leaves the stack pointer where it was */
		return call(h, ours);
	h->fetches |= is_call_site(h);
	h->ours[insn->address - h->start] = hook_code_is_ours(h, ours, reads);
	if (h->ours[insn->address - h->start])
		ours |= writes;
	else
		ours &= ~writes;
	follow_stack(h, written, nwritten);
	if (hook_code_in_group(insn, X86_GRP_JUMP))
		branch_to(h, ours);
	if (insn->id != X86_INS_JMP && !hook_code_in_group(insn, X86_GRP_RET))
		return ours;
	h->returns.known = false;
	return NOWHERE;
}

/* ---- a routine ---- */

static bool make_room(struct hook_code *h, size_t n)
{
	if (n > h->room) {
		marks *arriving = reallocarray(h->arriving, n, sizeof *arriving);
		bool *ours = realloc(h->ours, n);

		h->arriving = arriving ? arriving : h->arriving;
		h->ours = ours ? ours : h->ours;
		if (!arriving || !ours)
			return false;
		h->room = n;
	}
	memset(h->arriving, 0xff, n * sizeof *h->arriving);
	memset(h->ours, 0, n);
	return true;
}

/* The registers that plain hooks need are saved and restored for them, in the routine's CODE. */
static void saves_mark(struct hook_code *h, const uint8_t *code)
{
	uint64_t address = h->start;
	size_t left = h->end - h->start;

	while (cs_disasm_iter(h->engine, &code, &left, &address, h->insn)) {
		const cs_x86 *x = &h->insn->detail->x86;
		int bit = (h->insn->id == X86_INS_PUSH || h->insn->id == X86_INS_POP) && x->operands[0].type == X86_OP_REG ? bit_of(x->operands[0].reg) : UNKNOWN;

		if (bit != UNKNOWN && h->held & MARK(bit))
			h->ours[h->insn->address - h->start] = true;
	}
}

bool hook_code_read(struct hook_code *h, uint64_t start, uint64_t end)
{
	size_t length = 0, left;
	const uint8_t *code = end > start ? binary_bytes(h->binary, start, &length) : NULL, *first = code;
	uint64_t address = start;
	marks ours = 0;

	h->start = h->end = start;
	h->fetches = h->passes = false;
	h->held = 0;
	if (!code || length < end - start || !make_room(h, end - start))
		return false;
	h->end = end;
	h->returns = (struct returns){ .known = true };
	for (left = end - start; cs_disasm_iter(h->engine, &code, &left, &address, h->insn);) {
		marks arriving;

		assert(h->insn->address >= start && h->insn->address < end);
		arriving = h->arriving[h->insn->address - start];
		ours = ours == NOWHERE && arriving == NOWHERE ? 0 : ours & arriving;
		ours = hook_code_step(h, ours);
	}
	if (h->passes)
		saves_mark(h, first);
	return true;
}

bool hook_code_has(const struct hook_code *h, uint64_t address)
{
	return address >= h->start && address < h->end && h->ours[address - h->start];
}
