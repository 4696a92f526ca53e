/* runtime.S - the names by which languages' shared libraries switch stacks (switch.c): gccgo's for goroutines, D's for fibers.  A file of its own, so that
 * only programs of these languages have them. */
#include "monitor/names.h"

	.text
	.globl	aprof_names_runtime
aprof_names_runtime:
	leads __go_setcontext, aprof_before___go_setcontext
	leads fiber_switchContext, aprof_before_fiber_switchContext

	.section .note.GNU-stack, "", @progbits
