/* opened.h - an open profile: what stands behind a struct aprof_profile, and the makers of its tables. */
#ifndef PUBLIC_OPENED_H
#define PUBLIC_OPENED_H

#include <math.h>
#include <pthread.h>

#include "public/asked.h"
#include "public/typed_table.h"
#include "public/heard.h"
#include "public/of_gmon.h"
#include "understand/analysis.h"

enum { OPENED_TABLES = 7 };

struct aprof_profile {
	pthread_mutex_t lock;		/* held while a table is made, or notes are looked at */
	struct aprof_options *asked;
	struct of_gmon gmon;		/* of a gmon.out: all that there is; the rest stays empty */
	struct input input;
	struct heard heard;
	const char *unit;		/* of its times, which may be none: that of the value that is looked at */
	uint32_t *rows;			/* routine of the graph -> row of "routines" */
	struct order order;		/* the routines that reports list, in their order: the first rows */
	struct tree *tree;		/* top-down; NULL: nobody asked for it yet */
	struct aprof_table *tables[OPENED_TABLES];	/* made so far */
};

/* The makers.  NULL with *ERR set.  P's lock is held. */
typedef struct aprof_table *opened_make(struct aprof_profile *p, struct error *err);
opened_make routines_make, arcs_make, contexts_make, tree_make, findings_make, values_make, runs_make;

/* What a share of WHOLE that may be off by ERROR, as graph_error has it, may be off by itself; NaN: not known. */
static inline double opened_error(double error, uint64_t whole)
{
	return error < 0 ? NAN : fmin(error, 1) * (double)whole;
}

/* The row of ROUTINE of the graph, or APROF_NONE of none. */
static inline uint32_t opened_row(const struct aprof_profile *p, uint32_t routine)
{
	return routine == GRAPH_NONE ? APROF_NONE : p->rows[routine];
}

#endif
