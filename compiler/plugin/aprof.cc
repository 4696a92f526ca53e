/* aprof.cc - way inline: a GCC plugin that puts step B1 of the paper into each function.
 *
 * Two passes.  The first runs last of all on GIMPLE: after inlining, and after tail calls are marked.  It makes of
 * a function
 *
 *     prev = aprof_tls.current;
 *     next = (prev + routine) * K;
 *     to = front[next >> 29 & front_mask];
 *     if (to->id == next && to->routine == routine) {
 *             to->calls++;                    (one instruction: signal handlers count too)
 *             aprof_tls.current = next;
 *     } else {
 *             prev = aprof_inline_miss(routine);      (keeps all registers; does the same out of line)
 *     }
 *     ... the body ...
 *     aprof_tls.current = prev;               (before each return and each tail call)
 *
 * so the shadow stack is the machine stack itself.  Where control comes back by no return (landing pads, receivers
 * of non-local gotos, setjmp's second return, a switch of stacks) the function puts back its own context.
 *
 * Whether a call that is marked as a tail call becomes a jump is decided when it is expanded.  The store before it is an
 * asm of its own, and the second pass, on RTL, takes it out again where the call stayed a call: the store before the
 * return does it then.
 *
 * With the argument clock=tsc the code can charge its time by itself, if the program is run with that clock. After the probe and before
 * each change of the context back it does
 *
 *     while ((from = aprof_tls.last) != 0) {          (another clock runs, or none: it is 0)
 *             charged = aprof_tls.charged;
 *             if (charged->id != aprof_tls.current) {
 *                     aprof_inline_charge();          (keeps all registers; does the same out of line)
 *             } else if (aprof_tls.last is from still, and so becomes now = rdtsc()) {
 *                     charged->time += now - from;
 *                     break;
 *             }
 *     }
 *
 * and then, with the context, puts aprof_tls.charged to where the probe led, or back.  Compare and store are one instruction: a signal
 * handler that came before it has taken the cycles up to its own end, and the code looks again; one that comes behind it begins where this
 * ends.  None are taken twice, and none are lost unless the handler jumps away just before they are added.  Where a handler comes between the stores
 * of context and counters, the two do not fit, so the next charge looks for the counters, and finds the right ones.
 *
 * The layout of the monitor's structs is that of monitor/monitor.h; monitor/inline.c checks it. */
#include <initializer_list>

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "tree.h"
#include "gimple.h"
#include "rtl.h"
#include "tree-pass.h"
#include "context.h"
#include "ssa.h"
#include "cgraph.h"
#include "gimple-iterator.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "except.h"
#include "tree-into-ssa.h"
#include "tree-dfa.h"
#include "tree-ssa.h"
#include "stringpool.h"
#include "attribs.h"
#include "varasm.h"
#include "output.h"
#include "target.h"
#include "diagnostic-core.h"
#include "options.h"
#include "cfghooks.h"
#include "cfg.h"
#include "cfgloop.h"
#include "memmodel.h"
#include "emit-rtl.h"
#include "calls.h"
#include "fold-const.h"
#include "gimplify.h"
#include "builtins.h"
#include "dominance.h"
#include "ggc.h"

