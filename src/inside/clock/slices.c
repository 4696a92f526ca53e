/* slices.c - tables of slices, which each thread has in the file.  What the program left out, being stopped, is in none. */
#include "inside/clock/slices.h"

#include <time.h>

#include "contract/amon.h"
#include "contract/slice.h"
#include "inside/file/file.h"
#include "inside/process/phase.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"

/* The next table of T is of LEVEL.  False: no room, or what is left is for contexts. */
static bool slices_table_add(struct thread *t, uint32_t level)
{
	uint32_t n = t->clock.nslices, room = slice_room(n ? t->clock.slices[n - 1].slots : 0, n ? t->clock.slices[n - 1].level : 0, level);
	struct amon_chunk *c = n < THREAD_SLICES && !file_over_bound(false) ? file_chunk(AMON_SLICES, t->index, room, sizeof(struct amon_slice)) : NULL;

	if (!c)
		return false;
	c->base = level;
	t->clock.slices[n] = (struct slice_table){ .chunk = c, .slots = room, .level = level };
	t->clock.nslices++;
	return true;
}

/* Since the file was begun, ns. */
static uint64_t slices_elapsed(void)
{
	uint64_t now = sys_clock(CLOCK_MONOTONIC), start = monitor.header->start_monotonic;

	return now > start ? now - start : 0;
}

static bool clock_slices_charge(struct thread *t, uint64_t at, uint32_t level, uint32_t item, uint64_t time, uint32_t ticks)
{
	const struct slice_table *last = t->clock.nslices ? &t->clock.slices[t->clock.nslices - 1] : NULL;

	return last && last->level == level && slice_charge(last->chunk, last->slots, at / slice_length(level), item, phase_now(), time, ticks);
}

void slices_charge(struct thread *t, uint32_t item, uint64_t time, uint32_t ticks)
{
	uint64_t at;
	uint32_t level;

	if (!monitor.intervals || monitor.stopped)
		return;
	at = slices_elapsed();
	level = slice_level(at, t->clock.nslices ? t->clock.slices[t->clock.nslices - 1].level : 0);
	if (!clock_slices_charge(t, at, level, item, time, ticks) &&
	    !(slices_table_add(t, level) && clock_slices_charge(t, at, level, item, time, ticks)))
		note(AMON_NOTE_SLICES_BOUND);
}

void slices_reset(struct thread *t)
{
	for (uint32_t k = 0; k < t->clock.nslices; k++) {
		struct amon_slice *slots = (struct amon_slice *)(t->clock.slices[k].chunk + 1);

		for (uint32_t i = 0; i < t->clock.slices[k].slots; i++) {
			slots[i].time = 0;
			slots[i].ticks = 0;
		}
	}
}
