/* stub_names.S - a libaprof_names.a without a name. */
	.text
	.globl aprof_names
aprof_names:
	.section .note.GNU-stack, "", @progbits
