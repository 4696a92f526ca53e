/* test_profile.c - what is read against what was counted, merged, written, and put out of shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "read/profile/tests/allocations.h"
#include "read/profile/tests/dump.h"
#include "tests/lib/make_amon.h"
#include "read/profile/profile.h"
#include "read/profile/sum.h"
#include "read/profile/tests/sound.h"

struct file {
	uint8_t *data;
	size_t len;
};

static struct file finish(struct make_amon *m)
{
	struct file f;

	f.data = make_amon_finish(m, &f.len);
	return f;
}

static struct profile *read_file(const struct file *f)
{
	struct profile *p = profile_new();
	struct error err = { .text = "" };

	assert_non_null(p);
	if (!profile_read(p, f->data, f->len, "made", &err))
		fail_msg("%s", err.text);
	return p;
}

static char *made_contexts(const struct make_amon *m)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	make_amon_print(m, out);
	fclose(out);
	return sort_lines(must_text(text));
}

/* Texts that are to be equal, and go. */
static void check_texts(char *a, char *b)
{
	if (strcmp(a, b) != 0) {
		size_t i = 0;

		while (a[i] == b[i])
			i++;
		while (i > 0 && a[i - 1] != '\n')
			i--;
		fail_msg("\n%.*s\nis not\n%.*s\n", (int)strcspn(a + i, "\n"), a + i, (int)strcspn(b + i, "\n"), b + i);
	}
	free(a);
	free(b);
}

static void check_sound(const struct profile *p)
{
	const char *bad = unsound(p);

	if (bad)
		fail_msg("%s", bad);
}

static struct make_amon *small(uint64_t seed, uint32_t routines, uint32_t threads, uint64_t calls)
{
	struct make_amon *m = make_amon_random(&(struct made_program){
		.seed = seed, .routines = routines, .threads = threads, .calls = calls,
		.reset = seed % 3 ? 0 : calls / 2, .mean = 1 + routines / 2, .deepest = 3 * routines, .recursion = 0.2, .ticks = 0.3, .values = seed % 4,
	});
	struct amon_header *h = make_amon_header(m);

	h->hook_picoseconds = 4321;
	h->hook_inside = 1234;
	make_amon_chunk_items(m, 100);
	return m;
}

static void test_paper(void **state)
{
	struct make_amon *m = make_amon_paper(1000);
	struct file f = finish(m);
	struct profile *p = read_file(&f);

	(void)state;
	assert_int_equal(p->ncontexts, 1 + 8);		/* root, C0-C6, and S */
	assert_int_equal(p->longest, 6);
	assert_int_equal(p->runs[0].calls, 3003);
	assert_int_equal(p->runs[0].transitions, 9);	/* the ninth: C6 called P */
	assert_int_equal(p->runs[0].recursions, 0);
	check_sound(p);
	check_texts(dump_contexts(p, false), made_contexts(m));
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

/* Random programs: contexts, entries, recursive calls and times are those that the maker counted. */
static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct make_amon *m = small(seed, 1 + (uint32_t)seed % 13, 1 + seed % 3, 2000);
		struct file f = finish(m);
		struct profile *p = read_file(&f);

		check_sound(p);
		check_texts(dump_contexts(p, false), made_contexts(m));
		assert_false(p->runs[0].truncated);
		assert_int_equal(p->nthreads, 1 + seed % 3);
		profile_free(p);
		free(f.data);
		make_amon_free(m);
	}
}

/* Ticks and PCs: each sample of the maker is one of each. */
static void test_pcs(void **state)
{
	struct make_amon *m = small(5, 6, 2, 3000);
	struct file f = finish(m);
	struct profile *p = read_file(&f);
	uint64_t ticks = 0, pcs = 0, libc = 0;

	(void)state;
	for (uint32_t i = 0; i < p->ncontexts; i++)
		ticks += p->contexts[i].ticks;
	for (size_t i = 0; i < p->npcs; i++) {
		pcs += p->pcs[i].count;
		assert_int_not_equal(p->pcs[i].module, PROFILE_NONE);
		if (strcmp(p->modules[p->pcs[i].module].path, "/lib/libc.so.6") == 0)
			libc += p->pcs[i].count;
	}
	assert_true(ticks > 1000 && pcs == ticks);
	assert_true(libc > ticks / 3 && libc < ticks * 2 / 3);
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

/* The counters: by hand on Main calling P thrice and itself twice. */
static void test_counters(void **state)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, "/made/x", NULL, 0, 0x1000, 0);
	uint32_t main_program = make_amon_routine(m, module, 0x10, 0), callee = make_amon_routine(m, module, 0x20, 0);
	uint32_t thread = make_amon_thread(m, "x");
	struct profile *p;
	struct file f;

	(void)state;
	make_amon_enter(m, thread, main_program);
	for (int i = 0; i < 3; i++) {
		make_amon_enter(m, thread, callee);
		make_amon_leave(m, thread);
	}
	make_amon_enter(m, thread, main_program);
	make_amon_enter(m, thread, main_program);
	make_amon_charge(m, thread, 100, 1);
	f = finish(m);
	p = read_file(&f);
	assert_int_equal(p->ncontexts, 3);
	assert_int_equal(p->contexts[1].entries, 1);
	assert_int_equal(p->contexts[1].recursive, 2);
	assert_int_equal(p->contexts[1].calls_out, 5);
	assert_int_equal(p->contexts[1].time, 100);
	assert_int_equal(p->contexts[2].entries, 3);
	assert_int_equal(p->contexts[0].calls_out, 1);
	assert_int_equal(p->threads[0].current, 1);
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

static void test_cycle_clock(void **state)
{
	struct make_amon *m = make_amon_paper(1);
	uint32_t thread = 0;
	struct profile *p;
	struct file f;

	(void)state;
	make_amon_header(m)->clock = AMON_CLOCK_TSC;
	make_amon_header(m)->tsc_hz = UINT64_C(2500000000);
	make_amon_charge(m, thread, UINT64_C(5000000000000000000), 0);	/* would overflow if multiplied first */
	make_amon_thread_record(m, thread)->monitor = 5000;
	f = finish(m);
	p = read_file(&f);
	assert_true(p->contexts[0].time == UINT64_C(2000000000000000000));
	assert_int_equal(p->monitor, 2000);
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

/* A program of three routines, loaded at BASE, whose main calls f, which calls g CALLS times. */
static struct file loaded_at(uint64_t base, const char *path, const char *build_id, unsigned calls)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, path, build_id, base, base + 0x1000, base), thread;
	struct file f;

	for (uint64_t i = 0; i < 3; i++)
		make_amon_routine(m, module, base + 0x40 * (calls % 2 ? i : 2 - i), 0);
	thread = make_amon_thread(m, "x");
	for (uint32_t i = 0; i < 3; i++) {
		for (unsigned k = 1; i == 2 && k < calls; k++) {
			make_amon_enter(m, thread, calls % 2 ? i : 2 - i);
			make_amon_leave(m, thread);
		}
		make_amon_enter(m, thread, calls % 2 ? i : 2 - i);
	}
	make_amon_pc(m, thread, base + 0x84, calls);
	f = finish(m);
	make_amon_free(m);
	return f;
}

