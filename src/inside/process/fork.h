/* fork.h - forked children. */
#ifndef FORK_H
#define FORK_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"
#include "inside/tls.h"

struct thread;

void fork_before(void) HIDDEN;			/* libc's handlers of fork */
void fork_in_child(void) HIDDEN;
void fork_leave(void) HIDDEN;			/* in a child: it has nothing of what its parent knew, nor of its file */
void fork_in_parent(void) HIDDEN;
bool fork_unseen(void) HIDDEN;			/* first miss in a child that ran no fork handler; false: stay out */
struct thread *fork_waits(const struct aprof_tls *tls) HIDDEN; /* in a child, in the thread that forked, whose words are at TLS, until fork_from: the machine to adopt contexts from; else NULL */
struct thread *fork_from(void) HIDDEN;		/* the same, of the calling thread, once */
bool fork_is_unmoved(void) HIDDEN;		/* in a child: no routine was left since the fork, nor entered */
uint64_t fork_began(void) HIDDEN;		/* in a child, clock tsc: when it began, cycles */
void aprof_vfork_before(void) HIDDEN;		/* hooks.S: around a call of vfork */
void aprof_vfork_after(void) HIDDEN;

#endif
