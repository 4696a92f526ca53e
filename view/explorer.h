/* explorer.h - aprof view: a profile on a full screen.
 *
 *     routines -> callers and callees of one -> its source;  trees, cycles and recurring sequences beside them
 *
 * Pages show rows; a row may stand for a routine, and Enter follows it.  Nothing is computed for a page before it is shown. */
#ifndef EXPLORER_H
#define EXPLORER_H

#include "report/report.h"

/* Show what IN has until the user quits; OPTIONS say whether colour and UTF-8 can be used.  Standard input and output are a terminal.
 * False with *ERR set (ERROR_SYSTEM: the terminal cannot do it; ERROR_MEMORY) after the terminal was restored.  A SIGINT, SIGTERM or SIGHUP
 * restores the terminal and then does what it always does. */
bool explorer_run(const struct report_input *in, const struct report_options *options, struct error *err);

#endif
