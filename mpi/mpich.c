/* mpich.c - the ABI of MPICH: handles are numbers. */
#include <dlfcn.h>

typedef int MPI_Comm;
typedef int MPI_Group;
typedef int MPI_Datatype;

#define COMM_WORLD ((MPI_Comm)0x44000000)
#define BYTE ((MPI_Datatype)0x4c00010d)
#define STATUS_IGNORE ((void *)1)
#define IS_ABI (!dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") && dlsym(RTLD_DEFAULT, "MPIR_Dup_fn"))
#define CARRIER carrier_mpich
#include "mpi/calls.h"
