/* formats.c - the table of formats. */
#include "show/export/export.h"

#include <errno.h>
#include <string.h>

const struct export_format export_table[] = {
	{ "callgrind", "KCachegrind, callgrind_annotate", callgrind_write, false, true },
	{ "pprof", "go tool pprof and all that read its protobuf, gzipped", pprof_write, true, false },
	{ "speedscope", "speedscope", speedscope_write, false, false },
	{ "firefox", "Firefox Profiler (processed profile)", firefox_write, false, false },
	{ "folded", "flamegraph.pl, inferno: a stack and a number a line", folded_write, false, false },
	{ "dot", "Graphviz: the call graph as a picture", dot_write, false, true },
	{ "json", "jq and scripts: every report in one object", json_write, false, true },
	{ "gmon", "GNU gprof: gmon.out of the main program", gmon_out_write, true, false },
	{ "csv", "spreadsheets: a table of routines, arcs or contexts", csv_write, false, true },
	{ NULL, NULL, NULL, false, false },
};

const struct export_format *export_find(const char *name)
{
	for (const struct export_format *f = export_table; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

bool export_write(const struct export_format *format, const struct report_input *in, const struct export_options *options,
		  FILE *out, struct error *err)
{
	errno = 0;
	if (!format->function(in, options, out, err))
		return false;
	if (fflush(out) != 0 || ferror(out))
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write the %s file: %s", format->name,
				 strerror(errno ? errno : EIO));
	return true;
}
