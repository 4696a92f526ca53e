/* test_fold.c - random stacks into a live file, read again: each history has the time of the stacks that lead to it, and each call site the samples of those
 * that it is in, once for each arc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/profile/profile.h"
#include "read/stacks/fold.h"

enum { ROUTINES = 6, DEEP = 12, STACKS = 20000, THREADS = 3, KINDS = 40000, SITES = 3, OUTSIDE = ROUTINES };

/* What is expected: time by thread and history. */
struct expected {
	uint32_t thread;
	size_t n;
	history_entry history[DEEP];
	uint64_t time, ticks;
};

static struct expected expected[KINDS];
static size_t nexpected;

static void expect(uint32_t thread, const history_entry *h, size_t n, uint64_t time)
{
	size_t i = 0;

	while (i < nexpected && (expected[i].thread != thread || expected[i].n != n || memcmp(expected[i].history, h, n * sizeof *h) != 0))
		i++;
	if (i == nexpected) {
		assert_true(nexpected < KINDS);
		expected[nexpected++] = (struct expected){ .thread = thread, .n = n };
		memcpy(expected[i].history, h, n * sizeof *h);
	}
	expected[i].time += time;
	expected[i].ticks++;
}

/* Samples by thread, arc and call site; the first of the sites is that which is not known. */
static struct { uint64_t self, children; } sited[THREADS][ROUTINES + 1][ROUTINES][SITES];

/* One more stack: of each arc that is open in it the last call, whatever else is open. */
static void expect_sites(uint32_t thread, const struct fold_call *calls, size_t n, uint64_t ticks)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t from = i > 0 ? calls[i - 1].routine : OUTSIDE, to = calls[i].routine;
		uint64_t site = calls[i].site ? calls[i].site - 0x2000 + 1 : 0;
		bool is_last = true;

		for (size_t k = i + 1; k < n; k++)
			is_last &= calls[k - 1].routine != from || calls[k].routine != to;
		if (is_last && calls[n - 1].routine == to)
			sited[thread][from][to][site].self += ticks;
		else if (is_last)
			sited[thread][from][to][site].children += ticks;
	}
}

/* A stack that is likely to be like one before. */
static size_t stack_make(unsigned *seed, struct fold_call *out)
{
	size_t n = (size_t)rand_r(seed) % (rand_r(seed) % 3 ? 4 : DEEP);

	for (size_t i = 0; i < n; i++)
		out[i].routine = (uint32_t)rand_r(seed) % ROUTINES;
	for (size_t i = 0; i < n; i++) {
		out[i].site = (uint64_t)rand_r(seed) % SITES;
		out[i].site += out[i].site ? 0x2000 - 1 : 0;
	}
	return n;
}

static struct amon_header header(uint64_t bound)
{
	return (struct amon_header){ .clock = AMON_CLOCK_TICK, .source = AMON_SOURCE_PERF, .pc_source = AMON_SOURCE_PERF, .rate = 1000,
		.pc_period = 1000000, .memory_bound = bound, .way = 1u << AMON_WAY_STACKS, .exit_status = -1 };
}

static struct recording *file_new(const char *path, uint64_t bound)
{
	struct amon_header h = header(bound);
	struct error err;
	struct recording *l;
	uint32_t module;

	unlink(path);
	l = recording_new(path, &h, &err);
	assert_non_null(l);
	recording_keep_sites(l);
	module = recording_module(l, &(struct amon_module){ .start = 0x1000, .end = 0x9000, .main_program = 1 }, "/bin/test");
	assert_int_equal(module, 0);
	for (uint32_t i = 0; i < ROUTINES; i++)
		assert_int_equal(recording_routine(l, 0x1000 + 0x100 * i, module, 0), i);
	return l;
}

static struct profile *file_read(const char *path, bool whole)
{
	struct profile *p = profile_new();
	struct error err;
	struct stat st;
	FILE *f = fopen(path, "r");
	char *bytes;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_int_equal(fread(bytes, 1, (size_t)st.st_size, f), st.st_size);
	fclose(f);
	if (!profile_read(p, bytes, (size_t)st.st_size, path, &err))
		fail_msg("%s", err.text);
	assert_true(!whole || p->runs[0].header.state == AMON_ENDED);
	free(bytes);
	return p;
}

/* The number that the stacks know routine R of P by. */
static uint32_t number_of(const struct profile *p, uint32_t r)
{
	return (uint32_t)((p->routines[r].address - 0x1000) / 0x100);
}

static void check(const struct profile *p)
{
	size_t found = 0;

	for (size_t i = 0; i < p->nshares; i++) {
		const struct profile_share *s = &p->shares[i];
		history_entry h[DEEP + 1];
		size_t n = profile_history(p, s->context, h), k = 0;

		if (s->time == 0)
			continue;
		for (size_t j = 0; j < n; j++)
			h[j] = number_of(p, history_routine(h[j])) << 1 | history_is_marked(h[j]);
		while (k < nexpected && (expected[k].thread != s->thread || expected[k].n != n || memcmp(expected[k].history, h, n * sizeof *h) != 0))
			k++;
		assert_true(k < nexpected);
		assert_int_equal(s->time, expected[k].time);
		assert_int_equal(s->ticks, expected[k].ticks);
		assert_int_equal(s->entries, 0);
		found++;
	}
	assert_int_equal(found, nexpected);
}

