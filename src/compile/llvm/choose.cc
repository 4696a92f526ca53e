/* choose.cc - which functions have hooks, and what is told of the others. */
#include "compile/llvm/parts.h"

using namespace llvm;

namespace aprof {

const char wanted_attribute[] = "aprof-wanted", hooked_attribute[] = "aprof-hooked", unproven_attribute[] = "aprof-unproven";
static const char left_out_attribute[] = "aprof-left-out";	/* its value: why */

/* What -finstrument-functions-after-inlining has Clang mark, but for what the source excludes. */
static const char clang_entry[] = "instrument-function-entry-inlined", clang_exit[] = "instrument-function-exit-inlined";

/* The name of F as it is linked. */
static std::string linked_name(const Function &f) { return without_mark(f.getName()).str(); }

/* The file that F is compiled in, or stands in where several are linked. */
static std::string file_of(const Function &f)
{
	const DISubprogram *program = f.getSubprogram();
	std::string unit = f.getParent()->getSourceFileName();

	return unit == "ld-temp.o" && program ? program->getFilename().str() : unit;
}

/* Why the patterns leave F out: "file" or "name"; NULL: they do not. */
static const char *not_chosen(const Function &f)
{
	if (!select_file(&options.select, file_of(f).c_str()))
		return "file";
	return !select_has_names(&options.select) || select_name(&options.select, linked_name(f).c_str()) ? nullptr : "name";
}

/* Has M been here before?  Then what bears no mark is to bear none. */
static bool is_known(const Module &m)
{
	for (const Function &f : m)
		if (f.hasFnAttribute(hooked_attribute) || f.hasFnAttribute(wanted_attribute) || f.hasFnAttribute(left_out_attribute))
			return true;
	return false;
}

static bool is_marked(const Function &f, bool all)
{
	return f.hasFnAttribute(clang_entry) || (all && !f.isDeclaration() && !has_prefix(f.getName(), "llvm."));
}

bool mark_wanted(Module &m)
{
	bool all = options.all && !is_known(m), any = false;

	for (Function &f : m) {
		if (!is_marked(f, all))
			continue;
		const char *why = not_chosen(f);

		f.removeFnAttr(clang_entry);
		f.removeFnAttr(clang_exit);
		if (why)
			f.addFnAttr(left_out_attribute, why);
		else
			f.addFnAttr(wanted_attribute);
		any |= !why;
	}
	return any;
}

/* ---- until the link ---- */

/* What the linker says is not there. */
static const char link_name[] = "aprof_hooks_come_by_ld_lld_with_its_plugin";

/* The linker may keep what it made of a module (--thinlto-cache-dir), by what is in that. */
static void add_arguments(Module &m)
{
	m.getOrInsertNamedMetadata("aprof.arguments")->addOperand(MDNode::get(m.getContext(), MDString::get(m.getContext(), options.arguments)));
}

void want_link(Module &m)
{
	PointerType *pointer = pointer_to(Type::getInt8Ty(m.getContext()));
	Function *f = Function::Create(FunctionType::get(Type::getVoidTy(m.getContext()), false), GlobalValue::ExternalLinkage, link_name, m);
	GlobalVariable *asks = new GlobalVariable(m, pointer, true, GlobalValue::PrivateLinkage, ConstantExpr::getPointerCast(f, pointer), "aprof.asks");

	appendToCompilerUsed(m, { asks });
	add_arguments(m);
}

/* Linked together modules have a variable each. */
void forget_link(Module &m)
{
	Function *f = m.getFunction(link_name);
	SmallVector<GlobalVariable *, 16> asking;

	for (GlobalVariable &v : m.globals())
		if (f && v.hasInitializer() && v.getInitializer()->stripPointerCasts() == f)
			asking.push_back(&v);
	if (!f)
		return;
	drop_from_used(m, asking);
	for (GlobalVariable *v : asking)
		v->eraseFromParent();
	f->removeDeadConstantUsers();
	if (f->use_empty())
		f->eraseFromParent();
}

/* ---- which ---- */

/* Does F choose what an IFUNC stands for?  It runs before there is a thread. */
static bool is_resolver(const Function &f)
{
	for (const GlobalIFunc &i : f.getParent()->ifuncs())
		if (i.getResolver()->stripPointerCastsAndAliases() == &f)
			return true;
	return false;
}

/* A constructor or destructor that the compiler made up: it calls those of the source, or a sanitizer's start. */
static bool is_glue(const Function &f) { return has_prefix(f.getName(), "_GLOBAL__sub_I_"); }

/* What unwinds by parts of functions, as Windows does. */
static bool has_funclets(const Function &f)
{
	for (const BasicBlock &b : f)
		if (b.isEHPad() && !b.isLandingPad())
			return true;
	return false;
}

/* A leaf of few instructions, which the user wants left out. */
static bool is_small_leaf(const Function &f)
{
	int n = 0;

	for (const BasicBlock &b : f)
		for (const Instruction &i : b) {
			if (isa<CallBase>(i) && !isa<IntrinsicInst>(i) && !cast<CallBase>(i).isInlineAsm())
				return false;
			n += !i.isDebugOrPseudoInst();
		}
	return n < options.leaf;
}

static const char *why_left_out(const Function &f)
{
	if (f.hasFnAttribute(left_out_attribute))
		return f.getFnAttribute(left_out_attribute).getValueAsString() == "file" ? "file" : "name";
	if (!f.hasFnAttribute(wanted_attribute))
		return nullptr;
	if (f.hasFnAttribute(Attribute::Naked))
		return "naked";
	return options.leaf && is_small_leaf(f) ? "leaf" : nullptr;
}

bool takes_hooks(const Function &f, left_out *left)
{
	if (f.isDeclaration() || f.hasAvailableExternallyLinkage())
		return false;
	const char *why = why_left_out(f);

	if (why && left)
		left->push_back(std::string(why) + ":" + linked_name(f));
	return !why && f.hasFnAttribute(wanted_attribute) && !is_resolver(f) && !is_glue(f) && !has_funclets(f) &&
	       f.getCallingConv() != CallingConv::GHC && processor_spares(f) && !is_presplit(f) && !f.hasFnAttribute("thunk");
}

bool waits(const Module &m)
{
	for (const Function &f : m)
		if (takes_hooks(f, nullptr))
			return true;
	return false;
}

/* TEXT as a string of the assembler's. */
static std::string quoted(const std::string &text)
{
	std::string out = "\"";

	for (char c : text)
		out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
	return out + "\"";
}

/* Strip keeps the section, and the linker one of each of its strings. */
void write_left_out(Module &m, const left_out &left)
{
	std::string text = "\t.pushsection .aprof_left_out,\"MS\",@progbits,1\n";

	if (left.empty())
		return;
	for (const std::string &entry : left)
		text += "\t.string " + quoted(entry) + "\n";
	m.appendModuleInlineAsm(text + "\t.popsection\n");
}

/* 32 bits of the seed and the name of F (FNV-1a, the upper half), as the plugin for GCC draws them. */
static unsigned draw(const Function &f)
{
	uint64_t h = 0xcbf29ce484222325;

	for (int i = 0; i < 4; i++)
		h = (h ^ (options.layout >> 8 * i & 0xff)) * 0x100000001b3;
	for (unsigned char c : linked_name(f))
		h = (h ^ c) * 0x100000001b3;
	return h >> 32;
}

/* So that what layout alone does to a program's time can be told from what its code does: each function gets an alignment, and a section whose name decides
 * where the linker puts it, unless it is in one for a reason. */
void lay_out(Module &m)
{
	enum { LEAST_ALIGNMENT = 16, ALIGNMENTS = 4 };	/* bytes; 16, 32, 64, 128 */

	for (Function &f : m) {
		if (!options.layout || f.isDeclaration() || f.hasAvailableExternallyLinkage())
			continue;
		unsigned drawn = draw(f), bytes = LEAST_ALIGNMENT << drawn % ALIGNMENTS;
		char section[40];

		if (f.getAlign().valueOrOne().value() < bytes)
			f.setAlignment(Align(bytes));
		if (f.hasSection() || f.hasComdat())
			continue;
		snprintf(section, sizeof section, ".text.sorted.%08x", drawn);
		f.setSection(section);
	}
}

} /* namespace aprof */
