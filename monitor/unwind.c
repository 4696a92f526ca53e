/* unwind.c - one step up the machine stack.
 *
 * Of a frame's program counter the module is known (module.c), of that its .eh_frame_hdr, a sorted table, which leads to
 * the frame's description (FDE), and that to what it has in common with others (CIE).  Both are instructions that make, line
 * after line, the rules by which the caller's registers are had from the frame's: DWARF 5, section 6.4, as the x86-64 ABI and
 * the Linux Standard Base have it.
 *
 * Invariant: a read of a description stays within the module's segment that holds it, and a read of the stack within pages that
 * the kernel can read. */
#include "monitor/unwind.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "monitor/module.h"
#include "monitor/sys.h"

enum {
	PAGE = 4096,
	DEEPEST = 3,			/* rules remembered within one another */
	STACK = 16,			/* words of an expression's stack */
	LONGEST = 512,			/* operations of an expression */
	PIECES = 1024,			/* of a split stack, or stacks that lead to one another, in one walk */
	STANDING = 4,			/* steps one after another that leave the stack pointer as it is, as way mcount's own frames do */
};

/* Registers that calls leave as they are. */
#define KEPT (1u << UNWIND_RBX | 1u << UNWIND_RBP | 0xfu << UNWIND_R12)

/* ---- reading descriptions ---- */

/* A place in a description. */
struct reader {
	const uint8_t *at, *end;	/* NULL, NULL: something was wrong */
};

static void reader_fail(struct reader *r) { *r = (struct reader){ NULL, NULL }; }

static uint64_t read_fixed(struct reader *r, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < size) {
		reader_fail(r);
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)r->at[i] << 8 * i;
	r->at += size;
	return value;
}

static int64_t read_signed(struct reader *r, size_t size)
{
	int shift = 64 - 8 * (int)size;

	return (int64_t)(read_fixed(r, size) << shift) >> shift;
}

static uint64_t read_leb(struct reader *r, unsigned *bits)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (*bits = 0; byte & 0x80 && r->at; *bits += 7) {
		byte = (uint8_t)read_fixed(r, 1);
		if (*bits < 64)
			value |= (uint64_t)(byte & 0x7f) << *bits;
	}
	return value;
}

static uint64_t read_uleb(struct reader *r)
{
	unsigned bits;

	return read_leb(r, &bits);
}

static int64_t read_sleb(struct reader *r)
{
	unsigned bits;
	uint64_t value = read_leb(r, &bits);

	return bits && bits < 64 ? (int64_t)(value << (64 - bits)) >> (64 - bits) : (int64_t)value;
}

static void read_skip(struct reader *r, uint64_t size)
{
	if (size > (size_t)(r->end - r->at))
		reader_fail(r);
	else
		r->at += size;
}

/* An address as ENCODING has it, but for what it is relative to. */
static uint64_t read_plain(struct reader *r, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x0c: return read_fixed(r, 8);
	case 0x02: return read_fixed(r, 2);
	case 0x03: return read_fixed(r, 4);
	case 0x0a: return (uint64_t)read_signed(r, 2);
	case 0x0b: return (uint64_t)read_signed(r, 4);
	default: reader_fail(r); return 0;
	}
}

static uintptr_t read_address(struct reader *r, uint8_t encoding)
{
	uintptr_t from = (uintptr_t)r->at;

	switch (encoding & 0xf0) {
	case 0x00: return read_plain(r, encoding);
	case 0x10: return read_plain(r, encoding) + from;
	default: reader_fail(r); return 0;
	}
}

/* ---- finding a frame's description ---- */

/* What of a CIE its FDEs need. */
struct common {
	uint8_t encoding;		/* of the addresses in the FDEs */
	bool is_augmented;		/* FDEs have words of their own, as long as they say */
};

/* The augmentation TEXT of the CIE at R says what its data are. */
static void read_augmentation(struct reader *r, const char *text, struct common *c, struct unwind_rules *rules)
{
	struct reader data;
	uint64_t size;

	if (!*text)
		return;
	if (*text != 'z') {
		reader_fail(r);
		return;
	}
	size = read_uleb(r);
	data = *r;
	read_skip(r, size);
	c->is_augmented = true;
	while (*++text && r->at) {
		if (*text == 'R')
			c->encoding = (uint8_t)read_fixed(&data, 1);
		else if (*text == 'L')
			read_fixed(&data, 1);
		else if (*text == 'P')
			read_plain(&data, (uint8_t)read_fixed(&data, 1));
		else if (*text == 'S')
			rules->is_signal = true;
		else if (*text != 'B')
			reader_fail(r);
	}
	if (!data.at)
		reader_fail(r);
}