extern "C" {
#include "select.h"
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int plugin_is_GPL_compatible;

namespace {

/* Offsets in struct aprof_tls and amon_counter. */
enum { TLS_FRONT = 0, TLS_MASK = 8, TLS_TOP = 16, TLS_CURRENT = 56, TLS_LAST = 64, TLS_CHARGED = 72, TLS_WORDS = 10,
       KEY_CALLS = 0, KEY_TIME = 8, KEY_ID = 16, KEY_ROUTINE = 24 };

const unsigned HOST_WIDE_INT STEP_FACTOR = HOST_WIDE_INT_UC(0xffffffff9e3779b1);

/* Functions that come back on a stack that was left, named by the user or known. */
vec<const char *> switches;

/* What to leave out. */
struct options {
	struct select select;	/* patterns of files and routines */
	int leaf;		/* leaves of fewer statements than this; 0: none */
	bool tsc;		/* read the cycle counter */
} options;

/* Routines without hooks since the user wants it so: "leaf:NAME", "name:NAME" or "file:NAME", NAME as linked. */
vec<char *> left_out;

/* ---- small pieces of GIMPLE ---- */

tree word_type() { return long_unsigned_type_node; }

/* The thread's words, struct aprof_tls, once tls_decl has made it. */
tree tls;

/* What GCC's collector of garbage must not take. */
const ggc_root_tab roots[] = {
	{ &tls, 1, sizeof tls, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
	LAST_GGC_ROOT_TAB
};

/* In an executable they are at an offset that the linker knows. */
tree tls_decl()
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

/* The word at OFFSET of what BASE (an address) points to. */
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

/* Words that signal handlers read and write too: the thread's context, and those of clock tsc. */
tree volatile_word(int offset) { return word_at(build_fold_addr_expr(tls_decl()), offset, true); }
tree current() { return volatile_word(TLS_CURRENT); }

/* Append to SEQ the assignment of RHS to a new name, which is returned. */
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

typedef std::initializer_list<tree> operands;

/* Append the asm TEXT with these operands, and what else it CLOBBERS. */
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

/* The thread's top frame now. */
tree emit_top(gimple_seq *seq) { return emit_pointer(seq, emit_load(seq, tls_word(TLS_TOP))); }

const char tail_exit[] = "mov{q\t%1, %0|\t%0, %1}";

/* ---- clock tsc ---- */

#define CHARGE \
	"1:\tmov{q\t%7, %3|\t%3, %7}\n\t" \
	"test{q}\t%3, %3\n\t" \
	"jz\t3f\n\t" \
	"mov{q\t%8, %2|\t%2, %8}\n\t" \
	"mov{q\t%9, %0|\t%0, %9}\n\t" \
	"cmp{q\t16(%2), %0|\t%0, QWORD PTR 16[%2]}\n\t" \
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
	"add{q\t%1, 8(%2)|\tQWORD PTR 8[%2], %1}\n" \
	"3:"

const char charge[] = CHARGE;
const char tail_exit_tsc[] = CHARGE "\tmov{q\t%10, %5|\t%5, %10}\n\tmov{q\t%11, %6|\t%6, %11}";

tree scratch(const char *constraint) { return operand(constraint, make_ssa_name(word_type())); }

/* Append TEXT, CHARGE and what follows it, which puts BEFORE and PREV back into `charged` and `current`; NULL: it does not. */
void emit_charge(gimple_seq *seq, const char *text, tree before, tree prev)
{
	static_assert(KEY_TIME == 8 && KEY_ID == 16, "as in CHARGE");
	const operands out = { scratch("=&a"), scratch("=&d"), scratch("=&r"), scratch("=&r"), operand("=m", volatile_word(TLS_LAST)),
			       operand("=m", volatile_word(TLS_CHARGED)), operand("=m", current()) };
	tree last = operand("m", volatile_word(TLS_LAST)), charged = operand("m", volatile_word(TLS_CHARGED)), context = operand("m", current());

	if (before)
		emit_asm(seq, text, out, { last, charged, context, operand("r", before), operand("r", prev) }, { "r11", "cc" });
	else
		emit_asm(seq, text, out, { last, charged, context }, { "r11", "cc" });
}

/* ---- the function at hand ---- */

struct hooks {
	function *fun;
	tree prev;		/* context before the entry */
	tree top;		/* top frame after the entry, if needed */
	tree own;		/* context after the entry, if needed */
	tree before;		/* clock tsc: what was charged before the entry */
	basic_block split;	/* from here on, and in all that it dominates, the next two stand for `prev` and `before`; NULL: nowhere */
	tree late_prev, late_before;
};

const char *assembler_name(tree decl)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));

	return name + (*name == '*');
}

/* Why the patterns leave DECL out: "file" or "name"; NULL: they do not. */
const char *not_chosen(tree decl)
{
	const char *file = in_lto_p ? DECL_SOURCE_FILE(decl) : main_input_filename;

	if (file && !select_file(&options.select, file))
		return "file";
	return !select_has_names(&options.select) || select_name(&options.select, assembler_name(decl)) ? NULL : "name";
}

/* Does DECL choose what an IFUNC stands for? It runs before there is a thread. */
bool is_resolver(tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);
	ipa_ref *ref;

	if (!node)
		return false;
	FOR_EACH_ALIAS(node, ref)
		if (ref->referring->ifunc_resolver || lookup_attribute("ifunc", DECL_ATTRIBUTES(ref->referring->decl)))
			return true;
	return node->ifunc_resolver;
}

tree attribute(tree decl, const char *name) { return lookup_attribute(name, DECL_ATTRIBUTES(decl)); }

bool has_attribute(tree decl, const char *name) { return attribute(decl, name) != NULL_TREE; }

/* A constructor or destructor that the compiler made up: it calls those of the source, or a sanitizer's start. */
bool is_glue(tree decl)
{
	return DECL_ARTIFICIAL(decl) && (DECL_STATIC_CONSTRUCTOR(decl) || DECL_STATIC_DESTRUCTOR(decl)) &&
	       !strncmp(assembler_name(decl), "_sub_", strlen("_sub_"));
}

/* A leaf of few statements, which the user wants left out. */
bool is_small_leaf(function *fun)
{
	basic_block bb;
	int statements = 0;

	if (!options.leaf)
		return false;
	FOR_EACH_BB_FN(bb, fun)
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
			gimple *stmt = gsi_stmt(i);

			if (is_gimple_call(stmt) && !gimple_call_internal_p(stmt))
				return false;
			statements += !is_gimple_debug(stmt) && gimple_code(stmt) != GIMPLE_LABEL && !gimple_clobber_p(stmt);
		}
	return statements < options.leaf;
}

const char left_out_attribute[] = "aprof left out";

/* Before anything is inlined or streamed for link-time optimisation: mark the routines that the patterns leave out, so that it is
 * known whenever and wherever their code is made. */
void mark_left_out(void *, void *)
{
	cgraph_node *node;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node) {
		const char *why = has_attribute(node->decl, left_out_attribute) ? NULL : not_chosen(node->decl);

		if (why)
			DECL_ATTRIBUTES(node->decl) = tree_cons(get_identifier(left_out_attribute), get_identifier(why),
								DECL_ATTRIBUTES(node->decl));
	}
}

/* Why the user wants no hooks in FUN; NULL: he wants them. */
const char *why_left_out(function *fun)
{
	tree mark = attribute(fun->decl, left_out_attribute);

	if (mark)
		return IDENTIFIER_POINTER(TREE_VALUE(mark));
	return is_small_leaf(fun) ? "leaf" : NULL;
}

