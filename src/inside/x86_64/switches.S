/* switches.S - switches of stacks by code of which nobody knows how it does that: what is known of the stack that is left waits in a frame of our own, below
 * which the function itself runs (switch.c).  All registers are passed on, both ways. */
#include "inside/x86_64/switches.h"

#define LEFT		0		/* struct left: three words */
#define KEPT		24
#define PLACE		88		/* struct switch_place, pushed by who jumps here; then the function itself */
#define RAX		96		/* pushed before that */
#define ENDS		112		/* the CFA: a multiple of 16, so that the function finds a stack pointer as well aligned as it was */

	.macro	save_rest
	movq	%rcx, KEPT(%rsp)
	movq	%rdx, KEPT+8(%rsp)
	movq	%rsi, KEPT+16(%rsp)
	movq	%rdi, KEPT+24(%rsp)
	movq	%r8, KEPT+32(%rsp)
	movq	%r9, KEPT+40(%rsp)
	movq	%r10, KEPT+48(%rsp)
	movq	%r11, KEPT+56(%rsp)
	.endm

	.macro	restore_all
	movq	RAX(%rsp), %rax
	movq	KEPT(%rsp), %rcx
	movq	KEPT+8(%rsp), %rdx
	movq	KEPT+16(%rsp), %rsi
	movq	KEPT+24(%rsp), %rdi
	movq	KEPT+32(%rsp), %r8
	movq	KEPT+40(%rsp), %r9
	movq	KEPT+48(%rsp), %r10
	movq	KEPT+56(%rsp), %r11
	.endm

	.text
	.globl	__aprof_switch
	.type	__aprof_switch, @function
	.p2align 4
__aprof_switch:
	.cfi_startproc
	.cfi_def_cfa_offset ENDS-PLACE
	_CET_ENDBR
	subq	$PLACE, %rsp
	.cfi_adjust_cfa_offset PLACE
	save_rest
	leaq	LEFT(%rsp), %rdi
	leaq	ENDS(%rsp), %rsi
	movq	PLACE(%rsp), %rdx
	call	aprof_switch_away
	movq	%rax, PLACE(%rsp)
	restore_all
	call	*PLACE(%rsp)
	save_rest
	movq	%rax, RAX(%rsp)
	leaq	LEFT(%rsp), %rdi
	leaq	ENDS(%rsp), %rsi
	call	aprof_switch_back
	restore_all
	addq	$ENDS-8, %rsp
	.cfi_adjust_cfa_offset -(ENDS-8)
	ret
	.cfi_endproc
	.size	__aprof_switch, .-__aprof_switch

	each_switch switch_through

	.section .note.GNU-stack, "", @progbits
