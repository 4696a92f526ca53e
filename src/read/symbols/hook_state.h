/* hook_state.h - where in a routine's code it is open whether the monitor has the routine entered: before its entry hook is done, or
 * behind its exit hook.  x86-64. */
#ifndef SYMBOLS_HOOK_STATE_H
#define SYMBOLS_HOOK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/symbols/binary.h"

struct hook_state;

/* A reader of the code of B, which must outlive it.  NULL: its machine is not x86-64, or memory is short.  Freed with
 * hook_state_free; NULL is allowed. */
struct hook_state *hook_state_new(const struct binary *b);
void hook_state_free(struct hook_state *h);

/* Read the routine from START to END; IS_COLD: it is a part of one, split off, to which others jump.  False: memory is short, or its
 * bytes are not there. */
bool hook_state_read(struct hook_state *h, uint64_t start, uint64_t end, bool is_cold);

/* Whether, before the instruction at ADDRESS of the routine read last is executed, the routine may be one that is not entered yet, or left
 * already.  An address at which no instruction begins: yes. */
bool hook_state_is_open(const struct hook_state *h, uint64_t address);

#endif