/* Runs of one program at different addresses, its routines met in another order: the build-id, or else the path,
 * and the place in the module tell that they are the same. */
static void test_merge_moved(void **state)
{
	static const struct { const char *path, *build_id; uint32_t contexts; } others[] = {
		{ "/made/program", "id", 4 }, { "/elsewhere/program", "id", 4 },
		{ "/made/program", NULL, 7 }, { "/made/program", "ID", 7 }, { "/made/program", "id2", 7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct file a = loaded_at(0x555500000000, "/made/program", "id", 5);
		struct file b = loaded_at(0x7f0000000000, others[i].path, others[i].build_id, 4);
		struct profile *p = read_file(&a);
		struct error err;

		assert_true(profile_read(p, b.data, b.len, "b", &err));
		assert_int_equal(p->ncontexts, others[i].contexts);
		assert_int_equal(p->nmodules, others[i].contexts == 4 ? 1 : 2);
		assert_int_equal(p->contexts[3].entries, others[i].contexts == 4 ? 9 : 5);
		assert_int_equal(p->pcs[0].count, others[i].contexts == 4 ? 9 : 5);
		assert_int_equal(p->pcs[0].address, 0x84);
		assert_int_equal(p->runs[1].contexts, 3);
		check_sound(p);
		profile_free(p);
		free(a.data);
		free(b.data);
	}
}

/* The same file twice: contexts, with two shares each and all sums doubled. */
static void test_merge_twice(void **state)
{
	struct make_amon *m = small(3, 5, 1, 1000);
	struct file f = finish(m);
	struct profile *p = read_file(&f), *alone = read_file(&f);
	struct error err;

	(void)state;
	assert_true(profile_read(p, f.data, f.len, "again", &err));
	assert_int_equal(p->ncontexts, alone->ncontexts);
	assert_int_equal(p->nthreads, 2);
	assert_int_equal(p->nshares, 2 * alone->nshares);
	assert_int_equal(p->npcs, alone->npcs);
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		assert_true(p->contexts[i].entries == 2 * alone->contexts[i].entries);
		assert_true(p->contexts[i].recursive == 2 * alone->contexts[i].recursive);
		assert_true(p->contexts[i].calls_out == 2 * alone->contexts[i].calls_out);
		assert_true(p->contexts[i].time == 2 * alone->contexts[i].time);
	}
	check_sound(p);
	profile_free(p);
	profile_free(alone);
	free(f.data);
	make_amon_free(m);
}

/* The mean of the same run three times is that run, of whose threads there is one each, with all samples. */
static void test_mean(void **state)
{
	struct make_amon *m = small(3, 5, 3, 1000);
	struct file f = finish(m);
	struct profile *p = read_file(&f), *alone = read_file(&f);
	struct error err;

	(void)state;
	assert_true(profile_read(p, f.data, f.len, "again", &err) && profile_read(p, f.data, f.len, "and again", &err));
	assert_true(p->nshares == 3 * alone->nshares && alone->ndetours > 0);
	assert_true(profile_take_mean(p, 3));
	assert_int_equal(p->mean_of, 3);
	assert_true(p->nthreads == 3 && p->nshares == alone->nshares && p->ndetours == alone->ndetours);
	assert_true(p->time == alone->time && fabs(profile_tick(p) * 3 - profile_tick(alone)) < 1e-6 * profile_tick(alone));
	for (uint32_t i = 0; i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i], *one = &alone->contexts[i];

		assert_true(c->entries == one->entries && c->recursive == one->recursive && c->calls_out == one->calls_out && c->time == one->time);
		assert_true(c->ticks == 3 * one->ticks && fabs(profile_variance(p, i) * 3 - profile_variance(alone, i)) <= 3);
	}
	for (size_t i = 0; i < p->nshares; i++) {
		const struct profile_share *s = &p->shares[i], *one = &alone->shares[i];

		assert_true(s->thread == one->thread && s->context == one->context && s->entries == one->entries && s->time == one->time);
	}
	for (size_t i = 0; i < p->ndetours; i++)
		assert_true(p->detours[i].thread == alone->detours[i].thread && p->detours[i].to == alone->detours[i].to && p->detours[i].calls == alone->detours[i].calls);
	for (uint32_t i = 0; i < p->nthreads; i++)
		assert_true(p->threads[i].record.cpu_last - p->threads[i].record.cpu_first == alone->threads[i].record.cpu_last - alone->threads[i].record.cpu_first);
	profile_free(p);
	profile_free(alone);
	free(f.data);
	make_amon_free(m);
}

/* Calls that each of a routine's contexts has in few runs are not lost: as many are left of the routine. */
static void test_mean_rounds_by_routine(void **state)
{
	struct make_amon *m[] = { small(3, 5, 1, 1000), small(4, 5, 1, 1000), small(5, 5, 1, 1000), small(6, 5, 1, 1000) };
	struct profile *p = profile_new();
	uint64_t before[16] = { 0 }, after[16] = { 0 };
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof m / sizeof *m; i++) {
		struct file f = finish(m[i]);

		assert_true(profile_read(p, f.data, f.len, "run", &err));
		free(f.data);
		make_amon_free(m[i]);
	}
	assert_true(p->nroutines <= 16);
	for (uint32_t i = 1; i < p->ncontexts; i++)
		before[p->contexts[i].routine] += p->contexts[i].entries;
	assert_true(profile_take_mean(p, 4));
	for (uint32_t i = 1; i < p->ncontexts; i++)
		after[p->contexts[i].routine] += p->contexts[i].entries;
	for (uint32_t r = 0; r < p->nroutines; r++)
		assert_int_equal(after[r], (before[r] + 2) / 4);
	profile_free(p);
}

/* A library loaded, unloaded and loaded again elsewhere: two routines of the file, one of the profile; and a
 * recursion through both is a direct one. */
