/* openmpi.c - the ABI of Open MPI: handles are pointers to objects of the library. */
#include <dlfcn.h>

typedef struct ompi_communicator *MPI_Comm;
typedef struct ompi_group *MPI_Group;
typedef struct ompi_datatype *MPI_Datatype;

#define COMM_WORLD ((MPI_Comm)dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"))
#define BYTE ((MPI_Datatype)dlsym(RTLD_DEFAULT, "ompi_mpi_byte"))
#define STATUS_IGNORE ((void *)0)
#define IS_ABI (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") && dlsym(RTLD_DEFAULT, "ompi_mpi_byte"))
#define CARRIER carrier_openmpi
#include "mpi/calls.h"