/* Can FUN have hooks at all, and is it not forbidden where it is written? */
bool may_have_hooks(function *fun)
{
	tree decl = fun->decl;

	return !has_attribute(decl, "no_instrument_function") && !has_attribute(decl, "naked") &&
	       !has_attribute(decl, "interrupt") && !has_attribute(decl, "no_caller_saved_registers") && !is_resolver(decl) &&
	       !is_glue(decl) && single_succ_p(ENTRY_BLOCK_PTR_FOR_FN(fun));
}

/* Tell whoever reads the program what was left out: in a section that no process loads, that strip keeps, and of whose
 * strings the linker keeps one of each. */
void write_left_out(void *, void *)
{
	unsigned i;
	char *text;

	if (left_out.is_empty())
		return;
	fputs("\t.section\t.aprof_left_out,\"MS\",@progbits,1\n", asm_out_file);
	FOR_EACH_VEC_ELT(left_out, i, text) {
		fputs("\t.string\t", asm_out_file);
		output_quoted_string(asm_out_file, text);
		putc('\n', asm_out_file);
	}
}

/* ---- entry ---- */

/* An address that is this function's for good: its own, or one inside where another module may replace it. */
tree emit_routine(gimple_seq *seq, tree decl)
{
	tree name = make_ssa_name(word_type());

	if (targetm.binds_local_p(decl)) {
		gimple_seq_add_stmt_without_update(seq, gimple_build_assign(name, NOP_EXPR,
			emit_assign(seq, ptr_type_node, build1(ADDR_EXPR, ptr_type_node, decl))));
	} else {
		gasm *stmt = emit_asm(seq, "1:\tlea{q\t1b(%%rip), %0|\t%0, 1b[rip]}", { operand("=r", name) }, {}, {});

		gimple_asm_set_volatile(stmt, false);
	}
	return name;
}

/* What the context is called to which a call of ROUTINE leads from PREV. */
tree emit_step(gimple_seq *seq, tree prev, tree routine)
{
	return emit_op(seq, MULT_EXPR, emit_op(seq, PLUS_EXPR, prev, routine), build_int_cstu(word_type(), STEP_FACTOR));
}

/* The front table's slot for NEXT: a pointer to a counter, perhaps one byte into an alias. The sum is an asm, since GCC would fetch the
 * table's address to a register of its own, which is one more to save where a routine has many parameters. */
tree emit_probe(gimple_seq *seq, tree next)
{
	tree x = emit_op(seq, RSHIFT_EXPR, next, build_int_cst(integer_type_node, 29)), slot = make_ssa_name(word_type());

	x = emit_op(seq, BIT_AND_EXPR, x, emit_load(seq, tls_word(TLS_MASK)));
	gimple_asm_set_volatile(emit_asm(seq, "add{q\t%2, %0|\t%0, %2}", { operand("=r", slot) },
					 { operand("0", x), operand("m", tls_word(TLS_FRONT)) }, { "cc" }), false);
	return emit_pointer(seq, emit_load(seq, word_at(emit_pointer(seq, slot), 0, false)));
}

#define MISS(name) \
	"lea{q\t1f(%%rip), %%r11|\tr11, 1f[rip]}\n\t" \
	"jmp\t{*" name "@GOTPCREL(%%rip)|[QWORD PTR " name "@GOTPCREL[rip]]}\n1:"

/* The out of line part of the entry. The stack is left alone: a leaf may have its variables below it. *BEFORE: what was charged,
 * with clock tsc. */
tree emit_miss(gimple_seq *seq, tree routine, tree *before)
{
	tree prev = make_ssa_name(word_type());

	if (options.tsc) {
		*before = make_ssa_name(word_type());
		emit_asm(seq, MISS("aprof_inline_miss_tsc"), { operand("=a", prev), operand("=d", *before) }, { operand("0", routine) },
			 { "r11", "cc", "memory" });
	} else {
		emit_asm(seq, MISS("aprof_inline_miss"), { operand("=a", prev) }, { operand("0", routine) }, { "r11", "cc", "memory" });
	}
	return prev;
}

/* Count the call and change the context. Returns what was charged before, with clock tsc. */
tree emit_hit(gimple_seq *seq, tree to, tree next)
{
	tree calls = word_at(to, KEY_CALLS, false), before = NULL_TREE;

	if (options.tsc) {
		emit_charge(seq, charge, NULL_TREE, NULL_TREE);
		before = emit_load(seq, volatile_word(TLS_CHARGED));
	}
	emit_asm(seq, "inc{q\t%0|\tQWORD PTR %0}", { operand("=m", calls) }, { operand("m", unshare_expr(calls)) }, { "cc" });
	if (options.tsc)
		emit_store(seq, volatile_word(TLS_CHARGED), emit_assign(seq, word_type(), fold_convert(word_type(), to)));
	emit_store(seq, current(), next);
	return before;
}

/* Append SEQ to BB, which it fills. */
void fill(basic_block bb, gimple_seq seq)
{
	gimple_stmt_iterator i = gsi_last_bb(bb);

	gsi_insert_seq_after(&i, seq, GSI_CONTINUE_LINKING);
}

basic_block block_after(basic_block after, profile_count count)
{
	basic_block bb = create_empty_bb(after);

	bb->count = count;
	if (current_loops)
		add_bb_to_loop(bb, after->loop_father);
	return bb;
}

