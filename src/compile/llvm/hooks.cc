/* hooks.cc - the entry of a function, its exits, and where control comes back to it by no return. */
#include "compile/llvm/parts.h"

using namespace llvm;

namespace aprof {

/* ---- the thread's words ---- */

enum { TLS_WORDS = TLS_SITES_MASK / 8 + 1 };	/* as far as known here */

/* In an executable they are at an offset that the linker knows. */
GlobalVariable *thread_words(Module &m)
{
	static const char name[] = "aprof_tls";
	bool shared = m.getPICLevel() != PICLevel::NotPIC && m.getPIELevel() == PIELevel::Default;
	Type *word = Type::getInt64Ty(m.getContext());
	GlobalVariable *v = m.getNamedGlobal(name);

	if (v)
		return v;
	v = new GlobalVariable(m, ArrayType::get(word, TLS_WORDS), false, GlobalValue::ExternalLinkage, nullptr, name, nullptr,
			       shared ? GlobalValue::InitialExecTLSModel : GlobalValue::LocalExecTLSModel);
	v->setDSOLocal(!shared);
	return v;
}

bool is_context(const Value *pointer, const DataLayout &layout)
{
	APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
	const Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);

	return base->getName() == "aprof_tls" && isa<GlobalVariable>(base) && offset == TLS_CURRENT;
}

/* ---- what stores to the context are for ---- */

static const char *const purposes[] = { "aprof enters", "aprof leaves", "aprof loses", "aprof receives" };	/* by enum purpose */

/* The list with the one scope of PURPOSE. */
static MDNode *scope_of(LLVMContext &c, enum purpose purpose)
{
	MDNode *domain = MDNode::get(c, MDString::get(c, "aprof"));

	return MDNode::get(c, MDNode::get(c, { MDString::get(c, purposes[purpose]), domain }));
}

enum purpose purpose_of(const AAMDNodes &of)
{
	const MDNode *scope = of.Scope && of.Scope->getNumOperands() == 1 ? dyn_cast<MDNode>(of.Scope->getOperand(0)) : nullptr;
	const MDString *name = scope && scope->getNumOperands() ? dyn_cast<MDString>(scope->getOperand(0)) : nullptr;

	for (int p = ENTERS; name && p < NO_PURPOSE; p++)
		if (name->getString() == purposes[p])
			return (enum purpose)p;
	return NO_PURPOSE;
}

/* ---- pieces ---- */

static Type *word_type(builder &b) { return b.getInt64Ty(); }

/* No sanitizer is to look at I, which is ours. */
template <typename type> static type *unwatched(type *i)
{
	i->setMetadata("nosanitize", MDNode::get(i->getContext(), {}));
	return i;
}

static Value *thread_word(builder &b, int offset)
{
	GlobalVariable *words = thread_words(*b.GetInsertBlock()->getModule());

	return b.CreateConstInBoundsGEP2_32(words->getValueType(), words, 0, offset / 8);
}

/* The word at OFFSET of what BASE points to.  Volatile ones are those that signal handlers write, too. */
static Value *load(builder &b, Value *pointer, bool is_volatile) { return unwatched(b.CreateAlignedLoad(word_type(b), pointer, Align(8), is_volatile)); }
static Value *load_thread_word(builder &b, int offset, bool is_volatile = false) { return load(b, thread_word(b, offset), is_volatile); }

static Value *load_field(builder &b, Value *word, int offset)
{
	Value *at = offset ? b.CreateAdd(word, b.getInt64(offset)) : word;

	return load(b, b.CreateIntToPtr(at, pointer_to(word_type(b))), false);
}

static void store_thread_word(builder &b, int offset, Value *value)
{
	unwatched(b.CreateAlignedStore(value, thread_word(b, offset), Align(8), true));
}

static void store_context(builder &b, Value *value, enum purpose purpose)
{
	StoreInst *store = unwatched(b.CreateAlignedStore(value, thread_word(b, TLS_CURRENT), Align(8), true));

	store->setMetadata(LLVMContext::MD_alias_scope, scope_of(b.getContext(), purpose));
}

/* A builder before AT that writes in the line of AT. */
static builder before(Instruction *at) { return builder(at); }

/* ---- entry ---- */

/* An address that is F's for good: its own, or by another name where its own may be another's, of another module or of another file; of what is in many files by
 * one name the linker keeps one alone. */
