/* preload.h - programs that were built with plain -pg, for gprof, and not rebuilt: the monitor is preloaded, and takes the
 * place of gprof's hooks. */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <stdbool.h>

/* Should processes that begin with the file PROGRAM have the monitor preloaded?  Yes if it has gprof's hooks, and if it has
 * none at all: its libraries, or the programs that it starts, may have.  No if it has aprof's own, or is static, or is of another libc than glibc. */
bool preload_is_for(const char *program);

/* Name the monitor in this process's LD_PRELOAD, for PROGRAM and those that it starts.  False after a message. */
bool preload_set(const char *program);

/* Name the library that carries the profiles of an MPI job's ranks and tells of their calls, for PROGRAM and those that it starts.  False: it cannot be preloaded; after a message,
 * unless PROGRAM is static or of another libc. */
bool preload_mpi(const char *program);

/* Name the library that takes samples of call stacks, for PROGRAM and those that it starts; it leaves them in DIRECTORY.  False: it cannot be preloaded; after a message, unless PROGRAM is of another libc. */
bool preload_stacks(const char *program, const char *directory);

/* Name the library that stands in front of the allocators of PROGRAM and those that it starts, and tells whose memory is whose: WISH as contract/allocations.h has it, DIRECTORY where
 * samples go.  False after a message: it cannot be preloaded. */
bool preload_allocations(const char *program, const char *wish, const char *directory);

#endif