/* End BB with: if A equals B go to YES, else to NO. */
void branch(basic_block bb, tree a, tree b, basic_block yes, basic_block no)
{
	gimple_seq seq = NULL;

	gimple_seq_add_stmt_without_update(&seq, gimple_build_cond(EQ_EXPR, a, b, NULL_TREE, NULL_TREE));
	fill(bb, seq);
	make_edge(bb, yes, EDGE_TRUE_VALUE)->probability = profile_probability::very_likely();
	make_edge(bb, no, EDGE_FALSE_VALUE)->probability = profile_probability::very_unlikely();
}

/* A new name, in JOIN, for A if control comes there from FROM_A, and for B if it comes from FROM_B. */
tree either(basic_block join, basic_block from_a, tree a, basic_block from_b, tree b)
{
	tree name = make_ssa_name(word_type());
	gphi *phi = create_phi_node(name, join);

	add_phi_arg(phi, a, find_edge(from_a, join), UNKNOWN_LOCATION);
	add_phi_arg(phi, b, find_edge(from_b, join), UNKNOWN_LOCATION);
	return name;
}

void insert_entry(hooks *h, bool receives)
{
	edge start = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(h->fun));
	basic_block probe = split_edge(start), join, second, hit, miss;
	profile_count rare = probe->count.apply_probability(profile_probability::very_unlikely());
	gimple_seq seq = NULL;
	tree prev, routine, next, to, missed, before, missed_before = NULL_TREE;

	join = split_edge(single_succ_edge(probe));
	remove_edge(single_succ_edge(probe));
	second = block_after(probe, probe->count);
	hit = block_after(second, probe->count);
	miss = block_after(hit, rare);

	routine = emit_routine(&seq, h->fun->decl);
	prev = emit_load(&seq, current());
	next = emit_step(&seq, prev, routine);
	to = emit_probe(&seq, next);
	tree id = emit_load(&seq, word_at(to, KEY_ID, false));
	fill(probe, seq);
	branch(probe, id, next, second, miss);

	seq = NULL;
	tree key = emit_load(&seq, word_at(to, KEY_ROUTINE, false));
	fill(second, seq);
	branch(second, key, routine, hit, miss);

	seq = NULL;
	before = emit_hit(&seq, to, next);
	fill(hit, seq);
	make_single_succ_edge(hit, join, EDGE_FALLTHRU);

	seq = NULL;
	missed = emit_miss(&seq, routine, &missed_before);
	fill(miss, seq);
	make_single_succ_edge(miss, join, EDGE_FALLTHRU);

	h->prev = either(join, hit, prev, miss, missed);
	if (options.tsc)
		h->before = either(join, hit, before, miss, missed_before);
	if (receives) {
		seq = NULL;
		h->top = emit_top(&seq);
		h->own = emit_load(&seq, current());
		fill(join, seq);
	}
}

/* ---- exits and receivers ---- */

/* Has a general register room for a value of TYPE? */
bool is_word(tree type)
{
	machine_mode mode = TYPE_MODE(type);

	return SCALAR_INT_MODE_P(mode) && GET_MODE_SIZE(as_a<scalar_int_mode>(mode)) <= UNITS_PER_WORD;
}

/* The constraint of a register that holds a value of TYPE whole; NULL: there is none. */
const char *register_for(tree type)
{
	machine_mode mode = TYPE_MODE(type);

	if (is_word(type))
		return "=r";
	return mode == SFmode || mode == DFmode ? "=x" : NULL;
}

/* What LEAVING returns; NULL: nothing. Of an exit to which one way is left that is what comes from there. */
tree returned_value(greturn *leaving)
{
	tree value = gimple_return_retval(leaving);
	gphi *phi = value && TREE_CODE(value) == SSA_NAME ? dyn_cast<gphi *>(SSA_NAME_DEF_STMT(value)) : NULL;

	if (phi && gimple_phi_num_args(phi) == 1 && !SSA_NAME_OCCURS_IN_ABNORMAL_PHI(value)) {
		value = gimple_phi_arg_def(phi, 0);
		gimple_return_set_retval(leaving, value);
		update_stmt(leaving);
	}
	return value;
}

/* The routine's work is to be done before the exit at STMT, and so charged to it: nothing is scheduled past a volatile asm, and one that
 * wants the value returned keeps GCC from computing that as late as it can. */
void emit_done(gimple_seq *seq, gimple *stmt)
{
	greturn *leaving = dyn_cast<greturn *>(stmt);
	tree value = leaving ? returned_value(leaving) : NULL_TREE, done;
	const char *where = value && TREE_CODE(value) == SSA_NAME ? register_for(TREE_TYPE(value)) : NULL;

	if (!where || SSA_NAME_OCCURS_IN_ABNORMAL_PHI(value)) {
		emit_asm(seq, "", {}, {}, {});
		return;
	}
	done = make_ssa_name(TREE_TYPE(value));
	emit_asm(seq, "", { operand(where, done) }, { operand("0", value) }, {});
	gimple_return_set_retval(leaving, done);
	update_stmt(leaving);
}

gimple_seq exit_seq(const hooks *h, gimple *stmt)
{
	gimple_seq seq = NULL;

	emit_done(&seq, stmt);
	if (options.tsc) {
		emit_charge(&seq, charge, NULL_TREE, NULL_TREE);
		emit_store(&seq, volatile_word(TLS_CHARGED), h->before);
	}
	emit_store(&seq, current(), h->prev);
	return seq;
}

