/* dot.c - the call graph for Graphviz, made and quoted by its own library, libcgraph.
 *
 * A node is a routine, darker and larger the more of the run passed while it was active; an arc is as thick as the time that its
 * calls took for the callee.  Each node and arc carries its figures as attributes (aprof_self_ns, ...), for programs.
 * With `sites` an arc is drawn for each place that its calls come from, where these were told apart.
 * What is below the threshold is left out, and the picture's title says how much self time that was. */
#include <graphviz/cgraph.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "show/export/export.h"
#include "show/report/figure_text.h"
#include "show/report/report.h"
#include "base/print.h"

/* cgraph wants strings that it could write to, and does not. */
#define CONSTANT(s) ((char *)(uintptr_t)(s))

struct drawing {
	const struct report_input *in;
	struct graph_sites sites; /* if an arc is to be drawn for each of them */
	const struct graph *graph;
	Agraph_t *picture;
	Agnode_t **nodes;	/* routine -> its node; NULL: left out */
	uint64_t whole;		/* time of the run, ns */
	uint64_t least;		/* what is left out has a smaller total, ns */
	uint64_t hidden;	/* self time of the routines left out, ns */
};

static void dot_set(void *object, const char *attribute, const char *value)
{
	agsafeset(object, CONSTANT(attribute), CONSTANT(value), CONSTANT(""));
}

static void set_count(void *object, const char *attribute, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRIu64, n);
	dot_set(object, attribute, text);
}

/* NAME made harmless, in a label: Graphviz reads escapes of its own there, so each backslash is doubled.  Cut to fit. */
static void label_append(FILE *label, const char *name)
{
	char text[400];

	escape_string(text, sizeof text, name, 0);
	for (const char *s = text; *s; s++) {
		if (*s == '\\')
			putc('\\', label);
		putc(*s, label);
	}
}

/* A colour between white and red for SHARE of the run, 0 to 1, in Graphviz's HSV. */
static void set_colour(void *object, double share)
{
	char text[64];

	snprintf(text, sizeof text, "0.030 %.3f 1.000", 0.05 + 0.65 * share);
	dot_set(object, "fillcolor", text);
}

static double dot_share_of(const struct drawing *d, uint64_t part)
{
	return d->whole ? (double)part / (double)d->whole : 0;
}

/* "1.25 s (3.4 %)" */
static void figure_append(FILE *label, const struct drawing *d, const char *what, uint64_t ns)
{
	char time[PRINT_TIME_SIZE];

	fprintf(label, "%s%s (%.1f %%)", what, figure_text(time, d->graph, ns), 100 * dot_share_of(d, ns));
}

static char *routine_label(const struct drawing *d, const struct graph_routine *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *label = open_memstream(&text, &size);

	if (!label)
		return NULL;
	label_append(label, r->name.name);
	fputs("\\n", label);
	figure_append(label, d, "total ", r->total);
	fputs("\\n", label);
	figure_append(label, d, "self ", r->self);
	if (d->graph->counted && !r->plain) {
		fprintf(label, "\\n%" PRIu64, r->calls);
		if (r->recursive)
			fprintf(label, "+%" PRIu64, r->recursive);
		fputs(r->calls + r->recursive == 1 ? " call" : " calls", label);
	}
	if (fclose(label) == 0)
		return text;
	free(text);
	return NULL;
}

static bool node_draw(struct drawing *d, uint32_t routine)
{
	const struct graph_routine *r = &d->graph->routines[routine];
	char name[32], *label = routine_label(d, r);
	Agnode_t *node;

	if (!label)
		return false;
	snprintf(name, sizeof name, "r%" PRIu32, routine);
	node = d->nodes[routine] = agnode(d->picture, name, 1);
	if (!node) {
		free(label);
		return false;
	}
	dot_set(node, "label", label);
	set_colour(node, dot_share_of(d, r->self));
	if (graph_counts(d->graph, routine)) {
		set_count(node, "aprof_calls", r->calls);
		set_count(node, "aprof_recursive", r->recursive);
	}
	set_count(node, "aprof_self_ns", r->self);
	set_count(node, "aprof_total_ns", r->total);
	free(label);
	return true;
}

/* `list.c:31`, where PLACE is known. */
static void place_append(FILE *label, const struct call_place *place)
{
	char line[32];

	if (place->within)
		label_append(label, place->within);
	else if (place->file)
		label_append(label, print_basename(place->file));
	else if (place->address)
		fprintf(label, "at 0x%" PRIx64, place->address);
	else
		fputs("at no known line", label);
	snprintf(line, sizeof line, ":%" PRIu32, place->line);
	fputs(place->within || !place->file ? "" : line, label);
	fputs("\\n", label);
}

/* What stands at an arc to TO, with its PLACE, unless NULL; TIMED: its times are known.  To be freed. */
static char *arc_label(const struct drawing *d, uint32_t to, const struct call_figures *figures, bool timed, const struct call_place *place)
{
	char *text = NULL, time[PRINT_TIME_SIZE];
	size_t size = 0;
	FILE *label = open_memstream(&text, &size);

	if (!label)
		return NULL;
	if (place)
		place_append(label, place);
	if (timed)
		fputs(figure_text(time, d->graph, figures->self + figures->children), label);
	if (graph_counts(d->graph, to))
		fprintf(label, "%s%" PRIu64 " x", timed ? "\\n" : "", figures->calls);
	if (fclose(label) == 0)
		return text;
	free(text);
	return NULL;
}

