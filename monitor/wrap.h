/* wrap.h - what must be done around functions of libc, for those who stand in front of them. */
#ifndef WRAP_H
#define WRAP_H

#include <stdint.h>
#include <ucontext.h>

#include "monitor.h"

/* Around swapcontext: before the switch to TO, and when it is back in a routine whose frame begins at about HERE. */
void wrap_switch_begin(const ucontext_t *to) HIDDEN;
void wrap_switch_end(uintptr_t here) HIDDEN;

/* After dlclose, which gave STATUS. */
void wrap_unloaded(int status) HIDDEN;

#endif
