/* unwind.h - the machine stack, frame by frame, by the frame descriptions of the modules (.eh_frame, x86-64).
 *
 * Reads memory only; takes no lock but that of module_rules, needs no memory, and is never led astray by bad data: what a
 * description sends it to is read after the kernel has said that it can be. So it may run in a signal handler, at any
 * instruction; with signals blocked, for that lock. */
#ifndef UNWIND_H
#define UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/monitor.h"

/* Registers by their DWARF numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 .. r15, rip. */
enum { UNWIND_RBX = 3, UNWIND_RBP = 6, UNWIND_RSP = 7, UNWIND_R12 = 12, UNWIND_RIP = 16, UNWIND_REGISTERS = 17 };

/* What a frame's description says of how to leave it: part of the .eh_frame of its module. */
struct unwind_rules {
	const uint8_t *cie, *cie_end;	/* instructions common to many; NULL: there is no description */
	const uint8_t *fde, *fde_end;	/* the frame's own */
	uint64_t code_unit;		/* bytes that one step forward of the instructions is */
	int64_t data_unit;		/* bytes that one of an offset is */
	uint32_t returns;		/* register in which the return address is */
	bool is_signal;			/* it stands for what the kernel pushed */
};

/* How each of the caller's registers is had where a program counter is: a line of the table that a description's instructions make. */
struct unwind_line {
	intptr_t value[UNWIND_REGISTERS]; /* bytes, register, or address of an expression */
	uint8_t how[UNWIND_REGISTERS];	/* as unwind.c knows */
	uint8_t cfa_register;		/* UNWIND_REGISTERS: the CFA is what an expression says */
	intptr_t cfa;			/* bytes to add, or address of the expression */
};

/* What was found out of a place in the code before. */
struct unwind_place {
	uintptr_t pc;			/* that was looked for; 0: nothing is here */
	uint32_t epoch;			/* of the modules (module_epoch) */
	uintptr_t start, end;
	struct unwind_rules rules;
	struct unwind_line line;
};

/* Makes the walks of one thread cheap that walks again and again.  Begins as zeros. */
enum { UNWIND_PLACES = 1024 };
struct unwind_cache {
	struct unwind_place places[UNWIND_PLACES];
};

/* What the stack holds that decides where a walk leads: return addresses, and the frame pointers by which some routines find their frames. */
enum { UNWIND_READS = 248 };
struct unwind_word { uintptr_t at, is; };
struct unwind_notes {
	uint32_t n;			/* words */
	bool fails;			/* not all that decided could be noted */
	bool needs_rbp;			/* the one that the walk began with decided, too */
	bool rbp_is_odd;		/* nobody knows whence rbp is now */
	struct unwind_word rbp;		/* whence it is; at 0: the walk began with it */
	struct unwind_word words[UNWIND_READS];
};

/* A frame of a stack. */
struct unwind {
	uintptr_t reg[UNWIND_REGISTERS];
	uint32_t known;			/* of them, a bit each; rsp and rip always are */
	bool interrupted;		/* rip is the instruction that would have been next; else it is behind a call */
	uintptr_t start, end;		/* of the code that the frame's description covers; 0: there is none */
	struct unwind_rules rules;
	struct unwind_cache *cache;	/* NULL: there is none */
	const struct unwind_line *line;	/* of this frame, in the cache; NULL: it is to be made */
	struct unwind_notes *notes;	/* of the steps, which the owner of U keeps; NULL: none */
	uintptr_t page;			/* known to be readable; 1: none is */
	uintptr_t piece;		/* stack pointer where the piece of stack was entered that the walk is in */
	uint32_t pieces;		/* entered since the first */
	uint32_t standing;		/* steps that have led to no other stack pointer */
	bool guessed;			/* UNWIND_END: by rbp alone, which is 0 where a stack begins, and may be so elsewhere */
};

enum unwind_result {
	UNWIND_STEPPED,
	UNWIND_END,			/* this is the outermost frame */
	UNWIND_NO_RULES,		/* code without a description: compiled at run time, or without -fasynchronous-unwind-tables */
	UNWIND_UNREADABLE,		/* the stack is not where the description says */
	UNWIND_MALFORMED,		/* a description with what nobody writes */
};

/* The frame of the function that calls this, at this call. */
void unwind_here(struct unwind *u) HIDDEN;

/* The frame whose registers U->reg are, as U->known and U->interrupted say; all else is set here. */
void unwind_begin(struct unwind *u) HIDDEN;

/* That which a signal handler's third argument tells of.  CACHE, which nobody else uses before the walk is done, may be NULL. */
void unwind_interrupted(struct unwind *u, const void *ucontext, struct unwind_cache *cache) HIDDEN;

/* Go on to the caller's frame, or to that which a signal interrupted.  But for UNWIND_STEPPED, U stays as it is. */
enum unwind_result unwind_step(struct unwind *u) HIDDEN;

/* Is U's frame at what the kernel lets the handlers of signals return to? */
bool unwind_is_signal_return(struct unwind *u) HIDDEN;

/* Does the code of U's frame begin in the midst of a routine: is it a part of one that the compiler has put elsewhere? */
bool unwind_is_part(const struct unwind *u) HIDDEN;

#endif
