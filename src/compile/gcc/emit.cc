/* emit.cc - pieces of GIMPLE: the thread's words, assignments, asms, and the code of clock tsc. */
#include "compile/gcc/parts.h"

namespace aprof {

tree word_type() { return long_unsigned_type_node; }

/* The thread's words, struct aprof_tls, once tls_decl has made it. */
static tree tls;

const ggc_root_tab roots[] = {
	{ &tls, 1, sizeof tls, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
	LAST_GGC_ROOT_TAB
};

/* In an executable they are at an offset that the linker knows. */
static tree tls_decl()
{
	tree decl = tls;

	if (decl)
		return decl;
	tree type = build_array_type_nelts(word_type(), TLS_WORDS);

	decl = tls = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("aprof_tls"), type);
	TREE_PUBLIC(decl) = DECL_EXTERNAL(decl) = TREE_USED(decl) = DECL_ARTIFICIAL(decl) = TREE_ADDRESSABLE(decl) = 1;
	DECL_IGNORED_P(decl) = 1;
	DECL_VISIBILITY(decl) = VISIBILITY_DEFAULT;
	DECL_VISIBILITY_SPECIFIED(decl) = 1;
	set_decl_tls_model(decl, flag_shlib ? TLS_MODEL_INITIAL_EXEC : TLS_MODEL_LOCAL_EXEC);
	return decl;
}

tree word_at(tree base, int offset, bool is_volatile)
{
	tree type = is_volatile ? build_qualified_type(word_type(), TYPE_QUAL_VOLATILE) : word_type();
	tree ref = build2(MEM_REF, type, base, build_int_cst(ptr_type_node, offset));

	TREE_THIS_VOLATILE(ref) = TREE_SIDE_EFFECTS(ref) = is_volatile;
	TREE_THIS_NOTRAP(ref) = 1;
	return ref;
}

tree tls_word(int offset)
{
	return word_at(build_fold_addr_expr(tls_decl()), offset, false);
}

tree volatile_word(int offset) { return word_at(build_fold_addr_expr(tls_decl()), offset, true); }
tree current() { return volatile_word(TLS_CURRENT); }

tree emit_assign(gimple_seq *seq, tree type, tree rhs)
{
	tree name = make_ssa_name(type);

	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(name, rhs));
	return name;
}

tree emit_load(gimple_seq *seq, tree ref) { return emit_assign(seq, word_type(), ref); }

tree emit_op(gimple_seq *seq, enum tree_code code, tree a, tree b)
{
	tree name = make_ssa_name(word_type());

	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(name, code, a, b));
	return name;
}

tree emit_pointer(gimple_seq *seq, tree word)
{
	tree name = make_ssa_name(ptr_type_node);

	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(name, NOP_EXPR, word));
	return name;
}

void emit_store(gimple_seq *seq, tree ref, tree value)
{
	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(ref, value));
}

tree operand(const char *constraint, tree value)
{
	return build_tree_list(build_tree_list(NULL_TREE, build_string(strlen(constraint), constraint)), value);
}

gasm *emit_asm(gimple_seq *seq, const char *text, operands out, operands in, std::initializer_list<const char *> clobbers)
{
	vec<tree, va_gc> *outs = NULL, *ins = NULL, *clobbered = NULL;
	gasm *stmt;

	for (tree o : out)
		vec_safe_push(outs, o);
	for (tree i : in)
		vec_safe_push(ins, i);
	for (const char *c : clobbers)
		vec_safe_push(clobbered, build_tree_list(NULL_TREE, build_string(strlen(c), c)));
	stmt = gimple_build_asm_vec(text, ins, outs, clobbered, NULL);
	gimple_asm_set_volatile(stmt, true);
	gimple_seq_add_stmt_without_update(seq, stmt);
	for (tree o : out)
		if (TREE_CODE(TREE_VALUE(o)) == SSA_NAME)
			SSA_NAME_DEF_STMT(TREE_VALUE(o)) = stmt;
	return stmt;
}

tree emit_top(gimple_seq *seq) { return emit_pointer(seq, emit_load(seq, tls_word(TLS_TOP))); }

const char tail_exit[] = "mov{q\t%1, %0|\t%0, %1}";

/* ---- clock tsc ---- */

#define CHARGE \
	"1:\tmov{q\t%7, %3|\t%3, %7}\n\t" \
	"test{q}\t%3, %3\n\t" \
	"jz\t3f\n\t" \
	"mov{q\t%8, %2|\t%2, %8}\n\t" \
	"mov{q\t%9, %0|\t%0, %9}\n\t" \
	"cmp{q\t" AS_TEXT(KEY_ID) "(%2), %0|\t%0, QWORD PTR " AS_TEXT(KEY_ID) "[%2]}\n\t" \
	"je\t2f\n\t" \
	"lea{q\t3f(%%rip), %%r11|\tr11, 3f[rip]}\n\t" \
	"jmp\t{*aprof_inline_charge@GOTPCREL(%%rip)|[QWORD PTR aprof_inline_charge@GOTPCREL[rip]]}\n" \
	"2:\trdtsc\n\t" \
	"sal{q\t$32, %1|\t%1, 32}\n\t" \
	"or{q\t%0, %1|\t%1, %0}\n\t" \
	"mov{q\t%3, %0|\t%0, %3}\n\t" \
	"cmpxchg{q\t%1, %4|\t%4, %1}\n\t" \
	"jne\t1b\n\t" \
	"sub{q\t%0, %1|\t%1, %0}\n\t" \
	"add{q\t%1, " AS_TEXT(KEY_TIME) "(%2)|\tQWORD PTR " AS_TEXT(KEY_TIME) "[%2], %1}\n" \
	"3:"

const char charge[] = CHARGE;
const char tail_exit_tsc[] = CHARGE "\tmov{q\t%10, %5|\t%5, %10}\n\tmov{q\t%11, %6|\t%6, %11}";

static tree scratch(const char *constraint) { return operand(constraint, make_ssa_name(word_type())); }

void emit_charge(gimple_seq *seq, const char *text, tree before, tree prev)
{
	const operands out = { scratch("=&a"), scratch("=&d"), scratch("=&r"), scratch("=&r"), operand("=m", volatile_word(TLS_LAST)),
			       operand("=m", volatile_word(TLS_CHARGED)), operand("=m", current()) };
	tree last = operand("m", volatile_word(TLS_LAST)), charged = operand("m", volatile_word(TLS_CHARGED)), context = operand("m", current());

	if (before)
		emit_asm(seq, text, out, { last, charged, context, operand("r", before), operand("r", prev) }, { "r11", "cc" });
	else
		emit_asm(seq, text, out, { last, charged, context }, { "r11", "cc" });
}

} /* namespace aprof */
