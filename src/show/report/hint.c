/* hint.c - the hints: code made at run time that nobody named, scripts, stripped files, code without unwind tables. */
#include "show/report/hint.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"

#define LEAST 0.05			/* of the time, or the stacks, that a hint is for */

/* What there is to be told, and how large a share of the run it is. */
struct hint {
	double share;			/* 0: nothing */
	char text[512];
};

/* Is code of routine R, which is none of the pseudo ones, in a mapping that no file has, without a name? */
static bool hint_is_anonymous(const struct profile *p, const struct profile_routine *r)
{
	return r->module == PROFILE_NONE || profile_is_anonymous(p->modules[r->module].path, NULL);
}

/* The share PART of WHOLE, rounded, in percent. */
static int percent_of(double share) { return (int)(100 * share + 0.5); }

/* The later one is better if it is for more. */
static void hint_take(struct hint *best, const struct hint *other)
{
	if (other->share >= LEAST && other->share > best->share)
		*best = *other;
}

/* The profile's routine that stands for routine I of the graph: the first of them. */
static uint32_t *firsts_make(const struct graph *g)
{
	uint32_t *first = malloc(((size_t)g->nroutines + 1) * sizeof *first);

	for (uint32_t i = 0; first && i < g->nroutines; i++)
		first[i] = PROFILE_NONE;
	for (uint32_t i = g->profile->nroutines; first && i-- > 0;)
		if (g->routine_of[i] < g->nroutines && !g->profile->routines[i].pseudo)
			first[g->routine_of[i]] = i;
	return first;
}

/* Self times: of code made at run time without a name; by module, of all its code, and of that which has no name. */
struct times {
	uint64_t anonymous;
	uint64_t *all, *nameless;	/* by module */
};

static void hint_times_add(struct times *t, const struct report_input *in, uint32_t routine, uint64_t self)
{
	const struct profile *p = in->graph->profile;
	const struct profile_routine *r = &p->routines[routine];
	const struct symbol *symbol;

	if (hint_is_anonymous(p, r)) {
		t->anonymous += self;
		return;
	}
	t->all[r->module] += self;
	symbol = self && p->modules[r->module].path[0] == '/' ? symbols_find(in->symbols, r->module, r->address) : NULL;
	if (symbol && !symbol->known && symbol->name[0] != '(')
		t->nameless[r->module] += self;
}

static bool hint_times_make(struct times *t, const struct report_input *in)
{
	const struct graph *g = in->graph;
	uint32_t *first = firsts_make(g);

	*t = (struct times){ .all = calloc((size_t)g->profile->nmodules + 1, sizeof *t->all), .nameless = calloc((size_t)g->profile->nmodules + 1, sizeof *t->nameless) };
	for (uint32_t i = 0; first && t->all && t->nameless && i < g->nroutines; i++)
		if (first[i] != PROFILE_NONE)
			hint_times_add(t, in, first[i], g->routines[i].self);
	free(first);
	return first && t->all && t->nameless;
}

