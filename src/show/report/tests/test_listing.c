/* test_listing.c - the two listings against what GNU gprof prints, and their columns under large numbers.
 *
 * The graph is made by hand: main calls dear, dear calls spin twice and spin calls itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/print.h"
#include "show/report/report.h"

enum { MAIN, DEAR, SPIN, ROUTINES };
enum { MAIN_DEAR, DEAR_SPIN, SPONTANEOUS, ARCS };

static struct graph_routine routines[ROUTINES];
static struct graph_arc arcs[ARCS];
static uint32_t in_arcs[ARCS] = { SPONTANEOUS, MAIN_DEAR, DEAR_SPIN };
static char label[] = "amon.out";
static struct profile_run run = { .label = label };
static struct profile profile = { .runs = &run, .nruns = 1 };
static struct graph_context root = { .parent = GRAPH_NONE, .routine = GRAPH_NONE, .kept = true, .live = true };
static struct graph graph;
static const struct report_options brief = { .style = { .brief = true } };
static const struct report_options traditional = { .style = { .brief = true }, .gprof = { .traditional = true } };

static void routine_set(uint32_t r, const char *name, uint64_t calls, uint64_t self, uint64_t total)
{
	routines[r] = (struct graph_routine){ .name = { .name = name, .key = name }, .calls = calls, .self = self, .total = total,
		.first_in = r, .nin = 1, .first_out = r, .nout = r < SPIN };
}

/* Times in seconds, so that gprof's two decimals are enough. */
static void graph_set(uint64_t seconds, uint64_t calls, uint64_t recursive, const char *name)
{
	uint64_t ns = seconds * 1000000000u;

	routine_set(MAIN, "main", 1, 0, ns);
	routine_set(DEAR, "dear", 1, 0, ns);
	routine_set(SPIN, name, calls, ns, ns);
	routines[SPIN].recursive = recursive;
	arcs[MAIN_DEAR] = (struct graph_arc){ .from = MAIN, .to = DEAR, .calls = 1, .child1 = ns, .child2 = ns };
	arcs[DEAR_SPIN] = (struct graph_arc){ .from = DEAR, .to = SPIN, .calls = calls, .self1 = ns, .self2 = ns };
	arcs[SPONTANEOUS] = (struct graph_arc){ .from = GRAPH_NONE, .to = MAIN, .calls = 1, .child2 = ns };
	graph = (struct graph){ .counted = true, .profile = &profile, .routines = routines, .nroutines = ROUTINES, .arcs = arcs, .narcs = ARCS,
		.in_arcs = in_arcs, .contexts = &root, .ncontexts = 1, .time = ns };
}

static char *print(const char *name, const struct report_options *options)
{
	struct report_input in = { .graph = &graph, .never_known = true };
	struct error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_true(report_print(report_table, &name, 1, &in, options, out, &err));
	fclose(out);
	return text;
}

/* With --traditional what gprof 2.40 prints for such a program, but for the calls and averages of main, which it does not know. */
static void test_flat_is_gprofs(void **state)
{
	char *text;

	(void)state;
	graph_set(24, 2, 0, "spin");
	text = print("flat", &traditional);
	assert_string_equal(text,
		"Flat profile:\n\n"
		"  %   cumulative   self              self     total           \n"
		" time   seconds   seconds    calls   s/call   s/call  name    \n"
		"100.00     24.00    24.00        2    12.00    12.00  spin\n"
		"  0.00     24.00     0.00        1     0.00    24.00  dear\n"
		"  0.00     24.00     0.00        1     0.00    24.00  main\n");
	free(text);
}

static void test_flat_has_units(void **state)
{
	char *text;

	(void)state;
	graph_set(24, 10000000000, 0, "spin");
	text = print("flat", &brief);
	assert_string_equal(text,
		"Flat profile:\n\n"
		"  %   cumulative   self                  self     total           \n"
		" time      time     time         calls    /call    /call  name    \n"
		"100.00   24.0 s   24.0 s   10000000000  2.40 ns  2.40 ns  spin\n"
		"  0.00   24.0 s      0               1     0     24.0 s   dear\n"
		"  0.00   24.0 s      0               1     0     24.0 s   main\n");
	free(text);
}

/* A routine whose beginning was inlined is marked, and the mark is explained where it stands. */
static void test_parts_are_explained(void **state)
{
	const struct report_options whole = { 0 };
	char *text;

	(void)state;
	graph_set(24, 2, 0, "spin");
	text = print("flat", &whole);
	assert_null(strstr(text, "<part>"));
	free(text);
	routines[SPIN].partly = true;
	text = print("flat", &whole);
	assert_non_null(strstr(text, "100.00   24.0 s   24.0 s         2  12.0 s   12.0 s   spin <part>\n"));
	assert_non_null(strstr(text, "\n <part>      its beginning was inlined"));
	free(text);
	text = print("flat", &brief);
	assert_null(strstr(text, "<part>      "));
	free(text);
}

