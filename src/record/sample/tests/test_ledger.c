/* test_ledger.c - sampled allocations: what was live at the peak is right in the mean over many processes, though each knows it by chance only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/sample/ledger.h"

enum { MEAN = 64 << 10, SIZE = 600, OBJECTS = 20000, STEPS = 8 * OBJECTS, LARGE = 20 << 20, PROCESSES = 100 };

static uint64_t chance = 1;

static double draw(void)
{
	chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(chance >> 32) / 0x1p32;
}

struct simulated {
	struct ledger ledger;
	struct recording *file;
	uint32_t thread, item;
	uint64_t number;			/* of samples so far */
	uint64_t live[OBJECTS];			/* their samples; 0: it has none */
};

static void simulated_begin(struct simulated *s)
{
	const struct amon_header h = { .clock = AMON_CLOCK_TICK, .rate = 1000, .memory_bound = 1 << 24, .way = 1u << AMON_WAY_STACKS };
	struct error err;

	memset(s, 0, sizeof *s);
	s->file = recording_new_in_memory(&h, &err);
	assert_non_null(s->file);
	assert_true(recording_clock_value(s->file) && ledger_begin(&s->ledger, s->file));
	s->thread = recording_thread(s->file, 1);
	s->item = 0;
}

/* The number of the sample of an allocation of SIZE bytes; 0: it has none. */
static uint64_t allocate(struct simulated *s, uint64_t size)
{
	struct happening h = { .kind = HAPPENED_ALLOCATED, .bytes = size, .mean = MEAN };

	if (draw() >= -expm1(-(double)size / MEAN))
		return 0;
	h.allocation = ++s->number;
	ledger_allocated(&s->ledger, s->file, s->thread, s->item, &h);
	return s->number;
}

static void release(struct simulated *s, uint64_t number)
{
	if (number)
		ledger_freed(&s->ledger, number);
}

/* As many objects as there may be, each now and then in the place of another one. */
static void stay(struct simulated *s)
{
	for (int i = 0; i < OBJECTS; i++)
		s->live[i] = allocate(s, SIZE);
	for (int i = 0; i < STEPS; i++) {
		int k = (int)(draw() * OBJECTS);

		release(s, s->live[k]);
		s->live[k] = allocate(s, SIZE);
	}
}

/* What the file says of the peak. */
static double peak_of(struct simulated *s)
{
	struct profile *p = profile_new();
	struct error err;
	const void *bytes;
	size_t size;
	double peak;

	ledger_end(&s->ledger, s->file);
	bytes = recording_bytes(s->file, &size);
	assert_true(profile_set_value(p, HEAP_NAME_PEAK, PROFILE_VALUE_OWN) && profile_read(p, bytes, size, "made", &err));
	peak = (double)p->time;
	profile_free(p);
	recording_end(s->file, true);
	return peak;
}

static double mean_peak(void (*live)(struct simulated *s))
{
	static struct simulated s;
	double sum = 0;

	for (int i = 0; i < PROCESSES; i++) {
		simulated_begin(&s);
		live(&s);
		sum += peak_of(&s);
	}
	return sum / PROCESSES;
}

/* The same bytes are live all the time, so whatever moment seems the peak there were no more. */
static void test_level(void **state)
{
	double mean = mean_peak(stay), true_peak = (double)SIZE * OBJECTS;

	(void)state;
	assert_true(fabs(mean - true_peak) < 0.03 * true_peak);
}

/* Half of them go, and one comes that is larger than all: it is certain to be drawn, and the peak is when it is there. */
static void stay_and_grow(struct simulated *s)
{
	stay(s);
	for (int i = 0; i < OBJECTS / 2; i++)
		release(s, s->live[i]);
	release(s, allocate(s, LARGE));
}

static void test_large(void **state)
{
	double mean = mean_peak(stay_and_grow), true_peak = LARGE + (double)SIZE * OBJECTS / 2;

	(void)state;
	assert_true(fabs(mean - true_peak) < 0.02 * true_peak);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_level), cmocka_unit_test(test_large) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
