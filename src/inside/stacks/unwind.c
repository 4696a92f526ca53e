/* unwind.c - one step up the machine stack.
 *
 * A frame's description (describe.c), its own part (FDE) and what it has in common with others (CIE), is instructions that make, line
 * after line, the rules by which the caller's registers are had from the frame's: DWARF 5, section 6.4, as the x86-64 ABI and
 * the Linux Standard Base have it. */
#include "inside/stacks/unwind.h"

#include <dwarf.h>
#include <signal.h>
#include <ucontext.h>

#include "inside/modules/module.h"
#include "inside/stacks/describe.h"
#include "inside/stacks/expression.h"
#include "inside/stacks/peek.h"
#include "inside/stacks/reader.h"
#include "inside/sys.h"

enum {
	DEEPEST = 3,			/* rules remembered within one another */
	PIECES = 1024,			/* of a split stack, or stacks that lead to one another, in one walk */
	STANDING = 4,			/* steps one after another that leave the stack pointer as it is, as way mcount's own frames do */
	NEAR_WORDS = 16,		/* in which code without a description has its return address, as a rule */
};

/* Registers that calls leave as they are. */
#define KEPT (1u << UNWIND_RBX | 1u << UNWIND_RBP | 0xfu << UNWIND_R12)

/* ---- what is known from before ---- */

static uintptr_t unwind_code_of(const struct unwind *u) { return u->reg[UNWIND_RIP] - !u->interrupted; }

/* Where in U's cache what is known of PC stands. */
static struct unwind_place *unwind_place_of(const struct unwind *u, uintptr_t pc)
{
	return &u->cache->places[(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) % UNWIND_PLACES];
}

/* Set the description of U's frame, if there is one. */
static void unwind_look(struct unwind *u)
{
	uintptr_t pc = unwind_code_of(u);
	const struct unwind_place *p = u->cache ? unwind_place_of(u, pc) : NULL;

	u->start = u->end = 0;
	u->rules = (struct unwind_rules){ .is_signal = false };
	u->line = NULL;
	if (!p || p->pc != pc || p->epoch != module_epoch()) {
		describe_code(u, pc);
		return;
	}
	u->start = p->start;
	u->end = p->end;
	u->rules = p->rules;
	u->line = &p->line;
}

/* LINE was made for U's frame. */
static void remember_place(const struct unwind *u, const struct unwind_line *line)
{
	if (u->cache)
		*unwind_place_of(u, unwind_code_of(u)) = (struct unwind_place){ .pc = unwind_code_of(u), .epoch = module_epoch(), .start = u->start,
			.end = u->end,
								  .rules = u->rules, .line = *line };
}

/* ---- the rules of a line ---- */

enum how {
	SAME,				/* as the frame has it, if calls leave it alone; else unknown */
	UNDEFINED,
	OFFSET,				/* in memory, so many bytes from the CFA */
	VAL_OFFSET,			/* so many bytes from the CFA itself */
	REGISTER,			/* in another register */
	EXPRESSION,			/* in memory, at an address that is to be computed */
	VAL_EXPRESSION,			/* to be computed itself */
};

/* The instructions of a frame at work. */
struct execution {
	const struct unwind_rules *rules;
	struct unwind_line now;		/* the line that is made */
	struct unwind_line initial;		/* what the CIE's have made */
	struct unwind_line kept[DEEPEST];	/* remembered */
	unsigned nkept;
	uintptr_t at, until;		/* code that the line is for; code that is asked for */
};

static void unwind_set(struct execution *x, struct reader *r, uint64_t reg, enum how how, int64_t value)
{
	if (!r->at || reg >= UNWIND_REGISTERS)	/* a vector register, say */
		return;
	x->now.how[reg] = (uint8_t)how;
	x->now.value[reg] = value;
}

/* The expression at R; it becomes its end. */
static intptr_t read_expression(struct reader *r)
{
	intptr_t at = (intptr_t)r->at;

	read_skip(r, read_uleb(r));
	return at;
}

static void set_cfa(struct execution *x, struct reader *r, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGISTERS) {
		reader_fail(r);
		return;
	}
	x->now.cfa_register = (uint8_t)reg;
	x->now.cfa = offset;
}

/* Only where the CFA is a register and an offset can one of them be set. */
static void change_cfa(struct execution *x, struct reader *r, uint64_t reg, int64_t offset)
{
	if (x->now.cfa_register == UNWIND_REGISTERS)
		reader_fail(r);
	set_cfa(x, r, reg, offset);
}

