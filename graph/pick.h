/* pick.h - the names that gprof's options take: which table each fills, and whether one means a routine.
 *
 *     FILE:ROUTINE  FILE:LINE  FILE:  :ROUTINE      and without a colon
 *     FILE if it has a dot, LINE if it begins with a digit, else ROUTINE
 *
 * An arc is two of them, FROM/TO; an empty one means every routine.  FILE is compared with the last part of a path. */
#ifndef PICK_H
#define PICK_H

#include <stdbool.h>
#include <stddef.h>

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

/* One name taken apart; all empty: it fits every symbol. */
struct pick {
	const char *file;	/* last part of the path; NULL: any */
	size_t file_length;	/* bytes of it */
	const char *name;	/* as linked; NULL: any */
	size_t name_length;	/* bytes of it */
	unsigned long line;	/* 0: any */
};

/* Take the LENGTH bytes at TEXT apart; the result points into them. */
struct pick pick_parse(const char *text, size_t length);

/* Whether P means the routine NAME of FILE (NULL: unknown) at LINE. */
bool pick_fits(const struct pick *p, const char *name, const char *file, unsigned long line);

#endif
