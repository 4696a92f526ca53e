/* sum.c - adding a profile to a sum. */
#include "read/profile/sum.h"

#include <stdlib.h>
#include <string.h>

#include "read/profile/commands.h"
#include "read/profile/headers.h"
#include "read/profile/summing.h"
#include "read/profile/values.h"
#include "contract/amount.h"

struct profile_sum *profile_sum_new(bool many)
{
	struct profile_sum *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->by_name = many;
	s->shares = (struct key_table){ .size = sizeof(struct profile_share), .key = offsetof(struct profile_share, entries) };
	s->amounts = (struct key_table){ .size = sizeof(struct profile_amount), .key = offsetof(struct profile_amount, amount) };
	s->pcs = (struct key_table){ .size = sizeof(struct profile_pc), .key = offsetof(struct profile_pc, count) };
	s->detours = (struct key_table){ .size = sizeof(struct profile_detour), .key = offsetof(struct profile_detour, to) + sizeof(uint32_t) };
	s->sites = (struct key_table){ .size = sizeof(struct profile_site), .key = offsetof(struct profile_site, calls) };
	s->arcs = (struct key_table){ .size = sizeof(struct profile_arc), .key = offsetof(struct profile_arc, calls) };
	s->slices = (struct key_table){ .size = sizeof(struct profile_slice), .key = offsetof(struct profile_slice, time) };
	s->commands = (struct key_table){ .size = sizeof(struct profile_command), .key = offsetof(struct profile_command, processes) };
	s->p = profile_new();
	if (s->p)
		return s;
	free(s);
	return NULL;
}

void profile_sum_free(struct profile_sum *s)
{
	if (!s)
		return;
	profile_sum_free(s->sampled);
	profile_free(s->p);
	key_table_free(&s->shares);
	key_table_free(&s->amounts);
	key_table_free(&s->pcs);
	key_table_free(&s->detours);
	key_table_free(&s->sites);
	key_table_free(&s->arcs);
	key_table_free(&s->slices);
	key_table_free(&s->commands);
	table_free(&s->names);
	free(s->module_of);
	free(s->routine_of);
	free(s->context_of);
	free(s->thread_of);
	free(s->value_of);
	free(s->left);
	free(s->history);
	free(s);
}

/* ---- records ---- */

bool sum_share(struct key_table *k, const struct profile_share *s)
{
	bool is_new;
	struct profile_share *sum = key_table_at(k, s, &is_new);

	if (!sum || is_new)
		return sum != NULL;
	profile_sum_share(sum, s);
	return true;
}

bool sum_amount(struct key_table *k, const struct profile_amount *a)
{
	bool is_new;
	struct profile_amount *sum = key_table_at(k, a, &is_new);

	if (sum && !is_new)
		amount_sum(sum, a);
	return sum != NULL;
}

bool sum_pc(struct key_table *k, const struct profile_pc *pc)
{
	bool is_new;
	struct profile_pc *sum = key_table_at(k, pc, &is_new);

	if (sum && !is_new)
		add_capped(&sum->count, pc->count);
	return sum != NULL;
}

bool sum_detour(struct key_table *k, const struct profile_detour *d)
{
	bool is_new;
	struct profile_detour *sum = key_table_at(k, d, &is_new);

	if (sum && !is_new)
		add_capped(&sum->calls, d->calls);
	return sum != NULL;
}

bool sum_site(struct key_table *k, const struct profile_site *s)
{
	bool is_new;
	struct profile_site *sum = key_table_at(k, s, &is_new);

	if (!sum || is_new)
		return sum != NULL;
	add_capped(&sum->calls, s->calls);
	add_capped(&sum->self, s->self);
	add_capped(&sum->children, s->children);
	return true;
}

bool sum_arc(struct key_table *k, const struct profile_arc *a)
{
	bool is_new;
	struct profile_arc *sum = key_table_at(k, a, &is_new);

	if (!sum || is_new)
		return sum != NULL;
	add_capped(&sum->calls, a->calls);
	add_capped(&sum->time, a->time);
	return true;
}

bool sum_slice(struct key_table *k, const struct profile_slice *s)
{
	bool is_new;
	struct profile_slice *sum = key_table_at(k, s, &is_new);

	if (sum && !is_new)
		slice_add_up(sum, s);
	return sum != NULL;
}

