/* nop.S - the hooks of way fentry, empty. */
#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

	.text
	.globl	__aprof_entry
	.type	__aprof_entry, @function
	.p2align 4
__aprof_entry:
	_CET_ENDBR
	ret
	.size	__aprof_entry, .-__aprof_entry

	.globl	__return__
	.type	__return__, @function
	.p2align 4
__return__:
	_CET_ENDBR
	ret
	.size	__return__, .-__return__

	/* The entry of static programs. */
	.globl	aprof_static_entry
	.type	aprof_static_entry, @function
	.weak	_start
aprof_static_entry:
	_CET_ENDBR
	jmp	_start@PLT
	.size	aprof_static_entry, .-aprof_static_entry

	.section .note.GNU-stack, "", @progbits
