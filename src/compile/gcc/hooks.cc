/* hooks.cc - the entry of a function, its exits, and where control comes back to it by no return. */
#include "compile/gcc/parts.h"

namespace aprof {

/* ---- entry ---- */

/* An address that is this function's for good: its own, or one inside where its name may be another's, of another module or of another file; of what is
 * in many files by one name the linker keeps one alone. */
static tree emit_routine(gimple_seq *seq, tree decl)
{
	tree name = make_ssa_name(word_type());

	if (targetm.binds_local_p(decl) && (!DECL_WEAK(decl) || DECL_COMDAT(decl))) {
		gimple_seq_add_stmt_without_update(seq, gimple_build_assign(name, NOP_EXPR,
			emit_assign(seq, ptr_type_node, build1(ADDR_EXPR, ptr_type_node, decl))));
	} else {
		gasm *stmt = emit_asm(seq, "1:\tlea{q\t1b(%%rip), %0|\t%0, 1b[rip]}", { operand("=r", name) }, {}, {});

		gimple_asm_set_volatile(stmt, false);
	}
	return name;
}

/* What the context is called to which a call of ROUTINE leads from PREV. */
static tree emit_step(gimple_seq *seq, tree prev, tree routine)
{
	return emit_op(seq, MULT_EXPR, emit_op(seq, PLUS_EXPR, prev, routine), build_int_cstu(word_type(), step_factor));
}

/* The slot for ID of the front table whose address and mask are in the thread's words TABLE and MASK: a pointer to a counter, perhaps one byte into
 * an alias. The sum is an asm, since GCC would fetch the
 * table's address to a register of its own, which is one more to save where a routine has many parameters. */
static tree emit_probe(gimple_seq *seq, tree id, int table, int mask)
{
	tree x = emit_op(seq, RSHIFT_EXPR, id, build_int_cst(integer_type_node, FRONT_SHIFT)), slot = make_ssa_name(word_type());

	x = emit_op(seq, BIT_AND_EXPR, x, emit_load(seq, tls_word(mask)));
	gimple_asm_set_volatile(emit_asm(seq, "add{q\t%2, %0|\t%0, %2}", { operand("=r", slot) },
					 { operand("0", x), operand("m", tls_word(table)) }, { "cc" }), false);
	return emit_pointer(seq, emit_load(seq, word_at(emit_pointer(seq, slot), 0, false)));
}

/* Where the function at hand returns to. */
static tree emit_site(gimple_seq *seq)
{
	tree decl = builtin_decl_explicit(BUILT_IN_RETURN_ADDRESS), site = make_ssa_name(ptr_type_node);
	gcall *call = gimple_build_call(decl, 1, build_zero_cst(unsigned_type_node));

	gimple_call_set_lhs(call, site);
	gimple_seq_add_stmt_without_update(seq, call);
	return emit_assign(seq, word_type(), build1(NOP_EXPR, word_type(), site));
}

#define MISS(name) \
	"lea{q\t1f(%%rip), %%r11|\tr11, 1f[rip]}\n\t" \
	"jmp\t{*" name "@GOTPCREL(%%rip)|[QWORD PTR " name "@GOTPCREL[rip]]}\n1:"

static const char miss[] = MISS("aprof_inline_miss"), miss_tsc[] = MISS("aprof_inline_miss_tsc");
static const char miss_sites[] = "mov{q\t%2, %%r10|\tr10, %2}\n\t" MISS("aprof_inline_miss_sites");
static const char miss_sites_tsc[] = "mov{q\t%3, %%r10|\tr10, %3}\n\t" MISS("aprof_inline_miss_sites_tsc");

bool is_miss(const char *text)
{
	for (const char *own : { miss, miss_tsc, miss_sites, miss_sites_tsc })
		if (!strcmp(text, own))
			return true;
	return false;
}

const char count[] = "inc{q\t%0|\tQWORD PTR %0}";

/* Of an alias, to whose second byte operand 3 points, bump the counter; operand 2 becomes the context that it leads to, which it mostly is already, so
 * that nothing waits for that to be loaded, and operand 0, the thread's context, too. */
const char count_site[] =
	"mov{q\t" AS_TEXT(ALIAS_COUNT) "-1(%3), %1|\t%1, QWORD PTR " AS_TEXT(ALIAS_COUNT) "-1[%3]}\n\t"
	"inc{q\t(%1)|\tQWORD PTR [%1]}\n\t"
	"cmp{q\t" AS_TEXT(ALIAS_TO) "-1(%3), %2|\t%2, QWORD PTR " AS_TEXT(ALIAS_TO) "-1[%3]}\n\t"
	"je\t1f\n\t"
	"mov{q\t" AS_TEXT(ALIAS_TO) "-1(%3), %2|\t%2, QWORD PTR " AS_TEXT(ALIAS_TO) "-1[%3]}\n"
	"1:\tmov{q\t%2, %0|\t%0, %2}";

/* The out of line part of the entry. The stack is left alone: a leaf may have its variables below it. *BEFORE: what was charged,
 * with clock tsc. */
static tree emit_miss(gimple_seq *seq, tree routine, tree site, tree *before)
{
	tree prev = make_ssa_name(word_type());

	if (options.tsc)
		*before = make_ssa_name(word_type());
	if (site && options.tsc)
		emit_asm(seq, miss_sites_tsc, { operand("=a", prev), operand("=d", *before) }, { operand("0", routine), operand("r", site) },
			 { "r10", "r11", "cc", "memory" });
	else if (site)
		emit_asm(seq, miss_sites, { operand("=a", prev) }, { operand("0", routine), operand("r", site) },
			 { "r10", "r11", "cc", "memory" });
	else if (options.tsc)
		emit_asm(seq, miss_tsc, { operand("=a", prev), operand("=d", *before) }, { operand("0", routine) },
			 { "r11", "cc", "memory" });
	else
		emit_asm(seq, miss, { operand("=a", prev) }, { operand("0", routine) }, { "r11", "cc", "memory" });
	return prev;
}

/* With clock tsc: charge the caller. Returns what was charged, NULL by other clocks. */
static tree emit_charge_caller(gimple_seq *seq)
{
	if (!options.tsc)
		return NULL_TREE;
	emit_charge(seq, charge, NULL_TREE, NULL_TREE);
	return emit_load(seq, volatile_word(TLS_CHARGED));
}

/* Count the call from a call site and change the context. Returns as emit_charge_caller. */
static tree emit_hit_at_site(gimple_seq *seq, tree to, tree next)
{
	tree before = emit_charge_caller(seq), scratch = make_ssa_name(word_type()), context = make_ssa_name(word_type());

	if (options.tsc)	/* the counters of the context that the alias leads to */
		emit_store(seq, volatile_word(TLS_CHARGED), emit_load(seq, word_at(to, KEY_TIME - 1, false)));
	emit_asm(seq, count_site, { operand("=m", current()), operand("=&r", scratch), operand("=&r", context) },
		 { operand("r", to), operand("2", next) }, { "cc" });
	return before;
}

/* Count the call and change the context. Returns as emit_charge_caller. */
static tree emit_hit(gimple_seq *seq, tree to, tree next)
{
	tree calls = word_at(to, KEY_CALLS, false), before = emit_charge_caller(seq);

	emit_asm(seq, count, { operand("=m", calls) }, { operand("m", unshare_expr(calls)) }, { "cc" });
	if (options.tsc)
		emit_store(seq, volatile_word(TLS_CHARGED), emit_assign(seq, word_type(), fold_convert(word_type(), to)));
	emit_store(seq, current(), next);
	return before;
}

/* Append SEQ to BB, which it fills. */
static void fill(basic_block bb, gimple_seq seq)
{
	gimple_stmt_iterator i = gsi_last_bb(bb);

	gsi_insert_seq_after(&i, seq, GSI_CONTINUE_LINKING);
}

static basic_block block_after(basic_block after, profile_count count)
{
	basic_block bb = create_empty_bb(after);

	bb->count = count;
	if (current_loops)
		add_bb_to_loop(bb, after->loop_father);
	return bb;
}

/* End BB with: if A equals B go to YES, else to NO. */
static void branch(basic_block bb, tree a, tree b, basic_block yes, basic_block no)
{
	gimple_seq seq = NULL;

	gimple_seq_add_stmt_without_update(&seq, gimple_build_cond(EQ_EXPR, a, b, NULL_TREE, NULL_TREE));
	fill(bb, seq);
	make_edge(bb, yes, EDGE_TRUE_VALUE)->probability = profile_probability::very_likely();
	make_edge(bb, no, EDGE_FALSE_VALUE)->probability = profile_probability::very_unlikely();
}

/* A new name, in JOIN, for A if control comes there from FROM_A, and for B if it comes from FROM_B. */
static tree either(basic_block join, basic_block from_a, tree a, basic_block from_b, tree b)
{
	tree name = make_ssa_name(word_type());
	gphi *phi = create_phi_node(name, join);

	add_phi_arg(phi, a, find_edge(from_a, join), UNKNOWN_LOCATION);
	add_phi_arg(phi, b, find_edge(from_b, join), UNKNOWN_LOCATION);
	return name;
}

/* A block behind BB, to which control comes from there if A equals B; else it goes to MISS. */
static basic_block if_equal(basic_block bb, tree a, tree b, basic_block miss)
{
	basic_block next = block_after(bb, bb->count);

	branch(bb, a, b, next, miss);
	return next;
}

void insert_entry(hooks *h, bool receives)
{
	edge start = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(h->fun));
	basic_block probe = split_edge(start), join, hit, miss;
	profile_count rare = probe->count.apply_probability(profile_probability::very_unlikely());
	gimple_seq seq = NULL;
	tree prev, routine, next, id, to, missed, before, site = NULL_TREE, missed_before = NULL_TREE;
	int behind = options.sites ? -1 : 0;		/* aliases are pointed to one byte behind */

