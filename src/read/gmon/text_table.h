/* text_table.h - symbols from a table as nm prints it, instead of the program's own: gprof -S. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "read/gmon/gmon.h"

/* Read the lines "ADDRESS t|T NAME" of the file PATH, in its order, into *SYMBOLS, malloc'ed, *N of them, with names in ARENA; other lines
 * mean nothing.  False with *ERR set: ERROR_SYSTEM, ERROR_NO_SYMBOLS, ERROR_MEMORY. */
bool text_table_read(const char *path, struct arena *arena, struct gmon_symbol **symbols, size_t *n, struct error *err);

#endif
