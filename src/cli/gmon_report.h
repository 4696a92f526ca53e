/* gmon_report.h - aprof PROGRAM gmon.out: what gprof does. */
#ifndef GMON_LOOK_H
#define GMON_LOOK_H

#include "cli/operands.h"
#include "cli/options.h"

/* Read, add up and report the gmon.out files among OPERANDS.  Returns the exit status, after a message if it is not 0. */
int gmon_report(const struct operands *operands, const struct options *o);

#endif