static bool add_command(struct profile_sum *s, const struct profile_command *c)
{
	bool is_new;
	struct profile_command key = *c, *sum;
	size_t n = strnlen(key.name, sizeof key.name);

	memset(key.name + n, 0, sizeof key.name - n);
	add_capped(&s->processes, c->processes);
	sum = key_table_at(&s->commands, &key, &is_new);
	if (!sum || is_new)
		return sum != NULL;
	add_capped(&sum->processes, c->processes);
	add_capped(&sum->time, c->time);
	add_capped(&sum->calls, c->calls);
	return true;
}

/* ---- what they are about ---- */

static bool map_modules(struct profile_sum *s, const struct profile *q)
{
	if (!array_reserve(&s->module_of, &s->module_room, (size_t)q->nmodules + 1, sizeof *s->module_of))
		return false;
	for (uint32_t i = 0; i < q->nmodules; i++) {
		const struct profile_module *m = &q->modules[i];
		struct profile_module bare = *m;
		uint32_t to;

		if (profile_is_anonymous(m->path, NULL)) {
			s->module_of[i] = PROFILE_NONE;
			continue;
		}
		bare.also = NULL;
		bare.nalso = 0;
		to = s->module_of[i] = profile_module(s->p, &bare, strlen(m->path) + 1);
		if (to == PROFILE_NONE)
			return false;
		for (uint32_t k = 0; k < m->nalso; k++)
			if (!profile_module_at(s->p, to, m->also[k]))
				return false;
		s->p->modules[to].main_program |= m->main_program;
		s->p->modules[to].hooked |= m->hooked;
	}
	return true;
}

static uint32_t sum_module_of(const struct profile_sum *s, uint32_t module)
{
	return module == PROFILE_NONE ? PROFILE_NONE : s->module_of[module];
}

/* Which of two that an interpreter gave one key: it is the same one each time. */
static int sum_script_compare(const struct profile_script *a, const struct profile_script *b)
{
	int c = strcmp(a->file, b->file);

	c = c ? c : (a->line > b->line) - (a->line < b->line);
	return c ? c : strcmp(a->name, b->name);
}

/* The routine TO of the sum is what SCRIPT says. */
static bool sum_add_script(struct profile_sum *s, uint32_t to, const struct profile_script *script)
{
	struct profile *p = s->p;
	size_t name = strlen(script->name) + 1, file = strlen(script->file) + 1;
	struct profile_script copy = { .routine = to, .line = script->line };
	uint32_t known = p->routines[to].script;

	if (known && sum_script_compare(&p->scripts[known - 1], script) <= 0)
		return true;
	if (!array_reserve(&p->scripts, &p->private->scripts, (size_t)p->nscripts + 1, sizeof *p->scripts) || !(copy.name = malloc(name + file)))
		return false;
	memcpy(copy.name, script->name, name);
	copy.file = memcpy(copy.name + name, script->file, file);
	if (!known)
		known = p->routines[to].script = ++p->nscripts;
	else
		free(p->scripts[known - 1].name);
	p->scripts[known - 1] = copy;
	return true;
}

static bool map_routines(struct profile_sum *s, const struct profile *q)
{
	uint64_t start;

	if (!array_reserve(&s->routine_of, &s->routine_room, (size_t)q->nroutines + 1, sizeof *s->routine_of))
		return false;
	for (uint32_t i = 0; i < q->nroutines; i++) {
		struct profile_routine r = q->routines[i];

		if (r.module != PROFILE_NONE && profile_is_anonymous(q->modules[r.module].path, &start))
			r.address = start;		/* nobody will tell what it was: in each process it is at another place */
		r.module = sum_module_of(s, r.module);
		r.script = 0;
		s->routine_of[i] = profile_routine(s->p, &r);
		if (s->routine_of[i] == PROFILE_NONE ||
		    (q->routines[i].script && !sum_add_script(s, s->routine_of[i], &q->scripts[q->routines[i].script - 1])))
			return false;
	}
	return histories_reserve(&s->p->private->histories, 0, s->p->nroutines);
}

