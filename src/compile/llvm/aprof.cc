/* aprof.cc - way inline: a plugin for LLVM that puts step B1 of the paper into each function.
 *
 * It runs last of all on IR, after inlining, and makes of a function
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
 * so the shadow stack is the machine stack itself.  Where control comes back by no return (landing pads, setjmp's second return, a switch of stacks) the
 * function puts back its own context.  compile/gcc/aprof.cc says what more there is with clock tsc and with call sites: it is the same code, for the same monitor.
 *
 * Four steps:
 *
 *	before all optimisation		functions are marked that are to have hooks, by the marks of -finstrument-functions-after-inlining, which go: Clang would
 *					put calls of hooks of its own there
 *	behind all of it		hooks are put in, and proven
 *	(the code generator)
 *	where code is printed		they are proven once more, as they are printed; where that fails the routine calls the hooks of way fentry
 *
 * Sanitizers and coverage have their code put in by callbacks that Clang registers behind a plugin's.  So ours is registered once more when the passes before it
 * are made, and then stands last.  Where a module is optimised once more with others (link-time optimisation, which rustc does by itself), the hooks come then: of
 * Clang's modules in the linker, lld from version 15 on, which loads this, too.  A module that waits for that asks for a function that nobody has, so that a link
 * without the plugin fails.  Where nobody calls back behind all passes (version 14's for all modules in one; modules that wait for a link of rustc's, which
 * leaves them out) the hooks come as code generation begins.
 *
 * A process may compile several modules at a time (rustc): but for the options, which nobody changes, nothing here is of the whole process. */
#include "compile/llvm/parts.h"

#include <dlfcn.h>

using namespace llvm;

