/* profile.c - the parts of a profile: making, finding and forgetting them.
 *
 * Everything is appended only; so a profile is put back as it was before a bad file
 * by cutting the arrays to their old lengths. Counters are added last, when nothing can fail. */
#include "contract/amount.h"
#include "read/profile/private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* CPU time of which the kernel tells the two modes well enough, ns: some 25 timer interrupts. */
enum { COUNTED = 100000000 };

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof *p);
	struct profile_private *own = calloc(1, sizeof *own);

	if (!p || !own || !histories_init(&own->histories) ||
	    !array_reserve(&p->contexts, &own->contexts, 1, sizeof *p->contexts) ||
	    !array_reserve(&own->node_of, &own->nodes, 1, sizeof *own->node_of)) {
		if (own)
			histories_free(&own->histories);
		if (p)
			free(p->contexts);
		free(own);
		free(p);
		return NULL;
	}
	p->private = own;
	p->contexts[0] = (struct profile_context){ .parent = PROFILE_NONE, .routine = PROFILE_NONE };
	own->node_of[0] = 0;
	own->histories.nodes[0].context = 0;
	p->ncontexts = 1;
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	profile_free(p->sampled);
	profile_rewind(p, &(struct profile_mark){ .contexts = 1, .nodes = 1 });
	free(p->runs);
	free(p->modules);
	free(p->routines);
	free(p->threads);
	free(p->contexts);
	free(p->values);
	free(p->amounts);
	free(p->shares);
	free(p->spreads);
	free(p->slices);
	free(p->pcs);
	free(p->stacks);
	free(p->sites);
	free(p->symbols);
	free(p->arcs);
	free(p->scripts);
	free(p->phases);
	free(p->private->phase);
	free(p->private->value);
	table_free(&p->private->module_table);
	table_free(&p->private->routine_table);
	free(p->private->node_of);
	free(p->detours);
	histories_free(&p->private->histories);
	free(p->private);
	free(p);
}

static uint64_t profile_module_key(const struct profile_module *m)
{
	const unsigned char *s = (const unsigned char *)m->path;
	uint64_t key = m->build_id_size;

	if (m->build_id_size)
		for (uint32_t i = 0; i < m->build_id_size; i++)
			key = hash_mix(key, m->build_id[i]);
	else
		while (*s)
			key = hash_mix(key, *s++);
	return key;
}

static uint64_t profile_module_hash(const void *owner, uint32_t i)
{
	return profile_module_key(&((const struct profile *)owner)->modules[i]);
}

static bool same_module(const struct profile_module *a, const struct profile_module *b)
{
	if (a->build_id_size != b->build_id_size)
		return false;
	return a->build_id_size ? memcmp(a->build_id, b->build_id, a->build_id_size) == 0 :
				  strcmp(a->path, b->path) == 0;
}

static uint64_t profile_routine_key(const struct profile_routine *r)
{
	return hash_mix(hash_mix(r->module, r->address), (uint64_t)r->flags << 32 | r->pseudo);
}

static uint64_t profile_routine_hash(const void *owner, uint32_t i)
{
	return profile_routine_key(&((const struct profile *)owner)->routines[i]);
}

/* Module M was at PATH, too; SIZE counts its NUL.  Where they are too many the first by name are kept, whatever came first.  False: out of memory. */
static bool add_path(struct profile_module *m, const char *path, size_t size)
{
	bool known = strcmp(m->path, path) == 0;
	uint32_t last = 0;			/* of the paths there are, by name */
	char **also, *copy;

	for (uint32_t i = 0; i < m->nalso && !known; i++) {
		known = strcmp(m->also[i], path) == 0;
		last = strcmp(m->also[i], m->also[last]) > 0 ? i : last;
	}
	if (known || (m->nalso == PROFILE_ALSO && strcmp(m->also[last], path) < 0))
		return true;
	if (m->nalso < PROFILE_ALSO) {
		also = realloc(m->also, (m->nalso + 1) * sizeof *also);
		if (!also)
			return false;
		m->also = also;
	}
	copy = malloc(size);
	if (!copy)
		return false;
	memcpy(copy, path, size);
	if (m->nalso < PROFILE_ALSO) {
		m->also[m->nalso++] = copy;
	} else {
		free(m->also[last]);
		m->also[last] = copy;
	}
	return true;
}

