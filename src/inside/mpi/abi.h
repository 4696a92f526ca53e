/* abi.h - what is to be known of an MPI library's handles and constants to count a call's bytes; of either ABI, as carrier.h is. */
#ifndef MPI_ABI_H
#define MPI_ABI_H

#include <stddef.h>

#include "inside/mpi/routine.h"

/* One ABI.  A handle H is the word that the caller passed: FORTRAN says whether it is the address of Fortran's.  All but the first are to be called between
 * MPI_Init and MPI_Finalize. */
struct abi {
	bool (*find)(void);			/* is the MPI of this process of the ABI, and has it all that is needed? */
	bool fortran_calls_c;			/* Fortran's functions call C's by their public names */
	int64_t (*type_size)(word h, bool fortran);	/* bytes of a datatype; 0: not known */
	bool (*is_in_place)(word buffer, bool fortran);
	bool (*is_ignored)(word status, bool fortran);	/* it is MPI_STATUS_IGNORE */
	int64_t (*received)(word status);	/* bytes that came by it */
	int (*peers)(word comm, bool fortran);	/* ranks of the communicator, of the other group if it has two; 0: not known */
	int (*self)(word comm, bool fortran);	/* this rank in it; -1: not known */
	int (*fan)(word comm, bool fortran);	/* neighbours that this rank sends to; 0: not known */
	void (*barrier)(word comm, bool fortran);
	size_t handle_size;			/* of a C handle in an array, bytes */
};

extern const struct abi abi_openmpi, abi_mpich;

/* The ABI of this process; NULL: it has no MPI that is known. */
const struct abi *abi_find(void);

#endif
