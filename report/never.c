/* never.c - routines that have hooks and were never called. */
#include <inttypes.h>

#include "report/report.h"
#include "text/print.h"

static const char not_known[] =
	"Some modules do not record which of their functions have hooks (way cyg), so routines of theirs that were\n"
	"never called are not listed.\n";

bool never_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	(void)err;
	fprintf(out, "Routines never called: %zu\n", in->nnever);
	if (in->nnever)
		putc('\n', out);
	for (size_t i = 0; i < in->nnever; i++) {
		fputs("    ", out);
		print_name(out, in->never[i]->display, &options->style);
		if (in->never[i]->file) {
			fputs("  (", out);
			print_name(out, options->gprof.paths ? in->never[i]->file : print_basename(in->never[i]->file), &options->style);
			fprintf(out, ":%" PRIu32 ")", in->never[i]->line);
		}
		putc('\n', out);
	}
	if (!in->never_known)
		print_legend(out, &options->style, not_known);
	return true;
}

bool never_json(const struct report_input *in, const struct report_options *options, struct emit *e, struct error *err)
{
	(void)err;
	(void)options;
	emit_member(e, "never_known", json_boolean(in->never_known));
	emit_array(e, "never");
	for (size_t i = 0; i < in->nnever; i++)
		emit_item(e, json_pack("{s:o, s:o, s:o}", "name", emit_name(in->never[i]->display),
				       "file", emit_name(in->never[i]->file), "line", emit_count(in->never[i]->line)));
	emit_array_end(e);
	return true;
}
