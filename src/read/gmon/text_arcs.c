/* text_arcs.c - static arcs of gprof's routines: from each symbol's code to the first bytes of others. */
#include "read/gmon/text_arcs.h"

#include <stdlib.h>

#include "read/symbols/goals.h"

/* The arcs so far. */
struct list {
	struct gmon_arc *arcs;
	size_t n;		/* how many */
	size_t room;		/* how many fit */
};

/* The symbol that begins at ADDRESS; NULL: none does. */
static const struct gmon_symbol *symbol_at(const struct gmon_symbol *symbols, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && symbols[low].start == address ? &symbols[low] : NULL;
}

static bool text_arcs_add(struct list *l, uint64_t from, uint64_t self)
{
	if (l->n == l->room) {
		struct gmon_arc *more = reallocarray(l->arcs, 2 * l->room, sizeof *more);

		if (!more)
			return false;
		l->arcs = more;
		l->room *= 2;
	}
	l->arcs[l->n++] = (struct gmon_arc){ .from = from, .self = self };
	return true;
}

static bool text_arcs_read_symbols(struct list *l, struct goals *goals, const struct gmon_symbol *symbols, size_t n)
{
	struct goal goal;

	for (size_t i = 0; i < n; i++) {
		if (symbols[i].last < symbols[i].start)
			continue;
		goals_start(goals, symbols[i].start, symbols[i].last + 1);
		while (goals_next(goals, &goal)) {
			const struct gmon_symbol *to = goal.address ? symbol_at(symbols, n, goal.address) : NULL;

			if (to && to->function && to != &symbols[i] && !text_arcs_add(l, goal.at, to->start))
				return false;
		}
	}
	return true;
}

struct gmon_arc *text_arcs_find(const struct binary *b, const struct gmon_symbol *symbols, size_t n, size_t *narcs)
{
	enum { FIRST = 1024 };	/* arcs that fit at first */
	struct list l = { .arcs = calloc(FIRST, sizeof *l.arcs), .room = FIRST };
	struct goals *goals = goals_new(b);
	bool ok = l.arcs && goals && text_arcs_read_symbols(&l, goals, symbols, n);

	goals_free(goals);
	if (!ok)
		free(l.arcs);
	*narcs = ok ? l.n : 0;
	return ok ? l.arcs : NULL;
}
