/* hooks.h - the hooks of hooks.S, as code that calls them has to know them. */
#ifndef HOOKS_H
#define HOOKS_H

#include "inside/monitor.h"

/* They take and return nothing as C functions do. */
typedef void hook(void);

hook __aprof_entry, __aprof_return;
/* Those of way cyg by names of the monitor's own: by the others the hooks that a program brings would be called, which count, print or abort as it
 * likes. */
hook aprof_cyg_enter HIDDEN, aprof_cyg_exit HIDDEN;

/* Those that are called. */
struct hooks {
	hook *entry, *exit;		/* way fentry */
	hook *cyg_enter, *cyg_exit;
};

#endif
