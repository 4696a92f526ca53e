/* nop.S - the hooks that keep registers, empty. */
#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

	.text
	.macro	empty name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	_CET_ENDBR
	ret
	.size	\name, .-\name
	.endm
	empty __aprof_entry
	empty __aprof_return
	empty __return__
	empty __aprof_enter
	empty __aprof_enter_inlined
	empty __aprof_leave

	/* The entry of static programs. */
	.globl	aprof_static_entry
	.type	aprof_static_entry, @function
	.weak	_start
aprof_static_entry:
	_CET_ENDBR
	jmp	_start@PLT
	.size	aprof_static_entry, .-aprof_static_entry

	.section .note.GNU-stack, "", @progbits
