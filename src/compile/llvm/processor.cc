/* processor.cc - assembly, and what else is of one processor: x86-64.
 *
 * All else of the hooks is IR.  Who adds a processor has to say here how a call is counted in one instruction, how the probe's miss leaves the routine with all
 * registers kept, of which calls its code generator makes jumps, and which registers the hooks lose that are called; clock tsc is x86's own. */
#include "compile/llvm/parts.h"
#include "compile/llvm/printing.h"

using namespace llvm;

/* LLVM's.  Who brings LLVM in pieces of its own may be without. */
extern "C" __attribute__((weak)) void LLVMInitializeX86AsmParser();

namespace aprof {

void have_parser()
{
	if (LLVMInitializeX86AsmParser)
		LLVMInitializeX86AsmParser();
}

bool knows_processor(const Module &m) { return Triple(m.getTargetTriple()).getArch() == Triple::x86_64; }

/* Append the asm TEXT, of type RESULT, with these CONSTRAINTS and ARGUMENTS. It is volatile. */
static CallInst *emit_asm(builder &b, Type *result, ArrayRef<Value *> arguments, const char *text, const std::string &constraints)
{
	std::vector<Type *> types;

	for (Value *v : arguments)
		types.push_back(v->getType());
	FunctionType *type = FunctionType::get(result, types, false);
	CallInst *c = b.CreateCall(type, InlineAsm::get(type, text, constraints, true), arguments);

	c->setDoesNotThrow();
	return c;
}

/* What an asm of x86's overwrites at all times, as Clang has it. */
#define FLAGS "~{cc},~{dirflag},~{fpsr},~{flags}"

bool processor_spares(const Function &f)
{
	return f.getCallingConv() != CallingConv::X86_INTR && !f.hasFnAttribute("no_caller_saved_registers") && !f.hasFnAttribute("interrupt");
}

/* ---- entry ---- */

static const char count[] = "incq $0\t# aprof";

/* At a pointer that is written to, and read. */
void emit_count(builder &b, Value *counter)
{
	CallInst *c = emit_asm(b, b.getVoidTy(), { counter, counter }, count, "=*m,*m," FLAGS);

	for (unsigned i = 0; i < 2; i++)
		c->addParamAttr(i, Attribute::get(b.getContext(), Attribute::ElementType, b.getInt64Ty()));
}

/* Of the alias $2 bump the counter; $1 becomes the context that it leads to, which it mostly is already, so that nothing waits for that to be loaded. */
static const char count_site[] =
	"movq " AS_TEXT(ALIAS_COUNT) "-1($2), $0\t# aprof\n\t"
	"incq ($0)\n\t"
	"cmpq " AS_TEXT(ALIAS_TO) "-1($2), $1\n\t"
	"je 1f\n\t"
	"movq " AS_TEXT(ALIAS_TO) "-1($2), $1\n"
	"1:";

Value *emit_count_site(builder &b, Value *alias, Value *next)
{
	Type *pair = StructType::get(b.getInt64Ty(), b.getInt64Ty());

	return b.CreateExtractValue(emit_asm(b, pair, { alias, next }, count_site, "=&r,=&r,r,1,~{memory}," FLAGS), 1);
}

#define MISS(name) "leaq 1f(%rip), %r11\n\tjmpq *" name "@GOTPCREL(%rip)\n1:"

static const char miss[] = MISS("aprof_inline_miss"), miss_tsc[] = MISS("aprof_inline_miss_tsc");
static const char miss_sites[] = MISS("aprof_inline_miss_sites"), miss_sites_tsc[] = MISS("aprof_inline_miss_sites_tsc");

bool is_miss(const char *text)
{
	for (const char *own : { miss, miss_tsc, miss_sites, miss_sites_tsc })
		if (!strcmp(text, own))
			return true;
	return false;
}

/* The stack is left alone: a leaf may have its variables below it.  r10 has the call site, and is lost. */
Value *emit_miss(builder &b, Value *routine, Value *site, Value **before)
{
	const char *text = site ? options.tsc ? miss_sites_tsc : miss_sites : options.tsc ? miss_tsc : miss;
	std::string out = "={ax}", in = "0";
	std::vector<Type *> results = { b.getInt64Ty() };
	std::vector<Value *> arguments = { routine };

	if (options.tsc) {
		out += ",={dx}";
		results.push_back(b.getInt64Ty());
	}
	if (site) {
		out += ",={r10}";
		in += options.tsc ? ",2" : ",1";
		results.push_back(b.getInt64Ty());
		arguments.push_back(site);
	}
	Type *type = results.size() == 1 ? results[0] : StructType::get(b.getContext(), results);
	Value *c = emit_asm(b, type, arguments, text, out + "," + in + ",~{r11},~{memory}," FLAGS);

	if (options.tsc)
		*before = b.CreateExtractValue(c, 1);
	return results.size() == 1 ? c : b.CreateExtractValue(c, 0);
}

/* ---- exit ---- */

/* $4 points to the thread's words.  compile/gcc/emit.cc has the same. */
static const char charge[] =
	"1:\tmovq " AS_TEXT(TLS_LAST) "($4), $3\n\t"
	"testq $3, $3\n\t"
	"jz 3f\n\t"
	"movq " AS_TEXT(TLS_CHARGED) "($4), $2\n\t"
	"movq " AS_TEXT(TLS_CURRENT) "($4), $0\n\t"
	"cmpq " AS_TEXT(KEY_ID) "($2), $0\n\t"
	"je 2f\n\t"
	"leaq 3f(%rip), %r11\n\t"
	"jmpq *aprof_inline_charge@GOTPCREL(%rip)\n"
	"2:\trdtsc\n\t"
	"shlq $$32, $1\n\t"
	"orq $0, $1\n\t"
	"movq $3, $0\n\t"
	"cmpxchgq $1, " AS_TEXT(TLS_LAST) "($4)\n\t"
	"jne 1b\n\t"
	"subq $0, $1\n\t"
	"addq $1, " AS_TEXT(KEY_TIME) "($2)\n"
	"3:";

void emit_charge(builder &b)
{
	Type *word = b.getInt64Ty();
	Value *words = thread_words(*b.GetInsertBlock()->getModule());

	emit_asm(b, StructType::get(word, word, word, word), { words }, charge, "=&{ax},=&{dx},=&r,=&r,r,~{r11},~{memory}," FLAGS);
}

bool writes(const char *text)
{
	for (const char *own : { count, count_site, charge })
		if (!strcmp(text, own))
			return true;
	return is_miss(text);
}

static bool is_plain(CallingConv::ID c) { return c == CallingConv::C || c == CallingConv::Fast; }

/* The constraint of the register in which a value of TYPE is returned whole; NULL: there is none. */
static const char *register_for(const Type *type)
{
	if (type->isPointerTy())
		return type->getPointerAddressSpace() == 0 ? "={ax},0" : nullptr;
	if (type->isFloatTy() || type->isDoubleTy())
		return "={xmm0},0";
	for (unsigned bits : { 8, 16, 32, 64 })
		if (type->isIntegerTy(bits))
			return "={ax},0";
	return nullptr;
}

/* Nothing is scheduled past a volatile asm, and one that wants the value returned keeps the code generator from computing that as late as it can. */
Value *emit_done(builder &b, Value *value)
{
	Type *type = value ? value->getType() : nullptr;
	bool plain = is_plain(b.GetInsertBlock()->getParent()->getCallingConv());
	const char *where = value && plain ? register_for(type) : nullptr;

	if (where)
		return emit_asm(b, type, { value }, "", where);
	if (plain && type && type->isIntegerTy(1))	/* it is widened to be returned, which is not to be done twice */
		emit_asm(b, b.getVoidTy(), { b.CreateZExt(value, b.getInt8Ty()) }, "", "{ax}");
	else
		emit_asm(b, b.getVoidTy(), {}, "", "");
	return value;
}

/* ---- tail calls ---- */

/* Are all arguments of C in registers?  What stands on the stack is only sometimes where the callee wants it. */
static bool passes_in_registers(const CallInst *c)
{
	unsigned words = 0, floats = 0;

	for (unsigned i = 0; i < c->arg_size(); i++) {
		const Type *type = c->getArgOperand(i)->getType();

		for (Attribute::AttrKind k : { Attribute::ByVal, Attribute::StructRet, Attribute::InAlloca, Attribute::Preallocated, Attribute::SwiftError,
					       Attribute::Nest })
			if (c->paramHasAttr(i, k))
				return false;
		if (type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64))
			words++;
		else if (type->isFloatTy() || type->isDoubleTy())
			floats++;
		else
			return false;
	}
	return words <= 6 && floats <= 8;
}