static void restore(struct execution *x, struct reader *r, uint64_t reg)
{
	if (reg < UNWIND_REGISTERS)
		unwind_set(x, r, reg, x->initial.how[reg], x->initial.value[reg]);
}

static void unwind_remember(struct execution *x, struct reader *r)
{
	if (x->nkept < DEEPEST)
		x->kept[x->nkept++] = x->now;
	else
		reader_fail(r);
}

static void unwind_recall(struct execution *x, struct reader *r)
{
	if (x->nkept)
		x->now = x->kept[--x->nkept];
	else
		reader_fail(r);
}

/* The instructions that are a byte with what they work on behind it. */
static void instruct(struct execution *x, struct reader *r, uint8_t op)
{
	int64_t unit = x->rules->data_unit;
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop: break;
	case DW_CFA_advance_loc1: x->at += read_fixed(r, 1) * x->rules->code_unit; break;
	case DW_CFA_advance_loc2: x->at += read_fixed(r, 2) * x->rules->code_unit; break;
	case DW_CFA_advance_loc4: x->at += read_fixed(r, 4) * x->rules->code_unit; break;
	case DW_CFA_offset_extended: reg = read_uleb(r); unwind_set(x, r, reg, OFFSET, (int64_t)read_uleb(r) * unit); break;
	case DW_CFA_restore_extended: restore(x, r, read_uleb(r)); break;
	case DW_CFA_undefined: unwind_set(x, r, read_uleb(r), UNDEFINED, 0); break;
	case DW_CFA_same_value: unwind_set(x, r, read_uleb(r), SAME, 0); break;
	case DW_CFA_register: reg = read_uleb(r); unwind_set(x, r, reg, REGISTER, (int64_t)read_uleb(r)); break;
	case DW_CFA_remember_state: unwind_remember(x, r); break;
	case DW_CFA_restore_state: unwind_recall(x, r); break;
	case DW_CFA_def_cfa: reg = read_uleb(r); set_cfa(x, r, reg, (int64_t)read_uleb(r)); break;
	case DW_CFA_def_cfa_register: change_cfa(x, r, read_uleb(r), x->now.cfa); break;
	case DW_CFA_def_cfa_offset: change_cfa(x, r, x->now.cfa_register, (int64_t)read_uleb(r)); break;
	case DW_CFA_def_cfa_expression: x->now.cfa_register = UNWIND_REGISTERS; x->now.cfa = read_expression(r); break;
	case DW_CFA_expression: reg = read_uleb(r); unwind_set(x, r, reg, EXPRESSION, read_expression(r)); break;
	case DW_CFA_offset_extended_sf: reg = read_uleb(r); unwind_set(x, r, reg, OFFSET, read_sleb(r) * unit); break;
	case DW_CFA_def_cfa_sf: reg = read_uleb(r); set_cfa(x, r, reg, read_sleb(r) * unit); break;
	case DW_CFA_def_cfa_offset_sf: change_cfa(x, r, x->now.cfa_register, read_sleb(r) * unit); break;
	case DW_CFA_val_offset: reg = read_uleb(r); unwind_set(x, r, reg, VAL_OFFSET, (int64_t)read_uleb(r) * unit); break;
	case DW_CFA_val_offset_sf: reg = read_uleb(r); unwind_set(x, r, reg, VAL_OFFSET, read_sleb(r) * unit); break;
	case DW_CFA_val_expression: reg = read_uleb(r); unwind_set(x, r, reg, VAL_EXPRESSION, read_expression(r)); break;
	case DW_CFA_GNU_args_size: read_uleb(r); break;		/* size of arguments */
	case DW_CFA_GNU_negative_offset_extended: reg = read_uleb(r); unwind_set(x, r, reg, OFFSET, -(int64_t)read_uleb(r) * unit); break;
	default: reader_fail(r);
	}
}

/* Make the lines of the instructions AT .. END, up to the one that is asked for. False: they are malformed. */
static bool unwind_execute(struct execution *x, const uint8_t *at, const uint8_t *end)
{
	struct reader r = { at, end };

	while (r.at < r.end) {
		uint8_t op = (uint8_t)read_fixed(&r, 1);
		unsigned low = op & 0x3f;

		switch (op >> 6) {
		case DW_CFA_advance_loc >> 6: x->at += low * x->rules->code_unit; break;
		case DW_CFA_offset >> 6: unwind_set(x, &r, low, OFFSET, (int64_t)read_uleb(&r) * x->rules->data_unit); break;
		case DW_CFA_restore >> 6: restore(x, &r, low); break;
		default: instruct(x, &r, op);
		}
		if (r.at && x->at > x->until)
			return true;
	}
	return r.at != NULL;
}