static void test_reload(void **state)
{
	struct make_amon *m = make_amon_new();
	uint32_t first = make_amon_module(m, "/made/lib.so", NULL, 0x10000, 0x20000, 0x10000);
	uint32_t second = make_amon_module(m, "/made/lib.so", NULL, 0x50000, 0x60000, 0x50000);
	uint32_t f1 = make_amon_routine(m, first, 0x10040, 0), f2 = make_amon_routine(m, second, 0x50040, 0);
	uint32_t thread = make_amon_thread(m, "x");
	struct profile *p;
	struct file f;

	(void)state;
	make_amon_enter(m, thread, f1);
	make_amon_enter(m, thread, f2);
	make_amon_pc(m, thread, 0x10044, 2);
	make_amon_pc(m, thread, 0x50044, 3);
	make_amon_pc(m, thread, 0x70000, 1);
	make_amon_leave(m, thread);
	make_amon_leave(m, thread);
	f = finish(m);
	p = read_file(&f);
	assert_int_equal(p->nmodules, 1);
	assert_int_equal(p->nroutines, 1);
	assert_int_equal(p->ncontexts, 2);
	assert_int_equal(p->contexts[1].entries, 1);
	assert_int_equal(p->contexts[1].recursive, 1);
	assert_int_equal(p->npcs, 2);
	assert_int_equal(p->pcs[0].address, 0x44);
	assert_int_equal(p->pcs[0].count, 5);
	assert_int_equal(p->pcs[1].module, PROFILE_NONE);
	check_sound(p);
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

/* Stacks that did not fit their contexts; merged, their numbers stay. */
static void test_stacks(void **state)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, "/bin/p", "id", 0x10000, 0x20000, 0x10000);
	uint32_t f = make_amon_routine(m, module, 0x10040, 0), g = make_amon_routine(m, module, 0x10080, 0), thread = make_amon_thread(m, "p");
	struct error err;
	struct file file, merged;
	struct profile *p, *q;

	(void)state;
	make_amon_enter(m, thread, f);
	make_amon_stack(m, thread, 0x10044, AMON_STACK_OPEN, AMON_NONE);
	make_amon_stack(m, thread, 0x10044, AMON_STACK_DIFFERS, g);
	make_amon_leave(m, thread);
	file = finish(m);
	p = read_file(&file);
	assert_int_equal(p->nstacks, 2);
	assert_int_equal(p->stacks[0].verdict, AMON_STACK_OPEN);
	assert_int_equal(p->stacks[0].address, 0x44);
	assert_int_equal(p->stacks[0].routine, PROFILE_NONE);
	assert_int_equal(p->stacks[1].routine, g);
	assert_int_equal(p->contexts[p->stacks[1].context].routine, f);
	assert_int_equal(p->runs[0].header.stacks[AMON_STACK_DIFFERS], 1);
	assert_true(profile_read(p, file.data, file.len, "again", &err));
	assert_int_equal(p->nstacks, 4);
	merged.data = profile_write(p, &merged.len, &err);
	q = read_file(&merged);
	assert_int_equal(q->runs[0].header.stacks[AMON_STACK_OPEN], 2);
	assert_int_equal(q->nstacks, 0);
	profile_free(p);
	profile_free(q);
	free(file.data);
	free(merged.data);
	make_amon_free(m);
}

/* An open stack is of the module of the routine that was interrupted, where modules took turns at its address. */
static void test_stacks_of_modules_in_turn(void **state)
{
	struct make_amon *m = make_amon_new();
	uint32_t first = make_amon_module(m, "/lib/a.so", "a", 0x10000, 0x20000, 0x10000), then = make_amon_module(m, "/lib/b.so", "b", 0x10000, 0x20000, 0xf000);
	uint32_t f = make_amon_routine(m, first, 0x10040, 0), g = make_amon_routine(m, then, 0x10040, 0), thread = make_amon_thread(m, "p");
	struct profile *p;
	struct file file;

	(void)state;
	make_amon_enter(m, thread, f);
	make_amon_stack(m, thread, 0x10044, AMON_STACK_OPEN, f);
	make_amon_stack(m, thread, 0x10044, AMON_STACK_OPEN, g);
	make_amon_stack(m, thread, 0x30000, AMON_STACK_OPEN, g);
	make_amon_leave(m, thread);
	file = finish(m);
	p = read_file(&file);
	assert_int_equal(p->nstacks, 3);
	assert_int_equal(p->stacks[0].module, p->routines[p->stacks[0].routine].module);
	assert_int_equal(p->stacks[0].address, 0x44);
	assert_string_equal(p->modules[p->stacks[1].module].path, "/lib/b.so");
	assert_int_equal(p->stacks[1].address, 0x1044);
	assert_int_equal(p->stacks[2].module, PROFILE_NONE);
	profile_free(p);
	free(file.data);
	make_amon_free(m);
}

/* Stacks that begin anew, and pseudo-routines. */
static void test_starts(void **state)
{
	struct make_amon *m = small(2, 4, 1, 100);
	uint32_t thread = make_amon_thread(m, "starts");
	struct profile *p;
	struct file f;

	(void)state;
	make_amon_enter(m, thread, 1);
	make_amon_start(m, thread, AMON_ROUTINE_ELIDED);
	make_amon_enter(m, thread, 1);
	make_amon_enter(m, thread, 2);
	make_amon_start(m, thread, AMON_ROUTINE_LOST);
	make_amon_start(m, thread, 1);			/* equals the one that the root called */
	make_amon_charge(m, thread, 5, 1);
	f = finish(m);
	p = read_file(&f);
	check_sound(p);
	check_texts(dump_contexts(p, false), made_contexts(m));
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

/* P written and read again is the same. */
static void check_write(const struct profile *p)
{
	struct profile *q;
	struct file out;
	struct error err;

	out.data = profile_write(p, &out.len, &err);
	assert_non_null(out.data);
	q = read_file(&out);
	check_texts(dump_all(p), dump_all(q));
	profile_free(q);
	free(out.data);
}

/* A profile written and read again is the same, of one file, and of several the sum (test_sum.c holds it against them). */
static void test_write(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct make_amon *m = small(seed, 1 + (uint32_t)seed % 9, 1 + seed % 4, 800);
		struct make_amon *o = small(seed + 1, 1 + (uint32_t)seed % 7, 2, 800);
		uint32_t unknown = make_amon_routine(o, AMON_NONE, UINT64_C(0xffffffffff600000), AMON_ROUTINE_INSIDE);
		struct profile *p, *q, *sum;
		struct profile_sum *adding = profile_sum_new(false);
		struct file f, g, out;
		struct error err;

		make_amon_enter(o, 1, unknown);
		make_amon_start(o, 1, AMON_ROUTINE_ELIDED);
		make_amon_pc(o, 1, 0x400400, 7);	/* of no module, but where the writer might put one */
		make_amon_pc(o, 1, UINT64_C(0xffffffffff600008), 7);
		make_amon_header(m)->clock = make_amon_header(o)->clock = seed % 2 ? AMON_CLOCK_TICK : AMON_CLOCK_TSC;
		make_amon_header(m)->tsc_hz = make_amon_header(o)->tsc_hz = 2000000000;
		make_amon_thread_record(o, 0)->unplaced = 77;
		make_amon_thread_record(o, 0)->monitor = 99;
		make_amon_header(m)->pc_source = seed % 2 ? AMON_SOURCE_NONE : AMON_SOURCE_PERF;
		make_amon_header(m)->pc_period = seed % 2 ? 0 : 2000000;
		make_amon_header(o)->pc_source = AMON_SOURCE_PERF;
		make_amon_header(o)->pc_period = 4000000;
		f = finish(m);
		g = finish(o);
		p = read_file(&f);
		check_write(p);
		assert_true(profile_read(p, g.data, g.len, "other", &err));
		assert_true(profile_sum_add(adding, p, &err));
		sum = profile_sum_take(adding, &err);
		check_sound(sum);
		out.data = profile_write(p, &out.len, &err);
		assert_non_null(out.data);
		q = read_file(&out);
		check_sound(q);
		check_texts(dump_all(sum), dump_all(q));
		profile_free(sum);
		assert_true(q->runs[0].calls == p->runs[0].calls + p->runs[1].calls);
		assert_int_equal(q->runs[0].header.pc_source, AMON_SOURCE_PERF);
		assert_true(q->runs[0].header.pc_period == (seed % 2 ? 4000000 : 3000000));
		profile_free(p);
		profile_free(q);
		free(f.data);
		free(g.data);
		free(out.data);
		make_amon_free(m);
		make_amon_free(o);
	}
}

