/* switch_names.S - the names of the functions that switch stacks, for calls from shared libraries.  Linked behind all else: where an archive has such a function the
 * link has taken it by then, and its name stays its own. */
#include "inside/x86_64/names.h"
#include "inside/x86_64/switches.h"

	.macro	switch_name name
	leads	\name, __wrap_\name
	.endm

	.text
	each_switch switch_name

	.section .note.GNU-stack, "", @progbits
