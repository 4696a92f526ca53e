/* allocations.h - the values of a profile of allocations (aprof run --allocations), behind that of time: what they are called, and how the peak is told.
 *
 * The peak of a context is what it had live when all together had most.  It is kept without looking at the others (struct amon_value.state):
 *
 *     state = 2 * epoch + (1: what is live now is the peak)
 *
 * While all that is live grows beyond what it ever was, each context's part of the peak is what it has live.  The first bytes that are freed end that, and begin
 * another epoch, in which each context keeps what it had before its first change: its amount of the peak then, with the epoch as its mark.  So who has
 * no mark of this epoch has not changed since, and what it has live is its part. */
#ifndef CONTRACT_ALLOCATIONS_H
#define CONTRACT_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/amon.h"

enum heap_value {
	HEAP_ALLOCATIONS,		/* calls that got memory */
	HEAP_ALLOCATED,			/* bytes that were asked for */
	HEAP_LIVE,			/* of them, those that are not freed */
	HEAP_PEAK,			/* those that were not when most were not */
	HEAP_VALUES
};

#define HEAP_NAME_ALLOCATIONS	"allocations"
#define HEAP_NAME_ALLOCATED	"allocated"
#define HEAP_NAME_LIVE		"live"
#define HEAP_NAME_PEAK		"peak"

/* The environment of programs whose allocations are wanted: by exact context, by script or hook; or by stacks in those without hooks. */
#define HEAP_WISH		"APROF_ALLOCATIONS"
#define HEAP_WISH_CONTEXTS	"contexts"
#define HEAP_WISH_STACKS	"stacks"
#define HEAP_DIRECTORY		"APROF_ALLOCATIONS_DIRECTORY"	/* where samples of the latter go */

/* Does the amount of the peak with the mark MARK say what was live then?  Else that is what is live now. */
static inline bool heap_peak_is_kept(uint64_t state, uint64_t mark)
{
	return !(state & 1) && mark == state / 2;
}

#endif