/* The context of the sum with the history of CONTEXT, by the way that the history tells. */
static uint32_t context_replay(struct profile_sum *s, const struct profile *q, uint32_t context)
{
	size_t n;
	uint32_t at = 0;

	if (!array_reserve(&s->history, &s->history_room, (size_t)q->longest + 1, sizeof *s->history))
		return PROFILE_NONE;
	n = profile_history(q, context, s->history);
	for (size_t i = 0; i < n && at != PROFILE_NONE; i++)
		at = profile_step(s->p, at, s->routine_of[history_routine(s->history[i])]);
	return at;
}

/* A step that unmarked nothing is the last of the way that the history tells; else the whole way is gone. */
static bool map_contexts(struct profile_sum *s, const struct profile *q)
{
	if (!array_reserve(&s->context_of, &s->context_room, (size_t)q->ncontexts + 1, sizeof *s->context_of))
		return false;
	s->context_of[0] = 0;
	for (uint32_t i = 1; i < q->ncontexts; i++) {
		const struct profile_context *c = &q->contexts[i];

		s->context_of[i] = c->folded ? context_replay(s, q, i) : profile_step(s->p, s->context_of[c->parent], s->routine_of[c->routine]);
		if (s->context_of[i] == PROFILE_NONE)
			return false;
	}
	return true;
}

/* What is of one value in both is added up; what one of them has not is a part. */
static bool map_values(struct profile_sum *s, const struct profile *q)
{
	struct profile *p = s->p;
	uint32_t before = p->nvalues;

	if (!array_reserve(&s->value_of, &s->value_room, (size_t)q->nvalues + 1, sizeof *s->value_of))
		return false;
	for (uint32_t i = 0; i < q->nvalues; i++) {
		uint32_t to = s->value_of[i] = profile_value_add(p, &q->values[i]);

		if (to == PROFILE_NONE)
			return false;
		p->values[to].flags = value_flags_join(p->values[to].flags, q->values[i].flags) | (before && to >= before ? AMON_VALUE_PARTIAL : 0);
	}
	for (uint32_t i = 0; q->nvalues && i < before; i++)
		if (profile_value_find(q, p->values[i].name) == PROFILE_NONE)
			p->values[i].flags |= AMON_VALUE_PARTIAL;
	return true;
}

/* ---- threads ---- */

static uint64_t sum_name_key(const struct amon_thread *t)
{
	uint64_t words[2];

	memcpy(words, t->name, sizeof words);
	return hash_mix(words[0], words[1]);
}

static uint64_t sum_name_hash(const void *owner, uint32_t i)
{
	return sum_name_key(&((const struct profile *)owner)->threads[i].record);
}

/* The name of T alone, without what may stand behind it. */
static void name_clean(struct amon_thread *t)
{
	size_t n = strnlen(t->name, sizeof t->name);

	memset(t->name + n, 0, sizeof t->name - n);
}

/* Add what thread RECORD counted to T, which is a sum. */
static void sum_thread_add(struct amon_thread *t, const struct amon_thread *record)
{
	if (record->start_monotonic < t->start_monotonic)
		t->start_monotonic = record->start_monotonic;
	if (record->deepest > t->deepest)
		t->deepest = record->deepest;
	add_capped(&t->folded, record->folded ? record->folded : 1);
	add_capped(&t->cpu_first, record->cpu_first);
	add_capped(&t->cpu_last, record->cpu_last);
	add_capped(&t->unplaced, record->unplaced);
	add_capped(&t->monitor, record->monitor);
	add_capped(&t->ticks, record->ticks);
	add_capped(&t->monitor_ticks, record->monitor_ticks);
	add_capped(&t->squares, record->squares);
	add_capped(&t->misses, record->misses);
	add_capped(&t->slow, record->slow);
}

/* A thread of the sum for T alone, in context CURRENT.  PROFILE_NONE: out of memory. */
static uint32_t sum_thread_new(struct profile *p, const struct profile_thread *t, uint32_t current)
{
	if (p->nthreads >= PROFILE_NONE - 1 ||
	    !array_reserve(&p->threads, &p->private->threads, (size_t)p->nthreads + 1, sizeof *p->threads))
		return PROFILE_NONE;
	p->threads[p->nthreads] = *t;
	p->threads[p->nthreads].run = 0;
	p->threads[p->nthreads].current = current;
	p->threads[p->nthreads].record.current = AMON_NONE;	/* the writer's to say */
	return p->nthreads++;
}

