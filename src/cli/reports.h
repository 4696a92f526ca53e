/* reports.h - what report, tree, cycles, contexts, info and run have in common: choosing reports and printing them. */
#ifndef REPORTS_H
#define REPORTS_H

#include <stdio.h>

#include "cli/options.h"

/* Print the reports that COMMAND with O stands for, on what IN holds, to OUT.  Returns the exit status, after a message if not 0. */
int reports_print(const struct input *in, unsigned command, const struct options *o, FILE *out);

#endif
