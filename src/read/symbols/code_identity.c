/* code_identity.c - digests of functions by capstone. */
#include "read/symbols/code_identity.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What a function's instructions are read with. */
struct reading {
	struct module *m;
	uint64_t start, end;		/* of the function, link-time */
	bool fixed;			/* the program is linked for one place: */
	uint64_t low, high;		/* addresses from .. to are its own */
	struct padding {		/* instructions that do nothing: how many there are depends on where the function is */
		uint64_t start, size;
	} *paddings;
	size_t npaddings, room;
	uint64_t digest;
};

/* Fowler, Noll and Vo's, 1a. */
static void mix(struct reading *r, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->digest = (r->digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static bool is_own_address(const struct reading *r, int64_t value)
{
	return r->fixed && (uint64_t)value >= r->low && (uint64_t)value < r->high;
}

/* Does the operand's displacement tell where something is? */
static bool is_placed(const struct reading *r, const cs_x86_op *op)
{
	return op->mem.base == X86_REG_RIP || op->mem.segment == X86_REG_FS || op->mem.segment == X86_REG_GS || is_own_address(r, op->mem.disp);
}

static bool padding_add(struct reading *r, uint64_t start, uint64_t size)
{
	if (!array_grow(&r->paddings, &r->room, r->npaddings, sizeof *r->paddings))
		return false;
	r->paddings[r->npaddings++] = (struct padding){ start, size };
	return true;
}

/* A jump to TARGET, inside the function: how far from its start, but for padding. */
static void mix_inside(struct reading *r, uint64_t target)
{
	uint64_t offset = target - r->start;

	for (size_t i = 0; i < r->npaddings && r->paddings[i].start < target; i++)
		offset -= r->paddings[i].size;
	mix(r, &offset, sizeof offset);
}

/* A call or jump to TARGET, outside the function: who is there. */
static void mix_target(struct reading *r, uint64_t target)
{
	const struct symbol *to = module_find(r->m, target);
	uint64_t offset = to ? target - to->start : 0;

	if (to && to->known) {
		mix(r, to->display, strlen(to->display));
		mix(r, &offset, sizeof offset);
	}
}

static bool is_branch(csh engine, const cs_insn *insn)
{
	return cs_insn_group(engine, insn, CS_GRP_CALL) || cs_insn_group(engine, insn, CS_GRP_JUMP);
}

/* Mix the instruction INSN, without what follows from where things are. */
static void mix_instruction(struct reading *r, csh engine, const cs_insn *insn)
{
	const cs_x86 *x = &insn->detail->x86;
	uint8_t bytes[sizeof insn->bytes];

	memcpy(bytes, insn->bytes, insn->size);
	for (int i = 0; i < x->op_count; i++) {
		const cs_x86_op *op = &x->operands[i];
		bool goes = op->type == X86_OP_IMM && is_branch(engine, insn), leaves = goes && ((uint64_t)op->imm < r->start || (uint64_t)op->imm >= r->end);

		if (op->type == X86_OP_MEM && x->encoding.disp_size && is_placed(r, op))
			memset(bytes + x->encoding.disp_offset, 0, x->encoding.disp_size);
		if (op->type == X86_OP_IMM && x->encoding.imm_size && (goes || is_own_address(r, op->imm)))
			memset(bytes + x->encoding.imm_offset, 0, x->encoding.imm_size);
		if (leaves)
			mix_target(r, (uint64_t)op->imm);
		else if (goes)
			mix_inside(r, (uint64_t)op->imm);
	}
	mix(r, bytes, insn->size);
}

/* Whether B is linked for one place, and which addresses are its own then. */
static void place_find(struct reading *r, const struct binary *b)
{
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t n = 0;

	r->fixed = gelf_getehdr(b->elf, &header) && header.e_type == ET_EXEC && elf_getphdrnum(b->elf, &n) == 0;
	r->low = UINT64_MAX;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(b->elf, (int)i, &segment) && segment.p_type == PT_LOAD) {
			r->low = segment.p_vaddr < r->low ? segment.p_vaddr : r->low;
			r->high = segment.p_vaddr + segment.p_memsz > r->high ? segment.p_vaddr + segment.p_memsz : r->high;
		}
}

/* Every instruction of the function: padding alone is kept, or all others are mixed.  False: not all of it is instructions, or out of memory. */
static bool instructions_read(struct reading *r, csh engine, const unsigned char *code, bool padding)
{
	cs_insn *insn = cs_malloc(engine);
	size_t length = r->end - r->start;
	uint64_t address = r->start;
	bool good = insn != NULL;

	while (good && length && cs_disasm_iter(engine, &code, &length, &address, insn)) {
		if (insn->id != X86_INS_NOP && !padding)
			mix_instruction(r, engine, insn);
		good = insn->id != X86_INS_NOP || !padding || padding_add(r, insn->address, insn->size);
	}
	if (insn)
		cs_free(insn, 1);
	return good && length == 0;
}

uint64_t code_identity(struct module *m, uint64_t address)
{
	uint32_t function = m->present && m->binary.machine == EM_X86_64 ? functions_find(&m->functions, address) : FUNCTION_NONE;
	struct reading r = { .m = m, .digest = UINT64_C(0xcbf29ce484222325) };
	const unsigned char *code;
	size_t length;
	csh engine;
	bool whole;

	if (function == FUNCTION_NONE)
		return 0;
	r.start = m->functions.functions[function].start;
	r.end = m->functions.functions[function].end;
	code = binary_bytes(&m->binary, r.start, &length);
	if (!code || length < r.end - r.start || cs_open(CS_ARCH_X86, CS_MODE_64, &engine) != CS_ERR_OK)
		return 0;
	place_find(&r, &m->binary);
	whole = cs_option(engine, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK && instructions_read(&r, engine, code, true) && instructions_read(&r, engine, code, false);
	cs_close(&engine);
	free(r.paddings);
	return whole ? r.digest | 1 : 0;
}