static bool returns_plainly(const Type *type)
{
	return type->isVoidTy() || type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

static bool is_long_vector(const Type *type)
{
	const FixedVectorType *v = dyn_cast<FixedVectorType>(type);

	return type->isVectorTy() && (!v || v->getNumElements() * (v->getElementType()->isPointerTy() ? 64 : v->getScalarSizeInBits()) > 128);
}

/* May F have to align its stack, or to look at it before it leaves? */
static bool ends_oddly(const Function &f)
{
	bool guarded = f.hasFnAttribute(Attribute::StackProtect) || f.hasFnAttribute(Attribute::StackProtectStrong);

	if (f.hasFnAttribute("stackrealign") || f.hasFnAttribute(Attribute::StackProtectReq))
		return true;
	for (const BasicBlock &b : f)
		for (const Instruction &i : b) {
			const AllocaInst *a = dyn_cast<AllocaInst>(&i);

			if (a && (guarded || !a->isStaticAlloca() || a->getAlign() > Align(16)))
				return true;
			for (const Use &u : i.operands())
				if (is_long_vector(u->getType()))
					return true;	/* what is spilled of these is aligned, or put there to be taken apart */
			if (is_long_vector(i.getType()))
				return true;
		}
	return false;
}

bool processor_jumps(const CallInst *c, const Function &f)
{
	return is_plain(f.getCallingConv()) && is_plain(c->getCallingConv()) && !f.hasStructRetAttr() && returns_plainly(f.getReturnType()) &&
	       returns_plainly(c->getType()) &&		/* what nobody takes from the x87's stack is to be popped there */
	       passes_in_registers(c) && !ends_oddly(f);
}

/* ---- code ---- */

static StringRef name_of(const MachineInstr &i) { return i.getMF()->getSubtarget().getInstrInfo()->getName(i.getOpcode()); }

static const MachineInstr *just_before(const MachineInstr *i)
{
	do
		i = i->getPrevNode();
	while (i && i->isMetaInstruction());
	return i;
}

/* Does I jump to what was on the stack just now: pop, fence, jump? */
static bool is_popped_return(const MachineInstr &i)
{
	const MachineInstr *fence = name_of(i) == "JMP64r" ? just_before(&i) : nullptr;
	const MachineInstr *pop = fence && name_of(*fence) == "LFENCE" ? just_before(fence) : nullptr;

	return pop && name_of(*pop) == "POP64r" && pop->getOperand(0).getReg() == i.getOperand(0).getReg();
}

bool is_return(const MachineInstr &i) { return i.isReturn() || is_popped_return(i); }

/* ---- hooks that are called ---- */

/* They keep all registers but r10 and r11. */
const char call_entry[] = "callq *__aprof_entry@GOTPCREL(%rip)", call_exit[] = "callq *__return__@GOTPCREL(%rip)";

/* The static chain comes in r10; other conventions than these have callees keep it, or arguments in r11. */
bool may_call_hooks(const Function &f)
{
	CallingConv::ID c = f.getCallingConv();

	for (const Argument &a : f.args())
		if (a.hasNestAttr())
			return false;
	return is_plain(c) || c == CallingConv::Cold || c == CallingConv::Swift;
}

/* The target of a jump by a register may be in one of them, and the static chain for who is jumped to. */
bool may_call_before(const MachineInstr &i)
{
	const TargetRegisterInfo *registers = i.getMF()->getSubtarget().getRegisterInfo();

	if (!i.isReturn())
		return false;	/* the hook is to return by what is popped already */
	for (const MachineOperand &o : i.operands())
		if (o.isReg() && o.isUse() && o.getReg() && (StringRef(registers->getName(o.getReg())) == "R10" || StringRef(registers->getName(o.getReg())) == "R11"))
			return false;
	return true;
}

bool is_landing(const MachineInstr &i) { return name_of(i) == "ENDBR64"; }

} /* namespace aprof */
