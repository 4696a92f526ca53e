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
#define REGION_BITS	26
#define ALIGNED		128		/* bytes: a copied return address is no farther from the true one */
#define DOUBLES(reg)	leaq	aprof_mcount_doubles(%rip), reg
#define RETURN(reg)	leaq	aprof_mcount_return(%rip), reg

#define ENTRY_ONLY
#define ENTRY_SLOW	aprof_mcount_slow

/* RAX is the slot's address less 16; rcx, rdx and r11 are free. */
#define ENTRY_END \
	movq	%rax, %rcx; \
	shrq	$REGION_BITS, %rcx; \
	DOUBLES(%rdx); \
	movq	(%rdx,%rcx,8), %rcx; \
	testq	%rcx, %rcx; \
	jz	.Lentry_redirect; \
	movq	16(%rax), %r11; \
	RETURN(%rdx); \
	cmpq	%rdx, %r11; \
	je	.Lentry_redirected; \
	movq	%r11, 16(%rax,%rcx); \
	movq	%rdx, 16(%rax); \
.Lentry_redirected:

#define ENTRY_HOOK	__fentry__
#define ENTRY_BEGIN \
	cmpq	%r10, 8(%rsp);			/* a nested function has pushed its static chain */ \
	je	.Lfentry_odd
#define ENTRY_CFA	SAVED_BASE+32-FRAME_FENTRY(%rsp)
#define ENTRY_SLOW_CFA	96(%rsp)
#define ENTRY_NOT_BELOW	.Lfentry_not_below
#define Lentry_look	Lfentry_look
#define Lentry_alias	Lfentry_alias
#define Lentry_second	Lfentry_second
#define Lentry_alias_second Lfentry_alias_second
#define Lentry_push	Lfentry_push
#define Lentry_again	Lfentry_again
#define Lentry_done	Lfentry_done
#define Lentry_slow	Lfentry_slow
#define Lentry_redirect	Lfentry_redirect
#define Lentry_redirected Lfentry_redirected
#include "hooks.S"
	.text

/* What stands out of line in both: a frame at the same CFA, whose routine has jumped here if the slot is redirected; and a slot
 * in a region that has no doubles. */
	.macro	out_of_line not_below, look, slow, redirect, redirected
	.cfi_startproc
	.cfi_def_cfa_offset 32
	.cfi_rel_offset rax, 16
	.cfi_rel_offset rcx, 8
	.cfi_rel_offset rdx, 0
\not_below:
	jne	\slow
	RETURN(%r11)
	cmpq	%r11, 16(%rcx)
	jne	\slow
	subq	$FRAME_SIZE, %rax
	movq	%rax, TLS(TLS_TOP, %rdx)
	jmp	\look
\redirect:
	leaq	\redirected(%rip), %r11
	jmp	.Lredirect
	.cfi_endproc
	.endm

	out_of_line .Lfentry_not_below .Lfentry_look .Lfentry_slow .Lfentry_redirect .Lfentry_redirected

#undef ENTRY_HOOK
#undef ENTRY_BEGIN
#undef ENTRY_CFA
#undef ENTRY_SLOW_CFA
#undef ENTRY_NOT_BELOW
#undef Lentry_look
#undef Lentry_alias
#undef Lentry_second
#undef Lentry_alias_second
#undef Lentry_push
#undef Lentry_again
#undef Lentry_done
#undef Lentry_slow
#undef Lentry_redirect
#undef Lentry_redirected

#define ENTRY_HOOK	mcount
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
#define ENTRY_NOT_BELOW	.Lmcount_not_below
#include "hooks.S"
	.text
	out_of_line .Lmcount_not_below .Lentry_look .Lentry_slow .Lentry_redirect .Lentry_redirected

	.globl	_mcount
	.type	_mcount, @function
	.set	_mcount, mcount

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
	save	rax
	save	rcx
	save	rdx
	save	rsi
	save	r8
	save	r9
	save	r10
	save	rbp
	movq	%rdi, %rsi			/* routine, slot, frame pointer, what may point behind the slot */
	movq	72(%rsp), %rdi
	movq	%r11, %rdx
	movq	%r10, %rcx
	movq	%r13, %r8
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	call	aprof_mcount_odd
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	restore	rbp
	restore	r10
	restore	r9
	restore	r8
	restore	rsi
	restore	rdx
	restore	rcx
	restore	rax
	restore	rdi
	ret
	.cfi_endproc

	/* rax: the slot less 16; r11: where to go on.  rdx, rcx and rax are saved. */
	.p2align 4
	.cfi_startproc
	.cfi_def_cfa_offset 32
	.cfi_rel_offset rax, 16
	.cfi_rel_offset rcx, 8
	.cfi_rel_offset rdx, 0
