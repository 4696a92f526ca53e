/* truth.h - what CPU time, and what elapsed time, each context of a program spent, by the program's own clocks.
 *
 * All time of a thread from its first truth_enter to its last truth_leave is in exactly one context: at each border the clocks are read once, and what
 * passed since the last reading is the context's that ends there.  Contexts are the nodes of a tree, in memory that children share.  None of this has
 * hooks: to aprof its time is its caller's, which is why each entry is told, with what a reading takes. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program begins, with the NAMES of its N routines, in main, which is IN_MAIN of these.  ARGC and ARGV are main's: what a child of truth_exec has there
 * makes it go on in its parent's tree.  From then on it runs by SCHED_FIFO if TRUTH_FIFO is set; status 77 where that is refused. */
void truth_begin(const char *const *names, int n, int in_main, int argc, char **argv);

/* Does the calling thread, one of DRIVERS, go on?  Until it had its part of TRUTH_SECONDS of CPU time, or TRUTH_LIMIT seconds have passed. */
bool truth_more(int drivers);

/* The calling thread enters ROUTINE, called by the one that it is in; leaves it. */
void truth_enter(int routine);
void truth_leave(void);

/* The same of a signal's handler, which nobody called.  False: it came in the middle of a border; the handler is to return at once. */
bool truth_interrupted(int routine);
void truth_handled(void);

/* The context that the thread is in; who is about to leave it by a jump; and who went on in NODE behind it.  Whose the time of the jump itself is nobody
 * can say: it is told apart, as a doubt of both. */
int truth_node(void);
void truth_throwing(void);
void truth_caught(int node);

/* The thread goes on in NODE, on another stack. */
void truth_switch(int node);

/* fork and waitpid.  What these take, and a child before it has control, is told apart: with hooks the monitor has a part in it. */
int truth_fork(void);
void truth_wait(void);

/* The end of a child, by exit, or by _exit if AT_ONCE. */
void truth_end(bool at_once) __attribute__((noreturn));

/* The child executes its program again, which finds truth_child to be true. */
void truth_exec(void) __attribute__((noreturn));
bool truth_child(void);

/* All contexts, as one line of JSON. */
void truth_print(void);

#ifdef __cplusplus
}
#endif
#endif
