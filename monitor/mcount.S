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
 * What is odd goes out of line.  All registers but r11 and the flags are kept at entries and at returns. */
#define ENTRY_ONLY
#define ENTRY_HOOK	aprof_mcount_push
#define ENTRY_CFA	16-FRAME_FENTRY(%rbp)
#define ENTRY_SLOW_CFA	16(%rbp)
#include "hooks.S"
	.hidden	aprof_mcount_push

#define REGION_BITS	26
#define ALIGNED		128			/* bytes: a copied return address is no farther from the true one */

	/* RAX becomes what is to be added to a slot's address for that of its double, 0: not known; RCX holds the slot's less 16. */
	.macro	double
	shrq	$REGION_BITS, %rcx
	leaq	aprof_mcount_doubles(%rip), %rax
	movq	(%rax,%rcx,8), %rax
	testq	%rax, %rax
	.endm

	.text
	.globl	__fentry__
	.type	__fentry__, @function
	.p2align 6
__fentry__:
	.cfi_startproc
	_CET_ENDBR
	movq	8(%rsp), %r11
	cmpq	%r10, %r11
	je	.Lfentry_odd			/* a nested function's static chain, as a rule */
	save	rax
	save	rcx
	leaq	24-16(%rsp), %rcx
	double
	jz	.Lfentry_slow
	leaq	aprof_mcount_return(%rip), %rcx
	cmpq	%rcx, %r11
	je	.Lfentry_again
	movq	%r11, 24(%rsp,%rax)
	movq	%rcx, 24(%rsp)
.Lfentry_push:
	restore	rcx
	restore	rax
	jmp	aprof_entry_push

	.cfi_adjust_cfa_offset 16
.Lfentry_again:					/* who had this slot jumped here: the frame is this routine's from now on */
	movq	aprof_tls@gottpoff(%rip), %r11
	movq	%fs:TLS_TOP(%r11), %rax
	leaq	32-FRAME_FENTRY(%rsp), %rcx
	cmpq	%rcx, FRAME_CFA(%rax)
	jne	.Lfentry_push
	subq	$FRAME_SIZE, %rax
	movq	%rax, %fs:TLS_TOP(%r11)
	jmp	.Lfentry_push
.Lfentry_slow:
	restore	rcx
	restore	rax
.Lfentry_odd:
	save	rax
	leaq	16(%rsp), %rax			/* slot */
	movq	$0, %r11
	jmp	.Lslow
	.cfi_endproc
	.size	__fentry__, .-__fentry__

	.globl	mcount
	.type	mcount, @function
	.globl	_mcount
	.type	_mcount, @function
	.p2align 6
mcount:
_mcount:
	.cfi_startproc
	_CET_ENDBR
	leaq	-24(%r10), %r11
	subq	%rbp, %r11
	cmpq	$ALIGNED, %r11
	jb	.Lmcount_odd
	leaq	-24(%r13), %r11
	subq	%rbp, %r11
	cmpq	$ALIGNED, %r11
	jb	.Lmcount_odd
	cmpq	%rsp, %rbp
	jb	.Lmcount_odd			/* no frame pointer */
	save	rax
	save	rcx
	leaq	8-16(%rbp), %rcx
	double
	jz	.Lmcount_slow
	movq	8(%rbp), %r11
	leaq	aprof_mcount_return(%rip), %rcx
	cmpq	%rcx, %r11
	je	.Lmcount_again
	movq	%r11, 8(%rbp,%rax)
	movq	%rcx, 8(%rbp)
.Lmcount_push:
	restore	rcx
	restore	rax
	jmp	aprof_mcount_push

	.cfi_adjust_cfa_offset 16
.Lmcount_again:
	movq	aprof_tls@gottpoff(%rip), %r11
	movq	%fs:TLS_TOP(%r11), %rax
	leaq	16-FRAME_FENTRY(%rbp), %rcx
	cmpq	%rcx, FRAME_CFA(%rax)
	jne	.Lmcount_push
	subq	$FRAME_SIZE, %rax
	movq	%rax, %fs:TLS_TOP(%r11)
	jmp	.Lmcount_push
.Lmcount_slow:
	restore	rcx
	restore	rax
.Lmcount_odd:
	save	rax
	leaq	8(%rbp), %rax
	movq	%rbp, %r11

	/* rax: slot, saved; r11: rbp, 0 if it need not be a frame pointer.  Before the thread's words are there, in the
	 * resolver of an IFUNC, the call is not counted. */