static void check_sites(const struct profile *p)
{
	size_t left = 0;

	for (size_t i = 0; i < p->nsites; i++) {
		const struct profile_site *s = &p->sites[i];
		uint32_t from = s->from ? number_of(p, p->contexts[s->from].routine) : OUTSIDE, to = number_of(p, p->contexts[s->to].routine);
		uint64_t site = s->address ? s->address - 0x2000 + 1 : 0;

		assert_int_equal(s->calls, 0);
		assert_int_equal(s->module, s->address ? 0 : PROFILE_NONE);
		sited[s->thread][from][to][site].self -= s->self;
		sited[s->thread][from][to][site].children -= s->children;
	}
	for (uint32_t t = 0; t < THREADS; t++)
		for (uint32_t from = 0; from <= ROUTINES; from++)
			for (uint32_t to = 0; to < ROUTINES; to++)
				for (uint32_t site = 0; site < SITES; site++)
					left += sited[t][from][to][site].self || sited[t][from][to][site].children;
	assert_int_equal(left, 0);
	assert_true(p->nsites > 0);
}

static void test_random_stacks(void **state)
{
	const char *path = "fold.amon";
	struct recording *l = file_new(path, 1 << 30);
	struct fold folds[THREADS];
	unsigned seed = 1;
	struct profile *p;

	(void)state;
	nexpected = 0;
	memset(sited, 0, sizeof sited);
	for (uint32_t t = 0; t < THREADS; t++)
		assert_true(fold_init(&folds[t], l, 100 + t));
	for (int i = 0; i < STACKS; i++) {
		uint32_t t = (uint32_t)rand_r(&seed) % THREADS, item;
		uint64_t ticks = 1 + (uint64_t)rand_r(&seed) % 2;
		struct fold_call stack[DEEP];
		size_t n = stack_make(&seed, stack), length = 0;
		uint64_t time = 1 + (uint64_t)rand_r(&seed) % 1000;
		history_entry h[DEEP + 1];

		for (size_t k = 0; k < n; k++)
			length = history_next(h, length, stack[k].routine);
		expect(t, h, length, time);
		item = fold_stack(&folds[t], stack, n);
		assert_int_not_equal(item, RECORDING_NONE);
		recording_charge(l, t, item, time);
		fold_count_sites(&folds[t], ticks);
		expect_sites(t, stack, n, ticks);
		assert_true(recording_pc(l, t, 0, item, 0x1000 + (uint64_t)rand_r(&seed) % 0x600, 1));
	}
	p = file_read(path, false);		/* while it is written */
	check(p);
	profile_free(p);
	for (uint32_t t = 0; t < THREADS; t++)
		fold_free(&folds[t]);
	recording_end(l, true);
	p = file_read(path, true);
	check(p);
	check_sites(p);
	assert_false(profile_counts_calls(p));
	assert_int_equal(p->runs[0].header.notes[AMON_NOTE_SITES_BOUND], 0);
	uint64_t pcs = 0;
	for (size_t i = 0; i < p->npcs; i++)
		pcs += p->pcs[i].count;
	assert_int_equal(pcs, STACKS);
	profile_free(p);
	unlink(path);
}

/* Where the bound is met, time goes to (elided), and none is lost; call sites leave room for contexts, and are then not told apart. */
static void test_bound(void **state)
{
	const char *path = "bound.amon";
	struct recording *l = file_new(path, 64 << 10);
	struct fold fold;
	uint64_t all = 0;
	unsigned seed = 2;
	struct profile *p;

	(void)state;
	assert_true(fold_init(&fold, l, 1));
	for (int i = 0; i < STACKS; i++) {
		struct fold_call stack[DEEP];
		size_t n = stack_make(&seed, stack);
		uint32_t item;

		item = fold_stack(&fold, stack, n);
		if (item == RECORDING_NONE)
			continue;
		recording_charge(l, fold.thread, item, 1);
		fold_count_sites(&fold, 1);
		all++;
	}
	fold_free(&fold);
	recording_end(l, true);
	p = file_read(path, true);
	assert_int_equal(p->time, all);
	assert_true(p->runs[0].header.notes[AMON_NOTE_MEMORY_BOUND] > 0);
	assert_true(p->runs[0].header.notes[AMON_NOTE_SITES_BOUND] > 0 && p->nsites > 0);
	assert_true(p->runs[0].file_size <= 64 << 10);
	profile_free(p);
	unlink(path);
}

/* A file of stacks and one of counted calls do not go together. */
static void test_mixed(void **state)
{
	struct amon_header h = header(1 << 20);
	struct profile *p;
	struct error err;
	struct recording *l;
	char bytes[AMON_PAGE];
	FILE *f;

	(void)state;
	recording_end(file_new("mixed.amon", 1 << 20), true);
	p = file_read("mixed.amon", true);
	h.way = 1u << AMON_WAY_INLINE;
	unlink("other.amon");
	l = recording_new("other.amon", &h, &err);
	recording_end(l, true);
	f = fopen("other.amon", "r");
	assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof bytes);
	fclose(f);
	assert_false(profile_read(p, bytes, sizeof bytes, "other.amon", &err));
	assert_int_equal(err.code, ERROR_MISMATCH);
	assert_int_equal(p->nruns, 1);
	profile_free(p);
	unlink("mixed.amon");
	unlink("other.amon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_stacks), cmocka_unit_test(test_bound), cmocka_unit_test(test_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
