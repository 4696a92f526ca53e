/* nursery.h - the file that short processes share (AMON_PROCESSES), read as the sum of their profiles. */
#ifndef NURSERY_H
#define NURSERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Is the file open at FD one that processes share? */
bool nursery_is(int fd);

/* Is the file at PATH one of these, with no process in it? */
bool nursery_is_empty(const char *path);

/* The sum of the profiles in it as a file: malloc'ed, its size in *LEN.  Those that cannot be read are counted in it (AMON_NOTE_PROCESS_LOST).  NULL with *ERR
 * set: memory is short, or the file cannot be read. */
void *nursery_sum(int fd, const char *path, size_t *len, struct error *err);

#endif
