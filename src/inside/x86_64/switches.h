/* switches.h - functions of libraries that go from one stack to another: each returns when somebody goes to its stack again.  How the next stack is told,
 * and what is returned, is each one's own business.  For assembly. */
#ifndef SWITCHES_H
#define SWITCHES_H

#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

	/* WHAT NAME, of each that is known. */
	.macro	each_switch what
	\what jump_fcontext			/* Boost.Context; folly and PHP have copies */
	\what ontop_fcontext
	\what bthread_jump_fcontext		/* brpc */
	\what co_switch			/* libco */
	\what coctx_swap			/* Tencent's */
	\what _mco_switch			/* minicoro */
	\what acosw				/* libaco */
	\what coro_transfer			/* libcoro */
	\what _photon_switch_context		/* PhotonLibOS */
	\what _photon_switch_context_defer
	\what marl_fiber_swap			/* marl */
	\what coroutine_transfer		/* Ruby */
	\what fiber_switchContext		/* D */
	\what st_poll				/* State Threads: all of it that switches, by a function without a name */
	\what st_cond_timedwait
	\what st_mutex_lock
	\what st_thread_join
	\what st_usleep
	.endm

	/* What --wrap leads calls of NAME to, and the name itself those of shared libraries: our own frame, with all registers as they were. */
	.macro	switch_through name
	.globl	__wrap_\name, aprof_front_\name
	.hidden	aprof_front_\name
	.type	__wrap_\name, @function
	.weak	__real_\name
	.weak	aprof_name_\name
	.p2align 4
__wrap_\name:
aprof_front_\name:
	.cfi_startproc
	_CET_ENDBR
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	leaq	.Lplace_\name(%rip), %rax
	pushq	%rax				/* no register outlives the dynamic linker's search but those of arguments */
	.cfi_adjust_cfa_offset 8
	jmp	__aprof_switch@PLT
	.cfi_endproc
	.size	__wrap_\name, .-__wrap_\name

	.section .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
	.asciz	"\name"
	.data
	.balign	8
.Lplace_\name:					/* struct switch_place */
	.quad	__real_\name, aprof_name_\name, 0, .Lname_\name
	.text
	.endm

#endif
