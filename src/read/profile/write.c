/* write.c - a profile as one amon.out: header, modules, routines.
 *
 * The file must read as the very profile that it came from. Addresses within modules
 * are all that a profile knows, so modules are given ranges of their own, apart from each other and from
 * the addresses that belong to no module. */
#include "read/profile/writer.h"

#include <stdlib.h>
#include <string.h>

#include "read/profile/headers.h"
#include "read/profile/sum.h"

static void use_address(struct placement *place, uint64_t address)
{
	if (!place->used || address < place->low)
		place->low = address;
	if (!place->used || address > place->high)
		place->high = address;
	place->used = true;
}

static int write_compare_addresses(const void *x, const void *y)
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

		if (profile_language(w->p->modules[i].path))
			continue;		/* it is nowhere */
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
	uint64_t *foreign = malloc((p->npcs + 2 * p->nsites + 1) * sizeof *foreign);
	size_t n = 0;
	bool ok;

	if (!foreign)
		return writer_no_memory(w);
	for (uint32_t i = 0; i < p->nroutines; i++)
		if (p->routines[i].module != PROFILE_NONE && !profile_language(p->modules[p->routines[i].module].path))
			use_address(&w->places[p->routines[i].module], p->routines[i].address);
	for (size_t i = 0; i < p->npcs; i++)
		if (p->pcs[i].module != PROFILE_NONE)
			use_address(&w->places[p->pcs[i].module], p->pcs[i].address);
		else
			foreign[n++] = p->pcs[i].address;
	for (size_t i = 0; i < p->nsites; i++)
		for (int before = 0; before < 2; before++)	/* which module it is in says the call itself */
			if (p->sites[i].module != PROFILE_NONE)
				use_address(&w->places[p->sites[i].module], p->sites[i].address - before);
			else if (p->sites[i].address)
				foreign[n++] = p->sites[i].address - before;
	if (n > 0)
		qsort(foreign, n, sizeof *foreign, write_compare_addresses);
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

static struct amon_header whole_header(const struct profile *p)
{
	struct amon_header h = { .magic = AMON_MAGIC, .version = AMON_VERSION, .header_size = sizeof h, .counter_size = sizeof(struct amon_counter),
				 .state = AMON_ENDED, .exit_status = -1 };

	if (p->nruns > 0) {
		h = headers_of(&p->runs[0]);
		headers_settle(&h);
	}
	return h;
}

static bool write_arcs(struct writer *w)
{
	const struct profile *p = w->p;
	size_t at;

	if (p->narcs == 0)
		return true;
	if (!writer_chunk(w, AMON_ARCS, AMON_NONE, NULL, p->narcs, sizeof(struct amon_arc), &at))
		return false;
	for (size_t i = 0; i < p->narcs; i++) {
		const struct profile_arc *a = &p->arcs[i];
		struct amon_arc item = { a->from == PROFILE_NONE ? AMON_NONE : w->routine_of[a->from], w->routine_of[a->to], a->calls, a->time };

		memcpy(w->data + at + i * sizeof item, &item, sizeof item);
	}
	return true;
}

/* What the arcs have of the values that are not their times: these stand behind all threads'. */
static bool write_arc_amounts(struct writer *w)
{
	const struct profile *p = w->p;

	for (uint32_t value = 1; p->narcs && value < p->nvalues; value++) {
		size_t k = w->amount;

		if (!writer_clear_amounts(w, p->narcs))
			return false;
		for (size_t i = 0; i < p->narcs; i++)
			for (; k < p->namounts && p->amounts[k].from == p->arcs[i].from && p->amounts[k].to == p->arcs[i].to; k++)
				if (p->amounts[k].value == value)
					w->amounts[i].amount = p->amounts[k].amount;
		if (!write_amounts(w, AMON_NONE, value, p->narcs))
			return false;
	}
	return true;
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

/* The call stacks beside. */
static bool write_sampled(struct writer *w)
{
	size_t size, len, at;
	void *file = w->p->sampled ? profile_write(w->p->sampled, &size, w->err) : NULL, *chunk = file ? profile_sampled_chunk(file, size, &len, w->err) : NULL;
	bool ok = chunk && writer_append(w, len, &at);

	if (ok)
		memcpy(w->data + at, chunk, len);
	free(chunk);
	free(file);
	return ok || !w->p->sampled;
}

static bool profile_write_all(struct writer *w)
{
	struct amon_header h = whole_header(w->p);
	size_t at;

	w->places = calloc((size_t)w->p->nmodules + 1, sizeof *w->places);
	w->routine_of = calloc((size_t)w->p->nroutines + 1, sizeof *w->routine_of);
	if (!w->places || !w->routine_of)
		return writer_no_memory(w);
	if (!writer_append(w, sizeof h, &at) || !place_all(w) || !write_values(w) || !write_modules(w) || !write_routines(w) || !write_scripts(w) ||
	    !writer_chunk(w, AMON_THREADS, AMON_NONE, NULL, w->p->nthreads, sizeof(struct amon_thread), &w->threads_at) ||
	    !write_origins(w) || !write_threads(w) || !write_arcs(w) || !write_arc_amounts(w) || !write_symbols(w) || !write_commands(w) ||
	    !write_sampled(w))
		return false;
	h.used = w->len;
	memcpy(w->data, &h, sizeof h);
	return true;
}

/* The bytes of P, of one run at most. */
static void *one_write(const struct profile *p, size_t *len, struct error *err)
{
	struct writer w = { .p = p, .err = err };
	bool ok = profile_write_all(&w);

	free(w.places);
	free(w.routine_of);
	free(w.item_of);
	free(w.homed);
	free(w.spread);
	free(w.spreads);
	free(w.order);
	free(w.links);
	free(w.counters);
	free(w.ticks);
	free(w.pcs);
	free(w.sites);
	free(w.spent);
	free(w.bytes);
	free(w.amounts);
	if (!ok) {
		free(w.data);
		return NULL;
	}
	*len = w.len;
	return w.data;
}

void *profile_write(const struct profile *p, size_t *len, struct error *err)
{
	struct profile_sum *s;
	struct profile *sum;
	void *data;

	if (p->nruns <= 1)
		return one_write(p, len, err);
	s = profile_sum_new(false);
	if (!s) {
		error_no_memory(err, "writing the profile");
		return NULL;
	}
	if (!profile_sum_add(s, p, err)) {
		profile_sum_free(s);
		return NULL;
	}
	sum = profile_sum_take(s, err);
	data = sum ? one_write(sum, len, err) : NULL;
	profile_free(sum);
	return data;
}
