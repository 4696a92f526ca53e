/* split.c - one exact context after the other, and in it one thread after the other. */
#include "understand/overhead/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/profile/parts.h"
#include "understand/overhead/steps.h"

struct splitting {
	struct overhead *o;
	struct profile *p;
	struct stack_join_part *all;		/* of the context at hand, over all threads, by path */
	size_t nall, all_room;
	double samples;			/* of it */
	double *before, *whole;		/* by routine with hooks, and the root: time of its contexts, and of those that are not split, ns */
};

static int by_path(const void *left, const void *right)
{
	const struct stack_join_part *a = left, *b = right;

	return (a->path > b->path) - (a->path < b->path);
}

/* The N parts PARTS of one context, over all its threads.  False: out of memory. */
static bool all_make(struct splitting *s, const struct stack_join_part *parts, size_t n)
{
	size_t kept = 0;

	if (!array_reserve(&s->all, &s->all_room, n, sizeof *s->all))
		return false;
	memcpy(s->all, parts, n * sizeof *s->all);
	qsort(s->all, n, sizeof *s->all, by_path);
	s->samples = 0;
	for (size_t i = 0; i < n; i++) {
		s->samples += s->all[i].samples;
		if (kept > 0 && by_path(&s->all[kept - 1], &s->all[i]) == 0)
			s->all[kept - 1].samples += s->all[i].samples;
		else
			s->all[kept++] = s->all[i];
	}
	s->nall = kept;
	return true;
}

/* The part of WHOLE that is PART of ALL; never more than WHOLE. */
static uint64_t part_of(uint64_t whole, double part, double all)
{
	double x = part >= all ? (double)whole : (double)whole * (part / all);

	return x < (double)whole ? (uint64_t)x : whole;
}

/* Take from *HAS, of which WHOLE is to be split, what the next path has: from BEGIN to END of ALL samples, so that what is rounded off adds up. */
static uint64_t take(uint64_t *has, uint64_t whole, double begin, double end, double all)
{
	uint64_t taken = part_of(whole, end, all) - part_of(whole, begin, all);

	*has -= taken;
	return taken;
}

/* Split share I as the N parts PARTS say, of one context and of one thread or of all.  Of the context's raw time, ALL, USED ns can be split, since they are not the hooks'. */
static bool share_split(struct splitting *s, size_t i, const struct stack_join_part *parts, size_t n, uint64_t used, uint64_t all)
{
	struct profile *p = s->p;
	struct profile_share whole = p->shares[i];
	uint64_t time = all ? (uint64_t)((unsigned __int128)whole.time * used / all) : 0;
	double sum = 0, at = 0;

	for (size_t k = 0; k < n; k++)
		sum += parts[k].samples;
	for (size_t k = 0; k < n; k++) {
		struct profile_share part = { .context = parts[k].path, .thread = whole.thread };
		double begin = at;

		if (part.context == whole.context)
			continue;
		at += parts[k].samples;
		part.time = take(&p->shares[i].time, time, begin, at, sum);
		part.ticks = take(&p->shares[i].ticks, whole.ticks, begin, at, sum);
		p->contexts[part.context].time += part.time;
		p->contexts[part.context].ticks += part.ticks;
		p->contexts[whole.context].time -= part.time;
		p->contexts[whole.context].ticks -= part.ticks;
		if ((part.time || part.ticks) && !parts_share(p, &part))
			return false;
	}
	return true;
}

/* The parts of THREAD among the N at PARTS, of one context: their number, the first in *FIRST; 0: there are none. */
static size_t of_thread(const struct stack_join_part *parts, size_t n, uint32_t thread, const struct stack_join_part **first)
{
	size_t begin = 0, end;

	while (begin < n && parts[begin].thread != thread)
		begin++;
	for (end = begin; end < n && parts[end].thread == thread; end++)
		;
	*first = parts + begin;
	return end - begin;
}

/* What is known of the part Q of a time of which HAD is known, where N stacks tell of its parts. */
static struct overhead_evidence evidence_of(const struct overhead_evidence *had, double q, double n)
{
	return (struct overhead_evidence){ q * had->measured, q * q * had->variance + had->measured * had->measured * q * (1 - q) / n };
}

/* What of the hooks' cost, and of the evidence, goes with the time that was taken from CONTEXT, which had CHARGED ns without hooks. */
static void costs_split(struct splitting *s, uint32_t context, uint64_t charged)
{
	struct overhead *o = s->o;
	struct overhead_evidence had = o->evidence ? o->evidence[context] : (struct overhead_evidence){ 0, 0 };
	int64_t cost = o->hooks[context];
	double at = 0, own = 1;

	for (size_t k = 0; k < s->nall; k++) {
		const struct stack_join_part *part = &s->all[k];
		uint64_t raw = s->p->contexts[part->path].time, time = raw;
		double begin = at, q;

		if (part->path == context)
			continue;
		at += part->samples;
		if (cost < 0)
			time = part_of(charged, at, s->samples) - part_of(charged, begin, s->samples);
		o->hooks[part->path] = (int64_t)(raw - time);
		o->hooks[context] -= o->hooks[part->path];
		q = charged ? (double)time / (double)charged : part->samples / s->samples;
		own -= q;
		if (o->evidence)
			o->evidence[part->path] = evidence_of(&had, q, s->samples);
	}
	if (o->evidence)
		o->evidence[context] = evidence_of(&had, own > 0 ? own : 0, s->samples);
}

