/* test_times.c - times from looks and interrupts together: what each of them alone would have wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "read/profile/profile.h"
#include "tests/lib/make_amon.h"

enum { NMS = 1000000, PERIOD = 2 * NMS, CALLED = 2 };

/* A program whose main calls two routines, each with time of its own. */
struct made {
	struct make_amon *m;
	uint32_t thread, called[CALLED];
};

/* What a routine was seen by: looks, each of a millisecond, and interrupts, one in PERIOD. */
struct seen {
	uint32_t looks, interrupts;
};

static struct made made_new(const struct seen seen[CALLED], enum amon_source source)
{
	struct made p = { .m = make_amon_new() };
	struct amon_header *h = make_amon_header(p.m);
	uint32_t module = make_amon_module(p.m, "/made/program", "made", 0x1000, 0x9000, 0), top = make_amon_routine(p.m, module, 0x1000, 0);

	h->settled = 0;
	h->pc_source = source;
	h->pc_period = PERIOD;
	p.thread = make_amon_thread(p.m, "made");
	make_amon_enter(p.m, p.thread, top);
	for (uint32_t i = 0; i < CALLED; i++) {
		p.called[i] = make_amon_routine(p.m, module, 0x2000 + 0x1000 * i, 0);
		make_amon_enter(p.m, p.thread, p.called[i]);
		make_amon_charge(p.m, p.thread, (uint64_t)seen[i].looks * NMS, seen[i].looks);
		if (seen[i].interrupts)
			make_amon_pc(p.m, p.thread, 0x2010 + 0x1000 * i, seen[i].interrupts);
		make_amon_leave(p.m, p.thread);
	}
	return p;
}

/* The profile of P, of whose thread nobody saw UNPLACED ns of its time. */
static struct profile *made_read(struct made *p, uint64_t unplaced)
{
	struct error err = { .text = "" };
	struct profile *read = profile_new();
	uint8_t *data;
	size_t len;

	make_amon_thread_record(p->m, p->thread)->unplaced = unplaced;
	data = make_amon_finish(p->m, &len);
	assert_non_null(read);
	if (!profile_read(read, data, len, "made", &err))
		fail_msg("%s", err.text);
	free(data);
	make_amon_free(p->m);
	return read;
}

/* The time of routine R, ns. */
static double time_of(const struct profile *p, uint32_t r)
{
	double sum = 0;

	for (size_t i = 0; i < p->ncontexts; i++)
		if (p->contexts[i].routine == r)
			sum += (double)p->contexts[i].time;
	return sum;
}

static void assert_near(double found, double wanted, double within)
{
	if (fabs(found - wanted) > within)
		fail_msg("%g ms, not %g", found / NMS, wanted / NMS);
}

/* Both routines in user mode: each source has a part of the samples, and the time is as both say. */
static void test_both_count(void **state)
{
	struct made p = made_new((struct seen[]){ { 60, 30 }, { 40, 20 } }, AMON_SOURCE_PERF);
	struct profile *read = made_read(&p, 0);

	(void)state;
	assert_near(time_of(read, p.called[0]), 60. * NMS, 0.01 * NMS);
	assert_near(time_of(read, p.called[1]), 40. * NMS, 0.01 * NMS);
	assert_int_equal(read->runs[0].header.unsure, 0);
	profile_free(read);
}

/* The second is in the kernel, which perf's interrupts do not see: what looks say of it stays its own. */
static void test_kernel_is_looked_at(void **state)
{
	struct made p = made_new((struct seen[]){ { 50, 25 }, { 50, 0 } }, AMON_SOURCE_PERF);
	struct profile *read = made_read(&p, 0);

	(void)state;
	assert_near(time_of(read, p.called[0]), 50. * NMS, 0.5 * NMS);
	assert_near(time_of(read, p.called[1]), 50. * NMS, 0.5 * NMS);
	profile_free(read);
}

/* Looks that came only where the thread waited for its processor: by interrupts the first has nine tenths, and they are believed; what the sources
 * differ by is unsure. */
static void test_interrupts_are_believed(void **state)
{
	struct made p = made_new((struct seen[]){ { 200, 180 }, { 200, 20 } }, AMON_SOURCE_PERF);
	struct profile *read = made_read(&p, 0);

	(void)state;
	assert_near(time_of(read, p.called[0]), 360. * NMS, 1. * NMS);
	assert_near(time_of(read, p.called[1]), 40. * NMS, 1. * NMS);
	assert_int_equal(read->runs[0].header.compared, 200);
	assert_near((double)read->runs[0].header.differ, 140. * NMS, 30. * NMS);
	assert_true(read->runs[0].header.unsure >= read->runs[0].header.differ);
	profile_free(read);
}

/* A timer keeps step: the looks are believed, and the difference is unsure all the same. */
static void test_timer_keeps_step(void **state)
{
	struct made p = made_new((struct seen[]){ { 200, 190 }, { 200, 10 } }, AMON_SOURCE_TIMER);
	struct profile *read = made_read(&p, 0);

	(void)state;
	assert_near(time_of(read, p.called[0]), 200. * NMS, 1. * NMS);
	assert_near(time_of(read, p.called[1]), 200. * NMS, 1. * NMS);
	assert_true(read->runs[0].header.differ > 40u * NMS);
	profile_free(read);
}

/* What no source placed goes where they say, and the sum is the thread's. */
static void test_unplaced_is_placed(void **state)
{
	struct made p = made_new((struct seen[]){ { 30, 30 }, { 10, 10 } }, AMON_SOURCE_PERF);
	struct profile *read = made_read(&p, 40u * NMS);

	(void)state;
	assert_near(time_of(read, p.called[0]), 60. * NMS, 0.1 * NMS);
	assert_near(time_of(read, p.called[1]), 20. * NMS, 0.1 * NMS);
	assert_int_equal(read->unplaced, 0);
	assert_int_equal(read->time, 80u * NMS);
	profile_free(read);
}

/* No sample at all: nobody has the time, and all of it is unplaced. */
static void test_nothing_is_seen(void **state)
{
	struct made p = made_new((struct seen[]){ { 0, 0 }, { 0, 0 } }, AMON_SOURCE_PERF);
	struct profile *read = made_read(&p, 3u * NMS);

	(void)state;
	assert_int_equal(read->time, 0);
	assert_int_equal(read->unplaced, 3u * NMS);
	profile_free(read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_count),
		cmocka_unit_test(test_kernel_is_looked_at),
		cmocka_unit_test(test_interrupts_are_believed),
		cmocka_unit_test(test_timer_keeps_step),
		cmocka_unit_test(test_unplaced_is_placed),
		cmocka_unit_test(test_nothing_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
