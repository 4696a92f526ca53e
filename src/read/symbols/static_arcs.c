/* static_arcs.c - who calls whom, read from the machine code: gprof's static call graph.
 *
 *     ranges of functions -> goals of calls and jumps (goals.h) -> pairs of functions
 *
 * What counts is a call of, or a jump to, the first byte of another function, whether the instruction has its address, or reads it
 * from a slot that will point into this very module (-fno-plt), or goes to a stub of the PLT that does.  Jumps between a
 * function and its clones and pieces are no calls. */
#include "read/symbols/static_arcs.h"

#include <stdlib.h>
#include <string.h>

#include "read/symbols/goals.h"
#include "read/symbols/hook_calls.h"
#include "read/symbols/origin.h"

enum {
	FIRST_ARCS = 1024,	/* arcs that fit at first */
};

struct scan {
	struct module *m;	/* whose code is read */
	struct goals *goals;	/* how */
	uint32_t *origin;	/* by function: what it is a clone or a piece of */
	bool *hooked;		/* by origin: some body of it calls a hook */
	struct static_arc *arcs; /* in the order of the code; later sorted, each once */
	size_t n;		/* how many */
	size_t room;		/* how many fit */
};

/* Whether NAME is a hook of a profiler, or belongs to the monitor. */
static bool is_hook(const char *name)
{
	static const char *const others[] = { "mcount", "_mcount", "__fentry__" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(name, others[i]))
			return true;
	return hooks_is_aprof(name);
}

/* The function that begins at ADDRESS, FUNCTION_NONE if none does. */
static uint32_t static_arcs_function_at(const struct scan *s, uint64_t address)
{
	uint32_t i = functions_find(&s->m->functions, address);

	return i != FUNCTION_NONE && s->m->functions.functions[i].start == address ? i : FUNCTION_NONE;
}

static bool static_arcs_add_arc(struct scan *s, uint32_t from, uint32_t to)
{
	if (s->n > 0 && s->arcs[s->n - 1].from == from && s->arcs[s->n - 1].to == to)
		return true;
	if (s->n == s->room) {
		struct static_arc *more = reallocarray(s->arcs, 2 * s->room, sizeof *more);

		if (!more)
			return false;
		s->arcs = more;
		s->room *= 2;
	}
	s->arcs[s->n++] = (struct static_arc){ from, to };
	return true;
}

/* Note where function FROM goes.  False: out of memory. */
static bool static_arcs_note(struct scan *s, uint32_t from, const struct goal *goal)
{
	uint32_t to = goal->address ? static_arcs_function_at(s, goal->address) : FUNCTION_NONE;

	if (is_hook(to == FUNCTION_NONE ? goal->name : function_label(&s->m->functions, to)->name))
		s->hooked[s->origin[from]] = true;
	else if (to != FUNCTION_NONE && s->origin[from] != s->origin[to])
		return static_arcs_add_arc(s, from, to);
	return true;
}

static bool read_range(struct scan *s, const struct range *range)
{
	struct goal goal;

	if (is_hook(function_label(&s->m->functions, range->function)->name))
		return true;
	goals_start(s->goals, range->start, range->end);
	while (goals_next(s->goals, &goal))
		if (!static_arcs_note(s, range->function, &goal))
			return false;
	return true;
}

static bool scan_start(struct scan *s)
{
	uint32_t n = s->m->functions.nfunctions;

	s->goals = goals_new(&s->m->binary);
	s->origin = calloc((size_t)n + 1, sizeof *s->origin);
	s->hooked = calloc((size_t)n + 1, sizeof *s->hooked);
	s->arcs = calloc(FIRST_ARCS, sizeof *s->arcs);
	s->room = FIRST_ARCS;
	if (!s->goals || !s->origin || !s->hooked || !s->arcs)
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->origin[i] = origin_find(s->m, i);
	return true;
}

static int compare_arcs(const void *p, const void *q)
{
	const struct static_arc *a = p, *b = q;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* Sort the arcs, and keep each once, of the functions that are wanted. */
static void static_arcs_settle(struct scan *s, bool hooked)
{
	size_t kept = 0;

	if (s->n)
		qsort(s->arcs, s->n, sizeof *s->arcs, compare_arcs);
	for (size_t i = 0; i < s->n; i++) {
		const struct static_arc *a = &s->arcs[i];

		if (hooked && !(s->hooked[s->origin[a->from]] && s->hooked[s->origin[a->to]]))
			continue;
		if (kept == 0 || compare_arcs(&s->arcs[kept - 1], a))
			s->arcs[kept++] = *a;
	}
	s->n = kept;
}

static void scan_end(struct scan *s)
{
	goals_free(s->goals);
	free(s->origin);
	free(s->hooked);
}

struct static_arc *static_arcs_find(struct module *m, bool hooked, size_t *n)
{
	struct scan s = { .m = m };
	bool ok = m->present && scan_start(&s);

	for (size_t i = 0; ok && i < m->functions.nranges; i++)
		ok = read_range(&s, &m->functions.ranges[i]);
	if (ok)
		static_arcs_settle(&s, hooked);
	scan_end(&s);
	if (!ok)
		free(s.arcs);
	*n = ok ? s.n : 0;
	return ok ? s.arcs : NULL;
}
