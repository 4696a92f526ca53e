/* output.h - what the outputs of a comparison have in common. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "compare/diff_print.h"
#include "text/emit.h"

/* The items in the order of a table: what is news first, then by the change of what SORT says, whichever way, then by place.
 * malloc'ed; NULL: out of memory. */
uint32_t *output_order(const struct comparison_items *items, enum diff_sort sort);

/* Relative change of self time per call; 0 where a side has no calls or no time. */
double output_per_call(const struct comparison_item *item);

/* Names of items that are between routines: `caller -> callee` of an arc, and of a call site with `at list.c:31:9` behind it. */
void output_routine(const struct comparison *c, uint32_t routine, const struct text_style *style, FILE *out);
void output_arc(const struct comparison *c, const struct comparison_item *item, const struct text_style *style, FILE *out);
void output_site(const struct comparison *c, const struct comparison_item *item, const struct text_style *style, FILE *out);

/* {caller, callee, site}; `site` as a place of a report's `sites[]`, null of places that are not known. */
json_t *output_site_json(const struct comparison *c, const struct comparison_item *item);

/* Open the JSON object of a comparison: schema and version. */
void output_begin(struct emit *e, FILE *out);

#endif