/* Rank 0 has one value, ranks 1 and 2 another; SUM is that of all three. */
static void check_spread(uint64_t least, uint64_t most, uint32_t rank, uint64_t sum)
{
	if (rank == 0)
		assert_true(most + 2 * least == sum);
	else
		assert_true(rank == 1 && least + 2 * most == sum);
}

/* Of three ranks, two of them the same: least, most and whose; in whatever order they are added, and through a file. */
static void test_spreads(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct make_amon *few = small(3, 3, 1, 200), *many = small(3, 3, 1, 900);
		struct file f[3] = { finish(few), finish(many), finish(many) }, sums[3], two, out;
		struct profile *p = profile_new(), *q;
		uint32_t apart = 0;
		struct error err;

		for (uint32_t i = 0; i < 3; i++) {
			struct profile *one = read_file(&f[i]);

			assert_int_equal(profile_ranks(one), 0);
			assert_true(profile_set_rank(one, i));
			sums[i].data = profile_write(one, &sums[i].len, &err);
			profile_free(one);
		}
		for (int i = 0; i < 2; i++)
			assert_true(profile_read(p, sums[order ? 2 - i : i].data, sums[order ? 2 - i : i].len, "rank", &err));
		two.data = profile_write(p, &two.len, &err);
		profile_free(p);
		p = read_file(&two);
		assert_true(profile_read(p, sums[order ? 0 : 2].data, sums[order ? 0 : 2].len, "rank", &err));
		out.data = profile_write(p, &out.len, &err);
		q = read_file(&out);
		assert_int_equal(profile_ranks(q), 3);
		for (uint32_t i = 0; i < q->ncontexts; i++) {
			struct profile_spread s = profile_spread_of(q, i);
			uint64_t calls = q->contexts[i].entries + q->contexts[i].recursive;

			check_spread(s.calls_least, s.calls_most, s.calls_rank, calls);
			check_spread(s.time_least, s.time_most, s.time_rank, q->contexts[i].time);
			assert_true(s.ranks == (i ? s.ranks : 3) && (calls == 0 || s.ranks > 0));
			apart += s.ranks == 2;
		}
		assert_true(apart > 0);			/* some contexts rank 0 has not */
		assert_true(profile_read(q, f[0].data, f[0].len, "no rank", &err));
		assert_int_equal(profile_ranks(q), 0);
		profile_free(p);
		profile_free(q);
		for (int i = 0; i < 3; i++) {
			free(f[i].data);
			free(sums[i].data);
		}
		free(two.data);
		free(out.data);
		make_amon_free(few);
		make_amon_free(many);
	}
}

static void test_write_nothing(void **state)
{
	struct profile *p = profile_new();
	struct error err;
	struct file f;
	struct profile *q;

	(void)state;
	f.data = profile_write(p, &f.len, &err);
	assert_non_null(f.data);
	q = read_file(&f);
	assert_int_equal(q->ncontexts, 1);
	profile_free(p);
	profile_free(q);
	free(f.data);
}

/* Cut at every byte: inside the header it is refused; behind it, what is whole before the cut is there. */
static void test_truncated(void **state)
{
	struct make_amon *m = small(4, 3, 2, 60);
	struct file f = finish(m);
	uint64_t calls = 0;
	uint32_t contexts = 0;

	(void)state;
	for (size_t len = 0; len <= f.len; len++) {
		struct profile *p = profile_new();
		struct error err = { .text = "" };
		uint8_t *cut = malloc(len ? len : 1);	/* so that a sanitizer sees a step too far */
		bool ok;

		memcpy(cut, f.data, len);
		ok = profile_read(p, cut, len, "cut", &err);
		assert_int_equal(ok, len >= sizeof(struct amon_header));
		assert_int_equal(ok ? ERROR_NONE : len < 8 ? ERROR_NOT_AMON : ERROR_CORRUPT, ok ? ERROR_NONE : err.code);
		if (ok) {
			check_sound(p);
			assert_int_equal(p->runs[0].truncated, len < f.len);
			assert_true(p->runs[0].calls >= calls && p->ncontexts >= contexts);
			calls = p->runs[0].calls;
			contexts = p->ncontexts;
		}
		if (len == f.len)
			check_texts(dump_contexts(p, false), made_contexts(m));
		profile_free(p);
		free(cut);
	}
	free(f.data);
	make_amon_free(m);
}

/* A cut right behind the counters of the tenth item leaves ten items. */
static void test_cut_between_items(void **state)
{
	struct make_amon *m = small(4, 3, 1, 60);
	struct file f = finish(m);
	struct amon_chunk head;
	size_t at = AMON_PAGE;
	struct profile *p;

	(void)state;
	for (memcpy(&head, f.data + at, sizeof head); head.kind != AMON_CONTEXTS; memcpy(&head, f.data + at, sizeof head))
		at += head.size;
	assert_true(head.count > 10);
	for (size_t items = 0; items < 10; items++) {
		struct file cut = { f.data, at + head.counters + items * sizeof(struct amon_counter) };

		p = read_file(&cut);
		assert_int_equal(p->runs[0].transitions, items ? items - 1 : 0);
		assert_true(p->runs[0].cut_at == cut.len);
		profile_free(p);
	}
	free(f.data);
	make_amon_free(m);
}

/* The routines' chunk moved behind the contexts: all is read as before; with the cut between them, the items that
 * name no routine are. */
static void test_cut_routines(void **state)
{
	struct make_amon *m = small(4, 3, 2, 60);
	struct file f = finish(m), moved;
	struct amon_chunk *head;
	struct profile *p;
	size_t at = AMON_PAGE;

	(void)state;
	for (head = (void *)(f.data + at); head->kind != AMON_ROUTINES; head = (void *)(f.data + at))
		at += head->size;
	moved = (struct file){ malloc(f.len + head->size), f.len + head->size };
	memcpy(moved.data, f.data, f.len);
	memcpy(moved.data + f.len, head, head->size);
	((struct amon_chunk *)(moved.data + at))->kind = AMON_FILLER;
	((struct amon_header *)moved.data)->used = moved.len;
	p = read_file(&moved);
	check_texts(dump_contexts(p, false), made_contexts(m));
	profile_free(p);
	moved.len = f.len;
	p = read_file(&moved);
	assert_true(p->runs[0].truncated);
	assert_int_equal(p->ncontexts, 1);
	assert_int_equal(p->nthreads, 2);
	profile_free(p);
	free(moved.data);
	free(f.data);
	make_amon_free(m);
}

