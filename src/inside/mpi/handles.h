/* handles.h - the functions of abi.h, for the ABI whose types and constants stand before it: openmpi.c and mpich.c include it, behind calls.h. */
#ifndef MPI_HANDLES_H
#define MPI_HANDLES_H

#include "inside/mpi/abi.h"

static struct {
	int (*type_size)(MPI_Datatype, long long *);
	int (*elements)(const void *, MPI_Datatype, long long *);
	int (*size)(MPI_Comm, int *);
	int (*rank)(MPI_Comm, int *);
	int (*is_inter)(MPI_Comm, int *);
	int (*remote_size)(MPI_Comm, int *);
	int (*topology)(MPI_Comm, int *);
	int (*dimensions)(MPI_Comm, int *);
	int (*graph_neighbours)(MPI_Comm, int, int *);
	int (*dist_graph_neighbours)(MPI_Comm, int *, int *, int *);
	int (*barrier)(MPI_Comm);
} ask;

static bool find_questions(void)
{
	return IS_ABI && look_up(&ask.type_size, "PMPI_Type_size_x") && look_up(&ask.elements, "PMPI_Get_elements_x") && look_up(&ask.size, "PMPI_Comm_size") &&
	       look_up(&ask.rank, "PMPI_Comm_rank") && look_up(&ask.is_inter, "PMPI_Comm_test_inter") && look_up(&ask.remote_size, "PMPI_Comm_remote_size") &&
	       look_up(&ask.topology, "PMPI_Topo_test") && look_up(&ask.dimensions, "PMPI_Cartdim_get") &&
	       look_up(&ask.graph_neighbours, "PMPI_Graph_neighbors_count") && look_up(&ask.dist_graph_neighbours, "PMPI_Dist_graph_neighbors_count") &&
	       look_up(&ask.barrier, "PMPI_Barrier") && find_handles();
}

static int64_t type_size(word h, bool fortran)
{
	MPI_Datatype type = fortran ? type_of_fortran(*(const int *)h) : (MPI_Datatype)h;
	long long size;

	return ask.type_size(type, &size) == MPI_OK && size > 0 ? size : 0;
}

static int64_t received(word status)
{
	long long bytes;

	return ask.elements((const void *)status, BYTE, &bytes) == MPI_OK && bytes > 0 ? bytes : 0;
}

static MPI_Comm comm_of(word h, bool fortran) { return fortran ? comm_of_fortran(*(const int *)h) : (MPI_Comm)h; }

static int peers(word h, bool fortran)
{
	MPI_Comm comm = comm_of(h, fortran);
	int inter, n;

	if (ask.is_inter(comm, &inter) != MPI_OK)
		return 0;
	return (inter ? ask.remote_size : ask.size)(comm, &n) == MPI_OK ? n : 0;
}

static int self(word h, bool fortran)
{
	int rank;

	return ask.rank(comm_of(h, fortran), &rank) == MPI_OK ? rank : -1;
}

static int fan(word h, bool fortran)
{
	MPI_Comm comm = comm_of(h, fortran);
	int kind, n = 0, in, weighted;

	if (ask.topology(comm, &kind) != MPI_OK)
		return 0;
	switch (kind) {
	case TOPOLOGY_CART: return ask.dimensions(comm, &n) == MPI_OK ? 2 * n : 0;
	case TOPOLOGY_GRAPH: return ask.graph_neighbours(comm, self(h, fortran), &n) == MPI_OK ? n : 0;
	case TOPOLOGY_DIST_GRAPH: return ask.dist_graph_neighbours(comm, &in, &n, &weighted) == MPI_OK ? n : 0;
	default: return 0;
	}
}

static void wait_for_all(word comm, bool fortran) { ask.barrier(comm_of(comm, fortran)); }

const struct abi ABI = { find_questions, FORTRAN_CALLS_C, type_size, is_in_place, is_ignored, received, peers, self, fan, wait_for_all, sizeof(MPI_Datatype) };

#endif
