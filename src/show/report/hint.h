/* hint.h - what would tell more of a program without hooks, by what it is. */
#ifndef HINT_H
#define HINT_H

#include "show/report/report.h"

/* A line of the head with the one hint that concerns the largest share of the time, or of the stacks; nothing where that is less than a twentieth, or nothing helps. */
void hint_print(const struct report_input *in, const struct report_options *options, FILE *out);

#endif
