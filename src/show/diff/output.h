/* output.h - what the outputs of a comparison, diff and check and the terminal view, have in common. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "base/emit.h"
#include "show/diff/diff_print.h"

/* The items in the order of a table: what is news first, then by the change of what SORT says, whichever way, then by place.
 * malloc'ed; NULL: out of memory. */
uint32_t *output_order(const struct comparison_items *items, enum diff_sort sort);

/* Relative change of self time per call; 0 where a side has no calls or no time. */
double output_per_call(const struct comparison_item *item);

/* Names of items that are between routines: `caller -> callee` of an arc, and of a call site with `at list.c:31:9` behind it. */
void output_routine(const struct comparison *c, uint32_t routine, const struct text_style *style, FILE *out);
void output_arc(const struct comparison *c, const struct comparison_item *item, const struct text_style *style, FILE *out);
void output_site(const struct comparison *c, const struct comparison_item *item, const struct text_style *style, FILE *out);

/* The path of context INDEX as words between blanks, the outermost first; `..` stands where calls were squeezed out.  False: out of memory. */
bool output_path(const struct comparison *c, uint32_t index, const struct text_style *style, FILE *out);

/* What stands for an item of KIND in its row: any of these.  False: out of memory. */
bool output_item(const struct comparison *c, enum comparison_kind kind, const struct comparison_item *item, const struct text_style *style, FILE *out);

/* `Arcs by change of self time: 3 of 200 changed`; returns the 3. */
uint32_t output_title(const struct comparison *c, enum comparison_kind kind, enum diff_sort sort, FILE *out);

/* The cells of a row, into TEXT of SIZE bytes, 64 will do: a change of time, calls (with a sign if SIGN) and their change, the change of self time per call,
 * which is news when the time is and the calls leave something to explain.  `~` is a change within noise, `=` none.  The unit of a time has two columns. */
void output_signed(const struct comparison *c, char *text, size_t size, double change);
void output_time_change(const struct comparison *c, char *text, size_t size, const struct comparison_item *item, enum comparison_time t);
void output_calls(char *text, size_t size, double calls, bool sign);
void output_calls_change(char *text, size_t size, const struct comparison_item *item);
void output_per_call_change(char *text, size_t size, const struct comparison_item *item);

/* `   (new)` or `   (gone)` of what one side alone has; else nothing. */
const char *output_only(const struct comparison_item *item);

/* The same; or `   (same code, same calls)` of a routine whose own time changed though it has these. */
const char *output_remark(const struct comparison *c, const struct comparison_item *item);

/* {caller, callee, site}; `site` as a place of a report's `sites[]`, null of places that are not known. */
json_t *output_site_json(const struct comparison *c, const struct comparison_item *item);

/* X; null if it is no number, or none that is known. */
json_t *output_real_or_null(double x);

/* Open the JSON object of a comparison: schema and version. */
void output_begin(struct emit *e, FILE *out, const struct comparison *c);

#endif
