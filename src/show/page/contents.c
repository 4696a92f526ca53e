/* contents.c - what the page shows, as numbers: see contents.h for the order. */
#include "show/page/contents.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/short_names.h"
#include "contract/slice.h"
#include "show/report/version.h"
#include "show/page/pack.h"
#include "show/page/template.h"

enum { PATHS = 10 };	/* recurring sequences that are shown, at most: not more than RECURRING_MOST */

/* Names of files and modules, each once. */
struct strings {
	const char **text;	/* sorted */
	size_t n;		/* how many */
};

/* The short forms of the names of all sides. */
struct briefs {
	struct arena arena;	/* where they are */
	const char **name, **brief;	/* of one side after the other, by routine */
};

/* A function without hooks. */
struct plain_function {
	const char *name;
	const char *module;	/* its path, or what stands for one, such as [kernel] */
};

/* The functions without hooks in which the routines' own time went. */
struct plain_functions {
	struct leaves leaves;	/* by routine */
	struct leaf_count *counts; /* by context */
	size_t ncounts;		/* how many */
	struct plain_function *all; /* sorted, each once */
	size_t n;		/* how many */
};

/* A side under way. */
struct side {
	const char *label;
	struct report_input in;	/* with the sequences that recur */
	struct paths *paths;	/* these; NULL: not looked for */
	const struct graph *g;
	struct tree *tree;	/* all contexts, top-down */
	uint64_t *recursive;	/* by node: direct recursive calls of the contexts that end there */
	struct overhead_evidence *evidence; /* by node: of their time */
	struct strings strings;
	struct plain_functions plain;
	const char *const *brief;	/* by routine, then by plain function: the short form of its name */
	size_t nshares;		/* shares that are written */
	bool sliced;		/* slices are */
	size_t nslices;		/* how many */
	const struct comparison *compared; /* with the other side; NULL: it is the only one */
	struct comparison_places places; /* what of it is which item of that */
};

static int contents_by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool contents_strings_make(struct strings *s, const struct graph *g)
{
	size_t kept = 0;

	s->text = calloc(2 * (size_t)g->nroutines + 1, sizeof *s->text);
	if (!s->text)
		return false;
	for (uint32_t r = 0; r < g->nroutines; r++) {
		if (g->routines[r].name.module)
			s->text[s->n++] = g->routines[r].name.module;
		if (g->routines[r].name.file)
			s->text[s->n++] = g->routines[r].name.file;
	}
	qsort(s->text, s->n, sizeof *s->text, contents_by_text);
	for (size_t i = 0; i < s->n; i++)
		if (kept == 0 || strcmp(s->text[kept - 1], s->text[i]) != 0)
			s->text[kept++] = s->text[i];
	s->n = kept;
	return true;
}

/* Index of TEXT + 1; 0 for NULL. */
static uint64_t string_number(const struct strings *s, const char *text)
{
	const char *const *found = text ? bsearch(&text, s->text, s->n, sizeof *s->text, contents_by_text) : NULL;

	return found ? (uint64_t)(found - s->text) + 1 : 0;
}

static bool share_shown(const struct side *s, const struct graph_share *share)
{
	return s->g->contexts[share->context].kept
		&& (s->g->options.thread == GRAPH_NONE || s->g->options.thread == share->thread)
		&& (share->entries || share->recursive || share->time || share->ticks);
}

static size_t shares_count(const struct side *s)
{
	size_t n = 0;

	for (size_t i = 0; s->g->profile->nthreads > 1 && i < s->g->profile->nshares; i++) {
		struct graph_share share = graph_share(s->g, i);

		n += share_shown(s, &share);
	}
	return n;
}

/* The node that SLICE stands for; GRAPH_NONE: it is not shown. */
static uint32_t slice_node(const struct side *s, const struct profile_slice *slice)
{
	uint32_t context = slice->context == PROFILE_NONE ? GRAPH_NONE : s->g->context_of[slice->context];

	if (context == GRAPH_NONE || !s->g->contexts[context].kept || (s->g->options.thread != GRAPH_NONE && s->g->options.thread != slice->thread))
		return GRAPH_NONE;
	return s->tree->node_of[context];
}

/* How long the intervals are that all runs can be told by, ns: as long as the longest. */
static uint64_t interval_length(const struct profile *p)
{
	uint32_t level = 0;

	for (uint32_t i = 0; i < p->nruns; i++)
		level = p->runs[i].level > level ? p->runs[i].level : level;
	return slice_length(level);
}

