/* told.h - the calling thread and its context, for what is told by others than hooks: interpreters (script.c), the library in front of the allocator (heap/). */
#ifndef TOLD_H
#define TOLD_H

#include <stdbool.h>

#include "inside/machine/context.h"
#include "inside/monitor.h"

struct aprof_tls;
struct thread;

/* Is the thread of the words TLS in a state in which nothing can be told? */
bool told_is_out(struct aprof_tls *tls) HIDDEN;

/* The machine of the calling thread, with signals blocked; NULL: stay out. */
struct thread *told_thread(struct aprof_tls *tls) HIDDEN;

/* The context of T, the calling thread's, as one of its machine, with signals blocked. */
context_id told_context(struct thread *t) HIDDEN;

/* From now on the calling thread is in the context C. */
void told_go(struct aprof_tls *tls, context_id c) HIDDEN;

#endif
