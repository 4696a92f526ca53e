/* stub_switches.S - a libaprof_switches.a without a name. */
	.section .note.GNU-stack, "", @progbits
