/* test_base.c - arrays, tables and numbers: against the plainest thing that does the same, and without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/base64.h"
#include "base/bulk.h"
#include "base/name.h"
#include "base/number.h"
#include "base/pair_table.h"
#include "base/short_names.h"
#include "base/table.h"
#include "base/task_stat.h"

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

static unsigned allocations_left = UINT32_MAX;	/* after so many there is no memory */

void *__wrap_calloc(size_t n, size_t size)
{
	return allocations_left && allocations_left-- ? __real_calloc(n, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return allocations_left && allocations_left-- ? __real_realloc(old, size) : NULL;
}

static void test_reserve(void **state)
{
	uint32_t *items = NULL;
	size_t room = 0;

	(void)state;
	assert_true(array_reserve(&items, &room, 0, sizeof *items));
	assert_null(items);
	for (uint32_t i = 0; i < 10000; i++) {
		assert_true(array_grow(&items, &room, i, sizeof *items));
		assert_true(room > i);
		items[i] = i;
	}
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

static void test_reserve_too_much(void **state)
{
	uint32_t *items = NULL;
	size_t room = 0;

	(void)state;
	assert_false(array_reserve(&items, &room, SIZE_MAX / 2, sizeof *items));
	assert_false(array_grow(&items, &room, UINT32_MAX - 1, 1));
	allocations_left = 0;
	assert_false(array_grow(&items, &room, 0, sizeof *items));
	allocations_left = UINT32_MAX;
	assert_null(items);
	assert_int_equal(room, 0);
}

static void test_sum_stays_at_its_end(void **state)
{
	uint64_t sum = UINT64_MAX - 2;

	(void)state;
	add_capped(&sum, 2);
	assert_true(sum == UINT64_MAX);
	add_capped(&sum, 1);
	assert_true(sum == UINT64_MAX);
}

/* ---- a table of numbers, many of which have the same hash ---- */

static uint64_t poor_hash(const void *owner, uint32_t position)
{
	const uint32_t *items = owner;

	return items[position] / 7;
}

static uint32_t find(const struct table *t, const uint32_t *items, uint32_t x)
{
	uint32_t found;

	for (uint64_t i = x / 7; (found = table_next(t, &i)) != UINT32_MAX;)
		if (items[found] == x)
			return found;
	return UINT32_MAX;
}

#define MANY 5000

static void test_table(void **state)
{
	static uint32_t items[MANY];
	struct table t = { 0 };

	(void)state;
	assert_int_equal(find(&t, items, 1), UINT32_MAX);
	for (uint32_t i = 0; i < MANY; i++) {
		items[i] = i * 3;
		assert_true(table_reserve(&t, (uint64_t)i + 1, poor_hash, items));
		table_add(&t, poor_hash(items, i), i);
	}
	for (uint32_t x = 0; x < 3 * MANY; x++)
		assert_int_equal(find(&t, items, x), x % 3 ? UINT32_MAX : x / 3);
	table_cut(&t, 100, poor_hash, items);
	for (uint32_t x = 0; x < 3 * MANY; x += 3)
		assert_int_equal(find(&t, items, x), x < 300 ? x / 3 : UINT32_MAX);
	allocations_left = 0;
	assert_false(table_reserve(&t, 2 * MANY, poor_hash, items));
	allocations_left = UINT32_MAX;
	assert_false(table_reserve(&t, UINT32_MAX, poor_hash, items));
	assert_int_equal(find(&t, items, 297), 99);
	table_free(&t);
	assert_int_equal(find(&t, items, 297), UINT32_MAX);
}

/* Hashes whose lower halves are the last numbers, so that walks come round to the first, and whose upper halves differ. */
static uint64_t end_hash(const void *owner, uint32_t position)
{
	(void)owner;
	return (uint64_t)(position % 3) << 32 | (UINT32_MAX - position % 2);
}

static void test_table_ends(void **state)
{
	struct table t = { 0 };
	uint32_t found, met = 0;

	(void)state;
	for (uint32_t i = 0; i < 48; i++) {
		assert_true(table_reserve(&t, i + 1, end_hash, NULL));
		table_add(&t, end_hash(NULL, i), i);
	}
	assert_int_equal(t.mask, 63);		/* it is as full as it gets */
	for (uint32_t i = 0; i < 48; i++) {
		bool is_found = false;

		for (uint64_t at = end_hash(NULL, i); (found = table_next(&t, &at)) != UINT32_MAX; met++) {
			assert_int_equal(found % 3, i % 3);	/* nobody else is looked at */
			is_found |= found == i;
		}
		assert_true(is_found);
	}
	assert_true(met >= 48);
	table_free(&t);
}

#define SIDE 80

static void test_pairs(void **state)
{
	struct pair_table t = { 0 };
	uint32_t n = 0;

	(void)state;
	assert_int_equal(pair_table_find(&t, 0, 0), 0);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t a = 0; a < SIDE; a++)
			for (uint32_t b = 0; b < SIDE; b++) {
				uint32_t *number = pair_table_at(&t, a, UINT32_MAX - b);

				assert_non_null(number);
				assert_int_equal(*number, round ? a * SIDE + b + 1 : 0);
				if (!round)
					*number = ++n;
			}
	assert_int_equal(t.n, SIDE * SIDE);
	assert_int_equal(pair_table_find(&t, 3, UINT32_MAX - 4), 3 * SIDE + 5);
	assert_int_equal(pair_table_find(&t, UINT32_MAX - 4, 3), 0);
	pair_table_free(&t);
	assert_int_equal(pair_table_find(&t, 3, UINT32_MAX - 4), 0);
}

/* A pair that could not be entered for want of memory can be entered later. */
static void test_pairs_without_memory(void **state)
{
	(void)state;
	for (unsigned have = 0; have < 2; have++) {
		struct pair_table t = { 0 };

		allocations_left = have;
		assert_null(pair_table_at(&t, 1, 2));
		allocations_left = UINT32_MAX;
		assert_int_equal(pair_table_find(&t, 1, 2), 0);
		*pair_table_at(&t, 1, 2) = 9;
		assert_int_equal(pair_table_find(&t, 1, 2), 9);
		assert_int_equal(t.n, 1);
		pair_table_free(&t);
	}
}

static void test_numbers(void **state)
{
	static const char *const none[] = { "", " ", "x", "1x", "1 ", "0x1", "-", "11", "0", "-3", "99999999999999999999" };
	int64_t n;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_false(number_read(none[i], 1, 10, &n));
	assert_false(number_read("99999999999999999999", INT64_MIN, INT64_MAX, &n));
	assert_true(number_read(" +10", 1, 10, &n));
	assert_int_equal(n, 10);
	assert_true(number_read("-9223372036854775808", INT64_MIN, 0, &n));
	assert_true(n == INT64_MIN);
	assert_true(number_fraction("-1.5e1 s") == -15 && number_fraction(".25") == 0.25 && number_fraction("s") == 0);
}

static void test_names(void **state)
{
	static const struct { const char *name, *bare, *simple; } names[] = {
		{ "main", "main", "main" },
		{ "int std::max<int>(int, int)", "std::max<int>", "std::max" },
		{ "A::operator()(int) const", "A::operator()", "A::operator()" },
		{ "A::operator bool() const", "A::operator bool", "A::operator bool" },
		{ "operator new(unsigned long)", "operator new", "operator new" },
		{ "bool operator<(A const&, B<1> const&)", "operator<", "operator<" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f", "(anonymous namespace)::f" },
		{ "void fill<std::map<int, int> >(int)", "fill<std::map<int, int> >", "fill" },
		{ "std::vector<int, A<(B)1> >::at(unsigned long) const", "std::vector<int, A<(B)1> >::at", "std::vector::at" },
		{ "two words", "two words", "two words" },
		{ "memset (__memset_avx2_unaligned)", "memset", "memset" },
		{ "main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()", "main::{lambda#1}::operator()" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char buffer[80];

		name_simplify(buffer, names[i].name);
		assert_string_equal(buffer, names[i].simple);
		name_without_parameters(buffer, names[i].name);
		assert_string_equal(buffer, names[i].bare);
	}
}

/* Variants for some processors, and what only looks like them. */
static void test_public_names(void **state)
{
	static const struct { const char *name, *public; } names[] = {
		{ "__memcmp_evex_movbe", "memcmp" }, { "__memset_avx2_unaligned_erms", "memset" }, { "__wcsnlen_sse4_1", "wcsnlen" }, { "__strcasecmp_l_avx", "strcasecmp_l" },
		{ "__sin_fma", "sin" }, { "__memcpy_sve", "memcpy" }, { "__ieee754_pow_fma", "pow" }, { "__memmove_erms", "memmove" },
		{ "memcmp_evex", NULL }, { "_memcmp_avx2", NULL }, { "__libc_malloc", NULL }, { "__memcpy_chk", NULL }, { "__avx2", NULL }, { "__copy_avx2x", NULL }, { "__", NULL }, { "", NULL },
		{ "__ieee754_fma", NULL }, { "___avx", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char buffer[80];

		assert_int_equal(name_public(NULL, names[i].name), names[i].public != NULL);
		assert_int_equal(name_public(buffer, names[i].name), names[i].public != NULL);
		assert_string_equal(buffer, names[i].public ? names[i].public : names[i].name);
	}
}

static void test_short_names(void **state)
{
	static const struct { const char *name, *brief; } names[] = {
		{ "main", "main" }, { "two words", "two words" }, { "(elided)", "(elided)" }, { NULL, NULL },
		{ "int std::max<int>(int, int)", "std::max" },
		{ "A::operator()(int) const", "A::operator()" }, { "A::operator bool() const", "A::operator bool" },
		{ "operator new(unsigned long)", "operator new" }, { "operator new[](unsigned long)", "operator new[]" },
		{ "bool operator<(A const&, B<1> const&)", "operator<" },
		{ "std::unique_ptr<A>::operator->() const", "std::unique_ptr::operator->" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
		{ "decltype ((x)) made<int>(int)", "made" }, { "void (*chosen(int))(char)", "void (*chosen(int))(char)" },
		/* what the ABI puts between */
		{ "void std::__1::sort<int*, Less<int> >(int*, int*, Less<int>)", "std::sort" },
		{ "std::__cxx11::basic_string<char>::compare(char const*)", "std::basic_string::compare" },
		{ "get[abi:cxx11](int)", "get" },
		/* overloads, and instances of a template */
		{ "f()", "f()" }, { "f(int)", "f(int)" }, { "f(int, char)", "f(int, char)" },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<int, ...>::push_back" },
		{ "std::vector<long, std::allocator<long> >::push_back(long const&)", "std::vector<long, ...>::push_back" },
		{ "void visit<std::map<int, std::vector<A> > >()", "visit<std::map<..., std::vector<A>>>" },
		{ "void visit<std::map<int, std::vector<B> > >()", "visit<std::map<..., std::vector<B>>>" },
		{ "std::string::append(char const*)", "std::string::append" },
		{ "std::string::append(char const*, unsigned long)", "std::string::append(..., unsigned long)" },
		{ "void call<std::function<void (int)> >()", "call<std::function<void (int)>>" },
		{ "void call<std::function<int (int)> >()", "call<std::function<int (int)>>" },
		/* what only stands before or behind */
		{ "int made_of<int>()", "int made_of" }, { "long made_of<int>()", "long made_of" },
		{ "A::g(int)", "A::g" }, { "non-virtual thunk to A::g(int)", "non-virtual thunk to A::g" },
		{ "x::y() const", "x::y const" }, { "x::y() const [clone .cold]", "x::y const [clone .cold]" },
		/* within functions */
		{ "main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()" },
		{ "main::{lambda(int, char)#2}::operator()(int, char) const", "main::{lambda#2}::operator()" },
		{ "Foo::m(int) const::{lambda()#1}::operator()() const", "Foo::m::{lambda#1}::operator()" },
		{ "foo(int)::Local::run()", "foo::Local::run" },
		/* other languages */
		{ "<alloc::vec::Vec<T> as core::ops::Index>::index", "<alloc::vec::Vec<T>>::index" },
		{ "<alloc::vec::Vec<U> as core::ops::Index>::index", "<alloc::vec::Vec<U>>::index" },
		{ "core::str::parse::<i32>", "core::str::parse::<i32>" }, { "core::str::parse::<u8>", "core::str::parse::<u8>" },
		{ "core::mem::swap::<i32>", "core::mem::swap" }, { "foo::<impl Bar>::baz", "foo::<impl Bar>::baz" },
		{ "main.(*T).Method", "main.(*T).Method" }, { "<module>", "<module>" }, { "Class.<lambda>", "Class.<lambda>" },
		/* no names at all */
		{ "broken(<", "broken(<" }, { ")(", ")(" }, { "<", "<" }, { ">>", ">>" }, { "{{(", "{{(" }, { "", "" },
		{ "main", "main" },	/* static functions of several files have one */
	};
	const char *whole[sizeof names / sizeof *names], *brief[sizeof names / sizeof *names];
	size_t n = sizeof names / sizeof *names;
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < n; i++)
		whole[i] = names[i].name;
	assert_true(short_names(brief, whole, n, &arena));
	for (size_t i = 0; i < n; i++)
		if (names[i].brief)
			assert_string_equal(brief[i], names[i].brief);
		else
			assert_null(brief[i]);
	arena_free(&arena);
}

enum { INSTANCES = 3000, MOST_BYTES = 600 };

/* A type of up to DEPTH arguments within arguments, appended to TEXT. */
static void type_make(char *text, int depth, unsigned *seed)
{
	static const char *const types[] = { "int", "char const*", "A::B", "unsigned long" };

	if (depth == 0 || rand_r(seed) % 3 == 0 || strlen(text) > MOST_BYTES / 2) {
		strcat(text, types[rand_r(seed) % 4]);
		return;
	}
	strcat(text, "std::map<");
	type_make(text, depth - 1, seed);
	strcat(text, ", ");
	type_make(text, depth - 1, seed);
	strcat(text, " >");
}

/* Whatever the names, those that differ stay different, and none becomes longer. */
static void test_short_names_stay_apart(void **state)
{
	char (*text)[MOST_BYTES + 100] = calloc(INSTANCES, sizeof *text);
	const char **whole = calloc(2 * INSTANCES, sizeof *whole), **brief = whole + INSTANCES;
	struct arena arena = { 0 };
	unsigned seed = 1;

	(void)state;
	assert_non_null(text);
	assert_non_null(whole);
	for (size_t i = 0; i < INSTANCES; i++) {
		whole[i] = strcat(text[i], i % 2 ? "void std::call<" : "run::of<");
		type_make(text[i], 4, &seed);
		strcat(text[i], i % 3 ? " >::now(" : " >::later(");
		type_make(text[i], 2, &seed);
		strcat(text[i], ")");
	}
	assert_true(short_names(brief, whole, INSTANCES, &arena));
	for (size_t i = 0; i < INSTANCES; i++) {
		assert_true(strlen(brief[i]) <= strlen(whole[i]));
		for (size_t k = 0; k < i; k++)
			if (strcmp(whole[i], whole[k]) != 0)
				assert_string_not_equal(brief[i], brief[k]);
	}
	arena_free(&arena);
	free(text);
	free(whole);
}

/* A name may hold what looks like the fields behind it. */
static void test_task_stat(void **state)
{
	struct task_stat own, child;
	siginfo_t info;
	pid_t pid;

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, "a) Z 1 (b"), 0);
	assert_true(task_stat_read(getpid(), 0, &own));
	assert_int_equal(own.state, 'R');
	assert_int_equal(own.parent, getppid());
	assert_true(own.start > 0);
	assert_true(task_stat_read(getpid(), getpid(), &child));
	assert_int_equal(child.parent, own.parent);
	pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_true(task_stat_read(pid, 0, &child));
	assert_int_equal(child.state, 'Z');
	assert_int_equal(child.parent, getpid());
	assert_true(child.start >= own.start);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(task_stat_read(pid, 0, &child));
	assert_int_equal(child.state, 0);
	assert_int_equal(child.start, 0);
}

/* The vectors of RFC 4648, section 10, each digit once, and parts of a whole. */
static void test_base64(void **state)
{
	static const struct { const char *bytes, *text; } vectors[] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
	};
	static const unsigned char all[] = {
		0x00, 0x10, 0x83, 0x10, 0x51, 0x87, 0x20, 0x92, 0x8b, 0x30, 0xd3, 0x8f, 0x41, 0x14, 0x93, 0x51, 0x55, 0x97, 0x61, 0x96, 0x9b, 0x71, 0xd7, 0x9f,
		0x82, 0x18, 0xa3, 0x92, 0x59, 0xa7, 0xa2, 0x9a, 0xab, 0xb2, 0xdb, 0xaf, 0xc3, 0x1c, 0xb3, 0xd3, 0x5d, 0xb7, 0xe3, 0x9e, 0xbb, 0xf3, 0xdf, 0xbf,
	};
	char text[128] = "";
	FILE *out;

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		out = fmemopen(text, sizeof text, "w");
		base64_write(out, vectors[i].bytes, strlen(vectors[i].bytes));
		putc('\0', out);
		fclose(out);
		assert_string_equal(text, vectors[i].text);
	}
	out = fmemopen(text, sizeof text, "w");
	base64_write(out, all, 3);
	base64_write(out, all + 3, sizeof all - 3);
	putc('\0', out);
	fclose(out);
	assert_string_equal(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

/* As many bytes as are written at once, and some more or less: all of them stand there. */
static void test_base64_long(void **state)
{
	enum { LENGTH = 3 * 1024 + 4 };
	unsigned char zeros[LENGTH] = { 0 };
	static char text[2 * LENGTH], expected[2 * LENGTH];
	FILE *out;

	(void)state;
	for (size_t len = LENGTH - 8; len <= LENGTH; len++) {
		memset(expected, 'A', sizeof expected);
		memset(expected + (4 * len + 2) / 3, '=', 2);
		expected[(len + 2) / 3 * 4] = '\0';
		out = fmemopen(text, sizeof text, "w");
		base64_write(out, zeros, len);
		putc('\0', out);
		fclose(out);
		assert_string_equal(text, expected);
	}
}

/* Whether a part of this process's heap is marked for huge pages. */
static bool heap_is_marked(void)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	char line[4096];
	bool in_heap = false, found = false;

	while (maps && fgets(line, sizeof line, maps)) {
		if (strstr(line, "[heap]"))
			in_heap = true;
		else if (strncmp(line, "VmFlags:", 8) == 0) {
			found |= in_heap && strstr(line, " hg");
			in_heap = false;
		}
	}
	if (maps)
		fclose(maps);
	return found;
}

/* Little changes nothing; much marks the heap, and what is freed there is there for the next; more than there can be does no harm. */
static void test_bulk(void **state)
{
	enum { MUCH = 64 << 20 };
	char *one, *two;

	(void)state;
	bulk_expect(1 << 20);
	assert_false(heap_is_marked());
	bulk_expect(MUCH);
	bulk_expect(SIZE_MAX);
	one = malloc(MUCH / 2);
	assert_non_null(one);
	memset(one, 1, MUCH / 2);
	free(one);
	two = malloc(MUCH / 2);
	assert_non_null(two);
	if (two < (char *)sbrk(0)) {			/* the heap is the C library's, not a sanitizer's */
		assert_ptr_equal(one, two);
		assert_true(heap_is_marked() || access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0);
	}
	free(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_public_names),
		cmocka_unit_test(test_short_names),
		cmocka_unit_test(test_short_names_stay_apart),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_reserve_too_much),
		cmocka_unit_test(test_sum_stays_at_its_end),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_ends),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_pairs_without_memory),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_task_stat),
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_base64_long),
		cmocka_unit_test(test_bulk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
