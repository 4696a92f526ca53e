/* code.cc - the hooks proven in the code that is printed.
 *
 * Whoever prints a function's code tells handlers that it begins, when all passes of the code generator are done.  What the stores to the context are for is in
 * their memory operands still.  So it is known what became of the exits before tail calls, and whether anything was moved, merged or taken out.
 *
 * A routine where the proof fails gets hooks that are called, those of way fentry: what writes to the thread's words goes, and the probe that is left only reads.
 *
 * For the parts of a function that stand far from the rest (-fsplit-machine-functions) notes are written, as compile/gcc/far.cc says. */
#include "compile/llvm/parts.h"
#include "compile/llvm/printing.h"
#include "compile/llvm/proof.h"

#include <map>

using namespace llvm;

namespace aprof {

/* ---- what instructions do ---- */

/* The text of the asm I; "": it is none. */
static const char *asm_text(const MachineInstr &i) { return i.isInlineAsm() ? i.getOperand(0).getSymbolName() : ""; }

/* What a store to the context is for, by all that it may be: what was merged is for nothing. */
static enum purpose purpose_of(const MachineInstr &i, bool *writes)
{
	const DataLayout &layout = i.getMF()->getDataLayout();
	enum purpose found = NO_PURPOSE;

	*writes = false;
	for (const MachineMemOperand *m : i.memoperands()) {
		if (!m->isStore() || !m->getValue() || !is_context(m->getValue(), layout))
			continue;
		enum purpose p = purpose_of(m->getAAInfo());

		found = *writes && p != found ? NO_PURPOSE : p;
		*writes = true;
	}
	return found;
}

/* The name of what I calls, as linked; "": a pointer.  *FUNCTION: the function, if it is one of this module's. */
static StringRef called_name(const MachineInstr &i, const Function **function)
{
	*function = nullptr;
	for (const MachineOperand &o : i.operands()) {
		if (o.isSymbol())
			return o.getSymbolName();
		if (o.isGlobal() && isa<Function>(o.getGlobal())) {
			*function = cast<Function>(o.getGlobal());
			return without_mark((*function)->getName());
		}
	}
	return "";
}

/* Has the function NAME no hooks, and no use for a context?  So it is with what the code generator calls unasked, by a name alone: F is NULL. */
static bool is_abroad(StringRef name, const Function *f)
{
	for (StringRef known : { "memcpy", "memmove", "memset", "memcmp", "bcmp" })
		if (name == known)
			return !f || f->isDeclaration();
	return !f && has_prefix(name, "__");
}

/* Does it end the program whose stack is broken?  All ways come there, with whatever context. */
static bool is_end(StringRef name) { return name == "__stack_chk_fail"; }

static void add_call(const MachineInstr &i, std::vector<event> *out)
{
	const Function *f;
	StringRef name = called_name(i, &f);

	if (is_end(name))
		return;
	if (name == "_Unwind_Resume" || is_untold_switch(name))
		out->push_back({ event::JUMPS, 0, &i, "exception passed on" });
	else
		out->push_back({ is_abroad(name, f) ? event::CALLS_ABROAD : event::CALLS, 0, &i, "call" });
	if ((f && f->hasFnAttribute(Attribute::ReturnsTwice)) || name == "swapcontext" || name == "clone" || is_untold_switch(name))
		out->push_back({ event::BECOMES, STRAY, &i, nullptr });
}

static void add_events(const MachineInstr &i, std::vector<event> *out)
{
	static const unsigned contexts[] = { OWN, PREV, LOST, OWN, STRAY };	/* by purpose */
	bool writes;
	enum purpose purpose = purpose_of(i, &writes);

	if (writes)
		out->push_back({ event::BECOMES, contexts[purpose], &i, nullptr });
	else if (is_miss(asm_text(i)))
		out->push_back({ event::BECOMES, OWN, &i, nullptr });
	else if (is_return(i))
		out->push_back({ event::EXITS, 0, &i, i.isCall() ? "tail call" : "return" });
	else if (i.isCall())
		add_call(i, out);
	else if (i.isIndirectBranch() && i.getParent()->succ_empty())
		out->push_back({ event::JUMPS, 0, &i, "jump out of the routine" });
}

static std::vector<fault> faults_in(const MachineFunction &mf)
{
	DenseMap<const MachineBasicBlock *, unsigned> number;
	std::vector<part> parts;

	for (const MachineBasicBlock &b : mf)
		number.insert({ &b, number.size() });
	for (const MachineBasicBlock &b : mf) {
		part p = { {}, {}, b.isEHPad() };

		for (const MachineInstr &i : b.instrs())
			add_events(i, &p.events);
		for (const MachineBasicBlock *next : b.successors())
			p.next.push_back(number[next]);
		parts.push_back(std::move(p));
	}
	return find_faults(parts);
}

/* ---- hooks that are called ---- */

/* Does I write to the thread's words, or to a counter? */
static bool writes_words(const MachineInstr &i)
{
	if (writes(asm_text(i)))
		return true;
	for (const MachineMemOperand *m : i.memoperands())
		if (m->isStore() && m->getValue() && getUnderlyingObject(m->getValue())->getName() == "aprof_tls")
			return true;
	return false;
}

/* The first instruction of MF before which a hook may be called. */
static MachineBasicBlock::iterator first_place(MachineFunction &mf)
{
	MachineBasicBlock &b = mf.front();
	MachineBasicBlock::iterator i = b.begin();

	while (i != b.end() && (i->isMetaInstruction() || is_landing(*i)))
		++i;
	return i;
}

/* Is I a store of which nobody knows any more where it goes?  It may be one of ours. */
static bool is_unknown_store(const MachineInstr &i)
{
	const MachineFunction &mf = *i.getMF();
	unsigned stack = mf.getSubtarget().getTargetLowering()->getStackPointerRegisterToSaveRestore();

	return i.mayStore() && i.memoperands_empty() && i.getNumExplicitOperands() && !i.isInlineAsm() && !i.isCall() && !i.modifiesRegister(stack, mf.getSubtarget().getRegisterInfo());
}

static bool can_fall_back(const MachineFunction &mf)
{
	if (!may_call_hooks(mf.getFunction()))
		return false;
	for (const MachineBasicBlock &b : mf)
		for (const MachineInstr &i : b)
			if ((is_return(i) && !may_call_before(i)) || is_unknown_store(i))
				return false;
	return mf.front().pred_empty();
}

static void call(MachineBasicBlock &b, MachineBasicBlock::iterator at, const char *text)
{
	const TargetInstrInfo *instructions = b.getParent()->getSubtarget().getInstrInfo();

	BuildMI(b, at, DebugLoc(), instructions->get(TargetOpcode::INLINEASM)).addExternalSymbol(text).addImm(InlineAsm::Extra_HasSideEffects);
}

static void fall_back(MachineFunction &mf)
{
	for (MachineBasicBlock &b : mf)
		for (MachineBasicBlock::iterator i = b.begin(); i != b.end();) {
			MachineInstr &here = *i++;

			if (writes_words(here))
				here.eraseFromBundle();
			else if (here.isReturn())
				call(b, here.getIterator(), call_exit);
		}
	call(mf.front(), first_place(mf), call_entry);
}

/* ---- parts far from the rest ---- */

/* Write the note at the end of F's code; the linker keeps it as long as F. */
static void write_far_note(AsmPrinter &p, const Function &f, MCSymbol *near, MCSymbol *far)
{
	MCContext &c = p.OutContext;
	MCSymbol *entry = p.getSymbol(&f);
	MCSection *section = c.getELFSection(".aprof.note", ELF::SHT_NOTE, ELF::SHF_ALLOC | ELF::SHF_LINK_ORDER | (f.hasComdat() ? +ELF::SHF_GROUP : 0), 0,
					     f.hasComdat() ? f.getComdat()->getName() : "", f.hasComdat(), ~0u, static_cast<MCSymbolELF *>(entry));

	push_section(*p.OutStreamer, section);
	p.emitAlignment(Align(4));
	for (int word : { 6, 8, 2 })
		p.emitInt32(word);
	p.OutStreamer->emitBytes(StringRef("aprof", 6));
	p.emitAlignment(Align(4));
	for (MCSymbol *end : { far, near }) {
		MCSymbol *here = c.createTempSymbol();
		const MCExpr *last = MCBinaryExpr::createSub(MCSymbolRefExpr::create(end, c), MCConstantExpr::create(1, c), c);

		p.OutStreamer->emitLabel(here);
		p.OutStreamer->emitValue(MCBinaryExpr::createSub(last, MCSymbolRefExpr::create(here, c), c), 4);
	}
	pop_section(*p.OutStreamer);
}

/* ---- hooks that come late ---- */

/* Write what write_left_out() does: it is too late for that. */
static void print_left_out(AsmPrinter &p, const left_out &left)
{
	if (left.empty())
		return;
	push_section(*p.OutStreamer, p.OutContext.getELFSection(".aprof_left_out", ELF::SHT_PROGBITS, ELF::SHF_MERGE | ELF::SHF_STRINGS, 1));
	for (const std::string &entry : left)
		p.OutStreamer->emitBytes(StringRef(entry.c_str(), entry.size() + 1));
	pop_section(*p.OutStreamer);
}

/* ---- who looks ---- */

class watcher : public AsmPrinterHandler {
public:
	explicit watcher(AsmPrinter *printer) : printer(printer), checked(0), unproven(0) {}
	void beginModule(Module *m);
	void endModule();
	void beginFunction(const MachineFunction *mf);
	void endFunction(const MachineFunction *mf);
	void setSymbolSize(const MCSymbol *, uint64_t) {}
	void beginInstruction(const MachineInstr *) {}
	void endInstruction() {}

private:
	AsmPrinter *printer;
	Module *module = nullptr;
	int checked, unproven;