/* Any bit turned over: refused with one line and all as before, or read into something sound. */
static void test_bit_flips(void **state)
{
	struct make_amon *m = small(6, 3, 2, 60);
	struct file f = finish(m);
	struct profile *p = read_file(&f);
	char *before = dump_all(p);
	unsigned refused = 0;

	(void)state;
	for (size_t bit = 0; bit < 8 * f.len; bit++) {
		struct error err = { .text = "" };
		struct profile *q;

		if (f.data[bit / 8] == 0 && bit % 32 != bit / 32 % 32)
			continue;			/* of the zeros one bit in each word */
		f.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		q = profile_new();
		if (profile_read(q, f.data, f.len, "flipped", &err)) {
			check_sound(q);
		} else {
			refused++;
			assert_true(strncmp(err.text, "flipped: ", 9) == 0 && strchr(err.text, '\n') == NULL);
			assert_true(err.code == ERROR_CORRUPT || err.code == ERROR_VERSION || err.code == ERROR_NOT_AMON);
			assert_true(err.offset < f.len);
			assert_false(profile_read(p, f.data, f.len, "flipped", &err));
			if (refused % 50 == 0)
				check_texts(strdup(before), dump_all(p));
		}
		profile_free(q);
		f.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_true(refused > 1000);
	check_texts(before, dump_all(p));
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

/* One field put to a value: is it refused, and where is that said to be? */
struct damage {
	const char *what;	/* part of the message */
	size_t chunk;		/* kind of the chunk it is in; 0: the header */
	size_t field;		/* offset in it, bytes */
	uint32_t value;		/* put there */
	bool item;		/* field counts from the chunk's items */
	enum error_code code;
};

static const struct damage damages[] = {
	{ "format version 2", 0, offsetof(struct amon_header, version), 2, false, ERROR_VERSION },
	{ "header of 8", 0, offsetof(struct amon_header, header_size), 8, false, ERROR_VERSION },
	{ "unknown clock", 0, offsetof(struct amon_header, clock), 9, false, ERROR_CORRUPT },
	{ "unknown frequency", 0, offsetof(struct amon_header, clock), AMON_CLOCK_TSC, false, ERROR_CORRUPT },
	{ "unknown state 2", 0, offsetof(struct amon_header, state), 2, false, ERROR_CORRUPT },
	{ "unknown source", 0, offsetof(struct amon_header, pc_source), 9, false, ERROR_CORRUPT },
	{ "whole pages", 0, offsetof(struct amon_header, used), 5000, false, ERROR_CORRUPT },
	{ "whole pages", 0, offsetof(struct amon_header, used), 0, false, ERROR_CORRUPT },
	{ "command line", 0, offsetof(struct amon_header, command_size), 1025, false, ERROR_CORRUPT },
	{ "no chunk begins", AMON_MODULES, offsetof(struct amon_chunk, magic), 0, false, ERROR_CORRUPT },
	{ "chunk of 0", AMON_MODULES, offsetof(struct amon_chunk, size), 0, false, ERROR_CORRUPT },
	{ "chunk of 17", AMON_ROUTINES, offsetof(struct amon_chunk, size), 17, false, ERROR_CORRUPT },
	{ "are left", AMON_ROUTINES, offsetof(struct amon_chunk, size) + 4, 1, false, ERROR_CORRUPT },
	{ "unknown kind 77", AMON_THREADS, offsetof(struct amon_chunk, kind), 77, false, ERROR_CORRUPT },
	{ "items where", AMON_CONTEXTS, offsetof(struct amon_chunk, count), 101, false, ERROR_CORRUPT },
	{ "do not fit", AMON_ROUTINES, offsetof(struct amon_chunk, capacity), 0xffffffff, false, ERROR_CORRUPT },
	{ "do not fit", AMON_CONTEXTS, offsetof(struct amon_chunk, capacity), 0xffffffff, false, ERROR_CORRUPT },
	{ "within their chunk", AMON_THREADS, offsetof(struct amon_chunk, first), 8, false, ERROR_CORRUPT },
	{ "do not fit", AMON_PCS, offsetof(struct amon_chunk, first), 0xfffffff8, false, ERROR_CORRUPT },
	{ "counters at 100", AMON_CONTEXTS, offsetof(struct amon_chunk, counters), 100, false, ERROR_CORRUPT },
	{ "counters at 4294963200", AMON_CONTEXTS, offsetof(struct amon_chunk, counters), 0xfffff000, false, ERROR_CORRUPT },
	{ "do not fit", AMON_CONTEXTS, offsetof(struct amon_chunk, counters), 0, false, ERROR_CORRUPT },
	{ "items from 7 on, after 0", AMON_CONTEXTS, offsetof(struct amon_chunk, base), 7, false, ERROR_CORRUPT },
	{ "of thread 9", AMON_CONTEXTS, offsetof(struct amon_chunk, thread), 9, false, ERROR_CORRUPT },
	{ "of thread 4294967295", AMON_PCS, offsetof(struct amon_chunk, thread), AMON_NONE, false, ERROR_CORRUPT },
	{ "is no root", AMON_CONTEXTS, offsetof(struct amon_link, routine), 0, true, ERROR_CORRUPT },
	{ "routine 2147483392", AMON_CONTEXTS, sizeof(struct amon_link) + 4, AMON_ROUTINE_ROOT, true, ERROR_CORRUPT },
	{ "routine 3,", AMON_CONTEXTS, sizeof(struct amon_link) + 4, 3, true, ERROR_CORRUPT },
	{ "item 1 comes from item 1", AMON_CONTEXTS, sizeof(struct amon_link), 1, true, ERROR_CORRUPT },
	{ "module 2, there are 2", AMON_ROUTINES, offsetof(struct amon_routine, module), 2, true, ERROR_CORRUPT },
	{ "unknown flags", AMON_ROUTINES, offsetof(struct amon_routine, flags), 2, true, ERROR_CORRUPT },
	{ "unknown state", AMON_THREADS, offsetof(struct amon_thread, state), 3, true, ERROR_CORRUPT },
	{ "module record of 0", AMON_MODULES, offsetof(struct amon_module, size), 0, true, ERROR_CORRUPT },
	{ "module record of 4294967288", AMON_MODULES, offsetof(struct amon_module, size), 0xfffffff8, true, ERROR_CORRUPT },
	{ "module path of 4", AMON_MODULES, offsetof(struct amon_module, path_size), 4, true, ERROR_CORRUPT },
	{ "build-id of 33", AMON_MODULES, offsetof(struct amon_module, build_id_size), 33, true, ERROR_CORRUPT },
};

static void check_damage(const struct file *f, const struct damage *d)
{
	struct profile *p = profile_new();
	size_t at = 0;
	struct amon_chunk head = { .kind = 0 };
	struct error err = { .text = "nothing" };
	uint32_t old;

	for (size_t next = AMON_PAGE; d->chunk && head.kind != d->chunk; next += head.size) {
		memcpy(&head, f->data + next, sizeof head);
		at = next;
	}
	at += d->field + (d->item ? head.first : 0);
	memcpy(&old, f->data + at, sizeof old);
	memcpy(f->data + at, &d->value, sizeof d->value);
	assert_false(profile_read(p, f->data, f->len, "bad", &err));
	if (!strstr(err.text, d->what))
		fail_msg("\"%s\" does not tell of \"%s\"", err.text, d->what);
	assert_int_equal(err.code, d->code);
	assert_int_equal(p->ncontexts, 1);
	memcpy(f->data + at, &old, sizeof old);
	profile_free(p);
}

static void test_damage(void **state)
{
	struct make_amon *m = small(6, 3, 1, 400);
	struct file f = finish(m);
	struct profile *p;

	(void)state;
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
		check_damage(&f, &damages[i]);
	p = read_file(&f);				/* all was put right again */
	profile_free(p);
	free(f.data);
	make_amon_free(m);
}

static void test_other_clock(void **state)
{
	struct make_amon *m = small(6, 3, 1, 100);
	struct file a = finish(m), b;
	struct profile *p = read_file(&a);
	char *before = dump_all(p);
	struct error err;

	(void)state;
	make_amon_header(m)->clock = AMON_CLOCK_WALL;
	b = finish(m);
	assert_false(profile_read(p, b.data, b.len, "b.out", &err));
	assert_int_equal(err.code, ERROR_MISMATCH);
	assert_non_null(strstr(err.text, "b.out"));
	check_texts(before, dump_all(p));
	profile_free(p);
	free(a.data);
	free(b.data);
	make_amon_free(m);
}

/* A file that turns out bad at its very end leaves nothing behind: what is read later is as if it had never been. */
static void test_rewind(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct make_amon *first = small(seed, 5, 1, 60), *bad = small(seed + 50, 6, 2, 300), *last = small(seed + 90, 6, 2, 300);
		struct file f = finish(first), g, h = finish(last);
		struct profile *p = read_file(&f), *fresh = read_file(&f);
		struct error err;

		make_amon_module_record(bad, 1)->build_id[0] = 'x';
		make_amon_thread_record(bad, 1)->current = 1000000;
		while (make_amon_depth(bad, 1) > 0)
			make_amon_leave(bad, 1);
		g = finish(bad);
		assert_false(profile_read(p, g.data, g.len, "bad", &err));
		assert_non_null(strstr(err.text, "ended in item 1000000"));
		assert_true(profile_read(p, h.data, h.len, "last", &err));
		assert_true(profile_read(fresh, h.data, h.len, "last", &err));
		check_texts(dump_all(fresh), dump_all(p));
		profile_free(p);
		profile_free(fresh);
		free(f.data);
		free(g.data);
		free(h.data);
		make_amon_free(first);
		make_amon_free(bad);
		make_amon_free(last);
	}
}

/* While the writer lives: a chunk made in advance, a count behind its link, a file larger than its use. */
static void test_live(void **state)
{
	struct make_amon *m = small(6, 3, 1, 400);
	struct file f = finish(m), live;
	struct amon_header *h;
	struct amon_chunk *head;
	struct profile *p;

	(void)state;
	live = (struct file){ calloc(1, f.len + 100 * AMON_PAGE), f.len + 100 * AMON_PAGE };
	memcpy(live.data, f.data, f.len);
	h = (void *)live.data;
	head = (void *)(live.data + h->used);
	*head = (struct amon_chunk){
		.magic = AMON_CHUNK_MAGIC, .kind = AMON_CONTEXTS, .size = 2 * AMON_PAGE, .capacity = 100,
		.first = sizeof *head, .counters = AMON_PAGE, .base = 100000,
	};
	h->state = AMON_RUNNING;
	h->used += head->size;
	p = read_file(&live);
	assert_false(p->runs[0].truncated);
	check_texts(dump_contexts(p, false), made_contexts(m));
	profile_free(p);
	free(live.data);
	free(f.data);
	make_amon_free(m);
}

/* The call stacks M, as a file. */
static struct file stacks_finish(struct make_amon *m)
{
	make_amon_header(m)->way |= 1u << AMON_WAY_STACKS;
	return finish(m);
}

/* The exact profile F with the stacks S beside it, written. */
static struct file written_beside(const struct file *f, const struct file *s)
{
	struct profile *p = read_file(f);
	struct error err = { .text = "" };
	struct file out;

	if (!profile_read_sampled(p, s->data, s->len, "stacks", &err))
		fail_msg("%s", err.text);
	out.data = profile_write(p, &out.len, &err);
	assert_non_null(out.data);
	profile_free(p);
	return out;
}

/* A file with call stacks beside, made of two runs, that are read back the same, in sums of either order, too. */
static void test_sampled(void **state)
{
	struct make_amon *m[4] = { small(8, 4, 3, 300), small(9, 4, 3, 300), small(10, 4, 3, 300), small(11, 4, 3, 300) };
	struct file f[4], both[2], sum[2];

	(void)state;
	for (int i = 0; i < 4; i++)
		f[i] = i < 2 ? finish(m[i]) : stacks_finish(m[i]);
	for (int i = 0; i < 2; i++) {
		struct profile *p, *stacks = read_file(&f[2 + i]);

		both[i] = written_beside(&f[i], &f[2 + i]);
		p = read_file(&both[i]);
		assert_non_null(p->sampled);
		check_texts(dump_all(p->sampled), dump_all(stacks));
		assert_true(profile_counts_calls(p) && !profile_counts_calls(p->sampled));
		profile_free(p);
		profile_free(stacks);
	}
	for (int i = 0; i < 2; i++) {
		struct profile *p = read_file(&both[i]), *apart = read_file(&f[2]);
		struct error err;

		assert_true(profile_read(p, both[!i].data, both[!i].len, "made", &err));
		assert_true(profile_read(apart, f[3].data, f[3].len, "made", &err));
		assert_int_equal(p->sampled->nruns, 2);
		sum[i].data = profile_write(p, &sum[i].len, &err);
		assert_non_null(sum[i].data);
		profile_free(p);
		p = read_file(&sum[i]);
		assert_int_equal(p->sampled->time, apart->time);
		profile_free(p);
		profile_free(apart);
	}
	assert_int_equal(sum[0].len, sum[1].len);
	assert_memory_equal(sum[0].data, sum[1].data, sum[0].len);
	for (int i = 0; i < 4; i++) {
		free(f[i].data);
		make_amon_free(m[i]);
	}
	for (int i = 0; i < 2; i++) {
		free(both[i].data);
		free(sum[i].data);
	}
}

/* Stacks beside stacks, exact contexts beside exact ones, and stacks that are cut off. */
static void test_sampled_wrongly(void **state)
{
	struct make_amon *m[2] = { small(8, 4, 3, 300), small(9, 4, 3, 300) };
	struct file exact = finish(m[0]), stacks = stacks_finish(m[1]), both = written_beside(&exact, &stacks), in_stacks = written_beside(&stacks, &stacks),
		    in_exact = written_beside(&exact, &exact);
	struct error err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct file *f = i ? &in_stacks : &in_exact;
		struct profile *p = profile_new();

		assert_false(profile_read(p, f->data, f->len, "made", &err));
		assert_int_equal(err.code, ERROR_CORRUPT);
		assert_null(p->sampled);
		profile_free(p);
	}
	for (size_t len = exact.len; len < both.len; len += 1234) {
		struct profile *p = profile_new();
		char *whole, *part;

		assert_true(profile_read(p, both.data, len, "made", &err));
		assert_true(p->runs[0].truncated);
		if (len > both.len - stacks.len) {		/* the exact part is whole */
			struct profile *q = read_file(&exact);

			whole = dump_contexts(q, false);
			part = dump_contexts(p, false);
			check_texts(whole, part);
			profile_free(q);
		}
		profile_free(p);
	}
	free(exact.data);
	free(stacks.data);
	free(both.data);
	free(in_stacks.data);
	free(in_exact.data);
	for (int i = 0; i < 2; i++)
		make_amon_free(m[i]);
}

