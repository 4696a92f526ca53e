/* recurring.c - the sequences that recur. */
#include "understand/findings/recurring.h"

const struct paths *recurring_find(const struct report_input *in, size_t most, double percent, struct paths **own, struct error *err)
{
	const struct graph *g = in->graph;
	struct paths_options options = { .most = most, .min_time = (uint64_t)((double)(g->time + g->outside) * percent / 100) };

	*own = NULL;
	if (in->paths && paths_answer(in->paths, &options))
		return in->paths;
	*own = paths_find(g, &options, err);
	return *own;
}
