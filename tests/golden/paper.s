/* The program of the paper's Figure 1 as make-amon --paper places it: five routines, 64 bytes apart.
 * Nothing here runs; only the symbols count. */
	.text
	.macro routine name
	.globl	\name
	.type	\name, %function
\name:	.space	64
	.size	\name, 64
	.endm
	routine	Main
	routine	P
	routine	Q
	routine	R
	routine	S
