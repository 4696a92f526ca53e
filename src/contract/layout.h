/* layout.h - what the hooks' fast path knows by number: where things are, byte by byte, and the step from context to context.  For assembly, C and
 * C++: whoever writes hooks has it from here, in the monitor and in the compiler's commands.
 *
 * That C's structs are so is checked beside them (tls.h, context.h). */
#ifndef LAYOUT_H
#define LAYOUT_H

/* struct aprof_tls, the thread's words. */
#define TLS_FRONT	0
#define TLS_MASK	8
#define TLS_TOP		16
#define TLS_REACH	24
#define TLS_END		40
#define TLS_INERT	48
#define TLS_CURRENT	56
#define TLS_LAST	64
#define TLS_CHARGED	72
#define TLS_SITES	80
#define TLS_SITES_MASK	88

/* What its word `inert' says. */
#define INERT_NOT	0
#define INERT_MONITOR	1		/* in the monitor */
#define INERT_VFORK	2		/* a child of vfork uses it */
#define INERT_EARLY	3		/* before the thread's words are initialised: the resolver of an IFUNC */

/* struct amon_counter, which a transition's key stands in, and struct alias. */
#define KEY_CALLS	0
#define KEY_TIME	8
#define KEY_ID		16
#define KEY_ROUTINE	24
#define ALIAS_COUNT	32
#define ALIAS_TO	40
#define ALIAS_SITE	48

/* struct frame; its `site' is of two halves. */
#define FRAME_CFA	0
#define FRAME_CONTEXT	8
#define FRAME_SITE	16
#define FRAME_HOOK	20
#define FRAME_SIZE	24

/* What is subtracted from the CFA in it. */
#ifdef APROF_MCOUNT
#define FRAME_FENTRY	24		/* pushed by way mcount: what rsp is when a return's hook has begun */
#else
#define FRAME_FENTRY	8		/* pushed by way fentry: what rsp is when the routine is entered */
#endif
#define FRAME_CYG	(FRAME_FENTRY + 1) /* pushed by way cyg: odd */
#define FRAME_SLOW	2		/* never equal to what the exit hooks look for: all exits go out of line */

/* The instruction behind the call of the entry hook in a nested function, which has pushed its static chain. */
#define POP_R10	0x5a41

/* What an entry hook says of its routine: AMON_ROUTINE_INSIDE, and what only the monitor asks for. */
#define ROUTINE_INSIDE	1
#define ROUTINE_INLINE	0x10000		/* of way inline */
#define ROUTINE_BODY	0x20000		/* of way cyg */
#define ROUTINE_SCRIPT	0x80000		/* an interpreter defined it */
#define ROUTINE_INLINED	0x40000		/* and entered on a frame that it has: it is inlined into itself */

/* A call of ROUTINE in the context ID leads to the one called (ID + ROUTINE) * STEP_FACTOR, modulo 2^64. */
#ifndef STEP_FACTOR			/* odd, and an immediate of 32 bits; a build with 1 tests ids that are taken */
#define STEP_FACTOR	-0x61c8864f
#endif

/* In the place of a context while the thread's is not known: a jump has left routines without a word (jump.c).  No context has it and no call
 * finds anything from it; who misses so has the context made out from the machine stack. */
#define LOST_ID		1

/* The front table's slot for the context ID is (ID >> FRONT_SHIFT & front_mask) bytes into it, and the other one of the pair where FRONT_SLOT,
 * the bytes of a slot, changes that. */
#define FRONT_SHIFT	29
#define FRONT_SLOT	8

/* The number NAME in the text of an instruction. */
#define AS_TEXT(name) AS_TEXT_OF(name)
#define AS_TEXT_OF(number) #number

#endif
