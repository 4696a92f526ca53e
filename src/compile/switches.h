/* switches.h - the file by which a link leads calls of the routines that --aprof-switch names to the monitor. */
#ifndef SWITCHES_H
#define SWITCHES_H

#include "base/error.h"
#include "base/list.h"
#include "compile/find.h"

/* Make an object file of NAMES, which COMPILER assembles: it has no name of its own in any directory, and lives as long as this process and those that it
 * executes or starts.  *PATH, which the caller frees, is what they find it by; NULL: nothing but known names was asked for. False with *ERR set. */
bool switches_make(const struct found *compiler, const struct list *names, char **path, struct error *err);

#endif