	void put_right(MachineFunction &mf, const std::vector<fault> &faults);
	void tell(const MachineFunction &mf, const std::vector<fault> &faults, const char *outcome);
};

/* The place of F, or of MF if that has none: FILE:LINE. */
static std::string place_of(const MachineFunction &mf, const fault &f)
{
	const MachineInstr *i = (const MachineInstr *)f.at;
	const DISubprogram *program = mf.getFunction().getSubprogram();

	if (i && i->getDebugLoc())
		return i->getDebugLoc()->getFilename().str() + ":" + std::to_string(i->getDebugLoc().getLine());
	if (program)
		return program->getFilename().str() + ":" + std::to_string(program->getLine());
	return mf.getFunction().getParent()->getSourceFileName();
}

void watcher::tell(const MachineFunction &mf, const std::vector<fault> &faults, const char *outcome)
{
	for (const fault &f : faults) {
		std::string name = mf.getName().str();

		if (!outcome)
			mf.getFunction().getContext().emitError("aprof: '" + name + "': " + f.what + ": the context is not proven: " + place_of(mf, f));
		else if (options.verify == VERIFY_REPORT || options.verbose)
			errs() << "aprof: " << place_of(mf, f) << ": " << name << ": " << f.what << ": its context is not proven: " << outcome << "\n";
	}
}

void watcher::put_right(MachineFunction &mf, const std::vector<fault> &faults)
{
	if (options.verify == VERIFY_ERROR || (options.verify == VERIFY_MEND && !can_fall_back(mf))) {
		tell(mf, faults, nullptr);
		return;
	}
	tell(mf, faults, options.verify == VERIFY_REPORT ? "left so" : "its hooks are called");
	if (options.verify == VERIFY_MEND)
		fall_back(mf);
}

/* No function of M has been looked at yet, by no pass of the code generator. */
void watcher::beginModule(Module *m)
{
	module = m;
	if (waits(*m))
		print_left_out(*printer, put_hooks(*m));
}

/* The printer has not begun with MF, which is its own to change. */
void watcher::beginFunction(const MachineFunction *mf)
{
	const Function &f = mf->getFunction();
	std::vector<fault> faults;

	if (!f.hasFnAttribute(hooked_attribute))
		return;
	checked++;
	faults = faults_in(*mf);
	if (faults.empty() && f.hasFnAttribute(unproven_attribute))
		faults.push_back({ nullptr, f.getFnAttribute(unproven_attribute).getValueAsString().data() });
	if (faults.empty())
		return;
	unproven++;
	put_right(const_cast<MachineFunction &>(*mf), faults);
}

void watcher::endFunction(const MachineFunction *mf)
{
	if (!mf->getFunction().hasFnAttribute(hooked_attribute))
		return;
	for (const MachineBasicBlock &b : *mf)
		if (b.isBeginSection() && !b.sameSection(&mf->front()))
			write_far_note(*printer, mf->getFunction(), end_of_section(*printer, mf->front()), end_of_section(*printer, b));
}

void watcher::endModule()
{
	if (options.verify == VERIFY_REPORT)
		errs() << "aprof: " << module->getSourceFileName() << ": " << checked << " routines checked, " << unproven << " not proven\n";
}

/* Targets as they were. */
typedef std::map<const Target *, Target> targets;

static const targets &all_targets()
{
	static const targets all = [] {
		targets t;

		for (const Target &target : TargetRegistry::targets())
			t.insert({ &target, target });
		return t;
	}();
	return all;
}

static AsmPrinter *make_watched(TargetMachine &machine, std::unique_ptr<MCStreamer> &&streamer)
{
	AsmPrinter *p = all_targets().at(&machine.getTarget()).createAsmPrinter(machine, std::move(streamer));

	if (p)
		add_handler(p, std::make_unique<watcher>(p));
	return p;
}

void watch_printers()
{
	static const bool watched = [] {
		for (const auto &t : all_targets())
			TargetRegistry::RegisterAsmPrinter(const_cast<Target &>(*t.first), make_watched);
		return true;
	}();

	(void)watched;
}

} /* namespace aprof */
