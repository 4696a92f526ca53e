/* test_history.c - A1-A5 against the paper's figures and against a model that keeps the real stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/history.h"

enum { MOST_ROUTINES = 16, DEEPEST = 48, MOST_ENTRIES = 3 * MOST_ROUTINES + 2 };

/* A history as text: routines are letters, ' stands for unmarked. */
static const char *text(const history_entry *s, size_t n)
{
	static char out[4 * MOST_ENTRIES];
	size_t at = 0;

	out[0] = 0;
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(out + at, sizeof out - at, "%s%c%s", i ? " " : "",
				       (int)('A' + history_routine(s[i])), history_is_marked(s[i]) ? "" : "'");
	return out;
}

static size_t parse(const char *s, history_entry *out)
{
	size_t n = 0;

	for (; *s; s++)
		if (*s == '\'')
			out[n - 1] &= ~(history_entry)1;
		else if (*s != ' ')
			out[n++] = history_marked((uint32_t)(*s - 'A'));
	return n;
}

/* In the history BEFORE, ROUTINE is called: the next is AFTER. */
static void check_step(const char *before, char routine, const char *after)
{
	history_entry s[MOST_ENTRIES];
	size_t n = parse(before, s);

	n = history_next(s, n, (uint32_t)(routine - 'A'));
	assert_string_equal(text(s, n), after);
	assert_true(history_is_valid(s, n));
}

/* Figures 1 and 2: Main, (P Q R)^n, P, S, state for state. */
static void test_paper(void **state)
{
	static const struct { char called; const char *history; } figure[] = {
		{ 'M', "M" }, { 'P', "M P" }, { 'Q', "M P Q" }, { 'R', "M P Q R" },	/* C0-C3 */
		{ 'P', "M P' Q R P" }, { 'Q', "M P' Q' R P Q" }, { 'R', "M P' R' P Q R" },	/* C4-C6 */
		{ 'P', "M P' Q R P" }, { 'Q', "M P' Q' R P Q" }, { 'R', "M P' R' P Q R" },	/* and again */
		{ 'P', "M P' Q R P" },
		{ 'S', "M P' Q R P S" },
	};
	history_entry s[MOST_ENTRIES];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
		n = history_next(s, n, (uint32_t)(figure[i].called - 'A'));
		assert_string_equal(text(s, n), figure[i].history);
		assert_true(history_is_valid(s, n));
	}
}

/* The deletions, C5 -> C6 and C6 -> C4, and the other ways in which A4 and A5 strike. */
static void test_deletions(void **state)
{
	(void)state;
	check_step("M P' Q' R P Q", 'R', "M P' R' P Q R");	/* A4: Q between P and R */
	check_step("M P' R' P Q R", 'P', "M P' Q R P");		/* A4: R; then A5: P and P */
	check_step("A B' C B", 'C', "A B' C' B C");		/* two unmarked: both join something */
	check_step("A B C", 'A', "A' B C A");			/* the first entry, unmarked, still calls B */
	check_step("A' B A", 'B', "A' B' A B");
	check_step("A' B' A B", 'A', "A' B A");			/* A4: B', then A5 */
	check_step("A B C", 'C', "A B C");			/* A1 */
	check_step("A B' C B", 'B', "A B' C B");		/* A1 with a folded front */
	check_step("", 'A', "A");
	check_step("A", 'B', "A B");
	check_step("A B' C B", 'D', "A B' C B D");		/* append to a folded history */
	check_step("A B", 'A', "A' B A");
}

static void test_valid(void **state)
{
	static const char *const bad[] = { "A'", "A A", "A B A", "A B' C' D' E", "A B' B' C", "A B C'" };
	static const char *const good[] = { "", "A", "A B' C' D", "A' B' A B", "A B' C B" };
	history_entry s[MOST_ENTRIES];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(history_is_valid(s, parse(bad[i], s)));
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(history_is_valid(s, parse(good[i], s)));
}

static void test_hash(void **state)
{
	history_entry a[MOST_ENTRIES], b[MOST_ENTRIES];
	size_t n = parse("A B' C B", a);
	uint64_t hash = history_hash(a, n - 1);

	(void)state;
	assert_true(history_hash_add(hash, a[n - 1]) == history_hash(a, n));
	assert_true(history_hash(a, n) != history_hash(b, parse("A B C B'", b)));
	assert_true(history_hash(a, 0) == HISTORY_HASH_EMPTY);
}