/* The interval of that length in which the middle of SLICE is, from the beginning of the run that began first on. */
static uint64_t slice_interval(const struct profile *p, const struct profile_slice *slice)
{
	uint64_t begun = p->runs[p->threads[slice->thread].run].header.start_realtime, first = begun;

	for (uint32_t i = 0; i < p->nruns; i++)
		first = p->runs[i].header.start_realtime < first ? p->runs[i].header.start_realtime : first;
	return (begun - first + profile_slice_middle(p, slice)) / interval_length(p);
}

static size_t slices_count(const struct side *s)
{
	size_t n = 0;

	for (size_t i = 0; s->sliced && i < s->g->profile->nslices; i++)
		n += slice_node(s, &s->g->profile->slices[i]) != GRAPH_NONE;
	return n;
}

static int by_module(const void *left, const void *right)
{
	const struct plain_function *a = left, *b = right;
	int c = strcmp(a->module, b->module);

	return c ? c : strcmp(a->name, b->name);
}

static struct plain_function plain_function_of(const struct side *s, const struct leaf *leaf)
{
	const struct profile *p = s->g->profile;
	bool in_module = leaf->pc && leaf->pc->module < p->nmodules && strcmp(leaf->place, print_basename(p->modules[leaf->pc->module].path)) == 0;

	return (struct plain_function){ .name = leaf->name, .module = in_module ? p->modules[leaf->pc->module].path : leaf->place };
}

/* The number of LEAF's function. */
static uint64_t plain_number(const struct side *s, const struct leaf *leaf)
{
	struct plain_function key = plain_function_of(s, leaf);
	const struct plain_function *found = bsearch(&key, s->plain.all, s->plain.n, sizeof key, by_module);

	return (uint64_t)(found - s->plain.all);
}

/* Keep the counts of contexts that have a node. */
static void counts_choose(struct plain_functions *plain, const struct tree *tree)
{
	size_t kept = 0;

	for (size_t i = 0; i < plain->ncounts; i++)
		if (tree->node_of[plain->counts[i].context] != GRAPH_NONE)
			plain->counts[kept++] = plain->counts[i];
	plain->ncounts = kept;
}

/* Where the routines' own time went, of S with its tree; nothing of a single thread, since samples are kept by context.  False: out of memory; freed with plain_functions_free in any case. */
static bool plain_functions_make(struct side *s, struct error *err)
{
	struct report_options split = { .leaves = s->g->options.thread == GRAPH_NONE };
	struct plain_functions *plain = &s->plain;
	size_t kept = 0;

	if (!leaves_make(&plain->leaves, &s->in, &split, err))
		return false;
	plain->counts = leaves_count(&plain->leaves, &s->in, &plain->ncounts);
	plain->all = calloc(plain->leaves.n + 1, sizeof *plain->all);
	if (!plain->counts || !plain->all)
		return error_no_memory(err, NULL);
	if (plain->leaves.n == 0)
		plain->ncounts = 0;	/* all was in the routines' own code */
	counts_choose(plain, s->tree);
	for (size_t i = 0; i < plain->leaves.n; i++)
		plain->all[i] = plain_function_of(s, &plain->leaves.leaf[i]);
	qsort(plain->all, plain->leaves.n, sizeof *plain->all, by_module);
	for (size_t i = 0; i < plain->leaves.n; i++)
		if (kept == 0 || by_module(&plain->all[kept - 1], &plain->all[i]) != 0)
			plain->all[kept++] = plain->all[i];
	plain->n = kept;
	return true;
}

static void plain_functions_free(struct plain_functions *plain)
{
	leaves_free(&plain->leaves);
	free(plain->counts);
	free(plain->all);
}

static void side_free(struct side *s)
{
	plain_functions_free(&s->plain);
	comparison_places_free(&s->places);
	paths_free(s->paths);
	tree_free(s->tree);
	free(s->recursive);
	free(s->evidence);
	free(s->strings.text);
}