	join = split_edge(single_succ_edge(probe));
	remove_edge(single_succ_edge(probe));
	miss = block_after(probe, rare);

	routine = emit_routine(&seq, h->fun->decl);
	prev = emit_load(&seq, current());
	id = next = emit_step(&seq, prev, routine);
	if (options.sites) {
		site = emit_site(&seq);
		id = emit_step(&seq, next, site);
	}
	to = options.sites ? emit_probe(&seq, id, TLS_SITES, TLS_SITES_MASK) : emit_probe(&seq, next, TLS_FRONT, TLS_MASK);
	tree key = emit_load(&seq, word_at(to, KEY_ID + behind, false));
	fill(probe, seq);
	hit = if_equal(probe, key, id, miss);

	seq = NULL;
	key = emit_load(&seq, word_at(to, KEY_ROUTINE + behind, false));
	fill(hit, seq);
	hit = if_equal(hit, key, routine, miss);

	if (options.sites) {
		seq = NULL;
		key = emit_load(&seq, word_at(to, ALIAS_SITE + behind, false));
		fill(hit, seq);
		hit = if_equal(hit, key, site, miss);
	}

	seq = NULL;
	before = options.sites ? emit_hit_at_site(&seq, to, next) : emit_hit(&seq, to, next);
	fill(hit, seq);
	make_single_succ_edge(hit, join, EDGE_FALLTHRU);

