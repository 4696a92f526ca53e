/* verification.h - what came of holding the threads' stacks against the contexts that the machines were in, and the sources of time against one another
 * (aprof run --verify). */
#ifndef VERIFICATION_H
#define VERIFICATION_H

#include "show/report/report.h"

struct verification {
	bool asked;		/* some run held stacks against contexts */
	uint64_t checked;	/* stacks of which it was told whether they fit */
	uint64_t differ;	/* of these, those that do not */
	uint64_t at_hook;	/* of these, those that fit but for the routine caught before its entry hook was done, or behind its exit hook */
	uint64_t untold;	/* those caught in a hook out of line, on the way to another stack, or on a signal's: there was nothing to check */
	uint64_t unread;	/* those that should have been checked, and could not be read */
	uint64_t compared;	/* samples, of the source that has fewer, by which times were held against one another, routine by routine */
	double apart;		/* part of the time by which they differ beyond chance, 0..1 (read/profile/times.h) */
};

/* Add up what the runs of IN say.  A stack that fits only if a routine is taken to be out fits where the routine's code says
 * that it may be, and differs elsewhere.  IN has symbols. */
struct verification verification_make(const struct report_input *in);

/* What part of the stacks that were there to be checked could not be, per cent. */
double verification_unread(uint64_t checked, uint64_t unread);

/* Is that more than what a run may have that is called checked? */
bool verification_is_short(uint64_t checked, uint64_t unread);

/* What came of the times of V, in words, in TEXT of SIZE bytes. */
void verification_times(const struct verification *v, char *text, size_t size);

/* Print a line on each, and lines on what differs most; nothing where nobody asked. */
void verification_print(const struct report_input *in, const struct report_options *options, FILE *out);

/* The same as JSON. */
json_t *verification_json(const struct report_input *in);

#endif
