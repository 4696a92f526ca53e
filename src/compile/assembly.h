/* assembly.h - what the assembler gets of what the compiler proper wrote.
 *
 * Way fentry: without the calls of our hooks in routines that are left out.  Its hooks leave every register as it was, and the compiler
 * knows nothing of them, so a routine without the calls is a routine without hooks.
 *
 * Where a routine calls the exit hook and returns, the assembler gets a jump to a hook that returns in its place: one call less, and
 * there no register but the result's is of use any more.  In code for programs both hooks are written out in the routines (written.h).
 *
 * A source that is left out as a whole has no hooks, and its routines are told.
 *
 * Of a function that GCC has put in two parts, far from one another, the assembler gets a note that says so (plugin/far.cc): at run time nothing else
 * tells which part is whose.
 *
 * A routine with attribute naked gets no hooks, which is told (naked.h).
 *
 * Way cyg: of the hooks that GCC inlined (inside/x86_64/aprof-cyg.h) the assembler gets those of the routines themselves, and not those of the routines
 * that were inlined into them. */
#ifndef ASSEMBLY_H
#define ASSEMBLY_H

#include <stdio.h>

#include "compile/select.h"

/* What is done beside, or'ed. */
enum assembly_way {
	ASSEMBLY_WRITES = 1,	/* way fentry: both hooks are written out in the routines, where there is a description of the frame */
	ASSEMBLY_MARKS = 2,	/* some of the command's sources are left out, and were compiled without hooks */
};

/* Option before the command of a step (compiler_step): ASSEMBLY_MARKS. */
extern const char marking_option[];

/* Copy assembly from IN to OUT without the calls of hooks in routines that S leaves out, and with jumps to
 * __aprof_return in the place of calls of __return__ that a return follows, by the WAY, bits of enum assembly_way; with the calls that inlined hooks of way cyg stand for; and with notes of parts. Naked routines have none of them. *CHANGED: not all lines are as they
 * were. False without memory or on a failed read or write; and with *ERR set, which is not touched else, where a naked routine cannot be rid of its hooks. */
bool assembly_filter(FILE *in, FILE *out, const struct select *s, unsigned way, bool *changed, struct error *err);

#endif
