/* runtime.S - the names by which languages' shared libraries switch stacks (switch.c): gccgo's for goroutines, D's for fibers.  The dynamic linker
 * finds a program's own first. */
#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

	.macro	switches name
	.weak	\name
	.type	\name, @function
	.globl	aprof_name_\name
	.type	aprof_name_\name, @function
	.p2align 4
aprof_name_\name:
\name:
	.cfi_startproc
	_CET_ENDBR
	jmp	aprof_before_\name@PLT
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.text
	.globl	aprof_names_runtime
aprof_names_runtime:
	switches __go_setcontext
	switches fiber_switchContext

	.section .note.GNU-stack, "", @progbits