static void test_callgraph_is_gprofs(void **state)
{
	char *text;

	(void)state;
	graph_set(24, 2, 2000, "spin");
	text = print("callgraph", &traditional);
	assert_string_equal(text,
		"\t\t     Call graph\n\n\n"
		"index % time    self  children    called     name\n"
		"                                2000             spin [1]\n"
		"               24.00    0.00       2/2           dear [2]\n"
		"[1]    100.0   24.00    0.00       2+2000    spin [1]\n"
		"                                2000             spin [1]\n"
		"-----------------------------------------------\n"
		"                0.00   24.00       1/1           main [3]\n"
		"[2]    100.0    0.00   24.00       1         dear [2]\n"
		"               24.00    0.00       2/2           spin [1]\n"
		"-----------------------------------------------\n"
		"                                                 <spontaneous>\n"
		"[3]    100.0    0.00   24.00       1         main [3]\n"
		"                0.00   24.00       1/1           dear [2]\n"
		"-----------------------------------------------\n");
	free(text);
}

static void test_callgraph_has_units(void **state)
{
	char *text;

	(void)state;
	graph_set(24, 2, 0, "spin");
	arcs[MAIN_DEAR].child2 = 29000000;
	text = print("callgraph", &brief);
	assert_string_equal(text,
		"\t\t     Call graph\n\n\n"
		"index % time     self children     called     name\n"
		"              24.0 s      0          2/2           dear [2]\n"
		"[1]    100.0  24.0 s      0          2         spin [1]\n"
		"-----------------------------------------------\n"
		"                 0     29.0 ms       1/1           main [3]\n"
		"[2]    100.0     0     24.0 s        1         dear [2]\n"
		"              24.0 s      0          2/2           spin [1]\n"
		"-----------------------------------------------\n"
		"                                                   <spontaneous>\n"
		"[3]    100.0     0     24.0 s        1         main [3]\n"
		"                 0     24.0 s        1/1           dear [2]\n"
		"-----------------------------------------------\n");
	free(text);
}

/* Two runs of a program, the second a thousand times as long: every line has its columns where it had them. */
static void test_columns_do_not_shift(void **state)
{
	static const char *const reports[] = { "flat", "callgraph" };

	(void)state;
	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
		char *fast, *slow;

		graph_set(1, 2, 0, "spin");
		slow = print(reports[i], &brief);
		graph.time = routines[SPIN].self = routines[SPIN].total = routines[DEAR].total = routines[MAIN].total = 1234567;
		fast = print(reports[i], &brief);
		for (const char *a = fast, *b = slow; *a; a += strcspn(a, "\n") + 1, b += strcspn(b, "\n") + 1)
			assert_int_equal(strcspn(a, "\n"), strcspn(b, "\n"));
		free(fast);
		free(slow);
	}
}

static void test_index_is_gprofs(void **state)
{
	char *text;

	(void)state;
	graph_set(24, 2, 0, "spin");
	text = print("index", &brief);
	assert_string_equal(text, "Index by function name\n\n"
		"   [2] dear                    [3] main                    [1] spin\n");
	free(text);
}

/* Column of the first C in the line that holds WORD. */
static long column(const char *text, const char *word, char c)
{
	const char *at = strstr(text, word), *line = at;

	assert_non_null(at);
	while (line > text && line[-1] != '\n')
		line--;
	at = memchr(line, c, strcspn(line, "\n"));
	assert_non_null(at);
	return at - line;
}

static void test_large_numbers_keep_columns(void **state)
{
	char *text;

	(void)state;
	graph_set(123456789, 987654321012345, 55555555555, "a::very<long, name, of, a, template>::instance(with, arguments)");
	text = print("callgraph", &brief);
	assert_int_equal(column(text, "987654321012345/", '/'), column(text, "1/1 ", '/'));
	assert_int_equal(column(text, "987654321012345+", '+'), column(text, "987654321012345/", '/'));
	assert_int_equal(column(text, "main [3]\n[2]", 'm'), column(text, "<spontaneous>", '<'));
	free(text);
	text = print("flat", &brief);
	assert_int_equal(column(text, " a::very", 'a'), column(text, "  dear", 'd'));
	free(text);
}