/* ---- a step ---- */

/* The caller's register REG, as LINE says, of a frame whose CFA is known.  False: it cannot be had. */
static bool caller_register(struct unwind *u, const struct unwind_line *l, int reg, uintptr_t cfa, uintptr_t *value)
{
	intptr_t is = l->value[reg];
	uintptr_t at;

	switch (l->how[reg]) {
	case OFFSET: return peek_word(u, cfa + (uintptr_t)is, value);
	case VAL_OFFSET: *value = cfa + (uintptr_t)is; return true;
	case REGISTER:
		if (is >= UNWIND_REGISTERS || !(u->known >> is & 1))
			return false;
		*value = u->reg[is];
		return true;
	case EXPRESSION: return expression_value(u, (const uint8_t *)is, true, cfa, &at) && peek_word(u, at, value);
	case VAL_EXPRESSION: return expression_value(u, (const uint8_t *)is, true, cfa, value);
	default: *value = u->reg[reg]; return u->known >> reg & 1;
	}
}

/* Make the line for UNTIL in the code of U's frame. */
static bool make_line(const struct unwind *u, struct execution *x, uintptr_t until)
{
	x->rules = &u->rules;
	x->nkept = 0;
	x->at = 0;
	x->until = UINTPTR_MAX;
	mem_zero(&x->now, sizeof x->now);
	mem_zero(&x->initial, sizeof x->initial);
	if (!unwind_execute(x, u->rules.cie, u->rules.cie_end))
		return false;
	x->initial = x->now;
	x->at = u->start;
	x->until = until;
	return unwind_execute(x, u->rules.fde, u->rules.fde_end);
}

static bool find_cfa(struct unwind *u, const struct unwind_line *l, uintptr_t *cfa)
{
	if (l->cfa_register == UNWIND_REGISTERS)
		return expression_value(u, (const uint8_t *)l->cfa, false, 0, cfa);
	*cfa = u->reg[l->cfa_register] + (uintptr_t)l->cfa;
	return u->known >> l->cfa_register & 1;
}

/* Is RSP where the stack pointer of U's caller can be? Higher, but for another piece of stack, which is lower than what was seen of this one. */
static bool is_progress(struct unwind *u, uintptr_t rsp)
{
	uintptr_t now = u->reg[UNWIND_RSP];

	if (rsp > now) {
		u->standing = 0;
		return rsp - now >= sizeof rsp;
	}
	if (rsp == now)
		return ++u->standing <= STANDING;
	if (rsp >= u->piece || ++u->pieces > PIECES)
		return false;
	u->piece = rsp;
	return true;
}

/* U is left for a frame with the registers REG, those KNOWN. */
static enum unwind_result step_to(struct unwind *u, const uintptr_t *reg, uint32_t known, bool interrupted)
{
	if (!reg[UNWIND_RIP])
		return UNWIND_END;
	if (!is_progress(u, reg[UNWIND_RSP]))
		return UNWIND_MALFORMED;
	mem_copy(u->reg, reg, sizeof u->reg);
	u->known = known;
	u->interrupted = interrupted;
	unwind_look(u);
	return UNWIND_STEPPED;
}

/* The bytes of mov $15, %rax; syscall. */
bool unwind_is_signal_return(struct unwind *u)
{
	uintptr_t first, last;

	return peek_memory(u, u->reg[UNWIND_RIP], 8, &first) && first == 0x0f0000000fc0c748 &&
	       peek_memory(u, u->reg[UNWIND_RIP] + 8, 1, &last) && last == 0x05;
}

/* Where the DWARF registers are among those of a ucontext. */
static const uint8_t places[UNWIND_REGISTERS] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
	REG_R14, REG_R15, REG_RIP,
};

static enum unwind_result step_signal(struct unwind *u)
{
	uintptr_t reg[UNWIND_REGISTERS], at = u->reg[UNWIND_RSP] + offsetof(ucontext_t, uc_mcontext.gregs);

	for (int i = 0; i < UNWIND_REGISTERS; i++)
		if (!peek_word(u, at + places[i] * sizeof *reg, &reg[i]))
			return UNWIND_UNREADABLE;
	return step_to(u, reg, (1u << UNWIND_REGISTERS) - 1, true);
}

