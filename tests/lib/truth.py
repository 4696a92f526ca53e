"""What a profile says against what the program itself measured in that very run: for tests of times, which so hold however busy the machine is.

A program has CLOCKS before its own text, adds up what its places take, and prints it.  The profile may differ by chance alone: by DEVIATIONS standard errors."""

DEVIATIONS = 5                  # one in a million
OF_ERROR = 1.96                 # how many of them the errors are that aprof prints: for 95 of 100 runs

# Seconds of the calling thread's CPU time, and of elapsed time.
CLOCKS = r"""
#include <time.h>
__attribute__((no_instrument_function)) static inline double seconds_by(clockid_t clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec + t.tv_nsec / 1e9; }
#define cpu_seconds() seconds_by(CLOCK_THREAD_CPUTIME_ID)
#define wall_seconds() seconds_by(CLOCK_MONOTONIC)
"""


def agree(test, found, true, error, told=None):
    """FOUND is TRUE, ERROR being how far off the profile says it may be; all in one unit."""
    test.assertLessEqual(abs(found - true), DEVIATIONS / OF_ERROR * error, (found, true, error, told))
