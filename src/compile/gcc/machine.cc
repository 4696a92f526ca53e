/* machine.cc - what an instruction makes of what is known. */
#include "compile/gcc/machine.h"

#include <algorithm>

#include "regs.h"
#include "function-abi.h"
#include "insn-constants.h"
#include "tm_p.h"

namespace aprof {

const value nothing = { UNKNOWN, 0, 0 };

/* ---- what is known ---- */

static bool is_before(const knowledge::fact &f, const place &where) { return f.where < where; }

value knowledge::at(place where) const
{
	auto i = std::lower_bound(all.begin(), all.end(), where, is_before);

	return i != all.end() && i->where == where ? i->what : nothing;
}

void knowledge::set(place where, value what)
{
	auto i = std::lower_bound(all.begin(), all.end(), where, is_before);
	bool there = i != all.end() && i->where == where;

	if (what.kind == UNKNOWN && there)
		all.erase(i);
	else if (there)
		i->what = what;
	else if (what.kind != UNKNOWN)
		all.insert(i, { where, what });
}

template <typename predicate> void knowledge::forget_all(predicate which)
{
	all.erase(std::remove_if(all.begin(), all.end(), which), all.end());
}

bool knowledge::meet(const knowledge &other)
{
	size_t before = all.size();

	forget_all([&](const fact &f) { return !(other.at(f.where) == f.what); });
	return all.size() != before;
}

knowledge at_entry()
{
	knowledge k;

	k.set(reg(STACK_POINTER_REGNUM), { STACK, 0, 0 });
	k.set(context, { PREV, 0, 0 });
	k.set(entered, { NUMBER, 0, 0 });
	k.set(pushed, { NUMBER, 0, 0 });
	return k;
}

/* ---- values ---- */

static bool is_address(kind k) { return k == STACK || k == DISTANCE || k == WORDS || k == NUMBER; }

static value add(const value &a, const value &b)
{
	if (a.kind == PREV || a.kind == SUM || b.kind == PREV || b.kind == SUM)
		return { SUM, 0, 0 };
	if (b.kind == NUMBER && is_address(a.kind))
		return { a.kind, a.base, a.offset + b.offset };
	if (a.kind == NUMBER && is_address(b.kind))
		return { b.kind, b.base, b.offset + a.offset };
	if (a.kind == RESUME || b.kind == RESUME)
		return { RESUME, 0, 0 };
	if (a.kind == THREAD && b.kind == DISTANCE)
		return { WORDS, 0, b.offset };
	if (a.kind == DISTANCE && b.kind == THREAD)
		return { WORDS, 0, a.offset };
	return nothing;
}

static bool is_symbol(rtx x, const char *name)
{
	return GET_CODE(x) == SYMBOL_REF && !strcmp(targetm.strip_name_encoding(XSTR(x, 0)), name);
}

static bool is_our_symbol(rtx x) { return is_symbol(x, "aprof_tls"); }

static value of_unspec(rtx x)
{
	if (XINT(x, 1) == UNSPEC_TP)
		return { THREAD, 0, 0 };
	if (is_symbol(XVECEXP(x, 0, 0), "_Unwind_Resume"))
		return { RESUME, 0, 0 };
	if ((XINT(x, 1) == UNSPEC_NTPOFF || XINT(x, 1) == UNSPEC_TPOFF) && is_our_symbol(XVECEXP(x, 0, 0)))
		return { DISTANCE, 0, 0 };
	return nothing;
}

/* Is ADDRESS that of the word in which the loader leaves the distance to aprof_tls? */
static bool holds_distance(rtx address)
{
	if (GET_CODE(address) == CONST)
		address = XEXP(address, 0);
	return GET_CODE(address) == UNSPEC && (XINT(address, 1) == UNSPEC_GOTNTPOFF || XINT(address, 1) == UNSPEC_GOTTPOFF) &&
	       is_our_symbol(XVECEXP(address, 0, 0));
}

/* The bytes of MEM; 0: it is not known.  What GCC notes of a number of 80 bits that is pushed in two words is that each of them is 16 bytes long. */
static HOST_WIDE_INT size_of(rtx mem)
{
	if (GET_MODE(mem) != BLKmode)
		return GET_MODE_SIZE(GET_MODE(mem)).to_constant();
	return MEM_SIZE_KNOWN_P(mem) ? (HOST_WIDE_INT)MEM_SIZE(mem).to_constant() : 0;
}

/* The address of MEM, and in *SP what the stack pointer is afterwards, if it is pushed or popped. */
static value address_of(const knowledge &k, rtx mem, value *sp)
{
	rtx x = XEXP(mem, 0);
	value size = { NUMBER, 0, size_of(mem) }, old;

	if (GET_RTX_CLASS(GET_CODE(x)) != RTX_AUTOINC)
		return evaluate(k, x);
	old = evaluate(k, XEXP(x, 0));
	switch (GET_CODE(x)) {
	case PRE_DEC:
		size.offset = -size.offset;
		return *sp = add(old, size);
	case PRE_MODIFY:
		return *sp = evaluate(k, XEXP(x, 1));
	case POST_INC:
		*sp = add(old, size);
		return old;
	default:
		*sp = nothing;
		return nothing;
	}
}

/* The place that MEM at ADDRESS is. False: another one. */
static bool find_place(rtx mem, const value &address, place *where)
{
	bool by_fs = MEM_ADDR_SPACE(mem) == ADDR_SPACE_SEG_FS;

	if (address.kind == STACK && !by_fs) {
		*where = { address.base, address.offset };
		return true;
	}
	if (address.kind == (by_fs ? DISTANCE : WORDS) && address.offset == TLS_CURRENT) {
		*where = context;
		return true;
	}
	return false;
}

static value load(const knowledge &k, rtx mem)
{
	value sp, address;
	place where;

	if (GET_MODE(mem) != word_mode)
		return nothing;
	if (holds_distance(XEXP(mem, 0)))
		return { DISTANCE, 0, 0 };
	address = address_of(k, mem, &sp);
	if (MEM_ADDR_SPACE(mem) == ADDR_SPACE_SEG_FS && address == value{ NUMBER, 0, 0 })
		return { THREAD, 0, 0 };
	if (address.kind == RESUME)
		return address;
	return find_place(mem, address, &where) ? k.at(where) : nothing;
}

/* What an asm of ours leaves in the output of X. */
static value of_asm(const knowledge &k, rtx x)
{
	const char *text = ASM_OPERANDS_TEMPLATE(x);

	if (!strcmp(text, copy_word) || !strcmp(text, tail_exit))
		return evaluate(k, ASM_OPERANDS_INPUT(x, 0));
	if (!strcmp(text, tail_exit_tsc) && ASM_OPERANDS_OUTPUT_IDX(x) == TAIL_EXIT_TSC_CONTEXT)
		return evaluate(k, ASM_OPERANDS_INPUT(x, TAIL_EXIT_TSC_PREV));
	if (is_miss(text) && !ASM_OPERANDS_OUTPUT_IDX(x))
		return { PREV, 0, 0 };
	if (!strcmp(text, count_site) && ASM_OPERANDS_OUTPUT_IDX(x) == COUNT_SITE_CONTEXT)
		return evaluate(k, ASM_OPERANDS_INPUT(x, COUNT_SITE_NEXT));
	return nothing;
}

static value multiply(const knowledge &k, rtx x)
{
	bool ours = CONST_INT_P(XEXP(x, 1)) && UINTVAL(XEXP(x, 1)) == step_factor && evaluate(k, XEXP(x, 0)).kind == SUM;

	return ours ? value{ NEXT, 0, 0 } : nothing;
}

value evaluate(const knowledge &k, rtx x)
{
	switch (GET_CODE(x)) {
	case REG:
		return GET_MODE(x) == word_mode ? k.at(reg(REGNO(x))) : nothing;
	case CONST_INT:
		return { NUMBER, 0, INTVAL(x) };
	case CONST:
		return evaluate(k, XEXP(x, 0));
	case SYMBOL_REF:
		return is_symbol(x, "_Unwind_Resume") ? value{ RESUME, 0, 0 } : nothing;
	case UNSPEC:
		return of_unspec(x);
	case MEM:
		return load(k, x);
	case PLUS:
		return add(evaluate(k, XEXP(x, 0)), evaluate(k, XEXP(x, 1)));
	case MINUS:
		if (!CONST_INT_P(XEXP(x, 1)))
			return nothing;
		return add(evaluate(k, XEXP(x, 0)), { NUMBER, 0, -INTVAL(XEXP(x, 1)) });
	case MULT:
		return multiply(k, x);
	case ASM_OPERANDS:
		return of_asm(k, x);
	default:
		return nothing;
	}
}

/* ---- what is written ---- */

static void write_context(knowledge *k, value what)
{
	if (what.kind == NEXT && k->kind_at(context) == PREV) {
		what = { OWN, 0, 0 };
		k->set(entered, { NUMBER, 0, 1 });
	}
	if (what == value{ NUMBER, 0, LOST_ID })
		what = { LOST, 0, 0 };
	k->set(context, what.kind == PREV || what.kind == OWN || what.kind == LOST ? what : nothing);
}

/* The stack goes on at an address that is not known: call it after INSN. What was called so, in an earlier turn of a loop, is no more. */
static value new_base(knowledge *k, rtx_insn *insn)
{
	int base = INSN_UID(insn);

	k->forget_all([=](const knowledge::fact &f) { return f.where.base == base || (f.what.kind == STACK && f.what.base == base); });
	return { STACK, base, 0 };
}

static void write_register(knowledge *k, rtx x, value what, rtx_insn *insn)
{
	for (unsigned r = REGNO(x); r < END_REGNO(x); r++)
		k->forget(reg(r));
	if (REGNO(x) == STACK_POINTER_REGNUM && what.kind != STACK)
		what = new_base(k, insn);
	if (GET_MODE(x) == word_mode && REG_NREGS(x) == 1)
		k->set(reg(REGNO(x)), what);
}

/* Is MEM found from the stack's or the frame's pointer, as the compiler's own words are? */
static bool is_by_frame(rtx mem)
{
	rtx x = XEXP(mem, 0);

	if (GET_RTX_CLASS(GET_CODE(x)) == RTX_AUTOINC || (GET_CODE(x) == PLUS && CONST_INT_P(XEXP(x, 1))))
		x = XEXP(x, 0);
	return REG_P(x) && (REGNO(x) == STACK_POINTER_REGNUM || (frame_pointer_needed && REGNO(x) == HARD_FRAME_POINTER_REGNUM));
}

static void write_stack(knowledge *k, place where, HOST_WIDE_INT size, value what)
{
	k->forget_all([=](const knowledge::fact &f) {
		return f.where.base == where.base && f.where.offset < where.offset + size && where.offset < f.where.offset + UNITS_PER_WORD;
	});
	if (size == UNITS_PER_WORD)
		k->set(where, what);
}

static bool is_our_word(rtx mem)
{
	tree base = MEM_EXPR(mem) ? get_base_address(MEM_EXPR(mem)) : NULL_TREE;

	if (base && TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
		base = TREE_OPERAND(TREE_OPERAND(base, 0), 0);
	return base && VAR_P(base) && DECL_NAME(base) && id_equal(DECL_NAME(base), "aprof_tls");
}

static void write_memory(knowledge *k, rtx mem, const value &address, value what)
{
	place where;

	if (!find_place(mem, address, &where)) {
		if (is_our_word(mem) && address.kind == UNKNOWN)
			k->forget(context);
	} else if (where == context) {
		write_context(k, what);
	} else if (is_by_frame(mem)) {		/* else by a pointer: in the first turn of a loop one may seem to lead here */
		write_stack(k, where, size_of(mem), what);
	}
}

/* One of the things that an instruction writes. */
struct effect {
	rtx where;
	value address, what;
};

static bool is_charge(rtx src) { return GET_CODE(src) == ASM_OPERANDS && !strcmp(ASM_OPERANDS_TEMPLATE(src), charge); }

/* The stack pointer made a multiple of something: a stack of its own. */
static bool aligns(const knowledge &k, rtx src)
{
	return GET_CODE(src) == AND && CONST_INT_P(XEXP(src, 1)) && evaluate(k, XEXP(src, 0)).kind == STACK;
}

/* The place that DEST writes to, whole. */
static rtx whole(rtx dest)
{
	while (GET_CODE(dest) == SUBREG || GET_CODE(dest) == STRICT_LOW_PART || GET_CODE(dest) == ZERO_EXTRACT)
		dest = XEXP(dest, 0);
	return dest;
}

/* What pushes and pops leave of the stack pointer. */
static void add_autoinc(const knowledge &k, rtx mem, std::vector<effect> *effects)
{
	value sp = nothing;

	if (!MEM_P(mem) || GET_RTX_CLASS(GET_CODE(XEXP(mem, 0))) != RTX_AUTOINC)
		return;
	address_of(k, mem, &sp);
	effects->push_back({ XEXP(XEXP(mem, 0), 0), nothing, sp });
}

static void add_effect(knowledge *k, rtx x, rtx_insn *insn, std::vector<effect> *effects)
{
	rtx dest, src = GET_CODE(x) == SET ? SET_SRC(x) : NULL_RTX;
	effect e = { NULL_RTX, nothing, nothing };
	value sp;

	if (GET_CODE(x) != SET && GET_CODE(x) != CLOBBER)
		return;
	dest = whole(XEXP(x, 0));
	if (src && MEM_P(dest) && is_charge(src))	/* says that it writes the context, so that nothing passes it */
		return;
	e.where = dest;
	if (src && dest == XEXP(x, 0))
		e.what = aligns(*k, src) ? new_base(k, insn) : evaluate(*k, src);
	if (MEM_P(dest))
		e.address = address_of(*k, dest, &sp);
	effects->push_back(e);
	add_autoinc(*k, dest, effects);
	if (src)
		add_autoinc(*k, src, effects);
}

const char mend_here[] = "mov{q\t%0, %%fs:aprof_tls@tpoff+" AS_TEXT(TLS_CURRENT) "|\tQWORD PTR fs:aprof_tls@tpoff[" AS_TEXT(TLS_CURRENT) "], %0}";
const char mend_there[] = "mov{q\taprof_tls@gottpoff(%%rip), %1|\t%1, QWORD PTR aprof_tls@gottpoff[rip]}\n\t"
			  "mov{q\t%0, %%fs:" AS_TEXT(TLS_CURRENT) "(%1)|\tQWORD PTR fs:[%1+" AS_TEXT(TLS_CURRENT) "], %0}";

static void note_mend(knowledge *k, rtx_insn *insn)
{
	if (is_asm(insn, mend_here) || is_asm(insn, mend_there))
		write_context(k, evaluate(*k, ASM_OPERANDS_INPUT(extract_asm_operands(PATTERN(insn)), 0)));
}

/* The entry's miss changes the context by itself. */
static void note_miss(knowledge *k, rtx_insn *insn)
{
	if (!is_miss(asm_text(insn)))
		return;
	k->set(context, { k->kind_at(context) == PREV ? OWN : UNKNOWN, 0, 0 });
	k->set(entered, { NUMBER, 0, 1 });
}

/* What INSN writes. All it reads is read before. */
static void execute_pattern(knowledge *k, rtx_insn *insn)
{
	rtx pattern = PATTERN(insn);
	std::vector<effect> effects;

	if (GET_CODE(pattern) == PARALLEL)
		for (int i = 0; i < XVECLEN(pattern, 0); i++)
			add_effect(k, XVECEXP(pattern, 0, i), insn, &effects);
	else
		add_effect(k, pattern, insn, &effects);
	for (const effect &e : effects)
		if (REG_P(e.where))
			write_register(k, e.where, e.what, insn);
		else if (MEM_P(e.where))
			write_memory(k, e.where, e.address, e.what);
	note_miss(k, insn);
	note_mend(k, insn);
}

/* Does X write to words of aprof_tls? */
static bool writes_word(const knowledge &k, rtx x)
{
	rtx dest = GET_CODE(x) == SET ? whole(SET_DEST(x)) : NULL_RTX;
	value address, sp;

	if (!dest || !MEM_P(dest))
		return false;
	address = address_of(k, dest, &sp);
	return address.kind == (MEM_ADDR_SPACE(dest) == ADDR_SPACE_SEG_FS ? DISTANCE : WORDS) || is_our_word(dest);
}

bool writes_words(const knowledge &k, rtx_insn *insn)
{
	rtx pattern = PATTERN(insn);

	for (const char *text : { count, count_site, charge, tail_exit, tail_exit_tsc, mend_here, mend_there })
		if (is_asm(insn, text))
			return true;
	if (is_miss(asm_text(insn)))
		return true;
	return writes_word(k, GET_CODE(pattern) == PARALLEL ? XVECEXP(pattern, 0, 0) : pattern);
}

/* Forget the registers that ABI does not preserve, and the stack below its pointer. */
template <typename abi_type> static void overwrite(knowledge *k, const abi_type &abi)
{
	value sp = k->at(reg(STACK_POINTER_REGNUM));

	k->forget_all([&](const knowledge::fact &f) {
		if (f.where.base == REGISTER)
			return abi.clobbers_at_least_part_of_reg_p(f.where.offset);
		return sp.kind == STACK && f.where.base == sp.base && f.where.offset < sp.offset;
	});
}

/* GCC notes whom a call calls only where it optimises. */
tree called_routine(rtx_insn *insn)
{
	rtx x = get_call_rtx_from(insn), symbol = x ? XEXP(XEXP(x, 0), 0) : NULL_RTX;
	tree decl = get_call_fndecl(insn);

	return decl || !symbol || GET_CODE(symbol) != SYMBOL_REF ? decl : SYMBOL_REF_DECL(symbol);
}

static void execute_call(knowledge *k, rtx_insn *insn)
{
	value sp = k->at(reg(STACK_POINTER_REGNUM));

	overwrite(k, insn_callee_abi(insn));
	for (rtx use = CALL_INSN_FUNCTION_USAGE(insn); use; use = XEXP(use, 1))
		if (GET_CODE(XEXP(use, 0)) == CLOBBER && REG_P(XEXP(XEXP(use, 0), 0)))
			write_register(k, XEXP(XEXP(use, 0), 0), nothing, insn);
	k->set(reg(STACK_POINTER_REGNUM), sp);
	execute_pattern(k, insn);
	if (find_reg_note(insn, REG_SETJMP, NULL_RTX) || switches_stack(called_routine(insn)))
		k->forget(context);
}

void execute(knowledge *k, rtx_insn *insn)
{
	rtx note = find_reg_note(insn, REG_ARGS_SIZE, NULL_RTX);

	if (CALL_P(insn))
		execute_call(k, insn);
	else
		execute_pattern(k, insn);
	if (note)
		k->set(pushed, { NUMBER, 0, INTVAL(XEXP(note, 0)) });
}

void note_equal(knowledge *k, rtx a, rtx b)
{
	value of_a = evaluate(*k, a), of_b = evaluate(*k, b);

	if (!REG_P(a) || !REG_P(b) || GET_MODE(a) != word_mode || GET_MODE(b) != word_mode)
		return;
	if (of_a.kind == UNKNOWN)
		k->set(reg(REGNO(a)), of_b);
	else if (of_b.kind == UNKNOWN)
		k->set(reg(REGNO(b)), of_a);
}

knowledge received(const knowledge &k, rtx_insn *insn, bool nonlocal)
{
	value sp = k.at(reg(STACK_POINTER_REGNUM)), arguments = k.at(pushed);
	knowledge there = k;

	overwrite(&there, eh_edge_abi);
	there.forget(context);
	if (nonlocal)
		there.forget_all([](const knowledge::fact &f) {
			return f.where.base == REGISTER && f.where.offset != HARD_FRAME_POINTER_REGNUM;
		});
	there.set(reg(STACK_POINTER_REGNUM), CALL_P(insn) ? add(sp, arguments) : sp);
	there.set(pushed, { NUMBER, 0, 0 });
	return there;
}

} /* namespace aprof */
