/* names.h - a name by which shared libraries call a function that comes to the monitor first: the dynamic linker finds a program's own before theirs.  Weak: a
 * program that brings such a function keeps it.  For assembly. */
#ifndef NAMES_H
#define NAMES_H

#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

	.macro	leads name, to
	.weak	\name
	.type	\name, @function
	.globl	aprof_name_\name
	.type	aprof_name_\name, @function
	.p2align 4
aprof_name_\name:
\name:
	.cfi_startproc
	_CET_ENDBR
	jmp	\to@PLT
	.cfi_endproc
	.size	\name, .-\name
	.endm

#endif
