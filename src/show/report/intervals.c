/* intervals.c - when the samples of a run were taken: of all contexts and threads together. */
#include <stdlib.h>

#include "contract/slice.h"
#include "show/report/intervals.h"

/* What samples charged in one interval of a run, or a part of that. */
struct interval {
	uint32_t run, number;
	uint64_t ticks, time;	/* samples; raw, ns */
};

static int intervals_compare(const void *x, const void *y)
{
	const struct interval *a = x, *b = y;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The intervals of P, in order, each once, without the monitor's own time, which is in no context; there are *N. The caller frees them; NULL: out of
 * memory. */
static struct interval *intervals_make(const struct profile *p, size_t *n)
{
	struct interval *list = calloc(p->nslices + 1, sizeof *list);
	size_t found = 0;

	*n = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < p->nslices; i++) {
		const struct profile_slice *s = &p->slices[i];

		if (s->context != PROFILE_NONE)
			list[found++] = (struct interval){ p->threads[s->thread].run, s->interval, s->ticks, s->time };
	}
	if (found)
		qsort(list, found, sizeof *list, intervals_compare);
	for (size_t i = 0; i < found; i++) {
		if (*n == 0 || intervals_compare(&list[*n - 1], &list[i]) != 0) {
			list[(*n)++] = list[i];
			continue;
		}
		list[*n - 1].ticks += list[i].ticks;
		list[*n - 1].time += list[i].time;
	}
	return list;
}

bool intervals_emit(struct emit *e, const struct profile *p, struct error *err)
{
	size_t n;
	struct interval *list = intervals_make(p, &n);

	if (!list)
		return error_no_memory(err, NULL);
	emit_array(e, "intervals");
	for (size_t i = 0; i < n; i++) {
		uint64_t length = slice_length(p->runs[list[i].run].level);

		emit_item(e, json_pack("{s:i, s:o, s:o, s:o, s:o}", "run", (int)list[i].run, "from_ns", emit_count(list[i].number * length),
				       "to_ns", emit_count((list[i].number + UINT64_C(1)) * length), "ticks", emit_count(list[i].ticks),
				       "raw_ns", emit_count(list[i].time)));
	}
	emit_array_end(e);
	free(list);
	return true;
}
