/* recurring.h - the sequences that recur, found once for all reports of one input. */
#ifndef RECURRING_H
#define RECURRING_H

#include "understand/findings/report_input.h"
#include "understand/graph/recurring_paths.h"

enum { RECURRING_MOST = 20 };		/* sequences that a report asks for where nobody says how many */
#define RECURRING_PERCENT 0.1		/* of the run's time that they have, at least */

/* The first MOST sequences that recur in IN's graph, 0: all, with PERCENT of the run's time at least: IN's, where these are among them, of which there may be
 * more; else those in *OWN, which the caller frees with paths_free in any case.  NULL with *ERR set: out of memory. */
const struct paths *recurring_find(const struct report_input *in, size_t most, double percent, struct paths **own, struct error *err);

#endif
