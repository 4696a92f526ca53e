/* fallback.cc - hooks that are called, for routines where the proof fails.
 *
 * By then the code is made.  So what writes to the thread's words is taken out, and the probe that is left only reads; the hooks of way fentry
 * are called first thing in the routine, and last before each exit, where they keep all registers that are in use. */
#include "compile/gcc/machine.h"

#include "insn-constants.h"

namespace aprof {

static const char call_entry[] = "call\t{*__aprof_entry@GOTPCREL(%%rip)|[QWORD PTR __aprof_entry@GOTPCREL[rip]]}";
static const char call_exit[] = "call\t{*__return__@GOTPCREL(%%rip)|[QWORD PTR __return__@GOTPCREL[rip]]}";

/* The asm TEXT, a call of a hook. Callers that know which registers the routine overwrites (-fipa-ra) must know of the hook's. */
static rtx asm_pattern(const char *text)
{
	rtx op = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(text), "", 0, rtvec_alloc(0), rtvec_alloc(0), rtvec_alloc(0), UNKNOWN_LOCATION);

	MEM_VOLATILE_P(op) = 1;
	return gen_rtx_PARALLEL(VOIDmode, gen_rtvec(4, op, gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(word_mode, R10_REG)),
						    gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(word_mode, R11_REG)),
						    gen_rtx_CLOBBER(VOIDmode, gen_rtx_REG(CCmode, FLAGS_REG))));
}

static bool is_exit(rtx_insn *insn) { return (CALL_P(insn) && SIBLING_CALL_P(insn)) || (JUMP_P(insn) && returnjump_p(insn)); }

/* Where indirect jumps may land: it stays first in a routine. */
static bool is_landing(rtx_insn *insn)
{
	rtx x = PATTERN(insn);

	return GET_CODE(x) == UNSPEC_VOLATILE && XINT(x, 1) == UNSPECV_NOP_ENDBR;
}

/* The first insn of the function at hand before which a hook may be called. */
static rtx_insn *first_place()
{
	rtx_insn *insn = get_insns();

	while (!NONDEBUG_INSN_P(insn) || is_landing(insn))
		insn = NEXT_INSN(insn);
	return insn;
}

bool can_fall_back(function *fun)
{
	return !DECL_STATIC_CHAIN(fun->decl);		/* it comes in a register that the hook does not keep */
}

void fall_back(const std::vector<rtx_insn *> &writers)
{
	rtx_insn *next;

	for (rtx_insn *insn : writers)
		delete_insn(insn);
	insert_before(asm_pattern(call_entry), first_place());
	for (rtx_insn *insn = get_insns(); insn; insn = next) {
		next = NEXT_INSN(insn);
		if (is_exit(insn))
			insert_before(asm_pattern(call_exit), insn);
	}
}

} /* namespace aprof */