/* How long the call by register or memory is whose bytes are the low ones of CODE; 0: it is none. */
static int unwind_length_of_call(uintptr_t code)
{
	unsigned mode = code >> 14 & 3, place = code >> 8 & 7;
	bool indexed = mode != 3 && place == 4;

	if ((code & 0x38ff) != 0x10ff)		/* ff /2 */
		return 0;
	if (mode == 0)
		return 2 + indexed + (place == 5 || (indexed && (code >> 16 & 7) == 5) ? 4 : 0);
	return 2 + indexed + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

/* Is the instruction before the one at ADDRESS a call? */
static bool is_behind_call(struct unwind *u, uintptr_t address)
{
	enum { BYTES = 8, LONGEST = 7, DIRECT = 5 };
	uintptr_t word;

	if (!peek_memory(u, address - BYTES, BYTES, &word))
		return false;
	if ((word >> 8 * (BYTES - DIRECT) & 0xff) == 0xe8)
		return true;
	for (int size = 2; size <= LONGEST; size++)
		if (unwind_length_of_call(word >> 8 * (BYTES - size)) == size)
			return true;
	return false;
}

/* Is that a call by a register? */
static bool is_behind_register_call(struct unwind *u, uintptr_t address)
{
	uintptr_t bytes;

	return peek_memory(u, address - 2, 2, &bytes) && (bytes & 0xf8ff) == 0xd0ff;
}

/* Is there an address of code with a description, behind a call, right above U's stack pointer?  Then U's frame has a caller, whatever rbp says. */
static bool unwind_has_caller(struct unwind *u)
{
	for (unsigned i = 0; i < NEAR_WORDS; i++) {
		struct unwind caller = { .interrupted = false };

		if (!peek_word(u, u->reg[UNWIND_RSP] + i * sizeof *u->reg, &caller.reg[UNWIND_RIP]))
			return false;
		unwind_begin(&caller);
		if (caller.start && is_behind_call(u, caller.reg[UNWIND_RIP]))
			return true;
	}
	return false;
}

/* ---- notes ---- */

static void note_word(struct unwind_notes *n, struct unwind_word word)
{
	if (n->n == UNWIND_READS)
		n->fails = true;
	else
		n->words[n->n++] = word;
}

/* The rbp that the walk has come to decides where it goes on. */
static void note_rbp(struct unwind_notes *n)
{
	if (n->rbp.at)
		note_word(n, n->rbp);
	n->needs_rbp |= !n->rbp.at;
	n->fails |= n->rbp_is_odd;
}

/* By L, whose CFA is that, U's step leads to a frame with the registers REG. */
static void note_step(const struct unwind *u, const struct unwind_line *l, uintptr_t cfa, const uintptr_t *reg)
{
	struct unwind_notes *n = u->notes;

	if (l->cfa_register == UNWIND_RBP)
		note_rbp(n);
	n->fails |= l->cfa_register != UNWIND_RBP && l->cfa_register != UNWIND_RSP;
	n->fails |= l->how[UNWIND_RSP] != SAME || l->how[u->rules.returns] != OFFSET;
	note_word(n, (struct unwind_word){ cfa + (uintptr_t)l->value[u->rules.returns], reg[UNWIND_RIP] });
	if (l->how[UNWIND_RBP] == SAME)
		return;
	n->rbp = (struct unwind_word){ cfa + (uintptr_t)l->value[UNWIND_RBP], reg[UNWIND_RBP] };
	n->rbp_is_odd = l->how[UNWIND_RBP] != OFFSET;
}

/* ---- where stacks begin ---- */

/* Does a stack begin with U's frame, which has no description?  Who makes a stack for a fiber lets its first routine return to nothing, to where no call
 * stands, or to a few instructions of assembly that have called it by a register. */
static bool unwind_begins_stack(struct unwind *u)
{
	struct identity_rules rules;

	if (u->interrupted)
		return false;
	return !is_behind_call(u, u->reg[UNWIND_RIP]) ||
	       (is_behind_register_call(u, u->reg[UNWIND_RIP]) && module_rules(unwind_code_of(u), &rules) && !unwind_has_caller(u));
}

/* The same with a description, which is of what stands before the function that it returns to. */
static bool returns_to_function(struct unwind *u)
{
	return u->reg[UNWIND_RIP] == u->end && !u->interrupted && !is_behind_call(u, u->end);
}

/* There is no description: what the ABI says of the outermost frame may tell that one; but in code that is at work rbp is a register as any other. */
static enum unwind_result step_blind(struct unwind *u)
{
	if (u->notes)
		u->notes->fails = true;
	if (unwind_is_signal_return(u))
		return step_signal(u);
	if (unwind_begins_stack(u))
		return UNWIND_END;
	u->guessed = !u->interrupted && u->known >> UNWIND_RBP & 1 && !u->reg[UNWIND_RBP] && !unwind_has_caller(u);
	return u->guessed ? UNWIND_END : UNWIND_NO_RULES;
}

static enum unwind_result step_by(struct unwind *u, const struct unwind_line *l)
{
	uintptr_t reg[UNWIND_REGISTERS], cfa;
	uint32_t known = 1u << UNWIND_RSP, kept = u->rules.is_signal ? ~0u : KEPT, returns = u->rules.returns;

	if (l->how[returns] == UNDEFINED)
		return UNWIND_END;
	if (l->how[returns] == SAME || (l->how[returns] == REGISTER && l->value[returns] == UNWIND_RIP))
		return UNWIND_MALFORMED;
	if (!find_cfa(u, l, &cfa))
		return UNWIND_UNREADABLE;
	for (int i = 0; i < UNWIND_REGISTERS; i++) {
		bool wanted = l->how[i] == SAME ? kept >> i & 1 : l->how[i] != UNDEFINED;

		if (i == UNWIND_RSP && l->how[i] == SAME)
			reg[i] = cfa;
		else if (!wanted)
			reg[i] = 0;
		else if (caller_register(u, l, i, cfa, &reg[i]))
			known |= 1u << i;
		else if (i == UNWIND_RSP || i == UNWIND_RIP)
			return UNWIND_UNREADABLE;
	}
	if (!caller_register(u, l, (int)returns, cfa, &reg[UNWIND_RIP]))
		return UNWIND_UNREADABLE;
	if (u->notes)
		note_step(u, l, cfa, reg);
	return step_to(u, reg, known | 1u << UNWIND_RIP, u->rules.is_signal);
}

enum unwind_result unwind_step(struct unwind *u)
{
	struct execution x;

	if (!u->rules.cie)
		return step_blind(u);
	if (returns_to_function(u))
		return UNWIND_END;
	if (u->line)
		return step_by(u, u->line);
	if (!make_line(u, &x, unwind_code_of(u)))
		return UNWIND_MALFORMED;
	remember_place(u, &x.now);
	return step_by(u, &x.now);
}

/* Where a routine begins nothing but the return address is on the stack. */
bool unwind_is_part(const struct unwind *u)
{
	struct execution x;

	return u->rules.cie && !u->rules.is_signal && make_line(u, &x, u->start) && (x.now.cfa_register != UNWIND_RSP || x.now.cfa != sizeof u->start);
}

static void stacks_unwind_begin(struct unwind *u, struct unwind_cache *cache)
{
	u->cache = cache;
	u->notes = NULL;
	u->page = 1;
	u->piece = u->reg[UNWIND_RSP];
	u->pieces = u->standing = 0;
	u->guessed = false;
	unwind_look(u);
}

void unwind_begin(struct unwind *u) { stacks_unwind_begin(u, NULL); }

void unwind_interrupted(struct unwind *u, const void *ucontext, struct unwind_cache *cache)
{
	const greg_t *from = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	for (int i = 0; i < UNWIND_REGISTERS; i++)
		u->reg[i] = (uintptr_t)from[places[i]];
	u->known = (1u << UNWIND_REGISTERS) - 1;
	u->interrupted = true;
	stacks_unwind_begin(u, cache);
}

/* unwind_here(): the registers that calls leave alone, and those that the return will set. */
__asm__(
	".text\n"
	".globl unwind_here\n"
	".hidden unwind_here\n"
	".type unwind_here, @function\n"
	".p2align 4\n"
	"unwind_here:\n"
	".cfi_startproc\n"
	"endbr64\n"
	"movq %rbx, 24(%rdi)\n"
	"movq %rbp, 48(%rdi)\n"
	"leaq 8(%rsp), %rax\n"
	"movq %rax, 56(%rdi)\n"
	"movq %r12, 96(%rdi)\n"
	"movq %r13, 104(%rdi)\n"
	"movq %r14, 112(%rdi)\n"
	"movq %r15, 120(%rdi)\n"
	"movq (%rsp), %rax\n"
	"movq %rax, 128(%rdi)\n"
	"movl $0x1f0c8, 136(%rdi)\n"
	"movb $0, 140(%rdi)\n"
	"jmp unwind_begin\n"
	".cfi_endproc\n"
	".size unwind_here, .-unwind_here\n");
_Static_assert(offsetof(struct unwind, reg) == 0 && offsetof(struct unwind, known) == 136 && offsetof(struct unwind, interrupted) == 140 &&
	       (KEPT | 1u << UNWIND_RSP | 1u << UNWIND_RIP) == 0x1f0c8, "unwind_here knows these");
