/* listings.c - the table of the reports on a gmon.out. */
#include "show/gprof/listing.h"

const struct report gprof_listings[] = {
	{ "gprof-flat", "flat profile of a gmon.out", gprof_flat_text, gprof_flat_json },
	{ "gprof-graph", "call graph of a gmon.out", gprof_graph_text, gprof_graph_json },
	{ "gprof-index", "routines of a gmon.out by name", gprof_index_text, gprof_index_json },
	{ "gprof-source", "source of a gmon.out's program with execution counts", gprof_source_text, gprof_source_json },
	{ "gprof-files", "an order of a gmon.out's object files for a linker", gprof_files_text, gprof_files_json },
	{ "gprof-functions", "an order of a gmon.out's functions for a linker", gprof_functions_text, gprof_functions_json },
	{ "gprof-counts", "execution counts of a gmon.out", gprof_counts_text, gprof_counts_json },
	{ NULL, NULL, NULL, NULL },
};