/* What follows the length at R, which becomes its end. */
static void read_length(struct reader *r)
{
	uint64_t size = read_fixed(r, 4);

	if (!size || size >= 0xfffffff0 || size > (size_t)(r->end - r->at))
		reader_fail(r);
	else
		r->end = r->at + size;
}

static bool read_cie(struct reader r, struct common *c, struct unwind_rules *rules)
{
	const char *text;
	uint8_t version;

	read_length(&r);
	if (read_fixed(&r, 4) != 0)
		return false;
	version = (uint8_t)read_fixed(&r, 1);
	text = (const char *)r.at;
	while (r.at && read_fixed(&r, 1))
		;
	if (!r.at || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && read_fixed(&r, 2) != 8)
		return false;
	rules->code_unit = read_uleb(&r);
	rules->data_unit = read_sleb(&r);
	rules->returns = (uint32_t)(version == 1 ? read_fixed(&r, 1) : read_uleb(&r));
	read_augmentation(&r, text, c, rules);
	rules->cie = r.at;
	rules->cie_end = r.end;
	return r.at != NULL && rules->returns < UNWIND_REGISTERS;
}

/* Take in the FDE at R, in the segment of M, if it covers PC. */
static bool read_fde(struct unwind *u, struct reader r, const struct module_rules *m, uintptr_t pc)
{
	struct common c = { .encoding = 0 };
	struct unwind_rules rules = { .is_signal = false };
	const uint8_t *from;
	uintptr_t back, start, size;

	read_length(&r);
	from = r.at;
	back = (uintptr_t)read_fixed(&r, 4);
	if (!r.at || !back || back > (uintptr_t)from - m->low ||
	    !read_cie((struct reader){ from - back, (const uint8_t *)m->high }, &c, &rules))
		return false;
	start = read_address(&r, c.encoding);
	size = read_plain(&r, c.encoding & 0x0f);
	if (c.is_augmented)
		read_skip(&r, read_uleb(&r));
	if (!r.at || pc < start || pc - start >= size)
		return false;
	rules.fde = r.at;
	rules.fde_end = r.end;
	u->rules = rules;
	u->start = start;
	u->end = start + size;
	return true;
}

/* The table behind the head of an .eh_frame_hdr: pairs of an address and of its FDE, both relative to the head. */
struct pair { int32_t address, fde; };

/* The table of M. Returns NULL if it has none of the usual kind. */
static const struct pair *find_table(const struct module_rules *m, size_t *count)
{
	struct reader r = { m->index, (const uint8_t *)m->high };
	uint64_t head = read_fixed(&r, 4);	/* version, encodings of what follows: address of .eh_frame, count, pairs */

	if ((head & 0xff) != 1 || (head >> 16 & 0xff) != 0x03 || head >> 24 != 0x3b)
		return NULL;
	read_plain(&r, (uint8_t)(head >> 8));
	*count = read_fixed(&r, 4);
	return r.at && *count <= (size_t)(r.end - r.at) / sizeof(struct pair) ? (const void *)r.at : NULL;
}

/* Read the description of U's frame, if there is one, for code at PC. */
static void find_description(struct unwind *u, uintptr_t pc)
{
	uintptr_t low = 0, high;
	struct module_rules m;
	const struct pair *table;
	const uint8_t *fde;

	if (!module_rules(pc, &m) || !m.index || !(table = find_table(&m, &high)))
		return;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if ((uintptr_t)m.index + (uintptr_t)(intptr_t)table[mid].address <= pc)
			low = mid;
		else
			high = mid;
	}
	if (low == high)
		return;
	fde = m.index + table[low].fde;
	if ((uintptr_t)fde >= m.low && (uintptr_t)fde < m.high)
		read_fde(u, (struct reader){ fde, (const uint8_t *)m.high }, &m, pc);
}

/* ---- what is known from before ---- */

static uintptr_t code_of(const struct unwind *u) { return u->reg[UNWIND_RIP] - !u->interrupted; }

