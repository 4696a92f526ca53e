/* mcount.S - way mcount on x86-64: gprof's hooks, for programs built with plain -pg and not rebuilt.
 *
 * Nothing tells this way of exits, so each entry puts the address of aprof_mcount_return in the place of the
 * routine's return address, its slot, and keeps what was there in the slot's double: the word that stands as deep in a
 * block of our own as the slot stands in its region of the address space (mcount.c).  So the double depends on the slot's address alone:
 * however stacks are switched or frames left, a return finds where it belongs.  Unwinders find it too, by the frame
 * description of aprof_mcount_return; to them it is a frame of its own between the routine and its caller.
 *
 * Invariant: the double is written before the slot, and never with the address of aprof_mcount_return.
 *
 *     __fentry__ (-mfentry)   first of all in a routine: the slot is 8(%rsp); a nested function has pushed its static chain, r10,
 *                             before, and pops it behind the call
 *     mcount, _mcount         after the prologue: the slot is 8(%rbp), unless the routine has aligned its frame and
 *                             copied the return address (r10 or r13 points behind the true one)
 *
 * What is odd goes out of line.  All registers but r11 and the flags are kept at entries and at returns.
 *
 * Processors predict that a return leads to behind the latest call, and each redirected one would cost them their whole pipeline.
 * So when a routine is left for its caller, a call is executed that stands right before
 * aprof_mcount_return, and what it pushed is taken away: the caller's own return is predicted. */
#include "inside/x86_64/copies.h"
#include "inside/x86_64/probe.h"
#include "inside/x86_64/switches.h"

#define REGION_BITS	26
#define ALIGNED		128		/* bytes: a copied return address is no farther from the true one */
#define DOUBLES(reg)	leaq	aprof_mcount_doubles(%rip), reg

#define SLOT		(FRAME_FENTRY-8)	/* bytes from what stands in a frame to the routine's slot */

/* To label if VALUE, a slot's, is a place where redirected routines return to; reg is lost. */
#define IF_REDIRECTED(value, reg, label) \
	leaq	.Lplaces(%rip), reg; \
	subq	value, reg; \
	cmpq	$-PLACES_SIZE, reg; \
	jae	label

/* RAX is the slot's address less SLOT; rcx, rdx and r11 are free. */
#define ENTRY_END \
	movq	%rax, %rcx; \
	shrq	$REGION_BITS, %rcx; \
	DOUBLES(%rdx); \
	movq	(%rdx,%rcx,8), %rcx; \
	testq	%rcx, %rcx; \
	jz	.Lentry_redirect; \
	movq	SLOT(%rax), %r11; \
	IF_REDIRECTED(%r11, %rdx, .Lentry_redirected); \
	movq	%r11, SLOT(%rax,%rcx); \
	ENTRY_PLACE(%rdx); \
	movq	%rdx, SLOT(%rax); \
.Lentry_redirected:

/* The labels of hooks.S, of each of the hooks its own. */
#define PASTE_(a, b)	a##b
#define PASTE(a, b)	PASTE_(a, b)
#define LABEL(name)	PASTE(ENTRY_PREFIX, name)
#define Lentry_look	LABEL(look)
#define Lentry_further	LABEL(further)
#define Lentry_push	LABEL(push)
#define Lentry_slow	LABEL(slow)
#define Lentry_sites	LABEL(sites)
#define Lentry_sites_slow LABEL(sites_slow)
#define Lentry_redirect	LABEL(redirect)
#define Lentry_redirected LABEL(redirected)
#define Lentry_not_below LABEL(not_below)
#define ENTRY_NOT_BELOW	.Lentry_not_below

#define OUT_OF_LINE \
	.text; \
	out_of_line .Lentry_not_below .Lentry_look .Lentry_slow .Lentry_redirect .Lentry_redirected

/* Called as the compiler made them be called: the routine is where they return to, and it returns to aprof_mcount_return. */
#define ENTRY_ROUTINE(at, reg) movq at(%rsp), reg
#define ENTRY_PLACE(reg) leaq	aprof_mcount_return(%rip), reg

#define ENTRY_HOOK	__fentry__
#define ENTRY_PREFIX	Lfentry_
#define ENTRY_BEGIN \
	cmpq	%r10, 8(%rsp);			/* a nested function has pushed its static chain */ \
	je	.Lfentry_odd
