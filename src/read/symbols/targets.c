/* targets.c - calls and jumps by capstone.
 *
 *     x86       call f; jmp f; jne f       call *slot(%rip); jmp *slot(%rip)      stub: endbr64; bnd jmp *slot(%rip)
 *     aarch64   bl f; b f; cbz x0, f       -                                      stub: adrp x16; ldr x17, [x16, #n]; br x17
 *
 * Most instructions are neither calls nor jumps, and capstone's details of an instruction cost as much as all else: so it is
 * asked for them only when the mere number of the instruction says that it may be one. */
#include "read/symbols/targets.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	STUB = 4,		/* instructions of a stub, at most */
};

struct instruction_set {
	unsigned elf;		/* e_machine */
	cs_arch arch;		/* for capstone */
	cs_mode mode;		/* the same */
	uint64_t most;		/* largest address */
	bool (*branches)(unsigned id); /* whether instructions of this number may call or jump */
	uint64_t (*slot)(const cs_insn *insn, uint64_t *page); /* slot that INSN reads; 0: none. PAGE is kept along a stub */
};

struct targets {
	const struct instruction_set *machine; /* what it was made for */
	csh quick;		/* capstone without details */
	csh thorough;		/* capstone with them */
	cs_insn *insn;		/* the instruction at hand, of QUICK */
	cs_insn *detailed;	/* the same, of THOROUGH */
	const uint8_t *code;	/* what is still to be read */
	size_t length;		/* bytes of it */
	uint64_t address;	/* link-time, of its first byte */
};

static bool x86_branches(unsigned id)
{
	switch (id) {		/* each by name: their order is another one in each version of capstone */
	case X86_INS_CALL: case X86_INS_JMP:
	case X86_INS_JA: case X86_INS_JAE: case X86_INS_JB: case X86_INS_JBE: case X86_INS_JE: case X86_INS_JNE:
	case X86_INS_JG: case X86_INS_JGE: case X86_INS_JL: case X86_INS_JLE: case X86_INS_JO: case X86_INS_JNO:
	case X86_INS_JP: case X86_INS_JNP: case X86_INS_JS: case X86_INS_JNS:
	case X86_INS_JCXZ: case X86_INS_JECXZ: case X86_INS_JRCXZ:
		return true;
	default:
		return false;
	}
}

static uint64_t x86_slot(const cs_insn *insn, uint64_t *page)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	(void)page;
	if (insn->detail->x86.op_count != 1 || op->type != X86_OP_MEM || op->mem.index != X86_REG_INVALID
	    || op->mem.segment != X86_REG_INVALID)
		return 0;
	if (op->mem.base == X86_REG_RIP)
		return insn->address + insn->size + (uint64_t)op->mem.disp;
	return op->mem.base == X86_REG_INVALID ? (uint64_t)op->mem.disp : 0;
}

static bool arm64_branches(unsigned id)
{
	return id == ARM64_INS_B || id == ARM64_INS_BL || id == ARM64_INS_CBZ || id == ARM64_INS_CBNZ || id == ARM64_INS_TBZ
		|| id == ARM64_INS_TBNZ;
}

static uint64_t arm64_slot(const cs_insn *insn, uint64_t *page)
{
	const cs_arm64 *a = &insn->detail->arm64;

	if (insn->id == ARM64_INS_ADRP && a->op_count == 2 && a->operands[1].type == ARM64_OP_IMM)
		*page = (uint64_t)a->operands[1].imm;
	if (insn->id != ARM64_INS_LDR || a->op_count != 2 || a->operands[1].type != ARM64_OP_MEM || !*page)
		return 0;
	return *page + (uint64_t)(int64_t)a->operands[1].mem.disp;
}

static const struct instruction_set machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, UINT64_MAX, x86_branches, x86_slot },
	{ EM_386, CS_ARCH_X86, CS_MODE_32, UINT32_MAX, x86_branches, x86_slot },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, UINT64_MAX, arm64_branches, arm64_slot },
};

static const struct instruction_set *machine_of(unsigned elf)
{
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}