static double hint_share_of(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

/* Code made at run time: what PROGRAM takes to tell its names. */
static void anonymous_hint(struct hint *best, const struct times *t, const struct graph *g, const char *program)
{
	struct hint h = { .share = hint_share_of(t->anonymous, g->time) };
	const char *how = strcmp(program, "node") == 0 || strcmp(program, "nodejs") == 0 ? "node --perf-basic-prof names them" :
		strcmp(program, "java") == 0 ? "java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit names them" :
		"a perf map or a jitdump, which many runtimes write on request, names them";

	snprintf(h.text, sizeof h.text, "%d %% of the %s is in code made at run time, without names; %s", percent_of(h.share), figure_word(g), how);
	hint_take(best, &h);
}

/* Does the file PATH have code of the interpreter PROGRAM? */
static bool is_interpreters(const char *path, const char *program)
{
	const char *base = print_basename(path), *library = program[0] == 'l' ? "liblua" : "libpython";

	return strcmp(base, program) == 0 || strncmp(base, library, strlen(library)) == 0;
}

/* Interpreters that aprof follows: their own routines say little of a script. */
static void script_hint(struct hint *best, const struct times *t, const struct profile *p, const struct graph *g, const char *program)
{
	struct hint h = { .share = 0 };
	uint64_t time = 0;

	if (strncmp(program, "python3", 7) != 0 && strcmp(program, "lua") != 0 && strcmp(program, "lua5.4") != 0)
		return;
	for (uint32_t i = 0; i < p->nmodules; i++)
		time += is_interpreters(p->modules[i].path, program) ? t->all[i] : 0;
	h.share = hint_share_of(time, g->time);
	snprintf(h.text, sizeof h.text, "%d %% of the %s is the interpreter's; aprof run --script shows the script's routines", percent_of(h.share), figure_word(g));
	hint_take(best, &h);
}

/* The file with most time in routines without a name. */
static void stripped_hint(struct hint *best, const struct times *t, const struct report_input *in, const struct text_style *style)
{
	const struct profile *p = in->graph->profile;
	uint32_t most = p->nmodules;
	struct hint h = { .share = 0 };
	char name[256];

	for (uint32_t i = 0; i < p->nmodules; i++)
		if (t->nameless[i] && (most == p->nmodules || t->nameless[i] > t->nameless[most]))
			most = i;
	if (most == p->nmodules)
		return;
	h.share = hint_share_of(t->nameless[most], in->graph->time);
	print_safe(name, sizeof name, print_basename(p->modules[most].path), style);
	snprintf(h.text, sizeof h.text, "%d %% of the %s is in routines of %s that have no name, since it is stripped; its debug package%s names them", percent_of(h.share), figure_word(in->graph), name,
		 getenv("DEBUGINFOD_URLS") ? "" : ", or DEBUGINFOD_URLS,");
	hint_take(best, &h);
}

/* The profile's routine that most of the stacks end at which do not go back to the thread's start; PROFILE_NONE: none. */
static uint32_t end_of_stacks(const struct graph *g)
{
	const struct profile *p = g->profile;
	uint32_t best = PROFILE_NONE;
	uint64_t *time = calloc((size_t)p->nroutines + 1, sizeof *time);

	for (uint32_t i = p->ncontexts; time && i-- > 1;) {
		uint32_t at = i, parent = p->contexts[i].parent;

		while (parent != PROFILE_NONE && parent != 0 && p->contexts[parent].parent != 0) {
			at = parent;
			parent = p->contexts[at].parent;
		}
		if (parent != PROFILE_NONE && parent != 0 && p->routines[p->contexts[parent].routine].pseudo == AMON_ROUTINE_TRUNCATED)
			time[p->contexts[at].routine] += p->contexts[i].time;
	}
	for (uint32_t i = 0; time && i < p->nroutines; i++)
		if (time[i] && (best == PROFILE_NONE || time[i] > time[best]))
			best = i;
	free(time);
	return best;
}

/* Stacks that end in code of which nothing tells how to leave it. */
static void unwind_hint(struct hint *best, const struct report_input *in, const struct text_style *style)
{
	const struct profile *p = in->graph->profile;
	struct hint h = { .share = 0 };
	uint64_t cut = 0;
	uint32_t routine;
	char name[256];

	for (uint32_t i = 0; i < p->nruns; i++)
		cut += p->runs[i].header.notes[AMON_NOTE_CUT_STACK];
	h.share = hint_share_of(cut, in->graph->ticks);
	if (h.share < LEAST || (routine = end_of_stacks(in->graph)) == PROFILE_NONE || p->routines[routine].module == PROFILE_NONE ||
	    symbols_can_leave(in->symbols, p->routines[routine].module, p->routines[routine].address))
		return;
	print_safe(name, sizeof name, print_basename(p->modules[p->routines[routine].module].path), style);
	snprintf(h.text, sizeof h.text, "%d %% of the stacks are cut off, most in %s, code without unwind tables as musl's and GHC's; -fasynchronous-unwind-tables makes them",
		 percent_of(h.share < 1 ? h.share : 1), name);
	hint_take(best, &h);
}

void hint_print(const struct report_input *in, const struct report_options *options, FILE *out)
{
	const struct profile *p = in->graph->profile;
	const struct amon_header *first = &p->runs[0].header;
	struct hint best = { .share = 0 };
	struct times t = { 0 };

	if (profile_counts_calls(p) || profile_is_imported(p) || !in->symbols)
		return;
	if (hint_times_make(&t, in)) {
		const char *program = print_basename(first->program);

		stripped_hint(&best, &t, in, &options->style);
		script_hint(&best, &t, p, in->graph, program);
		anonymous_hint(&best, &t, in->graph, program);
		unwind_hint(&best, in, &options->style);
	}
	if (best.share > 0)
		print_field(out, &options->style, "hint", "%s", best.text);
	free(t.all);
	free(t.nameless);
}
