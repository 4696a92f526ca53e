/* compared.c - two sets of runs side by side, as tables: what understand/compare finds, a row for each routine, arc and context that some run has. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "public/failure.h"
#include "public/opened.h"

#define COUNT(rules) (sizeof (rules) / sizeof *(rules))

enum { COMPARED_TABLES = 5 };

struct aprof_comparison {
	pthread_mutex_t lock;		/* held while a table is made */
	struct comparison comparison;
	struct heard heard;
	struct aprof_table *tables[COMPARED_TABLES];
};

/* ---- what all items have ---- */

enum { I_BASE, I_NEW, I_CHANGE, I_ERROR, I_CHANCE, I_NEWS, I_TOTAL_BASE, I_TOTAL_NEW, I_TOTAL_CHANGE, I_TOTAL_ERROR, I_TOTAL_CHANCE, I_TOTAL_NEWS,
	I_CALLS_BASE, I_CALLS_NEW, I_CALLS_NEWS, ITEM_COLUMNS };

#define ITEM_RULES(at) \
	[at + I_BASE] = { "base", APROF_REAL, COLUMN_VALUE, NULL, "spent in itself in a base run, the mean; of an arc in the callee itself", false }, \
	[at + I_NEW] = { "new", APROF_REAL, COLUMN_VALUE, NULL, "the same in a new run", false }, \
	[at + I_CHANGE] = { "change", APROF_REAL, COLUMN_VALUE, NULL, "new less base", false }, \
	[at + I_ERROR] = { "error", APROF_REAL, COLUMN_VALUE, NULL, "standard error of the change; NaN: not known", false }, \
	[at + I_CHANCE] = { "chance", APROF_REAL, NULL, NULL, "of so large a change by noise, corrected for all rows; NaN: not known", false }, \
	[at + I_NEWS] = { "news", APROF_FLAG, NULL, NULL, "it is a change beyond noise", false }, \
	[at + I_TOTAL_BASE] = { "total_base", APROF_REAL, COLUMN_VALUE, NULL, "spent in it and in what it called, in a base run", false }, \
	[at + I_TOTAL_NEW] = { "total_new", APROF_REAL, COLUMN_VALUE, NULL, "the same in a new run", false }, \
	[at + I_TOTAL_CHANGE] = { "total_change", APROF_REAL, COLUMN_VALUE, NULL, "total_new less total_base", false }, \
	[at + I_TOTAL_ERROR] = { "total_error", APROF_REAL, COLUMN_VALUE, NULL, "standard error of that", false }, \
	[at + I_TOTAL_CHANCE] = { "total_chance", APROF_REAL, NULL, NULL, "of so large a change by noise", false }, \
	[at + I_TOTAL_NEWS] = { "total_news", APROF_FLAG, NULL, NULL, "it is a change beyond noise", false }, \
	[at + I_CALLS_BASE] = { "calls_base", APROF_REAL, "calls", NULL, "calls in a base run, the mean; NaN: not counted", false }, \
	[at + I_CALLS_NEW] = { "calls_new", APROF_REAL, "calls", NULL, "the same in a new run", false }, \
	[at + I_CALLS_NEWS] = { "calls_news", APROF_FLAG, NULL, NULL, "they changed by more than they vary by themselves", false }

static void time_fill(struct aprof_table *t, size_t at, size_t row, const struct comparison_item *item, enum comparison_time time)
{
	size_t to = at + (time == COMPARISON_SELF ? I_BASE : I_TOTAL_BASE);

	column_real(t, to, row, item->sides[time].base);
	column_real(t, to + 1, row, item->sides[time].fresh);
	column_real(t, to + 2, row, item->change[time].change);
	column_real(t, to + 3, row, item->change[time].error);
	column_real(t, to + 4, row, item->chance[time]);
	column_flag(t, to + 5, row, item->news[time]);
}

static void item_fill(struct aprof_table *t, size_t at, size_t row, const struct comparison *c, const struct comparison_item *item)
{
	time_fill(t, at, row, item, COMPARISON_SELF);
	time_fill(t, at, row, item, COMPARISON_TOTAL);
	if (!c->runs[0].counted)
		return;
	column_real(t, at + I_CALLS_BASE, row, item->calls.base);
	column_real(t, at + I_CALLS_NEW, row, item->calls.fresh);
	column_flag(t, at + I_CALLS_NEWS, row, item->calls_news);
}

