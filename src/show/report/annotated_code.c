/* annotated_code.c - instructions, one a line. */
#include "show/report/annotated_code.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "show/report/figure_text.h"
#include "show/report/share.h"

enum { SHARE = 10, WHOLE = 60, AROUND = 4 };	/* columns; a body of so many instructions is shown whole, of others so many before and behind a sample */

/* Whether instruction I of body B is shown. */
static bool is_shown(const struct code *c, const struct code_body *b, size_t i)
{
	size_t first = i < b->first + AROUND ? b->first : i - AROUND, last = i + AROUND;

	if (b->n <= WHOLE)
		return true;
	for (size_t k = first; k <= last && k < b->first + b->n; k++)
		if (c->lines[k].ticks > 0)
			return true;
	return i < b->first + AROUND;
}

static void line_print(FILE *out, const struct code *c, const struct code_line *line, const struct graph *g, const struct report_options *options)
{
	char text[SHARE_SIZE] = "";
	bool hot = line->ticks > 0 && 10 * line->time >= c->time;

	print_begin(out, &options->style, hot ? 'w' : ' ');
	if (line->ticks > 0) {
		share_text(text, &options->style, c->time ? (double)line->time / (double)c->time : 0, graph_samples_error(g, line->ticks, c->ticks));
		fprintf(out, "%*s%s ", SHARE - (int)print_width(text, strlen(text)), "", text);
		figure_print(out, g, line->time, PRINT_UNITS, PRINT_TIME);
	} else {
		fprintf(out, "%*s", SHARE + 1 + PRINT_TIME, "");
	}
	fprintf(out, " %8" PRIx64 "  ", line->address);
	escape_print(out, line->text, options->style.utf8 ? 0 : ESCAPE_ASCII);
	print_end(out, &options->style);
	putc('\n', out);
}

static void body_print(FILE *out, const struct code *c, const struct code_body *b, const struct graph *g, const struct report_options *options)
{
	bool gap = false;

	putc('\n', out);
	print_begin(out, &options->style, 'h');
	fprintf(out, "%*s %*s     address  ", SHARE, "% self", PRINT_TIME - 3, "self");
	print_name(out, b->name, &options->style);
	fputs(" in ", out);
	print_name(out, print_basename(b->module), &options->style);
	print_end(out, &options->style);
	putc('\n', out);
	for (size_t i = b->first; i < b->first + b->n; i++) {
		if (is_shown(c, b, i))
			line_print(out, c, &c->lines[i], g, options);
		else if (!gap)
			fprintf(out, "%*s     ...\n", SHARE + 1 + PRINT_TIME, "");
		gap = !is_shown(c, b, i);
	}
}

void annotated_code_print(FILE *out, const struct code *c, const struct graph *g, const struct report_options *options)
{
	for (size_t i = 0; i < c->nbodies; i++)
		body_print(out, c, &c->bodies[i], g, options);
}

static json_t *body_json(const struct code *c, const struct code_body *b, const struct graph *g)
{
	json_t *array = json_array();

	for (size_t i = b->first; i < b->first + b->n; i++) {
		const struct code_line *line = &c->lines[i];

		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "address", emit_count(line->address), "text", emit_name(line->text), "self_ns",
			emit_count(line->time), "error_ns", line->ticks ? share_json(graph_samples_error(g, line->ticks, c->ticks), c->time) : json_null(), "ticks",
			emit_count(line->ticks)));
	}
	return array;
}

json_t *annotated_code_json(const struct code *c, const struct graph *g)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->nbodies; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:o}", "name", emit_name(c->bodies[i].name), "module", emit_name(c->bodies[i].module), "instructions",
			body_json(c, &c->bodies[i], g)));
	return array;
}
