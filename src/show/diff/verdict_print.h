/* verdict_print.h - the answer of a comparison, and its reason, in two sentences: text, Markdown, JSON. */
#ifndef VERDICT_PRINT_H
#define VERDICT_PRINT_H

#include "show/diff/diff_print.h"

/* Write both sentences to OUT, as lines of a head, by the options of C's tables.  False with *ERR set: out of memory. */
bool verdict_text(const struct verdict *v, const struct comparison *c, const struct diff_options *o, FILE *out, struct error *err);

/* Write a comment on a change to OUT, in Markdown: both sentences, and the routines that changed.  False with *ERR set: out of memory, or OUT fails. */
bool verdict_markdown(const struct verdict *v, const struct comparison *c, const struct diff_options *o, FILE *out, struct error *err);

/* {answer, change, error, reason, routine, arc, site, text}: shares of the base runs' time, names, and the sentences.  NULL: out of memory. */
json_t *verdict_json(const struct verdict *v, const struct comparison *c);

#endif