/* The thread of the sum with the name of RECORD, to which it is added. */
static uint32_t thread_named(struct profile_sum *s, const struct amon_thread *record)
{
	struct profile *p = s->p;
	struct amon_thread sum = { .state = AMON_THREAD_FOLDED, .current = AMON_NONE, .start_monotonic = UINT64_MAX };
	uint64_t key;
	uint32_t found;

	memcpy(sum.name, record->name, sizeof sum.name);
	key = sum_name_key(&sum);
	for (uint64_t i = key; (found = table_next(&s->names, &i)) != PROFILE_NONE;)
		if (memcmp(p->threads[found].record.name, sum.name, sizeof sum.name) == 0)
			break;
	if (found == PROFILE_NONE) {
		if (!table_reserve(&s->names, (uint64_t)p->nthreads + 1, sum_name_hash, p))
			return PROFILE_NONE;
		found = sum_thread_new(p, &(struct profile_thread){ .record = sum }, PROFILE_NONE);
		if (found == PROFILE_NONE)
			return PROFILE_NONE;
		table_add(&s->names, key, found);
	}
	sum_thread_add(&p->threads[found].record, record);
	return found;
}

static bool map_threads(struct profile_sum *s, const struct profile *q)
{
	if (!array_reserve(&s->thread_of, &s->thread_room, (size_t)q->nthreads + 1, sizeof *s->thread_of))
		return false;
	for (uint32_t i = 0; i < q->nthreads; i++) {
		struct profile_thread t = q->threads[i];

		name_clean(&t.record);
		s->thread_of[i] = s->by_name ? thread_named(s, &t.record) :
				  sum_thread_new(s->p, &t, t.current == PROFILE_NONE ? PROFILE_NONE : s->context_of[t.current]);
		if (s->thread_of[i] == PROFILE_NONE)
			return false;
	}
	return true;
}

/* Add the records of K, about other threads now, to an empty one of their kind in its place. */
static bool sum_renew(struct key_table *k, const uint32_t *thread_of, size_t thread_at, bool (*add)(struct key_table *, const void *))
{
	struct key_table old = *k;
	bool ok = true;

	*k = (struct key_table){ .size = old.size, .key = old.key };
	for (size_t i = 0; ok && i < old.n; i++) {
		uint32_t *thread = (uint32_t *)(old.items + i * old.size + thread_at);

		*thread = *thread == PROFILE_NONE ? PROFILE_NONE : thread_of[*thread];
		ok = add(k, old.items + i * old.size);
	}
	key_table_free(&old);
	return ok;
}

static bool amount_again(struct key_table *k, const void *item) { return sum_amount(k, item); }
static bool share_again(struct key_table *k, const void *item) { return sum_share(k, item); }
static bool detour_again(struct key_table *k, const void *item) { return sum_detour(k, item); }
static bool site_again(struct key_table *k, const void *item) { return sum_site(k, item); }

bool sum_fold_threads(struct profile_sum *s)
{
	struct profile *p = s->p;
	struct profile_thread *apart = p->threads;
	uint32_t n = p->nthreads;
	bool ok = array_reserve(&s->thread_of, &s->thread_room, (size_t)n + 1, sizeof *s->thread_of);

	if (s->by_name || !ok)
		return ok;
	s->by_name = true;
	key_table_free(&s->slices);	/* of threads that are several nothing is known by interval */
	p->threads = NULL;
	p->nthreads = 0;
	p->private->threads = 0;
	for (uint32_t i = 0; ok && i < n; i++) {
		s->thread_of[i] = thread_named(s, &apart[i].record);
		ok = s->thread_of[i] != PROFILE_NONE;
	}
	free(apart);
	return ok && sum_renew(&s->shares, s->thread_of, offsetof(struct profile_share, thread), share_again) &&
	       sum_renew(&s->amounts, s->thread_of, offsetof(struct profile_amount, thread), amount_again) &&
	       sum_renew(&s->detours, s->thread_of, offsetof(struct profile_detour, thread), detour_again) &&
	       sum_renew(&s->sites, s->thread_of, offsetof(struct profile_site, thread), site_again);
}

/* ---- counters ---- */

