/* The same where the handlers run by landing pads.
 *
 * plain: libplain.so -fPIC -shared -DPLAIN -pthread -fexceptions
 * flags: -pthread 
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * expect: 1 0 main
 * expect: 20 0 thread
 * expect: 20 0 thread inside
 * expect: 20 0 thread inside innermost
 * expect: 10 0 thread inside innermost leaves
 * expect: 10 0 thread inside innermost waits
 * expect: 20 0 thread inside inner
 * expect: 20 0 thread inside inner deeper
 * expect: 20 0 thread outer
 * expect: 20 0 thread outer deeper
 * threads: 21 */
#include "41-cancel-plain.c"
