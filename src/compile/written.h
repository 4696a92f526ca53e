/* written.h - the hooks of way fentry, written out in the routines of a program: the fast path of inside/x86_64/hooks.S without the calls.
 *
 * The code is for executables, which know where the thread's words are (aprof_tls at a fixed offset from %fs), and for the assembler's AT&T syntax.  At
 * an entry nothing is in r10 and r11, rax is kept below the stack pointer, where only a routine that has begun keeps anything; at a return nothing is
 * in r11.  The stack pointer does not change, so the routine's frame description holds. */
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stdbool.h>
#include <stdio.h>

/* Option before the command of a step (compiler_step): the hooks are to be written out. */
extern const char written_option[];

/* Write the entry hook of a routine, the Nth of the file, where it is called; false on a failed write.  CHAIN: its static chain is in r10, and is kept
 * below the stack pointer, too, so that the routine's frame is where it will be when it calls and returns. */
bool written_entry(FILE *out, unsigned n, bool chain);

/* Write what is seldom reached of it, behind the routine's last instruction: the call out of line, and a frame that a signal handler wrote over. */
bool written_rest(FILE *out, unsigned n);

/* Write the exit hook that stands in front of a return. */
bool written_exit(FILE *out);

#endif
