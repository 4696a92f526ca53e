/* parts.h - what the parts of the plugin know of one another.  (A plugin.h is GCC's.)
 *
 *	aprof.cc	what it does, in short; its passes, and what GCC calls
 *	choose.cc	which functions have hooks
 *	hooks.cc	the entry, the exits, and where control comes back by another way
 *	split.cc	ways out without a call, on which no register is saved for the hooks
 *	emit.cc		pieces of GIMPLE, and the code of clock tsc
 *	tails.cc	exits before tail calls that became jumps
 *	far.cc		notes of parts that GCC has put far from the rest
 *	verify.cc	the hooks proven, on what will be printed (machine.h, machine.cc: what an instruction does)
 *	fallback.cc	hooks that are called, for routines where the proof fails
 *
 * Sequences of statements are GCC's, and belong to whoever has them put into a function; what SEQ points to may be an empty one, NULL. */
#ifndef PARTS_H
#define PARTS_H

#include <initializer_list>

#include "gcc-plugin.h"
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
#include "compile/plugin_options.h"
}
#include "contract/layout.h"

namespace aprof {

enum { TLS_WORDS = TLS_SITES_MASK / 8 + 1 };	/* of the thread's, as far as known here */

/* What the sum of a context and a routine is multiplied by, as the word that it is. */
const unsigned HOST_WIDE_INT step_factor = (unsigned HOST_WIDE_INT)STEP_FACTOR;

/* What the user asked for. */
extern struct plugin_options options;

/* The function at hand. */
struct hooks {
	function *fun;
	tree prev;		/* context before the entry */
	tree top;		/* top frame after the entry, if needed */
	tree own;		/* context after the entry, if needed */
	tree before;		/* clock tsc: what was charged before the entry */
	basic_block split;	/* from here on, and in all that it dominates, the next two stand for `prev` and `before`; NULL: nowhere */
	tree late_prev, late_before;
};

/* ---- layout.cc ---- */

/* Lay the functions of the unit out by chance, if there is a seed. */
void lay_out(void *, void *);

/* ---- choose.cc ---- */

const char *assembler_name(tree decl);	/* belongs to DECL */

/* Can FUN have hooks at all, and is it not forbidden where it is written? */
bool may_have_hooks(function *fun);

/* Why FUN gets no hooks, which is to be told: the user wants none, or it is naked; NULL: it gets them. */
const char *why_left_out(function *fun);

/* FUN has none; WHY is what why_left_out() returned. */
void leave_out(function *fun, const char *why);

/* What GCC calls before anything is inlined, and when the unit is done. */
void mark_left_out(void *, void *);
void write_left_out(void *, void *);

/* ---- emit.cc ---- */

extern const ggc_root_tab roots[];	/* what GCC's collector of garbage must not take */

tree word_type();

/* The word at OFFSET of what BASE (an address) points to. */
tree word_at(tree base, int offset, bool is_volatile);

/* Words of the thread, struct aprof_tls; volatile ones are those that signal handlers read and write too: its context, and those of clock tsc. */
tree tls_word(int offset);
tree volatile_word(int offset);
tree current();				/* its context */

/* Each appends to SEQ an assignment, and returns the new name if it makes one. */
tree emit_assign(gimple_seq *seq, tree type, tree rhs);
tree emit_load(gimple_seq *seq, tree ref);
tree emit_op(gimple_seq *seq, enum tree_code code, tree a, tree b);
tree emit_pointer(gimple_seq *seq, tree word);
void emit_store(gimple_seq *seq, tree ref, tree value);
tree emit_top(gimple_seq *seq);		/* the thread's top frame now */

/* An operand of an asm. */
typedef std::initializer_list<tree> operands;
tree operand(const char *constraint, tree value);

/* Append the asm TEXT with these operands, and what else it CLOBBERS.  It is volatile. */
gasm *emit_asm(gimple_seq *seq, const char *text, operands out, operands in, std::initializer_list<const char *> clobbers);

/* The exit before a tail call, by either clock: the second pass knows them by their texts. */
extern const char tail_exit[], tail_exit_tsc[];
extern const char charge[];		/* what clock tsc does before each change of the context */
enum { TAIL_EXIT_TSC_CONTEXT = 6, TAIL_EXIT_TSC_PREV = 4 };	/* numbers of an output, and of an input */

/* Append TEXT, `charge` or `tail_exit_tsc`, which puts BEFORE and PREV back into `charged` and `current`; NULL: it does not. */
void emit_charge(gimple_seq *seq, const char *text, tree before, tree prev);

/* ---- hooks.cc ---- */

/* Is TEXT an asm of the entry where the probe missed?  Its first output is the context before the entry. */
bool is_miss(const char *text);

/* Asms of the entry: a call counted; and a call from a call site counted, with the context changed, whose output and input have these numbers. */
extern const char count[], count_site[];
enum { COUNT_SITE_CONTEXT = 0, COUNT_SITE_NEXT = 1 };

/* Does a call of DECL return on another stack? NULL: no. */
bool switches_stack(tree decl);
bool switches_untold(tree decl);	/* and nobody tells the monitor? */

/* STMT leaves the function for good, other than by a call that never comes back. */
bool leaves(gimple *stmt);
bool is_tail_call(gimple *stmt);	/* that may become a jump: what control comes back from otherwise than by a return must not */

/* Has a general register room for a value of TYPE? */
bool is_word(tree type);

/* Does control come back to FUN by other ways than returns? */
bool function_receives(function *fun);

/* Put the entry into H's function, and what it leaves into H; RECEIVES: what function_receives() said. */
void insert_entry(hooks *h, bool receives);

/* Put what is due into BB, a block of the body: the exits, and the function's own context where control comes back. */
void insert_exits(const hooks *h, basic_block bb);

/* The line in which the body of FUN begins. */
location_t first_location(function *fun);

/* Put the blocks of FUN from number FROM on in the line of LOCATION, and say that it begins where the function does. */
void locate_entry(function *fun, int from, location_t location);

/* ---- split.cc ---- */

/* Choose where H's words are copied, if some way leaves BLOCKS, the body's, without a call.  Where exits had to be made two, the new ones are
 * added to BLOCKS. */
void choose_split(hooks *h, vec<basic_block> *blocks);

/* Copy them there, with all else that is wanted behind calls; after insert_entry(). */
void insert_copies(hooks *h);

extern const char copy_word[];		/* an asm that copies its input to its output */

/* H as BB has it. */
hooks hooks_in(const hooks *h, basic_block bb);

/* ---- tails.cc ---- */

/* The text of the asm INSN; "": it is none. */
const char *asm_text(rtx_insn *insn);

/* Is INSN the asm TEXT? */
bool is_asm(rtx_insn *insn, const char *text);

/* Is it the exit before a tail call? */
bool is_tail_exit(rtx_insn *insn);

/* Put these of the function at hand where its tail calls became jumps, and only there. Returns 0, as a pass. */
unsigned int place_tail_exits();

/* ---- far.cc ---- */

/* Write the note of the part of FUN that GCC has put far from the rest, if there is one; behind the code of FUN. Returns 0, as a pass. */
unsigned int write_far_note(function *fun);

/* ---- verify.cc ---- */

/* FUN was given hooks. */
void note_hooks(const function *fun);

/* Prove those of the function at hand, if it has some, and do what options.verify wants where that fails.  Returns 0, as a pass. */
unsigned int verify_hooks();

/* What GCC calls when the unit is done: print how many were checked, if that is wanted. */
void write_totals(void *, void *);

/* Put an insn of PATTERN before AT, when the lengths of insns are known already. */
void insert_before(rtx pattern, rtx_insn *at);

} /* namespace aprof */

#endif
