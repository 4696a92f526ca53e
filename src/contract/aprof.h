/* aprof.h - what a program may ask of the profiler that watches it, and what an interpreter may tell it of its scripts.
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

/* ---- for interpreters and virtual machines ----
 *
 * The routines of a script are profiled like those of a program, if the interpreter tells when they are entered and left.  It needs no hooks
 * of its own for that (`aprof run` brings the monitor); if it has some, contexts mix: script over C over script. */

typedef unsigned long long aprof_routine;	/* a routine of a script; 0 where nobody profiles */
struct aprof_stack;				/* which of them are open: of a coroutine, an engine, a task */

/* Of the monitor; use the functions below. */
extern aprof_routine __aprof_script_define(const char *language, const char *name, const char *file, int line) __attribute__((weak));
extern void __aprof_script_enter(aprof_routine routine) __attribute__((weak));
extern void __aprof_script_leave(void) __attribute__((weak));
extern unsigned __aprof_script_depth(void) __attribute__((weak));
extern void __aprof_script_unwind(unsigned depth) __attribute__((weak));
extern struct aprof_stack *__aprof_script_stack(struct aprof_stack *old) __attribute__((weak));
extern struct aprof_stack *__aprof_script_switch(struct aprof_stack *to, int under) __attribute__((weak));
extern void __aprof_script_add(unsigned long long n) __attribute__((weak));
extern void __aprof_script_bytes(unsigned long long n) __attribute__((weak));
extern int __aprof_script_begun(void) __attribute__((weak));

/* The routine NAME of LANGUAGE, defined at LINE (0: unknown) of FILE (NULL: unknown), whose strings are copied.  Who says the same again is given
 * the same.  To be kept with the routine's code: a look-up takes some 100 ns and a lock. */
APROF_API aprof_routine aprof_define(const char *language, const char *name, const char *file, int line)
{
	return __aprof_script_define ? __aprof_script_define(language, name, file, line) : 0;
}

/* ROUTINE is called, by the routine that is open. */
APROF_API void aprof_enter(aprof_routine routine)
{
	if (__aprof_script_enter)
		__aprof_script_enter(routine);
}

/* The routine that was entered last returns. */
APROF_API void aprof_leave(void)
{
	if (__aprof_script_leave)
		__aprof_script_leave();
}

/* How many routines are open in the stack in use. */
APROF_API unsigned aprof_depth(void)
{
	return __aprof_script_depth ? __aprof_script_depth() : 0;
}

/* All routines but the first DEPTH are left: an error was thrown, a choice undone.  With aprof_depth() nothing is left, and the context is again that of
 * the routine that is open, whatever C of the interpreter's with hooks was jumped out of. */
APROF_API void aprof_unwind(unsigned depth)
{
	if (__aprof_script_unwind)
		__aprof_script_unwind(depth);
}

/* A stack for a coroutine, an engine, a task, with nothing open.  NULL where nobody profiles, which all the others understand. */
APROF_API struct aprof_stack *aprof_stack_new(void)
{
	return __aprof_script_stack ? __aprof_script_stack(0) : 0;
}

/* STACK, which is not in use, is of no more use. */
APROF_API void aprof_stack_free(struct aprof_stack *stack)
{
	if (__aprof_script_stack && stack)
		__aprof_script_stack(stack);
}

/* What the calling thread does from now on is in STACK, which goes on in the context where it was left, or begins under nobody.  Returns the
 * stack that was in use, to be taken up again. */
APROF_API struct aprof_stack *aprof_stack_use(struct aprof_stack *stack)
{
	return __aprof_script_switch && stack ? __aprof_script_switch(stack, 0) : 0;
}

/* The same, on behalf of the routine that is open: what is open in STACK counts as called by it from now on.  Takes longer the deeper STACK is, if
 * another one resumed it before. */
APROF_API struct aprof_stack *aprof_stack_resume(struct aprof_stack *stack)
{
	return __aprof_script_switch && stack ? __aprof_script_switch(stack, 1) : 0;
}

/* By clock count (aprof run --clock=count): the routine that is open has done N more of what the program counts, of an interpreter's
 * instructions for one.  Nothing by other clocks. */
APROF_API void aprof_add(unsigned long long n)
{
	if (__aprof_script_add)
		__aprof_script_add(n);
}

/* The routine that is open has moved N bytes: sent, received, read, written.  Reports have their sum beside its calls. */
APROF_API void aprof_bytes(unsigned long long n)
{
	if (__aprof_script_bytes)
		__aprof_script_bytes(n);
}

/* Has a routine been entered in this process, or one of a script been defined?  1 yes, 0 no.  For libraries that tell of their own routines where a
 * profile is made anyway, and are not to begin one. */
APROF_API int aprof_has_begun(void)
{
	return __aprof_script_begun ? __aprof_script_begun() : 0;
}

#ifdef __cplusplus
}
#endif

#endif
