/* figure_text.h - times of figures.h as they are printed: what no sample can tell as an upper bound, `<2.00 ms`. */
#ifndef FIGURE_TEXT_H
#define FIGURE_TEXT_H

#include <stdio.h>

#include "base/print.h"
#include "understand/analysis.h"

/* TIME of G as print_seconds and print_time have it, but for what no sample can tell. */
void figure_print(FILE *out, const struct graph *g, uint64_t time, int decimals, int width);

/* The same of the mean of TIME over CALLS, of which there are some. */
void figure_mean_print(FILE *out, const struct graph *g, uint64_t time, uint64_t calls, int width);

/* The same as text, `1.20 s`, `<2.00 ms`, into BUFFER of PRINT_TIME_SIZE bytes, which is returned. */
char *figure_text(char *buffer, const struct graph *g, uint64_t time);

#endif
