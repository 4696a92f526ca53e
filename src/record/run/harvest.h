/* harvest.h - the profiles that the processes of one aprof run left in their directory, by program.
 *
 *     amon.out.PID, stacks.PID.N      of a process
 *     added.K/sum                     of many processes of one program that ended while the run went on, added up (running_sum.h)
 *     added.K/...                     of others of it that ended, not in the sum yet
 *     .next.K/                        means nothing
 *
 * At every moment what each process counted is in one of them alone, and all of them together are the run.  Who moves files holds a lock on the directory;
 * so does who reads it while the run may go on. */
#ifndef HARVEST_H
#define HARVEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "contract/amon.h"

#define HARVEST_ADDED "added."
#define HARVEST_SUM "sum"

/* Is a directory of this name, in that of a run, one with the files of one program? */
static inline bool harvest_is_added(const char *name) { return strncmp(name, HARVEST_ADDED, strlen(HARVEST_ADDED)) == 0; }

struct input_listener;

/* One program of the run, or what of it makes one profile: a program that is rebuilt with another clock meanwhile is two. */
struct harvest_program {
	char *path;		/* its executable */
	char **files;		/* profiles of its processes, in the order in which they began; files[n] is NULL */
	size_t n;		/* how many */
	bool summed;		/* one of them is of many processes */
	char **stacks;		/* profiles of call stacks that were sampled beside, if these have exact contexts; NULL: there are none */
	size_t nstacks;		/* how many */
	bool stacks_summed;	/* one of them is of many processes */
	char **unreadable;	/* profiles that harvest_sift took out of files */
	size_t nunreadable;	/* how many */
	uint64_t processes;	/* of which the files are: set by harvest_sift */
	uint64_t time;		/* time that the profiles hold, ns: the same */
	uint64_t calls;		/* calls that they hold: the same */
	bool counted;		/* calls were; else calls is 0 */
	bool running;		/* some process of it still runs: set by harvest_weigh */
};

struct harvest {
	struct harvest_program *programs; /* by path; after harvest_weigh the most expensive first */
	size_t n;		/* how many */
	size_t lacking;		/* processes whose profiles could not be made, or were in memory when they were killed */
	int why;		/* errno of the last of them */
	bool sampled;		/* all profiles are of call stacks: no program has hooks */
};

/* Look through DIRECTORY.  Where programs with hooks ran, call stacks count only if they were ASKED for.  False with *ERR set.  Freed with harvest_free. */
bool harvest_make(struct harvest *h, const char *directory, bool asked, struct error *err);
void harvest_free(struct harvest *h);

/* Sort by time and calls, for which the profiles of several programs are read, one program at a time, and sifted.  LISTENER, which may be NULL,
 * is told of it. */
void harvest_weigh(struct harvest *h, const struct input_listener *listener);

/* Read each file of P by itself: time, calls and processes are those of all; what cannot be read goes into unreadable. */
void harvest_sift(struct harvest_program *p, const struct input_listener *listener);

/* Write the wait status STATUS into the last profile of process PID, for the reports. */
void harvest_status(const struct harvest *h, int32_t pid, int status);

/* Clear in the profile at PATH, which has the header H, the note that it has another name than was wanted: the user did not want any. */
void harvest_forget_name(const char *path, const struct amon_header *h);

/* Lock DIRECTORY until the descriptor is closed: to move files in it, if no other does nor reads it, or to READ, which waits until files are moved.
 * -1: another has it, or it cannot be opened.  Where there are no locks it is not locked. */
int harvest_lock(const char *directory, bool read);

/* Remove DIRECTORY with the files in it, all at once: from the first on it is called DIRECTORY.done. */
void harvest_remove(const char *directory);

#endif
