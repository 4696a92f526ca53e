/* kallsyms.h - names of the kernel's routines, as /proc/kallsyms tells them to who may know, or a copy of it that somebody kept of another kernel. */
#ifndef STACKS_KALLSYMS_H
#define STACKS_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct kernel;

/* Read them in the file PATH; NULL: as the kernel itself tells them.  NULL with *ERR set: they are not told there, and what to do about it.  Freed with kernel_free. */
struct kernel *kernel_read(const char *path, struct error *err);
void kernel_free(struct kernel *k);

/* The routine that ADDRESS is in; NULL: it is in none.  Valid as long as K. */
const char *kernel_name(const struct kernel *k, uint64_t address);

/* The address of what is called NAME; 0: nothing is. */
uint64_t kernel_address(const struct kernel *k, const char *name);

/* Is the kernel that runs here the one with the build-id ID of SIZE bytes? */
bool kernel_runs(const uint8_t *id, size_t size);

#endif