gimple_seq tail_exit_seq(const hooks *h)
{
	gimple_seq seq = NULL;

	if (options.tsc)
		emit_charge(&seq, tail_exit_tsc, h->before, h->prev);
	else
		emit_asm(&seq, tail_exit, { operand("=m", current()) }, { operand("r", h->prev) }, {});
	return seq;
}

/* Put back the function's own context; frames that other ways pushed meanwhile are dropped where DROPS.  With clock tsc the next charge finds
 * that the context's counters are others than those of where control came from. */
gimple_seq receive_seq(const hooks *h, bool drops)
{
	gimple_seq seq = NULL;

	if (options.tsc)
		emit_charge(&seq, charge, NULL_TREE, NULL_TREE);
	if (drops)
		emit_store(&seq, tls_word(TLS_TOP), emit_assign(&seq, word_type(), fold_convert(word_type(), h->top)));
	emit_store(&seq, current(), h->own);
	return seq;
}

bool is_switch(gimple *stmt)
{
	tree decl = gimple_call_fndecl(stmt);
	const char *name, *known;
	unsigned i;

	if (!decl || !DECL_ASSEMBLER_NAME_SET_P(decl))
		return false;
	name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
	name += *name == '*';
	FOR_EACH_VEC_ELT(switches, i, known)
		if (!strcmp(known, name))
			return true;
	return false;
}

bool is_returns_twice(gimple *stmt) { return (gimple_call_flags(stmt) & ECF_RETURNS_TWICE) != 0; }

/* After STMT control may come back with another context: 0 no, 1 a switch of stacks, 2 a jump. */
int comes_back(gimple *stmt)
{
	if (!is_gimple_call(stmt))
		return 0;
	if (is_returns_twice(stmt) || gimple_call_builtin_p(stmt, BUILT_IN_SETJMP_RECEIVER))
		return 2;
	return is_switch(stmt);
}

/* Is BB where an exception or a non-local goto arrives? */
bool is_receiver(basic_block bb)
{
	gimple *first = first_stmt(bb);
	glabel *label = first ? dyn_cast<glabel *>(first) : NULL;
	edge e;
	edge_iterator i;

	if (label && DECL_NONLOCAL(gimple_label_label(label)))
		return true;
	FOR_EACH_EDGE(e, i, bb->preds)
		if (e->flags & EDGE_EH)
			return true;
	return false;
}

bool function_receives(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun) {
		if (is_receiver(bb))
			return true;
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
			if (comes_back(gsi_stmt(i)))
				return true;
	}
	return false;
}

/* STMT leaves the function for good, other than by a call that never comes back. */
bool leaves(gimple *stmt)
{
	return gimple_code(stmt) == GIMPLE_RETURN || gimple_call_builtin_p(stmt, BUILT_IN_RETURN) ||
	       gimple_call_builtin_p(stmt, BUILT_IN_UNWIND_RESUME);
}

bool is_tail_call(gimple *stmt)
{
	gcall *call = dyn_cast<gcall *>(stmt);

	return call && gimple_call_tail_p(call);
}

void insert_after(gimple_stmt_iterator *i, gimple_seq seq)
{
	gimple *stmt = gsi_stmt(*i);
	edge e;

	if (!stmt_ends_bb_p(stmt)) {
		gsi_insert_seq_after(i, seq, GSI_CONTINUE_LINKING);
		return;
	}
	e = find_fallthru_edge(gsi_bb(*i)->succs);
	if (e)
		gsi_insert_seq_on_edge(e, seq);
}

/* ---- ways out without a call ----
 *
 * What the exits want is kept in registers that calls leave as they are, and those must be saved first.  Where a routine can leave without
 * a call GCC saves nothing on that way (shrink wrapping): the prologue stands where the ways to the calls begin, and so does the move of
 * each parameter to a register that calls leave.  It does not find that place behind the hooks' branches, so it is chosen here: all that is
 * wanted behind calls is copied at the one block through which all ways to them lead, by an asm, to a name that can only be another register. */

const int SHORT_EXIT = 8;	/* statements of an exit that is made twice, at most */

/* Does STMT overwrite the registers that calls may, before the function is left? */
bool overwrites(gimple *stmt)
{
	return is_gimple_call(stmt) && !gimple_call_internal_p(stmt) && !is_tail_call(stmt) && !gimple_call_noreturn_p(stmt) &&
	       !is_inexpensive_builtin(gimple_call_fndecl(stmt));
}

/* STMT has the context before the entry put back. */
bool is_exit(gimple *stmt) { return leaves(stmt) || is_tail_call(stmt); }

bool block_has(basic_block bb, bool (*what)(gimple *))
{
	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
		if (what(gsi_stmt(i)))
			return true;
	return false;
}

/* The block through which all ways to calls lead, outside of loops; NULL: there are no calls. */
basic_block before_calls(const vec<basic_block> &blocks)
{
	basic_block at = NULL, bb;
	unsigned i;

	FOR_EACH_VEC_ELT(blocks, i, bb)
		if (block_has(bb, overwrites))
			at = at ? nearest_common_dominator(CDI_DOMINATORS, at, bb) : bb;
	while (at && current_loops && bb_loop_depth(at))
		at = get_immediate_dominator(CDI_DOMINATORS, at);
	return at;
}

