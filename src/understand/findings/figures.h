/* figures.h - the figures that several views tell, each defined once.
 *
 *   the run     all time in routines and outside of all of them, the hooks' cost subtracted: what every share of the run is of
 *   own time    a routine's self: that of its own code, of the code without hooks that ran under it, and of the kernel; of its own code alone where it is split
 *               (leaves.h, hot_cases.h)
 *   samples     those behind the run's time
 *   a sample    what one of these stands for, on average
 *   a mean      time by calls
 *   the unit    what a time of the graph is in: "ns", or that of another value, which is called time all the same
 *
 * A time that is no more than chance made of less than a sample is told as that, `<2.00 ms`. */
#ifndef FIGURES_H
#define FIGURES_H

#include "base/print.h"
#include "understand/graph/graph.h"

/* The time of the run, ns. */
static inline uint64_t figure_run(const struct graph *g)
{
	return g->time + g->outside;
}

static inline const char *figure_unit(const struct graph *g)
{
	return profile_value_of(g->profile)->unit;
}

/* What columns of times are headed by: 8 characters at most. */
static inline const char *figure_heading(const struct graph *g)
{
	return print_unit_heading(figure_unit(g));
}

/* What they are called in a sentence. */
static inline const char *figure_word(const struct graph *g)
{
	return print_unit_word(figure_unit(g));
}

/* What shares of times are headed by: 6 characters. */
static inline const char *figure_share_heading(const struct graph *g)
{
	return print_unit_share(figure_unit(g));
}

/* The share of the run that TIME is, 0..1. */
static inline double figure_share(const struct graph *g, uint64_t time)
{
	return figure_run(g) ? (double)time / (double)figure_run(g) : 0;
}

/* The samples of the run. */
static inline uint64_t figure_samples(const struct graph *g)
{
	return g->ticks + g->outside_ticks;
}

/* What one stands for, ns; 0: times are no samples. */
static inline double figure_sample(const struct graph *g)
{
	return figure_samples(g) ? g->sample : 0;
}

/* TIME by CALLS, ns; 0 of none. */
static inline double figure_mean(uint64_t time, uint64_t calls)
{
	return calls ? (double)time / (double)calls : 0;
}

/* Is TIME, of G's, too little for a sample to tell? */
static inline bool figure_is_below(const struct graph *g, uint64_t time)
{
	return time > 0 && g->sampled && 2 * (double)time < figure_sample(g);
}

#endif