/* COMPARED with another one, or NULL: it is the only one.  False: out of memory; freed with side_free in any case. */
static bool contents_side_make(struct side *s, const struct html_side *from, const struct comparison *compared, struct error *err)
{
	static const struct tree_options everything;
	bool alone = !compared;

	*s = (struct side){ .label = from->label, .in = *from->in, .g = from->in->graph, .compared = compared };
	s->sliced = alone && profile_is_sliced(s->g->profile) && !from->in->range.to;
	if (alone && !s->g->arcs_alone) {			/* before there is a tree: either takes much memory */
		s->in.paths = recurring_find(from->in, RECURRING_MOST, RECURRING_PERCENT, &s->paths, err);
		if (!s->in.paths)
			return false;
	}
	s->tree = tree_build(s->g, &everything, err);
	if (!s->tree || (compared && !comparison_places_find(&s->places, compared, s->g, s->tree, err)))
		return false;
	s->recursive = calloc(s->tree->nnodes, sizeof *s->recursive);
	s->evidence = calloc(s->tree->nnodes, sizeof *s->evidence);
	if (!s->recursive || !s->evidence || !contents_strings_make(&s->strings, s->g))
		return error_no_memory(err, NULL);
	for (uint32_t i = 0; i < s->g->ncontexts; i++)
		if (s->tree->node_of[i] != GRAPH_NONE) {
			s->recursive[s->tree->node_of[i]] += s->g->contexts[i].recursive;
			overhead_evidence_add(&s->evidence[s->tree->node_of[i]], &s->g->contexts[i].evidence);
		}
	s->nshares = shares_count(s);
	s->nslices = slices_count(s);
	return plain_functions_make(s, err);
}

/* The head of the report as one string; NULL: out of memory. */
static json_t *side_head_json(const struct side *s, struct error *err)
{
	static const struct report_options options = { .style = { .utf8 = true } };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *head = NULL;

	if (!out)
		return NULL;
	if (report_find(report_table, "run")->text(&s->in, &options, out, err) && fclose(out) == 0)
		head = emit_name(text);
	free(text);
	return head;
}

/* What samples alone say of a time, ns. */
static uint64_t measured_of(const struct overhead_evidence *e)
{
	return e->measured > 0 ? (uint64_t)llround(e->measured) : 0;
}

/* What one of them stands for, ns. */
static uint64_t each_of(const struct overhead_evidence *e)
{
	return e->measured > 0 && e->variance > 0 ? (uint64_t)llround(e->variance / e->measured) : 0;
}

static json_t *contents_times_json(const struct graph *g)
{
	return json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tick_ns", profile_tick(g->profile), "time_ns", emit_count(g->time), "outside_ns",
			 emit_count(g->outside), "ticks", emit_count(g->ticks), "outside_ticks", emit_count(g->outside_ticks), "calls", emit_count(g->calls),
			 "measured_ns", emit_count(measured_of(&g->evidence)), "each_ns", emit_count(each_of(&g->evidence)));
}

/* Of an MPI job, by routine, what the ranks with the most have beyond the mean. */
static json_t *beyond_json(const struct graph *g)
{
	json_t *all = json_array();

	for (uint32_t r = 0; r < g->nroutines; r++)
		json_array_append_new(all, emit_count(g->routines[r].beyond > 0 ? (uint64_t)llround(g->routines[r].beyond) : 0));
	return all;
}

static json_t *contents_counts_json(const struct side *s)
{
	size_t entries = 0;

	for (uint32_t i = 0; i < s->g->ncycles; i++)
		entries += s->g->cycles[i].length;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "routines", emit_count(s->g->nroutines), "arcs", emit_count(s->g->narcs),
			 "nodes", emit_count(s->tree->nnodes), "cycles", emit_count(s->g->ncycles),
			 "cycle_entries", emit_count(entries), "shares", emit_count(s->nshares), "slices", emit_count(s->nslices),
			 "leaves", emit_count(s->plain.leaves.n), "leaf_counts", emit_count(s->plain.ncounts));
}

/* The short form BRIEF of NAME; null: the name itself. */
static json_t *brief_json(const char *brief, const char *name)
{
	return brief && strcmp(brief, name) != 0 ? emit_name(brief) : json_null();
}

static void contents_plain_json(const struct side *s, struct emit *e)
{
	emit_array(e, "plain");
	for (size_t i = 0; i < s->plain.n; i++)
		emit_item(e, json_pack("{s:o, s:o, s:o}", "name", emit_name(s->plain.all[i].name), "brief", brief_json(s->brief[s->g->nroutines + i], s->plain.all[i].name),
				       "module", emit_name(s->plain.all[i].module)));
	emit_array_end(e);
}