/* Add to BEHIND the blocks to which ways from FROM lead. */
void mark_behind(basic_block from, bitmap behind)
{
	auto_vec<basic_block> todo;
	edge e;
	edge_iterator i;

	todo.safe_push(from);
	while (!todo.is_empty())
		FOR_EACH_EDGE(e, i, todo.pop()->succs)
			if (bitmap_set_bit(behind, e->dest->index))
				todo.safe_push(e->dest);
}

/* May BB, an exit BEHIND block AT to which other ways lead too, be made two: is it short, and does none of the edges to it belong to both
 * kinds of ways? */
bool can_be_two(basic_block bb, basic_block at, const_bitmap behind)
{
	int statements = 0;
	edge e;
	edge_iterator i;

	if (!single_succ_p(bb) || single_succ(bb) != EXIT_BLOCK_PTR_FOR_FN(cfun) || !can_duplicate_block_p(bb))
		return false;
	for (gimple_stmt_iterator s = gsi_start_bb(bb); !gsi_end_p(s); gsi_next(&s))
		statements += !is_gimple_debug(gsi_stmt(s)) && gimple_code(gsi_stmt(s)) != GIMPLE_LABEL;
	FOR_EACH_EDGE(e, i, bb->preds)
		if ((e->flags & EDGE_COMPLEX) || (bitmap_bit_p(behind, e->src->index) && !dominated_by_p(CDI_DOMINATORS, e->src, at)))
			return false;
	return statements <= SHORT_EXIT;
}

/* Make of BB two: the new one, which is returned, is where the ways through AT lead. */
basic_block make_two(basic_block bb, basic_block at)
{
	basic_block other = duplicate_block(bb, NULL, NULL);
	auto_vec<edge> moved;
	unsigned n;
	edge e;
	edge_iterator i;

	FOR_EACH_EDGE(e, i, bb->preds)
		if (dominated_by_p(CDI_DOMINATORS, e->src, at))
			moved.safe_push(e);
	FOR_EACH_VEC_ELT(moved, n, e)
		flush_pending_stmts(redirect_edge_and_branch(e, other));
	return other;
}

/* Choose where H's words are copied, if some way leaves BLOCKS, the body's, without a call.  Where exits had to be made two, the new ones are
 * added to BLOCKS. */
void choose_split(hooks *h, vec<basic_block> *blocks)
{
	auto_vec<basic_block> shared;
	auto_bitmap behind;
	basic_block at, bb;
	bool avoids = false;
	unsigned i;

	calculate_dominance_info(CDI_DOMINATORS);
	at = before_calls(*blocks);
	if (!at || at == ENTRY_BLOCK_PTR_FOR_FN(h->fun))
		return;
	mark_behind(at, behind);
	FOR_EACH_VEC_ELT(*blocks, i, bb) {
		if (dominated_by_p(CDI_DOMINATORS, bb, at) || !block_has(bb, is_exit))
			continue;
		avoids = true;
		if (!bitmap_bit_p(behind, bb->index))
			continue;
		if (optimize_function_for_size_p(h->fun) || !can_be_two(bb, at, behind))
			return;
		shared.safe_push(bb);
	}
	if (!avoids)
		return;
	h->split = at;
	if (shared.is_empty())
		return;
	initialize_original_copy_tables();
	FOR_EACH_VEC_ELT(shared, i, bb)
		blocks->safe_push(make_two(bb, at));
	free_original_copy_tables();
	free_dominance_info(CDI_DOMINATORS);
	update_ssa(TODO_update_ssa);
	calculate_dominance_info(CDI_DOMINATORS);
}

/* Append to SEQ a copy of VALUE in another register. */
tree emit_copy(gimple_seq *seq, tree value)
{
	tree copy = make_ssa_name(TREE_TYPE(value));

	emit_asm(seq, "mov{q}\t{%q1, %q0|%q0, %q1}", { operand("=&r", copy) }, { operand("r", value) }, {});
	return copy;
}

/* Where the calls of a function are. */
struct calls {
	auto_bitmap behind;		/* the blocks to which ways from blocks with calls lead */
	auto_vec<unsigned> first;	/* by block: the number of its first statement that is one; NONE: there is none */
};

const unsigned NONE = UINT_MAX;

void find_calls(function *fun, calls *found)
{
	basic_block bb;

	renumber_gimple_stmt_uids(fun);
	found->first.safe_grow(last_basic_block_for_fn(fun));
	FOR_EACH_BB_FN(bb, fun) {
		found->first[bb->index] = NONE;
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i) && found->first[bb->index] == NONE; gsi_next(&i))
			if (overwrites(gsi_stmt(i)))
				found->first[bb->index] = gimple_uid(gsi_stmt(i));
		if (found->first[bb->index] != NONE)
			mark_behind(bb, found->behind);
	}
}

bool is_wanted_behind(tree value, calls *of)
{
	imm_use_iterator i;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, i, value) {
		gimple *stmt = USE_STMT(use);
		int block = gimple_bb(stmt)->index;

		if (!is_gimple_debug(stmt) && (bitmap_bit_p(of->behind, block) || gimple_uid(stmt) > of->first[block]))
			return true;
	}
	return false;
}

