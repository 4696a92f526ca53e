/* tls.c - the words of a thread before its first hook: tables and frames that are nobody's, so that every probe misses. */
#include "monitor/tls.h"

#include "format/amon.h"
#include "monitor/front.h"
#include "monitor/stack.h"

struct frame aprof_frame_none = { .cfa = 1 };	/* open, and nobody's */
struct amon_counter aprof_counter_none = { .id = UINT64_MAX, .routine = NO_ROUTINE };	/* no current context has this id, 0 included */
target aprof_front_none[2] = { (target)&aprof_counter_none, (target)&aprof_counter_none };

__thread struct aprof_tls aprof_tls = { .front = aprof_front_none, .top = &aprof_frame_none, .charged = &aprof_counter_none };