/* The report NAME as an object of that name. */
static bool report_object(const struct side *s, struct emit *e, const char *name, struct error *err)
{
	static const struct report_options options = { .json = true, .top = PATHS, .min_percent = RECURRING_PERCENT };
	bool ok;

	emit_object(e, name);
	ok = report_find(report_table, name)->json(&s->in, &options, e, err);
	emit_object_end(e);
	return ok;
}

/* Where to look first; of two sides what changed tells that, and without contexts nothing recurs. */
static bool findings_json(const struct side *s, struct emit *e, bool alone, struct error *err)
{
	static const struct report_options options = { .json = true };

	return !alone || (report_object(s, e, "hot", err) && (s->g->arcs_alone || report_object(s, e, "paths", err)) &&
			  (s->g->profile->nsites == 0 || arc_places_json(&s->in, &options, e, err)) && (!s->in.source || sources_json(&s->in, &options, e, err)));
}

/* The side as members of the object that E has open; ALONE, it is the only one. */
static bool side_json(const struct side *s, struct emit *e, bool alone, struct error *err)
{
	static const char *const reports[] = { "run", "never", "info" };
	static const struct report_options options = { .json = true };

	emit_member(e, "label", emit_name(s->label));
	emit_member(e, "runs", emit_count(s->g->profile->mean_of ? s->g->profile->mean_of : 1));
	emit_member(e, "head", side_head_json(s, err));
	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
		if (!report_find(report_table, reports[i])->json(&s->in, &options, e, err))
			return false;
	if (!findings_json(s, e, alone, err))
		return false;
	emit_member(e, "times", contents_times_json(s->g));
	emit_member(e, "counted", json_boolean(s->g->counted));
	emit_member(e, "contextual", json_boolean(!s->g->arcs_alone));
	emit_member(e, "sampled", json_boolean(profile_tick(s->g->profile) > 0));
	emit_member(e, "interval_ns", emit_count(s->nslices ? interval_length(s->g->profile) : 0));
	emit_array(e, "slice_phases");
	for (uint32_t i = 0; i < s->g->profile->nphases; i++)
		emit_item(e, emit_name(s->g->profile->phases[i].name));
	emit_array_end(e);
	emit_member(e, "counts", contents_counts_json(s));
	emit_array(e, "strings");
	for (size_t i = 0; i < s->strings.n; i++)
		emit_item(e, emit_name(s->strings.text[i]));
	emit_array_end(e);
	emit_array(e, "names");
	for (uint32_t r = 0; r < s->g->nroutines; r++)
		emit_item(e, emit_name(s->g->routines[r].name.name));
	emit_array_end(e);
	if (profile_ranks(s->g->profile) > 0)
		emit_member(e, "beyond", beyond_json(s->g));
	emit_array(e, "briefs");
	for (uint32_t r = 0; r < s->g->nroutines; r++)
		emit_item(e, brief_json(s->brief[r], s->g->routines[r].name.name));
	emit_array_end(e);
	contents_plain_json(s, e);
	return true;
}

/* One column: FIELD, an expression of `item`, for each of the N items at ITEMS. */
#define COLUMN(p, items, n, field) \
	do { \
		for (size_t i_ = 0; i_ < (n); i_++) { \
			const __typeof__(*(items)) *item = &(items)[i_]; \
			pack_number((p), (field)); \
		} \
	} while (0)

static void routines_write(struct pack *p, const struct side *s)
{
	const struct graph_routine *r = s->g->routines;
	size_t n = s->g->nroutines;

	COLUMN(p, r, n, item->calls);
	COLUMN(p, r, n, item->recursive);
	COLUMN(p, r, n, item->self);
	COLUMN(p, r, n, item->total);
	COLUMN(p, r, n, item->self_ticks);
	COLUMN(p, r, n, item->total_ticks);
	COLUMN(p, r, n, measured_of(&item->self_evidence));
	COLUMN(p, r, n, each_of(&item->self_evidence));
	COLUMN(p, r, n, measured_of(&item->total_evidence));
	COLUMN(p, r, n, each_of(&item->total_evidence));
	COLUMN(p, r, n, string_number(&s->strings, item->name.module));
	COLUMN(p, r, n, string_number(&s->strings, item->name.file));
	COLUMN(p, r, n, item->name.line);
	COLUMN(p, r, n, (uint64_t)item->pseudo | (uint64_t)item->plain << 1);
}

