/* definition.h - routines that an interpreter has defined: each has a key in the place of an address. */
#ifndef DEFINITION_H
#define DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"
#include "inside/monitor.h"

/* Is ADDRESS the key of one?  Those of unloaded modules have tags in bits above (context.h). */
static inline bool definition_is_key(uintptr_t address) { return address >> 47 == AMON_SCRIPT_FIRST >> 47; }

/* The key of the routine NAME of LANGUAGE that FILE, NULL or a path, defines at LINE: the same as before if it was defined before, and that of
 * "(others)" once there are too many, or memory is short.  Strings may be cut. */
uintptr_t definition_key(const char *language, const char *name, const char *file, uint32_t line) HIDDEN;

/* Write what KEY stands for to the file, as the routine INDEX. Under the lock of the process. Returns the index of its module; AMON_NONE: no room. */
uint32_t definition_record(uintptr_t key, uint32_t index) HIDDEN;
void definition_forget(void) HIDDEN;		/* forked child: its file has none yet */
/* Forked child: the file's chunk FROM is copied to TO. */
void definition_moved(const struct amon_chunk *from, struct amon_chunk *to) HIDDEN;

#endif
