/* job.h - a rank of an MPI job (mpirun -n 4 aprof run ./prog): where its profiles are while it runs, and who else takes part.
 *
 * The ranks' aprof runs meet in the folder DATA.ranks: each has a directory RANK there, and holds a lock in it while its program could carry profiles by
 * MPI.  So two of them that see each other's locks know of each other, and nobody waits for a rank that is run without aprof. */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>

#include "base/error.h"

struct job {
	int rank;		/* of the program to be run, as the launcher tells it */
	int size;		/* ranks of the job, more than 1 */
	bool bare;		/* APROF_MPI=no: nothing is preloaded into the rank */
	bool alone;		/* that, or APROF_MPI=ranks: each rank keeps its own profile */
	char *folder;		/* where the ranks' directories are */
	char *directory;	/* this rank's, absolute; the profiles of its processes are in it */
	int lock;		/* open file in it that is locked; -1: none */
};

/* Is this process to run a rank of a job of several, by the environment of Open MPI's, MPICH's or Slurm's (PMI) launcher?  Then *J says which; other fields are
 * empty.  No, with a size of 1, of the only rank of a job.  No, with no size, in what another aprof run runs, and of what is no rank. */
bool job_find(struct job *j);

/* Make the directory of J beside the profile DATA; what an earlier job left in it goes.  False with *ERR set. */
bool job_begin(struct job *j, const char *data, struct error *err);

/* From now on the others may count on this rank. */
void job_ready(struct job *j);

/* May this rank count on rank OTHER? */
bool job_meets(const struct job *j, int other);

/* The directories go if they are empty; frees what J owns. */
void job_end(struct job *j);

#endif