static void arcs_write(struct pack *p, const struct side *s)
{
	const struct graph_arc *a = s->g->arcs;
	size_t n = s->g->narcs;

	COLUMN(p, a, n, item->from == GRAPH_NONE ? 0 : (uint64_t)item->from + 1);
	COLUMN(p, a, n, item->to);
	COLUMN(p, a, n, item->calls);
	COLUMN(p, a, n, item->self1);
	COLUMN(p, a, n, item->child1);
	COLUMN(p, a, n, item->self2);
	COLUMN(p, a, n, item->child2);
	COLUMN(p, a, n, measured_of(&item->evidence2));
	COLUMN(p, a, n, each_of(&item->evidence2));
	COLUMN(p, a, n, item->folded);
}

static uint64_t node_link(const struct tree_node *n)
{
	return n->routine == GRAPH_NONE ? 0 : (uint64_t)n->routine << 2 | (unsigned)n->folded << 1 | n->gap;
}

/* Samples behind N's self time. */
static uint64_t node_ticks(const struct tree *t, const struct tree_node *n)
{
	uint64_t ticks = n->ticks;

	for (uint32_t i = 0; i < n->nchildren; i++)
		ticks -= t->nodes[n->first + i].ticks;
	return ticks;
}

static void nodes_write(struct pack *p, const struct side *s)
{
	const struct tree_node *t = s->tree->nodes;
	size_t n = s->tree->nnodes;

	COLUMN(p, t, n, item->nchildren);
	COLUMN(p, t, n, node_link(item));
	COLUMN(p, t, n, item->self);
	COLUMN(p, t, n, item->calls);
	COLUMN(p, s->recursive, n, *item);
	COLUMN(p, t, n, node_ticks(s->tree, item));
	COLUMN(p, s->evidence, n, measured_of(item));
	COLUMN(p, s->evidence, n, each_of(item));
}

static void cycles_write(struct pack *p, const struct side *s)
{
	const struct graph_cycle *c = s->g->cycles;
	size_t n = s->g->ncycles;

	COLUMN(p, c, n, item->length);
	COLUMN(p, c, n, item->calls);
	COLUMN(p, c, n, item->time);
	for (size_t i = 0; i < n; i++)
		COLUMN(p, s->g->cycle_entries + c[i].first, c[i].length, *item);
}

/* One column of the shares that are shown. */
#define SHARES(p, s, field) \
	do { \
		for (size_t i_ = 0; i_ < (s)->g->profile->nshares; i_++) { \
			struct graph_share share = graph_share((s)->g, i_); \
			if (share_shown((s), &share)) \
				pack_number((p), (field)); \
		} \
	} while (0)

static void shares_write(struct pack *p, const struct side *s)
{
	if (s->nshares == 0)
		return;
	SHARES(p, s, share.thread);
	SHARES(p, s, s->tree->node_of[share.context]);
	SHARES(p, s, share.entries);
	SHARES(p, s, share.recursive);
	SHARES(p, s, share.time);
	SHARES(p, s, share.ticks);
	SHARES(p, s, measured_of(&share.evidence));
	SHARES(p, s, each_of(&share.evidence));
}

/* One column of the slices that are shown. */
#define SLICES(p, s, field) \
	do { \
		for (size_t i_ = 0; i_ < (s)->g->profile->nslices; i_++) { \
			const struct profile_slice *slice = &(s)->g->profile->slices[i_]; \
			uint32_t node = slice_node((s), slice); \
			if (node != GRAPH_NONE) \
				pack_number((p), (field)); \
		} \
	} while (0)

static void slices_write(struct pack *p, const struct side *s)
{
	if (s->nslices == 0)
		return;
	SLICES(p, s, slice->thread);
	SLICES(p, s, node);
	SLICES(p, s, slice_interval(s->g->profile, slice));
	SLICES(p, s, slice->time);
	SLICES(p, s, slice->ticks);
	SLICES(p, s, slice->phase == PROFILE_NONE ? 0 : (uint64_t)slice->phase + 1);
}

static void leaves_write(struct pack *p, const struct side *s)
{
	const struct leaves *l = &s->plain.leaves;

	COLUMN(p, l->leaf, l->n, item->routine);
	COLUMN(p, l->leaf, l->n, plain_number(s, item));
	COLUMN(p, l->leaf, l->n, item->time);
	COLUMN(p, l->leaf, l->n, item->ticks);
}