/* Where in U's cache what is known of PC stands. */
static struct unwind_place *place_of(const struct unwind *u, uintptr_t pc)
{
	return &u->cache->places[(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) % UNWIND_PLACES];
}

/* Set the description of U's frame, if there is one. */
static void look(struct unwind *u)
{
	uintptr_t pc = code_of(u);
	const struct unwind_place *p = u->cache ? place_of(u, pc) : NULL;

	u->start = u->end = 0;
	u->rules = (struct unwind_rules){ .is_signal = false };
	u->line = NULL;
	if (!p || p->pc != pc || p->epoch != module_epoch()) {
		find_description(u, pc);
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
		*place_of(u, code_of(u)) = (struct unwind_place){ .pc = code_of(u), .epoch = module_epoch(), .start = u->start, .end = u->end,
								  .rules = u->rules, .line = *line };
}

/* ---- reading the stack ---- */

/* The kernel reads what is to be a signal mask before it finds that the rest of the question makes no sense. */
static bool is_readable(uintptr_t page)
{
	return sys4(rt_sigprocmask, ~0L, page, NULL, sizeof(uint64_t)) == -EINVAL;
}

static bool read_page(struct unwind *u, uintptr_t address)
{
	uintptr_t page = address & -(uintptr_t)PAGE;

	if (page == u->page)
		return true;
	if (!is_readable(page))
		return false;
	u->page = page;
	return true;
}

static bool read_memory(struct unwind *u, uintptr_t address, size_t size, uintptr_t *value)
{
	*value = 0;
	if (address + size < address || !read_page(u, address + size - 1) || !read_page(u, address))
		return false;
	for (size_t i = 0; i < size; i++)
		*value |= (uintptr_t)((const volatile uint8_t *)address)[i] << 8 * i;
	return true;
}

static bool read_word(struct unwind *u, uintptr_t address, uintptr_t *value)
{
	if (address % sizeof *value || (address & -(uintptr_t)PAGE) != u->page)
		return read_memory(u, address, sizeof *value, value);
	*value = *(const volatile uintptr_t *)address;
	return true;
}

/* ---- expressions ---- */

/* An expression at work: its stack of words. */
struct machine {
	uintptr_t word[STACK];
	unsigned used;
	bool failed;
};

static void push(struct machine *m, uintptr_t value)
{
	if (m->used < STACK)
		m->word[m->used++] = value;
	else
		m->failed = true;
}

static uintptr_t pop(struct machine *m)
{
	if (m->used)
		return m->word[--m->used];
	m->failed = true;
	return 0;
}

static void pick(struct machine *m, unsigned depth)
{
	if (depth < m->used)
		push(m, m->word[m->used - 1 - depth]);
	else
		m->failed = true;
}

static void push_register(struct machine *m, const struct unwind *u, uint64_t reg, int64_t offset)
{
	if (reg < UNWIND_REGISTERS && u->known >> reg & 1)
		push(m, u->reg[reg] + (uintptr_t)offset);
	else
		m->failed = true;
}

static void push_memory(struct machine *m, struct unwind *u, size_t size)
{
	uintptr_t value;

	if (size > sizeof value || !read_memory(u, pop(m), size, &value))
		m->failed = true;
	else
		push(m, value);
}

/* DW_OP_rot: the top word goes below the next two. */
static void rotate(struct machine *m)
{
	uintptr_t a = pop(m), b = pop(m), c = pop(m);

	push(m, a);
	push(m, c);
	push(m, b);
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

static void operate(struct machine *m, struct unwind *u, struct reader *r, const uint8_t *begin, uint8_t op)
{
	uintptr_t a;

	if (op >= 0x30 && op <= 0x4f) {
		push(m, op - 0x30u);
	} else if (op >= 0x70 && op <= 0x8f) {
		push_register(m, u, op - 0x70u, read_sleb(r));
	} else switch (op) {
	case 0x03: push(m, read_fixed(r, 8)); break;
	case 0x06: push_memory(m, u, 8); break;
	case 0x08: push(m, read_fixed(r, 1)); break;
	case 0x09: push(m, (uintptr_t)read_signed(r, 1)); break;
	case 0x0a: push(m, read_fixed(r, 2)); break;
	case 0x0b: push(m, (uintptr_t)read_signed(r, 2)); break;
	case 0x0c: push(m, read_fixed(r, 4)); break;
	case 0x0d: push(m, (uintptr_t)read_signed(r, 4)); break;
	case 0x0e: case 0x0f: push(m, read_fixed(r, 8)); break;
	case 0x10: push(m, read_uleb(r)); break;
	case 0x11: push(m, (uintptr_t)read_sleb(r)); break;
	case 0x12: pick(m, 0); break;
	case 0x13: pop(m); break;
	case 0x14: pick(m, 1); break;
	case 0x15: pick(m, (unsigned)read_fixed(r, 1)); break;
	case 0x16: a = pop(m); pick(m, 0); if (m->used > 1) m->word[m->used - 2] = a; else m->failed = true; break;
	case 0x17: rotate(m); break;
	case 0x1f: push(m, -pop(m)); break;
	case 0x20: push(m, ~pop(m)); break;
	case 0x23: a = pop(m); push(m, a + read_uleb(r)); break;
	case 0x28: branch(r, begin, pop(m) != 0); break;
	case 0x2f: branch(r, begin, true); break;
	case 0x92: a = read_uleb(r); push_register(m, u, a, read_sleb(r)); break;
	case 0x94: push_memory(m, u, read_fixed(r, 1)); break;
	case 0x96: break;
	default: a = pop(m); push(m, calculate(m, op, (intptr_t)pop(m), (intptr_t)a)); break;
	}
}

/* The value of the expression at AT, behind its length, which begins with CFA on its stack if WITH_CFA. False: it has none. */
static bool evaluate(struct unwind *u, const uint8_t *at, bool with_cfa, uintptr_t cfa, uintptr_t *value)
{
	struct reader r = { at, at + 10 };
	struct machine m = { .used = 0, .failed = false };
	uint64_t size = read_uleb(&r);		/* execute() has seen that all of it is there */
	const uint8_t *begin = r.at;

	if (!r.at)
		return false;
	r.end = r.at + size;
	if (with_cfa)
		push(&m, cfa);
	for (int i = 0; i < LONGEST && r.at < r.end && !m.failed; i++)
		operate(&m, u, &r, begin, (uint8_t)read_fixed(&r, 1));
	*value = pop(&m);
	return !m.failed && r.at == r.end && r.at;
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

static void set(struct execution *x, struct reader *r, uint64_t reg, enum how how, int64_t value)
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
		set(x, r, reg, x->initial.how[reg], x->initial.value[reg]);
}

static void remember(struct execution *x, struct reader *r)
{
	if (x->nkept < DEEPEST)
		x->kept[x->nkept++] = x->now;
	else
		reader_fail(r);
}

static void recall(struct execution *x, struct reader *r)
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
	case 0x00: break;
	case 0x02: x->at += read_fixed(r, 1) * x->rules->code_unit; break;
	case 0x03: x->at += read_fixed(r, 2) * x->rules->code_unit; break;
	case 0x04: x->at += read_fixed(r, 4) * x->rules->code_unit; break;
	case 0x05: reg = read_uleb(r); set(x, r, reg, OFFSET, (int64_t)read_uleb(r) * unit); break;
	case 0x06: restore(x, r, read_uleb(r)); break;
	case 0x07: set(x, r, read_uleb(r), UNDEFINED, 0); break;
	case 0x08: set(x, r, read_uleb(r), SAME, 0); break;
	case 0x09: reg = read_uleb(r); set(x, r, reg, REGISTER, (int64_t)read_uleb(r)); break;
	case 0x0a: remember(x, r); break;
	case 0x0b: recall(x, r); break;
	case 0x0c: reg = read_uleb(r); set_cfa(x, r, reg, (int64_t)read_uleb(r)); break;
	case 0x0d: change_cfa(x, r, read_uleb(r), x->now.cfa); break;
	case 0x0e: change_cfa(x, r, x->now.cfa_register, (int64_t)read_uleb(r)); break;
	case 0x0f: x->now.cfa_register = UNWIND_REGISTERS; x->now.cfa = read_expression(r); break;
	case 0x10: reg = read_uleb(r); set(x, r, reg, EXPRESSION, read_expression(r)); break;
	case 0x11: reg = read_uleb(r); set(x, r, reg, OFFSET, read_sleb(r) * unit); break;
	case 0x12: reg = read_uleb(r); set_cfa(x, r, reg, read_sleb(r) * unit); break;
	case 0x13: change_cfa(x, r, x->now.cfa_register, read_sleb(r) * unit); break;
	case 0x14: reg = read_uleb(r); set(x, r, reg, VAL_OFFSET, (int64_t)read_uleb(r) * unit); break;
	case 0x15: reg = read_uleb(r); set(x, r, reg, VAL_OFFSET, read_sleb(r) * unit); break;
	case 0x16: reg = read_uleb(r); set(x, r, reg, VAL_EXPRESSION, read_expression(r)); break;
	case 0x2e: read_uleb(r); break;		/* size of arguments */
	case 0x2f: reg = read_uleb(r); set(x, r, reg, OFFSET, -(int64_t)read_uleb(r) * unit); break;
	default: reader_fail(r);
	}
}

