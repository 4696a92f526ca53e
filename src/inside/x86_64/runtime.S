/* runtime.S - the name by which libgo switches stacks for goroutines (switch.c).  A file of its own, so that only programs in Go have it. */
#include "inside/x86_64/names.h"

	.text
	.globl	aprof_names_runtime
aprof_names_runtime:
	leads __go_setcontext, aprof_before___go_setcontext

	.section .note.GNU-stack, "", @progbits
