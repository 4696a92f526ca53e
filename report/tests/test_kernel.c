/* test_kernel.c - the kernel's shares of a profile made by hand: four routines, a context each, 1000 samples of the clock and
 * 250 program counters a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/kernel.h"

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
static uint32_t routine_of[ROUTINES] = { 0, 1, 2, 3 };
static struct profile_run run;
static struct profile profile = { .runs = &run, .nruns = 1, .contexts = contexts, .ncontexts = ROUTINES + 1, .pcs = pcs, .npcs = 3,
	.time = 3004 * MS };
static struct graph graph = { .profile = &profile, .nroutines = ROUTINES, .routine_of = routine_of };

static int set_up(void **state)
{
	(void)state;
	run = (struct profile_run){ .header = { .clock = AMON_CLOCK_TICK, .source = AMON_SOURCE_SAMPLER, .pc_source = AMON_SOURCE_PERF,
		.rate = 1000, .pc_period = 4 * MS, .cpu_user = 1502 * MS, .cpu_system = 1502 * MS } };
	for (int i = 1; i <= ROUTINES; i++)
		contexts[i].hooks = 0;
	graph.options.raw = false;
	return 0;
}

static struct kernel made(void)
{
	struct kernel k;
	struct error err;

	assert_true(kernel_make(&k, &(struct report_input){ .graph = &graph }, &err));
	return k;
}

static void assert_share(double share, double expected)
{
	assert_true(share > expected - 0.01 && share < expected + 0.01);
}

/* Time without program counters is the kernel's, but for what may be chance. */
static void test_shares(void **state)
{
	struct kernel k = made();

	(void)state;
	assert_true(k.known);
	assert_share(k.share[USER], 0);
	assert_share(k.share[MIXED], 0.5);
	assert_share(k.share[SYSTEM], 1);
	assert_share(k.share[SELDOM], 0);
	kernel_free(&k);
}

/* Hooks are user mode: where their cost is subtracted, the kernel has more of what is left; --raw leaves it there. */
static void test_hooks(void **state)
{
	struct kernel k;

	(void)state;
	contexts[1 + MIXED].hooks = 250 * (int64_t)MS;
	k = made();
	assert_share(k.share[MIXED], 0.5 / 0.75);
	kernel_free(&k);
	graph.options.raw = true;
	k = made();
	assert_share(k.share[MIXED], 0.5);
	kernel_free(&k);
}

static void assert_unknown(void)
{
	struct kernel k = made();

	assert_false(k.known);
	for (int i = 0; i < ROUTINES; i++)
		assert_share(k.share[i], 0);
	kernel_free(&k);
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
}

static void test_part(void **state)
{
	(void)state;
	assert_share(profile_kernel_part(&profile), 0.5);
	run.header.cpu_user = run.header.cpu_system = 0;
	assert_true(profile_kernel_part(&profile) < 0);
	run.header.cpu_system = 8 * MS;			/* two timer interrupts tell nothing */
	assert_true(profile_kernel_part(&profile) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_shares, set_up), cmocka_unit_test_setup(test_hooks, set_up),
		cmocka_unit_test_setup(test_unknown, set_up), cmocka_unit_test_setup(test_part, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