#define ENTRY_CFA	40-FRAME_FENTRY(%rsp)
#define ENTRY_SLOW_CFA	96(%rsp)
#include "inside/x86_64/mcount_entry.h"

	/* What stands out of line in all of them: a frame at the same CFA, whose routine has jumped here if the slot is redirected; and a
	 * slot in a region that has no doubles. */
	.macro	out_of_line not_below, look, slow, redirect, redirected
	.cfi_startproc
	.cfi_def_cfa_offset 32
	.cfi_rel_offset rax, 16
	.cfi_rel_offset rcx, 8
	.cfi_rel_offset rdx, 0
\not_below:
	jne	\slow
	movq	SLOT(%rcx), %rcx
	IF_REDIRECTED(%rcx, %r11, 1f)
	jmp	\slow
1:	movq	$0, FRAME_CFA(%rax)
	subq	$FRAME_SIZE, %rax
	movq	%rax, TLS(TLS_TOP, %rdx)
	jmp	\look
\redirect:
	leaq	\redirected(%rip), %r11
	jmp	.Lredirect
	.cfi_endproc
	.endm
	OUT_OF_LINE

#undef ENTRY_HOOK
#undef ENTRY_PREFIX
#undef ENTRY_BEGIN
#undef ENTRY_CFA
#undef ENTRY_SLOW_CFA
#define ENTRY_HOOK	mcount
#define ENTRY_PREFIX	Lmcount_
#define ENTRY_BEGIN \
	leaq	-24(%r10), %r11; \
	subq	%rbp, %r11; \
	cmpq	$ALIGNED, %r11; \
	jb	.Lmcount_r10; \
.Lmcount_not_r10: \
	leaq	-24(%r13), %r11; \
	subq	%rbp, %r11; \
	cmpq	$ALIGNED, %r11; \
	jb	.Lmcount_r13; \
.Lmcount_not_r13: \
	cmpq	%rsp, %rbp; \
	jb	.Lmcount_odd			/* no frame pointer */
#define ENTRY_CFA	16-FRAME_FENTRY(%rbp)
#define ENTRY_SLOW_CFA	16(%rbp)
#include "inside/x86_64/mcount_entry.h"
	OUT_OF_LINE

	.globl	_mcount
	.type	_mcount, @function
	.set	_mcount, mcount

/* Called by a routine's copy (below), which a routine with nothing odd about it jumps to: the routine stands beside the copy, and it
 * returns into the copy. */
#undef ENTRY_ROUTINE
#undef ENTRY_PLACE
#define ENTRY_ROUTINE(at, reg) \
	movq	at(%rsp), reg; \
	movq	aprof_mcount_routines-.Lcopies-COPY_CALLED(reg), reg
#define ENTRY_PLACE(reg) \
	movq	24(%rsp), reg; \
	leaq	COPY_RETURN-COPY_CALLED(reg), reg	/* keeps the flags */

#undef ENTRY_HOOK
#undef ENTRY_PREFIX
#undef ENTRY_BEGIN
#define ENTRY_HOOK	aprof_mcount_copied
#define ENTRY_PREFIX	Lmcopied_
#define ENTRY_BEGIN
	.hidden	ENTRY_HOOK
#include "inside/x86_64/mcount_entry.h"
	OUT_OF_LINE

#undef ENTRY_HOOK
#undef ENTRY_PREFIX
#undef ENTRY_CFA
#undef ENTRY_SLOW_CFA
#define ENTRY_HOOK	aprof_fentry_copied
#define ENTRY_PREFIX	Lfcopied_
#define ENTRY_CFA	40-FRAME_FENTRY(%rsp)
#define ENTRY_SLOW_CFA	96(%rsp)
	.hidden	ENTRY_HOOK
#include "inside/x86_64/mcount_entry.h"
	OUT_OF_LINE

	/* They point right behind the frame: behind a word that is the same as the return address? */
	.p2align 4
	.cfi_startproc
.Lmcount_r10:
	movq	-8(%r10), %r11
	cmpq	%r11, 8(%rbp)
	jne	.Lmcount_not_r10
	jmp	.Lmcount_odd