/* An index of an item, as users get it. */
static uint32_t item_row(uint32_t item) { return item == GRAPH_NONE ? APROF_NONE : item; }

/* ---- the tables ---- */

typedef struct aprof_table *compared_make(struct aprof_comparison *c, struct error *err);

enum { R_NAME, R_MODULE, R_FILE, R_SAME_CODE, R_CODE_KNOWN, R_ITEM };

static const struct column_rule routine_rules[] = {
	[R_NAME] = { "name", APROF_TEXT, NULL, NULL, "the routine, as the programmer wrote it", false },
	[R_MODULE] = { "module", APROF_TEXT, NULL, NULL, "path of the program or library that it is in", false },
	[R_FILE] = { "file", APROF_TEXT, NULL, NULL, "source file", false },
	[R_SAME_CODE] = { "same_code", APROF_FLAG, NULL, NULL, "its machine code is the same on both sides", false },
	[R_CODE_KNOWN] = { "code_known", APROF_FLAG, NULL, NULL, "it is known whether it is", false },
	ITEM_RULES(R_ITEM),
};

static struct aprof_table *compared_routines(struct aprof_comparison *c, struct error *err)
{
	const struct comparison_items *items = &c->comparison.kinds[COMPARISON_ROUTINES];
	struct aprof_table *t = columns_make("routines", routine_rules, COUNT(routine_rules), items->n, comparison_unit(&c->comparison), err);

	for (uint32_t i = 0; t && i < items->n; i++) {
		const struct comparison_item *item = &items->items[i];

		column_text(t, R_NAME, i, item->name);
		column_text(t, R_MODULE, i, item->module);
		column_text(t, R_FILE, i, item->file);
		column_flag(t, R_SAME_CODE, i, item->code == COMPARISON_CODE_SAME);
		column_flag(t, R_CODE_KNOWN, i, item->code != COMPARISON_CODE_UNKNOWN);
		item_fill(t, R_ITEM, i, &c->comparison, item);
	}
	return t;
}

enum { A_CALLER, A_CALLEE, A_ITEM };

static const struct column_rule arc_rules[] = {
	[A_CALLER] = { "caller", APROF_INDEX, NULL, "routines", "who calls; none: nobody is known to have called it", false },
	[A_CALLEE] = { "callee", APROF_INDEX, NULL, "routines", "who is called", false },
	ITEM_RULES(A_ITEM),
};

static struct aprof_table *compared_arcs(struct aprof_comparison *c, struct error *err)
{
	const struct comparison_items *items = &c->comparison.kinds[COMPARISON_ARCS];
	struct aprof_table *t = columns_make("arcs", arc_rules, COUNT(arc_rules), items->n, comparison_unit(&c->comparison), err);

	for (uint32_t i = 0; t && i < items->n; i++) {
		column_index(t, A_CALLER, i, item_row(items->items[i].from));
		column_index(t, A_CALLEE, i, item_row(items->items[i].to));
		item_fill(t, A_ITEM, i, &c->comparison, &items->items[i]);
	}
	return t;
}

enum { C_PARENT, C_ROUTINE, C_GAP, C_FOLDED, C_ITEM };

static const struct column_rule context_rules[] = {
	[C_PARENT] = { "parent", APROF_INDEX, NULL, "contexts", "the context with one entry less, which stands before it; none at the root", false },
	[C_ROUTINE] = { "routine", APROF_INDEX, NULL, "routines", "the routine that it adds; none at the root", false },
	[C_GAP] = { "gap", APROF_FLAG, NULL, NULL, "calls were squeezed out before its last entry", false },
	[C_FOLDED] = { "folded", APROF_FLAG, NULL, NULL, "recursion was folded there: the routine is active again further down", false },
	ITEM_RULES(C_ITEM),
};

static struct aprof_table *compared_contexts(struct aprof_comparison *c, struct error *err)
{
	const struct comparison_items *items = &c->comparison.kinds[COMPARISON_CONTEXTS];
	struct aprof_table *t = columns_make("contexts", context_rules, COUNT(context_rules), items->n, comparison_unit(&c->comparison), err);