namespace aprof {

struct options options;

/* ---- arguments: those of the plugin for GCC ---- */

/* Take KEY=VALUE in. */
static bool read_argument(StringRef text)
{
	const std::string key = text.split('=').first.str(), value = text.split('=').second.str();

	if (key == "marks")
		return options.all = value == "none";
	if (key == "lto")
		return options.lto = value == "yes";
	if (key == "test" && value == "trust-tails")
		return options.trust_tails = true;
	return plugin_options_take(&options, key.c_str(), value.c_str());
}

static void take_argument(StringRef text)
{
	if (!read_argument(text))
		report_fatal_error(Twine("aprof: wrong plugin argument ") + text, false);
	options.arguments += (text + "\n").str();
}

/* Words for those who have no command of Clang's: -aprof=KEY=VALUE. */
static cl::list<std::string> words("aprof", cl::Hidden);

/* Does the command ALL of Clang's compile IR, which bears no front end's marks?  A process that was started for a part of the work is told so; one that does all of
 * it has one file. */
static bool compiles_ir(ArrayRef<StringRef> all)
{
	bool part = is_contained(all, "-cc1");

	for (size_t i = 0; i < all.size(); i++)
		if ((all[i] == "-x" && i + 1 < all.size() && all[i + 1] == "ir") || all[i] == "-xir" ||
		    (!part && (i == 0 || all[i - 1] != "-o") && (all[i].take_back(3) == ".bc" || all[i].take_back(3) == ".ll")))
			return true;
	return false;
}

#define NAME "aprof_llvm" AS_TEXT(LLVM_VERSION_MAJOR)

/* Compilers hand a plugin of LLVM's nothing on, so the command is read.  Clang has -fplugin-arg-NAME-KEY=VALUE, or, in a process that was started for a part of
 * the work, -plugin-arg-NAME KEY=VALUE; rustc --cfg aprof="KEY=VALUE"; flang a macro; lld a word that it passes over.  (What Clang has for LLVM is for all parts of
 * the work, also the assembler, which loads no plugin; rustc and lld read their own before they load any.) */
static void take_command()
{
	static const char driver[] = "-fplugin-arg-" NAME "-", part[] = "-plugin-arg-" NAME, rust[] = "aprof=\"", linker[] = "-plugin-opt=-pass-through=aprof:",
		macro[] = "-D__aprof__";
	ErrorOr<std::unique_ptr<MemoryBuffer>> command = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
	SmallVector<StringRef, 64> all;

	if (!command)
		report_fatal_error("aprof: /proc/self/cmdline cannot be read: it has the plugin's arguments", false);
	(*command)->getBuffer().split(all, '\0');
	for (size_t i = 0; i < all.size(); i++)
		if (has_prefix(all[i], driver))
			take_argument(all[i].drop_front(strlen(driver)));
		else if (all[i] == part && i + 1 < all.size())
			take_argument(all[++i]);
		else if (has_prefix(all[i], linker))
			take_argument(all[i].drop_front(strlen(linker)));
		else if (has_prefix(all[i], macro))
			take_argument(all[i].drop_front(strlen(macro)));
		else if (all[i] == "--cfg" && i + 1 < all.size() && has_prefix(all[i + 1], rust))
			take_argument(all[++i].drop_front(strlen(rust)).drop_back());
	options.all |= compiles_ir(all);
}

/* The machine outliner makes one routine of instructions of several when the last look at them is over; LLVM 14's does so with those that are not to be outlined,
 * too.  Then a jump of a routine's is a call of another, so there is no outlining beside hooks. */
static void forbid_outliner()
{
	static const char name[] = "enable-machine-outliner";
	auto &all = cl::getRegisteredOptions();
	auto found = all.find(name);

	if (found == all.end())
		return;
	found->second->setNumOccurrencesFlag(cl::ZeroOrMore);		/* the command may have it */
	found->second->addOccurrence(0, name, "never");
}

/* Once in a process. */
static bool take_arguments()
{
	forbid_outliner();
	take_command();
	for (const std::string &word : words)
		take_argument(word);
	return true;
}

/* ---- passes ---- */

struct mark_pass : PassInfoMixin<mark_pass> {
	PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
	{
		if (knows_processor(m) && mark_wanted(m) && options.lto)
			want_link(m);
		return PreservedAnalyses::all();
	}
	static bool isRequired() { return true; }
};

struct hooks_pass : PassInfoMixin<hooks_pass> {
	PreservedAnalyses run(Module &m, ModuleAnalysisManager &);
	static bool isRequired() { return true; }
};

left_out put_hooks(Module &m)
{
	std::vector<Function *> chosen;
	left_out left;

	for (Function &f : m)
		if (takes_hooks(f, &left))
			chosen.push_back(&f);
	for (Function *f : chosen)
		prove(insert_hooks(*f));
	lay_out(m);
	forget_link(m);
	return left;
}

PreservedAnalyses hooks_pass::run(Module &m, ModuleAnalysisManager &)
{
	write_left_out(m, put_hooks(m));
	return PreservedAnalyses::none();
}

/* They are put in once: a function that has them wants none any more.  NOW: no link optimises them once more. */
static void add_hooks(ModulePassManager &passes, bool now)
{
	if (now && !options.lto)
		passes.addPass(hooks_pass());
}

static void register_passes(PassBuilder &b)
{
	static const bool taken = take_arguments();
	std::shared_ptr<bool> begun = std::make_shared<bool>(false);

	(void)taken;
	b.registerOptimizerLastEPCallback([begun](ModulePassManager &passes, auto... of) { add_hooks(passes, !*begun && !is_before_link(passes, of...)); });
	b.registerPipelineStartEPCallback([&b, begun](ModulePassManager &passes, auto...) {
		*begun = true;
		passes.addPass(mark_pass());
		b.registerOptimizerLastEPCallback([](ModulePassManager &later, auto... of) { add_hooks(later, !is_before_link(later, of...)); });
	});
#if LLVM_VERSION_MAJOR >= 15
	b.registerFullLinkTimeOptimizationLastEPCallback([](ModulePassManager &passes, auto...) { add_hooks(passes, true); });
#endif
	b.registerPipelineParsingCallback([](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
		if (name != "aprof")
			return false;
		passes.addPass(mark_pass());
		passes.addPass(hooks_pass());
		return true;
	});
	have_parser();
	watch_printers();
}

/* ---- whose plugin this is ---- */

/* The major version of LLVM that has loaded this; 0: one before 16, which cannot be asked. */
static unsigned loaded_by()
{
	void (*ask)(unsigned *, unsigned *, unsigned *) = (void (*)(unsigned *, unsigned *, unsigned *))dlsym(RTLD_DEFAULT, "LLVMGetVersion");
	unsigned major = 0, minor, patch;

	if (ask)
		ask(&major, &minor, &patch);
	return major;
}

} /* namespace aprof */

/* Of another version than it was built for it is no plugin: LLVM promises nothing. */
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	unsigned version = aprof::loaded_by();
	bool ours = version ? version == LLVM_VERSION_MAJOR : LLVM_VERSION_MAJOR < 16;

	return { ours ? (uint32_t)LLVM_PLUGIN_API_VERSION : 0, "aprof", "", aprof::register_passes };
}
