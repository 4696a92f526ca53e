/* test_sum.c - sums: in any order and any parts the same bytes, and what the files hold together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "read/profile/sum.h"
#include "read/profile/tests/allocations.h"
#include "read/profile/tests/dump.h"
#include "read/profile/tests/sound.h"
#include "tests/lib/make_amon.h"

enum { MOST = 40 };

static uint64_t sliced;		/* each so manieth run keeps its times by interval; 0: none */

struct file {
	uint8_t *data;
	size_t len;
};

/* Run NUMBER of a program whose routines call each other as they like, so that many histories are reached by several ways; some in
 * two threads, some reset; each with costs of hooks and a time of its own. */
static struct file run_made(uint64_t number)
{
	struct make_amon *m = make_amon_random(&(struct made_program){ .seed = number, .routines = 5, .threads = 1 + number % 2, .calls = 400, .mean = 6,
		.deepest = 20, .recursion = 0.4, .ticks = 0.2, .reset = number % 5 == 0 ? 90 : 0, .values = number % 4,
		.intervals = sliced && number % sliced == 0 ? 10 + number % 3 : 0 });
	struct amon_header *h = make_amon_header(m);
	struct file f;

	h->start_realtime = 1000 - number % 7;
	h->pid = (int32_t)number;
	h->hook_picoseconds = 1000 + number * 17;
	h->hook_inside = 300 + number;
	h->pc_period = number % 3 ? 1000000 + number : 0;
	h->note_errno = (uint32_t)(number % 4);
	h->unsure = number * 3;
	h->sampler_cpu = number;
	h->pc_unsampled = number * 5;
	h->compared = number * 7;
	h->differ = number * 2;
	f.data = make_amon_finish(m, &f.len);
	make_amon_free(m);
	return f;
}

static struct profile *run_read(struct profile *p, const struct file *f)
{
	struct error err = { .text = "" };

	p = p ? p : profile_new();
	if (!profile_read(p, f->data, f->len, "made", &err))
		fail_msg("%s", err.text);
	return p;
}

static void add(struct profile_sum *s, const struct file *f)
{
	struct profile *p = run_read(NULL, f);
	struct error err;

	assert_true(profile_sum_add(s, p, &err));
	profile_free(p);
}

static struct file taken(struct profile_sum *s)
{
	struct error err;
	struct profile *p = profile_sum_take(s, &err);
	struct file f;

	assert_non_null(p);
	assert_null(unsound(p));
	f.data = profile_write(p, &f.len, &err);
	assert_non_null(f.data);
	profile_free(p);
	return f;
}

/* The sum of the files [I, END), in steps of STEP modulo N. */
static struct file summed(const struct file *files, size_t i, size_t end, size_t step, size_t n)
{
	struct profile_sum *s = profile_sum_new(false);

	for (; i < end; i++)
		add(s, &files[i * step % n]);
	return taken(s);
}

static void same(const struct file *a, const struct file *b)
{
	assert_int_equal(a->len, b->len);
	assert_memory_equal(a->data, b->data, a->len);
}

/* N files, a prime number, in their order, in others, and as sums of sums. */
static void check_orders(size_t n)
{
	struct file files[MOST], whole, other, parts[3];

	for (size_t i = 0; i < n; i++)
		files[i] = run_made(i + 1);
	whole = summed(files, 0, n, 1, n);
	for (size_t step = 3; step < n; step += 4) {
		other = summed(files, 0, n, step, n);
		same(&whole, &other);
		free(other.data);
	}
	for (size_t cut = 1; cut + 1 < n; cut += n / 3) {
		parts[0] = summed(files, 0, cut, 1, n);
		parts[1] = summed(files, cut, n - 1, 1, n);
		parts[2] = summed(files, n - 1, n, 1, n);
		other = summed(parts, 0, 3, 2, 3);
		same(&whole, &other);
		free(other.data);
		for (int i = 0; i < 3; i++)
			free(parts[i].data);
	}
	other = summed(&whole, 0, 1, 1, 1);
	same(&whole, &other);
	free(other.data);
	free(whole.data);
	for (size_t i = 0; i < n; i++)
		free(files[i].data);
}

static void test_order(void **state)
{
	(void)state;
	check_orders(SUM_APART - 5);
	check_orders(SUM_APART + 1);
	check_orders(37);
}

/* The same of runs that kept their times by interval, all of them or some. */
static void test_order_of_slices(void **state)
{
	(void)state;
	for (sliced = 1; sliced <= 2; sliced++) {
		check_orders(SUM_APART - 5);
		check_orders(SUM_APART + 1);
	}
	sliced = 0;
}

