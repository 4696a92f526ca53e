/* ran_test.c - when threads had a processor: rings as the kernel writes them, made by hand, and its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "monitor/ran.c"

enum { IN = 0, OUT = PERF_RECORD_MISC_SWITCH_OUT, TAKEN = OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT };

/* A ring, and where its last record is. */
struct made {
	uint64_t words[(AMON_PAGE + RECORDS) / 8];
	uint64_t head;
};

static struct made *made_new(void)
{
	struct made *m = calloc(1, sizeof *m);

	assert_non_null(m);
	return m;
}

static void put(struct made *m, uint64_t at, uint64_t word) { m->words[AMON_PAGE / 8 + at % RECORDS / 8] = word; }

/* The kernel writes that at TIME the thread got, or left, processor CPU. */
static void change(struct made *m, uint64_t time, uint64_t misc, uint32_t cpu)
{
	m->head -= RECORD;
	put(m, m->head, PERF_RECORD_SWITCH | misc << 32 | (uint64_t)RECORD << 48);
	put(m, m->head + 8, time);
	put(m, m->head + 16, cpu);
	m->words[offsetof(struct perf_event_mmap_page, data_head) / 8] = m->head;
}

static uint64_t now(void) { return sys_clock(CLOCK_MONOTONIC); }

/* It ran from 100 to 200 and from 300 to 350, when its processor was taken from it. */
static void test_away(void **state)
{
	struct made *m = made_new();
	struct ran ran;

	(void)state;
	assert_false(ring_read(m->words, 50).known);	/* nobody has told anything */
	change(m, 100, IN, 1);
	change(m, 200, OUT, 1);
	change(m, 300, IN, 0);
	change(m, 350, TAKEN, 0);
	ran = ring_read(m->words, 150);
	assert_true(ran.known && ran.had && !ran.has && ran.preempted && ran.slept);
	assert_int_equal(ran.nsec, 100);
	assert_int_equal(ran.left, 2);
	assert_int_equal(ran.cpu, 0);
	ran = ring_read(m->words, 250);
	assert_true(ran.known && !ran.had && !ran.has && ran.slept);
	assert_int_equal(ran.nsec, 50);
	ran = ring_read(m->words, 350);
	assert_true(ran.known && !ran.had && ran.nsec == 0 && !ran.slept);
	assert_false(ring_read(m->words, 99).known);	/* what was before the first word is not known */
	change(m, 400, IN, 1);
	change(m, 450, OUT, 1);
	ran = ring_read(m->words, 320);
	assert_true(ran.known && ran.had && !ran.has && !ran.preempted && ran.nsec == 80);
	free(m);
}

/* It is at a processor: what it has had until now counts. */
static void test_at_work(void **state)
{
	uint64_t began = now();
	struct made *m = made_new();
	struct ran ran;

	(void)state;
	change(m, began - 1000, IN, 3);
	ran = ring_read(m->words, began);
	assert_true(ran.known && ran.had && ran.has && ran.cpu == 3);
	assert_in_range(ran.nsec, 0, now() - began);
	free(m);
}

/* The ring goes around, and has the last records only. */
static void test_many(void **state)
{
	enum { CHANGES = 1000, KEPT = RECORDS / RECORD };
	struct made *m = made_new();
	struct ran ran;

	(void)state;
	for (uint64_t i = 1; i <= CHANGES; i++)
		change(m, 10 * i, i % 2 ? IN : OUT, 0);
	ran = ring_read(m->words, 10 * (CHANGES - KEPT + 1));
	assert_true(ran.known && !ran.has);
	assert_int_equal(ran.nsec, 10 * (KEPT / 2));
	assert_false(ring_read(m->words, 10 * (CHANGES - KEPT - 1)).known);
	free(m);
}

static volatile int phase;
static volatile int tid;

static void *sleeps(void *unused)
{
	uint64_t until;

	tid = (int)sys0(gettid);
	usleep(20000);
	phase = 1;
	while (phase == 1)
		usleep(5000);
	until = sys_clock(CLOCK_THREAD_CPUTIME_ID) + 5000000;
	while (sys_clock(CLOCK_THREAD_CPUTIME_ID) < until)
		phase = 3;
	phase = 4;
	while (phase == 4)
		usleep(100000);		/* the ring has room for a hundred of these and more */
	return unused;
}

static void wait_for(int which)
{
	while (phase != which)
		usleep(500);
}

/* A thread that sleeps, and works, as the kernel tells it. */
static void test_kernel(void **state)
{
	struct thread *t = calloc(1, sizeof *t);
	pthread_t thread;
	struct ran ran;
	uint64_t since;

	(void)state;
	assert_non_null(t);
	monitor.clock = (struct clock_choice){ .rate = 1000, .pc_wanted = AMON_SOURCE_PERF };
	ran_reserve();
	ran_begin(true);
	assert_int_equal(pthread_create(&thread, NULL, sleeps, NULL), 0);
	while (!tid)
		usleep(500);
	t->tid = tid;
	ran_since(t, now());
	if (!t->ran.pages)
		exit(77);			/* it is not permitted; to Meson, skipped */
	wait_for(1);
	do {					/* until it went to sleep, or woke, more than 25 ms ago: on a busy machine it may wait for its turn */
		usleep(30000);
		since = now() - 25000000;
		ran = ran_since(t, since);
	} while (!ran.known);
	assert_in_range(ran.nsec, 0, 10000000);		/* asleep nearly all the time */
	phase = 2;
	wait_for(4);
	ran = ran_since(t, since);
	assert_true(ran.known);
	assert_in_range(ran.nsec, 4000000, 1000000000);	/* it works for 5 ms */
	phase = 5;
	pthread_join(thread, NULL);
	assert_true(ran_cpu() < (uint32_t)sysconf(_SC_NPROCESSORS_CONF));	/* this thread's */
	assert_int_equal(places.taken, 1);
	ran_close(t);
	assert_false(t->ran.pages || t->ran.tid);
	assert_int_equal(places.taken, 0);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_away),
		cmocka_unit_test(test_at_work),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
