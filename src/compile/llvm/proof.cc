/* proof.cc - what must hold on each path, and that it does so in IR, as soon as the hooks stand there. */
#include "compile/llvm/parts.h"
#include "compile/llvm/proof.h"

using namespace llvm;

namespace aprof {

/* ---- of any code ---- */

/* May EVENT be where the context is one of NOW? */
static bool is_right(const event &e, unsigned now)
{
	switch (e.what) {
	case event::BECOMES:
		return true;
	case event::CALLS:
		return now == OWN || now == BEFORE;
	case event::CALLS_ABROAD:
		return !(now & (LOST | STRAY));
	case event::EXITS:
		return now == PREV;
	case event::JUMPS:
		return now == LOST;
	}
	return false;
}

/* What the context may be behind P if it is one of NOW before; what is wrong there is added to FAULTS, if that is not NULL. */
static unsigned follow(const part &p, unsigned now, std::vector<fault> *faults)
{
	for (const event &e : p.events) {
		if (faults && !is_right(e, now))
			faults->push_back({ e.at, e.name });
		if (e.what == event::BECOMES)
			now = e.context;
	}
	return now;
}

std::vector<fault> find_faults(const std::vector<part> &parts)
{
	std::vector<unsigned> known(parts.size()), todo = { 0 };
	std::vector<fault> faults;

	known[0] = BEFORE;
	while (!todo.empty()) {
		const part &p = parts[todo.back()];
		unsigned behind = follow(p, known[todo.back()], nullptr);

		todo.pop_back();
		for (unsigned n : p.next) {
			unsigned then = known[n] | (parts[n].receives ? +STRAY : behind);

			if (then != known[n]) {
				known[n] = then;
				todo.push_back(n);
			}
		}
	}
	for (unsigned i = 0; i < parts.size(); i++)
		if (known[i])
			follow(parts[i], known[i], &faults);
	return faults;
}

/* ---- of IR ---- */

/* What the context is once S, a store to it, has been made: by its value, and by what it was meant for. */
static unsigned stored(const hooks &h, const StoreInst *s)
{
	const Value *value = s->getValueOperand();
	enum purpose purpose = purpose_of(s->getAAMetadata());

	if (value == h.prev)
		return purpose == LEAVES ? PREV : STRAY;
	if (value == h.next)
		return purpose == ENTERS ? OWN : STRAY;
	if (h.own && value == h.own)
		return purpose == RECEIVES ? OWN : STRAY;
	return isa<ConstantInt>(value) && cast<ConstantInt>(value)->equalsInt(LOST_ID) && purpose == LOSES ? LOST : STRAY;
}

static bool is_asm(const CallBase *c, bool (*what)(const char *))
{
	const InlineAsm *a = dyn_cast<InlineAsm>(c->getCalledOperand());

	return a && what(std::string(a->getAsmString()).c_str());
}

static void add_call(const CallBase *c, std::vector<event> *out)
{
	if (is_asm(c, is_miss))
		out->push_back({ event::BECOMES, OWN, c, nullptr });
	else if (jumps_away(*c) || switches_untold(*c))
		out->push_back({ event::JUMPS, 0, c, "jump out of the routine" });
	else if (leaves(*c) || is_jump(*c))
		out->push_back({ event::EXITS, 0, c, is_jump(*c) ? "tail call" : "return" });
	else if (!c->isInlineAsm() && !isa<IntrinsicInst>(c))
		out->push_back({ event::CALLS, 0, c, "call" });
	if (comes_back(*c))
		out->push_back({ event::BECOMES, STRAY, c, nullptr });
}

static void add_events(const hooks &h, const Instruction &i, const DataLayout &layout, std::vector<event> *out)
{
	const StoreInst *s = dyn_cast<StoreInst>(&i);

	if (s && is_context(s->getPointerOperand(), layout))
		out->push_back({ event::BECOMES, stored(h, s), s, nullptr });
	else if (isa<CallBase>(i))
		add_call(cast<CallBase>(&i), out);
	else if (isa<ReturnInst>(i))
		out->push_back({ event::EXITS, 0, &i, "return" });
	else if (isa<ResumeInst>(i))
		out->push_back({ event::JUMPS, 0, &i, "exception passed on" });
}

void prove(const hooks &h)
{
	const DataLayout &layout = h.fun->getParent()->getDataLayout();
	DenseMap<const BasicBlock *, unsigned> number;
	std::vector<part> parts;

	for (const BasicBlock &b : *h.fun)
		number.insert({ &b, number.size() });
	for (const BasicBlock &b : *h.fun) {
		part p = { {}, {}, b.isLandingPad() };

		for (const Instruction &i : b)
			add_events(h, i, layout, &p.events);
		for (const BasicBlock *next : successors(&b))
			p.next.push_back(number[next]);
		parts.push_back(std::move(p));
	}
	for (const fault &f : find_faults(parts))
		h.fun->addFnAttr(unproven_attribute, f.what);
}

} /* namespace aprof */
