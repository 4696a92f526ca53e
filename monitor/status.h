/* status.h - the state of the program's threads, for the sampler's thread only. */
#ifndef STATUS_H
#define STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/monitor.h"

struct thread;

bool status_begin(void) HIDDEN;			/* begin a descriptor table of our own, with /proc/self in it.  False: the table is the program's */

/* Read what /proc tells of T to TEXT, with a final NUL.  False: nothing. */
bool status_read(struct thread *t, char *text, size_t size) HIDDEN;
void status_close(struct thread *t) HIDDEN;	/* nobody asks for T any more */

/* Was a processor taken from T, which could run on?  It did not sleep since this was asked last; or it could run and, by the scheduler's
 * notes, ran until we began.  One that has just been woken and waits behind us could run, too, but ran before it slept.  Where there are no such
 * notes: that was JUST, and a processor was taken from it since.  Where /proc does not tell: yes. */
bool status_was_preempted(struct thread *t, bool just) HIDDEN;

/* How long the calling thread, the sampler's, waited for a processor since this was asked last, ns; UINT64_MAX: /proc does not tell. */
uint64_t status_waited(void) HIDDEN;

bool status_is_blocked(struct thread *t, int sig) HIDDEN; /* has T the signal SIG blocked?  Where /proc does not tell: no */

/* Is the process nothing but us and the remains of its first thread?  Then *STATUS is how that one ended, as wait tells it,
 * which the last to leave makes the end of the process; without /proc it is not known. */
bool status_is_alone(int *status) HIDDEN;

#endif
