/* tails.cc - calls before a return: which of them the code generator makes jumps.
 *
 * That is decided when code is generated, long after the hooks.  An exit behind the call keeps it from being a jump; one before it must not stand there if the
 * call stays one.  So a call is behind its exit only where it surely becomes a jump, and in other places is kept from becoming one.  Whoever prints the code
 * holds that against what was made of it (code.cc). */
#include "compile/llvm/parts.h"

using namespace llvm;

namespace aprof {

/* What may stand between a call and a return without being in its way. */
static bool is_nothing(const Instruction *i)
{
	const IntrinsicInst *in = dyn_cast<IntrinsicInst>(i);

	return i->isDebugOrPseudoInst() || (in && (in->isLifetimeStartOrEnd() || in->getIntrinsicID() == Intrinsic::assume ||
						     in->getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl));
}

static Instruction *something_before(Instruction *i)
{
	do
		i = i->getPrevNode();
	while (i && is_nothing(i));
	return i;
}

/* Does C widen its result as the return of its function does? */
static bool widens_alike(const CallInst *c)
{
	const Function *f = c->getFunction();

	for (Attribute::AttrKind k : { Attribute::ZExt, Attribute::SExt })
		if (c->getAttributes().hasRetAttr(k) != f->hasRetAttribute(k))
			return false;
	return true;
}

CallInst *call_before(ReturnInst *r)
{
	Instruction *i = something_before(r);
	Value *value = r->getReturnValue();

	if (i && isa<BitCastInst>(i) && i == value) {
		value = i->getOperand(0);
		i = something_before(i);
	}
	CallInst *c = dyn_cast_or_null<CallInst>(i);

	if (!c || isa<IntrinsicInst>(c) || c->isInlineAsm())
		return nullptr;
	if (c->isMustTailCall())
		return c;
	if (value && value != c && !isa<UndefValue>(value))
		return nullptr;
	return value != c || widens_alike(c) ? c : nullptr;
}

/* Words of the source, or of the user's, that forbid it. */
static bool is_forbidden(const CallInst *c, const Function *f)
{
	return c->isNoTailCall() || f->getFnAttribute("disable-tail-calls").getValueAsString() == "true" || f->hasFnAttribute(Attribute::OptimizeNone);
}

bool surely_jumps(CallInst *c)
{
	Function *f = c->getFunction();

	if (!c->isTailCall() || is_forbidden(c, f) || c->getNumOperandBundles() || c->doesNotReturn() || comes_back(*c) || f->callsFunctionThatReturnsTwice())
		return false;
	return options.trust_tails || processor_jumps(c, *f);
}

/* The value with which control comes from FROM to the return R. */
static Value *value_from(ReturnInst *r, BasicBlock *from)
{
	PHINode *phi = dyn_cast_or_null<PHINode>(r->getReturnValue());

	return phi && phi->getParent() == r->getParent() ? phi->getIncomingValueForBlock(from) : r->getReturnValue();
}

/* Is there nothing in the block of R but what is returned there? */
static bool is_bare(ReturnInst *r)
{
	for (Instruction &i : *r->getParent())
		if (&i != r && !is_nothing(&i) && !(isa<PHINode>(i) && &i == r->getReturnValue()))
			return false;
	return true;
}

/* Give the call that FROM ends with, if it surely jumps, a return of its own in the place of R, to which control goes from there. */
static void part(ReturnInst *r, BasicBlock *from)
{
	BranchInst *branch = dyn_cast<BranchInst>(from->getTerminator());

	if (!branch || branch->isConditional())
		return;
	CallInst *c = dyn_cast_or_null<CallInst>(something_before(branch));
	Value *value = value_from(r, from);

	if (!c || isa<IntrinsicInst>(c) || c->isInlineAsm() || (value && value != c) || (value && !widens_alike(c)) || !surely_jumps(c))
		return;
	builder b(branch);

	b.SetCurrentDebugLocation(r->getDebugLoc());
	value ? b.CreateRet(value) : b.CreateRetVoid();
	r->getParent()->removePredecessor(from, true);
	branch->eraseFromParent();
}

void part_returns(Function &f)
{
	std::vector<ReturnInst *> returns;

	for (BasicBlock &b : f)
		if (ReturnInst *r = dyn_cast<ReturnInst>(b.getTerminator()))
			returns.push_back(r);
	for (ReturnInst *r : returns) {
		BasicBlock *b = r->getParent();

		if (b == &f.getEntryBlock() || !is_bare(r))
			continue;
		for (BasicBlock *from : std::vector<BasicBlock *>(pred_begin(b), pred_end(b)))
			part(r, from);
		if (pred_empty(b) && !b->hasAddressTaken())
			DeleteDeadBlock(b);
		else if (b->getSinglePredecessor())
			MergeBlockIntoPredecessor(b);
	}
}

} /* namespace aprof */
