/* test_slices.c - what a recording tells by interval, read again: over all intervals it is the run, and each part stands where it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "contract/slice.h"
#include "read/profile/profile.h"
#include "read/stacks/recording.h"

#define SECOND UINT64_C(1000000000)
#define START (77 * SECOND + 12345)

enum { THREADS = 3, ROUTINES = 5, LEVEL = 5, SAMPLES = 30000 };

static uint64_t expected[THREADS][ROUTINES][SLICE_INTERVALS];	/* ns by interval of LEVEL */

static struct recording *recording_make(uint64_t bound)
{
	struct amon_header h = { .clock = AMON_CLOCK_TICK, .source = AMON_SOURCE_PERF, .rate = 1000, .pc_period = 1000000, .memory_bound = bound,
		.way = 1u << AMON_WAY_STACKS, .exit_status = -1, .state = AMON_ENDED, .start_monotonic = START };
	struct error err;
	struct recording *l = recording_new_in_memory(&h, &err);

	assert_non_null(l);
	for (uint32_t r = 0; r < ROUTINES; r++)
		assert_int_equal(recording_routine(l, 0x1000 + 0x100 * r, RECORDING_NONE, 0), r);
	for (uint32_t t = 0; t < THREADS; t++) {
		assert_int_equal(recording_thread(l, 100 + t), t);
		for (uint32_t r = 0; r < ROUTINES; r++)
			assert_int_equal(recording_item(l, t, 0, r), r + 1);
	}
	return l;
}

static void sample(struct recording *l, uint32_t thread, uint32_t routine, uint64_t at, uint64_t time)
{
	recording_charge(l, thread, routine + 1, time);
	recording_slice(l, thread, routine + 1, START + at, time, 1);
	expected[thread][routine][at / slice_length(LEVEL)] += time;
}

static struct profile *read_again(struct recording *l)
{
	struct profile *p = profile_new();
	struct error err;
	size_t len;
	const void *bytes = recording_bytes(l, &len);

	if (!profile_read(p, bytes, len, "made", &err))
		fail_msg("%s", err.text);
	return p;
}

/* A hundred seconds. */
static struct recording *run_make(void)
{
	struct recording *l = recording_make(0);
	unsigned seed = 1;

	memset(expected, 0, sizeof expected);
	recording_keep_slices(l);
	for (uint64_t i = 0; i < SAMPLES; i++)
		sample(l, (uint32_t)rand_r(&seed) % THREADS, (uint32_t)rand_r(&seed) % ROUTINES, i * (100 * SECOND / SAMPLES), 1 + (uint64_t)rand_r(&seed) % 1000);
	return l;
}

/* The routine of the slice S, by its address. */
static uint32_t routine_of(const struct profile *p, const struct profile_slice *s)
{
	return (uint32_t)(p->routines[p->contexts[s->context].routine].address - 0x1000) / 0x100;
}

static void test_joined(void **state)
{
	struct recording *l = run_make();
	struct profile *p = read_again(l);
	uint64_t ticks = 0;

	(void)state;
	assert_true(p->runs[0].sliced);
	assert_int_equal(p->runs[0].level, LEVEL);
	for (size_t i = 0; i < p->nslices; i++) {
		const struct profile_slice *s = &p->slices[i];

		assert_int_equal(s->time, expected[s->thread][routine_of(p, s)][s->interval]);
		expected[s->thread][routine_of(p, s)][s->interval] = 0;
		ticks += s->ticks;
	}
	assert_int_equal(ticks, SAMPLES);
	for (int t = 0; t < THREADS; t++)
		for (int r = 0; r < ROUTINES; r++)
			for (int i = 0; i < SLICE_INTERVALS; i++)
				assert_int_equal(expected[t][r][i], 0);
	assert_true(profile_sliced_until(p) >= 100 * SECOND - 100 * SECOND / SAMPLES && profile_sliced_until(p) < 101 * SECOND);
	profile_free(p);
	recording_end(l, true);
}

