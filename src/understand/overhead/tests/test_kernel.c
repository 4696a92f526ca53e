/* test_kernel.c - the kernel's part of a profile made by hand: four routines, a context each, 1000 samples of the clock and
 * 250 program counters a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "understand/overhead/steps.h"

enum { USER, MIXED, SYSTEM, SELDOM, ROUTINES };

#define MS UINT64_C(1000000)

static struct profile_context contexts[ROUTINES + 1] = {
	{ .routine = PROFILE_NONE },
	{ .routine = USER, .time = 1000 * MS, .ticks = 1000 },
	{ .routine = MIXED, .time = 1000 * MS, .ticks = 1000 },
	{ .routine = SYSTEM, .time = 1000 * MS, .ticks = 1000 },
	{ .routine = SELDOM, .time = 4 * MS, .ticks = 4 },
};
static struct profile_pc pcs[] = { { .context = 1, .count = 200 }, { .context = 1, .count = 50 }, { .context = 2, .count = 125 } };
static struct profile_run run;
static struct profile profile = { .runs = &run, .nruns = 1, .contexts = contexts, .ncontexts = ROUTINES + 1, .nroutines = ROUTINES, .pcs = pcs,
	.npcs = 3, .time = 3004 * MS };
static double kernel[ROUTINES + 1];
static struct overhead overhead = { .profile = &profile, .kernel = kernel };

static int set_up(void **state)
{
	(void)state;
	run = (struct profile_run){ .header = { .clock = AMON_CLOCK_TICK, .source = AMON_SOURCE_SAMPLER, .pc_source = AMON_SOURCE_PERF,
		.rate = 1000, .pc_period = 4 * MS, .cpu_user = 1502 * MS, .cpu_system = 1502 * MS } };
	return 0;
}

/* What is made of it, a program counter standing for its period. */
static void estimate(void)
{
	for (int i = 0; i <= ROUTINES; i++)
		kernel[i] = 0;
	assert_true(kernel_estimate(&overhead, 4 * MS));
}

static void assert_part(uint32_t routine, double expected)
{
	double part = kernel[routine] / (double)contexts[1 + routine].time;

	assert_true(part > expected - 0.01 && part < expected + 0.01);
}

/* Time without program counters is the kernel's, but for what may be chance. */
static void test_parts(void **state)
{
	(void)state;
	estimate();
	assert_true(overhead.kernel_known);
	assert_part(USER, 0);
	assert_part(MIXED, 0.5);
	assert_part(SYSTEM, 1);
	assert_part(SELDOM, 0);
}

/* All together have no more than the kernel counted. */
static void test_no_more_than_counted(void **state)
{
	(void)state;
	run.header.cpu_user = 2700 * MS;
	run.header.cpu_system = 300 * MS;
	estimate();
	assert_part(SYSTEM, 2.0 / 3 * 0.3004);
	assert_part(MIXED, 1.0 / 3 * 0.3004);
}

static void assert_unknown(void)
{
	estimate();
	assert_false(overhead.kernel_known);
	set_up(NULL);
}

/* Nothing is told where program counters may be lacking for another reason. */
static void test_unknown(void **state)
{
	(void)state;
	run.header.cpu_user = run.header.cpu_system = 0;
	assert_unknown();
	run.header.cpu_system = 0;			/* all user mode, and half of its program counters are lacking */
	assert_unknown();
	run.header.notes[AMON_NOTE_SIGPROF_TAKEN] = 1;
	assert_unknown();
	run.header.notes[AMON_NOTE_PC_BLOCKED] = 1;
	assert_unknown();
	run.header.notes[AMON_NOTE_PC_LOST] = 1;
	assert_unknown();
	run.header.pc_source = AMON_SOURCE_TIMER;	/* which interrupts the kernel, too */
	assert_unknown();
	run.header.clock = AMON_CLOCK_WALL;
	assert_unknown();
	assert_true(kernel_estimate(&overhead, 0));	/* no program counters */
	assert_false(overhead.kernel_known);
}

static void test_counted_part(void **state)
{
	(void)state;
	assert_true(profile_kernel_part(&profile) == 0.5);
	run.header.cpu_user = run.header.cpu_system = 0;
	assert_true(profile_kernel_part(&profile) < 0);
	run.header.cpu_system = 8 * MS;			/* two timer interrupts tell nothing */
	assert_true(profile_kernel_part(&profile) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_parts, set_up), cmocka_unit_test_setup(test_no_more_than_counted, set_up),
		cmocka_unit_test_setup(test_unknown, set_up), cmocka_unit_test_setup(test_counted_part, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