static void test_hostile_names_are_escaped(void **state)
{
	static const char *const reports[] = { "flat", "callgraph", "index" };

	(void)state;
	graph_set(1, 2, 0, "\033[31m<script>\n");
	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
		char *text = print(reports[i], &brief);

		assert_null(strchr(text, '\033'));
		assert_non_null(strstr(text, "\\x1b[31m<script>\\x0a"));
		free(text);
	}
}

static void test_long_names_are_short_on_a_terminal(void **state)
{
	static const struct { const char *name, *shown; } cases[] = {
		{ "void std::sort<std::vector<int>, less>(std::vector<int>, less<int>)", "std::sort" },
		{ "app::Matrix<double, 3>::operator<(app::Matrix<double, 3> const&) const", "app::Matrix::operator<" },
		{ "app::Callable_of_some_kind::operator()(int, int, int, int) const", "...::operator()" },
		{ "a_plain_name_that_is_longer_than_any_line_of_the_terminal_can_be", "a_plain_name_that_is_lo..." },
		{ "unbalanced_that_is_long_enough_to_be_shortened<a, b, c", "unbalanced_that_is_long..." },
		{ "short<int>", "short" },
	};
	struct report_options terminal = { .style = { .brief = true, .width = 80 } }, wide = { .style = { .brief = true, .width = 80, .wide = true } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text, line[256];

		graph_set(1, 2, 0, cases[i].name);
		snprintf(line, sizeof line, "  %s\n", cases[i].shown);
		text = print("flat", &terminal);
		assert_non_null(strstr(text, line));
		free(text);
		snprintf(line, sizeof line, "  %s\n", cases[i].name);
		text = print("flat", &brief);
		assert_non_null(strstr(text, line));
		free(text);
		text = print("flat", &wide);
		assert_non_null(strstr(text, line));
		free(text);
	}
}

static size_t longest_line(const char *text)
{
	size_t most = 0;

	for (size_t n; *text; text += n + (text[n] != '\0')) {
		n = strcspn(text, "\n");
		most = n > most ? n : most;
	}
	return most;
}

/* No line with a name is longer than the terminal, and the names take the room that there is. */
static void test_lines_fit_the_terminal(void **state)
{
	static const char *const reports[] = { "flat", "callgraph", "index" };
	static const char name[] = "company::storage::Table<std::string, std::vector<int> >::insert_or_update_without_rehash(std::string const&)";

	(void)state;
	graph_set(24, 2, 1, name);
	for (int width = 84; width < 200; width++)
		for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
			struct report_options options = { .style = { .brief = true, .width = width } };
			char *text = print(reports[i], &options);

			assert_true(longest_line(text) <= (size_t)width);
			if (width >= 190)
				assert_non_null(strstr(text, "company::storage::Table::insert_or_update_without_rehash"));
			free(text);
		}
}

static void test_short_runs_have_digits(void **state)
{
	char *text;

	(void)state;
	graph_set(1, 2, 0, "spin");
	graph.time = routines[SPIN].self = routines[SPIN].total = routines[DEAR].total = routines[MAIN].total = 1234;	/* ns */
	text = print("flat", &brief);
	assert_non_null(strstr(text, "100.00   1.23 us  1.23 us        2   617 ns   617 ns  spin\n"));
	free(text);
	text = print("flat", &traditional);
	assert_non_null(strstr(text, "100.00 0.000001234 0.000001234        2     0.62     0.62  spin\n"));
	free(text);
}

static void test_nothing_called(void **state)
{
	char *text;

	(void)state;
	graph = (struct graph){ .profile = &profile };
	text = print("flat", &brief);
	assert_string_equal(text, "Flat profile:\n\n no time accumulated\n\nNo routine was called.\n");
	free(text);
}

static void test_every_report_is_in_the_table(void **state)
{
	(void)state;
	for (const struct report *r = report_table; r->name; r++)
		assert_ptr_equal(report_find(report_table, r->name), r);
	assert_null(report_find(report_table, "nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat_is_gprofs), cmocka_unit_test(test_flat_has_units), cmocka_unit_test(test_callgraph_has_units),
		cmocka_unit_test(test_columns_do_not_shift), cmocka_unit_test(test_parts_are_explained),
		cmocka_unit_test(test_callgraph_is_gprofs),
		cmocka_unit_test(test_index_is_gprofs), cmocka_unit_test(test_large_numbers_keep_columns),
		cmocka_unit_test(test_hostile_names_are_escaped), cmocka_unit_test(test_short_runs_have_digits),
		cmocka_unit_test(test_every_report_is_in_the_table),
		cmocka_unit_test(test_nothing_called), cmocka_unit_test(test_long_names_are_short_on_a_terminal),
		cmocka_unit_test(test_lines_fit_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
