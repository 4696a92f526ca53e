/* left_out.h - the routines that have no hooks since the compiler was told so, as the head of a report and its JSON have them. */
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include "show/report/report.h"

/* A line of the head that says how many for each reason; nothing when nothing was left out. */
void left_out_print(const struct report_input *in, const struct report_options *options, FILE *out);

/* All their names, for aprof info; likewise. */
void left_out_list(const struct report_input *in, const struct report_options *options, FILE *out);

/* All of them; NULL: out of memory. */
json_t *left_out_json(const struct report_input *in);

#endif
