/* rules.c - frame descriptions to lines, and their expressions. */
#include "read/stacks/rules.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"

enum { DEEPEST = 32, LONGEST = 64 };	/* of an expression: its stack, its operations */

struct expression {
	Dwarf_Op ops[LONGEST];
	size_t n;
};

/* Where a line holds, as far as it was met: libdw tells the end, and of one behind a DW_CFA_restore_state the start of another. */
struct stretch {
	uint64_t start, end;
	uint32_t line;
};

/* An address that was asked for, and its line. */
struct asked {
	uint64_t address;
	uint32_t line;			/* NO_LINE: there is none */
};
#define NO_LINE UINT32_MAX
enum { ASKED = 2048 };			/* places for these */

struct rules {
	Dwarf_CFI *eh_frame;		/* NULL: there is none */
	Dwarf *dwarf;			/* NULL: none */
	Dwarf_CFI *debug_frame;		/* of that */
	const struct go_table *go;	/* of a program in Go */
	struct rules_line *lines;
	uint32_t nlines;
	size_t lines_room;
	struct stretch *stretches;	/* of all lines, by their ends; disjoint */
	size_t stretches_room;
	struct asked *asked;		/* ASKED of them, each at its address's place; NULL: out of memory so far */
	struct expression *expressions;
	uint32_t nexpressions;
	size_t expressions_room;
};

struct rules *rules_new(Elf *elf, const struct go_table *go)
{
	struct rules *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->go = go;
	r->eh_frame = dwarf_getcfi_elf(elf);
	r->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (r->dwarf)
		r->debug_frame = dwarf_getcfi(r->dwarf);
	return r;
}

void rules_free(struct rules *r)
{
	if (!r)
		return;
	if (r->eh_frame)
		dwarf_cfi_end(r->eh_frame);
	if (r->dwarf)
		dwarf_end(r->dwarf);
	free(r->lines);
	free(r->asked);
	free(r->expressions);
	free(r->stretches);
	free(r);
}

/* ---- lines ---- */

/* Keep the N operations at OPS as an expression; -1: it is too long, or memory is short. */
static int32_t keep_expression(struct rules *r, const Dwarf_Op *ops, size_t n)
{
	struct expression *e;

	if (n > LONGEST || !array_grow(&r->expressions, &r->expressions_room, r->nexpressions, sizeof *r->expressions))
		return -1;
	e = &r->expressions[r->nexpressions];
	memcpy(e->ops, ops, n * sizeof *ops);
	e->n = n;
	return (int32_t)r->nexpressions++;
}

static bool rules_is_small(Dwarf_Word word)
{
	return (int64_t)word >= INT32_MIN && (int64_t)word <= INT32_MAX;
}

/* Is the expression of N operations a sum of a register or the CFA and a number?  Then *X becomes that. */
static bool is_sum(const Dwarf_Op *ops, size_t n, struct rules_register *x)
{
	Dwarf_Word offset = 0;

	if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst)
		offset = ops[1].number;
	else if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa && (ops[1].atom == DW_OP_consts || ops[1].atom == DW_OP_plus))
		return false;
	else if (n != 1)
		return false;
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		x->base = RULES_CFA;
	} else if (n == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom < DW_OP_breg0 + RULES_RIP) {
		x->base = (uint8_t)(ops[0].atom - DW_OP_breg0);
		offset = ops[0].number;
	} else if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < RULES_RIP) {
		x->base = (uint8_t)ops[0].number;
		offset = ops[0].number2;
	} else {
		return false;
	}
	x->value = (int32_t)offset;
	return rules_is_small(offset);
}

/* What OPS say; IS: they give the value itself. False: it cannot be kept. */
static bool set_register(struct rules *r, struct rules_register *x, const Dwarf_Op *ops, size_t n, bool is)
{
	if (is_sum(ops, n, x)) {
		x->how = is ? RULES_IS : RULES_AT;
		return true;
	}
	x->how = is ? RULES_IS_EXPRESSION : RULES_AT_EXPRESSION;
	x->value = keep_expression(r, ops, n);
	return x->value >= 0;
}

