/* proof.h - what must hold of a function with hooks on each path, whatever its code consists of.
 *
 * On all paths from its entry on it is followed what the thread's context is.  Then it must be known that
 *
 *	at each return and tail call		it is that before the entry, and the routine was entered
 *	at each other jump out of the routine	it is LOST_ID
 *	at each call behind the entry		it is the routine's own: also where control came back by no return
 *
 * Calls are taken to leave the context as it was, which is what is proven of the routines called. */
#ifndef PROOF_H
#define PROOF_H

#include <vector>

#include "compile/llvm/versions.h"

namespace aprof {

/* What the context may be; sets of these are joined by |. */
enum { BEFORE = 1, OWN = 2, PREV = 4, LOST = 8, STRAY = 16 };

/* One thing that happens in a block. */
struct event {
	enum { BECOMES, CALLS, CALLS_ABROAD, EXITS, JUMPS } what;	/* CALLS_ABROAD: of what has no hooks, and wants no context */
	unsigned context;	/* BECOMES: what the context is then */
	const void *at;		/* the instruction */
	const char *name;	/* what it is called where it is wrong */
};

struct part {
	std::vector<event> events;
	std::vector<unsigned> next;	/* places among the parts */
	bool receives;			/* control comes there by no return: with whatever context */
};

struct fault {
	const void *at;
	const char *what;
};

/* What does not hold of a function of these PARTS, of which the first is its entry. */
std::vector<fault> find_faults(const std::vector<part> &parts);

} /* namespace aprof */

#endif