/* Each allocation fails in turn: an error, nothing lost, nothing changed. */
static void test_no_memory(void **state)
{
	struct make_amon *m = small(8, 4, 3, 300), *o = small(9, 6, 2, 300), *s = small(7, 3, 1, 50);
	struct file f = finish(m), second = finish(o), stacks = stacks_finish(s), g = written_beside(&second, &stacks);
	struct profile *both = read_file(&f);
	struct error unused;
	char *expected;
	bool ok = false;

	(void)state;
	assert_true(profile_read(both, g.data, g.len, "second", &unused));
	expected = dump_all(both);
	for (unsigned long n = 1; !ok; n++) {
		struct profile *p = read_file(&f);
		struct error err = { .code = ERROR_NONE };
		char *before = n % 10 == 1 ? dump_all(p) : NULL;

		allocations = 0;
		failing = n;
		ok = profile_read(p, g.data, g.len, "second", &err);
		failing = 0;
		assert_int_equal(err.code, ok ? ERROR_NONE : ERROR_MEMORY);
		if (before && !ok)
			check_texts(before, dump_all(p));
		else
			free(before);
		assert_true(ok || !p->sampled);
		assert_true(ok || profile_read(p, g.data, g.len, "second", &err));	/* it still can */
		assert_non_null(p->sampled);
		check_texts(strdup(expected), dump_all(p));
		profile_free(p);
	}
	free(expected);
	profile_free(both);
	free(f.data);
	free(g.data);
	free(second.data);
	free(stacks.data);
	make_amon_free(m);
	make_amon_free(o);
	make_amon_free(s);
}

