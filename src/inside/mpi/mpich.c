/* mpich.c - the ABI of MPICH: handles are numbers, in Fortran the same. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

typedef int MPI_Comm;
typedef int MPI_Group;
typedef int MPI_Datatype;

#define COMM_WORLD ((MPI_Comm)0x44000000)
#define BYTE ((MPI_Datatype)0x4c00010d)
#define STATUS_IGNORE ((void *)1)
#define IS_ABI (!dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") && dlsym(RTLD_DEFAULT, "MPIR_Dup_fn"))
#define CARRIER carrier_mpich
#include "inside/mpi/calls.h"

/* ---- handles ---- */

#define ABI abi_mpich
#define FORTRAN_CALLS_C true
enum { TOPOLOGY_GRAPH = 1, TOPOLOGY_CART, TOPOLOGY_DIST_GRAPH };

static bool find_handles(void) { return true; }
static MPI_Datatype type_of_fortran(int h) { return h; }
static MPI_Comm comm_of_fortran(int h) { return h; }

/* Of Fortran's call neither is asked: C's counts. */
static bool is_in_place(uintptr_t buffer, bool fortran) { return !fortran && buffer == (uintptr_t)-1; }
static bool is_ignored(uintptr_t status, bool fortran) { return !fortran && status == (uintptr_t)STATUS_IGNORE; }

#include "inside/mpi/handles.h"
