/* calibrated.c - the cost of hooks, for the header. */
#include "monitor/calibrated.h"

#include "format/amon.h"
#include "monitor/state.h"

struct hook_cost hook_costs[3];

void hook_cost_record(void)
{
	struct amon_header *h = monitor.header;
	int way = h->way & (1u << AMON_WAY_FENTRY | 1u << AMON_WAY_MCOUNT) ? 0 : h->way & 1u << AMON_WAY_CYG ? 1 : 2;

	h->hook_picoseconds = hook_costs[way].total;
	h->hook_inside = hook_costs[way].inside;
}
