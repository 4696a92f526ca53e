/* allocations.h - memory that runs out where a test wants it to (linked with --wrap). */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

/* Allocation number `failing` from the first fails; 0: none does.  `allocations` were asked for since it was set to 0. */
extern unsigned long allocations, failing;

#endif
