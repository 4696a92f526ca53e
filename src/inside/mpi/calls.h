/* calls.h - the calls of carrier.h, for the ABI whose types and constants stand before it: openmpi.c and mpich.c include it, once each. */
#ifndef MPI_CALLS_H
#define MPI_CALLS_H

#include "inside/mpi/carrier.h"

enum { MPI_OK = 0, TAG = 0x6170 };

static struct {
	int (*rank)(MPI_Comm, int *);
	int (*size)(MPI_Comm, int *);
	int (*group)(MPI_Comm, MPI_Group *);
	int (*pick)(MPI_Group, int, const int *, MPI_Group *);
	int (*create)(MPI_Comm, MPI_Group, int, MPI_Comm *);
	int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
	int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, void *);
	int (*comm_free)(MPI_Comm *);
	int (*group_free)(MPI_Group *);
} mpi;

static MPI_Comm pair;		/* of this rank and another, while it is open */
static int peer;		/* the other one's rank in it */

static bool look_up(void *function, const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	*(void **)function = found;
	return found != NULL;
}

static bool find(void)
{
	return IS_ABI && look_up(&mpi.rank, "PMPI_Comm_rank") && look_up(&mpi.size, "PMPI_Comm_size") && look_up(&mpi.group, "PMPI_Comm_group") &&
	       look_up(&mpi.pick, "PMPI_Group_incl") && look_up(&mpi.create, "PMPI_Comm_create_group") && look_up(&mpi.send, "PMPI_Send") &&
	       look_up(&mpi.receive, "PMPI_Recv") && look_up(&mpi.comm_free, "PMPI_Comm_free") && look_up(&mpi.group_free, "PMPI_Group_free");
}

static bool world(int *rank, int *size)
{
	return mpi.rank(COMM_WORLD, rank) == MPI_OK && mpi.size(COMM_WORLD, size) == MPI_OK;
}

/* The lower rank comes first at both ends: the group's order is the communicator's. */
static bool open_pair(int self, int other)
{
	int ranks[2] = { self < other ? self : other, self < other ? other : self };
	MPI_Group all, two;
	bool ok;

	if (mpi.group(COMM_WORLD, &all) != MPI_OK)
		return false;
	ok = mpi.pick(all, 2, ranks, &two) == MPI_OK;
	if (ok) {
		ok = mpi.create(COMM_WORLD, two, TAG, &pair) == MPI_OK;
		mpi.group_free(&two);
	}
	mpi.group_free(&all);
	peer = self < other;
	return ok;
}

static bool send_bytes(const void *data, int size)
{
	return mpi.send(data, size, BYTE, peer, TAG, pair) == MPI_OK;
}

static bool receive_bytes(void *data, int size)
{
	return mpi.receive(data, size, BYTE, peer, TAG, pair, STATUS_IGNORE) == MPI_OK;
}

static void close_pair(void) { mpi.comm_free(&pair); }

const struct carrier CARRIER = { find, world, open_pair, send_bytes, receive_bytes, close_pair };

#endif
