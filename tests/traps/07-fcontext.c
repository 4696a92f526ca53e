/* The same by Boost's convention and name in a shared library, which the monitor knows.
 *
 * ways: inline fentry cyg mcount
 * plain: libflip.so -shared -fPIC -DLIBRARY -DFLIP=3
 * link: ./libflip.so
 * note: foreign_stack 2
 * note(inline): foreign_stack 0
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
#define FCONTEXT
#include "switches.h"
