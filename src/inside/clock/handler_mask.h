/* handler_mask.h - SIGPROF, where it is ours, is held back from handlers that run on small signal stacks.
 *
 * A program may give its handlers a signal stack that is just large enough for the kernel's frame and themselves.  One more frame there, ours, is
 * beyond its end: death.  So once such a stack is seen, the handlers that run on signal stacks have SIGPROF among the signals that the kernel
 * blocks meanwhile, which the program does not see in what it reads back, and our own handler leaves signal stacks alone.  Any time. */
#ifndef HANDLER_MASK_H
#define HANDLER_MASK_H

#include <signal.h>
#include <stdbool.h>

#include "inside/monitor.h"

void handler_mask_begin(void) HIDDEN;			/* SIGPROF is ours */
void handler_mask_end(void) HIDDEN;			/* it is no more: handlers get back what the program gave them */

/* The calling thread has the signal stack S, or is about to. */
void handler_mask_stack(const stack_t *s) HIDDEN;

/* The same, asking the kernel: somebody may have set one by a system call of his own. */
void handler_mask_look(void) HIDDEN;

/* Handlers may have been set so: to be called now and then. */
void handler_mask_round(void) HIDDEN;

/* What is to be set for SIG in the place of ACTION, which is not NULL: that, or *ROOM, made for it. */
const struct sigaction *handler_mask_action(int sig, const struct sigaction *action, struct sigaction *room) HIDDEN;

/* That is done: ACTION, NULL if none, was the program's word, and *OLD, if not NULL, is what was there before: as the program set it from now on. */
void handler_mask_done(int sig, const struct sigaction *action, struct sigaction *old) HIDDEN;

/* Does the calling thread run on a small signal stack, whether SIGPROF is ours or not? */
bool handler_mask_is_small(void) HIDDEN;

#endif
