/* The same in a static program.
 *
 * na(pg): a static program has no monitor preloaded
 * flags: -static
 * plain: plain.o -c -DPLAIN
 * link: plain.o
 * variants: caught again nested kept dropped
 * expect: 1 0 main
 * expect: 100 0 main called
 * expect: 100 0 main called deeper
 * expect(nested): 100 0 main thrower
 * expect(nested): 100 0 main thrower deeper
 * expect(kept): 100 0 main later
 * expect: 200 0 main back
 * expect: 200 0 main back leaf
 * expect(again): 100 0 main work
 * expect: 100 0 main end */
#include "02-throw-received.cc"
