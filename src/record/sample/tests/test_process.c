/* test_process.c - what the kernel says that a process used beyond its samples goes to those of its threads that lack it, where nothing but their end kept them from
 * being sampled; else it is unplaced.  No sample is made of it, and it is in the errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/profile/profile.h"
#include "record/sample/process.h"

#define MS UINT64_C(1000000)

enum { PID = 4000000 };			/* of nobody */

static const struct source_kind kind = { .number = AMON_SOURCE_PERF, .tells_maps = true };
static const struct source source = { .kind = &kind, .sees_kernel = true };
static struct images images;
static struct accounts accounts;
static char directory[] = "/tmp/test_process.XXXXXX";

static struct process_wishes wishes_make(bool intervals)
{
	return (struct process_wishes){ .directory = directory, .intervals = intervals, .header = {
		.clock = AMON_CLOCK_TICK, .rate = 1000, .pc_period = MS, .memory_bound = 1 << 24, .way = 1u << AMON_WAY_STACKS, .exit_status = -1, .state = AMON_RUNNING } };
}

/* A process that was sampled: thread PID + I so often, at once, in the kernel but for the first. */
static struct process *process_make(const unsigned *samples, unsigned threads, bool intervals)
{
	struct process_wishes wishes = wishes_make(intervals);
	struct process *p = process_new(PID, NULL, &images);

	p->accounts = &accounts;
	p->reason = ACCOUNT_SOON;
	process_exec(p, "brief", 1);
	for (unsigned t = 0; t < threads; t++)
		for (unsigned i = 0; i < samples[t]; i++)
			process_sample(p, &(struct happening){ .kind = HAPPENED_SAMPLE, .pid = PID, .tid = PID + t, .time = MS, .period = MS, .cpu = MS, .kernel = t > 0 },
				       &source, &wishes);
	return p;
}

/* The file of P, which goes after USED ns. */
static struct profile *file_of(struct process *p, uint64_t used)
{
	struct profile *profile = profile_new();
	struct error err;
	char path[100], bytes[1 << 20];
	size_t len;
	FILE *f;

	process_settle(p, used, true);
	process_free(p);
	snprintf(path, sizeof path, "%s/stacks.%d.2", directory, PID);
	f = fopen(path, "r");
	assert_non_null(f);
	len = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	unlink(path);
	if (!profile_read(profile, bytes, len, "made", &err))
		fail_msg("%s", err.text);
	accounts_free(&accounts);
	return profile;
}

static uint64_t kernel_time(const struct profile *p)
{
	uint64_t time = 0;

	for (uint32_t i = 0; i < p->ncontexts; i++)
		if (p->contexts[i].routine < p->nroutines && p->routines[p->contexts[i].routine].pseudo == AMON_ROUTINE_KERNEL)
			time += p->contexts[i].time;
	return time;
}

static uint64_t ticks_of(const struct profile *p)
{
	uint64_t ticks = 0;

	for (uint32_t i = 0; i < p->ncontexts; i++)
		ticks += p->contexts[i].ticks;
	return ticks;
}

/* Ten samples of the first thread, which lacks 0.3 ms; one each of two others, which lack 0.8 and 0.6; and 0.7 ms of one that ended before its first. */
static void by_thread(void **state)
{
	bool intervals = *(bool *)*state;
	struct process *p = process_make((unsigned[]){ 10, 1, 1 }, 3, intervals);
	struct profile *profile;

	process_ended(p, PID + 1, 2 * MS);
	process_thread_used(p, PID + 1, 1000000);
	process_thread_used(p, PID + 1, 800000);		/* on another processor */
	process_thread_used(p, PID + 2, 1600000);
	process_thread_used(p, PID + 3, 700000);
	profile = file_of(p, 14400000);
	assert_int_equal(profile->time, 14400000);
	assert_int_equal(profile->unplaced, 0);
	assert_in_range(kernel_time(profile), 4099990, 4100010);
	assert_int_equal(ticks_of(profile), 12);
	assert_int_equal(profile->runs[0].header.unsure, 2400000);
	if (intervals) {
		profile_take_range(profile, &(struct profile_range){ .from = 0, .to = UINT64_MAX });
		assert_int_equal(profile->time, 14400000);
		assert_int_equal(profile->runs[0].header.unsure, 2400000);
	}
	profile_free(profile);
}

