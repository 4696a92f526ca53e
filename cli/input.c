/* input.c - read, symbolise, build the graph. */
#include "cli/input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/progress.h"

static const char *name_of(const struct profile_module *m)
{
	const char *slash = strrchr(m->path, '/');

	return slash ? slash + 1 : m->path;
}

/* Profiles of several programs are added up if that is asked for, as a pipeline's may be, but not without a word.  A copy of a program is the same
 * module by its build-id, and another build of it has its name. */
static void others_tell(const struct profile *p)
{
	const struct profile_module *first = NULL;

	for (uint32_t i = 0; i < p->nmodules; i++) {
		const struct profile_module *m = &p->modules[i];

		if (first && m->main_program && strcmp(name_of(first), name_of(m)) != 0) {
			message("note: these are profiles of several programs, %s and %s for instance; they are added up", name_of(first), name_of(m));
			return;
		}
		if (m->main_program && !first)
			first = m;
	}
}

bool input_read(struct input *in, char **files, size_t n, const char *label, struct error *err)
{
	size_t have = in->profile ? in->profile->nruns : 0;
	enum report_life *life = reallocarray(in->life, have + n + 1, sizeof *life);

	progress_begin();
	progress_step("reading the profile");
	if (life)
		in->life = life;
	if (!in->profile && (in->profile = profile_new()) && in->phase && !profile_set_phase(in->profile, in->phase))
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	if (!life || !in->profile)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < n; i++)
		if (!files_read(in->profile, files[i], label, &in->life[have + i], err))
			return false;
	others_tell(in->profile);
	return true;
}

/* Has any of the files the phase? */
static bool phase_check(const struct input *in, struct error *err)
{
	const struct profile *p = in->profile;

	for (uint32_t i = 0; i < p->nphases; i++)
		if (strcmp(p->phases[i].name, in->phase) == 0)
			return true;
	return error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, p->nphases ? "--phase=%s: no such phase: aprof info lists them" :
			 "--phase=%s: the program named no phases: see aprof_api(3)", in->phase);
}

