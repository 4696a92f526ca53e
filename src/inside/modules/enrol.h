/* enrol.h - routines that are new. */
#ifndef ENROL_H
#define ENROL_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

struct amon_chunk;

uint32_t enrol_routine(uintptr_t address, uint32_t flags) HIDDEN; /* its index, known or new; AMON_NONE: no room */
bool enrol_all(void) HIDDEN;			/* forked child: write all that are known to the new file */
/* Forked child: the file's chunk FROM is copied to TO. */
void enrol_moved(const struct amon_chunk *from, struct amon_chunk *to) HIDDEN;

#endif