static Value *routine_of(builder &b, Function *f)
{
	GlobalValue *name = f;

	if (!(f->isDSOLocal() || f->hasLocalLinkage()) || f->isInterposable())
		name = GlobalAlias::create(f->getValueType(), f->getAddressSpace(), GlobalValue::PrivateLinkage, "aprof.self", f);
	return b.CreatePtrToInt(name, word_type(b));
}

/* What the context is called to which a call of ROUTINE leads from PREV. */
static Value *emit_step(builder &b, Value *prev, Value *routine)
{
	return b.CreateMul(b.CreateAdd(prev, routine), b.getInt64((uint64_t)(int64_t)(STEP_FACTOR)));
}

/* The slot for ID of the front table whose address and mask are in the thread's words TABLE and MASK: the address of a counter, perhaps one byte into an alias. */
static Value *emit_probe(builder &b, Value *id, int table, int mask)
{
	Value *x = b.CreateAnd(b.CreateLShr(id, FRONT_SHIFT), load_thread_word(b, mask));

	return load_field(b, b.CreateAdd(x, load_thread_word(b, table)), 0);
}

static Value *emit_site(builder &b)
{
	return b.CreatePtrToInt(b.CreateIntrinsic(Intrinsic::returnaddress, {}, { b.getInt32(0) }), word_type(b));
}

/* The line in which the body of F begins: of inlined code, where it was called.  A breakpoint on the function then stops where it would without hooks. */
static DebugLoc first_location(const Function &f)
{
	for (const Instruction &i : f.getEntryBlock()) {
		DebugLoc at = i.getDebugLoc();

		if (!at || i.isDebugOrPseudoInst())
			continue;
		while (at->getInlinedAt())
			at = DebugLoc(at->getInlinedAt());
		return at;
	}
	return DebugLoc();
}

/* Split the entry block of F behind what must stay there: memory of fixed size, which other places in the block would make a frame of. */
static BasicBlock *split_entry(Function *f)
{
	BasicBlock *entry = &f->getEntryBlock();
	std::vector<AllocaInst *> fixed;
	BasicBlock::iterator at;

	for (Instruction &i : *entry)
		if (isa<AllocaInst>(i) && cast<AllocaInst>(i).isStaticAlloca())
			fixed.push_back(cast<AllocaInst>(&i));
	at = entry->getFirstInsertionPt();
	for (AllocaInst *a : fixed)
		if (&*at == a)
			++at;
		else
			a->moveBefore(*entry, at);
	while (isa<IntrinsicInst>(*at) && cast<IntrinsicInst>(*at).getIntrinsicID() == Intrinsic::localescape)
		++at;
	return entry->splitBasicBlock(at, "aprof.body");
}

/* The entry in the making. */
struct entry {
	BasicBlock *miss, *body;
	DebugLoc location;
	MDNode *likely;
};

/* Go on in a block behind that of B if X equals Y, else to the miss. */
static void go_on_if_equal(builder &b, const entry &e, Value *x, Value *y)
{
	BasicBlock *next = BasicBlock::Create(b.getContext(), "aprof.same", e.body->getParent(), e.body);

	b.CreateCondBr(b.CreateICmpEQ(x, y), next, e.miss, e.likely);
	b.SetInsertPoint(next);
	b.SetCurrentDebugLocation(e.location);
}

/* Count the call where the probe has led TO, with what clock tsc does, and change the context. */
static void emit_hit(builder &b, hooks *h, Value *to)
{
	Value *counter = b.CreateIntToPtr(to, pointer_to(word_type(b)));

	if (options.tsc) {
		emit_charge(b);
		h->before = load_thread_word(b, TLS_CHARGED, true);
		store_thread_word(b, TLS_CHARGED, options.sites ? load_field(b, to, KEY_TIME - 1) : to);
	}
	if (options.sites)
		h->next = emit_count_site(b, to, h->next);
	else
		emit_count(b, counter);
	store_context(b, h->next, ENTERS);
}

/* A name in the body for what HIT is where control comes from AT, and MISSED where it comes from the miss. */
static Value *either(builder &b, const entry &e, BasicBlock *at, Value *hit, Value *missed, const char *name)
{
	PHINode *phi = b.CreatePHI(word_type(b), 2, name);

	phi->addIncoming(hit, at);
	phi->addIncoming(missed, e.miss);
	return phi;
}

