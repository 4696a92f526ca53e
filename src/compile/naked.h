/* naked.h - what tells a routine with GCC's attribute naked in assembly.
 *
 * It makes no frame, and its asm returns, so the compiler writes no exit hook that could be reached.  Its arguments are in registers that the hooks of way
 * cyg are free to change.  So it is left out (assembly.c).  LINE is one of GCC's, outside of asm. */
#ifndef NAKED_H
#define NAKED_H

#include <stdbool.h>

#include "base/list.h"

/* What a line tells of the routine that it is in; or'ed, what all its lines have told. */
enum naked_sign {
	NAKED_ASM = 1,		/* the program's asm begins */
	NAKED_CODE = 2,		/* an instruction that is neither nop nor ud2, which GCC puts behind asm */
	NAKED_CALL = 4,		/* and a call */
	NAKED_NEVER = 8,	/* the stack pointer is moved, the compiler lets it return, or it may call so: it is not naked */
	NAKED_END = 16		/* it ends */
};

/* What LINE tells: one or none of these.  ABOVE: the functions whose code stands before; of these the compiler knows what stack they want. */
enum naked_sign naked_sign(const char *line, const struct list *above);

/* With these SIGNS of all lines behind the entry hook of way fentry, is the routine naked?  It is asm and nothing else; or it calls something unknown with the
 * stack pointer as it was at the entry, where the ABI wants another: C that does not return, which GCC bears with in such a routine. */
bool naked_by(unsigned signs);

/* Does LINE make the frame that the hooks of way cyg want, and all routines with them have but naked ones? */
bool naked_makes_frame(const char *line);

/* Does LINE load what GCC hands to __cyg_profile_func_enter or _exit?  The FIRST of these instructions reads the return address, where there is a frame. */
bool naked_loads(const char *line, bool first);

/* Does LINE call one of the two? */
bool naked_calls_hook(const char *line);

#endif
