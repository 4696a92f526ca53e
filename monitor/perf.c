/* perf.c - program counters of samples. */
#include "clock.h"
