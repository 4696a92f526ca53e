/* versions.h - LLVM's headers, and what has changed in them since version 14. */
#ifndef VERSIONS_H
#define VERSIONS_H

#include <memory>
#include <string>
#include <vector>

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#endif

namespace aprof {

inline bool has_prefix(llvm::StringRef text, llvm::StringRef prefix) { return text.take_front(prefix.size()) == prefix; }

/* NAME without the byte that says that it is linked as it stands. */
inline llvm::StringRef without_mark(llvm::StringRef name) { return has_prefix(name, "\1") ? name.drop_front() : name; }

/* Are the PASSES for LEVEL those before a link that makes the code?  Version 20 and later say so.  Before, it shows by what goes where code is to be made:
 * functions of which another file has the code.  Passes for no optimisation are the same everywhere, and nothing is moved behind them. */
#if LLVM_VERSION_MAJOR >= 20
inline bool is_before_link(llvm::ModulePassManager &, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase phase)
{
	return phase == llvm::ThinOrFullLTOPhase::ThinLTOPreLink || phase == llvm::ThinOrFullLTOPhase::FullLTOPreLink;
}
#else
inline bool is_before_link(llvm::ModulePassManager &passes, llvm::OptimizationLevel level)
{
	std::string names;
	llvm::raw_string_ostream out(names);

	passes.printPipeline(out, [](llvm::StringRef name) { return name; });
	return level != llvm::OptimizationLevel::O0 && !llvm::StringRef(out.str()).contains("EliminateAvailableExternallyPass");
}
#endif

inline llvm::PointerType *pointer_to(llvm::Type *type)
{
#if LLVM_VERSION_MAJOR >= 17
	return llvm::PointerType::getUnqual(type->getContext());
#else
	return llvm::PointerType::getUnqual(type);
#endif
}

inline bool is_presplit(const llvm::Function &f)
{
#if LLVM_VERSION_MAJOR >= 15
	return f.isPresplitCoroutine();
#else
	return f.hasFnAttribute("coroutine.presplit");
#endif
}

/* The linker keeps none of VARIABLES any more. */
inline void drop_from_used(llvm::Module &m, const llvm::SmallVectorImpl<llvm::GlobalVariable *> &variables)
{
#if LLVM_VERSION_MAJOR >= 16
	llvm::removeFromUsedLists(m, [&](llvm::Constant *c) { return llvm::is_contained(variables, c->stripPointerCasts()); });
#else
	for (bool compiler : { false, true }) {
		llvm::SmallVector<llvm::GlobalValue *, 16> kept;
		llvm::GlobalVariable *list = llvm::collectUsedGlobalVariables(m, kept, compiler);

		if (!list)
			continue;
		llvm::erase_if(kept, [&](llvm::GlobalValue *value) { return llvm::is_contained(variables, value); });
		list->eraseFromParent();
		(compiler ? llvm::appendToCompilerUsed : llvm::appendToUsed)(m, kept);
	}
#endif
}

/* What a function with hooks does not hold any more. */
inline void drop_memory_attributes(llvm::Function &f)
{
	using llvm::Attribute;

#if LLVM_VERSION_MAJOR >= 16
	f.removeFnAttr(Attribute::Memory);
#else
	for (Attribute::AttrKind k : { Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ArgMemOnly,
				       Attribute::InaccessibleMemOnly, Attribute::InaccessibleMemOrArgMemOnly })
		f.removeFnAttr(k);
#endif
	f.removeFnAttr(Attribute::Speculatable);
	f.removeFnAttr(Attribute::NoSync);
}

} /* namespace aprof */

#endif
