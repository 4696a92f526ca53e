/* restorer.S - where the kernel returns to from our signal handlers; unwinders know these bytes. */
	.text
	.hidden	aprof_signal_return
	.globl	aprof_signal_return
	.type	aprof_signal_return, @function
	.p2align 4
aprof_signal_return:
	movq	$15, %rax			/* rt_sigreturn */
	syscall
	.size	aprof_signal_return, .-aprof_signal_return

	.section .note.GNU-stack, "", @progbits
