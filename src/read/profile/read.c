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
#define OLD_PERIODS 4		/* of the clock between two program counters, in files that do not say */

static bool check_magic(struct reader *r)
{
	const struct amon_header *h = &r->run.header;

	if (r->len < sizeof h->magic || memcmp(r->data, AMON_MAGIC, sizeof h->magic) != 0)
		return error_set(r->err, ERROR_NOT_AMON, 0, "%.60s: %s", r->label,
				 r->len ? "not an amon.out file" : "empty; not an amon.out file");
	if (r->len < sizeof *h)
		return reader_corrupt(r, r->len, "cut off inside its header, nothing can be read");
	memcpy(&r->run.header, r->data, sizeof *h);
	if (h->version != AMON_VERSION)
		return error_set(r->err, ERROR_VERSION, offsetof(struct amon_header, version),
				 "%.60s: format version %u, this aprof reads %u", r->label, h->version, AMON_VERSION);
	if (h->header_size < offsetof(struct amon_header, cpu_user) || h->header_size > sizeof *h || h->counter_size != sizeof(struct amon_counter))
		return error_set(r->err, ERROR_VERSION, offsetof(struct amon_header, header_size),
				 "%.60s: header of %u and counters of %u bytes, this aprof reads %zu and %zu",
				 r->label, h->header_size, h->counter_size, sizeof *h, sizeof(struct amon_counter));
	memset((char *)&r->run.header + h->header_size, 0, sizeof *h - h->header_size);
	if (h->pc_source != AMON_SOURCE_NONE && !h->pc_period && h->rate)
		r->run.header.pc_period = OLD_PERIODS * UINT64_C(1000000000) / h->rate;
	return true;
}

static bool check_header(struct reader *r)
{
	struct amon_header *h = &r->run.header;

	if (h->clock > AMON_CLOCK_COUNT)
		return reader_corrupt(r, offsetof(struct amon_header, clock), "unknown clock %u", h->clock);
	if (h->clock == AMON_CLOCK_TSC && h->tsc_hz == 0)
		return reader_corrupt(r, offsetof(struct amon_header, tsc_hz), "a cycle clock of unknown frequency");
	if (h->source > AMON_SOURCE_PTRACE || h->pc_source > AMON_SOURCE_PTRACE)
		return reader_corrupt(r, offsetof(struct amon_header, source), "unknown source of ticks");
	if (h->state > AMON_ENDED)
		return reader_corrupt(r, offsetof(struct amon_header, state), "unknown state %u", h->state);
	if (h->command_size > sizeof h->command)
		return reader_corrupt(r, offsetof(struct amon_header, command_size), "command line of %u bytes, %zu fit",
				      h->command_size, sizeof h->command);
	if (h->used < AMON_PAGE || h->used % AMON_PAGE != 0)
		return reader_corrupt(r, offsetof(struct amon_header, used), "%llu bytes in use are no whole pages",
				      (unsigned long long)h->used);
	h->host[sizeof h->host - 1] = h->program[sizeof h->program - 1] = 0;
	h->directory[sizeof h->directory - 1] = h->command[sizeof h->command - 1] = 0;
	h->origin[sizeof h->origin - 1] = h->unit[sizeof h->unit - 1] = 0;
	return true;
}

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

/* Phases are the program's own, which a recorder knows nothing of. */
static bool read_sampled(struct reader *r)
{
	size_t i = 0;
	const struct chunk *c = reader_next(r, AMON_SAMPLED, &i);

	if (!c || r->p->private->phase || (r->p->private->value && !r->p->private->value_of_stacks) || (c->items < sizeof(struct amon_header) && r->run.truncated))
		return true;
	if (c->items < sizeof(struct amon_header) || !is_of_stacks(r, c) || reader_next(r, AMON_SAMPLED, &i))
		return reader_corrupt(r, c->at, "no call stacks of the same run");
	return profile_read_sampled(r->p, r->data + c->at + c->head.first, c->items, r->label, r->err);
}

static bool profile_read_all(struct reader *r)
{
	return check_magic(r) && check_header(r) && reader_collect(r) && add_run(r) && read_values(r) && read_modules(r) && read_symbols(r) && read_commands(r) &&
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
	free(r.chunks);
	free(r.mappings);
	free(r.routines);
	free(r.items);
	free(r.share_of);
	free(r.met);
	free(r.phases);
	free(r.spreads);
	free(r.parts);
	free(r.values);
	free(r.value_of);
	return ok;
}

struct profile *profile_beside(struct profile *p)
{
	if (!p->sampled && (p->sampled = profile_new()) && p->private->value_of_stacks && !profile_set_value(p->sampled, p->private->value, false)) {
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
