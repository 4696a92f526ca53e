/* measured.h - in a word or two, how a process is profiled. */
#ifndef MEASURED_H
#define MEASURED_H

#include <stddef.h>
#include <stdint.h>

/* The ways in WAY, bits 1 << enum amon_way, into BUFFER of SIZE bytes, with SEPARATOR between them; empty: there are none.  Returns BUFFER. */
char *measured_way(char *buffer, size_t size, uint32_t way, const char *separator);

/* The word for CLOCK, an enum amon_clock, as APROF_CLOCK has it; "unknown": it is none. */
const char *measured_clock(uint32_t clock);

/* The word for SOURCE, an enum amon_source; "unknown": it is none. */
const char *measured_source(uint32_t source);

#endif
