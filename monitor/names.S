/* names.S - the names of the functions that jump (jump.c, cancel.c) and switch stacks (switch.c), for calls from shared libraries that know nothing of the monitor: the dynamic
 * linker finds a program's own first.  Weak: a program that brings such a function, as by -static-libgcc, keeps it. Not for static programs, whose
 * libraries are linked with the monitor (--wrap). */
#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

	.macro	jump name
	.weak	\name
	.type	\name, @function
	.globl	aprof_name_\name
	.type	aprof_name_\name, @function
	.p2align 4
aprof_name_\name:
\name:
	.cfi_startproc
	_CET_ENDBR
	jmp	__wrap_\name@PLT
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.text
	.globl	aprof_names
aprof_names:
	jump longjmp
	jump _longjmp
	jump siglongjmp
	jump __longjmp_chk
	jump setcontext
	jump swapcontext
	jump pthread_exit
	jump __pthread_unwind_next
	jump __pthread_register_cancel
	jump __pthread_register_cancel_defer
	jump _Unwind_SetIP
	jump vfork

	.section .note.GNU-stack, "", @progbits
