/* step.h - the choice of routines and files within one command of GCC's.
 *
 * With -wrapper GCC runs its own steps through aprof: the compiler proper (cc1 and its kin) is run without our
 * flags for a file that is left out, and the assembler gets its input without the calls of
 * our hooks in routines that are left out.  The hooks of way fentry leave every register as it was, and the
 * compiler knows nothing of them, so a routine without the calls is a routine without hooks. */
#ifndef STEP_H
#define STEP_H

#include <stdio.h>

#include "select.h"

/* Environment variable that carries the patterns (select_write) to the steps. */
extern const char step_variable[];

/* Copy assembly from IN to OUT without the calls of hooks in routines that S leaves out. False
 * without memory or on a failed read or write. */
bool step_filter(FILE *in, FILE *out, const struct select *s);

#endif
