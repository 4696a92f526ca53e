/* test_place.c - where program counters are, in a small program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "read/symbols/tests/scratch.h"
#include "understand/overhead/steps.h"

static const char source[] =
	"int called(int n) { return n * 3; }\n"
	"static int __attribute__((noinline)) plain(int n) { return called(n) + 1; }\n"
	"int other(int n) { return plain(n) ^ 7; }\n"
	"int main(void) { return other(2) & 1; }\n";

enum { MAIN, CALLED, ROUTINES };
enum { IN_MAIN, IN_CALLED, IN_PLAIN, IN_LIBRARY, IN_NOTHING, PLACES };

static void test_places(void **state)
{
	static const char *const modules[] = { "prog", "libaprof.so" };
	struct profile p;
	struct symbols *symbols;
	struct error err;

	(void)state;
	scratch_file("prog.c", source);
	scratch_run("$CC -O0 -g -o prog prog.c");
	scratch_run("$CC -shared -fPIC -o libaprof.so prog.c");
	p = *scratch_profile(2, modules);
	struct profile_routine routines[ROUTINES] = {
		[MAIN] = { .module = 0, .address = scratch_address("prog", "main") },
		[CALLED] = { .module = 0, .address = scratch_address("prog", "called") },
	};
	struct profile_context contexts[] = { { .routine = PROFILE_NONE }, { .routine = MAIN } };
	struct profile_pc pcs[PLACES] = {
		[IN_MAIN] = { .context = 1, .address = routines[MAIN].address + 1 },
		[IN_CALLED] = { .context = 1, .address = routines[CALLED].address + 1 },
		[IN_PLAIN] = { .context = 1, .address = scratch_address("prog", "plain") + 1 },
		[IN_LIBRARY] = { .context = 1, .module = 1, .address = scratch_address("libaprof.so", "other") },
		[IN_NOTHING] = { .context = 1, .module = PROFILE_NONE, .address = 0x1234 },
	};
	struct overhead o = { .profile = &p };

	p.modules[0].hooked = true;
	p.routines = routines;
	p.nroutines = ROUTINES;
	p.contexts = contexts;
	p.ncontexts = 2;
	p.pcs = pcs;
	p.npcs = PLACES;
	symbols = symbols_open(&p, NULL, &err);
	assert_non_null(symbols);
	assert_true(place_samples(&o, symbols));
	assert_int_equal(o.spots[IN_MAIN].place, OVERHEAD_OWN);
	assert_int_equal(o.spots[IN_MAIN].routine, MAIN);
	assert_int_equal(o.spots[IN_CALLED].place, OVERHEAD_EDGE);
	assert_int_equal(o.spots[IN_CALLED].routine, CALLED);
	assert_int_equal(o.spots[IN_PLAIN].place, OVERHEAD_PLAIN);
	assert_int_equal(o.spots[IN_PLAIN].routine, PROFILE_NONE);
	assert_int_equal(o.spots[IN_LIBRARY].place, OVERHEAD_HOOK_OF_CALLEE);
	assert_int_equal(o.spots[IN_NOTHING].place, OVERHEAD_NOWHERE);
	free(o.spots);
	symbols_free(symbols);
}

enum { BY_A = 1, BY_B };

/* Main calls A, which calls B, by which main calls B, too: that is a way to the context of A's B here. */
static void test_counts(void **state)
{
	struct profile_context contexts[] = { { .parent = PROFILE_NONE, .routine = PROFILE_NONE }, { .parent = 0, .routine = 0 },
		{ .parent = 1, .routine = BY_A }, { .parent = 2, .routine = BY_B } };
	struct profile_detour detours[] = { { .from = 1, .to = 3, .calls = 5 } };
	struct profile_pc pcs[] = { { .context = 1, .count = 1 }, { .context = 1, .count = 10 }, { .context = 1, .count = 100 }, { .context = 1, .count = 1000 },
		{ .context = 2, .count = 10000 }, { .context = 2, .count = 100000 }, { .context = 3, .count = 1000000 } };
	struct overhead_spot spots[] = { { OVERHEAD_OWN, 0 }, { OVERHEAD_EDGE, BY_A }, { OVERHEAD_EDGE, BY_B }, { OVERHEAD_HOOK_OF_CALLEE, BY_A },
		{ OVERHEAD_PLAIN, PROFILE_NONE }, { OVERHEAD_EDGE, PROFILE_NONE }, { OVERHEAD_OWN_HOOK, BY_B } };
	struct profile p = { .contexts = contexts, .ncontexts = 4, .detours = detours, .ndetours = 1, .pcs = pcs, .npcs = 7 };
	struct overhead o = { .profile = &p, .spots = spots };
	uint64_t counts[4] = { 0 };

	(void)state;
	assert_true(overhead_count_pcs(&o, counts));
	assert_int_equal(counts[0], 0);
	assert_int_equal(counts[1], 1);
	assert_int_equal(counts[2], 110010);	/* at its edge in main, in a library, at the edge of nobody knows whom */
	assert_int_equal(counts[3], 100);
	o.spots = NULL;
	assert_true(overhead_count_pcs(&o, counts));
	assert_int_equal(counts[3], 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_places), cmocka_unit_test(test_counts) };

	return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
