/* syscall.S - libc's syscall(), in its place: a call that sets a filter of system calls is told of before it is made.  All others are made as libc makes them, without a
 * frame, since of some (vfork) two processes return, on one stack; and by nobody else's help, since libraries call it before ours begins. */
#include <sys/syscall.h>

	.text
	.globl	syscall
	.type	syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	endbr64
	cmpq	$SYS_seccomp, %rdi
	je	1f
	cmpq	$SYS_prctl, %rdi
	jne	2f
1:	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	aprof_before_syscall
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
2:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	3f
	ret
3:	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	syscall, .-syscall

	.section .note.GNU-stack, "", @progbits
