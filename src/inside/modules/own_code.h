/* own_code.h - the monitor's own code. */
#ifndef OWN_CODE_H
#define OWN_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

/* The ends of the monitor's own code: a section of its own in a program (localize.sh), all of its library. */
#ifdef APROF_SHARED
extern const char __ehdr_start[] HIDDEN, etext[] HIDDEN;
#define OWN_CODE_BEGINS __ehdr_start
#define OWN_CODE_ENDS etext
#else
extern const char __start_aprof_text[] HIDDEN __attribute__((weak)), __stop_aprof_text[] HIDDEN __attribute__((weak));
#define OWN_CODE_BEGINS __start_aprof_text
#define OWN_CODE_ENDS __stop_aprof_text
#endif

/* Is the monitor's own code at ADDRESS? */
static inline bool is_own_code(uintptr_t address)
{
	return address >= (uintptr_t)OWN_CODE_BEGINS && address < (uintptr_t)OWN_CODE_ENDS;
}

#endif
