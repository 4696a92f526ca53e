/* test_packed.c - the symbols that a profile carries: put together, and not believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "read/symbols/packed.h"
#include "read/symbols/tests/scratch.h"

static const char source[] =
	"volatile int sink;\n"
	"static __attribute__((noinline)) void leaf(int n) { sink = n; }\n"
	"__attribute__((noinline)) void middle(int n)\n"
	"{\n"
	"	leaf(n);\n"
	"	leaf(n + 1);\n"
	"}\n"
	"int main(void) { middle(1); return 0; }\n";

/* A profile of the program, with the routines NAMES. */
static struct profile profile_of(const char *const *names, uint32_t n, struct profile_routine *routines)
{
	struct profile p = *scratch_profile(1, (const char *const[]){ "prog" });

	for (uint32_t i = 0; i < n; i++)
		routines[i] = (struct profile_routine){ .module = 0, .address = scratch_address("prog", names[i]) };
	p.routines = routines;
	p.nroutines = n;
	p.symbols = NULL;
	p.nsymbols = 0;
	return p;
}

static void build(void)
{
	scratch_file("prog.c", source);
	scratch_run("$CC -g -O1 -fno-inline -Wl,--build-id=sha1 -o prog prog.c");
}

/* What symbols_pack says of the routines NAMES, if it may take NS. */
static struct profile_symbols packed_within(const char *const *names, uint32_t n, uint64_t ns)
{
	struct profile_routine routines[8];
	struct profile p = profile_of(names, n, routines);
	struct profile_symbols out;
	struct error err;
	struct symbols *s = symbols_open(&p, NULL, &err);

	assert_non_null(s);
	symbols_within(s, ns);
	assert_true(symbols_pack(s, &p, 0, &out));
	symbols_free(s);
	return out;
}

static struct profile_symbols packed(const char *const *names, uint32_t n) { return packed_within(names, n, UINT64_MAX); }

static void two_files_together(void **state)
{
	struct profile_symbols parts[2];
	struct profile p = { .symbols = parts, .nsymbols = 2 };
	struct packed *k;
	uint64_t leaf, middle;
	uint32_t i;
	size_t n;

	(void)state;
	build();
	leaf = scratch_address("prog", "leaf");
	middle = scratch_address("prog", "middle");
	parts[0] = packed((const char *const[]){ "main", "middle" }, 2);
	parts[1] = packed((const char *const[]){ "middle", "leaf" }, 2);
	k = packed_read(&p, 0);
	assert_non_null(k);
	assert_int_equal(k->nfunctions, 3);
	i = packed_find(k, middle + 1);
	assert_string_equal(k->functions[i].name, "middle");
	assert_int_equal(k->functions[i].line, 3);
	assert_non_null(strstr(k->functions[i].file, "prog.c"));
	assert_int_equal(packed_calls(k, i, &n)->line, 5);
	assert_int_equal(n, 2);
	assert_string_equal(k->functions[packed_find(k, leaf)].name, "leaf");
	assert_int_equal(packed_place(k, leaf)->own_line, 2);
	assert_null(packed_place(k, leaf + 1));
	assert_int_equal(packed_find(k, 1), PACKED_NONE);
	packed_free(k);
	assert_null(packed_read(&p, 1));
	free(parts[0].data);
	free(parts[1].data);
}

/* Without the time to read its debug information a module has names and no lines, and says that there is more. */
static void brief_then_whole(void **state)
{
	const char *const names[] = { "main", "leaf" };
	struct profile_symbols parts[2];
	struct profile p = { .symbols = parts, .nsymbols = 1 };
	struct packed *k;
	uint64_t leaf;
	uint32_t i;

	(void)state;
	build();
	leaf = scratch_address("prog", "leaf");
	parts[0] = packed_within(names, 2, 0);
	parts[1] = packed(names, 2);
	assert_true(symbols_is_brief(&parts[0]));
	assert_false(symbols_is_brief(&parts[1]));
	k = packed_read(&p, 0);
	i = packed_find(k, leaf);
	assert_string_equal(k->functions[i].name, "leaf");
	assert_int_equal(k->functions[i].line, 0);
	assert_null(packed_place(k, leaf)->own_file);
	packed_free(k);
	p.nsymbols = 2;
	k = packed_read(&p, 0);
	assert_int_equal(k->nfunctions, 2);
	assert_int_equal(k->functions[packed_find(k, leaf)].line, 2);
	assert_int_equal(packed_place(k, leaf)->own_line, 2);
	packed_free(k);
	free(parts[0].data);
	free(parts[1].data);
}

