/* method_words.h - in a word or two, how a process is profiled. */
#ifndef METHOD_WORDS_H
#define METHOD_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* The ways in WAY, bits 1 << enum amon_way, into BUFFER of SIZE bytes, with SEPARATOR between them; empty: there are none.  Returns BUFFER. */
char *method_way(char *buffer, size_t size, uint32_t way, const char *separator);

/* The word for CLOCK, an enum amon_clock, as APROF_CLOCK has it; "unknown": it is none. */
const char *method_clock(uint32_t clock);

/* The word for SOURCE, an enum amon_source; "unknown": it is none. */
const char *method_source(uint32_t source);

#endif
