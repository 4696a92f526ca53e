/* share.h - shares with their errors, as the listings print them.
 *
 * A share and its error are 0..1, the error as graph_error has it; less than 0: not known, and not printed.  A share within its own error is no
 * more than an upper bound, `<9 %`. */
#ifndef REPORT_SHARE_H
#define REPORT_SHARE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/emit.h"
#include "base/print.h"
#include "understand/analysis.h"

enum { SHARE_SIZE = 48 };		/* bytes of a text, more than enough */

/* `93±6 %`, `93.1±0.4 %`, `<9 %`; `93 %` without an error; `~93 %` where samples say nothing, an error of a half and more.  Into BUFFER of SHARE_SIZE bytes, which is returned. */
char *share_text(char *buffer, const struct text_style *style, double share, double error);

/* The column `% time`, and, with ERRORS, that of these beside it: ` 93.12  ±6.1`, or an upper bound.  The columns of a heading: share_heading. */
void share_print(FILE *out, const struct text_style *style, bool errors, double share, double error);
void share_heading(FILE *out, const struct text_style *style, const struct graph *g, bool errors);

/* `<2.1`, the upper bound of a share within its error, in 6 columns. */
void share_print_bound(FILE *out, double share, double error);

/* The sign before an error. */
const char *share_sign(const struct text_style *style);

/* What they mean, unless -b was given or there are none; the legend has WIDTH columns for the words that it explains. */
void share_legend(FILE *out, const struct text_style *style, const struct graph *g, bool errors, int width);

/* How wide these are. */
int share_width(bool errors);

/* ERROR of a share of WHOLE, in ns; null: not known. */
json_t *share_json(double error, uint64_t whole);

#endif
