/* environment.h - the environment that the process was started with, where settings are. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#include "monitor/monitor.h"

void environment_read(void) HIDDEN;		/* once, before anything is asked: later the program may have changed it */
const char *environment_get(const char *name) HIDDEN; /* the value of NAME, or NULL */

/* A number with an optional K, M or G; FALLBACK where there is none, with a note where there is something else. */
uint64_t environment_number(const char *name, uint64_t fallback) HIDDEN;

/* /proc/self/NAME, by its whole path, to TEXT, SIZE bytes at most, or what ELSEWHERE has, with a note.  The number, or minus an errno. */
long environment_self(const char *name, char *text, size_t size, long (*elsewhere)(char *, size_t)) HIDDEN;

#endif
