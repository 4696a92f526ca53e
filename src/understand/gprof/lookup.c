/* lookup.c - which routine has an address. */
#include "understand/gprof/gprof.h"

uint32_t gprof_find(const struct gprof *g, uint64_t address)
{
	uint32_t low = 0, high = g->nroutines;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g->routines[middle].symbol->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address <= g->routines[low - 1].symbol->last ? low - 1 : GPROF_NONE;
}