/* CALLS of a thread led FROM one context TO another; those from its parent need no record. */
static bool add_way(struct profile_sum *s, uint32_t thread, uint32_t from, uint32_t to, uint64_t calls)
{
	struct profile_detour d = { .thread = thread, .from = from, .to = to, .calls = calls };

	return calls == 0 || s->p->contexts[to].parent == from || sum_detour(&s->detours, &d);
}

/* The shares [SHARE, END) of one thread, the detours from DETOUR on: the ways by which its contexts were entered. */
static bool add_ways(struct profile_sum *s, const struct profile *q, size_t share, size_t end, size_t *detour)
{
	uint32_t thread = q->shares[share].thread;

	for (size_t i = share; i < end; i++)
		s->left[q->shares[i].context] = q->shares[i].entries;
	for (; *detour < q->ndetours && q->detours[*detour].thread <= thread; ++*detour) {
		const struct profile_detour *d = &q->detours[*detour];
		uint64_t *left = &s->left[d->to];

		*left -= d->calls < *left ? d->calls : *left;
		if (!add_way(s, s->thread_of[thread], s->context_of[d->from], s->context_of[d->to], d->calls))
			return false;
	}
	for (size_t i = share; i < end; i++) {
		uint32_t context = q->shares[i].context;

		if (context && !add_way(s, s->thread_of[thread], s->context_of[q->contexts[context].parent], s->context_of[context], s->left[context]))
			return false;
	}
	return true;
}

static bool sum_add_shares(struct profile_sum *s, const struct profile *q)
{
	size_t detour = 0;

	if (!array_reserve(&s->left, &s->left_room, (size_t)q->ncontexts + 1, sizeof *s->left))
		return false;
	for (size_t i = 0, end; i < q->nshares; i = end) {
		for (end = i; end < q->nshares && q->shares[end].thread == q->shares[i].thread; end++) {
			struct profile_share share = q->shares[end];

			share.context = s->context_of[share.context];
			share.thread = s->thread_of[share.thread];
			if (!sum_share(&s->shares, &share))
				return false;
		}
		if (!add_ways(s, q, i, end, &detour))
			return false;
	}
	return true;
}

static bool sum_add_amounts(struct profile_sum *s, const struct profile *q)
{
	for (size_t i = 0; i < q->namounts; i++) {
		struct profile_amount a = q->amounts[i];

		a.value = s->value_of[a.value];
		if (a.thread == PROFILE_NONE) {
			a.from = a.from == PROFILE_NONE ? PROFILE_NONE : s->routine_of[a.from];
			a.to = s->routine_of[a.to];
		} else {
			a.thread = s->thread_of[a.thread];
			a.to = s->context_of[a.to];
		}
		if (!sum_amount(&s->amounts, &a))
			return false;
	}
	return true;
}

static bool sum_add_slices(struct profile_sum *s, const struct profile *q)
{
	for (size_t i = 0; i < q->nslices && !s->by_name; i++) {
		struct profile_slice slice = q->slices[i];

		slice.thread = s->thread_of[slice.thread];
		slice.context = slice.context == PROFILE_NONE ? PROFILE_NONE : s->context_of[slice.context];
		slice.phase = PROFILE_NONE;
		if (!sum_slice(&s->slices, &slice))
			return false;
	}
	return true;
}

static bool sum_add_places(struct profile_sum *s, const struct profile *q)
{
	for (size_t i = 0; i < q->npcs; i++) {
		struct profile_pc pc = q->pcs[i];

		pc.context = s->context_of[pc.context];
		pc.module = sum_module_of(s, pc.module);
		if (!sum_pc(&s->pcs, &pc))
			return false;
	}
	for (size_t i = 0; i < q->nsites; i++) {
		struct profile_site site = q->sites[i];

		site.thread = s->thread_of[site.thread];
		site.from = s->context_of[site.from];
		site.to = s->context_of[site.to];
		site.module = sum_module_of(s, site.module);
		if (!sum_site(&s->sites, &site))
			return false;
	}
	for (size_t i = 0; i < q->narcs; i++) {
		struct profile_arc arc = q->arcs[i];

		arc.from = arc.from == PROFILE_NONE ? PROFILE_NONE : s->routine_of[arc.from];
		arc.to = s->routine_of[arc.to];
		if (!sum_arc(&s->arcs, &arc))
			return false;
	}
	return true;
}

