/* graph_test.c - small programs whose graphs can be worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "understand/graph/tests/made.h"

#define COUNT(a) (sizeof (a) / sizeof *(a))

static void assert_arc(const struct graph *g, const char *from, const char *to, uint64_t calls,
		       uint64_t self1, uint64_t child1, uint64_t self2, uint64_t child2)
{
	const struct graph_arc *arc = arc_between(g, from, to);

	assert_int_equal(arc->calls, calls);
	assert_int_equal(arc->self1, self1);
	assert_int_equal(arc->child1, child1);
	assert_int_equal(arc->self2, self2);
	assert_int_equal(arc->child2, child2);
}

static void assert_routine(const struct graph *g, const char *name, uint64_t calls, uint64_t recursive,
			   uint64_t self, uint64_t total)
{
	const struct graph_routine *r = g->routines + named(g, name);

	assert_int_equal(r->calls, calls);
	assert_int_equal(r->recursive, recursive);
	assert_int_equal(r->self, self);
	assert_int_equal(r->total, total);
}

/* Main calls cheap once and dear once; both call work once, which takes 1 ns for one and 99 for the other. gprof says 50/50. */
static void test_cheap_and_dear(void **state)
{
	static const char *const names[] = { "Main", "cheap", "dear", "work" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main cheap work", 1);
	made_play(m, "Main dear work", 99);
	g = made_graph(m, NULL);
	assert_arc(g, "cheap", "work", 1, 1, 0, 1, 0);
	assert_arc(g, "dear", "work", 1, 99, 0, 99, 0);
	assert_arc(g, "Main", "dear", 1, 0, 99, 0, 99);
	assert_arc(g, NULL, "Main", 2, 0, 100, 0, 100);
	assert_routine(g, "work", 2, 0, 100, 100);
	assert_routine(g, "Main", 2, 0, 0, 100);
	assert_int_equal(g->time, 100);
	assert_int_equal(g->calls, 6);
	graph_free(g);
	made_free(m);
}

/* The paper's program: Main -> (P -> Q -> R)^2 -> P -> S, 1 ns in each context, powers of two to tell them apart. */
static struct made *paper(void)
{
	static const char *const names[] = { "Main", "P", "Q", "R", "S" };
	struct made *m = made_new(names, COUNT(names));

	made_play(m, "Main P Q R P Q R P S", 256);
	made_spend_in(m, "Main", 1);
	made_spend_in(m, "Main P", 2);
	made_spend_in(m, "Main P Q", 4);
	made_spend_in(m, "Main P Q R", 8);
	made_spend_in(m, "Main P Q R P", 16);
	made_spend_in(m, "Main P Q R P Q", 32);
	made_spend_in(m, "Main P Q R P Q R", 64);
	made_spend_in(m, "Main P Q R P S", 128);
	return m;
}

static void test_paper(void **state)
{
	struct made *m = paper();
	struct graph *g = made_graph(m, NULL);

	(void)state;
	/* In Figure 2 C6 called P again gives C4, where S is called: its contexts are one. */
	assert_int_equal(g->ncontexts, 1 + 8);
	assert_string_equal(history_words(g, 5), "Main P' Q R P");
	assert_string_equal(history_words(g, 6), "Main P' Q' R P Q");
	assert_string_equal(history_words(g, 7), "Main P' R' P Q R");
	assert_string_equal(history_words(g, 8), "Main P' Q R P S");
	assert_routine(g, "Main", 1, 0, 1, 511);
	assert_routine(g, "P", 3, 0, 2 + 16, 510);
	assert_routine(g, "Q", 2, 0, 4 + 32, 508);
	assert_routine(g, "R", 2, 0, 8 + 64, 504);
	assert_routine(g, "S", 1, 0, 384, 384);
	/* Incoming, all that ran while Main's was P's most recent activation; outgoing, the same and the whole
	 * recursion below, for Main has no other. */
	assert_arc(g, "Main", "P", 1, 2 + 16, 492, 2, 4 + 8);
	assert_arc(g, "R", "P", 2, 16, 32 + 384, 16, 32 + 64 + 384);
	assert_arc(g, "P", "Q", 2, 4 + 32, 8 + 64, 4 + 32, 8 + 16 + 64 + 384);
	assert_arc(g, "Q", "R", 2, 8 + 64, 16 + 384, 8 + 64, 16 + 32 + 384);
	assert_arc(g, "P", "S", 1, 384, 0, 384, 0);
	assert_true(arc_between(g, "Main", "P")->folded);
	assert_false(arc_between(g, "P", "S")->folded);
	graph_free(g);
	made_free(m);
}

/* Main -> A -> B -> A -> C -> D: the time of D goes to A -> C in the view from A, not to A -> B. */
static void test_most_recent_activation(void **state)
{
	static const char *const names[] = { "Main", "A", "B", "C", "D" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main A B A C D", 10);
	g = made_graph(m, NULL);
	assert_arc(g, "A", "C", 1, 0, 10, 0, 10);
	assert_arc(g, "A", "B", 1, 0, 0, 0, 10);
	assert_arc(g, "B", "A", 1, 0, 10, 0, 10);
	assert_arc(g, "Main", "A", 1, 0, 10, 0, 0);
	assert_arc(g, "C", "D", 1, 10, 0, 10, 0);
	assert_routine(g, "A", 2, 0, 0, 10);
	graph_free(g);
	made_free(m);
}

static void test_direct_recursion(void **state)
{
	static const char *const names[] = { "Main", "fib" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main fib fib fib", 7);
	g = made_graph(m, NULL);
	assert_routine(g, "fib", 1, 2, 7, 7);
	assert_arc(g, "Main", "fib", 1, 7, 0, 7, 0);
	assert_int_equal(g->narcs, 2);
	assert_int_equal(g->ncycles, 0);
	assert_int_equal(g->calls, 4);
	graph_free(g);
	made_free(m);
}

/* even and odd call each other, three deep: the views of an arc differ by what ran below the other's later activation. */
static void test_mutual_recursion(void **state)
{
	static const char *const names[] = { "Main", "even", "odd" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main even odd even", 1);
	made_spend_in(m, "Main even odd", 10);
	made_spend_in(m, "Main even", 100);
	g = made_graph(m, NULL);
	assert_routine(g, "even", 2, 0, 101, 111);
	assert_routine(g, "odd", 1, 0, 10, 11);
	assert_arc(g, "even", "odd", 1, 10, 0, 10, 1);
	assert_arc(g, "odd", "even", 1, 1, 0, 1, 0);
	assert_arc(g, "Main", "even", 1, 100 + 1, 10, 100, 10);
	graph_free(g);
	made_free(m);
}

static void assert_folds(const char *stack, const char *words, uint64_t calls, uint64_t recursive)
{
	static const char *const names[] = { "Main", "P.part.0", "X", "P", "P.constprop.0", "P.cold" };
	struct made *m = made_new(names, COUNT(names));
	uint32_t c = made_play(m, stack, 5);
	struct graph *g = made_graph(m, NULL);

	assert_string_equal(history_words(g, g->context_of[c]), words);
	assert_int_equal(g->nroutines, 3);
	assert_false(g->routines[named(g, "P")].name.part);
	assert_routine(g, "P", calls, recursive, 5, 5);
	graph_free(g);
	made_free(m);
}

/* Clones are the routine.  A piece gives it its time, and calls where another routine entered it. */
static void test_clones_and_parts(void **state)
{
	(void)state;
	assert_folds("Main P X P.part.0", "Main P' X P", 2, 0);
	assert_folds("Main P P.part.0", "Main P", 1, 0);
	assert_folds("Main X P.part.0", "Main X P", 1, 0);
	assert_folds("Main P P.cold", "Main P", 1, 0);
	assert_folds("Main P P.constprop.0", "Main P", 1, 1);
	assert_folds("Main P.constprop.0 P P.constprop.0", "Main P", 1, 2);
	assert_folds("Main P.constprop.0", "Main P", 1, 0);
	assert_folds("Main P X P.constprop.0", "Main P' X P", 2, 0);
	assert_folds("Main P P.part.0 P.part.0", "Main P", 1, 1);
	assert_folds("Main P P.part.0 P P.part.0", "Main P", 1, 1);
	assert_folds("Main P P.part.0 X P P.part.0", "Main P' X P", 2, 0);
}

/* <Main X P> is entered COPIES times by the routine and PIECES times by its piece: calls past an inlined beginning, or jumps from the routine. */
static void assert_larger(uint64_t copies, uint64_t pieces, uint64_t calls)
{
	static const char *const names[] = { "Main", "X", "P", "P.part.0" };
	struct made *m = made_new(names, COUNT(names));
	uint32_t x = made_call(m, made_call(m, 0, 0, 1), 1, 1);
	struct graph *g;

	made_call(m, x, 2, copies);
	made_call(m, x, 3, pieces);
	g = made_graph(m, NULL);
	assert_int_equal(g->routines[named(g, "P")].calls, calls);
	assert_true(g->routines[named(g, "P")].partly);
	graph_free(g);
	made_free(m);
}

static void test_entries_of_pieces(void **state)
{
	(void)state;
	assert_larger(0, 7, 7);
	assert_larger(9, 7, 9);
	assert_larger(5, 7, 7);
	assert_larger(7, 7, 7);
}

/* Contexts that folding made equal are one, and their counters add up. */
static void test_merging(void **state)
{
	static const char *const names[] = { "Main", "P", "P.constprop.0", "X" };
	struct made *m = made_new(names, COUNT(names));
	uint32_t plain = made_play(m, "Main P X", 1), clone = made_play(m, "Main P.constprop.0 X", 10);
	struct graph *g = made_graph(m, NULL);

	(void)state;
	assert_int_equal(g->context_of[plain], g->context_of[clone]);
	assert_int_equal(g->ncontexts, 4);
	assert_int_equal(g->contexts[g->context_of[plain]].time, 11);
	assert_int_equal(g->contexts[g->context_of[plain]].entries, 2);
	assert_arc(g, "P", "X", 2, 11, 0, 11, 0);
	graph_free(g);
	made_free(m);
}

/* <Main A' B' A B X P> is reached by a step that unmarks nothing and by one that does: it is one context. */
static void test_equal_by_two_ways(void **state)
{
	static const char *const names[] = { "Main", "A", "B", "P", "X", "X.constprop.0" };
	struct made *m = made_new(names, COUNT(names));
	uint32_t one = made_play(m, "Main A B A B X P", 1), other = made_play(m, "Main A P B A B X.constprop.0 P", 2);
	struct graph *g = made_graph(m, NULL);

	(void)state;
	assert_string_equal(history_words(g, g->context_of[one]), "Main A' B' A B X P");
	assert_int_equal(g->context_of[one], g->context_of[other]);
	graph_free(g);
	made_free(m);
}

static void test_outside_and_pseudo(void **state)
{
	static const char *const names[] = { "Main", "(elided)", "P" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_spend(m, 0, 3, 0);
	made_play(m, "Main P", 4);
	made_play(m, "(elided) P", 5);
	g = made_graph(m, NULL);
	assert_int_equal(g->outside, 3);
	assert_int_equal(g->outside_ticks, 1);
	assert_int_equal(g->time, 9);
	assert_true(g->routines[named(g, "(elided)")].pseudo);
	assert_false(g->routines[named(g, "P")].pseudo);
	assert_arc(g, "(elided)", "P", 1, 5, 0, 5, 0);
	assert_arc(g, NULL, "(elided)", 1, 0, 5, 0, 5);
	graph_free(g);
	made_free(m);
}

static void test_charged_and_raw(void **state)
{
	static const char *const names[] = { "Main", "P" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *charged, *raw;

	(void)state;
	made_spend(m, made_play(m, "Main", 0), 100, 30);
	made_spend(m, made_play(m, "Main P", 0), 10, 14);
	charged = made_graph(m, NULL);
	assert_routine(charged, "Main", 2, 0, 70, 70);
	assert_routine(charged, "P", 1, 0, 0, 0);
	assert_int_equal(charged->hooks, 40);
	assert_int_equal(charged->hooks_unplaced, 4);
	assert_int_equal(charged->time + charged->outside + charged->hooks, m->p.time);
	raw = made_graph(m, &(struct graph_options){ .raw = true, .thread = GRAPH_NONE });
	assert_routine(raw, "Main", 2, 0, 100, 110);
	assert_int_equal(raw->hooks + raw->hooks_unplaced, 0);
	graph_free(charged);
	graph_free(raw);
	made_free(m);
}

static struct graph *focused(const struct made *m, const char *pattern, struct error *err)
{
	char *patterns[] = { (char *)pattern };

	return graph_build(&m->o, m->names,
		&(struct graph_options){ .focus = patterns, .nfocus = 1, .thread = GRAPH_NONE }, err);
}

/* Which routines of G a word means, as letters from A on; what is wrong else. */
static const char *meaning(const struct graph *g, const char *word, bool pattern)
{
	static char letters[30];
	static struct error err;
	bool named[COUNT(letters)] = { false };
	size_t n = 0;

	if (!graph_match(g, NULL, word, pattern, named, &err))
		return err.text;
	for (uint32_t r = 0; r < g->nroutines; r++)
		if (named[r])
			letters[n++] = (char)('A' + r);
	letters[n] = '\0';
	return letters;
}

static void test_match(void **state)
{
	static const char *const keys[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
	static const struct graph_name names[] = {
		{ .name = "db::Impl::Write(db::Options const&)", .linked = "_ZN2db4Impl5WriteERKNS_7OptionsE", .file = "/src/db/impl.cc", .line = 10 },
		{ .name = "db::Impl::Write(db::Batch*)", .file = "/src/db/impl.cc", .line = 20 },
		{ .name = "db::Log::Write(int)", .file = "/src/db/log.cc", .line = 10 },
		{ .name = "int db::sort<int>(int*)", .file = "/src/db/log.cc" },
		{ .name = "long db::sort<long>(long*)", .aliases = "sort_long=sort_64" },
		{ .name = "Save", .file = "save.c", .line = 3 }, { .name = "save", .file = "/src/b/save.c" }, { .name = "save", .file = "/src/a/other.c" },
		{ .name = "db::Impl::operator[](int)" }, { .name = "Stack.Push" },
	};
	static const struct { const char *word; bool pattern; const char *meaning; } words[] = {
		{ "db::Impl::Write(db::Batch*)", false, "B" },		/* whole */
		{ "_ZN2db4Impl5WriteERKNS_7OptionsE", false, "A" }, { "sort_64", false, "E" }, { "db::sort<int>", false, "D" },
		{ "db::Impl::Write", false, "AB" }, { "save", false, "GH" }, { "Save", false, "F" },
		{ "db::sort", false, "DE" },				/* without template arguments */
		{ "db::Impl::.*", true, "ABI" }, { "db::Impl::operator[]", true, "I" }, { "operator[]", true, "I" },
		{ "impl.cc:Impl::Write", false, "AB" }, { "db/log.cc", false, "CD" }, { "log.cc:", false, "CD" },	/* places */
		{ "impl.cc:20", false, "B" }, { "10", false, "AC" }, { "a/other.c:save", false, "H" }, { "b/save.c", false, "G" },
		{ "log.cc:Write", false, "C" }, { "save.c", false, "FG" },
		{ "Impl::Write", false, "AB" }, { "Log::Write", false, "C" }, { "sort<long>", false, "E" }, { "Push", false, "J" },	/* ends */
		{ "Impl::Write(db::Batch*)", false, "B" },
		{ "::Log", false, "C" }, { "Batch", false, "Batch: no routine and no source file of the profile is called so; `aprof report -p` lists the routines" },
		{ "SAVE", false, "SAVE: 2 names have that in them; say more of the one that is meant:\n  Save\n  save" },	/* case */
		{ "db::sort<..., long>", false, "E" }, { "...::Impl::Write", false, "AB" },	/* as on a terminal */
		{ "LOG::WRITE", false, "C" }, { "stack.push", false, "J" },
		{ "Write", false, "Write: 2 names have that in them; say more of the one that is meant:\n  db::Log::Write\n  db::Impl::Write" },
		{ "(", true, "(: no regular expression: Unmatched ( or \\(" },
		{ "", false, ": no routine and no source file of the profile is called so; `aprof report -p` lists the routines" },
	};
	struct made *m = made_new(keys, COUNT(keys));
	struct graph *g;

	(void)state;
	made_play(m, "a", 10);
	made_play(m, "c", 1000);
	g = made_graph(m, &(struct graph_options){ .thread = GRAPH_NONE });
	for (uint32_t r = 0; r < g->nroutines; r++)
		g->routines[r].name = names[r];
	g->routines[4].brief = "db::sort<..., long>";
	for (size_t i = 0; i < COUNT(words); i++)
		assert_string_equal(meaning(g, words[i].word, words[i].pattern), words[i].meaning);
	graph_free(g);
	made_free(m);
}

/* A tree of what "save" keeps has the calls of Main above it, which no sum has. */
static void assert_above(const struct graph *g)
{
	struct error err;
	struct tree *t = tree_build(g, &(struct tree_options){ .entered = true }, &err);

	assert_non_null(t);
	assert_string_equal(g->routines[t->nodes[1].routine].name.name, "Main");
	assert_int_equal(t->nodes[1].calls, 0);
	assert_int_equal(t->nodes[1].above, 3);
	tree_free(t);
}

static void test_focus(void **state)
{
	static const char *const names[] = { "Main", "save", "load", "write", "saver" };
	struct made *m = made_new(names, COUNT(names));
	struct error err;
	struct graph *g;

	(void)state;
	made_spend(m, 0, 1000, 0);
	made_play(m, "Main save write", 1);
	made_play(m, "Main load write", 10);
	made_play(m, "Main saver load save load", 100);
	g = focused(m, "save", &err);
	assert_non_null(g);
	assert_int_equal(g->time, 101);
	assert_int_equal(g->outside, 0);
	assert_routine(g, "Main", 0, 0, 0, 101);
	assert_routine(g, "write", 1, 0, 1, 1);
	assert_routine(g, "load", 1, 0, 100, 100);
	assert_arc(g, "save", "write", 1, 1, 0, 1, 0);
	assert_false(g->contexts[g->context_of[1]].kept);
	assert_above(g);
	graph_free(g);
	g = focused(m, "s.*r|load", &err);
	assert_int_equal(g->time, 110);
	graph_free(g);
	m->names[1].module = "/lib/keeper.so";
	g = graph_build(&m->o, m->names, &(struct graph_options){ .module = "/lib/keeper.so", .thread = GRAPH_NONE }, &err);
	assert_non_null(g);
	assert_int_equal(g->time, 101);
	assert_int_equal(g->outside, 0);
	assert_routine(g, "write", 1, 0, 1, 1);
	graph_free(g);
	assert_null(focused(m, "sav", &err));
	assert_int_equal(err.code, ERROR_PATTERN);
	assert_string_equal(err.text, "--focus=sav: 2 names have that in them; say more of the one that is meant:\n  save\n  saver");
	assert_null(focused(m, "a)(b", &err));
	assert_null(focused(m, "[", &err));
	assert_int_equal(err.code, ERROR_PATTERN);
	made_free(m);
}

static struct graph *without(const struct made *m, const char *pattern, struct error *err)
{
	char *patterns[] = { (char *)pattern };

	return graph_build(&m->o, m->names, &(struct graph_options){ .hide = patterns, .nhide = 1, .thread = GRAPH_NONE }, err);
}

static void test_hide(void **state)
{
	static const char *const names[] = { "Main", "save", "load", "write" };
	struct made *m = made_new(names, COUNT(names));
	struct error err;
	struct graph *g;

	(void)state;
	made_spend(m, 0, 1000, 0);
	made_play(m, "Main save write", 1);
	made_play(m, "Main save", 10);
	made_play(m, "Main load save load", 100);
	g = without(m, "save", &err);
	assert_non_null(g);
	assert_int_equal(g->nhidden, 1);
	assert_int_equal(g->time, 111);
	assert_int_equal(g->outside, 1000);
	assert_routine(g, "Main", 3, 0, 10, 111);
	assert_routine(g, "write", 1, 0, 1, 1);
	assert_routine(g, "load", 1, 1, 100, 100);	/* by way of save, itself */
	assert_routine(g, "save", 0, 0, 0, 0);
	assert_arc(g, "Main", "write", 1, 1, 0, 1, 0);
	graph_free(g);
	g = without(m, "Main|save|load|write", &err);
	assert_int_equal(g->nhidden, 4);
	assert_int_equal(g->time, 0);
	assert_int_equal(g->outside, 1111);
	assert_int_equal(g->narcs, 0);
	assert_int_equal(g->calls, 0);
	graph_free(g);
	assert_null(without(m, "nobody", &err));
	assert_int_equal(err.code, ERROR_PATTERN);
	assert_memory_equal(err.text, "--hide=nobody: ", 15);
	made_free(m);
}

static void test_thread(void **state)
{
	static const char *const names[] = { "Main", "work" };
	struct made *m = made_new(names, COUNT(names));
	uint32_t c = made_play(m, "Main work", 0);
	struct profile_thread threads[2] = { { .record = { .monitor = 1 } }, { .record = { .monitor = 2, .unplaced = 3 } } };
	struct profile_share shares[] = {
		{ .context = 1, .thread = 0, .entries = 1 },
		{ .context = c, .thread = 0, .entries = 0, .time = 10, .ticks = 1 },
		{ .context = 1, .thread = 1, .calls_out = 1, .time = 2 },
		{ .context = c, .thread = 1, .entries = 1, .recursive = 5, .calls_out = 5, .time = 100, .ticks = 3 },
	};
	struct profile_run run = { 0 };
	struct error err;
	struct graph *g;

	(void)state;
	m->p.runs = &run;
	m->p.nruns = 1;
	m->p.threads = threads;
	m->p.nthreads = 2;
	m->p.shares = shares;
	m->p.nshares = COUNT(shares);
	made_spend(m, c, 110, 44);
	made_spend(m, 1, 2, 3);
	g = made_graph(m, &(struct graph_options){ .thread = 1 });
	assert_routine(g, "work", 1, 5, 100 - 40, 60);
	assert_routine(g, "Main", 0, 0, 0, 60);
	assert_int_equal(g->hooks, 40 + 2);
	assert_int_equal(g->hooks_unplaced, 1);
	assert_int_equal(g->ticks, 3);
	assert_int_equal(g->monitor, 2);
	assert_int_equal(g->unplaced, 3);
	graph_free(g);
	g = made_graph(m, &(struct graph_options){ .thread = 0, .raw = true });
	assert_routine(g, "work", 0, 0, 10, 10);
	graph_free(g);
	m->p.shares += 2;
	m->p.nshares -= 2;
	g = made_graph(m, &(struct graph_options){ .thread = 0 });
	assert_false(g->contexts[1].kept);
	assert_int_equal(g->narcs, 0);
	graph_free(g);
	assert_null(graph_build(&m->o, m->names, &(struct graph_options){ .thread = 2 }, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	made_free(m);
}

/* Cycle I of G in words, as in `P Q .. R`. */
static const char *cycle_words(const struct graph *g, uint32_t i)
{
	static char words[200];
	const struct graph_cycle *c = g->cycles + i;

	words[0] = '\0';
	for (uint32_t k = 0; k < c->length; k++) {
		cycle_entry e = g->cycle_entries[c->first + k];

		strcat(strcat(words, k ? " " : ""), g->routines[cycle_routine(e)].name.name);
		strcat(words, cycle_link_known(e) ? "" : " ..");
	}
	return words;
}

static void test_cycles(void **state)
{
	struct made *m = paper();
	struct graph *g = made_graph(m, NULL);

	(void)state;
	/* P Q R P, Q R P Q and R P Q R are rotations of one, ended by the last three entries of the stack and P again.
	 * In C6, Main P' R' P Q R, the cycle from R' is innermost. */
	assert_int_equal(g->ncycles, 1);
	assert_string_equal(cycle_words(g, 0), "P Q R");
	assert_int_equal(g->cycles[0].calls, 4);
	assert_int_equal(g->cycles[0].time, 16 + 32 + 64 + 384);
	graph_free(g);
	made_free(m);
}

static void test_innermost_cycle(void **state)
{
	static const char *const names[] = { "Main", "A", "B", "C", "D" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;

	(void)state;
	made_play(m, "Main A B A", 1);		/* ends A B */
	made_play(m, "Main A B A C D", 10);	/* within A B */
	made_play(m, "Main A B A C D C", 100);	/* ends C D, within A B */
	made_play(m, "Main D C D", 1000);	/* ends C D, rotated */
	g = made_graph(m, NULL);
	assert_int_equal(g->ncycles, 2);
	assert_string_equal(cycle_words(g, 0), "C D");
	assert_int_equal(g->cycles[0].calls, 2);
	assert_int_equal(g->cycles[0].time, 1100);
	assert_string_equal(cycle_words(g, 1), "A B");
	assert_int_equal(g->cycles[1].calls, 3);
	assert_int_equal(g->cycles[1].time, 11);
	graph_free(g);
	made_free(m);
}

/* When C is entered again, A' P' B' has lost its P: what was called between A and B is not known. */
static void test_unknown_link(void **state)
{
	static const char *const names[] = { "Main", "C", "A", "P", "B" };
	struct made *m = made_new(names, COUNT(names));
	uint32_t c = made_play(m, "Main C A P B P A B C", 1);
	struct graph *g = made_graph(m, NULL);

	(void)state;
	assert_string_equal(history_words(g, g->context_of[c]), "Main C' B' P A B C");
	assert_string_equal(cycle_words(g, 0), "C .. B P A B");
	graph_free(g);
	made_free(m);
}

static const struct tree_node *child(const struct tree *t, const struct graph *g, const struct tree_node *node,
				     const char *name)
{
	for (uint32_t i = 0; i < node->nchildren; i++)
		if (t->nodes[node->first + i].routine == named(g, name))
			return t->nodes + node->first + i;
	return NULL;
}

static void test_top_down(void **state)
{
	struct made *m = paper();
	struct graph *g = made_graph(m, NULL);
	struct tree *t = tree_build(g, &(struct tree_options){ 0 }, NULL);
	const struct tree_node *node = t->nodes, *p;

	(void)state;
	/*  Main - P' - Q - R - P - S    Q' - R - P - Q    .. R' - P - Q - R  (P' .. is P, with its first activation) */
	assert_int_equal(node->total, 511);
	node = child(t, g, node, "Main");
	assert_int_equal(node->self, 1);
	p = child(t, g, node, "P");
	assert_int_equal(p->total, 510);
	assert_int_equal(p->self, 2);
	assert_int_equal(p->calls, 1);
	assert_true(p->folded);
	assert_int_equal(p->nchildren, 3);
	node = child(t, g, p, "R");
	assert_true(node->gap);
	assert_true(node->folded);
	assert_int_equal(node->total, 64);
	assert_int_equal(t->nodes[p->first].total, 4 + 8 + 16 + 384);
	assert_false(t->nodes[p->first].folded);
	assert_int_equal(t->nodes[p->first + 2].total, 32);
	assert_true(t->nodes[p->first + 2].gap);
	tree_free(t);
	t = tree_build(g, &(struct tree_options){ .depth = 2, .min_time = 50 }, NULL);
	assert_int_equal(t->nnodes, 3);
	assert_int_equal(t->nodes[2].rest, 508);
	tree_free(t);
	graph_free(g);
	made_free(m);
}

static void test_bottom_up(void **state)
{
	static const char *const names[] = { "Main", "cheap", "dear", "work" };
	struct made *m = made_new(names, COUNT(names));
	const struct tree_node *node;
	struct graph *g;
	struct tree *t;

	(void)state;
	made_play(m, "Main cheap work", 1);
	made_play(m, "Main dear work", 99);
	made_spend(m, 0, 7, 0);
	g = made_graph(m, NULL);
	t = tree_build(g, &(struct tree_options){ .bottom_up = true }, NULL);
	assert_int_equal(t->nodes[0].total, 107);
	assert_int_equal(t->nodes[0].rest, 7);
	assert_int_equal(t->nodes[0].nchildren, 1);
	node = child(t, g, t->nodes, "work");
	assert_int_equal(node->self, 100);
	assert_int_equal(node->calls, 2);
	assert_int_equal(t->nodes[node->first].total, 99);
	assert_int_equal(t->nodes[node->first].routine, named(g, "dear"));
	assert_int_equal(t->nnodes, 6);
	tree_free(t);
	t = tree_build(g, &(struct tree_options){ .bottom_up = true, .min_time = 50 }, NULL);
	assert_int_equal(t->nnodes, 4);
	assert_int_equal(t->nodes[1].rest, 1);
	tree_free(t);
	graph_free(g);
	made_free(m);
}

/* A run of clock none: calls alone. */
static void test_without_time(void **state)
{
	static const char *const names[] = { "Main", "P" };
	struct made *m = made_new(names, COUNT(names));
	struct graph *g;
	struct tree *t;

	(void)state;
	made_play(m, "Main P", 0);
	g = made_graph(m, NULL);
	t = tree_build(g, &(struct tree_options){ .bottom_up = true }, NULL);
	assert_int_equal(t->nodes[0].nchildren, 2);
	assert_int_equal(child(t, g, t->nodes, "P")->calls, 1);
	tree_free(t);
	graph_free(g);
	made_free(m);
}

static void test_empty(void **state)
{
	struct made *m = made_new(NULL, 0);
	struct graph *g = made_graph(m, NULL);
	struct tree *t = tree_build(g, &(struct tree_options){ 0 }, NULL);

	(void)state;
	assert_int_equal(g->narcs + g->nroutines + g->ncycles, 0);
	assert_int_equal(t->nnodes, 1);
	tree_free(t);
	graph_free(g);
	made_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cheap_and_dear),
		cmocka_unit_test(test_paper),
		cmocka_unit_test(test_most_recent_activation),
		cmocka_unit_test(test_direct_recursion),
		cmocka_unit_test(test_mutual_recursion),
		cmocka_unit_test(test_clones_and_parts),
		cmocka_unit_test(test_entries_of_pieces),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_equal_by_two_ways),
		cmocka_unit_test(test_outside_and_pseudo),
		cmocka_unit_test(test_charged_and_raw),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_focus),
		cmocka_unit_test(test_hide),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_innermost_cycle),
		cmocka_unit_test(test_unknown_link),
		cmocka_unit_test(test_top_down),
		cmocka_unit_test(test_bottom_up),
		cmocka_unit_test(test_without_time),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
