/* pc.h - program counters of threads, by SIGPROF. */
#ifndef PC_H
#define PC_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/machine/context.h"
#include "inside/monitor.h"

struct amon_chunk;
struct thread;

/* A thread's first interrupt by perf comes at a random part of the period, so that threads have some which end before a whole one.  Then its event is to get the
 * period, and what comes until then does not count. */
enum { PC_FIRST = 1, PC_CAME = 2 };

void pc_give_up(void) HIDDEN;			/* SIGPROF is ours, and the program is about to take it: it gets none of ours. There is no sampler now */
bool pc_is_handler(const void *handler) HIDDEN;	/* ours, of SIGPROF? */
bool pc_has_sigprof(void) HIDDEN;	/* is SIGPROF handled by us, for program counters, or in a young process? */

/* Of a young process (young_process.h): have TICK called, in the handler of SIGPROF, in the context where a timer has interrupted its thread, or with 0 where that is not known.
 * The timer's value is pc_timer_mark().  False: SIGPROF is somebody else's. */
typedef void pc_tick(context_id at);
bool pc_take(pc_tick *tick) HIDDEN;
void pc_take_no_more(void) HIDDEN;
void *pc_timer_mark(void) HIDDEN;

/* For the sampler's thread: choose the source of program counters and take SIGPROF, if both can be had;
 * then, after each round of looks, see to each thread's source. */
void pc_begin(bool own_descriptors) HIDDEN;
void pc_round(void) HIDDEN;

/* The sampler is gone, and its descriptors with it. */
void pc_forget(void) HIDDEN;

/* Has T, a thread that lives, nothing that takes its program counters, while others have? */
bool pc_is_lacking(const struct thread *t) HIDDEN;

/* A forked child begins anew. */
void pc_renew(void) HIDDEN;

/* The process ends: from now on no thread gets a source or a table. */
void pc_seal(void) HIDDEN;

/* The tables of program counters of T, a thread that fills them no more, to TABLES, THREAD_PCS at most; it has none then.  Returns their number. */
uint32_t pc_take_tables(struct thread *t, struct amon_chunk **tables) HIDDEN;

/* The slots of a thread's table I, struct amon_pc each.  The chunk's head says the same, but is in the file, which others may cut. */
uint32_t pc_slots(uint32_t i) HIDDEN;

#endif
