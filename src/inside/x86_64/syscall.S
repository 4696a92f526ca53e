/* syscall.S - libc's syscall(), in front of it: a call that sets a filter of system calls is told of before it is made.  All others go on as if nobody stood
 * here, since of some (vfork) two processes return, on one stack. */
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
	je	1f
	jmpq	*aprof_next_syscall(%rip)
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
	jmpq	*aprof_next_syscall(%rip)
	.cfi_endproc
	.size	syscall, .-syscall

	.section .note.GNU-stack, "", @progbits
