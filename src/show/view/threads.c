/* threads.c - the page of threads: Enter on one, and every page is about it alone, until the first row is chosen again. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/print.h"
#include "show/view/page.h"

/* What a thread, or all, have. */
struct slice {
	uint64_t time;			/* in routines and outside, ns */
	struct overhead_evidence evidence; /* what samples say of it */
	uint64_t cpu;			/* CPU time, ns */
	uint64_t calls;
};

struct slices {
	struct slice all;
	struct slice *threads;		/* of each of the profile's */
};

static void threads_share_add(struct slice *s, const struct graph_share *share)
{
	s->time += share->time;
	s->calls += share->entries + share->recursive;
	overhead_evidence_add(&s->evidence, &share->evidence);
}

static bool slices_open(struct page *p, struct error *err)
{
	const struct graph *g = p->view->g;
	const struct profile *profile = g->profile;
	struct slices *s = calloc(1, sizeof *s);

	p->state = s;
	p->n = 0;
	if (s)
		s->threads = calloc((size_t)profile->nthreads + 1, sizeof *s->threads);
	if (!s || !s->threads)
		return error_no_memory(err, NULL);
	for (size_t i = 0; i < profile->nshares; i++) {
		struct graph_share share = graph_share(g, i);

		threads_share_add(&s->all, &share);
		threads_share_add(&s->threads[share.thread], &share);
	}
	for (uint32_t i = 0; i < profile->nthreads; i++) {
		const struct amon_thread *t = &profile->threads[i].record;

		s->threads[i].cpu = t->cpu_last > t->cpu_first ? t->cpu_last - t->cpu_first : 0;
		s->all.cpu += s->threads[i].cpu;
	}
	p->n = (size_t)profile->nthreads + 1;
	p->cursor = p->view->thread == GRAPH_NONE ? 0 : (size_t)p->view->thread + 1;
	return true;
}

static void slices_close(struct page *p)
{
	struct slices *s = p->state;

	if (s)
		free(s->threads);
	free(s);
}

static void slices_heading(const struct page *p, FILE *out)
{
	fprintf(out, "%6s ", figure_share_heading(p->view->g));
	page_time_heading(p->view, out, "time");
	page_time_heading(p->view, out, "cpu");
	page_calls_heading(p->view, out, "calls");
	fputs("  thread", out);
}

/* `3 worker, tid 123`; of several processes with theirs. */
static void thread_print(const struct page *p, uint32_t thread, FILE *out)
{
	const struct profile *profile = p->view->g->profile;
	const struct profile_thread *t = &profile->threads[thread];

	fprintf(out, "%" PRIu32 " ", thread);
	print_name(out, t->record.name, &p->view->options.style);
	if (t->record.folded > 1)
		fprintf(out, ", %" PRIu64 " threads", t->record.folded);
	else if (!profile->mean_of)
		fprintf(out, ", tid %" PRIu32, t->record.tid);
	if (profile->nruns > 1 && !profile->mean_of) {
		fprintf(out, " of process %" PRId32 " ", profile->runs[t->run].header.pid);
		print_name(out, print_basename(profile_run_name(&profile->runs[t->run])), &p->view->options.style);
	}
}

static enum screen_style slices_row(const struct page *p, size_t row, FILE *out)
{
	const struct slices *s = p->state;
	const struct explorer_view *v = p->view;
	const struct slice *slice = row ? &s->threads[row - 1] : &s->all;
	bool chosen = row ? v->thread == row - 1 : v->thread == GRAPH_NONE;

	fprintf(out, "%6.2f ", print_percent(slice->time, s->all.time));
	page_time(v, out, slice->time);
	page_time(v, out, slice->cpu);
	page_calls(v, out, slice->calls);
	fputs(chosen ? "* " : "  ", out);
	if (row)
		thread_print(p, (uint32_t)row - 1, out);
	else
		fputs("all threads", out);
	return chosen ? SCREEN_STRONG : SCREEN_PLAIN;
}

static uint32_t slices_routine(const struct page *p, size_t row)
{
	(void)row;
	return p->view->routine;
}

static bool slices_enter(struct page *p, size_t row)
{
	p->view->wanted = row ? (uint32_t)row - 1 : GRAPH_NONE;
	return true;
}

const struct page_kind threads_page = { .name = "Threads", .hint = "Enter shows only this", .open = slices_open, .close = slices_close,
	.heading = slices_heading, .row = slices_row, .routine = slices_routine, .enter = slices_enter,
	.briefest = "Thr" };
