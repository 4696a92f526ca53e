/* read.c - from the bytes of an amon.out to a profile: the header, the steps, and the sums.
 *
 * Nothing is added to the sums of the profile before all has been checked. */
#include "read/profile/reader.h"
#include "read/profile/values.h"
#include "contract/amount.h"

#include <stdlib.h>
#include <string.h>

/* A replay may handle and keep so many entries for each item.  Real programs need some
 * tens; a file made to exhaust us is refused. */
#define WORK_PER_ITEM 4096
#define WORK_AT_LEAST (UINT64_C(1) << 22)
#define NODES_PER_ITEM 128
#define NODES_AT_LEAST (UINT64_C(1) << 18)

/* Room for the contexts of the first file, of which each item may make one: so large arrays need not grow and be copied.  Those of later files are most often
 * there already. */
static bool read_room_make(struct profile *p, uint64_t items)
{
	struct profile_private *own = p->private;

	return p->ncontexts > 1 || (array_reserve(&p->contexts, &own->contexts, items + 1, sizeof *p->contexts) &&
				    array_reserve(&own->node_of, &own->nodes, items + 1, sizeof *own->node_of) &&
				    array_reserve(&p->shares, &own->shares, p->nshares + items, sizeof *p->shares));
}

/* Room for what the items may bring, and the bound on the work of replaying them. */
static bool prepare(struct reader *r)
{
	struct profile_private *own = r->p->private;
	const struct chunk *c;
	uint64_t items = 0;

	for (size_t i = 0; (c = reader_next(r, AMON_CONTEXTS, &i)) != NULL;)
		items += c->items;
	own->histories.work = 0;
	r->budget = items * WORK_PER_ITEM + WORK_AT_LEAST;
	r->node_budget = own->histories.n + items * NODES_PER_ITEM + NODES_AT_LEAST;
	return (items < PROFILE_NONE - own->histories.n &&
		histories_reserve(&own->histories, items, r->p->nroutines) && read_room_make(r->p, items)) || reader_no_memory(r);
}

static void merge_pcs(struct profile *p)
{
	size_t kept = 0;

	if (p->npcs > 1)
		qsort(p->pcs, p->npcs, sizeof *p->pcs, order_pcs);
	for (size_t i = 0; i < p->npcs; i++)
		if (kept > 0 && order_pcs(&p->pcs[kept - 1], &p->pcs[i]) == 0)
			add_capped(&p->pcs[kept - 1].count, p->pcs[i].count);
		else
			p->pcs[kept++] = p->pcs[i];
	p->npcs = kept;
}

static void merge_arcs(struct profile *p)
{
	size_t kept = 0;

	if (p->narcs > 1)
		qsort(p->arcs, p->narcs, sizeof *p->arcs, order_arcs);
	for (size_t i = 0; i < p->narcs; i++)
		if (kept > 0 && order_arcs(&p->arcs[kept - 1], &p->arcs[i]) == 0) {
			add_capped(&p->arcs[kept - 1].calls, p->arcs[i].calls);
			add_capped(&p->arcs[kept - 1].time, p->arcs[i].time);
		} else {
			p->arcs[kept++] = p->arcs[i];
		}
	p->narcs = kept;
}

void profile_sum_share(struct profile_share *sum, const struct profile_share *s)
{
	add_capped(&sum->entries, s->entries);
	add_capped(&sum->recursive, s->recursive);
	add_capped(&sum->calls_out, s->calls_out);
	add_capped(&sum->time, s->time);
	add_capped(&sum->ticks, s->ticks);
	squares_add(sum->squares, s->squares);
	add_capped(&sum->bytes, s->bytes);
}

void profile_add_share(struct profile *p, const struct profile_share *s)
{
	struct profile_context *c = &p->contexts[s->context];

	add_capped(&c->entries, s->entries);
	add_capped(&c->recursive, s->recursive);
	add_capped(&c->calls_out, s->calls_out);
	add_capped(&c->time, s->time);
	add_capped(&c->ticks, s->ticks);
	squares_add(c->squares, s->squares);
	add_capped(&c->bytes, s->bytes);
	add_capped(&p->time, s->time);
}