/* Split the context of the N parts PARTS, which has the shares number SHARES[0..nshares). */
static bool context_split(struct splitting *s, const struct stack_join_part *parts, size_t n, const size_t *shares, size_t nshares)
{
	uint32_t context = parts->context;
	uint64_t time = s->p->contexts[context].time, charged = overhead_charged(s->o, context), used = charged < time ? charged : time;

	if (!all_make(s, parts, n))
		return false;
	for (size_t i = 0; i < nshares; i++) {
		const struct stack_join_part *own;
		size_t nown = of_thread(parts, n, s->p->shares[shares[i]].thread, &own);

		if (!share_split(s, shares[i], nown ? own : s->all, nown ? nown : s->nall, used, time))
			return false;
	}
	costs_split(s, context, charged);
	s->whole[group_of(s->p, context)] -= (double)charged;
	return true;
}

/* The shares of P by context: their numbers, malloc'ed; those of context C begin at FIRST[C], which has room for one more than there are contexts.  NULL: out of memory. */
static size_t *shares_index(const struct profile *p, size_t *first)
{
	size_t *index = calloc(p->nshares + 1, sizeof *index);

	for (size_t i = 0; i < p->nshares; i++)
		first[p->shares[i].context + 1]++;
	for (uint32_t c = 0; c < p->ncontexts; c++)
		first[c + 1] += first[c];
	for (size_t i = p->nshares; index && i-- > 0;)
		index[--first[p->shares[i].context + 1]] = i;
	if (index)
		memmove(first, first + 1, p->ncontexts * sizeof *first);
	return index;
}

static bool contexts_split(struct splitting *s, const struct stack_join *b)
{
	size_t *first = calloc((size_t)s->p->ncontexts + 2, sizeof *first), *index = first ? shares_index(s->p, first) : NULL;
	bool ok = index != NULL;

	if (ok)
		first[s->p->ncontexts] = s->p->nshares;
	for (size_t i = 0, end; ok && i < b->n; i = end) {
		uint32_t c = b->parts[i].context;

		for (end = i; end < b->n && b->parts[end].context == c; end++)
			;
		ok = context_split(s, b->parts + i, end - i, index + first[c], first[c + 1] - first[c]);
	}
	free(index);
	free(first);
	if (ok)
		parts_shares_settle(s->p);
	return ok;
}

/* Make room for what has been added to P since O was made of it, with HOOKED routines. */
static bool room_make(struct overhead *o, const struct profile *p, uint32_t hooked)
{
	size_t old = p->plain, n = p->ncontexts, routines = (size_t)p->nroutines + 1;
	int64_t *hooks = reallocarray(o->hooks, n + 1, sizeof *hooks);
	struct overhead_evidence *evidence = o->evidence ? reallocarray(o->evidence, n + 1, sizeof *evidence) : NULL;
	double *kernel = reallocarray(o->kernel, routines, sizeof *kernel);
	bool lacks = !hooks || !kernel || (o->evidence && !evidence);
	double root;

	o->hooks = hooks ? hooks : o->hooks;
	o->kernel = kernel ? kernel : o->kernel;
	o->evidence = evidence ? evidence : o->evidence;
	if (lacks)
		return false;
	memset(hooks + old, 0, (n - old) * sizeof *hooks);
	if (evidence)
		memset(evidence + old, 0, (n - old) * sizeof *evidence);
	root = kernel[hooked];
	memset(kernel + hooked, 0, (routines - hooked) * sizeof *kernel);
	kernel[p->nroutines] = root;
	return true;
}

/* What the kernel took is in paths of its own, where there are stacks. */
static void kernel_scale(struct splitting *s, uint32_t hooked)
{
	for (uint32_t r = 0; r < hooked; r++)
		s->o->kernel[r] *= s->before[r] > 0 ? s->whole[r] / s->before[r] : 1;
}

bool overhead_split(struct overhead *o, struct profile *p, const struct stack_join *b, struct error *err)
{
	struct splitting s = { .o = o, .p = p, .before = calloc((size_t)p->nroutines + 1, sizeof *s.before), .whole = calloc((size_t)p->nroutines + 1, sizeof *s.whole) };
	bool ok = s.before && s.whole && room_make(o, p, b->hooked);

	for (uint32_t i = 0; ok && i < p->plain; i++)
		s.before[group_of(p, i)] += (double)overhead_charged(o, i);
	if (ok) {
		memcpy(s.whole, s.before, ((size_t)p->nroutines + 1) * sizeof *s.whole);
		ok = contexts_split(&s, b);
	}
	if (ok)
		kernel_scale(&s, b->hooked);
	free(s.all);
	free(s.before);
	free(s.whole);
	return ok || error_no_memory(err, "splitting times");
}
