/* library.S - linked into each shared library with hooks: when the last of its destructors has run it is about to go, and other code may be loaded in its
 * place, before any function of the program's returns.  The dynamic linker's lock is held then.  By whatever it is closed. */
	.weak	__aprof_library_ends

	.text
	.globl	aprof_library
	.hidden	aprof_library
	.type	aprof_library, @function
aprof_library:
	.cfi_startproc
	endbr64
	movq	__aprof_library_ends@GOTPCREL(%rip), %rax
	leaq	aprof_library(%rip), %rdi
	testq	%rax, %rax
	jz	1f
	jmp	*%rax
1:	ret
	.cfi_endproc
	.size	aprof_library, .-aprof_library

	/* The first of the array is run last. */
	.section .fini_array.00000, "aw", @fini_array
	.balign	8
	.quad	aprof_library

	.section .note.GNU-stack, "", @progbits
