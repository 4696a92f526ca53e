/* postprocess.h - what the steps of gprof's view hand to each other while it is made. */
#ifndef GPROF_POSTPROCESS_H
#define GPROF_POSTPROCESS_H

#include "understand/gprof/gprof.h"

/* Fill `picked` and npicked[] from the options' names and from those that gprof leaves out by default.  False: out of memory. */
bool gprof_pick(struct gprof *g, const struct gprof_options *options);

/* Share the samples of all bins out to the routines that they cover: fills `self` and g->time. */
void gprof_credit(struct gprof *g);

/* Count the arcs and, with -l, the basic blocks of g->gmon and the arcs that the options add: fills arcs[] and calls. */
bool gprof_tally(struct gprof *g, const struct gprof_options *options);

/* Number the components, and make cycles[], members[] and the routines that stand for cycles.  False: out of memory. */
bool gprof_order(struct gprof *g);

/* Pass what is shown from callers to callees, then times from callees to callers.  False: out of memory. */
bool gprof_spread(struct gprof *g);

/* Sort into listed[], which has room, and number the places. */
void gprof_list(struct gprof *g);

/* Whether an arc between routines FROM and TO is to be counted, as -k and -q FROM/TO say. */
struct gprof_arc_filter;
struct gprof_arc_filter *gprof_arc_filter_new(const struct gprof *g, const struct gprof_options *options);
void gprof_arc_filter_free(struct gprof_arc_filter *f);
bool gprof_arc_filter_keeps(const struct gprof_arc_filter *f, uint32_t from, uint32_t to);

#endif
