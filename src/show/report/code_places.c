/* code_places.c - call sites and the parts of self times, as text and JSON. */
#include "show/report/code_places.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/emit.h"
#include "base/escape.h"
#include "base/name.h"
#include "show/report/share.h"

void call_place_print(FILE *out, const struct call_place *p, const struct text_style *style)
{
	char text[200];

	if (p->file) {
		fprintf(out, "at %s:%" PRIu32, print_safe(text, sizeof text, print_basename(p->file), style), p->line);
		if (p->column)
			fprintf(out, ":%" PRIu32, p->column);
		if (p->within)
			fputc(' ', out);
	}
	if (p->within) {
		if (p->module)
			fprintf(out, "in %s: ", print_safe(text, sizeof text, print_basename(p->module), style));
		else
			fputs("in ", out);
		print_name(out, p->within, style);
	} else if (p->address) {
		fprintf(out, "at 0x%" PRIx64, p->address);
	} else if (!p->file) {
		fputs("at no known line", out);
	}
	if (p->through) {
		fputs(", by way of ", out);
		print_name(out, p->through, style);
	}
	if (p->by_pointer)
		fputs(", through a pointer", out);
}

json_t *call_place_json(const struct call_place *p)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "file", emit_name(p->file), "line", p->line ? emit_count(p->line) : json_null(),
			 "column", p->column ? emit_count(p->column) : json_null(), "address", p->address ? emit_count(p->address) : json_null(), "within", emit_name(p->within), "module", emit_name(p->module),
			 "by_pointer", (int)p->by_pointer, "through", emit_name(p->through));
}

json_t *call_places_json(const struct call_places *c, const struct call_figures *arc)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->n; i++) {
		const struct call_place *p = &c->places[i];

		json_t *place = call_place_json(p), *figures = json_pack("{s:o, s:o, s:o, s:o}", "calls", emit_calls(c->counted, p->calls),
			"self_ns", c->timed ? emit_count(p->self) : json_null(), "children_ns", c->timed ? emit_count(p->children) : json_null(),
			"error_ns", c->timed ? share_json(p->error, arc->self + arc->children) : json_null());

		json_object_update(place, figures);
		json_decref(figures);
		json_array_append_new(array, place);
	}
	return array;
}

/* `memcmp (__memcmp_evex_movbe)`, `msort_with_tmp, called as qsort`. */
static void leaf_name_print(FILE *out, const struct leaf *l, const struct report_options *options, int before)
{
	const char *variant = name_variant(l->name);
	size_t public = variant ? (size_t)(variant - l->name) : 0;

	print_name_beside(out, l->name, &options->style, before);
	if (l->called && !(strlen(l->called) == public && strncmp(l->called, l->name, public) == 0)) {
		fputs(", called as ", out);
		print_name(out, l->called, &options->style);
	}
}

/* The functions of NAMES, joined by line feeds, as `insert -> compare`, malloc'ed; NULL: out of memory. */
static char *inlined_text(const char *names, const struct report_options *options)
{
	char *text = NULL, *name = malloc(strlen(names) + 1), *brief = malloc(strlen(names) + 1);
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (const char *at = names; out && name && brief && at;) {
		size_t n = strcspn(at, "\n");

		memcpy(name, at, n);
		name[n] = '\0';
		name_simplify(brief, name);
		print_brief(out, name, brief, &options->style);
		at = at[n] ? at + n + 1 : NULL;
		fputs(at ? " -> " : "", out);
	}
	free(name);
	free(brief);
	if (out && fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* `inlined: insert -> compare` behind BEFORE columns; of what does not fit the screen the outermost go. */
static void leaf_inlined_print(FILE *out, const struct leaf *l, const struct report_options *options, int before)
{
	static const char head[] = "inlined: ", cut[] = "... ";
	int room = options->style.width > 0 && !options->style.wide ? options->style.width - before - (int)strlen(head) : INT_MAX;
	const char *names = l->place, *next;
	char *text = inlined_text(names, options);

	while (text && (int)print_width(text, strlen(text)) + (names > l->place ? (int)strlen(cut) : 0) > room && (next = strchr(names, '\n'))) {
		free(text);
		names = next + 1;
		text = inlined_text(names, options);
	}
	fprintf(out, "%s%s%s", head, names > l->place ? cut : "", text ? text : l->name);
	free(text);
}

void leaves_print(FILE *out, const struct leaf *l, const struct report_options *options, int before)
{
	if (l->kind == LEAF_INLINED) {
		leaf_inlined_print(out, l, options, before);
		return;
	}
	if (l->name)
		fputs("in ", out);
	before += 5 + (int)print_name(out, l->name || options->gprof.paths ? l->place : print_basename(l->place), &options->style);
	if (!l->name) {
		fprintf(out, ":%" PRIu32, l->line);
		return;
	}
	fputs(": ", out);
	leaf_name_print(out, l, options, before);
}

/* The functions through which LEAF was inlined, itself the last. */
static json_t *leaf_inlined_json(const struct leaf *leaf)
{
	json_t *array = json_array();

	for (const char *name = leaf->place; name;) {
		size_t n = strcspn(name, "\n");
		char *text = strndup(name, n);

		json_array_append_new(array, text ? emit_name(text) : NULL);
		free(text);
		name = name[n] ? name + n + 1 : NULL;
	}
	return array;
}

json_t *leaves_json(const struct leaves *l, const struct graph *g, uint32_t routine)
{
	json_t *array = json_array();

	for (size_t i = l->first[routine]; i < l->first[routine + 1]; i++) {
		const struct leaf *leaf = &l->leaf[i];

		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"name", emit_name(leaf->name), "called", emit_name(leaf->called), "place", leaf->kind == LEAF_INLINED ? json_null() : emit_name(leaf->place),
			"inlined", leaf->kind == LEAF_INLINED ? leaf_inlined_json(leaf) : json_null(),
			"line", leaf->line ? emit_count(leaf->line) : json_null(),
			"self_ns", emit_count(leaf->time), "error_ns",
			leaf->ticks ? share_json(graph_samples_error(g, leaf->ticks, l->explained[routine]), g->routines[routine].self) : json_null(), "ticks", emit_count(leaf->ticks)));
	}
	return array;
}
