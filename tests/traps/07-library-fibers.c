/* The same by a switch in a shared library, which jumps where it returns: it is named, or found out.
 *
 * ways: inline fentry cyg mcount
 * cc: gcc
 * plain: libflip.so -shared -fPIC -DLIBRARY -DFLIP=2
 * wrapper: --aprof-switch=flip
 * link: ./libflip.so
 * note: foreign_stack 2
 * note(inline): foreign_stack 0
 * na(verified mcount): between a switch and the next hook the context is that of the stack that was left
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
#define JUMPS
#include "switches.h"
