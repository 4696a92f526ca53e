/* roll.h - the program's side of contract/roll.h. */
#ifndef ROLL_H
#define ROLL_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/roll.h"
#include "inside/monitor.h"

/* Find the roll in DIRECTORY.  False: there is none. */
bool roll_open(const char *directory) HIDDEN;

/* Does a filter of system calls hold for the process that does not hold for the recorder?  Then who knows which call would be its death. */
bool roll_is_filtered(void) HIDDEN;

/* Write the calling process, or the program that it has become, down.  False: there is no room. */
bool roll_enter(void) HIDDEN;

/* When the calling process, as it is written down, began, CLOCK_MONOTONIC ns; 0: it is not. */
uint64_t roll_started(void) HIDDEN;

/* It gives no samples, and why. */
void roll_close(enum roll_closed why) HIDDEN;

/* It ends, after USED ns of CPU time. */
void roll_end(uint64_t used) HIDDEN;

/* It has waited for its child PID, which used USED ns of CPU time with all that it waited for itself.  No system call. */
void roll_waited(int pid, uint64_t used) HIDDEN;

#endif
