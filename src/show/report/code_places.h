/* code_places.h - where in code and source calls come from and time was spent, as listings and JSON have it. */
#ifndef CODE_PLACES_H
#define CODE_PLACES_H

#include <jansson.h>
#include <stdio.h>

#include "base/print.h"
#include "understand/analysis.h"

/* `at list.c:31:9, through a pointer`, or `in libc.so.6: msort_with_tmp`. */
void call_place_print(FILE *out, const struct call_place *p, const struct text_style *style);

/* {file, line, column, within, module, by_pointer, through} of P. */
json_t *call_place_json(const struct call_place *p);

/* An array of {file, line, column, calls, within, module, by_pointer, through, self_ns, children_ns, error_ns}; the last three are null if no times are
 * known.  ARC is that of call_places_make. */
json_t *call_places_json(const struct call_places *c, const struct call_figures *arc);

/* How L is called in a listing: "in libc.so.6: memcpy" or "sort.c:120", behind BEFORE columns. */
void leaves_print(FILE *out, const struct leaf *l, const struct report_options *options, int before);

/* An array of {name, place, line, self_ns, error_ns, ticks} for the leaves of ROUTINE. */
json_t *leaves_json(const struct leaves *l, const struct graph *g, uint32_t routine);

#endif
