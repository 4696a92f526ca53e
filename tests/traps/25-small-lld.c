/* A library so small that lld leaves its code on the file's first page, which is mapped twice: its frames are read all the same.
 *
 * need: ld.lld
 * plain: libplain.so -fPIC -shared -DPLAIN -fuse-ld=lld
 * link: -L. -lplain -Wl,-rpath,$ORIGIN
 * expect: 1 0 main
 * expect: 1000 0 main called
 * expect: 1000 0 main called deeper
 * expect: 1000 0 main work
 * expect: 500 0 main handle
 * expect: 500 0 main handle work */
#include "02-longjmp-plain.c"
