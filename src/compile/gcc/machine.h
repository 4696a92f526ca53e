/* machine.h - what is known of registers and memory at one place of a function, and what an instruction makes of it.
 *
 * Registers, words of the stack and the thread's context are places.  A value is known by where it comes from, never by its bits: the
 * context before the entry, the routine's own, an address.  What is not known of a place is not kept, so to know less is always right.
 *
 * The words of the stack that hold our values are the compiler's own, to which no pointer leads: neither a store through a pointer nor a
 * call changes those above the stack pointer. */
#ifndef MACHINE_H
#define MACHINE_H

#include <vector>

#include "compile/gcc/parts.h"

namespace aprof {

enum kind {
	UNKNOWN,
	PREV,		/* the context before the entry */
	OWN,		/* the routine's own */
	LOST,		/* LOST_ID: a jump is under way that is no call */
	SUM,		/* PREV and something else added */
	NEXT,		/* what step B1 makes of a sum: the routine's own, once it is stored */
	NUMBER,		/* `offset` itself */
	STACK,		/* an address: the stack pointer as instruction `base` left it (0: as at the entry), and `offset` */
	THREAD,		/* what %fs points to */
	DISTANCE,	/* from there to aprof_tls, and `offset` */
	WORDS,		/* the address of aprof_tls, and `offset` */
	RESUME,		/* the address of _Unwind_Resume, or that of a word that holds it */
};

struct value {
	enum kind kind;
	int base;
	HOST_WIDE_INT offset;

	bool operator==(const value &v) const { return kind == v.kind && base == v.base && offset == v.offset; }
};

struct place {
	int base;		/* a word of the stack: as in `value`; or one of those below */
	HOST_WIDE_INT offset;	/* bytes; or the number of the register, or a constant below */

	bool operator==(const place &p) const { return base == p.base && offset == p.offset; }
	bool operator<(const place &p) const { return base < p.base || (base == p.base && offset < p.offset); }
};

enum { REGISTER = -1, OTHER = -2 };

const place context = { OTHER, 0 };	/* aprof_tls.current */
const place entered = { OTHER, 1 };	/* 1: behind the entry's probe; 0: before */
const place pushed = { OTHER, 2 };	/* bytes of arguments on the stack */

inline place reg(int number) { return { REGISTER, number }; }

/* What is known. */
class knowledge {
public:
	struct fact { place where; value what; };

	value at(place where) const;
	kind kind_at(place where) const { return at(where).kind; }
	void set(place where, value what);
	void forget(place where) { set(where, { UNKNOWN, 0, 0 }); }

	/* Forget the places for which WHICH is true. */
	template <typename predicate> void forget_all(predicate which);

	/* Keep only what OTHER knows, too.  True if something was forgotten. */
	bool meet(const knowledge &other);

	const std::vector<fact> &facts() const { return all; }

private:
	std::vector<fact> all;		/* by place, upwards; none is UNKNOWN */
};

/* Asms that put operand 0 into the context; the second for shared libraries, by way of operand 1. */
extern const char mend_here[], mend_there[];

/* Does INSN write to the words of the thread, where K is known?  The asms of the hooks do. */
bool writes_words(const knowledge &k, rtx_insn *insn);

/* The value of X, an operand. */
value evaluate(const knowledge &k, rtx x);

/* What is known where a function begins. */
knowledge at_entry();

/* The routine that INSN, a call, calls by its name; NULL: it is none of this unit's declarations. */
tree called_routine(rtx_insn *insn);

/* What INSN makes of what K knows: of a call, once it has returned. */
void execute(knowledge *k, rtx_insn *insn);

/* A and B are equal: what K knows of one of them, if they are registers, is true of the other. */
void note_equal(knowledge *k, rtx a, rtx b);

/* What K knows where control arrives that left by INSN, and came back by no return: a landing pad, or (NONLOCAL) the receiver of a goto out
 * of another function. */
knowledge received(const knowledge &k, rtx_insn *insn, bool nonlocal);

/* ---- fallback.cc ---- */

/* Can FUN call its hooks? */
bool can_fall_back(function *fun);

/* Have the function at hand call the hooks of way fentry, and take WRITERS out: all that writes to the thread's words. */
void fall_back(const std::vector<rtx_insn *> &writers);

} /* namespace aprof */

#endif
