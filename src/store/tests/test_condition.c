/* test_condition.c - conditions as SQL: what is read, what is refused and where, and that values stay values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "store/condition.h"
#include "store/quoting.h"
#include "store/tuples.h"

enum { NOW = 1793577600 };		/* 2026-11-02 00:00:00 */

static void is_read(const char *text, const char *sql)
{
	struct error err = { 0 };
	char *made = condition_sql(text, NOW, &err);

	if (!made)
		print_message("%s: %s\n", text, err.text);
	assert_non_null(made);
	assert_string_equal(made, sql);
	free(made);
}

static void comparisons(void **state)
{
	(void)state;
	is_read("service = web", "service = 'web'");
	is_read("service=web AND host!='db 1'and version == 1.2-rc", "service = 'web' AND host != 'db 1' AND version = '1.2-rc'");
	is_read("  program = \"a\"\n And\tclock = cpu-stacks ", "program = 'a' AND clock = 'cpu-stacks'");
	is_read("label.zone = eu", "labels.value[indexOf(labels.key, 'zone')] = 'eu'");
	is_read("label.a.b-c_1 != ''", "labels.value[indexOf(labels.key, 'a.b-c_1')] != ''");
	is_read("service = AND AND host = and", "service = 'AND' AND host = 'and'");
	is_read("service = android", "service = 'android'");
}

static void times(void **state)
{
	(void)state;
	is_read("time > 2026-11-01", "time > toDateTime(1793491200)");
	is_read("time>=2026-11-01T12:30 AND time<'2026-11-01 12:30:59'", "time >= toDateTime(1793536200) AND time < toDateTime(1793536259)");
	is_read("time <= 2026-11-01T12:30:00Z", "time <= toDateTime(1793536200)");
	is_read("time != @1700000000", "time != toDateTime(1700000000)");
	is_read("time < now", "time < toDateTime(1793577600)");
	is_read("time > now-90s AND time > NOW-15m AND time > now-2h AND time > now-7d AND time > now-4w",
		"time > toDateTime(1793577510) AND time > toDateTime(1793576700) AND time > toDateTime(1793570400) AND time > toDateTime(1792972800) AND time > toDateTime(1791158400)");
	is_read("time > 2024-02-29", "time > toDateTime(1709164800)");
	is_read("time < @4294967295", "time < toDateTime(4294967295)");
}

static void values_are_quoted(void **state)
{
	(void)state;
	is_read("service = 'it''s'", "service = 'it\\'s'");
	is_read("service = \"say \"\"so\"\"\"", "service = 'say \"so\"'");
	is_read("host = a\\", "host = 'a\\\\'");
	is_read("host = '\\'' OR 1 = 1 --'", "host = '\\\\\\' OR 1 = 1 --'");
	is_read("host = 'a\nb\x7f'", "host = 'a\\x0ab\\x7f'");
	is_read("host = z\xc3\xbcrich;", "host = 'z\xc3\xbcrich;'");
}

static void is_refused(const char *text, unsigned column, const char *why)
{
	struct error err = { 0 };
	char where[40];

	assert_null(condition_sql(text, NOW, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	snprintf(where, sizeof where, "condition, column %u: ", column);
	if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, why))
		fail_msg("%s: %s", text, err.text);
	assert_null(strchr(err.text, '\n'));
}

static void refusals(void **state)
{
	(void)state;
	is_refused("", 1, "it ends where there should be a field");
	is_refused("servce = a", 1, "no such field");
	is_refused("label = a", 1, "no such field");
	is_refused("label. = a", 1, "no such field");
	is_refused("label.a'b = a", 8, "should be an operator");
	is_refused("label.(x) = a", 7, "should be an operator");
	is_refused("'service' = a", 1, "here should be a field");
	is_refused("service", 8, "it ends where there should be an operator");
	is_refused("service web", 9, "should be an operator");
	is_refused("service ! web", 9, "should be an operator");
	is_refused("service =", 10, "it ends where there should be a value");
	is_refused("service = = b", 11, "here should be a value");
	is_refused("service = a b", 13, "here should be AND");
	is_refused("service = a AND", 16, "it ends where there should be a field");
	is_refused("service = a ANDhost = b", 13, "here should be AND");
	is_refused("service = a OR host = b", 13, "here should be AND");
	is_refused("service = a; DROP TABLE t", 14, "here should be AND");
	is_refused("service = 'a", 11, "not closed");
	is_refused("service = 'a''", 11, "not closed");
	is_refused("service > a", 9, "only times");
	is_refused("label.x <= a", 9, "only times");
	is_refused("time > yesterday", 8, "no time");
	is_refused("time > 2026-13-01", 8, "no time");
	is_refused("time > 2026-02-29", 8, "no time");
	is_refused("time > 2026-11-01T25:00", 8, "no time");
	is_refused("time > 2026-11-01x", 8, "no time");
	is_refused("time > now-", 8, "no time");
	is_refused("time > now-2y", 8, "no time");
	is_refused("time > now-99999999999s", 8, "no time");
	is_refused("time > @4294967296", 8, "no time");
	is_refused("time > 1969-12-31", 8, "no time");
	is_refused("time > '0); --'", 8, "no time");
}

static void labels(void **state)
{
	(void)state;
	assert_true(condition_is_label("zone"));
	assert_true(condition_is_label("a.b_c-9"));
	assert_false(condition_is_label(""));
	assert_false(condition_is_label("9a"));
	assert_false(condition_is_label("a b"));
	assert_false(condition_is_label("a'b"));
}

static void tuples_both_ways(void **state)
{
	struct tuples t = { 0 };
	struct tuples_reader r;
	char text[300];
	const char *back;
	size_t len;

	(void)state;
	memset(text, 'x', sizeof text);
	tuples_byte(&t, 7);
	tuples_u32(&t, 0x01020304);
	tuples_u64(&t, UINT64_MAX - 1);
	tuples_string(&t, text, sizeof text);
	tuples_text(&t, NULL);
	tuples_length(&t, 1);
	tuples_u64(&t, 5);
	assert_false(t.failed);
	assert_int_equal(t.data[1], 4);			/* little-endian */
	r = (struct tuples_reader){ .data = t.data, .len = t.len };
	assert_int_equal(tuples_read_byte(&r), 7);
	assert_int_equal(tuples_read_u32(&r), 0x01020304);
	assert_true(tuples_read_u64(&r) == UINT64_MAX - 1);
	back = tuples_read_string(&r, &len);
	assert_int_equal(len, sizeof text);
	assert_memory_equal(back, text, len);
	tuples_read_string(&r, &len);
	assert_int_equal(len, 0);
	assert_int_equal(tuples_read_length(&r), 1);
	assert_int_equal(tuples_read_u64(&r), 5);
	assert_false(tuples_more(&r) || r.bad);
	for (size_t cut = 0; cut < t.len; cut++) {
		r = (struct tuples_reader){ .data = t.data, .len = cut };
		tuples_read_byte(&r);
		tuples_read_u32(&r);
		tuples_read_u64(&r);
		tuples_read_string(&r, &len);
		tuples_read_string(&r, &len);
		tuples_read_length(&r);
		tuples_read_u64(&r);
		assert_true(r.bad && !tuples_more(&r));
	}
	tuples_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons), cmocka_unit_test(times), cmocka_unit_test(values_are_quoted), cmocka_unit_test(refusals), cmocka_unit_test(labels),
		cmocka_unit_test(tuples_both_ways),
	};

	return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
