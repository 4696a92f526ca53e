/* split.cc - ways out without a call, on which the hooks want no register saved.
 *
 * What the exits want is kept in registers that calls leave as they are, and those must be saved first.  Where a routine can leave without
 * a call GCC saves nothing on that way (shrink wrapping): the prologue stands where the ways to the calls begin, and so does the move of
 * each parameter to a register that calls leave.  It does not find that place behind the hooks' branches, so it is chosen here: all that is
 * wanted behind calls is copied at the one block through which all ways to them lead, by an asm, to a name that can only be another register. */
#include "compile/gcc/parts.h"

namespace aprof {

const int SHORT_EXIT = 8;	/* statements of an exit that is made twice, at most */

/* Does STMT overwrite the registers that calls may, before the function is left? */
static bool overwrites(gimple *stmt)
{
	return is_gimple_call(stmt) && !gimple_call_internal_p(stmt) && !is_tail_call(stmt) && !gimple_call_noreturn_p(stmt) &&
	       !is_inexpensive_builtin(gimple_call_fndecl(stmt));
}

/* STMT has the context before the entry put back. */
static bool is_exit(gimple *stmt) { return leaves(stmt) || is_tail_call(stmt); }

static bool block_has(basic_block bb, bool (*what)(gimple *))
{
	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
		if (what(gsi_stmt(i)))
			return true;
	return false;
}

/* The block through which all ways to calls lead, outside of loops; NULL: there are no calls. */
static basic_block before_calls(const vec<basic_block> &blocks)
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
static void mark_behind(basic_block from, bitmap behind)
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
static bool can_be_two(basic_block bb, basic_block at, const_bitmap behind)
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
static basic_block make_two(basic_block bb, basic_block at)
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

const char copy_word[] = "mov{q}\t{%q1, %q0|%q0, %q1}";

/* Append to SEQ a copy of VALUE in another register. */
static tree emit_copy(gimple_seq *seq, tree value)
{
	tree copy = make_ssa_name(TREE_TYPE(value));

	emit_asm(seq, copy_word, { operand("=&r", copy) }, { operand("r", value) }, {});
	return copy;
}

/* Where the calls of a function are. */
struct calls {
	auto_bitmap behind;		/* the blocks to which ways from blocks with calls lead */
	auto_vec<unsigned> first;	/* by block: the number of its first statement that is one; NONE: there is none */
};

const unsigned NONE = UINT_MAX;

static void find_calls(function *fun, calls *found)
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

static bool is_wanted_behind(tree value, calls *of)
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
static basic_block block_of_use(use_operand_p use)
{
	gphi *phi = dyn_cast<gphi *>(USE_STMT(use));

	return phi ? gimple_phi_arg_edge(phi, PHI_ARG_INDEX_FROM_USE(use))->src : gimple_bb(USE_STMT(use));
}

/* Let COPY stand for VALUE in AT and all that it dominates. */
static void replace_from(basic_block at, tree value, tree copy)
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
static bool is_from_before(tree value, basic_block at)
{
	basic_block bb = gimple_bb(SSA_NAME_DEF_STMT(value));

	return !bb || !dominated_by_p(CDI_DOMINATORS, bb, at);
}

/* Append to SEQ copies of the values that are wanted behind calls. */
static void copy_values(const hooks *h, gimple_seq *seq)
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

hooks hooks_in(const hooks *h, basic_block bb)
{
	hooks here = *h;

	if (h->split && dominated_by_p(CDI_DOMINATORS, bb, h->split)) {
		here.prev = h->late_prev;
		here.before = h->late_before;
	}
	return here;
}

} /* namespace aprof */
