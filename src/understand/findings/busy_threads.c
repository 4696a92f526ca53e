/* busy_threads.c - threads by their CPU time, and the times of those that have any. */
#include "understand/findings/busy_threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 0.05		/* part of their time that a place has */
#define IDLE 0.1		/* CPU time, of the most that a thread has */

struct work {
	const struct graph *g;
	double *time;		/* by thread, ns */
	double cpu;		/* the most that a thread has, ns */
	double *own;		/* by context: of threads that work, ns */
	double *sum;		/* by routine */
	double *most;		/* the heaviest context of it, */
	uint32_t *where;	/* and which */
};

static double busy_threads_cpu(const struct work *w, uint32_t thread)
{
	const struct amon_thread *t = &w->g->profile->threads[thread].record;

	return t->cpu_last > t->cpu_first ? (double)(t->cpu_last - t->cpu_first) : 0;
}

static bool is_busy(const struct work *w, uint32_t thread)
{
	return w->cpu > 0 && busy_threads_cpu(w, thread) >= IDLE * w->cpu;
}

/* Of how many threads there is something, and how many work. */
static void busy_threads_count(struct work *w, struct busy *b)
{
	const struct profile *p = w->g->profile;

	for (size_t i = 0; i < p->nshares; i++)
		w->time[p->shares[i].thread] += (double)p->shares[i].time;
	for (uint32_t t = 0; t < p->nthreads; t++)
		w->cpu = fmax(w->cpu, busy_threads_cpu(w, t));
	for (uint32_t t = 0; t < p->nthreads; t++) {
		b->threads += w->time[t] > 0;
		b->busy += w->time[t] > 0 && is_busy(w, t);
	}
}

/* The context that CONTEXT's time is said to be of: of the kernel's that of who called it. */
static uint32_t busy_threads_place(const struct graph *g, uint32_t context)
{
	while (g->contexts[context].parent != GRAPH_NONE && g->contexts[context].parent != 0) {
		const struct graph_name *name = &g->routines[g->contexts[context].routine].name;

		if (strcmp(name->name ? name->name : "", "[kernel]") != 0 && strcmp(name->module ? name->module : "", "[kernel]") != 0)
			break;
		context = g->contexts[context].parent;
	}
	return context;
}

/* Their times, by routine; how much that is in all. */
static double busy_threads_times_add(struct work *w)
{
	double all = 0;

	for (size_t i = 0; i < w->g->profile->nshares; i++) {
		struct graph_share s = graph_share(w->g, i);

		if (is_busy(w, s.thread))
			w->own[busy_threads_place(w->g, s.context)] += (double)s.time;
	}
	for (uint32_t c = 1; c < w->g->ncontexts; c++) {
		uint32_t r = w->g->contexts[c].routine;

		w->sum[r] += w->own[c];
		all += w->own[c];
		if (w->own[c] > w->most[r]) {
			w->most[r] = w->own[c];
			w->where[r] = c;
		}
	}
	return all;
}

static uint32_t caller_of(const struct graph *g, uint32_t context)
{
	uint32_t parent = g->contexts[context].parent;

	return parent == GRAPH_NONE ? GRAPH_NONE : g->contexts[parent].routine;
}

static void places_choose(struct work *w, struct busy *b, double all)
{
	for (; b->nplaces < BUSY_PLACES; b->nplaces++) {
		uint32_t best = 0;

		for (uint32_t r = 1; r < w->g->nroutines; r++)
			best = w->sum[r] > w->sum[best] ? r : best;
		if (w->sum[best] < LEAST * all)
			break;
		b->places[b->nplaces] = (struct busy_place){ best, caller_of(w->g, w->where[best]), w->sum[best] / all };
		w->sum[best] = 0;
	}
}

bool busy_threads_find(struct busy *b, const struct graph *g)
{
	const struct profile *p = g->profile;
	struct work w = { .g = g, .time = calloc((size_t)p->nthreads + 1, sizeof *w.time), .own = calloc((size_t)g->ncontexts + 1, sizeof *w.own),
		.sum = calloc((size_t)g->nroutines + 1, sizeof *w.sum), .most = calloc((size_t)g->nroutines + 1, sizeof *w.most),
		.where = calloc((size_t)g->nroutines + 1, sizeof *w.where) };
	bool ok = w.time && w.own && w.sum && w.most && w.where, apart = true;
	double all;

	*b = (struct busy){ 0 };
	for (uint32_t t = 0; t < p->nthreads; t++)
		apart &= p->threads[t].record.state != AMON_THREAD_FOLDED;
	if (ok && apart) {
		busy_threads_count(&w, b);
		b->busy = b->busy < b->threads ? b->busy : 0;
		all = b->busy ? busy_threads_times_add(&w) : 0;
		if (all > 0)
			places_choose(&w, b, all);
	}
	free(w.time);
	free(w.own);
	free(w.sum);
	free(w.most);
	free(w.where);
	return ok;
}
