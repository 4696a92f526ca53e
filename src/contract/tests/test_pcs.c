/* test_pcs.c - what is packed is what comes out, whatever the bytes; and what is no packing is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/pcs.h"

enum { MOST = 2000, SEEDS = 300, BYTES = 26 };	/* of an entry at most: 5 + 1 + 10 + 10, and the rest of a group is less */

static uint64_t state_of_random;

static uint64_t random_below(uint64_t n)
{
	state_of_random = state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n ? (state_of_random >> 16 ^ state_of_random >> 40) % n : state_of_random;
}

static int compare(const void *x, const void *y)
{
	const struct amon_pc *a = x, *b = y;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* N of them, near each other or anywhere, some of them twice. */
static void make(struct amon_pc *list, size_t n)
{
	uint64_t near = random_below(3), contexts = 1 + random_below(near ? 300 : AMON_NONE);

	for (size_t i = 0; i < n; i++)
		list[i] = (struct amon_pc){
			.pc = near ? 0x7f5512340000 + random_below(4000) : random_below(0),
			.context = (uint32_t)random_below(contexts),
			.count = (uint32_t)(random_below(4) ? 1 + random_below(200) : random_below(UINT32_MAX + UINT64_C(1))),
		};
	qsort(list, n, sizeof *list, compare);
}

static void test_comes_out(void **state)
{
	static struct amon_pc list[MOST];
	static unsigned char bytes[MOST * BYTES];

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		size_t n, size;

		state_of_random = seed;
		n = seed < 3 ? seed : random_below(MOST);
		make(list, n);
		size = pcs_pack(list, n, NULL);
		assert_true(size <= n * BYTES);
		assert_int_equal(pcs_pack(list, n, bytes), size);
		for (size_t cut = size; cut + 40 > size && cut <= size; cut--) {	/* and cut off nothing else comes out */
			struct pcs_reader r = { .data = bytes, .size = cut };
			enum pcs_next next = PCS_END;
			struct amon_pc one;
			size_t i = 0;

			for (; (next = pcs_next(&r, &one)) == PCS_ONE; i++) {
				assert_true(i < n);
				assert_memory_equal(&one, &list[i], sizeof one);
			}
			assert_true(cut < size ? i < n : i == n && next == PCS_END);
		}
	}
}

/* Near each other they take less than a fifth of what a table has for them. */
static void test_is_small(void **state)
{
	struct amon_pc list[1000];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		list[i] = (struct amon_pc){ .pc = 0x555555554000 + 37 * (i % 50), .context = i / 50, .count = 1 + i % 90 };
	assert_true(pcs_pack(list, 1000, NULL) < 1000 * sizeof *list / 5);
}

static void test_example(void **state)
{
	const struct amon_pc list[] = { { 300, 1, 5 }, { 301, 1, 200 }, { 10, 3, 1 } };
	const unsigned char wanted[] = { 1, 2, 0xd8, 0x04, 5, 1, 0xc8, 0x01, 2, 1, 0xc3, 0x04, 1 };
	unsigned char bytes[sizeof wanted + 1];

	(void)state;
	assert_int_equal(pcs_pack(list, 3, bytes), sizeof wanted);
	assert_memory_equal(bytes, wanted, sizeof wanted);
}

static void test_ill(void **state)
{
	static const struct { size_t size; unsigned char bytes[16]; } ill[] = {
		{ 4, { 1, 0, 0, 1 } },						/* a group of none */
		{ 4, { 0x80, 0x80, 0x80, 0x80 } },				/* a number without an end */
		{ 11, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 1 } },	/* of more than 64 bits */
		{ 8, { 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0, 1 } },		/* no context has that number */
		{ 8, { 0, 1, 0, 0x80, 0x80, 0x80, 0x80, 0x10 } },		/* more samples than there can be */
	};

	(void)state;
	for (size_t i = 0; i < sizeof ill / sizeof *ill; i++) {
		struct pcs_reader r = { .data = ill[i].bytes, .size = ill[i].size };
		struct amon_pc one;

		assert_int_equal(pcs_next(&r, &one), PCS_ILL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_out),
		cmocka_unit_test(test_is_small),
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_ill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
