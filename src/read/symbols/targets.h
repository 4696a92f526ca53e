/* targets.h - where machine code goes: its calls and jumps, instruction by instruction.  With hook_code.c, hook_state.c and code_identity.c the only place that knows capstone. */
#ifndef TARGETS_H
#define TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where one instruction goes, as far as it says itself. */
struct target {
	uint64_t at;		/* of the instruction itself; link-time */
	uint64_t address;	/* of the next instruction; 0: see SLOT */
	uint64_t slot;		/* of the word that holds the address of the next instruction */
	bool jump;		/* it goes there for good: no call */
};

struct targets;

/* A disassembler for the e_machine MACHINE.  NULL: there is none, or memory is short.  Freed with targets_free. */
struct targets *targets_new(unsigned machine);
void targets_free(struct targets *t);

/* Read on in the LENGTH bytes of CODE that are at ADDRESS. */
void targets_start(struct targets *t, const unsigned char *code, size_t length, uint64_t address);

/* The next call or jump that says where it goes; false: there is none.  Bytes that are no instruction are passed over. */
bool targets_next(struct targets *t, struct target *target);

/* The next instruction, as text into TEXT of SIZE bytes, cut to fit; *AT is its address.  Bytes that are no instruction are `.byte`s.  False: there is none. */
bool targets_text(struct targets *t, uint64_t *at, char *text, size_t size);

/* The slot through which the stub that starts here goes to its function, if it is one of the PLT; 0: it is none. */
uint64_t targets_stub(struct targets *t);

#endif