.Lslow:
	save	rcx
	movq	aprof_tls@gottpoff(%rip), %rcx
	testq	%rcx, %rcx
	jz	.Lslow_early
	cmpq	$0, %fs:TLS_TOP(%rcx)
	je	.Lslow_early
	save	rdx
	save	rsi
	save	rdi
	save	r8
	save	r9
	save	r10
	save	rbp
	movq	72(%rsp), %rdi			/* routine, slot, frame pointer, what may point behind the slot */
	movq	%rax, %rsi
	movq	%r11, %rdx
	movq	%r10, %rcx
	movq	%r13, %r8
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	call	aprof_mcount_slow
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	restore	rbp
	restore	r10
	restore	r9
	restore	r8
	restore	rdi
	restore	rsi
	restore	rdx
.Lslow_early:
	restore	rcx
	restore	rax
	ret
	.cfi_endproc
	.size	mcount, .-mcount
	.size	_mcount, .-_mcount

	/* Where routines return to.  rsp is behind the slot.
	 *
	 * For unwinders the CFA here is one more than that, so that neither the routine's frame nor the caller's has
	 * it: GCC's tells frames apart by it.  The stack pointer that the caller gets is the CFA less one, and its address
	 * is in the slot's double.  Both rules hold throughout.  The first word here says how far the table of doubles is, and the
	 * second one makes the address before aprof_mcount_return, where unwinders look, part of this. */
#define BEHIND_SLOT 1				/* CFA less the true one */
	.type	aprof_mcount_return, @function
	.hidden	aprof_mcount_return
	.globl	aprof_mcount_return
	.p2align 8
.Lreturn_base:
	.quad	aprof_mcount_doubles - .Lreturn_base
	.cfi_startproc simple
	.cfi_def_cfa rsp, BEHIND_SLOT
	.cfi_return_column rip
	/* DW_CFA_val_expression rsp: CFA; lit1 minus */
	.cfi_escape 0x16, 7, 2, 0x31, 0x1c
	/* DW_CFA_expression rip: CFA; dup; lit25 minus lit26 shr lit3 shl (the region of the slot less 16);
	 * breg16(0) const2s(-256) and dup deref plus plus deref (the table's word); plus; lit9 minus */
	.cfi_escape 0x10, 16, 21, 0x12, 0x49, 0x1c, 0x4a, 0x25, 0x33, 0x24
	.cfi_escape 0x80, 0, 0x0b, 0x00, 0xff, 0x1a, 0x12, 0x06, 0x22, 0x22, 0x06, 0x22, 0x39, 0x1c
	.type	aprof_mcount_returned, @function
aprof_mcount_returned:
	nop
aprof_mcount_return:
	leaq	-FRAME_FENTRY(%rsp), %rsp	/* now as it stands in the frame */
	.cfi_def_cfa rsp, FRAME_FENTRY+BEHIND_SLOT
	movq	%rcx, (%rsp)
	movq	aprof_tls@gottpoff(%rip), %r11
	movq	%fs:TLS_TOP(%r11), %rcx
	cmpq	%rsp, FRAME_CFA(%rcx)
	jne	.Lreturn_slow
	subq	$FRAME_SIZE, %rcx
	movq	%rcx, %fs:TLS_TOP(%r11)
	movq	%rsp, %rcx
	shrq	$REGION_BITS, %rcx
	leaq	aprof_mcount_doubles(%rip), %r11
	movq	(%r11,%rcx,8), %rcx
	movq	FRAME_FENTRY-8(%rsp,%rcx), %r11
	movq	(%rsp), %rcx
	leaq	FRAME_FENTRY(%rsp), %rsp
	.cfi_def_cfa rsp, BEHIND_SLOT
	notrack jmp *%r11

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
	movq	(%rsp), %rcx
	leaq	FRAME_FENTRY(%rsp), %rsp
	.cfi_def_cfa rsp, BEHIND_SLOT
	notrack jmp *%r11
	.cfi_endproc
	.size	aprof_mcount_return, .-aprof_mcount_return
	.size	aprof_mcount_returned, .-aprof_mcount_returned

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

	/* For the program vfork is what the links of the other ways make of it. */
	.globl	vfork
	.type	vfork, @function
	.globl	__vfork
	.type	__vfork, @function
	.p2align 4
vfork:
__vfork:
	_CET_ENDBR
	jmp	__wrap_vfork@PLT
	.size	vfork, .-vfork
	.size	__vfork, .-__vfork

	.section .note.GNU-stack, "", @progbits
