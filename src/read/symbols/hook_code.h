/* hook_code.h - which instructions of a routine are aprof's: what the ways inline and fentry, and way cyg with plain hooks, put among the program's
 * own. */
#ifndef SYMBOLS_HOOK_CODE_H
#define SYMBOLS_HOOK_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/symbols/binary.h"

struct hook_code;

/* A reader of the code of B, which must outlive it.  NULL: its machine is not x86-64, nothing in it uses the words of the
 * monitor's thread, or memory is short.  Freed with hook_code_free; NULL is allowed. */
struct hook_code *hook_code_new(const struct binary *b);
void hook_code_free(struct hook_code *h);

/* Read the routine from START to END; false: memory is short, or its bytes are not there. */
bool hook_code_read(struct hook_code *h, uint64_t start, uint64_t end);

/* Whether the instruction at ADDRESS of the routine read last is of its hooks. */
bool hook_code_has(const struct hook_code *h, uint64_t address);

#endif
