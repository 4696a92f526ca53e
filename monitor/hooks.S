/* hooks.S - the hooks of way fentry on x86-64, step B1 in assembly.
 *
 * __aprof_entry is called first of all in a routine, before its frame is made, and __return__ last of
 * all, before ret or before the jump of a tail call.  Both keep every register but the flags, and
 * touch no vector or x87 state.  Stack at the hook: 0(%rsp) address in the routine, 8(%rsp) its
 * return address; the routine's CFA is 16(%rsp).
 *
 * A hit costs three loads to find the edge, one bump and five stores. */
#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

/* Offsets in struct aprof_tls, struct edge, struct frame (monitor.h; checked in slow.c). */
#define TLS_CURRENT	0
#define TLS_FRONT	8
#define TLS_MASK	16
#define TLS_TOP		24
#define TLS_LOW		32
#define EDGE_FROM	0
#define EDGE_ROUTINE	8
#define EDGE_COUNT	16
#define EDGE_TO		24
#define FRAME_CFA	0
#define FRAME_PREVIOUS	8
#define FRAME_SIZE	24
#define INSIDE		1

/* In a shared object the thread's words are found through the GOT, which costs a register; SAVED_TLS is
 * what it takes on the stack. */
#ifdef APROF_SHARED
#define TLS_BASE	save	rdx; movq	aprof_tls@gottpoff(%rip), %rdx
#define TLS_DONE	restore	rdx
#define TLS_DONE_SLOW	.cfi_adjust_cfa_offset 8; restore	rdx
#define TLS(offset)	%fs:offset(%rdx)
#define SAVED_TLS	8
#else
#define TLS_BASE
#define TLS_DONE
#define TLS_DONE_SLOW
#define TLS(offset)	%fs:aprof_tls@tpoff+offset
#define SAVED_TLS	0
#endif

	.macro	save reg
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endm
	.macro	restore reg
	popq	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
	.endm

	.text
	.globl	__aprof_entry
	.type	__aprof_entry, @function
	.p2align 6
__aprof_entry:
	.cfi_startproc
	_CET_ENDBR
	save	rax
	save	rcx
	save	r11
	TLS_BASE
	movq	TLS(TLS_TOP), %rax
	leaq	SAVED_TLS+40(%rsp), %rcx	/* CFA */
	cmpq	%rcx, FRAME_CFA(%rax)
	jbe	.Lentry_slow			/* frames below were unwound */
	cmpq	TLS(TLS_LOW), %rcx
	jb	.Lentry_slow			/* deeper than known, or another stack */
	movq	TLS(TLS_CURRENT), %rcx
	movq	SAVED_TLS+24(%rsp), %r11	/* routine */
	leaq	(%rcx,%r11,8), %rax
	imulq	$-0x61c8864f, %rax, %rax
	shrq	$32, %rax
	andq	TLS(TLS_MASK), %rax
	shlq	$3, %rax
	addq	TLS(TLS_FRONT), %rax
	movq	(%rax), %rax			/* edge */
	cmpq	%rcx, EDGE_FROM(%rax)
	jne	.Lentry_slow
	cmpq	%r11, EDGE_ROUTINE(%rax)
	jne	.Lentry_slow
	/* Reserve the frame, then fill it; its CFA also before, for a signal handler between the two.
	 * The CFA less 1 tells a frame of this way (stack.c). */
	movq	TLS(TLS_TOP), %r11
	leaq	SAVED_TLS+39(%rsp), %rcx
	movq	%rcx, FRAME_SIZE+FRAME_CFA(%r11)
	addq	$FRAME_SIZE, %r11
	movq	%r11, TLS(TLS_TOP)
	movq	%rcx, FRAME_CFA(%r11)
	movq	TLS(TLS_CURRENT), %rcx
	movq	%rcx, FRAME_PREVIOUS(%r11)
	movq	EDGE_COUNT(%rax), %rcx
	incq	(%rcx)
	movq	EDGE_TO(%rax), %rcx
	movq	%rcx, TLS(TLS_CURRENT)
	TLS_DONE
	restore	r11
	restore	rcx
	restore	rax
	ret

.Lentry_slow:
	.cfi_adjust_cfa_offset 24
	.cfi_rel_offset rax, 16
	.cfi_rel_offset rcx, 8
	.cfi_rel_offset r11, 0
	TLS_DONE_SLOW
	save	rdx
	save	rsi
	save	rdi
	save	r8
	save	r9
	save	r10
	save	rbp
	movq	80(%rsp), %rdi			/* routine */
	leaq	96(%rsp), %rsi			/* CFA */
	xorl	%edx, %edx
	movl	$INSIDE, %ecx
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp			/* a nested function pushes its static chain first */
	call	aprof_entry_slow
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	restore	rbp
	restore	r10
	restore	r9
	restore	r8
	restore	rdi
	restore	rsi
	restore	rdx
	restore	r11
	restore	rcx
	restore	rax
	ret
	.cfi_endproc
	.size	__aprof_entry, .-__aprof_entry

	.globl	__return__
	.type	__return__, @function
	.p2align 5
__return__:
	.cfi_startproc
	_CET_ENDBR
	save	rax
	save	rcx
	TLS_BASE
	movq	TLS(TLS_TOP), %rax
	leaq	SAVED_TLS+31(%rsp), %rcx	/* CFA less 1 */
	cmpq	%rcx, FRAME_CFA(%rax)
	jne	.Lexit_slow
	movq	FRAME_PREVIOUS(%rax), %rcx
	movq	%rcx, TLS(TLS_CURRENT)
	subq	$FRAME_SIZE, %rax
	movq	%rax, TLS(TLS_TOP)
	TLS_DONE
	restore	rcx
	restore	rax
	ret

.Lexit_slow:
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset rax, 8
	.cfi_rel_offset rcx, 0
	TLS_DONE_SLOW
	save	rdx
	save	rsi
	save	rdi
	save	r8
	save	r9
	save	r10
	save	r11
	save	rbp
	leaq	96(%rsp), %rdi			/* CFA */
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	call	aprof_exit_slow
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	restore	rbp
	restore	r11
	restore	r10
	restore	r9
	restore	r8
	restore	rdi
	restore	rsi
	restore	rdx
	restore	rcx
	restore	rax
	ret
	.cfi_endproc
	.size	__return__, .-__return__

	/* vfork (--wrap).  The child returns first, on the same stack: the return address waits in a register.
	 * The real one is named only since ld 2.40 crashes in static links if nobody refers to it. */
	.globl	__real_vfork
	.globl	__wrap_vfork
	.type	__wrap_vfork, @function
	.p2align 4
__wrap_vfork:
	.cfi_startproc
	_CET_ENDBR
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	aprof_vfork_before
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdi
	movl	$58, %eax			/* vfork */
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rip, 0
	testl	%eax, %eax
	jnz	.Lvfork_parent
	ret
.Lvfork_parent:
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	aprof_vfork_after
	popq	%rax
	.cfi_adjust_cfa_offset -8
	cmpl	$-4095, %eax
	jae	.Lvfork_failed
	ret
.Lvfork_failed:
	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movl	$-1, %eax
	ret
	.cfi_endproc
	.size	__wrap_vfork, .-__wrap_vfork

	/* Where the kernel returns to from our signal handlers; unwinders know these bytes. */
	.hidden	aprof_signal_return
	.globl	aprof_signal_return
	.type	aprof_signal_return, @function
	.p2align 4
aprof_signal_return:
	movq	$15, %rax			/* rt_sigreturn */
	syscall
	.size	aprof_signal_return, .-aprof_signal_return

	.section .note.GNU-stack, "", @progbits
