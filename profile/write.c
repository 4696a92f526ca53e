/* write.c - a profile as one amon.out: header, modules, routines.
 *
 * The file must read as the very profile that it came from. Addresses within modules
 * are all that a profile knows, so modules are given ranges of their own, apart from each other and from
 * the addresses that belong to no module. */
#include "profile/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void use_address(struct placement *place, uint64_t address)
{
	if (!place->used || address < place->low)
		place->low = address;
	if (!place->used || address > place->high)
		place->high = address;
	place->used = true;
}

static int compare_addresses(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* Give each module a range in which none of the N foreign addresses lies. */
static bool place_modules(struct writer *w, const uint64_t *foreign, size_t n)
{
	uint64_t next = 0x400000;

	for (uint32_t i = 0; i < w->p->nmodules; i++) {
		struct placement *place = &w->places[i];
		uint64_t span = place->used ? place->high - place->low + 1 : 1;

		for (; n > 0 && *foreign < next; n--)
			foreign++;
		for (; n > 0 && *foreign - next < span; n--)
			next = *foreign++ + 1;
		if (span == 0 || next > UINT64_MAX / 2 || span > UINT64_MAX / 2 - next)
			return error_set(w->err, ERROR_CORRUPT, ERROR_NO_OFFSET,
					 "addresses in %.100s lie too far apart to be written", w->p->modules[i].path);
		place->start = next;
		place->end = next + span;
		next = place->end;
	}
	return true;
}

/* Find out which addresses are in use, and place the modules. */
static bool place_all(struct writer *w)
{
	const struct profile *p = w->p;
	uint64_t *foreign = malloc((p->npcs + 1) * sizeof *foreign);
	size_t n = 0;
	bool ok;

	if (!foreign)
		return writer_no_memory(w);
	for (uint32_t i = 0; i < p->nroutines; i++)
		if (p->routines[i].module != PROFILE_NONE)
			use_address(&w->places[p->routines[i].module], p->routines[i].address);
	for (size_t i = 0; i < p->npcs; i++)
		if (p->pcs[i].module != PROFILE_NONE)
			use_address(&w->places[p->pcs[i].module], p->pcs[i].address);
		else
			foreign[n++] = p->pcs[i].address;
	if (n > 0)
		qsort(foreign, n, sizeof *foreign, compare_addresses);
	ok = place_modules(w, foreign, n);
	free(foreign);
	return ok;
}

/* Bytes of the record of M. */
static size_t module_size(const struct profile_module *m)
{
	return (sizeof(struct amon_module) + strlen(m->path) + 1 + 7) / 8 * 8;
}

static void fill_module(const struct writer *w, uint32_t i, unsigned char *out)
{
	const struct profile_module *m = &w->p->modules[i];
	const struct placement *place = &w->places[i];
	struct amon_module record = {
		.size = (uint32_t)module_size(m), .start = place->start, .end = place->end,
		.bias = place->start - place->low, .build_id_size = (uint8_t)m->build_id_size,
		.main_program = m->main_program, .hooked = m->hooked, .path_size = (uint32_t)strlen(m->path) + 1,
	};

	memcpy(record.build_id, m->build_id, sizeof record.build_id);
	memcpy(out, &record, sizeof record);
	memcpy(out + sizeof record, m->path, record.path_size);
}

static bool write_modules(struct writer *w)
{
	size_t size = 0, at;

	for (uint32_t i = 0; i < w->p->nmodules; i++)
		size += module_size(&w->p->modules[i]);
	if (!writer_chunk(w, AMON_MODULES, AMON_NONE, NULL, size, 1, &at))
		return false;
	for (uint32_t i = 0; i < w->p->nmodules; i++) {
		fill_module(w, i, w->data + at);
		at += module_size(&w->p->modules[i]);
	}
	return true;
}

static bool write_routines(struct writer *w)
{
	const struct profile *p = w->p;
	size_t at;

	for (uint32_t i = 0; i < p->nroutines; i++)
		w->routine_of[i] = p->routines[i].pseudo ? p->routines[i].pseudo : w->nroutines++;
	if (!writer_chunk(w, AMON_ROUTINES, AMON_NONE, NULL, w->nroutines, sizeof(struct amon_routine), &at))
		return false;
	for (uint32_t i = 0; i < p->nroutines; i++) {
		const struct profile_routine *r = &p->routines[i];
		struct amon_routine item = {
			.address = writer_address(w, r->module, r->address), .module = r->module, .flags = r->flags,
		};

		if (r->pseudo)
			continue;
		memcpy(w->data + at, &item, sizeof item);
		at += sizeof item;
	}
	return true;
}

/* Mean of a cost over the runs, each as often as it made calls. */
static uint64_t mean_cost(const struct profile *p, size_t field)
{
	unsigned __int128 sum = 0, calls = 0;

	for (uint32_t i = 0; i < p->nruns; i++) {
		const struct profile_run *run = &p->runs[i];
		uint64_t cost, weight = run->calls < UINT64_MAX / 2 ? run->calls + 1 : UINT64_MAX / 2;

		memcpy(&cost, (const char *)&run->header + field, sizeof cost);
		sum += (unsigned __int128)(weight >> 16 ? weight >> 16 : 1) * (cost < UINT64_MAX / 2 ? cost : UINT64_MAX / 2);
		calls += weight >> 16 ? weight >> 16 : 1;
	}
	return calls ? (uint64_t)(sum / calls) : 0;
}

/* Add what happened in run O to the header H of the whole. */
static void merge_header(struct amon_header *h, const struct profile_run *run)
{
	const struct amon_header *o = &run->header;

	if (o->start_realtime < h->start_realtime) {
		h->start_realtime = o->start_realtime;
		h->start_monotonic = o->start_monotonic;
		h->end_monotonic = o->end_monotonic;
	}
	if (o->state == AMON_RUNNING)
		h->state = AMON_RUNNING;
	if (o->exit_status != h->exit_status)
		h->exit_status = -1;
	if (o->memory_private > h->memory_private)
		h->memory_private = o->memory_private;
	if (!h->note_errno)
		h->note_errno = o->note_errno;
	if (h->pc_source == AMON_SOURCE_NONE)	/* it may have been too short to have any */
		h->pc_source = o->pc_source;
	if (!h->origin[0]) {
		memcpy(h->origin, o->origin, sizeof h->origin);
		memcpy(h->unit, o->unit, sizeof h->unit);
	}
	h->way |= o->way;
	h->cpu_total = h->cpu_total && o->cpu_total ? h->cpu_total : 0;
	if (h->cpu_total)
		add_capped(&h->cpu_total, o->cpu_total);
	add_capped(&h->cpu_before, o->cpu_before);
	add_capped(&h->cpu_user, o->cpu_user);
	add_capped(&h->cpu_system, o->cpu_system);
	for (size_t i = 0; i < sizeof h->notes / sizeof *h->notes; i++)
		add_capped(&h->notes[i], o->notes[i]);
	for (size_t i = 0; i < sizeof h->stacks / sizeof *h->stacks; i++)
		add_capped(&h->stacks[i], o->stacks[i]);
}

static struct amon_header whole_header(const struct profile *p)
{
	struct amon_header h = { .version = AMON_VERSION, .state = AMON_ENDED, .exit_status = -1 };

	if (p->nruns > 0)
		h = p->runs[0].header;
	for (uint32_t i = 1; i < p->nruns; i++)
		merge_header(&h, &p->runs[i]);
	for (uint32_t i = 0; i < p->nruns; i++)
		add_capped(&h.notes[AMON_NOTE_TRUNCATED], p->runs[i].truncated);
	memcpy(h.magic, AMON_MAGIC, sizeof h.magic);
	h.header_size = sizeof h;
	h.counter_size = sizeof(struct amon_counter);
	h.hook_picoseconds = mean_cost(p, offsetof(struct amon_header, hook_picoseconds));
	h.hook_inside = mean_cost(p, offsetof(struct amon_header, hook_inside));
	h.pc_period = (uint64_t)fmin(profile_pc_period(p), 0x1p63);
	h.reset_request = h.reset_done = 0;
	if (h.clock == AMON_CLOCK_TSC)
		h.tsc_hz = 1000000000;			/* times of a profile are ns */
	return h;
}

static bool write_symbols(struct writer *w)
{
	size_t len, at;
	void *chunk = w->p->nsymbols ? profile_symbols_chunk(w->p, 0, &len, w->err) : NULL;
	bool ok = chunk && writer_append(w, len, &at);

	if (ok)
		memcpy(w->data + at, chunk, len);
	free(chunk);
	return ok || !w->p->nsymbols;
}

static bool write_all(struct writer *w)
{
	struct amon_header h = whole_header(w->p);
	size_t at;

	w->places = calloc((size_t)w->p->nmodules + 1, sizeof *w->places);
	w->routine_of = calloc((size_t)w->p->nroutines + 1, sizeof *w->routine_of);
	if (!w->places || !w->routine_of)
		return writer_no_memory(w);
	if (!writer_append(w, sizeof h, &at) || !place_all(w) || !write_modules(w) || !write_routines(w) ||
	    !writer_chunk(w, AMON_THREADS, AMON_NONE, NULL, w->p->nthreads, sizeof(struct amon_thread), &w->threads_at) ||
	    !write_threads(w) || !write_symbols(w))
		return false;
	h.used = w->len;
	memcpy(w->data, &h, sizeof h);
	return true;
}

void *profile_write(const struct profile *p, size_t *len, struct error *err)
{
	struct writer w = { .p = p, .err = err };
	bool ok = write_all(&w);

	free(w.places);
	free(w.routine_of);
	free(w.item_of);
	free(w.homed);
	free(w.order);
	free(w.links);
	free(w.counters);
	free(w.ticks);
	free(w.pcs);
	if (!ok) {
		free(w.data);
		return NULL;
	}
	*len = w.len;
	return w.data;
}
