/* reduction.h - the profiles of an MPI job's ranks become one file, while they are in MPI_Finalize.
 *
 * A thread of each rank's aprof run waits for the library that is preloaded into the rank (inside/mpi/).  In MPI_Finalize the ranks' profiles, as they stand then, are
 * folded along a binomial tree: rank r receives those of r + 1, r + 2, r + 4... as far as these are below its own lowest bit, and sends the sum to r less that bit,
 * so that rank 0 has all after log2(ranks) rounds; nobody holds more than two sums at a time.  Rank 0 writes the file; how that went comes back by
 * the same ways, and only then does a rank's own profile go. */
#ifndef REDUCTION_H
#define REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/collect.h"

struct reduction;

/* Preload the library for the program of R, whose job is ready, and wait for it.  NULL: this rank keeps its own profile; after a message where that is no wish. */
struct reduction *reduction_begin(struct run *r);

/* What came of it. */
struct reduction_result {
	bool asked;			/* the program called MPI_Finalize, and this aprof run heard of it */
	bool apart;			/* it did, and the rank that its profile goes to first does not take part */
	bool unsure;			/* its profile was sent, and no word came back: the job's file may hold it */
	bool whole;			/* what this rank has up to then is in the job's file, and its own is gone */
	uint64_t ranks;			/* rank 0: of how many ranks the file is; 0: it is not written */
	char *name;			/* rank 0: the file's name */
};

/* The program has ended.  Frees R; the name is the caller's. */
struct reduction_result reduction_end(struct reduction *r);

#endif