	for (uint32_t i = 0; t && i < items->n; i++) {
		const struct comparison_item *item = &items->items[i];

		column_index(t, C_PARENT, i, i ? item_row(item->from) : APROF_NONE);
		column_index(t, C_ROUTINE, i, item_row(item->to));
		column_flag(t, C_GAP, i, item->gap);
		column_flag(t, C_FOLDED, i, item->folded);
		item_fill(t, C_ITEM, i, &c->comparison, item);
	}
	return t;
}

enum { V_ANSWER, V_CHANGE, V_ERROR, V_BASE, V_NEW, V_BY_PART, V_PART, V_PART_ERROR, V_ROUTINE, V_REASON };

static const struct column_rule verdict_rules[] = {
	[V_ANSWER] = { "answer", APROF_TEXT, NULL, NULL, "slower, faster, or same: no change beyond noise", false },
	[V_CHANGE] = { "change", APROF_REAL, NULL, NULL, "of the run, as a share of the base runs' mean", false },
	[V_ERROR] = { "error", APROF_REAL, NULL, NULL, "half of the interval that holds it with 95 %, likewise; NaN: not known", false },
	[V_BASE] = { "base", APROF_REAL, COLUMN_VALUE, NULL, "of a base run as a whole, the mean", false },
	[V_NEW] = { "new", APROF_REAL, COLUMN_VALUE, NULL, "of a new run", false },
	[V_BY_PART] = { "by_part", APROF_FLAG, NULL, NULL, "the answer is by the routines that changed, not by the run as a whole", false },
	[V_PART] = { "part", APROF_REAL, NULL, NULL, "what their own times changed by together, as change", false },
	[V_PART_ERROR] = { "part_error", APROF_REAL, NULL, NULL, "its error, as error", false },
	[V_ROUTINE] = { "routine", APROF_INDEX, NULL, "routines", "what it is put down to; none: no routine stands out", false },
	[V_REASON] = { "reason", APROF_TEXT, NULL, NULL, "why: calls (more or fewer), code (another), same (code and calls; where it lies, or its data), each (call takes another time), unknown", false },
};

static struct aprof_table *compared_verdict(struct aprof_comparison *c, struct error *err)
{
	static const char *const answers[] = { [VERDICT_NO_CHANGE] = "same", [VERDICT_SLOWER] = "slower", [VERDICT_FASTER] = "faster" };
	static const char *const reasons[] = { [VERDICT_UNKNOWN] = "unknown", [VERDICT_CALLS] = "calls", [VERDICT_CODE] = "code", [VERDICT_SAME] = "same",
		[VERDICT_EACH] = "each" };
	struct verdict v = verdict_make(&c->comparison, VERDICT_LEVEL);
	struct aprof_table *t = columns_make("verdict", verdict_rules, COUNT(verdict_rules), 1, comparison_unit(&c->comparison), err);

	if (!t)
		return NULL;
	column_text(t, V_ANSWER, 0, answers[v.answer]);
	column_real(t, V_CHANGE, 0, v.change);
	column_real(t, V_ERROR, 0, v.error);
	column_real(t, V_BASE, 0, c->comparison.whole.base);
	column_real(t, V_NEW, 0, c->comparison.whole.fresh);
	column_flag(t, V_BY_PART, 0, v.by_part);
	if (v.by_part) {
		column_real(t, V_PART, 0, v.part);
		column_real(t, V_PART_ERROR, 0, v.error_of_part);
	}
	column_index(t, V_ROUTINE, 0, item_row(v.routine));
	column_text(t, V_REASON, 0, reasons[v.reason]);
	return t;
}

enum { U_FILE, U_NEW, U_VALUE, U_CALLS };

static const struct column_rule run_rules[] = {
	[U_FILE] = { "file", APROF_TEXT, NULL, NULL, "the file, as it was named", false },
	[U_NEW] = { "new", APROF_FLAG, NULL, NULL, "it is of the new side", false },
	[U_VALUE] = { "value", APROF_INTEGER, COLUMN_VALUE, NULL, "spent in the run as a whole", false },
	[U_CALLS] = { "calls", APROF_INTEGER, "calls", NULL, "all calls; not known of sampled stacks", true },
};

static struct aprof_table *compared_runs(struct aprof_comparison *c, struct error *err)
{
	struct aprof_table *t = columns_make("runs", run_rules, COUNT(run_rules), c->comparison.nruns, comparison_unit(&c->comparison), err);