static void leaf_counts_write(struct pack *p, const struct side *s)
{
	const struct leaf_count *c = s->plain.counts;
	size_t n = s->plain.ncounts;

	COLUMN(p, c, n, s->tree->node_of[item->context]);
	COLUMN(p, c, n, item->leaf == LEAF_OWN ? 0 : (uint64_t)item->leaf + 1);
	COLUMN(p, c, n, item->ticks);
}

/* What the comparison C says of its item: see contents.h. */
static uint64_t judgement_of(const struct comparison *c, enum comparison_kind kind, uint32_t item)
{
	const struct comparison_item *i = item == GRAPH_NONE ? NULL : &c->kinds[kind].items[item];

	return i && i->counted ? 1 | (unsigned)i->news[COMPARISON_SELF] << 1 | (unsigned)i->news[COMPARISON_TOTAL] << 2 | (unsigned)i->calls_news << 3 : 0;
}

static void judgements_write(struct pack *p, const struct side *s)
{
	COLUMN(p, s->places.routine, s->g->nroutines, judgement_of(s->compared, COMPARISON_ROUTINES, *item));
	COLUMN(p, s->places.arc, s->g->narcs, judgement_of(s->compared, COMPARISON_ARCS, *item));
	COLUMN(p, s->places.context, s->tree->nnodes, judgement_of(s->compared, COMPARISON_CONTEXTS, *item));
}

static json_t *contents_real_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *noise_json(const struct comparison *c, enum comparison_kind kind, enum comparison_time t)
{
	const struct noise *noise = &c->kinds[kind].noise[t];

	return json_pack("{s:f, s:o}", "common", noise->common, "df", contents_real_or_null(noise->df));
}

/* Whether all calls that were counted are the same in all runs of a side. */
static bool calls_are_steady(const struct comparison *c)
{
	for (int k = 0; k < COMPARISON_SITES; k++)
		for (uint32_t i = 0; i < c->kinds[k].n; i++)
			if (c->kinds[k].items[i].counted && !c->kinds[k].items[i].calls.steady)
				return false;
	return true;
}

static json_t *judged_json(const struct comparison *c)
{
	double chance = 2 * fmin(c->whole_change.above, c->whole_change.below);

	return json_pack("{s:b, s:{s:f, s:f, s:o}, s:{s:o, s:o, s:o, s:o, s:o}}", "steady", (int)calls_are_steady(c),
			 "whole", "variance", c->whole.variance, "df", c->whole.df, "chance", contents_real_or_null(chance),
			 "noise", "self", noise_json(c, COMPARISON_ROUTINES, COMPARISON_SELF), "total", noise_json(c, COMPARISON_ROUTINES, COMPARISON_TOTAL),
			 "arc", noise_json(c, COMPARISON_ARCS, COMPARISON_TOTAL), "pathSelf", noise_json(c, COMPARISON_CONTEXTS, COMPARISON_SELF),
			 "path", noise_json(c, COMPARISON_CONTEXTS, COMPARISON_TOTAL));
}

/* The JSON object of the sides, malloc'ed, *LEN bytes; NULL with *ERR set. */
static char *object_make(const struct side *sides, size_t n, size_t *len, struct error *err)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	struct emit e;
	bool ok = out != NULL;

	if (ok) {
		emit_begin(&e, out);
		emit_member(&e, "schema", json_string("aprof-page-1"));
		emit_member(&e, "version", json_string(APROF_VERSION));
		emit_array(&e, "sides");
		for (size_t i = 0; ok && i < n; i++) {
			emit_object(&e, NULL);
			ok = side_json(&sides[i], &e, n == 1, err);
			emit_object_end(&e);
		}
		emit_array_end(&e);
		if (sides->compared)
			emit_member(&e, "judged", judged_json(sides->compared));
		emit_end(&e);
		ok = fclose(out) == 0 && ok && !e.failed;
	}
	if (ok)
		return text;
	free(text);
	error_no_memory(err, NULL);
	return NULL;
}

static bool profile_write_packed(const struct side *sides, size_t n, FILE *out, struct error *err)
{
	size_t len;
	char *object = object_make(sides, n, &len, err);
	struct pack *p = malloc(sizeof *p);
	bool ok = object && p && pack_begin(p, out);

	if (ok) {
		pack_bytes(p, (unsigned char[]){ len & 255, len >> 8 & 255, len >> 16 & 255, len >> 24 & 255 }, 4);
		pack_bytes(p, object, len);
		for (size_t i = 0; i < n; i++) {
			routines_write(p, &sides[i]);
			arcs_write(p, &sides[i]);
			nodes_write(p, &sides[i]);
			cycles_write(p, &sides[i]);
			shares_write(p, &sides[i]);
			slices_write(p, &sides[i]);
			leaves_write(p, &sides[i]);
			leaf_counts_write(p, &sides[i]);
			if (sides[i].compared)
				judgements_write(p, &sides[i]);
		}
		ok = pack_end(p);
	}
	free(p);
	free(object);
	return ok || error_no_memory(err, NULL);
}

