/* anchor.S - what makes a program one of ours: the symbol that the link asks for, so that a
 * missing monitor is an error; the note that tells a binary with hooks, even stripped, and where in it the monitor's own code is; and gprof's
 * start and end, empty, so that a -pg at link time starts no second profiler.  The same by a name of this
 * copy's own tells a shared monitor that another one is at work, to which all hooks go.  A preloaded library that is no monitor (APROF_BESIDE) has the note alone: its code
 * is ours, too. */
#ifndef APROF_BESIDE
	.text
	.globl	aprof_monitor
	.type	aprof_monitor, @function
	.globl	__monstartup
	.type	__monstartup, @function
	.globl	_mcleanup
	.type	_mcleanup, @function
	.globl	aprof_monitor_here
	.hidden	aprof_monitor_here
aprof_monitor:
aprof_monitor_here:
__monstartup:
_mcleanup:
	ret
	.size	aprof_monitor, .-aprof_monitor
#endif

#ifdef APROF_SHARED			/* own_code.h says why these */
#define BEGINS	__ehdr_start
#define ENDS	etext
#else
#define BEGINS	__start_aprof_text
#define ENDS	__stop_aprof_text
	.weak	BEGINS
	.weak	ENDS
#endif
	.hidden	BEGINS
	.hidden	ENDS

	.section .note.aprof, "a", @note
	.p2align 2
	.long	6, 16, 1		/* sizes of name and description, type */
	.asciz	"aprof"
	.p2align 2
	.quad	BEGINS - .
	.quad	ENDS - .

	.section .note.GNU-stack, "", @progbits
