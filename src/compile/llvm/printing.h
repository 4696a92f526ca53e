/* printing.h - LLVM's headers of what generates and prints code, and what has changed in them since version 14. */
#ifndef PRINTING_H
#define PRINTING_H

#include "compile/llvm/versions.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbolELF.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Analysis/ValueTracking.h"

namespace aprof {

inline void add_handler(llvm::AsmPrinter *p, std::unique_ptr<llvm::AsmPrinterHandler> handler)
{
#if LLVM_VERSION_MAJOR >= 19
	p->addAsmPrinterHandler(std::move(handler));
#else
	p->addAsmPrinterHandler(llvm::AsmPrinter::HandlerInfo(std::move(handler), "aprof", "aprof", "aprof", "aprof"));
#endif
}

/* Where the section of B ends, once its function is printed. */
inline llvm::MCSymbol *end_of_section(llvm::AsmPrinter &p, const llvm::MachineBasicBlock &b)
{
#if LLVM_VERSION_MAJOR >= 19
	return p.MBBSectionRanges.lookup(b.getSectionID()).EndLabel;
#else
	return p.MBBSectionRanges.lookup(b.getSectionIDNum()).EndLabel;
#endif
}

inline void push_section(llvm::MCStreamer &s, llvm::MCSection *section)
{
#if LLVM_VERSION_MAJOR >= 15
	s.pushSection();
	s.switchSection(section);
#else
	s.PushSection();
	s.SwitchSection(section);
#endif
}

inline void pop_section(llvm::MCStreamer &s)
{
#if LLVM_VERSION_MAJOR >= 15
	s.popSection();
#else
	s.PopSection();
#endif
}

} /* namespace aprof */

#endif