bool html_known(void)
{
	return (uintptr_t)page_template_end > (uintptr_t)page_template;	/* to the compiler two arrays, which it need not compare */
}

/* Write what stands from AT on up to MARK; returns what is behind it. */
static const char *write_up_to(const char *at, const char *mark, FILE *out)
{
	const char *found = memmem(at, (size_t)(page_template_end - at), mark, strlen(mark));

	fwrite(at, 1, (size_t)(found - at), out);
	return found + strlen(mark);
}

static bool write_end(FILE *out, struct error *err)
{
	if (fflush(out) == 0 && !ferror(out))
		return true;
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "cannot write the page: %s", strerror(errno));
}

static bool contents_page_write(const struct side *sides, size_t n, FILE *out, struct error *err)
{
	const char *at = write_up_to(page_template, PAGE_CONNECT_MARK, out);

	at = write_up_to(at, PAGE_LIVE_MARK, out);
	at = write_up_to(at, PAGE_MARK, out);
	if (!profile_write_packed(sides, n, out, err))
		return false;
	fwrite(at, 1, (size_t)(page_template_end - at), out);
	return write_end(out, err);
}

bool html_write_empty(FILE *out, struct error *err)
{
	const char *at = write_up_to(page_template, PAGE_CONNECT_MARK, out);

	fputs("; connect-src 'self'", out);
	at = write_up_to(at, PAGE_LIVE_MARK, out);
	fputs(" data-live=\"profile\"", out);
	at = write_up_to(at, PAGE_MARK, out);
	fwrite(at, 1, (size_t)(page_template_end - at), out);
	return write_end(out, err);
}

static bool data_write(const struct side *sides, size_t n, FILE *out, struct error *err)
{
	return profile_write_packed(sides, n, out, err) && write_end(out, err);
}

static void briefs_free(struct briefs *b)
{
	free(b->name);
	arena_free(&b->arena);
}

/* Give each of SIDES[0..N) the short forms of its names, by those of all.  False: out of memory; freed with briefs_free in any case. */
static bool briefs_make(struct briefs *b, struct side *sides, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += sides[i].g->nroutines + sides[i].plain.n;
	*b = (struct briefs){ .name = calloc(2 * count + 1, sizeof *b->name) };
	b->brief = b->name + count;
	if (!b->name)
		return false;
	for (size_t i = 0, at = 0; i < n; i++) {
		sides[i].brief = b->brief + at;
		for (uint32_t r = 0; r < sides[i].g->nroutines; r++)
			b->name[at++] = sides[i].g->routines[r].name.name;
		for (size_t k = 0; k < sides[i].plain.n; k++)
			b->name[at++] = sides[i].plain.all[k].name;
	}
	return short_names(b->brief, b->name, count, &b->arena);
}

/* Have WRITE write the sides FROM[0..N), COMPARED or NULL, to OUT. */
static bool sides_write(const struct html_side *from, size_t n, const struct comparison *compared, bool (*write)(const struct side *, size_t, FILE *, struct error *), FILE *out,
			struct error *err)
{
	struct side *sides = calloc(n, sizeof *sides);
	struct briefs briefs = { 0 };
	bool ok = sides || error_no_memory(err, NULL);

	for (size_t i = 0; ok && i < n; i++)
		ok = contents_side_make(&sides[i], &from[i], compared, err);
	if (ok && !briefs_make(&briefs, sides, n))
		ok = error_no_memory(err, NULL);
	ok = ok && write(sides, n, out, err);
	for (size_t i = 0; sides && i < n; i++)
		side_free(&sides[i]);
	briefs_free(&briefs);
	free(sides);
	return ok;
}

bool html_write(const struct html_side *from, size_t n, const struct comparison *compared, FILE *out, struct error *err)
{
	return sides_write(from, n, compared, contents_page_write, out, err);
}

bool html_write_data(const struct html_side *from, FILE *out, struct error *err)
{
	return sides_write(from, 1, NULL, data_write, out, err);
}