.Lmcount_r13:
	movq	-8(%r13), %r11
	cmpq	%r11, 8(%rbp)
	jne	.Lmcount_not_r13
	jmp	.Lmcount_odd
	.cfi_endproc

	/* Odd entries: the routine's address behind the saved registers, the slot in rdi. */
	.p2align 4
	.cfi_startproc
.Lfentry_odd:
	save	rdi
	leaq	16(%rsp), %rdi
	xorl	%r11d, %r11d
	jmp	.Lodd
	.cfi_adjust_cfa_offset -8
.Lmcount_odd:
	save	rdi
	leaq	8(%rbp), %rdi
	movq	%rbp, %r11
.Lodd:
	save	rax, rcx, rdx, rsi, r8, r9, r10, rbp
	movq	%rdi, %rsi			/* routine, slot, frame pointer, what may point behind the slot */
	movq	72(%rsp), %rdi
	movq	%r11, %rdx
	movq	%r10, %rcx
	movq	%r13, %r8
	call_aligned aprof_mcount_odd
	restore	rdi, rax, rcx, rdx, rsi, r8, r9, r10, rbp
	ret
	.cfi_endproc

	/* rax: the slot less SLOT; r11: where to go on.  rdx, rcx and rax are saved. */
	.p2align 4
	.cfi_startproc
	.cfi_def_cfa_offset 32
	.cfi_rel_offset rax, 16
	.cfi_rel_offset rcx, 8
	.cfi_rel_offset rdx, 0
.Lredirect:
	save	r11, rsi, rdi, r8, r9, r10, rbp
	leaq	SLOT(%rax), %rdi
	call_aligned aprof_mcount_redirect
	restore	r11, rsi, rdi, r8, r9, r10, rbp
	notrack jmp *%r11
	.cfi_endproc

	/* The copies (copies.h).  Each routine that was patched has one:
	 *
	 *     the routine jumps to its first byte, after its prologue (or before it, by -mfentry);
	 *     a call of the hook, which returns, without carry if the routine does not return to COPY_RETURN: it was jumped to, and returns to
	 *     where the one that jumped would have;
	 *     else a call whose return address, COPY_RETURN, is dropped, and a jump back into the routine;
	 *     at COPY_RETURN, where the routine returns to: a jump to .Lleave.
	 *
	 * So for the processor COPY_RETURN was called, and the return behind it is the routine's; and where .Lleave returns to is
	 * what the routine was called from: every return goes where the processor expects it, and every jump through memory goes from one place
	 * to one other.
	 *
	 * For unwinders all of it is a frame of its own.  Its CFA is the stack pointer and one more, so that no frame beside it has
	 * the same; where it goes on is in aprof_mcount_routines, or at COPY_RETURN in the slot's double.  What tells
	 * them apart is the program counter, and where the tables are the jumps in the copy say. */
#define BEHIND_SLOT 1				/* CFA less the true one */
	.text
	.p2align 9
.Lplaces:
	.fill	COPY_SIZE, 1, 0xcc
	.type	aprof_mcount_copies, @function
	.globl	aprof_mcount_copies
	.hidden	aprof_mcount_copies
	.globl	aprof_mcount_return
	.hidden	aprof_mcount_return
	.type	aprof_mcount_return, @function
aprof_mcount_copies:
.Lcopies:
	.cfi_startproc simple
	.cfi_return_column rip
	/* CFA: breg7(1); breg16(0) lit31 and lit21 eq lit3 shl plus */
	.cfi_escape 0x0f, 11, 0x77, BEHIND_SLOT, 0x80, 0, 0x4f, 0x1a, 0x45, 0x29, 0x33, 0x24, 0x22
	/* DW_CFA_val_expression rsp: CFA; lit1 minus */
	.cfi_escape 0x16, 7, 2, 0x31, 0x1c
	/* DW_CFA_expression rip: CFA; breg16(0) lit31 and lit16 eq bra(17) */
	.cfi_escape 0x10, 16, 54, 0x80, 0, 0x4f, 0x1a, 0x40, 0x29, 0x28, 17, 0
	/* drop; breg16(0) const1s(-32) and dup plus_uconst(28) deref_size(4) plus plus_uconst(32) skip(28) */
	.cfi_escape 0x13, 0x80, 0, 0x09, 0xe0, 0x1a, 0x12, 0x23, 28, 0x94, 4, 0x22, 0x23, 32, 0x2f, 28, 0
	/* dup lit25 minus lit26 shr lit3 shl (the region of the slot less SLOT);
	 * breg16(0) const1s(-32) and dup plus_uconst(17) deref_size(4) plus plus_uconst(21-8) (.Lreturn_base)
	 * dup deref plus plus deref (the table's word); plus; lit9 minus */
	.cfi_escape 0x12, 0x30+SLOT+8+BEHIND_SLOT, 0x1c, 0x4a, 0x25, 0x33, 0x24
	.cfi_escape 0x80, 0, 0x09, 0xe0, 0x1a, 0x12, 0x23, 17, 0x94, 4, 0x22, 0x23, 13
	.cfi_escape 0x12, 0x06, 0x22, 0x22, 0x06, 0x22, 0x39, 0x1c
	.macro	copies hook
	.rept	COPIES
	endbr64
	call	\hook
	jnc	2f
	call	1f
	.byte	0xe9				/* jmp, never a short one */
	.long	.Lleave-.-4