bool profile_is_anonymous(const char *path, uint64_t *start)
{
	size_t n = strlen(AMON_ANONYMOUS_MODULE);
	char *end;
	uint64_t address;

	if (strncmp(path, AMON_ANONYMOUS_MODULE, n) != 0)
		return false;
	address = strtoull(path + n, &end, 16);
	if (start)
		*start = address;
	return end > path + n && strcmp(end, "]") == 0;
}

bool profile_module_at(struct profile *p, uint32_t module, const char *path)
{
	return add_path(&p->modules[module], path, strlen(path) + 1);
}

uint32_t profile_module(struct profile *p, const struct profile_module *m, size_t size)
{
	struct profile_private *own = p->private;
	uint64_t key = profile_module_key(m);
	uint32_t found;
	char *path;

	for (uint64_t i = key; (found = table_next(&own->module_table, &i)) != PROFILE_NONE;)
		if (same_module(&p->modules[found], m))
			return add_path(&p->modules[found], m->path, size) ? found : PROFILE_NONE;
	if (!array_reserve(&p->modules, &own->modules, (size_t)p->nmodules + 1, sizeof *p->modules) ||
	    !table_reserve(&own->module_table, (uint64_t)p->nmodules + 1, profile_module_hash, p))
		return PROFILE_NONE;
	path = malloc(size);
	if (!path)
		return PROFILE_NONE;
	p->modules[p->nmodules] = *m;
	p->modules[p->nmodules].path = memcpy(path, m->path, size);
	table_add(&own->module_table, key, p->nmodules);
	return p->nmodules++;
}

uint32_t profile_routine(struct profile *p, const struct profile_routine *r)
{
	struct profile_private *own = p->private;
	uint64_t key = profile_routine_key(r);
	uint32_t found;

	for (uint64_t i = key; (found = table_next(&own->routine_table, &i)) != PROFILE_NONE;) {
		const struct profile_routine *o = &p->routines[found];

		if (o->module == r->module && o->address == r->address && o->flags == r->flags &&
		    o->pseudo == r->pseudo)
			return found;
	}
	if (!array_reserve(&p->routines, &own->routines, (size_t)p->nroutines + 1, sizeof *p->routines) ||
	    !table_reserve(&own->routine_table, (uint64_t)p->nroutines + 1, profile_routine_hash, p))
		return PROFILE_NONE;
	p->routines[p->nroutines] = *r;
	table_add(&own->routine_table, key, p->nroutines);
	return p->nroutines++;
}

uint32_t profile_step(struct profile *p, uint32_t context, uint32_t routine)
{
	struct profile_private *own = p->private;
	struct history_step step;
	uint32_t *slot;

	assert(context < p->ncontexts && routine < p->nroutines);
	if (!histories_step(&own->histories, own->node_of[context], p->contexts[context].length, routine, &step))
		return PROFILE_NONE;
	slot = &own->histories.nodes[step.node].context;
	if (*slot != HISTORIES_NONE)
		return *slot;
	if (p->ncontexts >= PROFILE_NONE ||
	    !array_reserve(&p->contexts, &own->contexts, (size_t)p->ncontexts + 1, sizeof *p->contexts) ||
	    !array_reserve(&own->node_of, &own->nodes, (size_t)p->ncontexts + 1, sizeof *own->node_of))
		return PROFILE_NONE;
	p->contexts[p->ncontexts] = (struct profile_context){
		.parent = context, .routine = routine, .length = step.length, .folded = step.folded,
	};
	own->node_of[p->ncontexts] = step.node;
	return *slot = p->ncontexts++;
}

