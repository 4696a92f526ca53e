/* never_called.c - routines that have hooks and were never called. */
#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "show/report/report.h"

static const char not_known[] =
	"Some modules do not record which of their functions have hooks (by cyg), so routines of theirs that were\n"
	"never called are not listed.\n";

static void never_routine_print(FILE *out, const struct symbol *s, const struct report_options *options)
{
	const char *file = !s->file || options->gprof.paths ? s->file : print_basename(s->file);

	fputs("    ", out);
	print_name_beside(out, s->display, &options->style, 4 + (file ? 5 + (int)strlen(file) + print_count_width(s->line, 0) : 0));
	if (file) {
		fputs("  (", out);
		print_name(out, file, &options->style);
		fprintf(out, ":%" PRIu32 ")", s->line);
	}
	putc('\n', out);
}

bool never_text(const struct report_input *in, const struct report_options *options, FILE *out, struct error *err)
{
	(void)err;
	fprintf(out, "Routines never called: %zu\n", in->nnever);
	if (in->nnever)
		putc('\n', out);
	for (size_t i = 0; i < in->nnever; i++)
		never_routine_print(out, in->never[i], options);
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
