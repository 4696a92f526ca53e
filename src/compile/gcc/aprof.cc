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
 * asm of its own, and the second pass, on RTL, puts it where the jumps are, and takes it out again where the call stayed a call:
 * the store before the return does it then.
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
 * With the argument sites=yes the code tells its call sites: calls are counted by where the routine returns to, which is on the stack. Then it does
 *
 *     next = (prev + routine) * K;
 *     to = sites[((next + site) * K) >> 29 & sites_mask];     (all that is there is aliases)
 *     if (to->id == (next + site) * K && to->routine == routine && to->site == site) {
 *             to->count->calls++;
 *             aprof_tls.current = to->to;                     (mostly next, as the processor guesses)
 *     } else {
 *             prev = aprof_inline_miss_sites(routine, site);
 *     }
 *
 * and leaves as ever. With clock=tsc, too, it charges its time as above, and aprof_tls.charged is put to what the alias has: the counters of the
 * context that it leads to.
 *
 * A third pass, behind all of GCC's, writes down which parts of a function it has put far from the rest.
 *
 * Of this the passes stand here; parts.h says where the rest does.  The layout of the monitor's structs is that of contract/layout.h. */
#include "compile/gcc/parts.h"

#include "plugin-version.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int plugin_is_GPL_compatible;

namespace aprof {

struct plugin_options options;

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
		leave_out(fun, why);
		return 0;
	}
	h.fun = fun;
	note_hooks(fun);
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
	FOR_EACH_VEC_ELT(blocks, i, bb) {
		const hooks here = hooks_in(&h, bb);

		insert_exits(&here, bb);
	}
	gsi_commit_edge_inserts();
	free_dominance_info(CDI_DOMINATORS);
	mark_virtual_operands_for_renaming(fun);
	return 0;
}

const pass_data rtl_data = { RTL_PASS, "aprof_tails", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0 };

struct pass_tails : rtl_opt_pass {
	pass_tails(gcc::context *c) : rtl_opt_pass(rtl_data, c) {}
	unsigned int execute(function *) override { return place_tail_exits(); }
};

const pass_data far_data = { RTL_PASS, "aprof_far", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0 };

struct pass_far : rtl_opt_pass {
	pass_far(gcc::context *c) : rtl_opt_pass(far_data, c) {}
	bool gate(function *fun) override { return may_have_hooks(fun); }
	unsigned int execute(function *fun) override { return write_far_note(fun); }
};

const pass_data verify_data = { RTL_PASS, "aprof_verify", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0 };

struct pass_verify : rtl_opt_pass {
	pass_verify(gcc::context *c) : rtl_opt_pass(verify_data, c) {}
	unsigned int execute(function *) override { return verify_hooks(); }
};

static void add_pass(const char *name, opt_pass *pass, pass_positioning_ops where, const char *reference)
{
	register_pass_info info = { pass, reference, 1, where };

	register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

} /* namespace aprof */

using namespace aprof;

EXPORTED int plugin_init(plugin_name_args *args, plugin_gcc_version *version)
{
	if (!plugin_default_version_check(version, &gcc_version)) {
		error("aprof: this plugin was built for GCC %s (%s), and this is GCC %s (%s)", gcc_version.basever,
		      gcc_version.datestamp, version->basever, version->datestamp);
		return 1;
	}
	for (int i = 0; i < args->argc; i++)
		if (!args->argv[i].value || !plugin_options_take(&options, args->argv[i].key, args->argv[i].value)) {
			error("aprof: wrong plugin argument %qs", args->argv[i].key);
			return 1;
		}
	register_callback(args->base_name, PLUGIN_REGISTER_GGC_ROOTS, NULL, const_cast<ggc_root_tab *>(roots));
	register_callback(args->base_name, PLUGIN_ALL_IPA_PASSES_START, mark_left_out, NULL);
	register_callback(args->base_name, PLUGIN_ALL_IPA_PASSES_START, lay_out, NULL);
	register_callback(args->base_name, PLUGIN_FINISH_UNIT, write_left_out, NULL);
	register_callback(args->base_name, PLUGIN_FINISH_UNIT, write_totals, NULL);
	add_pass(args->base_name, new pass_aprof(g), PASS_POS_INSERT_AFTER, "optimized");
	add_pass(args->base_name, new pass_tails(g), PASS_POS_INSERT_AFTER, "expand");
	add_pass(args->base_name, new pass_verify(g), PASS_POS_INSERT_BEFORE, "final");
	add_pass(args->base_name, new pass_far(g), PASS_POS_INSERT_AFTER, "final");
	return 0;
}