/* The block in which USE wants its value. */
basic_block block_of_use(use_operand_p use)
{
	gphi *phi = dyn_cast<gphi *>(USE_STMT(use));

	return phi ? gimple_phi_arg_edge(phi, PHI_ARG_INDEX_FROM_USE(use))->src : gimple_bb(USE_STMT(use));
}

/* Let COPY stand for VALUE in AT and all that it dominates. */
void replace_from(basic_block at, tree value, tree copy)
{
	imm_use_iterator i;
	use_operand_p use;
	gimple *stmt;

	FOR_EACH_IMM_USE_STMT(stmt, i, value) {
		FOR_EACH_IMM_USE_ON_STMT(use, i)
			if (dominated_by_p(CDI_DOMINATORS, block_of_use(use), at))
				SET_USE(use, copy);
		update_stmt(stmt);
	}
}

/* Is VALUE computed before AT, or a parameter? */
bool is_from_before(tree value, basic_block at)
{
	basic_block bb = gimple_bb(SSA_NAME_DEF_STMT(value));

	return !bb || !dominated_by_p(CDI_DOMINATORS, bb, at);
}

/* Append to SEQ copies of the values that are wanted behind calls. */
void copy_values(const hooks *h, gimple_seq *seq)
{
	auto_vec<tree> values;
	unsigned i;
	tree value;
	calls all;

	find_calls(h->fun, &all);
	FOR_EACH_SSA_NAME(i, value, h->fun)
		if (!virtual_operand_p(value) && is_word(TREE_TYPE(value)) && !SSA_NAME_OCCURS_IN_ABNORMAL_PHI(value) &&
		    is_from_before(value, h->split) && is_wanted_behind(value, &all))
			values.safe_push(value);
	FOR_EACH_VEC_ELT(values, i, value) {
		tree copy = emit_copy(seq, value), variable = SSA_NAME_VAR(value);

		replace_from(h->split, value, copy);
		if (variable && TREE_CODE(variable) == PARM_DECL && MAY_HAVE_DEBUG_BIND_STMTS)
			gimple_seq_add_stmt_without_update(seq, gimple_build_debug_bind(variable, copy, NULL));
	}
}

void insert_copies(hooks *h)
{
	gimple_stmt_iterator i = gsi_after_labels(h->split);
	gimple *first = first_stmt(h->split);
	gimple_seq seq = NULL;

	h->late_prev = emit_copy(&seq, h->prev);
	if (h->before)
		h->late_before = emit_copy(&seq, h->before);
	copy_values(h, &seq);
	if (first)
		annotate_all_with_location(seq, gimple_location(first));
	gsi_insert_seq_before(&i, seq, GSI_SAME_STMT);
}

/* H as BB has it. */
hooks hooks_in(const hooks *h, basic_block bb)
{
	hooks here = *h;

	if (h->split && dominated_by_p(CDI_DOMINATORS, bb, h->split)) {
		here.prev = h->late_prev;
		here.before = h->late_before;
	}
	return here;
}

/* ---- where debuggers find the hooks ----
 *
 * In the line of what follows: a breakpoint on the function then stops where it would without them. */

/* The line of LOCATION in the function's own source: of inlined code, where it was called. */
location_t own_location(location_t location)
{
	for (tree block = LOCATION_BLOCK(location); block && TREE_CODE(block) == BLOCK; block = BLOCK_SUPERCONTEXT(block))
		if (inlined_function_outer_scope_p(block))
			location = BLOCK_SOURCE_LOCATION(block);
	return LOCATION_LOCUS(location);
}

/* The line in which the body of FUN begins. */
location_t first_location(function *fun)
{
	basic_block bb = single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun));

	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
		gimple *stmt = gsi_stmt(i);

		if (!is_gimple_debug(stmt) && gimple_code(stmt) != GIMPLE_LABEL && gimple_has_location(stmt))
			return own_location(gimple_location(stmt));
	}
	return UNKNOWN_LOCATION;
}

/* Put the blocks of FUN from number FROM on in the line of LOCATION, and say that it begins where the function does. */
void locate_entry(function *fun, int from, location_t location)
{
	gimple_stmt_iterator i = gsi_start_bb(single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun)));
	basic_block bb;

	if (MAY_HAVE_DEBUG_MARKER_STMTS && location != UNKNOWN_LOCATION)
		gsi_insert_before(&i, gimple_build_debug_begin_stmt(DECL_INITIAL(fun->decl), location), GSI_SAME_STMT);
	FOR_EACH_BB_FN(bb, fun)
		if (bb->index >= from)
			for (i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
				gimple_set_location(gsi_stmt(i), location);
}

gimple_seq located(gimple_seq seq, gimple *stmt)
{
	annotate_all_with_location(seq, gimple_location(stmt));
	return seq;
}

void insert_in_block(const hooks *all, basic_block bb)
{
	const hooks here = hooks_in(all, bb), *h = &here;

	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
		gimple *stmt = gsi_stmt(i);
		int back = comes_back(stmt);

		if (leaves(stmt))
			gsi_insert_seq_before(&i, located(exit_seq(h, stmt), stmt), GSI_SAME_STMT);
		else if (is_tail_call(stmt) && !back)
			gsi_insert_seq_before(&i, located(tail_exit_seq(h), stmt), GSI_SAME_STMT);
		else if (back)
			insert_after(&i, located(receive_seq(h, back == 2), stmt));
	}
	if (is_receiver(bb)) {
		gimple_stmt_iterator i = gsi_after_labels(bb);

		gsi_insert_seq_before(&i, receive_seq(h, true), GSI_SAME_STMT);
	}
}