static void test_no_memory_for_nothing(void **state)
{
	struct profile *p = NULL;

	(void)state;
	for (unsigned long n = 1; !p; n++) {
		allocations = 0;
		failing = n;
		p = profile_new();
		failing = 0;
	}
	assert_true(allocations > 4);
	profile_free(p);
}

static void test_no_memory_to_write(void **state)
{
	struct make_amon *m = small(8, 4, 3, 300), *o = small(9, 4, 3, 300);
	struct file exact = finish(m), stacks = stacks_finish(o), f = written_beside(&exact, &stacks);
	struct profile *p = read_file(&f);
	void *out = NULL;

	(void)state;
	for (unsigned long n = 1; !out; n++) {
		struct error err = { .code = ERROR_NONE };
		size_t len;

		allocations = 0;
		failing = n;
		out = profile_write(p, &len, &err);
		failing = 0;
		assert_int_equal(err.code, out ? ERROR_NONE : ERROR_MEMORY);
	}
	free(out);
	profile_free(p);
	free(f.data);
	free(exact.data);
	free(stacks.data);
	make_amon_free(m);
	make_amon_free(o);
}

/* A file of N routines and ITEMS items made by hand: item i comes from parent(i), calls routine(i). */
static struct file by_hand(uint32_t n, uint32_t items, uint32_t (*parent)(uint32_t, uint32_t),
			   uint32_t (*routine)(uint32_t, uint32_t))
{
	struct make_amon *m = make_amon_new();
	struct amon_chunk head = { .magic = AMON_CHUNK_MAGIC, .kind = AMON_CONTEXTS, .first = sizeof head };
	struct file f, out;
	struct amon_header *h;

	for (uint32_t i = 0; i < n; i++)
		make_amon_routine(m, AMON_NONE, 16 * (uint64_t)(i + 1), 0);
	make_amon_thread(m, "x");
	f = finish(m);
	make_amon_free(m);
	h = (void *)f.data;
	for (size_t at = AMON_PAGE; at < h->used && at < f.len; at += ((struct amon_chunk *)(f.data + at))->size)
		if (((struct amon_chunk *)(f.data + at))->kind == AMON_CONTEXTS)
			f.len = at;			/* the maker's own contexts are last, and go */
	head.count = head.capacity = items;
	head.counters = (uint32_t)((sizeof head + 8 * (uint64_t)items + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE);
	head.size = (head.counters + 36 * (uint64_t)items + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	out = (struct file){ calloc(1, f.len + head.size), f.len + head.size };
	memcpy(out.data, f.data, f.len);
	memcpy(out.data + f.len, &head, sizeof head);
	for (uint32_t i = 0; i < items; i++) {
		struct amon_link link = { i ? parent(i, n) : AMON_NONE, i ? routine(i, n) : AMON_ROUTINE_ROOT };

		memcpy(out.data + f.len + head.first + i * sizeof link, &link, sizeof link);
	}
	((struct amon_header *)out.data)->used = out.len;
	free(f.data);
	return out;
}

static uint32_t before(uint32_t i, uint32_t n) { (void)n; return i - 1; }
static uint32_t nth(uint32_t i, uint32_t n) { (void)n; return i - 1; }
static uint32_t end_of_chain(uint32_t i, uint32_t n) { return i <= n ? i - 1 : n; }
static uint32_t any_of_chain(uint32_t i, uint32_t n) { return (i - 1) % n; }

/* Die after SECONDS of CPU time from now; 0: no more. A test of order of growth, whatever else the machine does. */
static void cpu_alarm(int seconds)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}

/* A history of a million entries is read as fast as a million histories: no recursion, nothing quadratic. */
static void test_long_chain(void **state)
{
	struct file f = by_hand(1000000, 1000001, before, nth);
	struct profile *p;

	(void)state;
	cpu_alarm(60);
	p = read_file(&f);
	assert_int_equal(p->longest, 1000000);
	assert_int_equal(p->ncontexts, 1000001);
	profile_free(p);
	free(f.data);
	cpu_alarm(0);
}

/* A long chain from whose end every routine of it is called again: each step would copy it all.  Refused, soon. */
static void test_absurd(void **state)
{
	struct file f = by_hand(50000, 100000, end_of_chain, any_of_chain);
	struct profile *p = profile_new();
	struct error err;

	(void)state;
	cpu_alarm(60);
	assert_false(profile_read(p, f.data, f.len, "absurd", &err));
	assert_int_equal(err.code, ERROR_CORRUPT);
	assert_non_null(strstr(err.text, "beyond all measure"));
	profile_free(p);
	free(f.data);
	cpu_alarm(0);
}

/* The argument: the one test to run; without it, all but the one that takes long. */
/* A file of one routine, which two samples of 3 and 5 bytes hit, besides two of 1 and 7 ns, and what else is the header's. */
static struct file valued(const char *unit, bool named)
{
	struct make_amon *m = make_amon_new();
	uint32_t module = make_amon_module(m, "/made/program", "id", 0x1000, 0x2000, 0), routine = make_amon_routine(m, module, 0x1040, 0);
	uint32_t thread = make_amon_thread(m, "x"), value = 0;
	struct file f;

	if (named) {
		make_amon_value(m, "cpu", "ns", AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED);
		value = make_amon_value(m, "size", unit, AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED);
	}
	make_amon_enter(m, thread, routine);
	make_amon_charge(m, thread, 1, 1);
	make_amon_charge(m, thread, 7, 1);
	if (named) {
		make_amon_amount(m, thread, value, 3, 1);
		make_amon_amount(m, thread, value, 5, 1);
	}
	f = finish(m);
	make_amon_free(m);
	return f;
}

static struct profile *read_value(const struct file *f, const char *name, struct error *err)
{
	struct profile *p = profile_new();

	assert_true(profile_set_value(p, name, PROFILE_VALUE_OWN));
	if (profile_read(p, f->data, f->len, "made", err))
		return p;
	profile_free(p);
	return NULL;
}

/* Each value can be in the place of times, with how sure it is; calls are one. */
static void test_value_chosen(void **state)
{
	static const struct { const char *name, *unit; uint64_t time, ticks, variance; } values[] = {
		{ "cpu", "ns", 8, 2, 50 }, { "size", "bytes", 8, 2, 34 }, { "calls", "count", 1, 0, 0 },
	};
	struct file f = valued("bytes", true);
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct profile *p = read_value(&f, values[i].name, &err);

		assert_non_null(p);
		assert_string_equal(profile_value_of(p)->name, values[i].name);
		assert_string_equal(profile_value_of(p)->unit, values[i].unit);
		assert_int_equal(p->contexts[1].time, values[i].time);
		assert_int_equal(p->contexts[1].ticks, values[i].ticks);
		assert_int_equal(p->contexts[1].entries, 1);
		assert_true(profile_variance(p, 1) == (double)values[i].variance);
		assert_int_equal(p->namounts, 0);
		check_sound(p);
		profile_free(p);
	}
	assert_null(read_value(&f, "speed", &err));
	assert_string_equal(err.text, "made: it has no value speed, but cpu, size, calls");
	free(f.data);
}

