/* openmpi.c - the ABI of Open MPI: handles are pointers to objects of the library. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ompi_communicator *MPI_Comm;
typedef struct ompi_group *MPI_Group;
typedef struct ompi_datatype *MPI_Datatype;

#define COMM_WORLD ((MPI_Comm)dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"))
#define BYTE ((MPI_Datatype)dlsym(RTLD_DEFAULT, "ompi_mpi_byte"))
#define STATUS_IGNORE ((void *)0)
#define IS_ABI (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") && dlsym(RTLD_DEFAULT, "ompi_mpi_byte"))
#define CARRIER carrier_openmpi
#include "inside/mpi/calls.h"

/* ---- handles ---- */

#define ABI abi_openmpi
#define FORTRAN_CALLS_C false
enum { TOPOLOGY_CART = 1, TOPOLOGY_GRAPH, TOPOLOGY_DIST_GRAPH, SPELLINGS = 4 };

/* Fortran's constants are variables, of which the addresses count: one for each way to spell their names. */
static const char *const in_place_names[SPELLINGS] = { "mpi_fortran_in_place", "mpi_fortran_in_place_", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE" };
static const char *const ignore_names[SPELLINGS] = { "mpi_fortran_status_ignore", "mpi_fortran_status_ignore_", "mpi_fortran_status_ignore__",
						     "MPI_FORTRAN_STATUS_IGNORE" };
static uintptr_t in_place[SPELLINGS], ignore[SPELLINGS];

static MPI_Datatype (*type_of_fortran)(int);
static MPI_Comm (*comm_of_fortran)(int);

static bool find_handles(void)
{
	for (int i = 0; i < SPELLINGS; i++) {
		in_place[i] = (uintptr_t)dlsym(RTLD_DEFAULT, in_place_names[i]);
		ignore[i] = (uintptr_t)dlsym(RTLD_DEFAULT, ignore_names[i]);
	}
	return look_up(&type_of_fortran, "PMPI_Type_f2c") && look_up(&comm_of_fortran, "PMPI_Comm_f2c");
}

static bool openmpi_is_among(const uintptr_t *all, uintptr_t address)
{
	for (int i = 0; i < SPELLINGS; i++)
		if (all[i] == address)
			return true;
	return false;
}

static bool is_in_place(uintptr_t buffer, bool fortran) { return fortran ? buffer && openmpi_is_among(in_place, buffer) : buffer == 1; }
static bool is_ignored(uintptr_t status, bool fortran) { return status == 0 || (fortran && openmpi_is_among(ignore, status)); }

#include "inside/mpi/handles.h"
