/* harvest.h - the profiles that the processes of one aprof run left in their directory, by program. */
#ifndef HARVEST_H
#define HARVEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* One program of the run. */
struct harvest_program {
	char *path;		/* its executable */
	char **files;		/* profiles of its processes, in the order in which they began; files[n] is NULL */
	size_t n;		/* how many */
	char **stacks;		/* profiles of call stacks that were sampled beside, if these have exact contexts; NULL: there are none */
	size_t nstacks;		/* how many */
	uint64_t time;		/* time that the profiles hold, ns: set by harvest_weigh if there are several programs */
	uint64_t calls;		/* calls that they hold: the same */
	bool counted;		/* calls were; else calls is 0 */
	bool running;		/* some process of it still runs: set by harvest_weigh */
};

struct harvest {
	struct harvest_program *programs; /* by path; after harvest_weigh the most expensive first */
	size_t n;		/* how many */
	size_t lacking;		/* processes whose profiles could not be made, or were in memory when they were killed */
	int why;		/* errno of the last of them */
};

/* Look through DIRECTORY.  Where programs with hooks ran, call stacks count only if they were ASKED for.  False with *ERR set.  Freed with harvest_free. */
bool harvest_make(struct harvest *h, const char *directory, bool asked, struct error *err);
void harvest_free(struct harvest *h);

/* Sort by time and calls, for which the profiles of several programs are read, one program at a time.  A file that
 * cannot be read is then left out after a message. */
void harvest_weigh(struct harvest *h);

/* Write the wait status STATUS into the last profile of process PID, for the reports. */
void harvest_status(const struct harvest *h, int32_t pid, int status);

/* Remove DIRECTORY with the files in it. */
void harvest_remove(const char *directory);

#endif
