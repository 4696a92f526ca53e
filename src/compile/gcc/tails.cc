/* tails.cc - exits before tail calls, once it is known which of them are jumps.
 *
 * Whether a call that is marked as a tail call becomes a jump is decided when it is expanded.  The store before it is an asm of its own.  What
 * computes the arguments is expanded behind that asm, and may have branches and calls of the compiler's own (a conversion of unsigned long to
 * double has branches, one of 128 bits a call).  So the ways from the asm are followed:
 *
 *	asm ... jump		straight: it stands where it should
 *	asm ... call, return	no jump: the store before the return does it; the asm goes
 *	asm ... other ... jump	it goes, and one like it comes before each jump to which it leads */
#include "compile/gcc/parts.h"

#include "df.h"

namespace aprof {

const char *asm_text(rtx_insn *insn)
{
	rtx op = NONJUMP_INSN_P(insn) ? extract_asm_operands(PATTERN(insn)) : NULL_RTX;

	return op ? ASM_OPERANDS_TEMPLATE(op) : "";
}

bool is_asm(rtx_insn *insn, const char *text) { return !strcmp(asm_text(insn), text); }

bool is_tail_exit(rtx_insn *insn) { return is_asm(insn, tail_exit) || is_asm(insn, tail_exit_tsc); }

/* Follow the insns from INSN to the end of its block. Returns false where another exit, or a jump, which is added to JUMPS, ends the way. */
static bool follow(rtx_insn *insn, rtx_insn *end, vec<rtx_insn *> *jumps)
{
	for (;; insn = NEXT_INSN(insn)) {
		if (is_tail_exit(insn))
			return false;
		if (CALL_P(insn) && SIBLING_CALL_P(insn)) {
			jumps->safe_push(insn);
			return false;
		}
		if (insn == end)
			return true;
	}
}

/* Add to JUMPS the tail calls that are jumps, and to which ways from EXIT lead with no other exit between. */
static void find_jumps(rtx_insn *exit, vec<rtx_insn *> *jumps)
{
	auto_vec<basic_block> todo;
	auto_bitmap seen;
	basic_block bb = BLOCK_FOR_INSN(exit);
	edge e;
	edge_iterator i;

	if (exit != BB_END(bb) && !follow(NEXT_INSN(exit), BB_END(bb), jumps))
		return;
	for (todo.safe_push(bb); !todo.is_empty();)
		FOR_EACH_EDGE(e, i, todo.pop()->succs)
			if (e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun) && bitmap_set_bit(seen, e->dest->index) &&
			    follow(BB_HEAD(e->dest), BB_END(e->dest), jumps))
				todo.safe_push(e->dest);
}

/* Does nothing but straight code stand between EXIT and JUMP? */
static bool is_straight(rtx_insn *exit, rtx_insn *jump)
{
	if (BLOCK_FOR_INSN(exit) != BLOCK_FOR_INSN(jump))
		return false;
	for (rtx_insn *i = NEXT_INSN(exit); i != jump; i = NEXT_INSN(i))
		if (CALL_P(i))
			return false;
	return true;
}

/* The first of the insns that put the arguments of JUMP into their registers: behind it the exit would want more registers than there are. */
static rtx_insn *before_arguments(rtx_insn *jump)
{
	rtx_insn *first = jump;

	for (rtx_insn *i = jump; i != BB_HEAD(BLOCK_FOR_INSN(jump)) && (i == jump || !CALL_P(i)); i = PREV_INSN(i)) {
		rtx set = NONJUMP_INSN_P(i) ? single_set(i) : NULL_RTX;

		if (set && REG_P(SET_DEST(set)) && HARD_REGISTER_P(SET_DEST(set)))
			first = i;
	}
	return first;
}

static void place_exit(rtx_insn *exit)
{
	auto_vec<rtx_insn *> jumps;
	rtx_insn *jump;
	unsigned i;

	find_jumps(exit, &jumps);
	if (jumps.length() == 1 && is_straight(exit, jumps[0]))
		return;
	if (!options.lose_exits)
		FOR_EACH_VEC_ELT(jumps, i, jump)
			INSN_LOCATION(emit_insn_before(copy_insn(PATTERN(exit)), before_arguments(jump))) = INSN_LOCATION(exit);
	delete_insn(exit);
}

unsigned int place_tail_exits()
{
	auto_vec<rtx_insn *> exits;
	rtx_insn *insn;
	unsigned i;

	for (insn = get_insns(); insn; insn = NEXT_INSN(insn))
		if (is_tail_exit(insn))
			exits.safe_push(insn);
	FOR_EACH_VEC_ELT(exits, i, insn)
		place_exit(insn);
	return 0;
}

} /* namespace aprof */
