/* account.h - CPU time, as the kernel counts it. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/monitor.h"

struct thread;

/* T's CPU clock stands at CPU, ns: what it spent since the last look is in the accounts, unplaced. */
void account_advance(struct thread *t, uint64_t cpu) HIDDEN;

/* Bring user and system time up to date; IS_SAMPLER: the caller is the sampler, whose own are no part of them. */
void account_modes(bool is_sampler) HIDDEN;

void account_modes_begin(void) HIDDEN;		/* from now on they count anew; */
void account_begin(void) HIDDEN;		/* and there was no sampler */

#endif
