/* kept_files.h - where files of code are kept by their build-ids: in perf's cache, and by debug packages.
 *
 *     DIR/.build-id/ab/cdef01.../elf           what perf record has kept of a program or library; DIR is ~/.debug
 *     DIR/.build-id/ab/cdef01.../kallsyms      the same of a kernel: its symbols
 *     DIR/.build-id/ab/cdef01...               older ones, and what packages link to the program; DIR is /usr/lib, too
 *     DIR/.build-id/ab/cdef01....debug         symbols and lines without code; DIR is /usr/lib/debug, or of APROF_DEBUG_PATH */
#ifndef SYMBOLS_KEPT_FILES_H
#define SYMBOLS_KEPT_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kept_kind { KEPT_CODE, KEPT_KERNEL, KEPT_SYMBOLS };

/* The next file of KIND with the build-id ID, SIZE bytes, from number *I on, which is 0 at first: to PATH.  False: there is none.  Who opens it sees to it that it has that build-id. */
bool kept_files_next(const uint8_t *id, size_t size, enum kept_kind kind, size_t *i, char path[PATH_MAX]);

#endif