1:	addq	$8, %rsp
2:	notrack jmp *aprof_mcount_routines+copied(%rip)
	.set	copied, copied+COPY_SIZE
	.p2align COPY_BITS
	.endr
	.endm
	.set	copied, 0
	copies	aprof_mcount_copied
	copies	aprof_fentry_copied
	.cfi_endproc
	.size	aprof_mcount_copies, .-aprof_mcount_copies

	/* Where all others return to.  rsp is behind the slot.  The frame description is like that above; both its rules hold throughout, and
	 * already in the call before, where unwinders look that find aprof_mcount_return in a slot.  The first word says how far the table
	 * of doubles is.
	 *
	 * Processors predict that a return leads to behind the latest call, and each redirected one would cost them their whole pipeline.
	 * So when such a routine is left for its caller, a call is executed that stands right before
	 * aprof_mcount_return, and what it pushed is taken away: the caller's own return is predicted if it goes there, too. */
	.p2align 9
.Lreturn_base:
	.quad	aprof_mcount_doubles - .Lreturn_base
	.cfi_startproc simple
	.cfi_return_column rip
	.cfi_def_cfa rsp, BEHIND_SLOT
	/* DW_CFA_val_expression rsp: CFA; lit1 minus */
	.cfi_escape 0x16, 7, 2, 0x31, 0x1c
	/* DW_CFA_expression rip: as above, but for breg16(0) const2s(-512) and (.Lreturn_base) */
	.cfi_escape 0x10, 16, 21, 0x12, 0x30+SLOT+8+BEHIND_SLOT, 0x1c, 0x4a, 0x25, 0x33, 0x24
	.cfi_escape 0x80, 0, 0x0b, 0x00, 0xfe, 0x1a, 0x12, 0x06, 0x22, 0x22, 0x06, 0x22, 0x39, 0x1c

	/* Leave the top frame, if it is that of the routine that has just returned: rcx is saved, the return address in r11. */
	.macro	leave slow
	leaq	-FRAME_FENTRY(%rsp), %rsp	/* now as it stands in the frame */
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT
	movq	%rcx, (%rsp)
	TLS_BASE(%r11)
	movq	TLS(TLS_TOP, %r11), %rcx
	cmpq	%rsp, FRAME_CFA(%rcx)
	jne	\slow
	movq	$0, FRAME_CFA(%rcx)
	subq	$FRAME_SIZE, %rcx
	movq	%rcx, TLS(TLS_TOP, %r11)
	movq	%rsp, %rcx
	shrq	$REGION_BITS, %rcx
	DOUBLES(%r11)
	movq	(%r11,%rcx,8), %rcx
	movq	FRAME_FENTRY-8(%rsp,%rcx), %r11
	.endm

	.type	aprof_mcount_returned, @function
aprof_mcount_returned:
.Lleave:
	leave	.Lleave_slow
.Lleave_end:
	movq	%r11, FRAME_FENTRY-8(%rsp)
	movq	(%rsp), %rcx
	leaq	FRAME_FENTRY-8(%rsp), %rsp
	.cfi_def_cfa rsp, 8+BEHIND_SLOT
	ret

	.cfi_def_cfa rsp, BEHIND_SLOT
.Lcall:
	call	.Lgo
aprof_mcount_return:
	leave	.Lreturn_slow
