/* describe.h - descriptions of code. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdint.h>

#include "inside/monitor.h"

struct unwind;

void describe_code(struct unwind *u, uintptr_t pc) HIDDEN; /* set that of U's frame, if there is one, for code at PC */

#endif