	for (size_t i = 0; t && i < t->rows; i++) {
		const struct comparison_run *run = &c->comparison.runs[i];

		column_text(t, U_FILE, i, run->label);
		column_flag(t, U_NEW, i, run->fresh);
		column_integer(t, U_VALUE, i, run->time);
		if (run->counted)
			column_integer(t, U_CALLS, i, run->calls);
	}
	return t;
}

static const struct {
	const char *name;
	compared_make *make;
} tables[COMPARED_TABLES] = {
	{ "verdict", compared_verdict }, { "routines", compared_routines }, { "arcs", compared_arcs }, { "contexts", compared_contexts }, { "runs", compared_runs },
};

/* ---- the comparison ---- */

/* Read and build the run at PATH, and add it. */
static bool run_add(struct aprof_comparison *c, const char *path, bool fresh, const struct aprof_options *asked, struct error *err)
{
	struct input in = asked_input(asked, &c->heard.listener);
	bool ok = asked_build(&in, &path, 1, asked, err);

	if (ok && in.profile->runs[0].truncated)
		ok = error_set(err, ERROR_CORRUPT, ERROR_NO_OFFSET, "%.200s: cut off, so it is not the whole profile, and compares with none", path);
	ok = ok && comparison_add(&c->comparison, &in.report, path, fresh, (struct comparison_parts){ !in.graph->arcs_alone, false }, err);
	if (ok)
		heard_lives(&c->heard, &in);
	c->heard.nwarnings = 0;		/* each run has its own */
	if (ok)
		heard_symbols(&c->heard, in.symbols);
	input_free(&in);
	return ok;
}

static bool compared_build(struct aprof_comparison *c, const char *const *base, size_t nbase, const char *const *fresh, size_t nfresh,
			   const struct aprof_options *options, struct error *err)
{
	struct aprof_options *asked = asked_copy(options);
	bool ok = asked || error_no_memory(err, NULL);

	ok = ok && ((nbase && nfresh) || error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "one side has no profile")) && comparison_init(&c->comparison, err);
	for (size_t i = 0; ok && i < nbase; i++)
		ok = run_add(c, base[i], false, asked, err);
	for (size_t i = 0; ok && i < nfresh; i++)
		ok = run_add(c, fresh[i], true, asked, err);
	aprof_options_free(asked);
	return ok && comparison_settle(&c->comparison, err) && comparison_judge(&c->comparison, COMPARISON_LEVEL, err);
}

struct aprof_comparison *aprof_compare(const char *const *base, size_t nbase, const char *const *fresh, size_t nfresh,
				       const struct aprof_options *options, struct aprof_error **error)
{
	struct aprof_comparison *c = calloc(1, sizeof *c);
	struct error err;

	if (!c) {
		error_no_memory(&err, NULL);
	} else {
		pthread_mutex_init(&c->lock, NULL);
		heard_begin(&c->heard);
		if (compared_build(c, base, nbase, fresh, nfresh, options, &err))
			return c;
		aprof_comparison_free(c);
	}
	failure_tell(error, &err);
	return NULL;
}

void aprof_comparison_free(struct aprof_comparison *comparison)
{
	if (!comparison)
		return;
	for (size_t i = 0; i < COMPARED_TABLES; i++)
		columns_free(comparison->tables[i]);
	comparison_free(&comparison->comparison);
	heard_free(&comparison->heard);
	pthread_mutex_destroy(&comparison->lock);
	free(comparison);
}

const char *aprof_comparison_note(struct aprof_comparison *comparison, size_t i)
{
	return i < comparison->heard.n ? comparison->heard.notes[i] : NULL;	/* no more come once it is there */
}

static const struct aprof_table *compared_table(struct aprof_comparison *c, const char *name, struct error *err)
{
	for (size_t i = 0; i < COMPARED_TABLES; i++)
		if (strcmp(name, tables[i].name) == 0) {
			if (!c->tables[i])
				c->tables[i] = tables[i].make(c, err);
			return c->tables[i];
		}
	error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "%.100s: a comparison has no such table", name);
	return NULL;
}

const struct aprof_table *aprof_comparison_table(struct aprof_comparison *comparison, const char *name, struct aprof_error **error)
{
	const struct aprof_table *table;
	struct error err;

	pthread_mutex_lock(&comparison->lock);
	table = compared_table(comparison, name, &err);
	pthread_mutex_unlock(&comparison->lock);
	if (!table)
		failure_tell(error, &err);
	return table;
}
