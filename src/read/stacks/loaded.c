/* loaded.c - which segment a part is of. */
#include "read/stacks/loaded.h"

#include <string.h>

static uint64_t apart(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

/* Has PART bytes of the segment L? */
static bool loaded_holds(const struct part *part, const struct load *l)
{
	uint64_t end = part->offset + (part->end - part->start);

	return l->offset < end && l->offset + l->size > part->offset;
}

/* The bias of what PART is of, if that is the segment L. */
static uint64_t bias_for(const struct part *part, const struct load *l)
{
	return part->start - part->offset - (l->start - l->offset);
}

/* How far PART begins and ends from where L does, bytes of the file. */
static uint64_t loaded_distance(const struct part *part, const struct load *l)
{
	return apart(part->offset, l->offset) + apart(part->offset + (part->end - part->start), l->offset + l->size);
}

static bool loaded_is_same_file(const struct part *a, const struct part *b)
{
	return a->inode == b->inode && a->device == b->device && !strcmp(a->path, b->path);
}

/* Does PART, whose rights are those of its segment, as a rule, speak for this BIAS of its file I? */
static bool loaded_fits(const struct image *i, const struct part *part, uint64_t bias)
{
	for (size_t k = 0; k < i->binary.nloads; k++)
		if (i->binary.loads[k].code == part->code && loaded_holds(part, &i->binary.loads[k]) && bias_for(part, &i->binary.loads[k]) == bias)
			return true;
	return false;
}

/* How many of the N parts ALL speak for the BIAS of PART's file. */
static size_t votes(const struct image *i, const struct part *part, uint64_t bias, const struct part *all, size_t n)
{
	size_t count = 0;

	for (size_t k = 0; k < n; k++)
		count += loaded_is_same_file(&all[k], part) && loaded_fits(i, &all[k], bias);
	return count;
}

/* Does more speak for A than for B, that PART is of it? */
static bool loaded_is_better(const struct image *i, const struct part *part, const struct load *a, const struct load *b, const struct part *all,
	size_t n)
{
	size_t for_a = votes(i, part, bias_for(part, a), all, n), for_b = votes(i, part, bias_for(part, b), all, n);

	return for_a != for_b ? for_a > for_b : loaded_distance(part, a) < loaded_distance(part, b);
}

uint64_t part_bias(const struct image *i, const struct part *part, const struct part *all, size_t n)
{
	const struct load *best = NULL;

	for (size_t k = 0; i->present && k < i->binary.nloads; k++) {
		const struct load *l = &i->binary.loads[k];

		if (!loaded_holds(part, l) || (best && best->code == part->code && l->code != part->code))
			continue;
		if (!best || (best->code != part->code && l->code == part->code))
			best = l;			/* whose rights are the part's, as a rule */
		else if (bias_for(part, l) != bias_for(part, best) && loaded_is_better(i, part, l, best, all, n))
			best = l;
	}
	return best ? bias_for(part, best) : part->start - part->offset;
}

bool part_of_code(const struct image *i, uint64_t bias, uint64_t start, uint64_t end, struct part *place)
{
	const uint64_t page = 0xfff;

	for (size_t k = 0; i->present && k < i->binary.nloads; k++) {
		const struct load *l = &i->binary.loads[k];
		uint64_t low = (l->start & ~page) + bias, high = ((l->start + l->size + page) & ~page) + bias;

		if (!l->code || low >= end || high <= start)
			continue;
		low = low > start ? low : start;
		*place = (struct part){ .start = low, .end = high < end ? high : end, .offset = low - bias - l->start + l->offset, .code = true };
		return true;
	}
	return false;
}