	seq = NULL;
	missed = emit_miss(&seq, routine, site, &missed_before);
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

bool is_word(tree type)
{
	machine_mode mode = TYPE_MODE(type);

	return SCALAR_INT_MODE_P(mode) && GET_MODE_SIZE(as_a<scalar_int_mode>(mode)) <= UNITS_PER_WORD;
}

/* The constraint of a register that holds a value of TYPE whole; NULL: there is none. */
static const char *register_for(tree type)
{
	machine_mode mode = TYPE_MODE(type);

	if (is_word(type))
		return "=r";
	return mode == SFmode || mode == DFmode ? "=x" : NULL;
}

/* What LEAVING returns; NULL: nothing. Of an exit to which one way is left that is what comes from there. */
static tree returned_value(greturn *leaving)
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
static void emit_done(gimple_seq *seq, gimple *stmt)
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

static gimple_seq exit_seq(const hooks *h, gimple *stmt)
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

static gimple_seq tail_exit_seq(const hooks *h)
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
static gimple_seq receive_seq(const hooks *h, bool drops)
{
	gimple_seq seq = NULL;

	if (options.lose_receivers)
		return seq;
	if (options.tsc)
		emit_charge(&seq, charge, NULL_TREE, NULL_TREE);
	if (drops)
		emit_store(&seq, tls_word(TLS_TOP), emit_assign(&seq, word_type(), fold_convert(word_type(), h->top)));
	emit_store(&seq, current(), h->own);
	return seq;
}

/* A jump that is no call leaves routines without a word; its receiver, if it has hooks, puts its own context back.  So does a switch of stacks that nobody else
 * tells of.  So it is where unwinding goes on:
 * what that calls is still called from here. */
static bool jumps_away(gimple *stmt)
{
	return gimple_call_builtin_p(stmt, BUILT_IN_LONGJMP) || gimple_call_builtin_p(stmt, BUILT_IN_NONLOCAL_GOTO) ||
	       gimple_call_builtin_p(stmt, BUILT_IN_UNWIND_RESUME);
}

static gimple_seq lose_seq()
{
	gimple_seq seq = NULL;

	if (options.tsc)
		emit_charge(&seq, charge, NULL_TREE, NULL_TREE);
	emit_store(&seq, current(), build_int_cstu(word_type(), LOST_ID));
	return seq;
}

/* The linked name of DECL; "": it has none yet. */
static const char *linked_name(tree decl)
{
	const char *name;

	if (!decl || !DECL_ASSEMBLER_NAME_SET_P(decl))
		return "";
	name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
	return name + (*name == '*');
}

bool switches_untold(tree decl) { return list_has(&options.switches, linked_name(decl)); }

/* With CLONE_VM a child has used the thread's words, and ended or gone to another program in a routine of its own. */
bool switches_stack(tree decl)
{
	const char *name = linked_name(decl);

	return !strcmp(name, "swapcontext") || !strcmp(name, "clone") || switches_untold(decl);
}

static bool is_returns_twice(gimple *stmt) { return (gimple_call_flags(stmt) & ECF_RETURNS_TWICE) != 0; }

/* After STMT control may come back with another context: 0 no, 1 a switch of stacks, 2 a jump. */
static int comes_back(gimple *stmt)
{
	if (!is_gimple_call(stmt))
		return 0;
	if (is_returns_twice(stmt) || gimple_call_builtin_p(stmt, BUILT_IN_SETJMP_RECEIVER))
		return 2;
	return switches_stack(gimple_call_fndecl(stmt));
}

/* Is BB where an exception or a non-local goto arrives? */
static bool is_receiver(basic_block bb)
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

bool leaves(gimple *stmt)
{
	return gimple_code(stmt) == GIMPLE_RETURN || gimple_call_builtin_p(stmt, BUILT_IN_RETURN) || gimple_call_builtin_p(stmt, BUILT_IN_EH_RETURN);
}

bool is_tail_call(gimple *stmt)
{
	gcall *call = dyn_cast<gcall *>(stmt);

	return call && gimple_call_tail_p(call) && !comes_back(stmt);
}

static void insert_after(gimple_stmt_iterator *i, gimple_seq seq)
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

/* ---- where debuggers find the hooks ----
 *
 * In the line of what follows: a breakpoint on the function then stops where it would without them. */

/* The line of LOCATION in the function's own source: of inlined code, where it was called. */
static location_t own_location(location_t location)
{
	for (tree block = LOCATION_BLOCK(location); block && TREE_CODE(block) == BLOCK; block = BLOCK_SUPERCONTEXT(block))
		if (inlined_function_outer_scope_p(block))
			location = BLOCK_SOURCE_LOCATION(block);
	return LOCATION_LOCUS(location);
}

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

static gimple_seq located(gimple_seq seq, gimple *stmt)
{
	annotate_all_with_location(seq, gimple_location(stmt));
	return seq;
}

void insert_exits(const hooks *h, basic_block bb)
{
	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
		gimple *stmt = gsi_stmt(i);
		int back = comes_back(stmt);

		if (leaves(stmt))
			gsi_insert_seq_before(&i, located(exit_seq(h, stmt), stmt), GSI_SAME_STMT);
		else if (is_tail_call(stmt))
			gsi_insert_seq_before(&i, located(tail_exit_seq(h), stmt), GSI_SAME_STMT);
		else if (jumps_away(stmt) || (back == 1 && switches_untold(gimple_call_fndecl(stmt))))
			gsi_insert_seq_before(&i, located(lose_seq(), stmt), GSI_SAME_STMT);
		if (!back)
			continue;
		gimple_call_set_tail(as_a<gcall *>(stmt), false);
		insert_after(&i, located(receive_seq(h, back == 2), stmt));
	}
	if (is_receiver(bb)) {
		gimple_stmt_iterator i = gsi_after_labels(bb);

		gsi_insert_seq_before(&i, receive_seq(h, true), GSI_SAME_STMT);
	}
}

} /* namespace aprof */
