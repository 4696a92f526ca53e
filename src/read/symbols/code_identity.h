/* code_identity.h - whether a function is the same machine code in two builds, wherever the linker put it.
 *
 * The digest is of the function's bytes, without what follows from where things are: displacements from the instruction pointer, offsets of
 * thread-local variables, targets of calls and jumps that leave the function, and, in a program that is linked for one place, addresses within it.  In the
 * place of a target stands the name of the function that is there.  x86-64. */
#ifndef SYMBOLS_CODE_IDENTITY_H
#define SYMBOLS_CODE_IDENTITY_H

#include "read/symbols/module.h"

/* The digest of the function of M that covers ADDRESS; 0: it cannot be told (no file, another machine, no function, code that is no code). */
uint64_t code_identity(struct module *m, uint64_t address);

#endif
