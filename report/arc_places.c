/* arc_places.c - the call sites of all arcs, for the page. */
#include "report/call_sites.h"

/* Those of the arc from FROM to TO.  False: out of memory. */
static bool arc_json(struct emit *e, const struct report_input *in, const struct graph_sites *sites, uint32_t from, uint32_t to, const struct call_figures *arc)
{
	struct call_places places;

	if (!call_places_make(&places, in, sites, from, to, arc))
		return false;
	if (places.n > 0)
		emit_item(e, json_pack("{s:o, s:o, s:o}", "from", from == GRAPH_NONE ? json_null() : emit_count(from), "to", emit_count(to),
				       "sites", call_places_json(&places, arc)));
	call_places_free(&places);
	return true;
}

bool arc_places_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	const struct graph *g = in->graph;
	struct graph_sites sites;
	bool ok = graph_sites_make(&sites, g, err);

	(void)options;
	if (!ok)
		return false;
	emit_array(e, "arc_places");
	for (uint32_t i = 0; ok && i < g->narcs; i++)
		ok = arc_json(e, in, &sites, g->arcs[i].from, g->arcs[i].to,
			      &(struct call_figures){ g->arcs[i].calls, g->arcs[i].self2, g->arcs[i].child2 });
	for (uint32_t i = 0; ok && i < g->nroutines; i++)
		if (g->routines[i].recursive)
			ok = arc_json(e, in, &sites, i, i, &(struct call_figures){ g->routines[i].recursive, 0, 0 });
	emit_array_end(e);
	graph_sites_free(&sites);
	return ok || error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
}