static bool add_symbols(struct profile_sum *s, const struct profile *q)
{
	for (size_t i = 0; i < q->nsymbols; i++) {
		struct profile_symbols symbols = q->symbols[i];

		symbols.module = sum_module_of(s, symbols.module);
		if (!profile_add_symbols(s->p, &symbols))
			return false;
	}
	return true;
}

/* ---- runs ---- */

static bool add_runs(struct profile_sum *s, const struct profile *q)
{
	struct profile *p = s->p;
	size_t n;
	struct profile_command *commands = commands_make(q, &n);
	bool ok = commands != NULL;

	for (size_t i = 0; ok && i < n; i++)
		ok = add_command(s, &commands[i]);
	free(commands);
	if (ok && p->nruns == 0 && q->nruns) {
		ok = array_reserve(&p->runs, &p->private->runs, 1, sizeof *p->runs);
		if (ok) {
			p->runs[0] = (struct profile_run){ .label = strdup(q->runs[0].label), .value = q->runs[0].value };
			ok = p->runs[0].label != NULL;
			p->nruns = ok;
		}
	}
	for (uint32_t i = 0; ok && i < q->nruns; i++) {
		struct amon_header h = headers_of(&q->runs[i]);

		if (p->runs[0].header.version)
			headers_add(&p->runs[0].header, &h);
		else
			p->runs[0].header = h;
		add_capped(&p->runs[0].calls, q->runs[i].calls);
		s->ranks += q->runs[i].ranks;
		s->unranked |= q->runs[i].ranks == 0;
	}
	return ok;
}

/* Do the runs of Q go with those of the sum? */
static bool goes_with(const struct profile_sum *s, const struct profile *q, struct error *err)
{
	if (s->p->nruns && q->nruns && (!profile_goes_with(&s->p->runs[0], &q->runs[0], err) || !values_agree(s->p, q->values, q->nvalues, q->runs[0].label, err)))
		return false;
	return !s->sampled || !q->sampled || goes_with(s->sampled, q->sampled, err);
}

/* The call stacks beside those of Q. */
static bool add_sampled(struct profile_sum *s, const struct profile *q)
{
	struct error none;

	if (!q->sampled)
		return true;
	if (!s->sampled)
		s->sampled = profile_sum_new(s->by_name);
	return s->sampled && profile_sum_add(s->sampled, q->sampled, &none);
}

bool profile_sum_add(struct profile_sum *s, const struct profile *q, struct error *err)
{
	if (!goes_with(s, q, err))
		return false;
	if (map_modules(s, q) && map_routines(s, q) && map_contexts(s, q) && profile_add_spreads(s->p, q, s->context_of) && map_threads(s, q) && map_values(s, q) && sum_add_shares(s, q) &&
	    sum_add_amounts(s, q) && sum_add_slices(s, q) && sum_add_places(s, q) &&
	    add_symbols(s, q) && add_runs(s, q) && add_sampled(s, q))
		return true;
	return error_no_memory(err, "adding up profiles");
}

bool profile_sum_keeps_slices(const struct profile *p)
{
	uint64_t processes = 0;

	for (uint32_t i = 0; i < p->nruns; i++) {
		const struct profile_run *run = &p->runs[i];

		for (size_t k = 0; k < run->ncommands; k++)
			processes += run->commands[k].processes;
		processes += run->ncommands == 0;
	}
	return processes <= SUM_APART;
}

size_t profile_sum_symbols(const struct profile_sum *s)
{
	size_t size = 0;

	for (size_t i = 0; i < s->p->nsymbols; i++)
		size += s->p->symbols[i].size;
	return size;
}

struct profile *profile_sum_so_far(struct profile_sum *s) { return s->p; }

/* The call stacks beside are those of the sum, if there are any. */
static bool sampled_take(struct profile_sum *s)
{
	struct error none;

	if (!s->sampled)
		return true;
	s->p->sampled = profile_sum_take(s->sampled, &none);
	s->sampled = NULL;
	return s->p->sampled != NULL;
}

struct profile *profile_sum_take(struct profile_sum *s, struct error *err)
{
	struct profile *p = NULL;

	if ((s->processes <= SUM_APART || sum_fold_threads(s)) && sum_settle(s) && sampled_take(s)) {
		p = s->p;
		s->p = NULL;
	} else {
		error_no_memory(err, "adding up profiles");
	}
	profile_sum_free(s);
	return p;
}
