/* parts.h - a profile put together from what somebody else kept of it: of one run, whose figures are those of one thread.
 *
 * First the run, then modules, routines and contexts, each after what it refers to, then figures.  What comes of it is to be added to a sum (sum.h), which
 * puts it in order and works out what follows from the rest. */
#ifndef PROFILE_PARTS_H
#define PROFILE_PARTS_H

#include "read/profile/profile.h"

/* P, which is empty, is of one run called LABEL, with the header H, and N processes that it is the sum of in COMMANDS; its thread is T.  All is copied.  False: out of
 * memory. */
bool parts_run(struct profile *p, const char *label, const struct amon_header *h, const struct amon_thread *t, const struct profile_command *commands, size_t n);

/* The number of the module M, whose path is copied; that of an equal one if there is one.  PROFILE_NONE: out of memory. */
uint32_t parts_module(struct profile *p, const struct profile_module *m);

/* The number of the routine R, whose `script` is to be 0, of which an interpreter says SCRIPT (copied; its `routine` is not looked at; NULL: nothing).
 * PROFILE_NONE: out of memory. */
uint32_t parts_routine(struct profile *p, const struct profile_routine *r, const struct profile_script *script);

/* The number of the context that is entered when ROUTINE is called in context CALLER.  PROFILE_NONE: out of memory. */
uint32_t parts_context(struct profile *p, uint32_t caller, uint32_t routine);

/* What the thread has in a context; one for each at most.  False: out of memory. */
bool parts_share(struct profile *p, const struct profile_share *s);

/* Put all shares in their order again, after some were added to a profile that has others; those of one thread and context become one. */
void parts_shares_settle(struct profile *p);

/* CALLS of those that entered context TO came from FROM, which is not the one that TO was built from; one for each pair at most.  False: out of memory. */
bool parts_detour(struct profile *p, uint32_t from, uint32_t to, uint64_t calls);

#endif
