/* tail_calls.h - who called a routine that somebody else is said to have called: code that ends with a jump to it, and was gone when it ran.
 *
 *     source      main -> dispatch -> burn
 *     code        main calls dispatch, which jumps to burn
 *     profile     main -> burn */
#ifndef TAIL_CALLS_H
#define TAIL_CALLS_H

#include "understand/findings/report_input.h"

/* The routine that CALLER of IN's graph calls and whose code ends with a jump to the function called NAME, or LINKED, NULL: the same, while the code of CALLER has no
 * call of that.  GRAPH_NONE: there is none, there are several, or code cannot be read.  Of a routine that calls very many not all are looked at. */
uint32_t tail_calls_through(const struct report_input *in, uint32_t caller, const char *name, const char *linked);

#endif
