/* records.c - modules, routines and threads of a file become those of the profile. */
#include "read/profile/reader.h"

#include <stdlib.h>
#include <string.h>

/* Whether the record M at AT, with LEFT bytes from there on, holds together; its path follows it. */
static bool check_module(struct reader *r, const struct amon_module *m, uint64_t at, uint64_t left)
{
	const char *path = (const char *)r->data + at + sizeof *m;

	if (m->size < sizeof *m || m->size % 8 != 0 || m->size > left)
		return reader_corrupt(r, at, "module record of %u bytes, %llu are left", m->size, (unsigned long long)left);
	if (m->path_size == 0 || m->path_size > m->size - sizeof *m || memchr(path, 0, m->path_size) == NULL)
		return reader_corrupt(r, at, "module path of %u bytes has no end in its record", m->path_size);
	if (m->build_id_size > sizeof m->build_id)
		return reader_corrupt(r, at, "build-id of %u bytes", m->build_id_size);
	if (m->start > m->end)
		return reader_corrupt(r, at, "module ends before it starts");
	return true;
}

static bool add_module(struct reader *r, const struct amon_module *m, const char *path)
{
	struct profile_module module = { .path = (char *)path, .build_id_size = m->build_id_size };
	struct mapping mapping = {
		.start = m->start, .end = m->end, .bias = m->bias, .order = (uint32_t)r->nmappings,
		.main_program = m->main_program, .hooked = m->hooked, .anonymous = profile_is_anonymous(path, NULL),
	};

	memcpy(module.build_id, m->build_id, m->build_id_size);
	mapping.module = profile_module(r->p, &module, strlen(path) + 1);
	if (mapping.module == PROFILE_NONE ||
	    !array_reserve(&r->mappings, &r->mapping_room, r->nmappings + 1, sizeof *r->mappings))
		return reader_no_memory(r);
	r->mappings[r->nmappings++] = mapping;
	return true;
}

bool read_modules(struct reader *r)
{
	const struct chunk *c;

	for (size_t i = 0; (c = reader_next(r, AMON_MODULES, &i)) != NULL;) {
		uint64_t at = c->at + c->head.first, end = at + c->items;
		struct amon_module m;

		for (; at < end; at += m.size) {
			if (r->run.truncated && end - at < sizeof m)
				break;
			if (end - at < sizeof m)
				return reader_corrupt(r, at, "%u bytes of a module record", (unsigned)(end - at));
			memcpy(&m, r->data + at, sizeof m);
			if (r->run.truncated && m.size > end - at)
				break;
			if (!check_module(r, &m, at, end - at) ||
			    !add_module(r, &m, (const char *)r->data + at + sizeof m))
				return false;
		}
	}
	return true;
}

