/* expression.c - the expressions in descriptions: a machine with a stack of words (DWARF 5, section 2.5). */
#include "inside/stacks/expression.h"

#include "inside/stacks/peek.h"
#include "inside/stacks/reader.h"
#include "inside/stacks/unwind.h"

enum {
	STACK = 16,			/* words of an expression's stack */
	LONGEST = 512,			/* operations of an expression */
};

/* An expression at work: its stack of words. */
struct machine {
	uintptr_t word[STACK];
	unsigned used;
	bool failed;
};

static void expression_push(struct machine *m, uintptr_t value)
{
	if (m->used < STACK)
		m->word[m->used++] = value;
	else
		m->failed = true;
}

static uintptr_t expression_pop(struct machine *m)
{
	if (m->used)
		return m->word[--m->used];
	m->failed = true;
	return 0;
}

static void pick(struct machine *m, unsigned depth)
{
	if (depth < m->used)
		expression_push(m, m->word[m->used - 1 - depth]);
	else
		m->failed = true;
}

static void push_register(struct machine *m, const struct unwind *u, uint64_t reg, int64_t offset)
{
	if (reg < UNWIND_REGISTERS && u->known >> reg & 1)
		expression_push(m, u->reg[reg] + (uintptr_t)offset);
	else
		m->failed = true;
}

static void push_memory(struct machine *m, struct unwind *u, size_t size)
{
	uintptr_t value;

	if (size > sizeof value || !peek_memory(u, expression_pop(m), size, &value))
		m->failed = true;
	else
		expression_push(m, value);
}

/* DW_OP_rot: the top word goes below the next two. */
static void rotate(struct machine *m)
{
	uintptr_t a = expression_pop(m), b = expression_pop(m), c = expression_pop(m);

	expression_push(m, a);
	expression_push(m, c);
	expression_push(m, b);
}

static uintptr_t calculate(struct machine *m, uint8_t op, intptr_t a, intptr_t b)
{
	uintptr_t ua = (uintptr_t)a, ub = (uintptr_t)b;

	switch (op) {
	case 0x1a: return ua & ub;
	case 0x1c: return ua - ub;
	case 0x1e: return ua * ub;
	case 0x21: return ua | ub;
	case 0x22: return ua + ub;
	case 0x24: return ub < 64 ? ua << ub : 0;
	case 0x25: return ub < 64 ? ua >> ub : 0;
	case 0x26: return (uintptr_t)(a >> (ub < 64 ? ub : 63));
	case 0x27: return ua ^ ub;
	case 0x29: return a == b;
	case 0x2a: return a >= b;
	case 0x2b: return a > b;
	case 0x2c: return a <= b;
	case 0x2d: return a < b;
	case 0x2e: return a != b;
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

static void expression_operate(struct machine *m, struct unwind *u, struct reader *r, const uint8_t *begin, uint8_t op)
{
	uintptr_t a;

	if (op >= 0x30 && op <= 0x4f) {
		expression_push(m, op - 0x30u);
	} else if (op >= 0x70 && op <= 0x8f) {
		push_register(m, u, op - 0x70u, read_sleb(r));
	} else switch (op) {
	case 0x03: expression_push(m, read_fixed(r, 8)); break;
	case 0x06: push_memory(m, u, 8); break;
	case 0x08: expression_push(m, read_fixed(r, 1)); break;
	case 0x09: expression_push(m, (uintptr_t)read_signed(r, 1)); break;
	case 0x0a: expression_push(m, read_fixed(r, 2)); break;
	case 0x0b: expression_push(m, (uintptr_t)read_signed(r, 2)); break;
	case 0x0c: expression_push(m, read_fixed(r, 4)); break;
	case 0x0d: expression_push(m, (uintptr_t)read_signed(r, 4)); break;
	case 0x0e: case 0x0f: expression_push(m, read_fixed(r, 8)); break;
	case 0x10: expression_push(m, read_uleb(r)); break;
	case 0x11: expression_push(m, (uintptr_t)read_sleb(r)); break;
	case 0x12: pick(m, 0); break;
	case 0x13: expression_pop(m); break;
	case 0x14: pick(m, 1); break;
	case 0x15: pick(m, (unsigned)read_fixed(r, 1)); break;
	case 0x16: a = expression_pop(m); pick(m, 0); if (m->used > 1) m->word[m->used - 2] = a; else m->failed = true; break;
	case 0x17: rotate(m); break;
	case 0x1f: expression_push(m, -expression_pop(m)); break;
	case 0x20: expression_push(m, ~expression_pop(m)); break;
	case 0x23: a = expression_pop(m); expression_push(m, a + read_uleb(r)); break;
	case 0x28: branch(r, begin, expression_pop(m) != 0); break;
	case 0x2f: branch(r, begin, true); break;
	case 0x92: a = read_uleb(r); push_register(m, u, a, read_sleb(r)); break;
	case 0x94: push_memory(m, u, read_fixed(r, 1)); break;
	case 0x96: break;
	default: a = expression_pop(m); expression_push(m, calculate(m, op, (intptr_t)expression_pop(m), (intptr_t)a)); break;
	}
}

bool expression_value(struct unwind *u, const uint8_t *at, bool with_cfa, uintptr_t cfa, uintptr_t *value)
{
	struct reader r = { at, at + 10 };
	struct machine m = { .used = 0, .failed = false };
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