/* When the slice I of P was, since 1970, its process, samples, time. */
static void slice_facts(const struct profile *p, size_t i, uint64_t facts[4])
{
	const struct profile_slice *s = &p->slices[i];
	const struct profile_thread *t = &p->threads[s->thread];

	facts[0] = p->runs[t->run].header.start_realtime + profile_slice_middle(p, s);
	facts[1] = (uint64_t)t->origin.pid;
	facts[2] = s->ticks;
	facts[3] = s->time;
}

static int facts_compare(const void *x, const void *y) { return memcmp(x, y, 4 * sizeof(uint64_t)); }

static uint64_t (*facts_of(const struct profile *p))[4]
{
	uint64_t (*all)[4] = calloc(p->nslices + 1, sizeof *all);

	for (size_t i = 0; i < p->nslices; i++)
		slice_facts(p, i, all[i]);
	qsort(all, p->nslices, sizeof *all, facts_compare);
	return all;
}

/* The sum of N runs, of which each OF-th kept them, has what was when as the runs have it, or of many nothing; it is TOLD if nearly all kept it. */
static void check_slices(uint64_t n, uint64_t of, bool told)
{
	struct profile_sum *s = profile_sum_new(false);
	struct profile *together = NULL, *p;
	struct file sum;
	uint64_t (*wanted)[4], (*found)[4];

	sliced = of;
	for (uint64_t i = 1; i <= n; i++) {
		struct file f = run_made(i);

		together = run_read(together, &f);
		add(s, &f);
		free(f.data);
	}
	sliced = 0;
	assert_true(together->nslices > 100);
	assert_int_equal(profile_sum_keeps_slices(together), n <= SUM_APART);
	sum = taken(s);
	p = run_read(NULL, &sum);
	assert_int_equal(p->nslices, n <= SUM_APART ? together->nslices : 0);
	assert_int_equal(profile_is_sliced(p), told);
	wanted = facts_of(together);
	found = facts_of(p);
	assert_memory_equal(found, wanted, p->nslices * sizeof *found);
	free(wanted);
	free(found);
	profile_free(p);
	profile_free(together);
	free(sum.data);
}

static void test_slices(void **state)
{
	(void)state;
	check_slices(SUM_APART, 1, true);
	check_slices(SUM_APART + 1, 1, false);
	check_slices(SUM_APART, 2, false);
}

/* The contexts of P as text, without those in which nothing was: others come from them in a sum. */
static char *contexts_of(const struct profile *p)
{
	static const char nothing[] = "0 0 0.000 ";
	char *text = dump_contexts(p, false), *to = text;

	for (char *line = text, *end; *line; line = end) {
		end = strchr(line, '\n') + 1;
		if (strncmp(line, nothing, sizeof nothing - 1) == 0)
			continue;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
	}
	*to = '\0';
	return text;
}

/* Contexts and all that they counted are those of the files read together. */
static void test_counts(void **state)
{
	struct profile_sum *s = profile_sum_new(true);
	struct profile *together = NULL, *p;
	struct file sum;
	char *wanted, *found;

	(void)state;
	for (uint64_t i = 1; i <= 20; i++) {
		struct file f = run_made(i);

		together = run_read(together, &f);
		add(s, &f);
		free(f.data);
	}
	sum = taken(s);
	p = run_read(NULL, &sum);
	wanted = contexts_of(together);
	found = contexts_of(p);
	assert_string_equal(found, wanted);
	assert_true(p->time == together->time && p->monitor == together->monitor && p->unplaced == together->unplaced);
	assert_int_equal(p->npcs, together->npcs);
	assert_int_equal(p->ndetours > 0, together->ndetours > 0);
	assert_int_equal(p->runs[0].ncommands, 1);
	assert_int_equal(p->runs[0].commands[0].processes, 20);
	assert_int_equal(p->runs[0].header.unsure, 3 * 210);
	assert_int_equal(p->runs[0].header.sampler_cpu, 210);
	assert_int_equal(p->runs[0].header.pc_unsampled, 5 * 210);
	assert_int_equal(p->runs[0].header.compared, 7 * 210);
	assert_int_equal(p->runs[0].header.differ, 2 * 210);
	free(wanted);
	free(found);
	profile_free(p);
	profile_free(together);
	free(sum.data);
}

