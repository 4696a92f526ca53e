/* check_print.h - what a check found, as text and JSON. */
#ifndef CHECK_PRINT_H
#define CHECK_PRINT_H

#include <stdio.h>

#include "understand/analysis.h"

/* Write a line for each finding and a summary to OUT, or one JSON object.  False with *ERR set: OUT fails, or out of memory. */
bool check_print(const struct check *check, const struct comparison *c, const struct check_options *options, FILE *out, struct error *err);

#endif
