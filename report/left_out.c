/* left_out.c - routines left out at compile time: their calls are not known, and their time is their callers'. */
#include "report/left_out.h"

#include <string.h>

#include "report/report.h"
#include "text/print.h"

enum { MOST_NAMES = 12 };		/* named in a line of the head; the JSON has all */

static const struct {
	const char *text;		/* the line's beginning */
	const char *word;		/* in JSON */
} reasons[SYMBOLS_LEFT_REASONS] = {
	[SYMBOLS_LEFT_FILE] = { "left out with their files (--aprof-only, --aprof-except)", "file" },
	[SYMBOLS_LEFT_NAME] = { "left out by name (--aprof-only, --aprof-except)", "name" },
	[SYMBOLS_LEFT_LEAF] = { "left out as small leaves (--aprof-leaf)", "leaf" },
	[SYMBOLS_LEFT_NAKED] = { "left out as bare assembly (attribute naked)", "naked" },
};

/* The N names from FIRST on, cut to fit SIZE bytes and MOST_NAMES. */
static void names_text(char *buffer, size_t size, const struct report_left_out *first, size_t n,
		       const struct report_options *options)
{
	size_t used = 0, i;
	char name[200];

	for (i = 0; i < n && i < MOST_NAMES && used < size - sizeof name; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "",
					 print_safe(name, sizeof name, first[i].name, &options->style));
	if (i < n)
		snprintf(buffer + used, size - used, " and %zu more", n - i);
}

void left_out_print(const struct report_input *in, const struct report_options *options, FILE *out)
{
	char names[3000];
	size_t n;

	for (size_t i = 0; i < in->nleft_out; i += n) {
		const struct report_left_out *first = &in->left_out[i];

		for (n = 1; i + n < in->nleft_out && first[n].why == first->why; n++)
			;
		names_text(names, sizeof names, first, n, options);
		print_field(out, &options->style, i ? "" : "no hooks", "%zu %s: %s", n, reasons[first->why].text, names);
	}
}

json_t *left_out_json(const struct report_input *in)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->nleft_out; i++)
		json_array_append_new(array, json_pack("{s:o, s:s}", "name", emit_name(in->left_out[i].name), "why",
						       reasons[in->left_out[i].why].word));
	return array;
}
