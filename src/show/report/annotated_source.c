/* annotated_source.c - the source of a routine cut into lines, and what is known of these as JSON. */
#include "show/report/annotated_source.h"

#include <stdlib.h>
#include <string.h>

#include "show/report/share.h"

bool annotated_source_read(struct source_text *t, struct lines *l, const struct report_input *in, struct error *err)
{
	if (!l->file)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: no debug information says where its source is; compile with -g",
			in->graph->routines[l->routine].name.name);
	if (!in->source)
		return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: no source can be read here", l->file);
	t->data = in->source(in->source_reader, l->file, &t->len, err);
	t->at = t->data;
	t->line = 1;
	return t->data && lines_find_calls(l, in, t->data, t->len, err);
}

static const char *line_end(const struct source_text *t)
{
	const char *end = memchr(t->at, '\n', (size_t)(t->data + t->len - t->at));

	return end ? end : t->data + t->len;
}

bool annotated_source_at_end(const struct source_text *t)
{
	return t->at >= t->data + t->len;
}

void annotated_source_next(struct source_text *t)
{
	t->at = line_end(t) + (line_end(t) < t->data + t->len);
	t->line++;
}

char *annotated_source_line(const struct source_text *t)
{
	const char *end = line_end(t);
	char *line = calloc((size_t)(end - t->at) * 8 + 1, 1);
	size_t n = 0;

	for (const char *p = t->at; line && p < end; p++) {
		if (*p == '\r' && p + 1 == end)
			break;
		do
			line[n++] = *p == '\t' || *p == '\0' ? ' ' : *p;
		while (*p == '\t' && n % 8 != 0);
	}
	return line;
}

bool annotated_source_leaves(struct leaves *leaves, const struct report_input *in, struct error *err)
{
	struct report_options split = { .leaves = true };

	return leaves_make(leaves, in, &split, err);
}

static json_t *costs_json(const struct graph *g, const struct lines *l)
{
	json_t *array = json_array();

	for (size_t i = 0; i < l->ncosts; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o}", "line", emit_count(l->costs[i].line), "self_ns",
			emit_count(l->costs[i].time), "error_ns", share_json(lines_error(l, g, l->costs[i].ticks), g->routines[l->routine].self),
			"ticks", emit_count(g->sampled ? l->costs[i].ticks : 0)));
	return array;
}

/* The lines on which callee INDEX is called. */
static json_t *call_lines(const struct lines *l, uint32_t index)
{
	json_t *array = json_array();
	uint32_t last = 0;

	for (size_t i = 0; i < l->ncalls; i++)
		if (l->calls[i].callee == index && l->calls[i].line != last) {
			last = l->calls[i].line;
			json_array_append_new(array, emit_count(last));
		}
	return array;
}

/* The call sites of callee INDEX, if they were told apart; else NULL. */
static json_t *call_sites(const struct graph *g, const struct lines *l, uint32_t index)
{
	json_t *array = json_array();

	if (!l->callees[index].told) {
		json_decref(array);
		return NULL;
	}
	for (size_t i = 0; i < l->ncalls; i++)
		if (l->calls[i].callee == index)
			json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "line", l->calls[i].line ? emit_count(l->calls[i].line) : json_null(),
				"column", l->calls[i].column ? emit_count(l->calls[i].column) : json_null(), "calls", emit_calls(g->counted, l->calls[i].calls), "time_ns",
				l->calls[i].timed ? emit_count(l->calls[i].time) : json_null(), "error_ns",
				l->calls[i].timed ? share_json(l->calls[i].error, g->routines[l->routine].total) : json_null()));
	return array;
}

static json_t *callees_json(const struct graph *g, const struct lines *l)
{
	const struct graph_routine *r = g->routines + l->routine;
	json_t *array = json_array();

	for (size_t i = 0; i < l->ncallees; i++) {
		const struct line_callee *callee = &l->callees[i];

		json_t *sites = call_sites(g, l, (uint32_t)i), *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(callee->name), "place",
			emit_name(callee->place), "calls", emit_calls(g->counted && !callee->place, callee->calls), "time_ns",
			emit_count(callee->time), "error_ns", share_json(callee->error, callee->place ? r->self : r->total), "call_lines",
			call_lines(l, (uint32_t)i));

		if (sites)
			json_object_set_new(json, "call_sites", sites);
		json_array_append_new(array, json);
	}
	return array;
}

json_t *annotated_source_json(const struct graph *g, const struct lines *l)
{
	const struct graph_routine *r = g->routines + l->routine;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", emit_name(r->name.name),
			 "file", emit_name(l->file), "first_line", emit_count(l->first), "last_line", emit_count(l->last),
			 "self_ns", emit_count(r->self), "total_ns", emit_count(r->total), "lines", costs_json(g, l), "callees",
			 callees_json(g, l), "plain_ns", emit_count(l->plain), "elsewhere_ns", emit_count(l->elsewhere), "unknown_ns",
			 emit_count(l->unknown), "calls", emit_calls(g->counted, r->calls));
}