/* All is checked and in its place: add it up. */
static void read_commit(struct reader *r)
{
	struct profile *p = r->p;

	for (size_t i = r->mark.shares; i < p->nshares; i++)
		profile_add_share(p, &p->shares[i]);
	for (uint32_t i = r->mark.contexts; i < p->ncontexts; i++)
		if (p->contexts[i].length > p->longest)
			p->longest = p->contexts[i].length;
	for (uint32_t i = r->mark.threads; i < p->nthreads; i++) {
		add_capped(&p->monitor, p->threads[i].record.monitor);
		add_capped(&p->unplaced, p->threads[i].record.unplaced);
	}
	for (size_t i = 0; i < r->nmappings; i++) {
		p->modules[r->mappings[i].module].main_program |= r->mappings[i].main_program;
		p->modules[r->mappings[i].module].hooked |= r->mappings[i].hooked;
	}
	merge_pcs(p);
	merge_arcs(p);
	if (p->namounts > r->mark.amounts)
		amounts_merge(p, 0);
	values_commit(r);
	phases_commit(r);
	spreads_commit(r);
	p->runs[p->nruns - 1] = r->run;
}

static bool add_run(struct reader *r)
{
	struct profile *p = r->p;

	if (!array_reserve(&p->runs, &p->private->runs, (size_t)p->nruns + 1, sizeof *p->runs))
		return reader_no_memory(r);
	r->run.label = strdup(r->label);
	if (!r->run.label)
		return reader_no_memory(r);
	r->run.file_size = r->len;
	r->run.first_thread = p->nthreads;
	p->runs[p->nruns++] = r->run;
	return true;
}

/* Is what the chunk C has a file of call stacks, as far as its header tells?  None may be within another. */
static bool is_of_stacks(const struct reader *r, const struct chunk *c)
{
	struct amon_header h;

	memcpy(&h, r->data + c->at + c->head.first, sizeof h);
	return profile_kind_is_stacks(profile_kind(&h)) && !profile_kind_is_stacks(profile_kind(&r->run.header));
}

/* Have the call stacks beside P the value that was asked for? */
static bool is_value_of_stacks(const struct profile *p)
{
	return p->private->value_from == PROFILE_VALUE_OF_STACKS || p->private->value_beside;
}

/* Phases are the program's own, which a recorder knows nothing of. */
static bool read_sampled(struct reader *r)
{
	size_t i = 0;
	const struct chunk *c = reader_next(r, AMON_SAMPLED, &i);

	if (!c || r->p->private->phase || (r->p->private->value && !is_value_of_stacks(r->p)) || (c->items < sizeof(struct amon_header) && r->run.truncated))
		return true;
	if (c->items < sizeof(struct amon_header) || !is_of_stacks(r, c) || reader_next(r, AMON_SAMPLED, &i))
		return reader_corrupt(r, c->at, "no call stacks of the same run");
	return profile_read_sampled(r->p, r->data + c->at + c->head.first, c->items, r->label, r->err);
}

static bool profile_read_all(struct reader *r)
{
	return reader_header(r) && reader_collect(r) && add_run(r) && read_values(r) && read_modules(r) && read_symbols(r) && read_commands(r) &&
	       read_routines(r) && read_scripts(r) && read_threads(r) && read_phases(r) && prepare(r) && read_contexts(r) && read_arcs(r) && read_sampled(r);
}

bool profile_read(struct profile *p, const void *data, size_t len, const char *label, struct error *err)
{
	struct reader r = { .p = p, .mark = profile_mark(p), .data = data, .len = len, .label = label, .err = err };
	bool ok = profile_read_all(&r);

	if (ok)
		read_commit(&r);
	else
		profile_rewind(p, &r.mark);
	reader_end(&r);
	return ok;
}

struct profile *profile_beside(struct profile *p)
{
	if (!p->sampled && (p->sampled = profile_new()) && is_value_of_stacks(p) && !profile_set_value(p->sampled, p->private->value, PROFILE_VALUE_OWN)) {
		profile_free(p->sampled);
		p->sampled = NULL;
	}
	return p->sampled;
}

bool profile_read_sampled(struct profile *p, const void *data, size_t len, const char *label, struct error *err)
{
	bool ok;

	if (!profile_beside(p))
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "%.60s: out of memory while reading it", label);
	ok = profile_read(p->sampled, data, len, label, err);
	if (p->sampled->nruns == 0) {
		profile_free(p->sampled);
		p->sampled = NULL;
	}
	return ok;
}
