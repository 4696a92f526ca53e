/* status.h - the state of the program's threads, for the sampler's thread only. */
#ifndef STATUS_H
#define STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/monitor.h"

struct thread;

bool status_begin(void) HIDDEN;			/* begin a descriptor table of our own, with /proc/self in it.  False: the table is the program's */

/* Read what /proc tells of T to TEXT, with a final NUL.  False: nothing. */
bool status_read(struct thread *t, char *text, size_t size) HIDDEN;
void status_close(struct thread *t) HIDDEN;	/* nobody asks for T any more */

int status_processor(int tid) HIDDEN;		/* which the thread TID has, or had last; -1: /proc does not tell */

/* Has T put a filter on its system calls since we began?  It may be on us, too, as some put theirs on all threads: then what only helps is not asked of the kernel,
 * which might be the program's end. */
bool status_is_filtered(struct thread *t) HIDDEN;
uint64_t status_slept(struct thread *t) HIDDEN;	/* times that T gave up its processor by itself since this was asked last */
bool status_is_blocked(struct thread *t, int sig) HIDDEN; /* has T the signal SIG blocked?  Where /proc does not tell: no */

/* Is the process nothing but us and the remains of its first thread?  Then *STATUS is how that one ended, as wait tells it,
 * which the last to leave makes the end of the process; without /proc it is not known. */
bool status_is_alone(int *status) HIDDEN;

#endif