/* The naive model: a stack without direct recursion, and from it, for each active routine, whom its most
 * recent activation calls and by whom it was called. */
struct items {
	int caller[MOST_ROUTINES];	/* routine, or -1: none */
	int callee[MOST_ROUTINES];	/* routine, -1: runs itself, -2: is not active */
	size_t active;			/* routines that are */
};

static void items_of_stack(const uint8_t *stack, size_t n, size_t routines, struct items *items)
{
	items->active = 0;
	for (size_t r = 0; r < routines; r++)
		items->callee[r] = -2;
	for (size_t i = n; i-- > 0 && items->active < routines;)
		if (items->callee[stack[i]] == -2) {
			items->callee[stack[i]] = i + 1 < n ? stack[i + 1] : -1;
			items->caller[stack[i]] = i > 0 ? stack[i - 1] : -1;
			items->active++;
		}
}

/* Whether the history S of N entries stands for just these items. */
static bool same_items(const history_entry *s, size_t n, const struct items *items)
{
	size_t marked = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t r = history_routine(s[i]);
		int caller = i > 0 ? (int)history_routine(s[i - 1]) : -1;
		int callee = i + 1 < n ? (int)history_routine(s[i + 1]) : -1;

		if (!history_is_marked(s[i]))
			continue;
		marked++;
		if (items->callee[r] != callee || items->caller[r] != caller)
			return false;
	}
	return marked == items->active;
}

struct run {
	uint64_t dice;
	history_entry history[DEEPEST + 1][MOST_ENTRIES];	/* of each level of the stack */
	size_t length[DEEPEST + 1];
	uint8_t stack[DEEPEST + 1];				/* routines, direct recursion collapsed */
};

static uint32_t roll(struct run *run, uint32_t n)
{
	run->dice = run->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((run->dice >> 33) * n >> 31);
}

/* A call of ROUTINE on a stack of *DEPTH: the machine's history against the model's items. */
static void check_call(struct run *run, size_t *depth, uint32_t routine, size_t routines)
{
	history_entry *s = run->history[*depth + 1];
	struct items items;
	size_t n = run->length[*depth], next;

	memcpy(s, run->history[*depth], n * sizeof *s);
	next = history_next(s, n, routine);
	if (*depth > 0 && run->stack[*depth - 1] == routine) {
		assert_true(next == n && memcmp(s, run->history[*depth], n * sizeof *s) == 0);	/* A1 */
		return;
	}
	run->stack[(*depth)++] = (uint8_t)routine;
	run->length[*depth] = next;
	items_of_stack(run->stack, *depth, routines, &items);
	assert_true(same_items(s, next, &items));
}

static void test_random(void **state)
{
	static const struct { size_t routines, calls; } phases[] = {
		{ 1, 10000 }, { 2, 990000 }, { 3, 2000000 }, { 5, 2000000 }, { 8, 2000000 }, { 12, 1500000 }, { 16, 1500000 }
	};
	static struct run run = { .dice = 20040101 };

	(void)state;
	for (size_t phase = 0; phase < sizeof phases / sizeof *phases; phase++) {
		size_t depth = 0;

		for (size_t calls = 0; calls < phases[phase].calls; calls++) {
			while (depth == DEEPEST || (depth > 0 && roll(&run, 100) < 48))
				depth--;
			check_call(&run, &depth, roll(&run, (uint32_t)phases[phase].routines), phases[phase].routines);
			if (calls % 32 == 0)
				assert_true(history_is_valid(run.history[depth], run.length[depth]));
		}
	}
}

/* However deep the recursion, a history has one mark for each routine and at most two entries between marks. */
static void test_deep(void **state)
{
	history_entry s[MOST_ENTRIES];
	struct run run = { .dice = 7 };
	size_t n = 0;

	(void)state;
	for (size_t calls = 0; calls < 1000000; calls++) {
		n = history_next(s, n, roll(&run, MOST_ROUTINES));
		assert_true(n <= 3 * MOST_ROUTINES);
	}
	assert_true(history_is_valid(s, n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paper), cmocka_unit_test(test_deletions), cmocka_unit_test(test_valid),
		cmocka_unit_test(test_hash), cmocka_unit_test(test_random), cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
