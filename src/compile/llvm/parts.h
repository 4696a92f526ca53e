/* parts.h - what the parts of the plugin for LLVM know of one another.
 *
 *	aprof.cc	what it does, in short; its passes and arguments, and what LLVM calls
 *	choose.cc	which functions have hooks
 *	hooks.cc	the entry, the exits, and where control comes back by another way
 *	tails.cc	calls before a return: which of them the code generator makes jumps
 *	processor.cc	assembly, and what else is of one processor
 *	proof.cc	what must hold on each path (proof.h), and that it does so in IR
 *	code.cc		that it does so in the code that is printed; hooks that are called where not; notes of parts far from the rest
 *
 * One source for all versions of LLVM from 14 on.  What has changed between them stands in versions.h. */
#ifndef PARTS_H
#define PARTS_H

#include "compile/llvm/versions.h"

extern "C" {
#include "compile/plugin_options.h"
}
#include "contract/layout.h"

namespace llvm {
class MachineInstr;
}

namespace aprof {

/* What the user asked for. */
struct options : plugin_options {
	bool all;		/* each function is to have hooks: the front end marks none */
	bool lto;		/* hooks come in the linker */
	std::string arguments;	/* all that was asked for, each with a newline */
	bool trust_tails;	/* for tests: take each call that is marked as a tail call for a jump */
};

extern struct options options;

/* ---- choose.cc ---- */

/* Functions bear these attributes, which nobody else knows of: it is to have hooks; it has them; its proof has failed already. */
extern const char wanted_attribute[], hooked_attribute[], unproven_attribute[];

/* Before anything is inlined: mark the functions of M that are to have hooks, by the front end's own marks, which go.  Are there any? */
bool mark_wanted(llvm::Module &m);

/* Have a link of M fail where nobody puts hooks in: M asks for a function that there is not; and take that back. */
void want_link(llvm::Module &m);
void forget_link(llvm::Module &m);

/* Routines without hooks since the user wants it so: "leaf:NAME", "name:NAME" or "file:NAME", or cannot have any, "naked:NAME"; NAME as linked. */
typedef std::vector<std::string> left_out;

/* Is F to have hooks, now that all is inlined?  Where it is not, and that is to be told, that is added to LEFT. */
bool takes_hooks(const llvm::Function &f, left_out *left);

/* Is a function of M still to have hooks? */
bool waits(const llvm::Module &m);

/* Tell whoever reads the program what was LEFT out of M: in a section that no process loads. */
void write_left_out(llvm::Module &m, const left_out &left);

/* Lay the functions of M out by chance, if there is a seed. */
void lay_out(llvm::Module &m);

/* ---- aprof.cc ---- */

/* Put hooks into the functions of M that are still to have them, and prove them there.  Returns what is to be told of the others. */
left_out put_hooks(llvm::Module &m);

/* ---- hooks.cc ---- */

/* What a function's hooks have for names. */
struct hooks {
	llvm::Function *fun;
	llvm::Value *prev;	/* context before the entry */
	llvm::Value *next;	/* what the routine's own is called where the probe hit */
	llvm::Value *top, *own;	/* top frame and context after the entry; NULL: control comes back by returns alone */
	llvm::Value *before;	/* clock tsc: what was charged before the entry */
};

/* What a store to the thread's context puts there; its memory operand says so to the end, by a scope. */
enum purpose { ENTERS, LEAVES, LOSES, RECEIVES, NO_PURPOSE };
enum purpose purpose_of(const llvm::AAMDNodes &of);

/* Put hooks into F. */
hooks insert_hooks(llvm::Function &f);

/* The thread's words, struct aprof_tls. */
llvm::GlobalVariable *thread_words(llvm::Module &m);

/* Is POINTER that of the thread's context? */
bool is_context(const llvm::Value *pointer, const llvm::DataLayout &layout);

/* After C control may come back with another context: 0 no, 1 a switch of stacks, 2 a jump. */
int comes_back(const llvm::Instruction &c);

/* Does C, or a call of CALLEE, return on another stack, without anybody telling the monitor? */
bool switches_untold(const llvm::Instruction &c);
bool is_untold_switch(llvm::StringRef callee);

/* A jump that is no call leaves routines without a word, and so does unwinding that goes on. */
bool jumps_away(const llvm::Instruction &i);

/* Does I leave the function for good, other than by a call that never comes back? */
bool leaves(const llvm::Instruction &i);

/* Is C a tail call behind its exit? */
bool is_jump(const llvm::Instruction &c);

/* ---- tails.cc ---- */

/* The call that the return R may make a jump: its value is what is returned, or nothing is; NULL: there is none. */
llvm::CallInst *call_before(llvm::ReturnInst *r);

/* Is it sure that the code generator makes a jump of C, which is a call_before()?  If not it is to be kept from doing so. */
bool surely_jumps(llvm::CallInst *c);

/* Give calls that surely jump returns of their own, as CodeGenPrepare would, which does not find them any more behind the hooks. */
void part_returns(llvm::Function &f);

/* ---- processor.cc ---- */

typedef llvm::IRBuilder<> builder;

/* Have the assembler's parser there for the hooks' asms: flang, whose language has none, does without. */
void have_parser();

/* Is there code for M's processor? */
bool knows_processor(const llvm::Module &m);

/* Has F registers to spare where it is entered, and does it return as others do? */
bool processor_spares(const llvm::Function &f);

/* Does the processor's code generator make a jump of C, with the caller F, as far as arguments, results and the stack say? */
bool processor_jumps(const llvm::CallInst *c, const llvm::Function &f);

/* Append: the call is counted in *COUNTER, in one instruction where that is possible: signal handlers count, too. */
void emit_count(builder &b, llvm::Value *counter);

/* The same from a call site, by the alias to whose second byte ALIAS points; returns the context that it leads to, which is mostly NEXT. */
llvm::Value *emit_count_site(builder &b, llvm::Value *alias, llvm::Value *next);

/* Append: the probe has missed; do the same out of line, with all registers kept. Returns the context before the entry. *BEFORE: what was charged, with
 * clock tsc.  SITE: where the routine returns to; NULL: nobody wants to know. */
llvm::Value *emit_miss(builder &b, llvm::Value *routine, llvm::Value *site, llvm::Value **before);

/* Append what clock tsc does before each change of the context. */
void emit_charge(builder &b);

/* Append: the routine's work is done, VALUE (NULL: none) computed. Returns what stands for VALUE. */
llvm::Value *emit_done(builder &b, llvm::Value *value);

/* Is TEXT an asm of emit_miss()?  Is it one of ours that writes to the thread's words, or to a counter? */
bool is_miss(const char *text);
bool writes(const char *text);

/* Asms that call the hooks of way fentry: first thing in a routine, and last. */
extern const char call_entry[], call_exit[];

/* Are the registers that these do not keep F's to lose where it is entered and left? */
bool may_call_hooks(const llvm::Function &f);

/* Does I return, be it by a jump to where it should (-mlvi-cfi)? */
bool is_return(const llvm::MachineInstr &i);

/* May I stand where a hook is called last, before it, or first (it is where indirect jumps land)? */
bool may_call_before(const llvm::MachineInstr &i);
bool is_landing(const llvm::MachineInstr &i);

/* ---- proof.cc ---- */

/* Prove H in IR; where that fails its function is marked as unproven. */
void prove(const hooks &h);

/* ---- code.cc ---- */

/* Have the code looked at when it is printed: LLVM knows no later pass of a plugin's before version 22, but who prints may be looked over the shoulder. */
void watch_printers();

} /* namespace aprof */

#endif
