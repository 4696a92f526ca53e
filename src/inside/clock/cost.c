/* cost.c - the hooks' own cost, in the file. */
#include "inside/clock/cost.h"

#include "contract/amon.h"
#include "inside/state.h"

struct cost cost_of_hooks[3];

int cost_way(void)
{
	const struct amon_header *h = monitor.header;

	if (h->clock == AMON_CLOCK_COUNT || !(h->way & ~(1u << AMON_WAY_SCRIPT)))
		return -1;		/* nothing is taken by hooks there; what an interpreter's call costs is not known */
	return h->way & (1u << AMON_WAY_FENTRY | 1u << AMON_WAY_MCOUNT) ? 0 : h->way & 1u << AMON_WAY_CYG ? 1 : 2;
}

void cost_record(void)
{
	struct amon_header *h = monitor.header;
	int way = cost_way();

	if (way < 0)
		return;
	h->hook_picoseconds = cost_of_hooks[way].total;
	h->hook_inside = cost_of_hooks[way].inside;
}
