/* routine.h - a routine of MPI as it is wrapped: where its arguments have what is to be known of a call.
 *
 * All arguments of MPI's calls, of either ABI and of Fortran's, are numbers and pointers that take a register or eight bytes of the stack each: a wrapper passes
 * them on as words, whatever they are. */
#ifndef MPI_ROUTINE_H
#define MPI_ROUTINE_H

#include <stdbool.h>
#include <stdint.h>

typedef uintptr_t word;

/* How many elements the count of one side is of. */
enum shape {
	SHAPE_ONE,		/* so many */
	SHAPE_EACH,		/* so many for each rank of the communicator, of the other group if there are two */
	SHAPE_SUM,		/* an array, with a count for each of them */
	SHAPE_OWN,		/* the same, of which the rank's own counts */
	SHAPE_FAN,		/* so many for each neighbour that the rank sends to */
	SHAPE_FAN_SUM,		/* an array, with a count for each of those */
};

/* What a rank hands in, or gets; indices of arguments, -1: there is none. */
struct side {
	int8_t buffer;		/* looked at for MPI_IN_PLACE */
	int8_t count;		/* -1, but there is a type: one */
	int8_t type;		/* -1: nothing is known of this side */
	uint8_t shape;		/* enum shape */
	bool types;		/* each count has a type of its own */
};

struct routine {
	const char *name;	/* of the C function */
	bool collective;	/* all ranks of the communicator take part, and it blocks; not MPI_Barrier, which is nothing but that */
	bool wide;		/* counts are MPI_Count, not int */
	int8_t partner;		/* rank that is sent to, or the root's; below 0 nothing is sent */
	int8_t comm;
	int8_t status;		/* says what came */
	struct side give, get;
};

extern const struct routine routines[];	/* those of routines.txt */
enum { MOST_ROUTINES = 512 };		/* that there may be */

#endif
