/* kallsyms.h - names of the kernel's routines, as /proc/kallsyms tells them to who may know. */
#ifndef SAMPLE_KALLSYMS_H
#define SAMPLE_KALLSYMS_H

#include <stdint.h>

#include "base/error.h"

struct kernel;

/* Read them.  NULL with *ERR set: they are not told here, and what to do about it.  Freed with kernel_free. */
struct kernel *kernel_read(struct error *err);
void kernel_free(struct kernel *k);

/* The routine that ADDRESS is in; NULL: it is in none.  Valid as long as K. */
const char *kernel_name(const struct kernel *k, uint64_t address);

#endif
