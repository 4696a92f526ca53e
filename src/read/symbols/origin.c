/* origin.c - finds the function behind a clone: one of the same base name, but two files can each have a static one.
 *
 * Candidates are all functions of the base name; the best by these, in order, is taken:
 *     whole rather than copied, copied rather than a piece;
 *     the same place of declaration, or, where DWARF does not tell, the same file in the symbol table, or seen everywhere (and so are
 *         hidden functions, which linkers make local ones of no file);
 *     the very name that the compiler put its suffix to;
 *     the nearest of whole functions, the first of others, so that all clones agree on one. */
#include "read/symbols/origin.h"

#include <string.h>

enum {
	MOST = 1000,		/* candidates that are looked at, lest hostile tables take long */
};

enum kinship { STRANGER, POSSIBLE, SAME_FILE, SAME_PLACE };

/* How likely it is that function J is, or has the origin of, function I. */
static enum kinship kinship(struct module *m, uint32_t i, uint32_t j)
{
	struct debug_info *debug = module_debug_info(m);
	const struct functions *f = &m->functions;
	const struct label *a = function_label(f, i), *b = function_label(f, j);
	const char *file, *other;
	uint32_t line, other_line;

	if (debug_function(debug, f->functions[i].start, &file, &line)
	    && debug_function(debug, f->functions[j].start, &other, &other_line))
		return line == other_line && !strcmp(file, other) ? SAME_PLACE : STRANGER;
	if (a->local && b->local && !a->unit == !b->unit && (!a->unit || !strcmp(a->unit, b->unit)))
		return SAME_FILE;
	return b->unit ? STRANGER : POSSIBLE;
}

static int wholeness(const struct clone *clone)
{
	return clone->copied ? !clone->part : 2;
}

static uint64_t origin_distance(const struct function *a, const struct function *b)
{
	return a->start > b->start ? a->start - b->start : b->start - a->start;
}

/* Whether a name of J is that of I without what the cloning added. */
static bool is_stem(const struct functions *f, uint32_t i, uint32_t j)
{
	size_t stem = f->functions[i].clone.stem;

	for (uint32_t k = 0; k < f->functions[j].nlabels && k < MOST; k++) {
		const char *name = f->labels[f->functions[j].label + k].name;

		if (strlen(name) == stem && !memcmp(name, function_label(f, i)->name, stem))
			return true;
	}
	return false;
}

/* A candidate and its merits. */
struct candidate {
	uint32_t function;	/* index */
	int wholeness;		/* 2 whole, 1 copied, 0 a piece */
	enum kinship kinship;	/* to the clone */
	bool stem;		/* has the name that was cloned */
	uint64_t distance;	/* from the clone, bytes; of whole functions only */
};

static struct candidate judge(struct module *m, uint32_t i, uint32_t j)
{
	const struct functions *f = &m->functions;
	struct candidate c = { .function = j, .wholeness = wholeness(&f->functions[j].clone),
			       .kinship = i == j ? SAME_PLACE : kinship(m, i, j) };

	if (c.wholeness == 2) {
		c.stem = is_stem(f, i, j);
		c.distance = origin_distance(&f->functions[i], &f->functions[j]);
	} else if (c.kinship > SAME_FILE) {
		c.kinship = SAME_FILE;
	}
	return c;
}

static bool origin_is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->wholeness != b->wholeness)
		return a->wholeness > b->wholeness;
	if (a->kinship != b->kinship)
		return a->kinship > b->kinship;
	if (a->stem != b->stem)
		return a->stem;
	return a->distance < b->distance;
}

uint32_t origin_find(struct module *m, uint32_t i)
{
	struct candidate best = { .function = i, .wholeness = -1 };
	const uint32_t *group;
	size_t n;

	if (!m->functions.functions[i].clone.copied)
		return i;
	n = functions_group(&m->functions, i, &group);
	for (size_t k = 0; k < n && n <= MOST; k++) {
		struct candidate c = judge(m, i, group[k]);
		if (c.kinship != STRANGER && origin_is_better(&c, &best))
			best = c;
	}
	return best.function;
}
