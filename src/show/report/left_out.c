/* left_out.c - routines left out at compile time: their calls are not known, and their time is their callers'. */
#include "show/report/left_out.h"

#include <string.h>

#include "base/print.h"
#include "show/report/report.h"

static const struct {
	const char *text;		/* after how many */
	const char *word;		/* in JSON */
} reasons[SYMBOLS_LEFT_REASONS] = {
	[SYMBOLS_LEFT_FILE] = { "with their files (--aprof-only, --aprof-except)", "file" },
	[SYMBOLS_LEFT_NAME] = { "by name (--aprof-only, --aprof-except)", "name" },
	[SYMBOLS_LEFT_LEAF] = { "as small leaf routines (--aprof-leaf)", "leaf" },
	[SYMBOLS_LEFT_NAKED] = { "as bare assembly (attribute naked)", "naked" },
};

/* How many of the same reason begin at FIRST. */
static size_t same_reason(const struct report_input *in, size_t first)
{
	size_t n = 1;

	while (first + n < in->nleft_out && in->left_out[first + n].why == in->left_out[first].why)
		n++;
	return n;
}

void left_out_print(const struct report_input *in, const struct report_options *options, FILE *out)
{
	char text[400] = "";
	size_t used = 0, n;

	for (size_t i = 0; i < in->nleft_out; i += n) {
		n = same_reason(in, i);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", i ? ", " : "", n, reasons[in->left_out[i].why].text);
	}
	if (used)
		print_field(out, &options->style, "no hooks", "%s", text);
}

void left_out_list(const struct report_input *in, const struct report_options *options, FILE *out)
{
	size_t n;

	for (size_t i = 0; i < in->nleft_out; i += n) {
		n = same_reason(in, i);
		fprintf(out, "\nNo hooks, %s: %zu\n\n", reasons[in->left_out[i].why].text, n);
		for (size_t k = i; k < i + n; k++) {
			fputs("  ", out);
			print_name(out, in->left_out[k].name, &options->style);
			putc('\n', out);
		}
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
