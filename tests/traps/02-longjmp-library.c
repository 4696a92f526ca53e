/* The same into a shared library without hooks, whose calls of longjmp nobody has linked.
 *
 * plain: libplain.so -fPIC -shared -DPLAIN
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * expect: 1 0 main
 * expect: 1000 0 main called
 * expect: 1000 0 main called deeper
 * expect: 1000 0 main work
 * expect: 500 0 main handle
 * expect: 500 0 main handle work */
#include "02-longjmp-plain.c"
