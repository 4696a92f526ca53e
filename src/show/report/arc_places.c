/* arc_places.c - the call sites of all arcs, for the page. */
#include "show/report/code_places.h"
#include "show/report/report.h"

static bool arc_places_arc_json(void *e, uint32_t from, uint32_t to, const struct call_figures *arc, const struct call_places *places)
{
	if (places->n > 0)
		emit_item(e, json_pack("{s:o, s:o, s:o}", "from", from == GRAPH_NONE ? json_null() : emit_count(from), "to", emit_count(to),
				       "sites", call_places_json(places, arc)));
	return true;
}

bool arc_places_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	bool ok;

	(void)options;
	emit_array(e, "arc_places");
	ok = call_places_each(in, arc_places_arc_json, e, err);
	emit_array_end(e);
	return ok;
}
