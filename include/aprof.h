/* aprof.h - what a program may ask of the profiler that watches it.
 *
 * All of it may stay in a program that is built without aprof: the calls then find nobody and do nothing.  (The
 * symbols behind them are weak; there is no library to link.)  Every function may be called from any thread, at any
 * time but from a signal handler; none changes errno.  See aprof_api(3). */
#ifndef APROF_H
#define APROF_H

#ifdef __cplusplus
extern "C" {
#endif

#define APROF_API static inline __attribute__((unused, always_inline, no_instrument_function))

/* Of the monitor; use the functions below. */
extern int __aprof_control(int what, const char *text) __attribute__((weak));

enum { APROF_CONTROL_START, APROF_CONTROL_STOP, APROF_CONTROL_RESET, APROF_CONTROL_FLUSH, APROF_CONTROL_PHASE };

/* Is the program being profiled?  1 yes, 0 no. */
APROF_API int aprof_is_on(void)
{
	return __aprof_control != 0;
}

/* From now on nothing that any thread does is in the profile, until aprof_start.  The hooks go on
 * working, so that contexts are right afterwards; only what they count is left out.  With APROF_STOPPED=1 in its environment
 * a program is stopped from the first hook on. */
APROF_API void aprof_stop(void)
{
	if (__aprof_control)
		__aprof_control(APROF_CONTROL_STOP, 0);
}

/* Go on after aprof_stop, in the phase that was stopped. */
APROF_API void aprof_start(void)
{
	if (__aprof_control)
		__aprof_control(APROF_CONTROL_START, 0);
}

/* Forget all counts and times up to now, of all threads and phases: a new interval begins. */
APROF_API void aprof_reset(void)
{
	if (__aprof_control)
		__aprof_control(APROF_CONTROL_RESET, 0);
}

/* Write the profile as it is now to the file PATH (replaced if it is there), complete and for good.  The program's
 * own profile goes on.  Returns 0, or an errno; ENOSYS if the program is not profiled. */
APROF_API int aprof_flush(const char *path)
{
	return __aprof_control ? __aprof_control(APROF_CONTROL_FLUSH, path) : 38 /* ENOSYS */;
}

/* From now on the program, with all its threads, is in the phase NAME (at most 47 bytes count); with NULL or "" in
 * none.  A phase may be entered again and again: it is the sum of its times.  `aprof info` lists the phases, and the
 * reports show one alone (--phase=NAME). */
APROF_API void aprof_phase(const char *name)
{
	if (__aprof_control)
		__aprof_control(APROF_CONTROL_PHASE, name);
}

#ifdef __cplusplus
}
#endif

#endif
