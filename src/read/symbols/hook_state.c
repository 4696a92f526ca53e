/* hook_state.c - follows a routine's code from its start, to see where its hooks are done.
 *
 *     before its entry hook     entered                       perhaps left
 *     ----- store of the context, or call of an entry hook --> ----- store, or call of an exit hook -----> ret, jmp
 *
 * What way inline stores where control comes back by no return (a landing pad, setjmp) looks like an exit; a call behind it shows that it was
 * none.  At each instruction stands the set of what ways to it may have left, to the last back edge. */
#include "read/symbols/hook_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "contract/layout.h"
#include "read/symbols/hook_words.h"

enum state { BEFORE = 1, ENTERED = 2, LEFT = 4, INSTRUCTION = 8 };	/* the last: one begins here */

enum { MOST_PASSES = 16 };			/* readings of one routine */

/* The instructions that call a hook. */
struct sites {
	uint64_t *at;			/* by address */
	size_t n;			/* how many */
};

static const char *const entries[] = { "__aprof_entry", "__aprof_enter", "__aprof_enter_inlined", "__cyg_profile_func_enter", "__wrap___cyg_profile_func_enter", "mcount",
	"_mcount", "__fentry__" };
static const char *const exits[] = { "__return__", "__aprof_leave", "__cyg_profile_func_exit", "__wrap___cyg_profile_func_exit" };

struct hook_state {
	const struct binary *binary;	/* whose code */
	csh engine;			/* capstone */
	cs_insn *insn;			/* the instruction at hand */
	struct hook_words words;	/* where the thread's words are */
	struct sites entries, exits;	/* calls of hooks */
	uint64_t start;			/* of the routine, link-time */
	uint64_t end;			/* one past its last byte */
	uint8_t *states;		/* by offset: enum state, or'ed */
	size_t room;			/* bytes that fit */
	bool changed;			/* the reading at hand has found more */
};

static int hook_state_compare_addresses(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Add the calls of the hook NAME. */
static bool hook_state_sites_add(struct sites *s, const struct binary *b, const char *name)
{
	struct hook hook = hook_find(b, name, 0);
	size_t n = 0;
	uint64_t *found = hook_sites(b, &hook, &n), *all = found ? reallocarray(s->at, s->n + n + 1, sizeof *all) : NULL;

	if (all) {
		memcpy(all + s->n, found, n * sizeof *found);
		s->at = all;
		s->n += n;
	}
	free(found);
	return all != NULL;
}

static bool hook_state_sites_find(struct sites *s, const struct binary *b, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!hook_state_sites_add(s, b, names[i]))
			return false;
	qsort(s->at, s->n, sizeof *s->at, hook_state_compare_addresses);
	return true;
}

/* Is INSN one of them?  A prefix may stand before the call that is told. */
static bool sites_have(const struct sites *s, const cs_insn *insn)
{
	uint64_t address = insn->address + (insn->bytes[0] == 0x67);

	return s->n && bsearch(&address, s->at, s->n, sizeof *s->at, hook_state_compare_addresses);
}

struct hook_state *hook_state_new(const struct binary *b)
{
	struct hook_state *h = b->machine == EM_X86_64 ? calloc(1, sizeof *h) : NULL;

