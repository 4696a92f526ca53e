/* carrier.h - the calls of an MPI library that the preloaded library makes, by way of either ABI.
 *
 * There are two that matter: MPICH's, which MVAPICH, Intel MPI and Cray MPI share, and Open MPI's.  Both have stood still for years, so what is needed of
 * their mpi.h is written down here, and the library is built where there is no MPI.  The functions are looked up in the process, by their PMPI names. */
#ifndef MPI_CARRIER_H
#define MPI_CARRIER_H

#include <stdbool.h>
#include <stddef.h>

/* One ABI.  All functions are to be called between MPI_Init and MPI_Finalize; an error of MPI is treated as the program has it of MPI_COMM_WORLD: as a rule it
 * ends the job. */
struct carrier {
	bool (*find)(void);			/* is the MPI of this process of the ABI, and has it all that is needed? */
	bool (*world)(int *rank, int *size);	/* this process in MPI_COMM_WORLD */
	/* A communicator of this rank SELF and OTHER alone, collective over both; the program's messages cannot get into it.  False: refused. */
	bool (*open)(int self, int other);
	bool (*send)(const void *data, int size);	/* to the other one; SIZE bytes */
	bool (*receive)(void *data, int size);		/* from the other one, as many as it sends */
	void (*close)(void);			/* collective likewise */
};

extern const struct carrier carrier_openmpi, carrier_mpich;

/* The carrier of this process; NULL: it has no MPI that is known. */
const struct carrier *carrier_find(void);

#endif
