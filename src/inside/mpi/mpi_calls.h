/* mpi_calls.h - the monitor in this process is told of a call of MPI: that it begins, that it ends, and what it moved.
 *
 * Only the program's own calls are told, not those that MPI makes to do them: the wrapper whose frame is the outermost one counts.  A frame that a jump has left is
 * known by one that stands where it stood, or above. */
#ifndef MPI_MPI_CALLS_H
#define MPI_MPI_CALLS_H

#include "inside/mpi/routine.h"

struct mpi_call {
	unsigned index;		/* in routines[] */
	bool fortran;		/* arguments are as Fortran passes them: numbers and handles by their addresses */
	bool outermost;		/* it is the program's call */
	bool counts;		/* its bytes are to be counted by this wrapper */
	word status[16];	/* where the caller wants no status, but the call's is needed */
};

extern bool mpi_calls_on;		/* of mpi_calls_is_on */
bool mpi_call_looks(void);

/* Are calls to be told?  From the first routine on that is entered in this process. */
static inline bool mpi_calls_is_on(void) { return __builtin_expect(__atomic_load_n(&mpi_calls_on, __ATOMIC_RELAXED), 1) || mpi_call_looks(); }

/* Routine INDEX is called with A, by a wrapper whose frame is at FRAME.  A's status may be replaced.  With APROF_MPI_WAIT=1 in the environment the ranks wait here for
 * each other, before a collective call that blocks. */
void mpi_call_begin(struct mpi_call *t, unsigned index, word *a, bool fortran, void *frame);

/* It returned, with *ERROR; NULL: nobody asks for that.  ERROR is looked at only where the call has bytes to count. */
void mpi_call_end(struct mpi_call *t, const word *a, const int *error);

/* The function behind our own SELF, called NAME: the next of that name in the search for names, another tool's for one, or MPI's under its PMPI name; in the library
 * of CALLER, an address in who called, if it alone has an MPI.  Never NULL. */
void *real_function(const char *name, void *self, void *caller);

#endif
