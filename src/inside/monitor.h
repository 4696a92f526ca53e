/* monitor.h - the rules and the words of the monitor.
 *
 * The monitor lives inside other people's programs.  Rules that every part keeps:
 *   - no malloc, no stdio, no exit, no libc call that could be the program's own or
 *     a cancellation point once hooks are live: raw system calls (sys.h) only;
 *   - no vector or x87 register is touched in code that a hook can reach;
 *   - nothing on the fast path but one probe and one bump (probe.h, hooks.S);
 *   - whatever goes wrong is noted (note()), and the program runs on.
 *
 * Words:
 *   item     a transition with its counters in the file: (parent item, routine), see amon.h
 *   context  the first item with its history; known by its id, a number made of the calls that led to it
 *   alias    a transition to a context that another transition made
 *   target   where a call leads: a context, or an alias with the lowest bit set
 *   machine  a thread's items, aliases and tables (struct thread)
 *   shadow   stack of contexts beside one machine stack
 *   front    small table of targets, evicting, probed inline
 *   full     complete table of targets behind it
 *
 * Each file says in its own header what it does for the others.  What assembly and C both know is in layout.h, the words that the hooks work on in
 * tls.h, what a call leads to in context.h, a machine in thread.h, and what there is once in a process in state.h. */
#ifndef MONITOR_H
#define MONITOR_H

#define HIDDEN __attribute__((visibility("hidden")))
/* What every forked child writes when it begins stands together: the fewer pages does the kernel copy for it. */
#define OF_PROCESS __attribute__((section(".data.aprof_process")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