static void insert_entry(hooks *h, bool receives)
{
	Function *f = h->fun;
	entry e = { nullptr, nullptr, first_location(*f), MDBuilder(f->getContext()).createBranchWeights(1 << 20, 1) };
	Value *missed_before = nullptr, *site = nullptr, *id;
	BasicBlock *first = &f->getEntryBlock(), *hit;
	int behind = options.sites ? -1 : 0;		/* aliases are pointed to one byte behind */

	e.body = split_entry(f);
	e.miss = BasicBlock::Create(f->getContext(), "aprof.miss", f);
	first->getTerminator()->eraseFromParent();

	builder b(first);
	b.SetCurrentDebugLocation(e.location);
	Value *routine = routine_of(b, f), *prev = load_thread_word(b, TLS_CURRENT, true);

	id = h->next = emit_step(b, prev, routine);
	if (options.sites)
		id = emit_step(b, h->next, site = emit_site(b));
	Value *to = emit_probe(b, id, options.sites ? TLS_SITES : TLS_FRONT, options.sites ? TLS_SITES_MASK : TLS_MASK);

	go_on_if_equal(b, e, load_field(b, to, KEY_ID + behind), id);
	go_on_if_equal(b, e, load_field(b, to, KEY_ROUTINE + behind), routine);
	if (options.sites)
		go_on_if_equal(b, e, load_field(b, to, ALIAS_SITE + behind), site);
	emit_hit(b, h, to);
	hit = b.GetInsertBlock();
	b.CreateBr(e.body);

	b.SetInsertPoint(e.miss);
	Value *missed = emit_miss(b, routine, site, &missed_before);
	b.CreateBr(e.body);

	b.SetInsertPoint(e.body, e.body->begin());
	h->prev = either(b, e, hit, prev, missed, "aprof.prev");
	if (options.tsc)
		h->before = either(b, e, hit, h->before, missed_before, "aprof.before");
	if (receives) {
		h->top = load_thread_word(b, TLS_TOP);
		h->own = load_thread_word(b, TLS_CURRENT, true);
	}
}

/* ---- where control goes, and comes back ---- */

/* The function that C calls by its name; "": another one. */
static StringRef called_name(const Instruction &c)
{
	const CallBase *call = dyn_cast<CallBase>(&c);
	const Function *callee = call ? dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts()) : nullptr;

	return callee ? without_mark(callee->getName()) : "";
}

bool is_untold_switch(StringRef callee) { return list_has(&options.switches, callee.str().c_str()); }

bool switches_untold(const Instruction &c) { return is_untold_switch(called_name(c)); }

/* With CLONE_VM a child has used the thread's words, and ended or gone to another program in a routine of its own. */
static bool switches_stack(const Instruction &c)
{
	StringRef name = called_name(c);

	return name == "swapcontext" || name == "clone" || is_untold_switch(name);
}

static Intrinsic::ID intrinsic_of(const Instruction &i) { return isa<IntrinsicInst>(i) ? cast<IntrinsicInst>(i).getIntrinsicID() : Intrinsic::not_intrinsic; }

int comes_back(const Instruction &c)
{
	const CallBase *call = dyn_cast<CallBase>(&c);

	if (intrinsic_of(c) == Intrinsic::eh_sjlj_setjmp || (call && call->hasFnAttr(Attribute::ReturnsTwice)))
		return 2;
	return switches_stack(c);
}

bool jumps_away(const Instruction &i)
{
	return isa<ResumeInst>(i) || intrinsic_of(i) == Intrinsic::eh_sjlj_longjmp || called_name(i) == "_Unwind_Resume";	/* which ldc2 calls by itself */
}

bool leaves(const Instruction &i)
{
	return isa<ReturnInst>(i) || intrinsic_of(i) == Intrinsic::eh_return_i32 || intrinsic_of(i) == Intrinsic::eh_return_i64;
}

static const char jump_mark[] = "aprof.jump";		/* metadata of calls behind their exit */

bool is_jump(const Instruction &c) { return c.getMetadata(jump_mark); }

/* ---- exits and receivers ---- */

static void emit_charged(builder &b, const hooks &h)
{
	if (!options.tsc)
		return;
	emit_charge(b);
	store_thread_word(b, TLS_CHARGED, h.before);
}

