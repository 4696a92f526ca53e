/* preload.h - programs that were built with plain -pg, for gprof, and not rebuilt: the monitor is preloaded, and takes the
 * place of gprof's hooks. */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <stdbool.h>

/* Should processes that begin with the file PROGRAM have the monitor preloaded?  Yes if it has gprof's hooks, and if it has
 * none at all: its libraries, or the programs that it starts, may have.  No if it has aprof's own, or is static. */
bool preload_is_for(const char *program);

/* Name the monitor in this process's LD_PRELOAD, for PROGRAM and those that it starts.  False after a message. */
bool preload_set(const char *program);

#endif
