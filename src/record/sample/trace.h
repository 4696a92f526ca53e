/* trace.h - samples by ptrace(2): a thread that has run is stopped for a moment, looked at, and sent on.
 *
 * By the clock wall all threads are looked at, at random moments.  One that sleeps is stopped once for each sleep, if the kernel then goes on with it as if
 * nothing had been; else it is looked at from outside (sleeper.h).  For as long as it has not come to a processor since, it is the same sleep.
 *
 * For processes that run already, and for programs that nothing can be preloaded into.  It needs no perf events, and costs the program two switches
 * of context each time, so the rate is low.  A sample stands for the CPU time that its thread took since the last one.
 *
 * What may not change in the program: threads are seized, which stops nothing; one that sleeps is let sleep; a system call that a stop ended
 * too early is begun again; signals are passed on, and a stopped program stays stopped.  When the recorder is gone, however that came, the kernel lets
 * all of them go. */
#ifndef SAMPLE_TRACE_H
#define SAMPLE_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "record/sample/source.h"

/* Sample, RATE times a second of CPU time, or for WALL of elapsed time, at most, the processes PIDS[0..N-1], and those that they start.  NULL with *ERR set: out of memory; whether
 * it is permitted `begin` says. */
struct source *trace_open(const pid_t *pids, size_t n, unsigned rate, bool wall, struct error *err);

/* The same of those programs that our own child PID is or starts, directly or not, for which SERVES(ARG, pid) does not say that somebody else sees to
 * them; if LATE, those that nobody sees to after a while of work: till then it may turn out. */
struct source *trace_open_below(pid_t pid, unsigned rate, bool wall, bool late, bool (*serves)(void *arg, pid_t pid), void *arg, struct error *err);

#endif
