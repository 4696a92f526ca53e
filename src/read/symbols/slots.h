/* slots.h - where the words of a module's GOT will point.  The dynamic linker writes them before anyone uses them, and nobody
 * afterwards, so that a call through one is as good as a direct call; other pointers to functions are variables. */
#ifndef SLOTS_H
#define SLOTS_H

#include "read/symbols/binary.h"

enum {
	MOST_GOTS = 4,		/* sections of the GOT; linkers make two at most */
};

struct slot {
	uint64_t at;		/* link-time address of the word */
	uint64_t value;		/* link-time address of what it will point to; 0: that is in another module, or nothing */
	const char *name;	/* symbol of it, which lives as long as the binary; "" where there is none */
};

struct slots {
	const struct binary *binary; /* whose */
	size_t word;		/* bytes of an address */
	struct slot *slots;	/* those with a relocation, by address */
	size_t n;		/* how many */
	struct area gots[MOST_GOTS]; /* where the GOT is: its sections, in no order */
	size_t ngots;		/* how many */
};

/* Read the relocations of B, which must outlive S.  False: out of memory. */
bool slots_read(struct slots *s, const struct binary *b);
void slots_free(struct slots *s);

/* The slot at ADDRESS; all of it 0 and "" if there is none.  One without a relocation points where the file says. */
struct slot slots_find(const struct slots *s, uint64_t address);

#endif
