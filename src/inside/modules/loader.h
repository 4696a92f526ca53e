/* loader.h - the same as /proc/self tells, where there is none.  The first stack may be looked at any time. */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/modules/maps.h"
#include "inside/monitor.h"

uintptr_t loader_auxiliary(uintptr_t type) HIDDEN; /* value of the auxiliary vector; 0: unknown, too */
long loader_environment(char *to, size_t size) HIDDEN; /* as /proc/self/environ: bytes, or minus an errno */
long loader_arguments(char *to, size_t size) HIDDEN; /* as /proc/self/cmdline */
bool loader_modules(void (*visit)(const struct mapping *m, void *arg), void *arg) HIDDEN; /* of each module its first page and its code;
						 * false: there may be others */
bool loader_range(uintptr_t address, uintptr_t *low, uintptr_t *high, bool *grows) HIDDEN; /* what can be read around ADDRESS; it is the first stack */

#endif