/* What has another unit is not added; what one file lacks is. */
static void test_values_together(void **state)
{
	struct file one = valued("bytes", true), other = valued("count", true), without = valued("", false);
	struct profile *p = read_file(&one);
	struct error err;

	(void)state;
	assert_false(profile_read(p, other.data, other.len, "other", &err));
	assert_string_equal(err.text, "other has size in count, and made in bytes: unlike things are not added up");
	assert_int_equal(p->nvalues, 2);
	assert_true(profile_read(p, without.data, without.len, "without", &err));
	assert_int_equal(p->nvalues, 2);
	assert_int_equal(p->values[0].flags, AMON_VALUE_SAMPLED);	/* what its samples weigh is not known of all */
	assert_int_equal(p->values[1].flags, AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED | AMON_VALUE_PARTIAL);
	profile_free(p);
	free(one.data);
	free(other.data);
	free(without.data);
}

/* Files of before, which showed as times what is none. */
static void test_values_of_before(void **state)
{
	static const struct { uint32_t clock; const char *origin, *unit, *name, *of; uint64_t each; } files[] = {
		{ AMON_CLOCK_TICK, "perf script", "event cycles; one is shown as 1 ns", "cycles", "count", 1 },
		{ AMON_CLOCK_TICK, "pprof", "sample type alloc_space, in bytes; one is shown as 1 ns", "alloc_space", "bytes", 1 },
		{ AMON_CLOCK_TICK, "folded stacks", "the file's numbers, taken for samples; one is shown as 1 ms", "samples", "count", 1000000 },
		{ AMON_CLOCK_COUNT, "", "count: what the program counted (aprof_add), in millions for seconds", "count", "count", 1000 },
		{ AMON_CLOCK_TICK, "perf script", "event cpu-clock: CPU time", "cpu", "ns", 1 }, { AMON_CLOCK_WALL, "", "", "wall", "ns", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct make_amon *m = make_amon_new();
		uint32_t thread = make_amon_thread(m, "x");
		struct amon_header *h = make_amon_header(m);
		struct profile *p, *again;
		struct file f, g;
		struct error err;

		h->clock = files[i].clock;
		strcpy(h->origin, files[i].origin);
		strcpy(h->unit, files[i].unit);
		make_amon_enter(m, thread, make_amon_routine(m, AMON_NONE, 0x1040, 0));
		make_amon_charge(m, thread, 7 * files[i].each, 0);
		f = finish(m);
		p = read_file(&f);
		g.data = profile_write(p, &g.len, &err);
		again = read_file(&g);
		assert_string_equal(profile_value_of(again)->name, files[i].name);
		assert_string_equal(profile_value_of(again)->unit, files[i].of);
		assert_int_equal(p->time, 7);
		assert_int_equal(again->time, 7);
		profile_free(p);
		profile_free(again);
		free(f.data);
		free(g.data);
		make_amon_free(m);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value_chosen), cmocka_unit_test(test_values_together), cmocka_unit_test(test_values_of_before), cmocka_unit_test(test_paper), cmocka_unit_test(test_random), cmocka_unit_test(test_pcs), cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_stacks_of_modules_in_turn),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_cycle_clock), cmocka_unit_test(test_merge_moved),
		cmocka_unit_test(test_merge_twice), cmocka_unit_test(test_mean), cmocka_unit_test(test_mean_rounds_by_routine),
		cmocka_unit_test(test_reload), cmocka_unit_test(test_starts), cmocka_unit_test(test_write), cmocka_unit_test(test_spreads),
		cmocka_unit_test(test_write_nothing), cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_cut_between_items), cmocka_unit_test(test_cut_routines),
		cmocka_unit_test(test_bit_flips), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_other_clock), cmocka_unit_test(test_rewind), cmocka_unit_test(test_live), cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_sampled_wrongly),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_no_memory_for_nothing),
		cmocka_unit_test(test_no_memory_to_write), cmocka_unit_test(test_long_chain), cmocka_unit_test(test_absurd),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	else
		cmocka_set_skip_filter("test_absurd");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
