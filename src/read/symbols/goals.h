/* goals.h - where the calls and jumps of a binary go in the end: to an address in it, or by name into another. */
#ifndef GOALS_H
#define GOALS_H

#include "read/symbols/binary.h"

struct goal {
	uint64_t at;		/* link-time address of the instruction */
	uint64_t address;	/* link-time address of what it goes to; 0: that is in another module */
	const char *name;	/* symbol, if it goes by the GOT; "": see the address */
	bool jump;		/* it is no call */
};

struct goals;

/* Get ready to read the code of B, which must outlive the result.  NULL: its machine is not known, or memory is short.  Freed with
 * goals_free. */
struct goals *goals_new(const struct binary *b);
void goals_free(struct goals *g);

/* Read on at link-time address START, up to END.  Of a file that has its code at several places no more bytes are read in all
 * than there are in it. */
void goals_start(struct goals *g, uint64_t start, uint64_t end);

/* The next call or jump that says where it goes, through words of the GOT and stubs of the PLT too; false: there is none. */
bool goals_next(struct goals *g, struct goal *goal);

#endif
