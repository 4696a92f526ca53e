/* trap.h - what the tiny programs share.
 *
 * HOOKED: a function that stays one, whatever the optimiser would like.  KEEP: keeps a call from
 * being a tail call, and the function from being thought without effect. */
#ifndef TRAP_H
#define TRAP_H

#if defined(__clang__)
#define HOOKED __attribute__((noinline))
#else
#define HOOKED __attribute__((noinline, noclone))
#endif
#define UNHOOKED __attribute__((noinline, no_instrument_function))
#define KEEP() __asm__ volatile("" : : : "memory")

#endif
