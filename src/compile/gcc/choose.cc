/* choose.cc - which functions have hooks, and what is told of the others. */
#include "compile/gcc/parts.h"

namespace aprof {

/* Routines without hooks since the user wants it so: "leaf:NAME", "name:NAME" or "file:NAME", or cannot have any, "naked:NAME"; NAME as linked. */
static vec<char *> left_out;

const char *assembler_name(tree decl)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));

	return name + (*name == '*');
}

/* Why the patterns leave DECL out: "file" or "name"; NULL: they do not. */
static const char *not_chosen(tree decl)
{
	const char *file = in_lto_p ? DECL_SOURCE_FILE(decl) : main_input_filename;

	if (file && !select_file(&options.select, file))
		return "file";
	return !select_has_names(&options.select) || select_name(&options.select, assembler_name(decl)) ? NULL : "name";
}

/* Does DECL choose what an IFUNC stands for? It runs before there is a thread. */
static bool is_resolver(tree decl)
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

static tree attribute(tree decl, const char *name) { return lookup_attribute(name, DECL_ATTRIBUTES(decl)); }

static bool has_attribute(tree decl, const char *name) { return attribute(decl, name) != NULL_TREE; }

/* A constructor or destructor that the compiler made up: it calls those of the source, or a sanitizer's start. */
static bool is_glue(tree decl)
{
	return DECL_ARTIFICIAL(decl) && (DECL_STATIC_CONSTRUCTOR(decl) || DECL_STATIC_DESTRUCTOR(decl)) &&
	       !strncmp(assembler_name(decl), "_sub_", strlen("_sub_"));
}

/* A leaf of few statements, which the user wants left out. */
static bool is_small_leaf(function *fun)
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

const char *why_left_out(function *fun)
{
	tree mark = attribute(fun->decl, left_out_attribute);

	if (mark)
		return IDENTIFIER_POINTER(TREE_VALUE(mark));
	if (has_attribute(fun->decl, "naked"))
		return "naked";
	return is_small_leaf(fun) ? "leaf" : NULL;
}

void leave_out(function *fun, const char *why)
{
	left_out.safe_push(concat(why, ":", assembler_name(fun->decl), NULL));
}

bool may_have_hooks(function *fun)
{
	tree decl = fun->decl;

	return !has_attribute(decl, "no_instrument_function") &&
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

} /* namespace aprof */
