/* thread_choice.h - which processes and threads of what is read are to be looked at. */
#ifndef THREAD_CHOICE_H
#define THREAD_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "read/profile/profile.h"

/* A thread is meant that is of one of the processes, if any are named, and has one of the names, if any are. */
struct thread_choice {
	char **comms;			/* names of threads, as the kernel has them: 15 bytes at most; of a thread without one, of its program */
	size_t ncomms;
	char **pids;			/* numbers of processes, or names of programs */
	size_t npids;
};

/* Is anything chosen? */
bool thread_choice_is(const struct thread_choice *c);

/* P is to be of what C means, *N threads of it.  False with *ERR set: none is meant, or memory is short. */
bool thread_choice_take(const struct thread_choice *c, struct profile *p, uint32_t *n, struct error *err);

#endif