/* Of few processes each thread is there; of more, one for each name. */
static void test_threads(void **state)
{
	(void)state;
	for (uint64_t n = SUM_APART; n <= SUM_APART + 1; n++) {
		struct profile_sum *s = profile_sum_new(false);
		uint32_t threads = 0, names = 0;
		uint64_t folded = 0;
		struct profile *p;
		struct file sum;

		for (uint64_t i = 1; i <= n; i++) {
			struct file f = run_made(i);

			threads += 1 + i % 2;
			add(s, &f);
			free(f.data);
		}
		sum = taken(s);
		p = run_read(NULL, &sum);
		for (uint32_t i = 0; i < p->nthreads; i++) {
			folded += p->threads[i].record.folded;
			for (uint32_t k = 0; k <= i; k++)
				if (k == i || strcmp(p->threads[k].record.name, p->threads[i].record.name) == 0) {
					names += k == i;
					break;
				}
		}
		assert_int_equal(p->nthreads, n == SUM_APART ? threads : names);
		assert_int_equal(folded, threads);
		profile_free(p);
		free(sum.data);
	}
}

/* What there is one of is the earliest process's, of the first two in any order; means weigh by calls. */
static void test_header(void **state)
{
	(void)state;
	for (size_t order = 0; order < 2; order++) {
		struct file a = run_made(2), b = run_made(6), sum;
		struct amon_header *h[2] = { (void *)a.data, (void *)b.data };
		struct profile_sum *s = profile_sum_new(false);
		struct profile *p, *q;
		unsigned __int128 weights, costs;

		h[0]->start_realtime = 5;
		h[1]->start_realtime = 4;
		strcpy(h[0]->host, "a");
		strcpy(h[1]->host, "b");
		p = run_read(NULL, &a);
		q = run_read(NULL, &b);
		weights = (unsigned __int128)p->runs[0].calls + 1 + q->runs[0].calls + 1;
		costs = (unsigned __int128)(p->runs[0].calls + 1) * h[0]->hook_picoseconds +
			(unsigned __int128)(q->runs[0].calls + 1) * h[1]->hook_picoseconds;
		profile_free(p);
		profile_free(q);
		add(s, order ? &a : &b);
		add(s, order ? &b : &a);
		sum = taken(s);
		p = run_read(NULL, &sum);
		assert_string_equal(p->runs[0].header.host, "b");
		assert_int_equal(p->runs[0].header.pid, 6);
		assert_true(p->runs[0].header.hook_picoseconds == (uint64_t)(costs / weights));
		profile_free(p);
		free(sum.data);
		free(a.data);
		free(b.data);
	}
}

/* A profile that does not go with the others is refused, and the sum is as it was. */
static void test_other_clock(void **state)
{
	struct file f = run_made(1), other = run_made(1), alone = summed(&f, 0, 1, 1, 1), sum;
	struct profile_sum *s = profile_sum_new(false);
	struct profile *p;
	struct error err;

	(void)state;
	((struct amon_header *)other.data)->clock = AMON_CLOCK_WALL;
	add(s, &f);
	p = run_read(NULL, &other);
	assert_false(profile_sum_add(s, p, &err));
	assert_int_equal(err.code, ERROR_MISMATCH);
	profile_free(p);
	sum = taken(s);
	same(&sum, &alone);
	free(sum.data);
	free(alone.data);
	free(f.data);
	free(other.data);
}

/* Memory is short at each place in turn. */
static void test_no_memory(void **state)
{
	struct file f[2];
	struct profile *p[2], *sum = NULL;

	(void)state;
	sliced = 1;
	for (int i = 0; i < 2; i++) {
		f[i] = run_made(3 + 2 * (uint64_t)i);
		p[i] = run_read(NULL, &f[i]);
	}
	sliced = 0;
	for (unsigned long n = 1; !sum; n++) {
		struct error err = { .code = ERROR_NONE };
		struct profile_sum *s;
		bool made;

		allocations = 0;
		failing = n;
		s = profile_sum_new(false);
		made = s != NULL;
		for (int i = 0; s && i < 2; i++)
			if (!profile_sum_add(s, p[i], &err)) {
				profile_sum_free(s);
				s = NULL;
			}
		sum = s ? profile_sum_take(s, &err) : NULL;
		failing = 0;
		assert_true(sum || !made || err.code == ERROR_MEMORY);
	}
	assert_null(unsound(sum));
	profile_free(sum);
	for (int i = 0; i < 2; i++) {
		profile_free(p[i]);
		free(f[i].data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_order_of_slices), cmocka_unit_test(test_slices), cmocka_unit_test(test_counts), cmocka_unit_test(test_threads), cmocka_unit_test(test_header),
		cmocka_unit_test(test_other_clock), cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
