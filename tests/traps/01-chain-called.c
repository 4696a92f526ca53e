/* The same in position-independent code, which calls its hooks.
 *
 * flags: -fPIC
 * cc: gcc
 * output: 600 200
 * expect: 1 0 main
 * expect: 100 0 main outer
 * expect: 100 0 main outer apply
 * expect: 300 0 main outer apply count.0
 * expect: 300 0 main outer apply count.0 add
 * expect: 300 0 main outer apply count.0 add leaf
 * expect: 100 0 main around
 * expect: 200 0 main around jump
 * expect: 200 0 main around received.1
 * expect: 200 0 main around received.1 leaf
 * depth: 0  */
#include "01-chain.c"
