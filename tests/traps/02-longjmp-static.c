/* The same in a static program.
 *
 * na(pg): a static program has no monitor preloaded
 * plain: plain.o -c -DPLAIN
 * link: plain.o -static
 * expect: 1 0 main
 * expect: 1000 0 main called
 * expect: 1000 0 main called deeper
 * expect: 1000 0 main work
 * expect: 500 0 main handle
 * expect: 500 0 main handle work */
#include "02-longjmp-plain.c"