static bool open_engine(const struct instruction_set *m, csh *engine, bool details)
{
	return cs_open(m->arch, m->mode, engine) == CS_ERR_OK
		&& cs_option(*engine, CS_OPT_DETAIL, details ? CS_OPT_ON : CS_OPT_OFF) == CS_ERR_OK
		&& (details || cs_option(*engine, CS_OPT_SKIPDATA, CS_OPT_ON) == CS_ERR_OK);
}

/* Text as the assembler of the system and its disassemblers have it. */
static bool writes_as_the_system(const struct instruction_set *m, csh engine)
{
	return m->arch != CS_ARCH_X86 || cs_option(engine, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT) == CS_ERR_OK;
}

struct targets *targets_new(unsigned machine)
{
	const struct instruction_set *m = machine_of(machine);
	struct targets *t = m ? calloc(1, sizeof *t) : NULL;

	if (!t)
		return NULL;
	t->machine = m;
	if (open_engine(m, &t->quick, false) && writes_as_the_system(m, t->quick) && open_engine(m, &t->thorough, true)
	    && (t->insn = cs_malloc(t->quick)) && (t->detailed = cs_malloc(t->thorough)))
		return t;
	targets_free(t);
	return NULL;
}

void targets_free(struct targets *t)
{
	if (!t)
		return;
	if (t->insn)
		cs_free(t->insn, 1);
	if (t->detailed)
		cs_free(t->detailed, 1);
	if (t->quick)
		cs_close(&t->quick);
	if (t->thorough)
		cs_close(&t->thorough);
	free(t);
}

void targets_start(struct targets *t, const unsigned char *code, size_t length, uint64_t address)
{
	t->code = code;
	t->length = length;
	t->address = address;
}

/* Whether the instruction in t->detailed goes somewhere that it says. */
static bool targets_goes(const struct targets *t, struct target *target)
{
	const cs_insn *insn = t->detailed;
	uint64_t page = 0;
	int n = t->machine->arch == CS_ARCH_X86 ? insn->detail->x86.op_count : insn->detail->arm64.op_count;

	*target = (struct target){ .at = insn->address, .jump = insn->id != (t->machine->arch == CS_ARCH_X86 ? (unsigned)X86_INS_CALL : (unsigned)ARM64_INS_BL) };
	if (n == 0)
		return false;
	if (t->machine->arch == CS_ARCH_X86 && insn->detail->x86.operands[n - 1].type == X86_OP_IMM)
		target->address = (uint64_t)insn->detail->x86.operands[n - 1].imm;
	else if (t->machine->arch == CS_ARCH_ARM64 && insn->detail->arm64.operands[n - 1].type == ARM64_OP_IMM)
		target->address = (uint64_t)insn->detail->arm64.operands[n - 1].imm;
	else
		target->slot = t->machine->slot(insn, &page) & t->machine->most;
	target->address &= t->machine->most;
	return target->address || target->slot;
}

bool targets_next(struct targets *t, struct target *target)
{
	while (cs_disasm_iter(t->quick, &t->code, &t->length, &t->address, t->insn)) {
		const uint8_t *code = t->insn->bytes;
		size_t length = t->insn->size;
		uint64_t address = t->insn->address;

		if (t->machine->branches(t->insn->id)
		    && cs_disasm_iter(t->thorough, &code, &length, &address, t->detailed) && targets_goes(t, target))
			return true;
	}
	return false;
}

bool targets_text(struct targets *t, uint64_t *at, char *text, size_t size)
{
	if (!cs_disasm_iter(t->quick, &t->code, &t->length, &t->address, t->insn))
		return false;
	*at = t->insn->address;
	snprintf(text, size, t->insn->op_str[0] ? "%-7s %s" : "%s", t->insn->mnemonic, t->insn->op_str);
	return true;
}

uint64_t targets_stub(struct targets *t)
{
	uint64_t page = 0, slot = 0;

	for (int i = 0; i < STUB && slot == 0; i++) {
		if (!cs_disasm_iter(t->thorough, &t->code, &t->length, &t->address, t->detailed))
			return 0;
		slot = t->machine->slot(t->detailed, &page) & t->machine->most;
	}
	return slot;
}
