/* diff_print.h - what changed between base runs and new ones: text and JSON. */
#ifndef DIFF_PRINT_H
#define DIFF_PRINT_H

#include <stdio.h>

#include "base/emit.h"
#include "show/report/report.h"

enum diff_sort { DIFF_BY_SELF, DIFF_BY_TOTAL, DIFF_BY_CALLS, DIFF_BY_PER_CALL };

struct diff_options {
	enum diff_sort sort;	/* by the change of what, whichever way; what is beyond noise comes first */
	uint32_t top;		/* rows of each table; 0: all */
	bool all;		/* rows within noise, too */
	struct report_options report;	/* how names and legends are printed */
};

/* Write what was compared, how the runs as wholes differ, and what is known of noise: lines of a head. */
void diff_head(const struct comparison *c, const struct diff_options *options, FILE *out);

/* Write the tables of routines, arcs and contexts of C, which was judged, to OUT.  In each the changes of self time add up to that of the whole
 * run, what is not listed included.  False with *ERR set: out of memory, or OUT fails. */
bool diff_text(const struct comparison *c, const struct diff_options *options, FILE *out, struct error *err);

/* The same as one JSON object, with all rows. */
bool diff_json(const struct comparison *c, const struct diff_options *options, FILE *out, struct error *err);

/* The same with VERDICT as a member, which is its own from now on. */
bool diff_json_with(const struct comparison *c, const struct diff_options *options, json_t *verdict, FILE *out, struct error *err);

#endif
