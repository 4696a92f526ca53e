/* Fibers whose stacks are neighbours in one block, each deep in its own calls, by a switch of the program's own that nobody tells of, or --aprof-switch (way
 * inline).  Where a fiber's stack begins there is no description, and nobody is active.
 *
 * ways: inline fentry cyg mcount mfentry
 * cc: gcc
 * wrapper(inline): --aprof-switch=flip
 * note: foreign_stack 2
 * note(inline): foreign_stack 0
 * na(verified): between a switch and the next hook the context is that of the stack that was left
 * expect: 1 0 main
 * expect: 10 0 main resume
 * expect: 1 0 main leaf
 * expect: 1 0 body_a
 * expect: 5 0 body_a step_a
 * expect: 10 0 body_a step_a leaf
 * expect: 1 0 body_b
 * expect: 3 0 body_b middle
 * expect: 3 0 body_b middle step_b
 * expect: 6 0 body_b middle step_b leaf
 */
#define FLIP 1
#include "switches.h"