.Lredirect:
	save	r11
	save	rsi
	save	rdi
	save	r8
	save	r9
	save	r10
	save	rbp
	leaq	16(%rax), %rdi
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	call	aprof_mcount_redirect
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	restore	rbp
	restore	r10
	restore	r9
	restore	r8
	restore	rdi
	restore	rsi
	restore	r11
	notrack jmp *%r11
	.cfi_endproc

	/* Where routines return to.  rsp is behind the slot.
	 *
	 * For unwinders the CFA here is one more than that, so that neither the routine's frame nor the caller's has
	 * it: GCC's tells frames apart by it.  The stack pointer that the caller gets is the CFA less one, and its address
	 * is in the slot's double.  Both rules hold throughout, and already in the call before, where unwinders look that find
	 * aprof_mcount_return in a slot.  The first word here says how far the table of doubles is. */
#define BEHIND_SLOT 1				/* CFA less the true one */
	.p2align 8
.Lreturn_base:
	.quad	aprof_mcount_doubles - .Lreturn_base
	.type	aprof_mcount_returned, @function
aprof_mcount_returned:
	.cfi_startproc simple
	.cfi_return_column rip
	.cfi_def_cfa rsp, BEHIND_SLOT
	/* DW_CFA_val_expression rsp: CFA; lit1 minus */
	.cfi_escape 0x16, 7, 2, 0x31, 0x1c
	/* DW_CFA_expression rip: CFA; dup; lit25 minus lit26 shr lit3 shl (the region of the slot less 16);
	 * breg16(0) const2s(-256) and dup deref plus plus deref (the table's word); plus; lit9 minus */
	.cfi_escape 0x10, 16, 21, 0x12, 0x49, 0x1c, 0x4a, 0x25, 0x33, 0x24
	.cfi_escape 0x80, 0, 0x0b, 0x00, 0xff, 0x1a, 0x12, 0x06, 0x22, 0x22, 0x06, 0x22, 0x39, 0x1c
.Lcall:
	call	.Lgo
	.type	aprof_mcount_return, @function
	.hidden	aprof_mcount_return
	.globl	aprof_mcount_return
aprof_mcount_return:
	leaq	-FRAME_FENTRY(%rsp), %rsp	/* now as it stands in the frame */
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT
	movq	%rcx, (%rsp)
	TLS_BASE(%r11)
	movq	TLS(TLS_TOP, %r11), %rcx
	cmpq	%rsp, FRAME_CFA(%rcx)
	jne	.Lreturn_slow
	subq	$FRAME_SIZE, %rcx
	movq	%rcx, TLS(TLS_TOP, %r11)
	movq	%rsp, %rcx
	shrq	$REGION_BITS, %rcx
	DOUBLES(%r11)
	movq	(%r11,%rcx,8), %rcx
	movq	FRAME_FENTRY-8(%rsp,%rcx), %r11
.Lreturn_end:
	movq	(%rsp), %rcx
	leaq	FRAME_FENTRY(%rsp), %rsp
	.cfi_def_cfa rsp, BEHIND_SLOT
	jmp	.Lcall

.Lreturn_slow:
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT
	movq	%rsp, %r11
	pushq	%rax
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+8
	pushq	%rdx
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+16
	pushq	%rsi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+24
	pushq	%rdi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+32
	pushq	%r8
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+40
	pushq	%r9
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+48
	pushq	%r10
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+56
	movq	%rsp, %rdx
	andq	$-16, %rsp
	.cfi_def_cfa rdx, FRAME_FENTRY+BEHIND_SLOT+56
	pushq	%rdx
	pushq	%rdx
	/* DW_CFA_def_cfa_expression: breg7(0) deref plus_uconst(81) */
	.cfi_escape 0x0f, 5, 0x77, 0, 0x06, 0x23, FRAME_FENTRY+BEHIND_SLOT+56
	leaq	FRAME_FENTRY(%r11), %rdi	/* CFA */
	call	aprof_mcount_leave
	movq	%rax, %r11
	movq	(%rsp), %rsp
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+56
	popq	%r10
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+48
	popq	%r9
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+40
	popq	%r8
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+32
	popq	%rdi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+24
	popq	%rsi
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+16
	popq	%rdx
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT+8
	popq	%rax
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT
	jmp	.Lreturn_end
	.cfi_endproc
	.size	aprof_mcount_return, .-aprof_mcount_return
	.size	aprof_mcount_returned, .-aprof_mcount_returned

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

	/* What links send here by --wrap, the dynamic linker sends here by name (wrap.c). */
	.macro	in_front name, wrap
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	_CET_ENDBR
	jmp	__wrap_\wrap@PLT
	.size	\name, .-\name
	.endm
	in_front exit exit
	in_front vfork vfork
	in_front __vfork vfork
	in_front swapcontext swapcontext
	in_front dlclose dlclose
	in_front unshare unshare
	in_front setns setns
	in_front sigaction sigaction
	in_front signal signal

	.section .note.GNU-stack, "", @progbits
