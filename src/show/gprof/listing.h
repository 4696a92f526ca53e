/* listing.h - the reports on a gmon.out, and what they share: names and numbers as gprof prints them.
 *
 * These reports keep gprof's very columns, of fixed widths, so that what reads gprof's output reads theirs; the reports on
 * contexts widen theirs as numbers need it, and take nanoseconds. */
#ifndef GPROF_LISTING_H
#define GPROF_LISTING_H

#include "understand/analysis.h"
#include "show/report/report.h"

/* All of them, ended by a NULL name; report_print writes them. */
extern const struct report gprof_listings[];

/* N samples in ns, for JSON. */
json_t *gprof_nsec(const struct gprof *g, double samples);

/* The name of a routine, made harmless, and with -l or --inline-file-names its line; returns the characters printed. */
size_t gprof_name_print(FILE *out, const struct report_input *in, const struct report_options *options, uint32_t r);

/* The same with its cycle and the number of its entry: [N], or (N) if that is not printed. */
void gprof_link_print(FILE *out, const struct report_input *in, const struct report_options *options, uint32_t r);

/* The path of a source file, or without -L its last part. */
const char *gprof_file(const char *path, const struct report_options *options);

/* Each in the file of its name. */
report_text gprof_flat_text, gprof_graph_text, gprof_index_text, gprof_counts_text, gprof_source_text, gprof_functions_text, gprof_files_text;
report_json gprof_flat_json, gprof_graph_json, gprof_index_json, gprof_counts_json, gprof_source_json, gprof_functions_json, gprof_files_json;

#endif
