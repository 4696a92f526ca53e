/* expression.c - the expressions in descriptions: a machine with a stack of words (DWARF 5, section 2.5). */
#include "inside/stacks/expression.h"

#include <dwarf.h>

#include "inside/stacks/peek.h"
#include "inside/stacks/reader.h"
#include "inside/stacks/unwind.h"

enum {
	STACK = 16,			/* words of an expression's stack */
	LONGEST = 512,			/* operations of an expression */
};

/* An expression at work: its stack of words. */
struct expression_stack {
	uintptr_t word[STACK];
	unsigned used;
	bool failed;
};

static void expression_push(struct expression_stack *m, uintptr_t value)
{
	if (m->used < STACK)
		m->word[m->used++] = value;
	else
		m->failed = true;
}

static uintptr_t expression_pop(struct expression_stack *m)
{
	if (m->used)
		return m->word[--m->used];
	m->failed = true;
	return 0;
}

static void pick(struct expression_stack *m, unsigned depth)
{
	if (depth < m->used)
		expression_push(m, m->word[m->used - 1 - depth]);
	else
		m->failed = true;
}

static void push_register(struct expression_stack *m, const struct unwind *u, uint64_t reg, int64_t offset)
{
	if (reg < UNWIND_REGISTERS && u->known >> reg & 1)
		expression_push(m, u->reg[reg] + (uintptr_t)offset);
	else
		m->failed = true;
}

static void push_memory(struct expression_stack *m, struct unwind *u, size_t size)
{
	uintptr_t value;

	if (size > sizeof value || !peek_memory(u, expression_pop(m), size, &value))
		m->failed = true;
	else
		expression_push(m, value);
}

/* DW_OP_rot: the top word goes below the next two. */
static void rotate(struct expression_stack *m)
{
	uintptr_t a = expression_pop(m), b = expression_pop(m), c = expression_pop(m);

	expression_push(m, a);
	expression_push(m, c);
	expression_push(m, b);
}

static uintptr_t calculate(struct expression_stack *m, uint8_t op, intptr_t a, intptr_t b)
{
	uintptr_t ua = (uintptr_t)a, ub = (uintptr_t)b;

	switch (op) {
	case DW_OP_and: return ua & ub;
	case DW_OP_minus: return ua - ub;
	case DW_OP_mul: return ua * ub;
	case DW_OP_or: return ua | ub;
	case DW_OP_plus: return ua + ub;
	case DW_OP_shl: return ub < 64 ? ua << ub : 0;
	case DW_OP_shr: return ub < 64 ? ua >> ub : 0;
	case DW_OP_shra: return (uintptr_t)(a >> (ub < 64 ? ub : 63));
	case DW_OP_xor: return ua ^ ub;
	case DW_OP_eq: return a == b;
	case DW_OP_ge: return a >= b;
	case DW_OP_gt: return a > b;
	case DW_OP_le: return a <= b;
	case DW_OP_lt: return a < b;
	case DW_OP_ne: return a != b;
	default: m->failed = true; return 0;
	}
}

/* DW_OP_skip and DW_OP_bra. */
static void branch(struct reader *r, const uint8_t *begin, bool taken)
{
	int64_t offset = read_signed(r, 2);

	if (!taken || !r->at)
		return;
	if (offset > r->end - r->at || offset < begin - r->at)
		reader_fail(r);
	else
		r->at += offset;
}

static void expression_operate(struct expression_stack *m, struct unwind *u, struct reader *r, const uint8_t *begin, uint8_t op)
{
	uintptr_t a;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		expression_push(m, op - (unsigned)DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_register(m, u, op - (unsigned)DW_OP_breg0, read_sleb(r));
	} else switch (op) {
	case DW_OP_addr: expression_push(m, read_fixed(r, 8)); break;
	case DW_OP_deref: push_memory(m, u, 8); break;
	case DW_OP_const1u: expression_push(m, read_fixed(r, 1)); break;
	case DW_OP_const1s: expression_push(m, (uintptr_t)read_signed(r, 1)); break;
	case DW_OP_const2u: expression_push(m, read_fixed(r, 2)); break;
	case DW_OP_const2s: expression_push(m, (uintptr_t)read_signed(r, 2)); break;
	case DW_OP_const4u: expression_push(m, read_fixed(r, 4)); break;
	case DW_OP_const4s: expression_push(m, (uintptr_t)read_signed(r, 4)); break;
	case DW_OP_const8u: case DW_OP_const8s: expression_push(m, read_fixed(r, 8)); break;
	case DW_OP_constu: expression_push(m, read_uleb(r)); break;
	case DW_OP_consts: expression_push(m, (uintptr_t)read_sleb(r)); break;
	case DW_OP_dup: pick(m, 0); break;
	case DW_OP_drop: expression_pop(m); break;
	case DW_OP_over: pick(m, 1); break;
	case DW_OP_pick: pick(m, (unsigned)read_fixed(r, 1)); break;
	case DW_OP_swap: a = expression_pop(m); pick(m, 0); if (m->used > 1) m->word[m->used - 2] = a; else m->failed = true; break;
	case DW_OP_rot: rotate(m); break;
	case DW_OP_neg: expression_push(m, -expression_pop(m)); break;
	case DW_OP_not: expression_push(m, ~expression_pop(m)); break;
	case DW_OP_plus_uconst: a = expression_pop(m); expression_push(m, a + read_uleb(r)); break;
	case DW_OP_bra: branch(r, begin, expression_pop(m) != 0); break;
	case DW_OP_skip: branch(r, begin, true); break;
	case DW_OP_bregx: a = read_uleb(r); push_register(m, u, a, read_sleb(r)); break;
	case DW_OP_deref_size: push_memory(m, u, read_fixed(r, 1)); break;
	case DW_OP_nop: break;
	default: a = expression_pop(m); expression_push(m, calculate(m, op, (intptr_t)expression_pop(m), (intptr_t)a)); break;
	}
}

bool expression_value(struct unwind *u, const uint8_t *at, bool with_cfa, uintptr_t cfa, uintptr_t *value)
{
	struct reader r = { at, at + 10 };
	struct expression_stack m = { .used = 0, .failed = false };
	uint64_t size = read_uleb(&r);		/* unwind.c has seen that all of it is there */
	const uint8_t *begin = r.at;

	if (!r.at)
		return false;
	r.end = r.at + size;
	if (with_cfa)
		expression_push(&m, cfa);
	for (int i = 0; i < LONGEST && r.at < r.end && !m.failed; i++)
		expression_operate(&m, u, &r, begin, (uint8_t)read_fixed(&r, 1));
	*value = expression_pop(&m);
	return !m.failed && r.at == r.end && r.at;
}