/* Program counters by address. */
static int compare_places(const void *left, const void *right, void *arg)
{
	const struct profile_pc *pcs = arg, *a = pcs + *(const size_t *)left, *b = pcs + *(const size_t *)right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* Whether there may be code of hooks in the module: it has routines with hooks, or the monitor may be in it. Others need not be opened. */
static bool may_have_hooks(const struct profile *p, uint32_t module)
{
	const char *base;

	if (module >= p->nmodules)
		return false;
	base = strrchr(p->modules[module].path, '/');
	return p->modules[module].hooked || p->modules[module].main_program || strncmp(base ? base + 1 : "", "libaprof", 8) == 0;
}

/* A routine of the profile, by its symbol. */
struct called {
	const struct symbol *symbol;	/* NULL: it has none */
	uint32_t routine;
};

static int compare_called(const void *left, const void *right)
{
	const struct called *l = left, *r = right;
	uintptr_t a = (uintptr_t)l->symbol, b = (uintptr_t)r->symbol;

	return (a > b) - (a < b);
}

static const struct symbol *symbol_of(const struct input *in, uint32_t routine)
{
	const struct profile_routine *r = in->profile->routines + routine;

	return r->pseudo ? NULL : symbols_find(in->symbols, r->module, r->address);
}

/* The profile's routines, sorted by their symbols' own addresses; malloc'ed. NULL: out of memory. */
static struct called *called_routines(const struct input *in)
{
	uint32_t n = in->profile->nroutines;
	struct called *called = calloc((size_t)n + 1, sizeof *called);

	for (uint32_t i = 0; called && i < n; i++)
		called[i] = (struct called){ symbol_of(in, i), i };
	if (called)
		qsort(called, n, sizeof *called, compare_called);
	return called;
}

static struct profile_spot spot_of(const struct input *in, const struct called *called, const struct profile_pc *pc)
{
	const struct profile *p = in->profile;
	uint32_t routine = p->contexts[pc->context].routine;
	struct called wanted = { NULL, 0 }, *found = NULL;
	bool own;

	if (!may_have_hooks(p, pc->module))
		return (struct profile_spot){ PROFILE_NO_HOOK, PROFILE_NONE };
	wanted.symbol = symbols_find(in->symbols, pc->module, pc->address);
	own = routine < p->nroutines && symbol_of(in, routine) == wanted.symbol;
	if (!own && wanted.symbol)
		found = bsearch(&wanted, called, p->nroutines, sizeof *called, compare_called);
	if (!own)
		routine = found ? found->routine : PROFILE_NONE;
	if (symbols_in_hooks(in->symbols, pc->module, pc->address))
		return (struct profile_spot){ own ? PROFILE_OWN_HOOK : PROFILE_HOOK_OF_CALLEE, routine };
	return (struct profile_spot){ found ? PROFILE_EDGE : PROFILE_NO_HOOK, routine };
}

/* Where the profile's program counters are; looked at by address, since symbols_in_hooks likes it so. ORDER has room for them all. */
static struct profile_spot *find_spots(const struct input *in, size_t *order)
{
	const struct profile *p = in->profile;
	struct profile_spot *spots = calloc(p->npcs + 1, sizeof *spots);
	struct called *called = spots ? called_routines(in) : NULL;

	if (!called) {
		free(spots);
		return NULL;
	}
	for (size_t i = 0; i < p->npcs; i++)
		order[i] = i;
	if (p->npcs)
		qsort_r(order, p->npcs, sizeof *order, compare_places, p->pcs);
	for (size_t i = 0; i < p->npcs; i++)
		spots[order[i]] = spot_of(in, called, p->pcs + order[i]);
	free(called);
	return spots;
}

/* Where the program counters were, and by that what the hooks cost. */
static bool settle_hooks(struct input *in, struct error *err)
{
	size_t *order = calloc(in->profile->npcs + 1, sizeof *order);

	in->spots = order ? find_spots(in, order) : NULL;
	free(order);
	return in->spots ? profile_settle_hooks(in->profile, in->profile->npcs ? in->spots : NULL, err)
		: error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
}

/* Find the static arcs. */
static bool read_code(struct input *in, struct error *err)
{
	progress_step("reading the code");
	if (!static_arcs_make(&in->static_arcs, in->profile, in->symbols, err))
		return false;
	if (!in->static_arcs.all)
		message("note: not all of the program's code could be read; calls that stand there and were not made are not listed");
	return true;
}

bool input_build(struct input *in, const char *program, const struct graph_options *options, struct error *err)
{
	struct graph_options more = *options;

	if (in->phase && !phase_check(in, err))
		return false;
	progress_step("reading symbols");
	in->symbols = symbols_open(in->profile, program, err);
	if (in->symbols && in->linked_names)
		symbols_keep_linked(in->symbols);
	if (!in->symbols || !names_make(&in->names, in->profile, in->symbols, err) || !settle_hooks(in, err))
		return false;
	if (in->with_static && !read_code(in, err))
		return false;
	progress_step("building the call graph");
	more.static_arcs = in->static_arcs.arcs;
	more.nstatic_arcs = in->static_arcs.n;
	in->graph = graph_build(in->profile, in->names.names, &more, err);
	more.model = GRAPH_GPROF;
	if (in->graph && in->with_gprof)
		in->gprof = graph_build(in->profile, in->names.names, &more, err);
	if (!in->graph || (in->with_gprof && !in->gprof))
		return false;
	in->report = (struct report_input){ .graph = in->graph, .gprof = in->gprof, .symbols = in->symbols, .spots = in->spots,
		.never = in->names.never, .nnever = in->names.nnever, .never_known = in->names.never_known, .left_out = in->names.left_out,
		.nleft_out = in->names.nleft_out, .life = in->life, .program = program, .phase = in->phase };
	return true;
}

void input_free(struct input *in)
{
	progress_end();
	graph_free(in->graph);
	graph_free(in->gprof);
	static_arcs_free(&in->static_arcs);
	names_free(&in->names);
	free(in->spots);
	if (in->symbols)
		symbols_free(in->symbols);
	if (in->profile)
		profile_free(in->profile);
	free(in->life);
	*in = (struct input){ 0 };
}
