/* of_gmon.h - a gmon.out as a profile with tables: routines and arcs as gprof sees them. */
#ifndef PUBLIC_OF_GMON_H
#define PUBLIC_OF_GMON_H

#include "public/asked.h"
#include "public/typed_table.h"

/* All zero: it is none. */
struct of_gmon {
	struct text *text;		/* the program's symbols */
	struct gmon gmon;		/* sum of the files */
	struct gprof *view;		/* NULL: it is none */
	uint32_t *flat;			/* routines in the order of the flat profile */
	uint32_t *rows;			/* routine -> its row in "routines": those of the flat profile first */
};

/* Read the N files at PATHS, all of them gmon.out, with the program that OPTIONS name, or a.out.  False with *ERR set; freed with of_gmon_free in any case. */
bool of_gmon_open(struct of_gmon *o, const char *const *paths, size_t n, const struct aprof_options *options, struct error *err);
void of_gmon_free(struct of_gmon *o);

/* Its table NAME.  NULL with *ERR set: it has no such table, or memory is short. */
struct aprof_table *of_gmon_table(const struct of_gmon *o, const char *name, struct error *err);

#endif