/* The arc A, or those of its calls that FIGURES says, from PLACE. */
static bool edge_draw(struct drawing *d, const struct graph_arc *a, const struct call_figures *figures, bool timed, const struct call_place *place)
{
	Agedge_t *edge = agedge(d->picture, d->nodes[a->from], d->nodes[a->to], NULL, 1);
	char *label = edge ? arc_label(d, a->to, figures, timed, place) : NULL, width[32];

	if (!label)
		return false;
	dot_set(edge, "label", label);
	free(label);
	snprintf(width, sizeof width, "%.2f", 1 + 7 * dot_share_of(d, figures->self + figures->children));
	dot_set(edge, "penwidth", width);
	if (a->folded)
		dot_set(edge, "style", "dashed");
	if (graph_counts(d->graph, a->to))
		set_count(edge, "aprof_calls", figures->calls);
	if (!d->graph->arcs_alone && timed)
		set_count(edge, "aprof_self_ns", figures->self);
	if (timed)
		set_count(edge, "aprof_children_ns", figures->children);
	return true;
}

static bool arc_draw(struct drawing *d, const struct graph_arc *a)
{
	const struct call_figures arc = { a->calls, a->self2, a->child2 };
	struct call_places places = { 0 };
	bool ok = true;

	if (!d->sites.n)
		return edge_draw(d, a, &arc, true, NULL);
	if (!call_places_make(&places, d->in, &d->sites, a->from, a->to, &arc))
		return false;
	for (size_t i = 0; ok && i < places.n; i++) {
		const struct call_place *p = &places.places[i];

		ok = edge_draw(d, a, &(struct call_figures){ p->calls, p->self, p->children }, places.timed, p);
	}
	if (ok && (places.unknown || places.rest_self + places.rest_children > 0))
		ok = edge_draw(d, a, &(struct call_figures){ places.unknown, places.rest_self, places.rest_children }, true, NULL);
	call_places_free(&places);
	return ok;
}

static bool dot_is_shown(const struct drawing *d, const struct graph_routine *r)
{
	return (r->calls || r->recursive || r->total) && r->total >= d->least;
}

static bool arc_is_shown(const struct drawing *d, const struct graph_arc *a)
{
	uint64_t time = a->self2 + a->child2;

	return (a->calls || time) && time >= d->least;
}

static bool all_draw(struct drawing *d)
{
	const struct graph *g = d->graph;

	for (uint32_t i = 0; i < g->nroutines; i++)
		if (!dot_is_shown(d, &g->routines[i]))
			d->hidden += g->routines[i].self;
		else if (!node_draw(d, i))
			return false;
	for (uint32_t i = 0; i < g->narcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		if (a->from != GRAPH_NONE && d->nodes[a->from] && d->nodes[a->to] && arc_is_shown(d, a) && !arc_draw(d, a))
			return false;
	}
	return true;
}

static void title_set(struct drawing *d)
{
	const struct profile *p = d->graph->profile;
	char *text = NULL, time[PRINT_TIME_SIZE];
	size_t size = 0;
	FILE *label = open_memstream(&text, &size);

	if (!label)
		return;
	label_append(label, p->nruns ? profile_run_name(&p->runs[0]) : "aprof");
	fprintf(label, ": %s", print_amount_text(time, (double)d->whole, figure_unit(d->graph)));
	if (d->hidden)
		figure_append(label, d, "; in routines omitted ", d->hidden);
	if (d->graph->outside)
		figure_append(label, d, "; outside all routines ", d->graph->outside);
	if (fclose(label) == 0)
		dot_set(d->picture, "label", text);
	free(text);
	if (!profile_is_time(d->graph->profile))
		dot_set(d->picture, "aprof_unit", figure_unit(d->graph));
	set_count(d->picture, "aprof_time_ns", d->graph->time);
	set_count(d->picture, "aprof_outside_ns", d->graph->outside);
	set_count(d->picture, "aprof_hidden_self_ns", d->hidden);
}

static void dot_defaults_set(Agraph_t *picture)
{
	agattr(picture, AGNODE, CONSTANT("shape"), CONSTANT("box"));
	agattr(picture, AGNODE, CONSTANT("style"), CONSTANT("filled,rounded"));
	agattr(picture, AGNODE, CONSTANT("fontname"), CONSTANT("Helvetica"));
	agattr(picture, AGEDGE, CONSTANT("fontname"), CONSTANT("Helvetica"));
	agattr(picture, AGEDGE, CONSTANT("fontsize"), CONSTANT("10"));
}

bool dot_write(const struct report_input *in, const struct export_options *options, FILE *out, struct error *err)
{
	struct drawing d = { .in = in, .graph = in->graph, .whole = figure_run(in->graph) };
	bool ok = false;

	if (options->sites && !graph_sites_make(&d.sites, in->graph, err))
		return false;
	d.least = (uint64_t)((double)d.whole * options->min_percent / 100);
	d.nodes = calloc((size_t)in->graph->nroutines + 1, sizeof *d.nodes);
	d.picture = agopen(CONSTANT("aprof"), Agdirected, NULL);
	if (d.nodes && d.picture) {
		dot_defaults_set(d.picture);
		ok = all_draw(&d);
		title_set(&d);
		agwrite(d.picture, out);
	}
	if (d.picture)
		agclose(d.picture);
	free(d.nodes);
	graph_sites_free(&d.sites);
	return ok || error_no_memory(err, NULL);
}
