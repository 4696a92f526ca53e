/* hook_words.h - where code finds the words of the monitor's thread, struct aprof_tls. x86-64. */
#ifndef SYMBOLS_HOOK_WORDS_H
#define SYMBOLS_HOOK_WORDS_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

#include "read/symbols/hook_calls.h"

/* What a binary says of them. */
struct hook_words {
	struct hook symbol;	/* aprof_tls: slots hold its offset from the thread's base */
	bool here;		/* it is at a fixed offset: the program's own */
	int64_t offset;		/* that, bytes from %fs */
	int64_t size;		/* bytes of it */
};

struct hook_words hook_words_find(const struct binary *b);

/* Whether anything in the binary can use them. */
bool hook_words_used(const struct hook_words *w);

/* Whether the operand OP of INSN is one of the words, or the slot that tells where they are. */
bool hook_words_has(const struct hook_words *w, const cs_insn *insn, const cs_x86_op *op);

/* Whether OP may be the word OFFSET bytes into them: it is, or it is as many bytes behind a register in the thread's segment. */
bool hook_words_may_be(const struct hook_words *w, const cs_x86_op *op, int64_t offset);

#endif