.Lreturn_end:
	movq	(%rsp), %rcx
	leaq	FRAME_FENTRY(%rsp), %rsp
	.cfi_def_cfa rsp, BEHIND_SLOT
	jmp	.Lcall

.Lleave_slow:
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT
	call	.Lslow
	jmp	.Lleave_end
.Lreturn_slow:
	call	.Lslow
	jmp	.Lreturn_end

.Lslow:
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+8
	pushq	%rax
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+16
	pushq	%rdx
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+24
	pushq	%rsi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+32
	pushq	%rdi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+40
	pushq	%r8
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+48
	pushq	%r9
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+56
	pushq	%r10
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+64
	movq	%rsp, %rdx
	andq	$-16, %rsp
	.cfi_def_cfa rdx, FRAME_FENTRY+BEHIND_SLOT+64
	leaq	FRAME_FENTRY+64(%rdx), %rdi	/* CFA */
	pushq	%rdx
	pushq	%rdx
	/* DW_CFA_def_cfa_expression: breg7(0) deref plus_uconst(FRAME_FENTRY+BEHIND_SLOT+64) */
	.cfi_escape 0x0f, 5, 0x77, 0, 0x06, 0x23, FRAME_FENTRY+BEHIND_SLOT+64
	call	aprof_mcount_leave
	movq	%rax, %r11
	movq	(%rsp), %rsp
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+64
	popq	%r10
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+56
	popq	%r9
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+48
	popq	%r8
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+40
	popq	%rdi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+32
	popq	%rsi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+24
	popq	%rdx
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+16
	popq	%rax
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+8
	ret
	.cfi_endproc
	.size	aprof_mcount_returned, .-aprof_mcount_returned
	.org	.Lreturn_base+512, 0xcc		/* PLACES_SIZE ends here */

	/* To r11, without what the call has pushed. */
	.cfi_startproc
	.cfi_def_cfa rsp, 8
	.cfi_register rip, r11
.Lgo:
	leaq	8(%rsp), %rsp
	.cfi_def_cfa rsp, 0
	notrack jmp *%r11
	.cfi_endproc

	/* gprof's own profiler must not run beside us: its start and end are in anchor.S, and these do nothing either. */
	.globl	monstartup
	.type	monstartup, @function
	.globl	moncontrol
	.type	moncontrol, @function
	.p2align 4
monstartup:
moncontrol:
	_CET_ENDBR
	ret
	.size	monstartup, .-monstartup
	.size	moncontrol, .-moncontrol

	/* What links send here by --wrap, the dynamic linker sends here by name (wrap.c).  A program with a monitor of its own has
	 * the names __wrap_... too: what it calls behind them comes here, and must not go back there. */
	.macro	in_front name, wrap
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	_CET_ENDBR
	jmp	\wrap
	.size	\name, .-\name
	.endm
	in_front vfork __wrap_vfork@PLT		/* asks the kernel, and nobody behind it */
	in_front __vfork __wrap_vfork@PLT
	in_front exit aprof_front_exit
	in_front swapcontext aprof_front_swapcontext
	in_front dlclose aprof_front_dlclose
	in_front unshare aprof_front_unshare
	in_front setns aprof_front_setns
	in_front sigaction aprof_front_sigaction
	in_front sigaltstack aprof_front_sigaltstack
	in_front signal aprof_front_signal
	in_front mlockall aprof_front_mlockall
	in_front longjmp aprof_front_longjmp
	in_front _longjmp aprof_front__longjmp
	in_front siglongjmp aprof_front_siglongjmp
	in_front __longjmp_chk aprof_front___longjmp_chk
	in_front setcontext aprof_front_setcontext
	in_front pthread_exit aprof_front_pthread_exit
	in_front __pthread_unwind_next aprof_front___pthread_unwind_next
	in_front __pthread_register_cancel aprof_front___pthread_register_cancel
	in_front __pthread_register_cancel_defer aprof_front___pthread_register_cancel_defer
	in_front _Unwind_SetIP aprof_front__Unwind_SetIP
	in_front _exit aprof_front__exit
	in_front _Exit aprof_front__Exit
	in_front pthread_create aprof_front_pthread_create
	in_front prctl aprof_front_prctl

	.macro	switch_in_front name
	in_front \name aprof_front_\name
	.endm
	each_switch switch_in_front

	.section .note.GNU-stack, "", @progbits