static int compare_mappings(const void *x, const void *y)
{
	const struct mapping *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

const struct mapping *reader_mapping(const struct reader *r, uint64_t address)
{
	size_t low = 0, high = r->nmappings;

	while (low < high) {				/* find the first that starts above */
		size_t middle = low + (high - low) / 2;

		if (r->mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < r->mappings[low - 1].end ? &r->mappings[low - 1] : NULL;
}

/* Add the routine ITEM of the file, read at AT. */
static bool records_add_routine(struct reader *r, const struct amon_routine *item, uint64_t at)
{
	struct profile_routine routine = { .module = PROFILE_NONE, .flags = item->flags, .address = item->address };
	uint32_t index;

	if (item->flags & ~(uint32_t)AMON_ROUTINE_INSIDE)
		return reader_corrupt(r, at, "routine with unknown flags %#x", item->flags);
	if (item->module != AMON_NONE) {
		if (item->module >= r->nmappings)
			return reader_corrupt(r, at, "routine of module %u, there are %zu", item->module, r->nmappings);
		routine.module = r->mappings[item->module].module;
		routine.address = item->address - r->mappings[item->module].bias;
	}
	index = profile_routine(r->p, &routine);
	if (index == PROFILE_NONE || !array_reserve(&r->routines, &r->routine_room, r->nroutines + 1, sizeof *r->routines))
		return reader_no_memory(r);
	r->routines[r->nroutines++] = index;
	return true;
}

/* Of an address in anonymous code it is not known what it is in. */
static void anonymous_drop(struct reader *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nmappings; i++)
		if (!r->mappings[i].anonymous)
			r->mappings[kept++] = r->mappings[i];
	r->nmappings = kept;
}

bool read_routines(struct reader *r)
{
	const struct chunk *c;
	bool cut = false;

	for (size_t i = 0; !cut && (c = reader_next(r, AMON_ROUTINES, &i)) != NULL;)
		for (uint32_t k = 0; k < c->items && !cut; k++) {
			uint64_t at = c->at + c->head.first + (uint64_t)k * sizeof(struct amon_routine);
			struct amon_routine item;

			memcpy(&item, r->data + at, sizeof item);
			/* The module that it names may lie behind the cut. */
			cut = r->run.truncated && item.module != AMON_NONE && item.module >= r->nmappings;
			if (!cut && !records_add_routine(r, &item, at))
				return false;
		}
	if (r->nroutines >= AMON_ROUTINE_ROOT)
		return reader_corrupt(r, 0, "%zu routines are too many", r->nroutines);
	anonymous_drop(r);
	if (r->nmappings > 0)
		qsort(r->mappings, r->nmappings, sizeof *r->mappings, compare_mappings);
	for (size_t i = 0; i < sizeof r->pseudo / sizeof *r->pseudo; i++)
		r->pseudo[i] = PROFILE_NONE;
	return true;
}

static bool add_thread(struct reader *r, const struct amon_thread *record, uint64_t at)
{
	struct profile *p = r->p;
	struct profile_thread *t;

	if (record->state > AMON_THREAD_FOLDED)
		return reader_corrupt(r, at, "thread of unknown state %u", record->state);
	if (p->nthreads >= PROFILE_NONE - 1 ||
	    !array_reserve(&p->threads, &p->private->threads, (size_t)p->nthreads + 1, sizeof *p->threads))
		return reader_no_memory(r);
	t = &p->threads[p->nthreads++];
	*t = (struct profile_thread){ .run = p->nruns - 1, .record = *record, .current = PROFILE_NONE,
		.origin = { r->run.header.start_realtime, r->run.header.pid, AMON_NONE } };
	t->record.name[sizeof t->record.name - 1] = 0;
	if (r->chosen)				/* these are of the first value */
		t->record.unplaced = t->record.monitor = t->record.ticks = t->record.monitor_ticks = t->record.squares = 0;
	return true;
}

/* Of which process each thread of a sum was. */
static void origins_read(struct reader *r)
{
	const struct chunk *c;
	uint32_t thread = r->run.first_thread;

	for (size_t i = 0; (c = reader_next(r, AMON_ORIGINS, &i)) != NULL;)
		for (uint32_t k = 0; k < c->items && thread < r->p->nthreads; k++, thread++)
			memcpy(&r->p->threads[thread].origin, r->data + c->at + c->head.first + (uint64_t)k * sizeof(struct amon_origin), sizeof(struct amon_origin));
}

bool read_threads(struct reader *r)
{
	const struct chunk *c;

	for (size_t i = 0; (c = reader_next(r, AMON_THREADS, &i)) != NULL;)
		for (uint32_t k = 0; k < c->items; k++) {
			uint64_t at = c->at + c->head.first + (uint64_t)k * sizeof(struct amon_thread);
			struct amon_thread record;

			memcpy(&record, r->data + at, sizeof record);
			if (!add_thread(r, &record, at))
				return false;
		}
	r->run.threads = r->p->nthreads - r->run.first_thread;
	origins_read(r);
	return true;
}
