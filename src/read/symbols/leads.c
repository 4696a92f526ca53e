/* leads.c - from a function along its calls, breadth first.  Calls by pointers are not seen, and functions that are far off are not looked for: a
 * library's public function is near those that do its work. */
#include "read/symbols/leads.h"

#include <stddef.h>

#include "read/symbols/call_goal.h"

enum { DEEPEST = 4, MOST = 128 };	/* calls; functions that are looked at */

/* The functions that have been come to, nearest first. */
struct search {
	struct module *m;
	const struct symbol *found[MOST];
	int depth[MOST];		/* calls up to there */
	size_t n;
};

static void leads_add(struct search *s, const struct symbol *f, int depth)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->found[i] == f)
			return;
	if (f && f->size && s->n < MOST) {
		s->found[s->n] = f;
		s->depth[s->n++] = depth;
	}
}

/* What function I calls. */
static void symbols_leads_follow(struct search *s, size_t i)
{
	const struct symbol *f = s->found[i];
	struct goals *goals = call_goals(s->m);
	struct goal goal;

	if (!goals || s->depth[i] == DEEPEST)
		return;
	goals_start(goals, f->start, f->start + f->size);
	while (goals_next(goals, &goal))
		if (goal.address && goal.address - f->start >= f->size)
			leads_add(s, module_find(s->m, goal.address), s->depth[i] + 1);
}

void leads_visit(struct module *m, uint64_t from, void (*visit)(void *arg, uint64_t start, int calls), void *arg)
{
	struct search s = { .m = m };

	if (from)
		leads_add(&s, module_find(m, from), 0);
	for (size_t i = 0; i < s.n; i++) {
		visit(arg, s.found[i]->start, s.depth[i]);
		symbols_leads_follow(&s, i);
	}
}

int leads_find(struct module *m, uint64_t from, uint64_t to)
{
	const struct symbol *end = module_find(m, to);
	struct search s = { .m = m };

	if (from)
		leads_add(&s, module_find(m, from), 0);
	for (size_t i = 0; end && i < s.n; i++) {
		if (s.found[i] == end)
			return s.depth[i];
		symbols_leads_follow(&s, i);
	}
	return -1;
}
