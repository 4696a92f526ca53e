/* names.S - the names of the functions that jump (jump.c, cancel.c), switch stacks (switch.c) and set those of signals (wrap.c), for calls from shared libraries that know nothing of the
 * monitor.  A program may bring one of its own, as by -static-libgcc.  Not for static programs, whose libraries are linked with the monitor (--wrap). */
#include "inside/x86_64/names.h"

	.macro	jump name
	leads	\name, __wrap_\name
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
	jump sigaltstack
	jump pthread_create
	jump prctl

	.section .note.GNU-stack, "", @progbits
