/* explorer.h - aprof view: a profile on a full screen.
 *
 *     routines -> callers and callees of one -> its source;  trees, cycles and recurring sequences beside them, and where to look first
 *     threads -> all of these of one of them
 *     what changed between two sides -> all of these of either side
 *
 * Pages show rows; a row may stand for a routine, and Enter follows it.  Nothing is computed for a page before it is shown. */
#ifndef EXPLORER_H
#define EXPLORER_H

#include "show/report/report.h"

/* Where the profile of a program that still runs is read again.  At most two readings are there at a time: while the pages are made of one, the one
 * before it is still looked at. */
struct explorer_feed {
	const struct report_input *(*renew)(void *arg, struct error *err);	/* read it; NULL with *ERR set: what there was stays */
	void (*release)(void *arg);	/* the reading before the last one is not looked at any more */
	void *arg;			/* their argument */
};

/* Two sides that are compared. */
struct explorer_compared {
	const struct comparison *comparison;	/* judged */
	const struct report_input *base;	/* the mean of the base runs; what explorer_run shows at first is that of the new ones */
};

/* Show what IN has until the user quits, COMPARED (NULL: with nothing), and, while a process of it runs, what FEED (NULL: nothing) has then; OPTIONS say whether colour and UTF-8 can be
 * used.  Standard input and output are a terminal.
 * False with *ERR set (ERROR_SYSTEM: the terminal cannot do it; ERROR_MEMORY) after the terminal was restored.  A SIGINT, SIGTERM or SIGHUP
 * restores the terminal and then does what it always does. */
bool explorer_run(const struct report_input *in, const struct explorer_compared *compared, const struct explorer_feed *feed,
		  const struct report_options *options, struct error *err);

#endif
