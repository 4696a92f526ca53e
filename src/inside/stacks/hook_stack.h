/* hook_stack.h - a stack for what hooks do out of line, where the program's is too small for it: a signal stack may be just large enough for the
 * kernel's frame and the handler. */
#ifndef HOOK_STACK_H
#define HOOK_STACK_H

#include "inside/monitor.h"

struct thread;

/* Call F with ARG, with all signals blocked: on a stack of T's, the calling thread's, if that is not NULL and the one in use is a small signal
 * stack. */
void hook_stack_call(struct thread *t, void (*f)(void *), void *arg) HIDDEN;

#endif