/* Ranges that follow each other add up to the run, by thread and context. */
static void test_ranges(void **state)
{
	static const uint64_t ends[] = { 0, SECOND / 2, 7 * SECOND, 7 * SECOND + 1, 60 * SECOND, UINT64_MAX };
	struct recording *l = run_make();
	struct profile *whole = read_again(l);
	uint64_t *left = calloc(whole->nshares, sizeof *left), time = 0;

	(void)state;
	for (size_t i = 0; i < whole->nshares; i++)
		left[i] = whole->shares[i].time;
	for (size_t k = 1; k < sizeof ends / sizeof *ends; k++) {
		struct profile *p = read_again(l);
		uint64_t cpu = 0;

		profile_take_range(p, &(struct profile_range){ ends[k - 1], ends[k] });
		for (size_t i = 0; i < p->nshares; i++)
			left[i] -= p->shares[i].time;
		for (uint32_t t = 0; t < p->nthreads; t++)
			cpu += p->threads[t].record.cpu_last - p->threads[t].record.cpu_first;
		assert_int_equal(cpu, p->time);
		assert_int_equal(p->time == 0, k == 3);		/* the middle of no interval is there */
		time += p->time;
		profile_free(p);
	}
	for (size_t i = 0; i < whole->nshares; i++)
		assert_int_equal(left[i], 0);
	assert_int_equal(time, whole->time);
	free(left);
	profile_free(whole);
	recording_end(l, true);
}

/* Where time is asked for until the end of an interval, the parts of a wait are in theirs. */
static void test_interval_end(void **state)
{
	struct recording *l = recording_make(0);

	(void)state;
	assert_int_equal(recording_interval_end(l, START + 1), UINT64_MAX);
	recording_keep_slices(l);
	assert_int_equal(recording_interval_end(l, START), START + slice_length(0));
	assert_int_equal(recording_interval_end(l, START + slice_length(0) - 1), START + slice_length(0));
	assert_int_equal(recording_interval_end(l, START + 5 * SECOND), START + 5 * SECOND + slice_length(1) - 5 * SECOND % slice_length(1));
	recording_slice(l, 0, 1, START + 100 * SECOND, 1, 1);
	assert_int_equal(recording_interval_end(l, START), START + slice_length(LEVEL));
	assert_int_equal(recording_interval_end(l, START - SECOND), START - SECOND + slice_length(LEVEL));
	recording_end(l, true);
}

/* Put WHAT into the field of the first slice taken at OFFSET; true: the file is refused for it. */
static bool is_refused(size_t offset, uint32_t what)
{
	struct recording *l = run_make();
	struct profile *p = profile_new();
	struct error err = { .code = ERROR_NONE };
	size_t len, at = AMON_PAGE;
	char *bytes = (char *)recording_bytes(l, &len);
	struct amon_slice *s;
	bool refused;

	while (((struct amon_chunk *)(bytes + at))->kind != AMON_SLICES)
		at += ((struct amon_chunk *)(bytes + at))->size;
	for (s = (struct amon_slice *)(bytes + at + sizeof(struct amon_chunk)); !s->interval; s++)
		;
	memcpy((char *)s + offset, &what, sizeof what);
	refused = !profile_read(p, bytes, len, "made", &err);
	assert_int_equal(err.code, refused ? ERROR_CORRUPT : ERROR_NONE);
	assert_int_equal(p->nslices == 0, refused);
	profile_free(p);
	recording_end(l, true);
	return refused;
}

static void test_corrupt(void **state)
{
	(void)state;
	assert_true(is_refused(offsetof(struct amon_slice, interval), SLICE_INTERVALS + 1));
	assert_false(is_refused(offsetof(struct amon_slice, interval), SLICE_INTERVALS));
	assert_true(is_refused(offsetof(struct amon_slice, context), ROUTINES + 1));
	assert_false(is_refused(offsetof(struct amon_slice, context), ROUTINES));
	assert_false(is_refused(offsetof(struct amon_slice, context), AMON_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined), cmocka_unit_test(test_ranges), cmocka_unit_test(test_interval_end), cmocka_unit_test(test_corrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