struct profile_mark profile_mark(const struct profile *p)
{
	return (struct profile_mark){
		.runs = p->nruns, .modules = p->nmodules, .routines = p->nroutines, .threads = p->nthreads,
		.contexts = p->ncontexts, .nodes = p->private->histories.n, .scripts = p->nscripts, .values = p->nvalues, .amounts = p->namounts,
		.shares = p->nshares, .slices = p->nslices, .pcs = p->npcs, .stacks = p->nstacks, .sites = p->nsites, .symbols = p->nsymbols, .arcs = p->narcs, .detours = p->ndetours,
		.value_beside = p->private->value_beside,
	};
}

static void module_free(struct profile_module *m)
{
	for (uint32_t i = 0; i < m->nalso; i++)
		free(m->also[i]);
	free(m->also);
	free(m->path);
}

static void cut_symbols(struct profile *p, size_t n)
{
	while (p->nsymbols > n)
		free(p->symbols[--p->nsymbols].data);
}

static void cut_scripts(struct profile *p, uint32_t n)
{
	for (; p->nscripts > n; p->nscripts--) {
		p->routines[p->scripts[p->nscripts - 1].routine].script = 0;
		free(p->scripts[p->nscripts - 1].name);
	}
}

void profile_drop_symbols(struct profile *p) { cut_symbols(p, 0); }

bool profile_add_symbols(struct profile *p, const struct profile_symbols *s)
{
	struct profile_symbols copy = *s;

	for (size_t i = 0; i < p->nsymbols; i++)
		if (p->symbols[i].module == s->module && p->symbols[i].size == s->size && !memcmp(p->symbols[i].data, s->data, s->size))
			return true;
	if (!array_reserve(&p->symbols, &p->private->symbols, p->nsymbols + 1, sizeof *p->symbols) || !(copy.data = malloc(s->size + 1)))
		return false;
	memcpy(copy.data, s->data, s->size);
	p->symbols[p->nsymbols++] = copy;
	return true;
}

void profile_rewind(struct profile *p, const struct profile_mark *mark)
{
	struct profile_private *own = p->private;

	assert(mark->contexts > 0 && mark->contexts <= p->ncontexts && mark->routines <= p->nroutines && mark->shares <= p->nshares);
	while (p->nruns > mark->runs) {
		free(p->runs[--p->nruns].label);
		free(p->runs[p->nruns].commands);
	}
	while (p->nmodules > mark->modules)
		module_free(&p->modules[--p->nmodules]);
	while (p->ncontexts > mark->contexts)
		own->histories.nodes[own->node_of[--p->ncontexts]].context = HISTORIES_NONE;
	histories_cut(&own->histories, mark->nodes);
	cut_scripts(p, mark->scripts);
	p->nroutines = mark->routines;
	p->nthreads = mark->threads;
	p->nvalues = mark->values;
	p->namounts = mark->amounts;
	p->nshares = mark->shares;
	p->nslices = mark->slices;
	p->npcs = mark->pcs;
	p->nstacks = mark->stacks;
	p->nsites = mark->sites;
	cut_symbols(p, mark->symbols);
	p->narcs = mark->arcs;
	p->ndetours = mark->detours;
	own->value_beside = mark->value_beside;
	table_cut(&own->module_table, p->nmodules, profile_module_hash, p);
	table_cut(&own->routine_table, p->nroutines, profile_routine_hash, p);
}

void profile_tables_renew(struct profile *p)
{
	table_renew(&p->private->module_table, p->nmodules, profile_module_hash, p);
	table_renew(&p->private->routine_table, p->nroutines, profile_routine_hash, p);
}

bool profile_used_way(const struct profile *p, enum amon_way way)
{
	for (uint32_t i = 0; i < p->nruns; i++)
		if (p->runs[i].header.way >> way & 1)
			return true;
	return false;
}

bool profile_is_imported(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nruns; i++)
		if (p->runs[i].header.origin[0])
			return true;
	return false;
}

const char *profile_run_name(const struct profile_run *run)
{
	return run->header.program[0] ? run->header.program : run->label;
}