static bool register_read(struct rules *r, Dwarf_Frame *frame, int number, struct rules_register *x)
{
	Dwarf_Op memory[3], *ops;
	size_t n;
	bool is;

	if (dwarf_frame_register(frame, number, memory, &ops, &n) != 0)
		return false;
	if (n == 0) {
		x->how = ops ? RULES_UNDEFINED : RULES_SAME;
		return true;
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom < DW_OP_reg0 + RULES_RIP) {
		*x = (struct rules_register){ RULES_IS, (uint8_t)(ops[0].atom - DW_OP_reg0), 0 };
		return true;
	}
	if (n == 1 && ops[0].atom == DW_OP_regx && ops[0].number < RULES_RIP) {
		*x = (struct rules_register){ RULES_IS, (uint8_t)ops[0].number, 0 };
		return true;
	}
	is = ops[n - 1].atom == DW_OP_stack_value;
	return set_register(r, x, ops, n - is, is);
}

static bool rules_line_read(struct rules *r, Dwarf_Frame *frame, struct rules_line *line)
{
	Dwarf_Addr start;
	Dwarf_Op *ops;
	size_t n;
	int returns = dwarf_frame_info(frame, &start, &line->end, &line->signal);

	if (returns < 0 || returns >= RULES_REGISTERS || dwarf_frame_cfa(frame, &ops, &n) != 0)
		return false;
	line->cfa.how = RULES_UNDEFINED;
	if (n > 0 && !set_register(r, &line->cfa, ops, n, true))
		return false;
	for (int i = 0; i < RULES_RIP; i++)
		if (!register_read(r, frame, i, &line->reg[i]))
			return false;
	return register_read(r, frame, returns, &line->reg[RULES_RIP]);
}