/* Make the lines of the instructions AT .. END, up to the one that is asked for. False: they are malformed. */
static bool execute(struct execution *x, const uint8_t *at, const uint8_t *end)
{
	struct reader r = { at, end };

	while (r.at < r.end) {
		uint8_t op = (uint8_t)read_fixed(&r, 1);
		unsigned low = op & 0x3f;

		switch (op >> 6) {
		case 1: x->at += low * x->rules->code_unit; break;
		case 2: set(x, &r, low, OFFSET, (int64_t)read_uleb(&r) * x->rules->data_unit); break;
		case 3: restore(x, &r, low); break;
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
	case OFFSET: return read_word(u, cfa + (uintptr_t)is, value);
	case VAL_OFFSET: *value = cfa + (uintptr_t)is; return true;
	case REGISTER:
		if (is >= UNWIND_REGISTERS || !(u->known >> is & 1))
			return false;
		*value = u->reg[is];
		return true;
	case EXPRESSION: return evaluate(u, (const uint8_t *)is, true, cfa, &at) && read_word(u, at, value);
	case VAL_EXPRESSION: return evaluate(u, (const uint8_t *)is, true, cfa, value);
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
	if (!execute(x, u->rules.cie, u->rules.cie_end))
		return false;
	x->initial = x->now;
	x->at = u->start;
	x->until = until;
	return execute(x, u->rules.fde, u->rules.fde_end);
}

static bool find_cfa(struct unwind *u, const struct unwind_line *l, uintptr_t *cfa)
{
	if (l->cfa_register == UNWIND_REGISTERS)
		return evaluate(u, (const uint8_t *)l->cfa, false, 0, cfa);
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
	look(u);
	return UNWIND_STEPPED;
}

/* The bytes of what the kernel returns to from a signal's handler: mov $15, %rax; syscall. */
static bool is_signal_return(struct unwind *u)
{
	uintptr_t first, last;

	return read_memory(u, u->reg[UNWIND_RIP], 8, &first) && first == 0x0f0000000fc0c748 &&
	       read_memory(u, u->reg[UNWIND_RIP] + 8, 1, &last) && last == 0x05;
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
		if (!read_word(u, at + places[i] * sizeof *reg, &reg[i]))
			return UNWIND_UNREADABLE;
	return step_to(u, reg, (1u << UNWIND_REGISTERS) - 1, true);
}

/* There is no description: what the ABI says of the outermost frame tells that one. */
static enum unwind_result step_blind(struct unwind *u)
{
	if (is_signal_return(u))
		return step_signal(u);
	return u->known >> UNWIND_RBP & 1 && !u->reg[UNWIND_RBP] ? UNWIND_END : UNWIND_NO_RULES;
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
	return step_to(u, reg, known | 1u << UNWIND_RIP, u->rules.is_signal);
}

enum unwind_result unwind_step(struct unwind *u)
{
	struct execution x;

	if (!u->rules.cie)
		return step_blind(u);
	if (u->line)
		return step_by(u, u->line);
	if (!make_line(u, &x, code_of(u)))
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

static void begin(struct unwind *u, struct unwind_cache *cache)
{
	u->cache = cache;
	u->page = 1;
	u->piece = u->reg[UNWIND_RSP];
	u->pieces = u->standing = 0;
	look(u);
}

void unwind_begin(struct unwind *u) { begin(u, NULL); }

void unwind_interrupted(struct unwind *u, const void *ucontext, struct unwind_cache *cache)
{
	const greg_t *from = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	for (int i = 0; i < UNWIND_REGISTERS; i++)
		u->reg[i] = (uintptr_t)from[places[i]];
	u->known = (1u << UNWIND_REGISTERS) - 1;
	u->interrupted = true;
	begin(u, cache);
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