/* A name that is not told by the one that it was linked by is carried beside it. */
static void names_as_written(void **state)
{
	struct profile_symbols part;
	struct profile p = { .symbols = &part, .nsymbols = 1 };
	struct packed *k;
	uint64_t area;
	size_t n;
	uint32_t i;

	(void)state;
	if (!scratch_try("gfortran --version"))
		skip();
	scratch_file("shapes.f90", "module shapes\ncontains\n subroutine area(s)\n  real, intent(inout) :: s\n  s = s + 1\n end subroutine\nend module\n"
		"subroutine user(s)\n use shapes\n real, intent(inout) :: s\n call area(s)\n call area(s)\nend subroutine\n"
		"program demo\n real :: s = 0\n call user(s)\n print *, s\nend program\n");
	scratch_run("gfortran -g -O1 -fno-inline -Wl,--build-id=sha1 -o prog shapes.f90");
	area = scratch_address("prog", "__shapes_MOD_area");
	part = packed((const char *const[]){ "main", "user_", "__shapes_MOD_area" }, 3);
	k = packed_read(&p, 0);
	assert_non_null(k);
	i = packed_find(k, area);
	assert_string_equal(k->functions[i].base, "__shapes_MOD_area");
	assert_string_equal(k->functions[i].written, "shapes::area");
	assert_null(k->functions[packed_find(k, scratch_address("prog", "main"))].written);
	i = packed_find(k, scratch_address("prog", "user_"));
	assert_string_equal(k->functions[i].written, "user");
	assert_string_equal(packed_calls(k, i, &n)->name, "shapes::area");
	packed_free(k);
	free(part.data);
}

/* Ask for all there is. */
static void use(const struct profile *p)
{
	struct packed *k = packed_read(p, 0);
	size_t n, sum = 0;

	for (uint32_t i = 0; k && i < k->nfunctions; i++) {
		const struct packed_call *calls = packed_calls(k, i, &n);

		sum += strlen(k->functions[i].name) + packed_find(k, k->functions[i].start) + (size_t)packed_leads(k, "leaf", k->functions[i].start);
		for (size_t j = 0; j < n; j++)
			sum += strlen(calls[j].name) + strlen(calls[j].file);
	}
	for (size_t i = 0; k && i < k->nplaces; i++) {
		const struct packed_place *at = &k->places[i];

		assert_true(at->function < k->nfunctions);
		sum += (at->file ? strlen(at->file) : 0) + (at->own_file ? strlen(at->own_file) : 0) + (at->called ? strlen(at->called) : 0);
	}
	for (size_t i = 0; k && i < k->narcs; i++)
		assert_true(k->arcs[i].from < k->nfunctions && k->arcs[i].to < k->nfunctions);
	assert_true(sum < SIZE_MAX);
	packed_free(k);
}

/* Bytes that anybody may have written are refused or make sense. */
static void damaged(void **state)
{
	struct profile_symbols whole, part;
	struct profile p = { .symbols = &part, .nsymbols = 1 };
	unsigned char *plain, *bad;
	uLongf size;

	(void)state;
	build();
	whole = packed((const char *const[]){ "main", "middle", "leaf" }, 3);
	size = whole.plain_size;
	plain = malloc(size);
	bad = malloc(size);
	assert_int_equal(uncompress(plain, &size, whole.data, whole.size), Z_OK);
	srand(1);
	for (int i = 0; i < 4000; i++) {
		uLongf room = compressBound(size);
		uint64_t cut = i % 5 == 0 ? 1 + (uint64_t)rand() % size : size;

		memcpy(bad, plain, size);
		for (int j = 0; j <= i % 4; j++)
			bad[(size_t)rand() % size] = (unsigned char)rand();
		part = (struct profile_symbols){ .data = malloc(room), .plain_size = cut };
		assert_int_equal(compress(part.data, &room, bad, cut), Z_OK);
		part.size = room;
		use(&p);
		free(part.data);
	}
	part = whole;
	for (uint64_t size_said = 0; size_said < 3; size_said++) {	/* what it says of its size is not true */
		part.plain_size = size_said ? UINT64_MAX >> size_said : 0;
		assert_null(packed_read(&p, 0));
	}
	part.plain_size = whole.plain_size;
	part.size--;
	assert_null(packed_read(&p, 0));
	free(plain);
	free(bad);
	free(whole.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_files_together),
		cmocka_unit_test(brief_then_whole),
		cmocka_unit_test(names_as_written),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests_name("packed", tests, scratch_begin, scratch_end);
}
