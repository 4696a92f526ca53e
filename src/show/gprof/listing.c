/* listing.c - names and numbers as gprof prints them. */
#include "show/gprof/listing.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "show/report/report.h"
#include "base/print.h"

json_t *gprof_nsec(const struct gprof *g, double samples)
{
	return json_integer((json_int_t)gprof_nanoseconds(g, samples));
}

const char *gprof_file(const char *path, const struct report_options *options)
{
	return options->gprof.paths ? path : print_basename(path);
}

size_t gprof_name_print(FILE *out, const struct report_input *in, const struct report_options *options, uint32_t r)
{
	const struct gmon_symbol *s = in->gmon->routines[r].symbol;
	unsigned flags = options->style.utf8 ? 0 : ESCAPE_ASCII;
	size_t n = escape_print(out, options->gprof.traditional ? s->name : s->display, flags);
	char place[48];

	if ((!options->gprof.lines && !options->gprof.file_names) || !s->file)
		return n;
	n += (size_t)fprintf(out, " (");
	n += escape_print(out, gprof_file(s->file, options), flags);
	if (options->gprof.lines)
		snprintf(place, sizeof place, ":%" PRIu32 " @ %" PRIx64 ")", s->line, s->start);
	else
		snprintf(place, sizeof place, ":%" PRIu32 ")", s->line);
	return n + (size_t)fprintf(out, "%s", place);
}

void gprof_link_print(FILE *out, const struct report_input *in, const struct report_options *options, uint32_t r)
{
	const struct gprof_routine *routine = &in->gmon->routines[r];

	gprof_name_print(out, in, options, r);
	if (routine->cycle)
		fprintf(out, " <cycle %" PRIu32 ">", routine->cycle);
	if (routine->place)
		fprintf(out, routine->printed ? " [%" PRIu32 "]" : " (%" PRIu32 ")", routine->place);
}
