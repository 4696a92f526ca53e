/* The same by __longjmp_chk.
 *
 * plain: libplain.so -fPIC -shared -DPLAIN -D_FORTIFY_SOURCE=2 -O2
 * flags: -D_FORTIFY_SOURCE=2
 * na(-O0): _FORTIFY_SOURCE is for code that is optimised
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * variants: longjmp _longjmp siglongjmp own raised own-raised
 * expect: 1 0 main
 * expect: 100 0 main called
 * expect: 100 0 main called deeper
 * expect(own): 100 0 main called deeper jump
 * expect(raised): 100 0 main called deeper jump
 * expect(own-raised): 100 0 main called deeper jump
 * expect(own-raised): 100 0 handler
 * expect: 300 0 main compare
 * expect: 300 0 main compare leaf
 * expect: 100 0 main work */
#include "02-longjmp-kinds.c"
