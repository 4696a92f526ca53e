/* sums.c - adding up the files of a profile. */
#include "understand/findings/sums.h"

#include <math.h>

#include "understand/findings/life.h"

/* A file of N processes, or of one, where N is 0; its life is the worst of theirs. */
static void lives_add(struct sums *s, enum report_life life, uint64_t n)
{
	if (n > 1 && life != REPORT_ENDED)
		s->mixed += n;
	else
		s->lives[life] += n ? n : 1;
}

static void run_add(struct sums *s, const struct report_input *in, uint32_t i)
{
	const struct profile_run *run = &in->graph->profile->runs[i];

	s->transitions += run->transitions - run->recursions;
	s->calls += run->calls;
	s->cpu += run->header.cpu_total;
	s->unsure += run->header.unsure;
	for (unsigned n = 0; n < AMON_NOTES; n++)
		s->notes[n] += run->header.notes[n];
	lives_add(s, life_of(in, i), life_processes(run));
	s->truncated += run->truncated;
	s->reset += run->header.reset_monotonic != 0;
}

struct sums sums_make(const struct report_input *in)
{
	const struct profile *p = in->graph->profile;
	uint32_t contexts = p->plain ? p->plain : p->ncontexts;
	struct sums s = { 0 };

	for (uint32_t i = 0; i < p->nruns; i++)
		run_add(&s, in, i);
	if (p->mean_of) {
		s.transitions /= p->mean_of;
		s.calls /= p->mean_of;
		s.cpu /= p->mean_of;
		s.unsure /= p->mean_of;
	}
	for (uint32_t i = 0; i < p->nthreads; i++)
		s.misses += p->threads[i].record.misses;
	for (uint32_t i = 1; i < contexts && profile_has_contexts(p); i++) {
		const struct profile_context *c = &p->contexts[i];

		if (c->entries || c->recursive || c->calls_out || c->time || c->ticks) {
			s.contexts++;
			s.length += c->length;
		}
	}
	return s;
}

double sums_error(const struct graph *g, double percent)
{
	const struct overhead_evidence *e = &g->evidence;
	double samples = e->variance > 0 ? e->measured * e->measured / e->variance : (double)g->ticks;

	double half = 1.96 * sqrt(percent * (100 - percent) / samples), lo = fmax(percent - half, 0) / 100, hi = fmin(percent + half, 100) / 100;

	overhead_widen(g->unsure, &lo, &hi);
	return fmin(fmax(half, fmax(percent - 100 * lo, 100 * hi - percent)), 99);
}
