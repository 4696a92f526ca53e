/* hot_tables.h - the two tables with which the first screen begins: what has most time of its own, and which routines have most in all. */
#ifndef HOT_TABLES_H
#define HOT_TABLES_H

#include <stdio.h>

#include "base/print.h"
#include "understand/analysis.h"

/* The first ROWS of both, HOT_TOP at most, to OUT, with a heading each: no line is longer than 80 columns, or the terminal's if these are more. */
void hot_tables_print(const struct hot_cases *c, const struct report_options *options, size_t rows, FILE *out);

/* The lines that they take. */
size_t hot_tables_lines(const struct hot_cases *c, size_t rows);

enum { HOT_NAME_SIZE = 2048 };		/* bytes of a name that is printed, more than enough for one that fits a line */

/* HOT's name in ROOM columns, 3 or more, into BUFFER of HOT_NAME_SIZE bytes, which is returned. */
char *hot_name_text(char *buffer, const struct hot_cases *c, const struct hot *hot, size_t room, const struct text_style *style);

#endif