	if (!h)
		return NULL;
	h->binary = b;
	h->words = hook_words_find(b);
	if (hook_state_sites_find(&h->entries, b, entries, sizeof entries / sizeof *entries) &&
	    hook_state_sites_find(&h->exits, b, exits, sizeof exits / sizeof *exits) &&
	    cs_open(CS_ARCH_X86, CS_MODE_64, &h->engine) == CS_ERR_OK &&
	    cs_option(h->engine, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK && (h->insn = cs_malloc(h->engine)))
		return h;
	hook_state_free(h);
	return NULL;
}

void hook_state_free(struct hook_state *h)
{
	if (!h)
		return;
	if (h->insn)
		cs_free(h->insn, 1);
	if (h->engine)
		cs_close(&h->engine);
	free(h->entries.at);
	free(h->exits.at);
	free(h->states);
	free(h);
}

static bool hook_state_in_group(const cs_insn *insn, uint8_t group)
{
	for (int i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

/* The operand that the instruction writes in memory: the first. NULL: it writes none. */
static const cs_x86_op *written_by(const cs_insn *insn)
{
	const cs_x86_op *op = insn->detail->x86.operands;

	return insn->detail->x86.op_count > 0 && op->type == X86_OP_MEM && (op->access & CS_AC_WRITE) ? op : NULL;
}

/* Way fentry, written out (compile/written.c): the frame behind the top one, whose address is in r11, is open with its CFA... */
static bool opens_frame(const cs_insn *insn)
{
	const cs_x86_op *to = written_by(insn);

	return to && to->mem.base == X86_REG_R11 && to->mem.disp == FRAME_SIZE + FRAME_CFA && to[1].type == X86_OP_REG && to[1].reg == X86_REG_RSP;
}

/* ... and closed without. */
static bool closes_frame(const cs_insn *insn)
{
	const cs_x86_op *to = written_by(insn);

	return to && to->mem.base == X86_REG_R11 && to->mem.disp == FRAME_CFA && insn->detail->x86.op_count == 2 && to[1].type == X86_OP_IMM && to[1].imm == 0;
}

static bool stores(const struct hook_state *h, int64_t word)
{
	const cs_x86_op *to = written_by(h->insn);

	return to && hook_words_may_be(&h->words, to, word);
}

/* Control may come to ADDRESS with STATES. */
static void hook_state_arrive(struct hook_state *h, uint64_t address, uint8_t states)
{
	uint8_t *at;

	if (address < h->start || address >= h->end)
		return;
	at = &h->states[address - h->start];
	h->changed |= (*at | states) != *at;
	*at |= states;
}

/* Where a jump leads to; 0: not known. */
static uint64_t jumps_to(const cs_insn *insn)
{
	const cs_x86_op *op = insn->detail->x86.operands;

	return hook_state_in_group(insn, X86_GRP_JUMP) && insn->detail->x86.op_count == 1 && op->type == X86_OP_IMM ? (uint64_t)op->imm : 0;
}

/* Where a hook out of line is told to come back, in r11; 0: it is no such instruction.  The routine's own address is told by the like. */
static uint64_t comes_back_to(const struct hook_state *h)
{
	const cs_x86 *x = &h->insn->detail->x86;
	uint64_t to;

	if (h->insn->id != X86_INS_LEA || x->operands[0].reg != X86_REG_R11 || x->operands[1].mem.base != X86_REG_RIP)
		return 0;
	to = h->insn->address + h->insn->size + (uint64_t)x->operands[1].mem.disp;
	return to == h->start || to == h->insn->address ? 0 : to;
}

/* What is behind the instruction, of what is before it. */
static uint8_t hook_state_behind(const struct hook_state *h, uint8_t states)
{
	bool is_call = hook_state_in_group(h->insn, X86_GRP_CALL);

	if (is_call && sites_have(&h->entries, h->insn))
		return ENTERED;
	if (is_call && sites_have(&h->exits, h->insn))
		return LEFT;
	if (opens_frame(h->insn))
		return ENTERED;
	if (stores(h, TLS_CURRENT))
		return states & (ENTERED | LEFT) ? ENTERED | LEFT : ENTERED;
	if (closes_frame(h->insn) || (stores(h, TLS_TOP) && states & ENTERED))
		return states | LEFT;
	return is_call && states & LEFT ? (states & ~LEFT) | ENTERED : states;
}

static void hook_state_step(struct hook_state *h)
{
	uint8_t states, after;

	assert(h->insn->address >= h->start && h->insn->address < h->end);
	states = h->states[h->insn->address - h->start] & (BEFORE | ENTERED | LEFT);
	after = hook_state_behind(h, states);
	hook_state_arrive(h, h->insn->address, INSTRUCTION);
	hook_state_arrive(h, jumps_to(h->insn), after);
	hook_state_arrive(h, comes_back_to(h), ENTERED);
	if (h->insn->id != X86_INS_JMP && !hook_state_in_group(h->insn, X86_GRP_RET))
		hook_state_arrive(h, h->insn->address + h->insn->size, after);
}

/* Read the code once. */
static void pass(struct hook_state *h, const uint8_t *code)
{
	uint64_t address = h->start;
	size_t left = h->end - h->start;

	h->changed = false;
	while (cs_disasm_iter(h->engine, &code, &left, &address, h->insn))
		hook_state_step(h);
}

/* Read it until all is known. */
static void hook_state_follow(struct hook_state *h, const uint8_t *code)
{
	h->changed = true;
	for (int i = 0; h->changed && i < MOST_PASSES; i++)
		pass(h, code);
}

bool hook_state_read(struct hook_state *h, uint64_t start, uint64_t end, bool is_cold)
{
	size_t length = 0;
	const uint8_t *code = end > start ? binary_bytes(h->binary, start, &length) : NULL;

	h->start = h->end = start;
	if (!code || length < end - start)
		return false;
	if (end - start > h->room) {
		uint8_t *states = realloc(h->states, end - start);

		if (!states)
			return false;
		h->states = states;
		h->room = end - start;
	}
	h->end = end;
	memset(h->states, 0, end - start);
	h->states[0] = is_cold ? ENTERED : BEFORE;
	hook_state_follow(h, code);
	for (uint64_t i = 0; i < end - start; i++)	/* what only a table of jumps leads to */
		if (h->states[i] == INSTRUCTION)
			h->states[i] |= ENTERED;
	hook_state_follow(h, code);
	return true;
}

bool hook_state_is_open(const struct hook_state *h, uint64_t address)
{
	if (address < h->start || address >= h->end || !(h->states[address - h->start] & INSTRUCTION))
		return true;
	return h->states[address - h->start] & (BEFORE | LEFT);
}