/* How many stretches end at ADDRESS or before. */
static uint32_t count_until(const struct rules *r, uint64_t address)
{
	uint32_t low = 0, high = r->nlines;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->stretches[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The number of the line that is known to hold at ADDRESS. */
static uint32_t line_known(const struct rules *r, uint64_t address)
{
	uint32_t i = count_until(r, address);

	return i < r->nlines && r->stretches[i].start <= address ? r->stretches[i].line : NO_LINE;
}

/* What of LINE need not be looked at rule by rule. */
static void line_sum_up(struct rules_line *line)
{
	uint32_t rest = 0;

	line->same = line->saved = 0;
	for (unsigned i = 0; i < RULES_REGISTERS; i++) {
		const struct rules_register *x = &line->reg[i];

		line->same |= (uint32_t)(x->how == RULES_SAME) << i;
		line->saved |= (uint32_t)(x->how == RULES_AT && x->base == RULES_CFA) << i;
		rest |= (uint32_t)(x->how != RULES_UNDEFINED) << i;
	}
	rest &= ~(line->same | line->saved);
	if (line->reg[RULES_RSP].how == RULES_IS && line->reg[RULES_RSP].base == RULES_CFA && line->reg[RULES_RSP].value == 0)
		rest &= ~(1u << RULES_RSP);
	line->usual = rest == 0 && line->cfa.how == RULES_IS && line->cfa.base < RULES_REGISTERS && line->saved >> RULES_RIP & 1 && !line->signal &&
		!(line->saved >> RULES_RSP & 1);
}

/* The number of LINE, which holds at ADDRESS; kept unless it is known. */
static uint32_t line_keep(struct rules *r, struct rules_line *line, uint64_t address)
{
	uint32_t i = count_until(r, line->end - 1);

	if (i < r->nlines && r->stretches[i].end == line->end) {
		r->stretches[i].start = address < r->stretches[i].start ? address : r->stretches[i].start;
		return r->stretches[i].line;
	}
	if (!array_grow(&r->lines, &r->lines_room, r->nlines, sizeof *r->lines) ||
	    !array_grow(&r->stretches, &r->stretches_room, r->nlines, sizeof *r->stretches))
		return NO_LINE;
	line_sum_up(line);
	r->lines[r->nlines] = *line;
	memmove(&r->stretches[i + 1], &r->stretches[i], (r->nlines - i) * sizeof *r->stretches);
	r->stretches[i] = (struct stretch){ address, line->end, r->nlines };
	return r->nlines++;
}

static uint32_t line_make(struct rules *r, Dwarf_CFI *cfi, uint64_t address)
{
	struct rules_line line = { 0 };
	Dwarf_Frame *frame = NULL;
	uint32_t k = NO_LINE;

	if (cfi && dwarf_cfi_addrframe(cfi, address, &frame) == 0 && rules_line_read(r, frame, &line))
		k = line_keep(r, &line, address);
	free(frame);
	return k;
}

static bool rules_is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

/* Is F where a stack of Go's ends (runtime/traceback.go, topofstack)?  So is where the scheduler begins on the thread's own stack: the goroutine that
 * it came from waits, and others run. */
static bool is_go_start(const struct go_function *f)
{
	static const char *const names[] = { "runtime.goexit", "runtime.mstart", "runtime.mcall", "runtime.rt0_go", NULL };

	return rules_is_among(f->name, names);
}

/* Does F go on for its caller on the thread's own stack, without a frame (runtime/asm_amd64.s)? */
static bool is_go_switch(const struct go_function *f)
{
	static const char *const names[] = { "runtime.systemstack", "runtime.asmcgocall", NULL };

	return rules_is_among(f->name, names);
}

/* The kernel's frame of a signal that Go's own routine returns from: registers are where struct rt_sigframe has them, behind the return address. */
static void go_signal(struct rules_line *line)
{
	enum { RBP = 120, RSP = 160, RIP = 168 };

	line->signal = true;
	line->cfa = (struct rules_register){ RULES_IS, RULES_RSP, 0 };
	line->reg[RULES_RBP] = (struct rules_register){ RULES_AT, RULES_CFA, RBP };
	line->reg[RULES_RSP] = (struct rules_register){ RULES_AT, RULES_CFA, RSP };
	line->reg[RULES_RIP] = (struct rules_register){ RULES_AT, RULES_CFA, RIP };
}

/* DEPTH bytes above the stack pointer is the return address, and below that, in a routine with a frame, its caller's frame pointer. */
static void go_frame(struct rules_line *line, uint32_t depth)
{
	line->cfa = (struct rules_register){ RULES_IS, RULES_RSP, (int32_t)depth + 8 };
	line->reg[RULES_RBP].how = RULES_SAME;
	if (depth > 0)
		line->reg[RULES_RBP] = (struct rules_register){ RULES_AT, RULES_CFA, -16 };
	line->reg[RULES_RSP] = (struct rules_register){ RULES_IS, RULES_CFA, 0 };
	line->reg[RULES_RIP] = (struct rules_register){ RULES_AT, RULES_CFA, -8 };
}

static uint32_t go_line(struct rules *r, uint64_t address)
{
	static const char *const signals[] = { "runtime.sigreturn", "runtime.sigreturn__sigaction", NULL };
	struct rules_line line = { 0 };			/* all registers unknown: Go's routines keep none */
	struct go_function f;
	uint32_t depth;

	if (!r->go->bytes || !go_table_find(r->go, address, &f))
		return NO_LINE;
	line.end = f.end;
	if (strcmp(f.name, "runtime.morestack") == 0)
		line.reg[RULES_RIP].how = RULES_SAME;	/* it switches stacks, too, but its caller has no frame yet: that cannot be known */
	else if (rules_is_among(f.name, signals))
		go_signal(&line);
	else if (is_go_switch(&f))
		line.switched = true;
	else if (!is_go_start(&f)) {
		if (!go_table_depth(r->go, &f, address, &depth, &line.end))
			return NO_LINE;
		go_frame(&line, depth);
	}
	return line_keep(r, &line, address);
}

static uint32_t line_find(struct rules *r, uint64_t address)
{
	uint32_t line = line_known(r, address);

	if (line == NO_LINE)
		line = go_line(r, address);
	if (line == NO_LINE)
		line = line_make(r, r->eh_frame, address);
	if (line == NO_LINE)
		line = line_make(r, r->debug_frame, address);
	return line;
}

const struct rules_line *rules_find(struct rules *r, uint64_t address)
{
	struct asked *asked;
	uint32_t line;

	if (!r->asked)
		r->asked = calloc(ASKED, sizeof *r->asked);
	asked = r->asked ? &r->asked[hash_mix(address, 0) % ASKED] : NULL;
	line = asked && asked->address == address && address ? asked->line : line_find(r, address);
	if (asked)
		*asked = (struct asked){ address, line };
	return line == NO_LINE ? NULL : &r->lines[line];
}

/* ---- expressions ---- */

struct expression_stack {
	uint64_t stack[DEEPEST];
	size_t n;
	bool bad;
};

static void rules_push(struct expression_stack *m, uint64_t x)
{
	if (m->n == DEEPEST)
		m->bad = true;
	else
		m->stack[m->n++] = x;
}

static uint64_t rules_pop(struct expression_stack *m)
{
	if (m->n > 0)
		return m->stack[--m->n];
	m->bad = true;
	return 0;
}

static uint64_t register_value(struct expression_stack *m, const struct rules_state *s, uint64_t number)
{
	if (number < RULES_REGISTERS && s->known >> number & 1)
		return s->regs[number];
	m->bad = true;
	return 0;
}

static uint64_t memory_value(struct expression_stack *m, const struct rules_state *s, uint64_t address, uint64_t size)
{
	uint64_t word = 0;

	if (size > 8 || size == 0 || !s->read(s->arg, address, &word))
		m->bad = true;
	return size == 8 || size == 0 ? word : word & ((UINT64_C(1) << 8 * (size & 7)) - 1);
}

static uint64_t compute(struct expression_stack *m, uint8_t atom, uint64_t a, uint64_t b)
{
	switch (atom) {
	case DW_OP_and: return a & b;
	case DW_OP_or: return a | b;
	case DW_OP_xor: return a ^ b;
	case DW_OP_plus: return a + b;
	case DW_OP_minus: return a - b;
	case DW_OP_mul: return a * b;
	case DW_OP_shl: return b < 64 ? a << b : 0;
	case DW_OP_shr: return b < 64 ? a >> b : 0;
	case DW_OP_eq: return a == b;
	case DW_OP_ne: return a != b;
	case DW_OP_lt: return (int64_t)a < (int64_t)b;
	case DW_OP_le: return (int64_t)a <= (int64_t)b;
	case DW_OP_gt: return (int64_t)a > (int64_t)b;
	case DW_OP_ge: return (int64_t)a >= (int64_t)b;
	default:
		m->bad = true;
		return 0;
	}
}

/* One operation; jumps are not among what linkers and compilers write in frame descriptions. */
static void rules_operate(struct expression_stack *m, const Dwarf_Op *op, const struct rules_state *s)
{
	uint64_t a;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		rules_push(m, op->atom - DW_OP_lit0);
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		rules_push(m, register_value(m, s, op->atom - DW_OP_breg0) + op->number);
	else if ((op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts) || op->atom == DW_OP_addr)
		rules_push(m, op->number);
	else
		switch (op->atom) {
		case DW_OP_bregx: rules_push(m, register_value(m, s, op->number) + op->number2); break;
		case DW_OP_call_frame_cfa: rules_push(m, s->cfa); break;
		case DW_OP_plus_uconst: rules_push(m, rules_pop(m) + op->number); break;
		case DW_OP_deref: rules_push(m, memory_value(m, s, rules_pop(m), 8)); break;
		case DW_OP_deref_size: rules_push(m, memory_value(m, s, rules_pop(m), op->number)); break;
		case DW_OP_dup: a = rules_pop(m); rules_push(m, a); rules_push(m, a); break;
		case DW_OP_drop: rules_pop(m); break;
		case DW_OP_neg: rules_push(m, -rules_pop(m)); break;
		case DW_OP_not: rules_push(m, ~rules_pop(m)); break;
		case DW_OP_nop: break;
		default: a = rules_pop(m); rules_push(m, compute(m, op->atom, rules_pop(m), a)); break;
		}
}

bool rules_evaluate(const struct rules *r, int32_t number, const struct rules_state *s, uint64_t *value)
{
	struct expression_stack m = { .n = 0 };

	for (size_t i = 0; i < r->expressions[number].n && !m.bad; i++)
		rules_operate(&m, &r->expressions[number].ops[i], s);
	*value = rules_pop(&m);
	return !m.bad;
}
