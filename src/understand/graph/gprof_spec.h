/* gprof_spec.h - the names that gprof's options take, and what each is for. */
#ifndef GPROF_SPEC_H
#define GPROF_SPEC_H

/* The tables of names that options fill.  A routine is in a view if it is in the view's INCLUDE table, or that is empty and it is not in
 * the EXCLUDE table; a name that fits nothing leaves its table empty. */
enum gprof_table {
	GPROF_INCLUDE_GRAPH, GPROF_EXCLUDE_GRAPH,	/* entries of the call graph */
	GPROF_INCLUDE_ARCS, GPROF_EXCLUDE_ARCS,		/* arcs that are counted at all */
	GPROF_INCLUDE_FLAT, GPROF_EXCLUDE_FLAT,		/* lines of the flat profile, and the samples that are counted */
	GPROF_INCLUDE_TIME, GPROF_EXCLUDE_TIME,		/* routines whose time is passed to callers */
	GPROF_INCLUDE_SOURCE, GPROF_EXCLUDE_SOURCE,	/* annotated source */
	GPROF_INCLUDE_COUNTS, GPROF_EXCLUDE_COUNTS,	/* execution counts */
	GPROF_TABLES
};

/* A name for a table, as typed: [FILE:](ROUTINE|LINE) or FILE, and for arcs two of them with a / between. */
struct gprof_spec {
	enum gprof_table table;
	const char *text;	/* owned by whoever made it */
};

#endif
