/* tls.c - a thread's words, and what stands in them before its first hook. */
#include "inside/tls.h"

#include "contract/amon.h"
#include "inside/hooks/script.h"
#include "inside/machine/context.h"

struct amon_counter aprof_counter_none = { .id = UINT64_MAX, .routine = NO_ROUTINE };	/* no current context has this id, 0 included */
target aprof_front_none[2] = { (target)&aprof_counter_none, (target)&aprof_counter_none };
struct frame aprof_frame_none = { .cfa = 1 };	/* open, and nobody's */
struct aprof_stack script_none;

__thread struct aprof_tls aprof_tls = { .front = aprof_front_none, .top = &aprof_frame_none, .charged = &aprof_counter_none,
				     .sites = aprof_front_none, .script = &script_none, .script_last = &script_none };
