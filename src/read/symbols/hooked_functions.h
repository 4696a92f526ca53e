/* hooked_functions.h - which functions of a module have hooks. */
#ifndef SYMBOLS_HOOKED_FUNCTIONS_H
#define SYMBOLS_HOOKED_FUNCTIONS_H

#include "read/symbols/module.h"

/* Visit the functions of M, which is there, that begin with a call of way fentry's entry hook, each once.  False: out of memory. */
bool hooked_functions_by_calls(struct module *m, void (*visit)(void *arg, const struct symbol *symbol), void *arg);

/* Visit those that lead to a hook from elsewhere: by ways inline and cyg, of fentry where it is written out, and with GPROFS those that
 * call gprof's.  False: out of memory, or M may have others, since not all of its hooks tell whose they are. */
bool hooked_functions_by_jumps(struct module *m, bool gprofs, void (*visit)(void *arg, const struct symbol *symbol), void *arg);

#endif
