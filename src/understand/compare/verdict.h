/* verdict.h - the first question of every change: is it slower, and why.
 *
 * The run as a whole is slower, or faster, if the chance of so large a difference between equal programs is small enough.  What the machine does meanwhile is noise
 * of the whole; that of a few routines is less, and between equal programs none has other code or other calls.  So the run is slower, too, if those that have are, together,
 * by such a chance, and the whole does not speak against it.  It is put down to the routine whose
 * own time changed most, the same way: of those that are known to have changed, in their calls or their code, by more than noise among these few; else of all,
 * by more than noise among all.  Where that routine is called more or less often, the reason is looked for up the call graph: as long as a caller, too,
 * runs more often, and calls as often each time as before, the reason is with its own caller.
 *
 * Pure, no I/O. */
#ifndef VERDICT_H
#define VERDICT_H

#include "understand/compare/comparison.h"

#define VERDICT_LEVEL 0.001		/* chance of an answer that noise gave */

enum verdict_answer { VERDICT_NO_CHANGE, VERDICT_SLOWER, VERDICT_FASTER };

/* Why a routine takes another time. */
enum verdict_reason {
	VERDICT_UNKNOWN,		/* no routine stands out; or it is not known how often it is called */
	VERDICT_CALLS,			/* it is called more often, or less */
	VERDICT_CODE,			/* as often, and its machine code is another */
	VERDICT_SAME,			/* as often, and its machine code is the same */
	VERDICT_EACH,			/* as often, and nothing is known of its code: each call takes another time */
};

struct verdict {
	enum verdict_answer answer;
	double change;			/* of the run's time, a share of the base runs' mean */
	double error;			/* half of the interval that holds it with 95 %, likewise; NAN: unknown */
	bool by_part;			/* the answer is by the routines that changed, not by the run as a whole: */
	double part, error_of_part;	/* what their own times changed by together, and its error, as `change` and `error` */
	double error_of_routine;	/* the same of the routine's own time, ns */
	uint32_t routine;		/* index in the comparison's routines: what it is put down to; GRAPH_NONE: nothing */
	enum verdict_reason reason;
	uint32_t arc;			/* VERDICT_CALLS: index of the arc whose calls changed and why not is to be found above; else the arc into the routine of which the
					 * time changed most, where calls are not counted; GRAPH_NONE: none */
	uint32_t site;			/* index of the call site of that arc whose calls changed most; GRAPH_NONE: none is known */
};

/* Of C, which was judged; an answer is one if noise gives it with a chance of LEVEL at most. */
struct verdict verdict_make(const struct comparison *c, double level);

#endif