/* Nobody tells of threads, as by a timer: all contexts alike. */
static void by_process(void **state)
{
	struct profile *profile = file_of(process_make((unsigned[]){ 3, 1 }, 2, false), 6 * MS);

	(void)state;
	assert_int_equal(profile->unplaced, 0);
	assert_int_equal(kernel_time(profile), 1500000);
	assert_int_equal(profile->runs[0].header.unsure, 2 * MS);
	profile_free(profile);
}

/* What had another reason is unplaced, and what no sample was left to share with. */
static void other_reasons(void **state)
{
	struct process *p = process_make((unsigned[]){ 2 }, 1, false);
	struct profile *profile;

	(void)state;
	p->missing[ACCOUNT_ROOM] = 3 * MS;
	profile = file_of(p, 6 * MS);
	assert_int_equal(profile->unplaced, 3 * MS);
	assert_int_equal(profile->time, 3 * MS);
	profile_free(profile);
	p = process_make((unsigned[]){ 2 }, 1, false);
	p->reason = ACCOUNT_KERNEL;
	profile = file_of(p, 6 * MS);
	assert_int_equal(profile->unplaced, 4 * MS);
	assert_int_equal(profile->runs[0].header.unsure, 0);
	profile_free(profile);
}

/* By chance one has more samples than it used, the next one fewer: together they have what both used. */
static void owed(void **state)
{
	struct process *p = process_make((unsigned[]){ 3 }, 1, false);
	struct account *a;
	char path[100];

	(void)state;
	process_settle(p, 2 * MS, true);
	process_free(p);
	snprintf(path, sizeof path, "%s/stacks.%d.2", directory, PID);
	unlink(path);
	p = process_make((unsigned[]){ 2 }, 1, false);
	process_settle(p, 4 * MS, true);
	assert_int_equal(recording_header(p->live)->unsure, MS);
	a = account_of(&accounts, "brief");
	assert_int_equal(a->used, a->placed + a->shared);
	assert_int_equal(a->used, 6 * MS);
	assert_int_equal(a->missing[ACCOUNT_SOON], 0);
	process_free(p);
	unlink(path);
	accounts_free(&accounts);
}

static int directory_make(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

/* Four samples of a period and one that is six of them late: what they stand for makes the error.  What no sample saw, as much again as half, makes each of them stand for more. */
static void weights(void **state)
{
	(void)state;
	for (uint64_t more = 0; more <= 5; more += 5) {
		struct process_wishes wishes = wishes_make(false);
		struct process *p = process_make((unsigned[]){ 4 }, 1, false);
		struct profile *profile;
		double variance = 0, each = (10 + (double)more) / 10 * 1e6;

		process_sample(p, &(struct happening){ .kind = HAPPENED_SAMPLE, .pid = PID, .tid = PID, .time = MS, .period = 6 * MS, .cpu = 6 * MS }, &source, &wishes);
		process_ended(p, PID, 2 * MS);
		profile = file_of(p, (10 + more) * MS);
		assert_int_equal(profile->time, (10 + more) * MS);
		for (uint32_t i = 0; i < profile->ncontexts; i++)
			variance += profile_variance(profile, i);
		assert_true(fabs(variance / (40 * each * each) - 1) < 1e-4);
		profile_free(profile);
	}
}

static int directory_remove(void **state)
{
	(void)state;
	images_free(&images);
	return rmdir(directory);
}

int main(void)
{
	static bool no = false, yes = true;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(by_thread, &no),
		cmocka_unit_test_prestate(by_thread, &yes),
		cmocka_unit_test(by_process),
		cmocka_unit_test(other_reasons),
		cmocka_unit_test(owed),
		cmocka_unit_test(weights),
	};

	return cmocka_run_group_tests_name("a process and what it used", tests, directory_make, directory_remove);
}