static const struct { uint32_t pseudo; const char *name; } pseudo_names[] = {
	{ AMON_ROUTINE_ELIDED, "(elided)" }, { AMON_ROUTINE_LOST, "(lost)" }, { AMON_ROUTINE_MONITOR, "(monitor)" },
	{ AMON_ROUTINE_UNPLACED, "(unplaced)" }, { AMON_ROUTINE_TRUNCATED, "(truncated)" }, { AMON_ROUTINE_KERNEL, "[kernel]" },
	{ AMON_ROUTINE_SIGNAL, "(signal)" },
};

const char *profile_pseudo_name(uint32_t pseudo)
{
	for (size_t i = 0; i < sizeof pseudo_names / sizeof *pseudo_names; i++)
		if (pseudo_names[i].pseudo == pseudo)
			return pseudo_names[i].name;
	return "(unknown)";
}

uint32_t profile_pseudo_find(const char *name)
{
	for (size_t i = 0; i < sizeof pseudo_names / sizeof *pseudo_names; i++)
		if (strcmp(pseudo_names[i].name, name) == 0)
			return pseudo_names[i].pseudo;
	return 0;
}

bool profile_counts_calls(const struct profile *p)
{
	return !profile_used_way(p, AMON_WAY_STACKS);
}

bool profile_has_contexts(const struct profile *p)
{
	return !profile_used_way(p, AMON_WAY_ARCS);
}

double profile_tick(const struct profile *p)
{
	const struct amon_header *h = p->nruns ? &p->runs[0].header : NULL;
	double ticks = 0;

	if (!h || !(profile_value_of(p)->flags & AMON_VALUE_SAMPLED))
		return 0;
	for (uint32_t i = 0; i < p->ncontexts; i++)
		ticks += (double)p->contexts[i].ticks;
	if (ticks > 0)
		return (double)p->time / ticks;
	return h->rate ? 1e9 / h->rate : 0;
}

bool profile_set_value(struct profile *p, const char *name, enum profile_value_from from)
{
	p->private->value_from = from;
	return (p->private->value = strdup(name)) != NULL;
}

bool profile_value_is_beside(const struct profile *p) { return p->private->value_beside; }

const struct profile_value *profile_value_of(const struct profile *p)
{
	static const struct profile_value time = { "cpu", "ns", AMON_VALUE_SAMPLED };

	return p->nvalues ? &p->values[0] : &time;
}

bool profile_is_time(const struct profile *p)
{
	return strcmp(profile_value_of(p)->unit, "ns") == 0;
}

bool profile_has_calls(const struct profile *p)
{
	return p->nruns && profile_counts_calls(p) && profile_has_contexts(p);
}

double profile_variance(const struct profile *p, uint32_t context)
{
	const struct profile_context *c = &p->contexts[context];

	return profile_value_of(p)->flags & AMON_VALUE_WEIGHED ? (double)squares_wide(c->squares) : (double)c->time * profile_tick(p);
}

double profile_kernel_part(const struct profile *p)
{
	double user = 0, system = 0;

	for (uint32_t i = 0; i < p->nruns; i++) {
		user += (double)p->runs[i].header.cpu_user;
		system += (double)p->runs[i].header.cpu_system;
	}
	return user + system >= COUNTED ? system / (user + system) : -1;
}

double profile_pc_period(const struct profile *p)
{
	double sum = 0, runs = 0;

	for (uint32_t i = 0; i < p->nruns; i++)
		if (p->runs[i].header.pc_period) {
			sum += (double)p->runs[i].header.pc_period;
			runs++;
		}
	return runs > 0 ? sum / runs : 0;
}

bool profile_lacks_pcs(const struct amon_header *h)
{
	return h->notes[AMON_NOTE_PC_LOST] || h->notes[AMON_NOTE_SIGPROF_TAKEN] || h->notes[AMON_NOTE_PC_BLOCKED] || h->notes[AMON_NOTE_TIMER_FAILED];
}

size_t profile_history(const struct profile *p, uint32_t context, history_entry *out)
{
	uint32_t length = p->contexts[context].length;

	histories_get(&p->private->histories, p->private->node_of[context], length, out);
	return length;
}
