/* annotated_code.h - machine code with the samples of each instruction, for routines of which no source can be shown. */
#ifndef ANNOTATED_CODE_H
#define ANNOTATED_CODE_H

#include "show/report/report.h"

/* Print C's instructions with the parts of its time that passed there; of a long body those around the samples. */
void annotated_code_print(FILE *out, const struct code *c, const struct graph *g, const struct report_options *options);

/* What C says, as an array (doc/json.md, annotate). */
json_t *annotated_code_json(const struct code *c, const struct graph *g);

#endif