/* ---- the passes ---- */

const pass_data gimple_data = { GIMPLE_PASS, "aprof", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0,
				TODO_update_ssa_only_virtuals };

struct pass_aprof : gimple_opt_pass {
	pass_aprof(gcc::context *c) : gimple_opt_pass(gimple_data, c) {}
	bool gate(function *fun) override { return may_have_hooks(fun); }
	unsigned int execute(function *fun) override;
};

unsigned int pass_aprof::execute(function *fun)
{
	hooks h = {};
	const char *why = why_left_out(fun);
	auto_vec<basic_block> blocks;
	basic_block bb;
	unsigned i;

	if (why) {
		left_out.safe_push(concat(why, ":", assembler_name(fun->decl), NULL));
		return 0;
	}
	h.fun = fun;
	FOR_EACH_BB_FN(bb, fun)
		blocks.safe_push(bb);
	bool receives = function_receives(fun);
	location_t first = first_location(fun);

	if (optimize && flag_shrink_wrap && !receives)
		choose_split(&h, &blocks);
	int number = last_basic_block_for_fn(fun);

	insert_entry(&h, receives);
	locate_entry(fun, number, first);
	if (h.split)
		insert_copies(&h);
	FOR_EACH_VEC_ELT(blocks, i, bb)
		insert_in_block(&h, bb);
	gsi_commit_edge_inserts();
	free_dominance_info(CDI_DOMINATORS);
	mark_virtual_operands_for_renaming(fun);
	return 0;
}

const pass_data rtl_data = { RTL_PASS, "aprof_tails", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0 };

struct pass_tails : rtl_opt_pass {
	pass_tails(gcc::context *c) : rtl_opt_pass(rtl_data, c) {}
	unsigned int execute(function *) override;
};

bool is_tail_exit(rtx_insn *insn)
{
	rtx op = NONJUMP_INSN_P(insn) ? extract_asm_operands(PATTERN(insn)) : NULL_RTX;

	return op && !strcmp(ASM_OPERANDS_TEMPLATE(op), options.tsc ? tail_exit_tsc : tail_exit);
}

/* Does what follows INSN, up to where control ends, leave by a jump? */
bool becomes_jump(rtx_insn *insn)
{
	for (; insn && !BARRIER_P(insn) && !is_tail_exit(insn); insn = NEXT_INSN(insn))
		if (CALL_P(insn) && SIBLING_CALL_P(insn))
			return true;
	return false;
}

unsigned int pass_tails::execute(function *)
{
	rtx_insn *next;

	for (rtx_insn *insn = get_insns(); insn; insn = next) {
		next = NEXT_INSN(insn);
		if (is_tail_exit(insn) && !becomes_jump(next))
			delete_insn(insn);
	}
	return 0;
}

void add_pass(const char *name, opt_pass *pass, const char *reference)
{
	register_pass_info info = { pass, reference, 1, PASS_POS_INSERT_AFTER };

	register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

bool read_number(const char *text, int *number)
{
	char *end;
	long n = strtol(text, &end, 10);

	*number = (int)n;
	return end != text && !*end && n > 0 && n == *number;
}

/* Take A in. The patterns are those of compiler/select.h, without the prefix that tells files from routines. */
bool read_argument(const plugin_argument *a)
{
	struct select *s = &options.select;

	if (!a->value)
		return false;
	if (!strcmp(a->key, "only-file"))
		list_add(&s->only_files, a->value);
	else if (!strcmp(a->key, "except-file"))
		list_add(&s->except_files, a->value);
	else if (!strcmp(a->key, "only-name"))
		list_add(&s->only_names, a->value);
	else if (!strcmp(a->key, "except-name"))
		list_add(&s->except_names, a->value);
	else if (!strcmp(a->key, "switch"))
		switches.safe_push(a->value);
	else if (!strcmp(a->key, "clock"))
		return options.tsc = !strcmp(a->value, "tsc");
	else
		return !strcmp(a->key, "leaf") && read_number(a->value, &options.leaf);
	return true;
}

} /* namespace */

EXPORTED int plugin_init(plugin_name_args *args, plugin_gcc_version *version)
{
	if (!plugin_default_version_check(version, &gcc_version)) {
		error("aprof: this plugin was built for GCC %s (%s), and this is GCC %s (%s)", gcc_version.basever,
		      gcc_version.datestamp, version->basever, version->datestamp);
		return 1;
	}
	switches.safe_push("swapcontext");
	for (int i = 0; i < args->argc; i++)
		if (!read_argument(&args->argv[i])) {
			error("aprof: wrong plugin argument %qs", args->argv[i].key);
			return 1;
		}
	register_callback(args->base_name, PLUGIN_REGISTER_GGC_ROOTS, NULL, const_cast<ggc_root_tab *>(roots));
	register_callback(args->base_name, PLUGIN_ALL_IPA_PASSES_START, mark_left_out, NULL);
	register_callback(args->base_name, PLUGIN_FINISH_UNIT, write_left_out, NULL);
	add_pass(args->base_name, new pass_aprof(g), "optimized");
	add_pass(args->base_name, new pass_tails(g), "expand");
	return 0;
}
