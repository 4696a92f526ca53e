/* lost_context.h - what has become of the thread's context behind a jump that nobody with hooks received. */
#ifndef LOST_CONTEXT_H
#define LOST_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/machine/context.h"
#include "inside/monitor.h"

struct landing;
struct thread;

/* T's context where the routine was called whose entry hook is at work, made out from the machine stack; signals are blocked, and the hook
 * has called this.  *BACK is what the routine is to put back: that, but LOST_ID still if a signal interrupted whoever is in it.  A routine that was
 * entered BY_SIGNAL has no caller: then nothing is lost where it cannot be made out, and no note is left. */
context_id lost_context_entered(struct thread *t, bool by_signal, context_id *back) HIDDEN;

/* The same where no routine is entered: that of the code that has called the monitor. */
context_id lost_context_here(struct thread *t) HIDDEN;

/* The same where the stack in use is another again, which the monitor's caller left before.  LOST_ID: it cannot be told for certain. */
context_id lost_context_back(struct thread *t) HIDDEN;

/* The same for TO, where a jump is about to land.  If who RECEIVES it puts back his own context it is not looked for. */
context_id lost_context_landing(struct thread *t, const struct landing *to, bool *receives) HIDDEN;

/* The same for samples: that of the code of T, the calling thread's, which our signal has interrupted; 0: it cannot be told. */
context_id lost_context_interrupted(struct thread *t, const void *ucontext) HIDDEN;

/* Is a frame that ends at CFA, of the monitor's OWN or any, on the machine stack of the routine whose entry hook is at work, and has called this? */
enum lost_context_below {
	FOUND_NOT,
	FOUND_BELOW,
	FOUND_UNKNOWN,			/* the stack cannot be read so far */
};
enum lost_context_below lost_context_below(uintptr_t cfa, bool own) HIDDEN;

/* Where the routine returns to whose entry hook is at work, and has called this; 0: that cannot be told. Signals are blocked. */
uintptr_t lost_context_return(void) HIDDEN;

#endif
