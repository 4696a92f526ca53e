/* intervals.h - when the samples of a run were taken, by the intervals that its file keeps. */
#ifndef REPORT_INTERVALS_H
#define REPORT_INTERVALS_H

#include <stdbool.h>

#include "base/emit.h"
#include "base/error.h"
#include "read/profile/profile.h"

/* Put intervals[] into E: the intervals of each run of P in which samples were taken, one after the other; none where the runs keep no times by interval.
 * False: out of memory. */
bool intervals_emit(struct emit *e, const struct profile *p, struct error *err);

#endif