/* Append: the routine's work is done, but for the return R (NULL: it leaves otherwise). */
static void emit_work_done(builder &b, ReturnInst *r)
{
	Value *value = r ? r->getReturnValue() : nullptr;
	Value *done = emit_done(b, value && !isa<Constant>(value) && !isa<Argument>(value) ? value : nullptr);

	if (r && done)
		r->setOperand(0, done);
}

static void insert_exit(const hooks &h, Instruction *at)
{
	builder b = before(at);
	ReturnInst *r = dyn_cast<ReturnInst>(at);
	bool works = !is_jump(*at);

	if (works)
		emit_work_done(b, r);
	emit_charged(b, h);
	if (works && options.tsc)	/* the clock has used the register in which it is returned */
		emit_work_done(b, r);
	store_context(b, h.prev, LEAVES);
}

/* The exit before a call that will be a jump, and none behind. */
static void insert_jump(const hooks &h, CallInst *c)
{
	c->setMetadata(jump_mark, MDNode::get(c->getContext(), {}));
	if (!options.lose_exits)
		insert_exit(h, c);
}

static void insert_leave(const hooks &h, Instruction *at)
{
	ReturnInst *r = dyn_cast<ReturnInst>(at);
	CallInst *c = r ? call_before(r) : nullptr;

	if (c && (c->isMustTailCall() || surely_jumps(c))) {
		insert_jump(h, c);
		return;
	}
	if (c && c->isTailCall())
		c->setTailCallKind(CallInst::TCK_NoTail);
	insert_exit(h, at);
}

/* The receiver of a jump, if it has hooks, puts its own context back; what unwinding that goes on calls is still called from here. */
static void insert_loss(Instruction *at)
{
	builder b = before(at);

	if (options.tsc)
		emit_charge(b);
	store_context(b, b.getInt64(LOST_ID), LOSES);
}

/* Put back the function's own context; frames that other ways pushed meanwhile are dropped where DROPS.  With clock tsc the next charge finds that the
 * context's counters are others than those of where control came from. */
static void insert_receiver(const hooks &h, Instruction *at, bool drops)
{
	builder b = before(at);

	if (options.lose_receivers)
		return;
	if (options.tsc)
		emit_charge(b);
	if (drops)
		store_thread_word(b, TLS_TOP, h.top);
	store_context(b, h.own, RECEIVES);
}

/* Where control goes on behind C. */
static Instruction *behind(Instruction *c)
{
	InvokeInst *invoke = dyn_cast<InvokeInst>(c);

	return invoke ? &*SplitEdge(invoke->getParent(), invoke->getNormalDest())->getFirstInsertionPt() : c->getNextNode();
}

/* What is to be done in a function, as it was before the hooks. */
struct places {
	std::vector<Instruction *> leave, lose, back;
	std::vector<BasicBlock *> pads;
};

static void find_places(Function &f, places *p)
{
	for (BasicBlock &b : f) {
		if (b.isLandingPad())
			p->pads.push_back(&b);
		for (Instruction &i : b) {
			if (leaves(i))
				p->leave.push_back(&i);
			if (jumps_away(i) || switches_untold(i))
				p->lose.push_back(&i);
			if (comes_back(i))
				p->back.push_back(&i);
		}
	}
}

/* What is true of F no longer, and what must not be done with it behind us: to take pieces out of it. */
static void change_attributes(Function &f)
{
	drop_memory_attributes(f);
	f.removeFnAttr(wanted_attribute);
	f.addFnAttr(hooked_attribute);
	f.addFnAttr("nooutline");
	if (!f.hasFnAttribute(Attribute::AlwaysInline))
		f.addFnAttr(Attribute::NoInline);
}

hooks insert_hooks(Function &f)
{
	hooks h = { &f, nullptr, nullptr, nullptr, nullptr, nullptr };
	places p;

	part_returns(f);
	find_places(f, &p);
	insert_entry(&h, !p.pads.empty() || !p.back.empty());
	for (Instruction *i : p.leave)
		insert_leave(h, i);
	for (Instruction *i : p.lose)
		insert_loss(i);
	for (BasicBlock *b : p.pads)
		insert_receiver(h, &*b->getFirstInsertionPt(), true);
	for (Instruction *i : p.back)
		insert_receiver(h, behind(i), comes_back(*i) == 2);
	change_attributes(f);
	return h;
}

} /* namespace aprof */
