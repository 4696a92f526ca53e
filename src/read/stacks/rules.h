/* rules.h - how to leave a frame: what the frame descriptions of a file (.eh_frame, .debug_frame) say, made into lines that are quick to follow.  Of
 * Go's routines its own table says it, which stripping leaves, and which knows where stacks end and are switched.
 *
 * libdw parses (DWARF 5, 6.4); a line is made when its code is first met, and kept for all processes that have the file.  x86-64 System V. */
#ifndef SAMPLE_RULES_H
#define SAMPLE_RULES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "read/symbols/go_table.h"

/* Registers by their DWARF numbers: rax rdx rcx rbx rsi rdi rbp rsp r8..r15, and the return address's column. */
enum { RULES_RBP = 6, RULES_RSP = 7, RULES_RIP = 16, RULES_REGISTERS = 17 };

/* How a register of the caller's is had. */
enum rules_how {
	RULES_UNDEFINED,		/* it cannot be; of the return address: this is the outermost frame */
	RULES_SAME,			/* it is as it is */
	RULES_AT,			/* in memory at register `base`, or the CFA, plus `value` */
	RULES_IS,			/* it is that sum */
	RULES_AT_EXPRESSION,		/* in memory where expression number `value` says */
	RULES_IS_EXPRESSION,		/* it is what that says */
};
enum { RULES_CFA = RULES_REGISTERS };	/* as a base */

struct rules_register {
	uint8_t how;			/* enum rules_how */
	uint8_t base;			/* register, or RULES_CFA */
	int32_t value;			/* bytes, or number of an expression */
};

/* What holds in a range of code. */
struct rules_line {
	uint64_t end;			/* link-time address behind it */
	bool switched;			/* the caller is on another stack of the thread, and its frame pointer in its register: no more is known */
	bool signal;			/* the frame is the kernel's, which interrupted the caller: no call stands before its address */
	struct rules_register cfa;	/* RULES_IS or RULES_IS_EXPRESSION; RULES_UNDEFINED: it is not known */
	struct rules_register reg[RULES_REGISTERS];
	bool usual;			/* the CFA is a register and a number, and the caller's stack pointer; the return address is in the frame; all other
					 * registers are in `same`, in `saved` or unknown */
	uint32_t same, saved;		/* registers that are as they are, and that are in memory at the CFA and a number: a bit each */
};

struct rules;

/* Those of ELF and of its table GO, which may be none; both must outlive them.  NULL: out of memory.  A file without descriptions has rules without lines. */
struct rules *rules_new(Elf *elf, const struct go_table *go);
void rules_free(struct rules *r);

/* The line that holds at the link-time ADDRESS; NULL: there is none, or it says what nobody writes.  Lives until the next call. */
const struct rules_line *rules_find(struct rules *r, uint64_t address);

/* Memory and registers of a thread, for expressions. */
struct rules_state {
	const uint64_t *regs;		/* RULES_REGISTERS of them */
	uint32_t known;			/* which of them, a bit each */
	uint64_t cfa;
	bool (*read)(void *arg, uint64_t address, uint64_t *word);
	void *arg;
};

/* Evaluate expression NUMBER of R (DWARF 5, 2.5); false: it needs what is not known, or is malformed. */
bool rules_evaluate(const struct rules *r, int32_t number, const struct rules_state *s, uint64_t *value);

#endif
