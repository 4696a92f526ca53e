/* recording.c - chunks in a shared mapping that reaches behind the end of the file, which grows under it; in memory the mapping itself grows. */
#include "read/stacks/recording.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file_lock.h"
#include "base/table.h"
#include "contract/amount.h"
#include "contract/slice.h"

enum {
	LEAST_GROWTH = 64 << 10,	/* bytes by which the file grows, or an eighth of it */
	FIRST_ITEMS = 64,		/* that the first chunk of a thread's contexts, or of routines, has room for */
	FIRST_PCS = 128,		/* places of a thread's first table of program counters */
	MOST_ITEMS = 1 << 16,		/* of a later chunk */
	MODULE_BYTES = 4000,		/* of records in a chunk of modules, as a rule */
	MOST_SLICES = 1 << 24,		/* of a table */
	BLOCKS = 32,			/* chunks of program counters that a thread may have; each is twice as large */
};

/* A growing sequence of items in chunks: items FIRST[k].. are in chunk AT[k]. */
struct sequence {
	struct place {
		uint64_t at;		/* offset of the chunk */
		uint64_t sites, spent;	/* of contexts: of those beside it; 0: there are none */
		uint64_t *amounts;	/* of contexts and arcs: the same of each value; NULL: none of any */
		uint32_t base;		/* index of its first item */
	} *places;
	uint32_t nplaces;
	size_t room;
	uint32_t n;			/* items in all */
};

struct tables {
	uint64_t at[BLOCKS];		/* offsets of a thread's chunks of program counters */
	uint32_t n;
};

/* A thread's program counters: of each value. */
struct counted {
	struct tables *of;
	uint32_t n;			/* values that have any, or are before one that has */
	size_t room;
};

/* A thread's table of slices that is filled. */
struct sliced {
	uint64_t at;			/* offset of its chunk; 0: there is none yet */
	uint32_t slots;			/* its slots */
};

struct recording {
	int fd;				/* of the file; -1: there is none */
	char *bytes;			/* the mapping */
	uint64_t mapped, length;	/* bytes of the mapping, and of the file; without one all that may ever be, and the mapping */
	struct sequence modules, routines, threads, arcs, values;
	struct sequence *contexts;	/* of each thread */
	struct counted *pcs;		/* the same */
	struct sliced *slices;		/* the same */
	size_t contexts_room, pcs_room, slices_room;
	bool keeps_slices, keeps_sites;
	bool weighs;			/* what samples stand for is told of the first value, too */
	uint32_t level;			/* of the intervals so far */
};

static struct amon_chunk *recording_chunk_at(const struct recording *l, uint64_t at)
{
	return (struct amon_chunk *)(l->bytes + at);
}

/* Make the mapping LENGTH bytes long; it may move. */
static bool remap(struct recording *l, uint64_t length)
{
	void *bytes = l->bytes ? mremap(l->bytes, l->length, length, MREMAP_MAYMOVE) :
		mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return false;
	l->bytes = bytes;
	return true;
}

/* Make the file LENGTH bytes long at least, with the disk's space behind them: a full disk is an error here and no SIGBUS later. */
static bool recording_grow(struct recording *l, uint64_t length)
{
	uint64_t more = l->length / 8 > LEAST_GROWTH ? l->length / 8 : LEAST_GROWTH;

	if (length <= l->length)
		return true;
	if (length < l->length + more)
		length = l->length + more;
	length = length / AMON_PAGE * AMON_PAGE;
	if (length > l->mapped)
		length = l->mapped;
	if (l->fd < 0 ? !remap(l, length) : (errno = posix_fallocate(l->fd, (off_t)l->length, (off_t)(length - l->length))) != 0)
		return false;
	l->length = length;
	return true;
}

/* Would SIZE bytes more leave a part of what may be written to contexts? */
static bool leaves_room(const struct recording *l, uint64_t size)
{
	return ((const struct amon_header *)l->bytes)->used + size < l->mapped / 4 * 3;
}

bool recording_fits_site(const struct recording *l) { return leaves_room(l, sizeof(struct amon_link)); }

/* A chunk of KIND with room for CAPACITY items of SIZE bytes, and as many counters if it is of contexts; its offset, or 0. */
static uint64_t recording_chunk_new(struct recording *l, uint32_t kind, uint32_t thread, uint32_t capacity, size_t size)
{
	uint64_t at = recording_header(l)->used, bytes = sizeof(struct amon_chunk) + capacity * size, counters = 0;

	if (kind == AMON_CONTEXTS) {
		counters = (bytes + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
		bytes = counters + (uint64_t)capacity * (sizeof(struct amon_counter) + sizeof(uint32_t));
	}
	bytes = (bytes + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	if (bytes > l->mapped - at || !recording_grow(l, at + bytes)) {
		recording_header(l)->notes[bytes > l->mapped - at ? AMON_NOTE_MEMORY_BOUND : AMON_NOTE_DISK_FULL]++;
		return 0;
	}
	*recording_chunk_at(l, at) = (struct amon_chunk){
		.magic = AMON_CHUNK_MAGIC, .kind = kind, .size = bytes, .thread = thread, .capacity = capacity,
		.first = sizeof(struct amon_chunk), .counters = (uint32_t)counters,
	};
	__atomic_store_n(&recording_header(l)->used, at + bytes, __ATOMIC_RELEASE);
	return at;
}

/* The place of the chunk that item I of S is in, and which one of it: *I. */
static struct place *recording_place_of(const struct sequence *s, uint32_t *i)
{
	uint32_t k = s->nplaces - 1;

	assert(*i < s->n);
	while (s->places[k].base > *i)
		k--;
	*i -= s->places[k].base;
	return &s->places[k];
}

static struct amon_chunk *chunk_of(const struct recording *l, const struct sequence *s, uint32_t *i)
{
	return recording_chunk_at(l, recording_place_of(s, i)->at);
}

static void *recording_item_of(const struct recording *l, const struct sequence *s, uint32_t i, size_t size)
{
	struct amon_chunk *c = chunk_of(l, s, &i);

	return (char *)c + c->first + i * size;
}

/* A chunk of KIND beside that of contexts at P: as many numbers of 8 bytes; its offset, or 0. */
static uint64_t beside(struct recording *l, const struct place *p, uint32_t kind, uint32_t thread, uint32_t capacity)
{
	uint64_t at = leaves_room(l, (uint64_t)capacity * sizeof(uint64_t)) ? recording_chunk_new(l, kind, thread, capacity, sizeof(uint64_t)) : 0;

	if (at) {
		recording_chunk_at(l, at)->base = p->base;
		__atomic_store_n(&recording_chunk_at(l, at)->count, capacity, __ATOMIC_RELEASE);
	}
	return at;
}

/* What is kept of call sites, beside the contexts at P. */
static void recording_sites_add(struct recording *l, struct place *p, uint32_t thread, uint32_t capacity)
{
	p->sites = beside(l, p, AMON_SITES, thread, capacity);
	p->spent = beside(l, p, AMON_SPENT, thread, capacity);
}

/* See that S has a chunk with room for one more item of SIZE bytes; NULL: it cannot be had. */
static struct amon_chunk *recording_room_for(struct recording *l, struct sequence *s, uint32_t kind, uint32_t thread, size_t size)
{
	struct amon_chunk *last = s->nplaces ? recording_chunk_at(l, s->places[s->nplaces - 1].at) : NULL;
	uint32_t capacity = s->n < FIRST_ITEMS ? FIRST_ITEMS : s->n < MOST_ITEMS ? s->n : MOST_ITEMS;
	uint64_t at;

	if (last && last->count < last->capacity)
		return last;
	if (s->n >= AMON_ROUTINE_ROOT || !array_grow(&s->places, &s->room, s->nplaces, sizeof *s->places))
		return NULL;
	at = recording_chunk_new(l, kind, thread, capacity, size);
	if (!at)
		return NULL;
	s->places[s->nplaces++] = (struct place){ .at = at, .base = s->n };
	recording_chunk_at(l, at)->base = kind == AMON_CONTEXTS ? s->n : 0;
	if (kind == AMON_CONTEXTS && l->keeps_sites)
		recording_sites_add(l, &s->places[s->nplaces - 1], thread, capacity);
	return recording_chunk_at(l, at);
}

static uint32_t recording_append(struct recording *l, struct sequence *s, uint32_t kind, uint32_t thread, const void *item, size_t size)
{
	struct amon_chunk *c = recording_room_for(l, s, kind, thread, size);

	if (!c)
		return RECORDING_NONE;
	memcpy((char *)c + c->first + c->count * size, item, size);
	__atomic_store_n(&c->count, c->count + 1, __ATOMIC_RELEASE);
	return s->n++;
}

struct amon_header *recording_header(struct recording *l)
{
	return (struct amon_header *)l->bytes;
}

static void places_free(struct sequence *s)
{
	for (uint32_t i = 0; i < s->nplaces; i++)
		free(s->places[i].amounts);
	free(s->places);
}

/* Free L, and all that it has in memory but its bytes. */
static void free_lists(struct recording *l)
{
	for (uint32_t i = 0; i < l->threads.n; i++)
		places_free(&l->contexts[i]);
	for (uint32_t i = 0; i < l->threads.n; i++)
		free(l->pcs[i].of);
	free(l->contexts);
	free(l->pcs);
	free(l->slices);
	free(l->modules.places);
	free(l->routines.places);
	free(l->threads.places);
	places_free(&l->arcs);
	free(l->values.places);
	free(l);
}

/* Addresses for a file of BOUND bytes at most; where they are limited (ulimit -v), for less.  NULL: none. */
static void *addresses_take(struct recording *l, uint64_t bound)
{
	for (uint64_t size = bound; size >= LEAST_GROWTH; size = size / 2 / AMON_PAGE * AMON_PAGE) {
		void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, l->fd, 0);

		if (at != MAP_FAILED) {
			l->mapped = size;
			return at;
		}
	}
	return NULL;
}

static bool recording_map(struct recording *l, const char *path, uint64_t bound)
{
	int error;

	l->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (l->fd < 0)
		return false;
	flock(l->fd, LOCK_EX | LOCK_NB);	/* for as long as we write it: files_held */
	l->bytes = addresses_take(l, bound / AMON_PAGE * AMON_PAGE);
	if (l->bytes && recording_grow(l, AMON_PAGE))
		return true;
	error = errno;
	unlink(path);
	errno = error;
	return false;
}

/* Take the chunk at AT, of a file that was written before, in as the next one of S, with its N items. */
static bool chunk_take(struct sequence *s, uint64_t at, uint32_t n)
{
	if (!array_grow(&s->places, &s->room, s->nplaces, sizeof *s->places))
		return false;
	s->places[s->nplaces++] = (struct place){ .at = at, .base = s->n };
	s->n += n;
	return true;
}

/* How many records of modules the chunk C has; UINT32_MAX: they do not hold together. */
static uint32_t modules_count(const struct amon_chunk *c)
{
	const char *at = (const char *)c + c->first;
	uint32_t n = 0;

	for (uint32_t left = c->count; left > 0; n++) {
		struct amon_module m;

		if (left < sizeof m)
			return UINT32_MAX;
		memcpy(&m, at, sizeof m);
		if (m.size < sizeof m || m.size > left || m.size % 8 || m.path_size == 0 || m.path_size > m.size - sizeof m || at[sizeof m + m.path_size - 1])
			return UINT32_MAX;
		at += m.size;
		left -= m.size;
	}
	return n;
}

/* Take in the chunk at AT.  False: it does not hold together, or memory is short. */
static bool chunk_again(struct recording *l, uint64_t at)
{
	const struct amon_chunk *c = recording_chunk_at(l, at);
	size_t item = c->kind == AMON_ROUTINES ? sizeof(struct amon_routine) : 1;
	uint32_t n;

	if (c->kind != AMON_ROUTINES && c->kind != AMON_MODULES)
		return true;
	if (c->first < sizeof *c || c->first % 8 || c->count > c->capacity || c->first + (uint64_t)c->capacity * item > c->size)
		return false;
	if (c->kind == AMON_ROUTINES)
		return chunk_take(&l->routines, at, c->count);
	n = modules_count(c);
	return n != UINT32_MAX && chunk_take(&l->modules, at, n);
}

/* Find what L has already. */
static bool chunks_again(struct recording *l)
{
	const struct amon_header *h = recording_header(l);
	uint64_t at = AMON_PAGE;

	if (l->length < AMON_PAGE || memcmp(h->magic, AMON_MAGIC, sizeof h->magic) || h->version != AMON_VERSION || h->used > l->length || h->used % AMON_PAGE)
		return false;
	while (at < h->used) {
		const struct amon_chunk *c = recording_chunk_at(l, at);

		if (c->magic != AMON_CHUNK_MAGIC || c->size < AMON_PAGE || c->size % AMON_PAGE || c->size > h->used - at || !chunk_again(l, at))
			return false;
		at += c->size;
	}
	return true;
}

/* Is the file open at FD of call stacks that were sampled?  Others have no code without names. */
static bool has_stacks(int fd)
{
	uint32_t way;

	return pread(fd, &way, sizeof way, offsetof(struct amon_header, way)) == (ssize_t)sizeof way && way >> AMON_WAY_STACKS & 1;
}

struct recording *recording_again(const char *path)
{
	enum { MORE = 1 << 26 };		/* bytes that names may take */
	struct recording *l = calloc(1, sizeof *l);
	struct stat st;

	if (!l)
		return NULL;
	l->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (l->fd >= 0 && has_stacks(l->fd) && file_lock_to_change(l->fd) && fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= AMON_PAGE) {
		l->length = (uint64_t)st.st_size / AMON_PAGE * AMON_PAGE;
		l->mapped = l->length + MORE;
		l->bytes = mmap(NULL, l->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, l->fd, 0);
	}
	if (l->bytes && l->bytes != MAP_FAILED && chunks_again(l))
		return l;
	if (l->bytes && l->bytes != MAP_FAILED)
		munmap(l->bytes, l->mapped);
	if (l->fd >= 0)
		close(l->fd);
	free_lists(l);
	return NULL;
}

struct recording *recording_again_in_memory(const void *data, size_t len)
{
	struct recording *l = calloc(1, sizeof *l);
	bool ok;

	if (!l)
		return NULL;
	l->fd = -1;
	l->mapped = INT64_MAX / AMON_PAGE * AMON_PAGE;
	ok = len >= AMON_PAGE && recording_grow(l, (len + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE);
	if (ok)
		memcpy(l->bytes, data, len);
	if (ok && chunks_again(l))
		return l;
	if (l->bytes)
		munmap(l->bytes, l->length);
	free_lists(l);
	return NULL;
}

static void recording_header_write(struct recording *l, const struct amon_header *header)
{
	*recording_header(l) = *header;
	recording_header(l)->version = AMON_VERSION;
	recording_header(l)->header_size = sizeof *header;
	recording_header(l)->counter_size = sizeof(struct amon_counter);
	recording_header(l)->used = AMON_PAGE;
	memcpy(recording_header(l)->magic, AMON_MAGIC, sizeof header->magic);
}

/* Give the file TEMPORARY its name PATH, which nobody has. */
static bool name_give(const char *temporary, const char *path)
{
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return true;
	if ((errno == EINVAL || errno == ENOSYS) && access(path, F_OK) != 0 && rename(temporary, path) == 0)
		return true;
	unlink(temporary);
	return false;
}

/* The file PATH, with its header: under another name until that is written, so that whoever finds it finds a profile. */
static bool recording_file_make(struct recording *l, const char *path, const struct amon_header *header)
{
	char *temporary;
	bool ok;

	if (asprintf(&temporary, "%s.new", path) < 0)
		return false;
	ok = recording_map(l, temporary, header->memory_bound);
	if (ok) {
		recording_header_write(l, header);
		ok = name_give(temporary, path);
	}
	free(temporary);
	return ok;
}

struct recording *recording_new(const char *path, const struct amon_header *header, struct error *err)
{
	struct recording *l = calloc(1, sizeof *l);

	if (!l || !recording_file_make(l, path, header)) {
		int error = l ? errno : ENOMEM;

		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot be made: %s", path, strerror(error));
		if (l && l->bytes)
			munmap(l->bytes, l->mapped);
		if (l && l->fd >= 0)
			close(l->fd);
		free(l);
		errno = error;
		return NULL;
	}
	return l;
}

struct recording *recording_new_in_memory(const struct amon_header *header, struct error *err)
{
	struct recording *l = calloc(1, sizeof *l);

	if (l) {
		l->fd = -1;
		l->mapped = INT64_MAX / AMON_PAGE * AMON_PAGE;
	}
	if (!l || !recording_grow(l, AMON_PAGE)) {
		error_no_memory(err, NULL);
		free(l);
		return NULL;
	}
	recording_header_write(l, header);
	return l;
}

const void *recording_bytes(const struct recording *l, size_t *len)
{
	*len = recording_header((struct recording *)l)->used;
	return l->bytes;
}

void recording_end(struct recording *l, bool ended)
{
	uint64_t used = recording_header(l)->used;

	if (ended)
		recording_header(l)->state = AMON_ENDED;
	munmap(l->bytes, l->fd < 0 ? l->length : l->mapped);
	if (l->fd >= 0) {
		(void)!ftruncate(l->fd, (off_t)used);	/* or it stays longer than it need be */
		close(l->fd);
	}
	free_lists(l);
}

uint32_t recording_module(struct recording *l, const struct amon_module *record, const char *path)
{
	struct amon_module m = *record;
	struct sequence *s = &l->modules;
	struct amon_chunk *c = s->nplaces ? recording_chunk_at(l, s->places[s->nplaces - 1].at) : NULL;
	size_t size;

	m.path_size = (uint32_t)strlen(path) + 1;
	size = m.size = (sizeof m + m.path_size + 7) / 8 * 8;
	if (!c || size > c->capacity - c->count) {
		uint64_t at;

		if (!array_grow(&s->places, &s->room, s->nplaces, sizeof *s->places))
			return RECORDING_NONE;
		at = recording_chunk_new(l, AMON_MODULES, AMON_NONE, size > MODULE_BYTES ? m.size : MODULE_BYTES, 1);
		if (!at)
			return RECORDING_NONE;
		s->places[s->nplaces++] = (struct place){ .at = at, .base = s->n };
		c = recording_chunk_at(l, at);
	}
	memcpy((char *)c + c->first + c->count, &m, sizeof m);
	memcpy((char *)c + c->first + c->count + sizeof m, path, m.path_size);
	__atomic_store_n(&c->count, c->count + m.size, __ATOMIC_RELEASE);
	return s->n++;
}

/* Are A and B the same file, as readers tell files apart? */
static bool recording_is_same_file(const struct amon_module *a, const struct amon_module *b)
{
	if (a->build_id_size != b->build_id_size)
		return false;
	return a->build_id_size ? memcmp(a->build_id, b->build_id, a->build_id_size) == 0 : strcmp((const char *)(a + 1), (const char *)(b + 1)) == 0;
}

const struct amon_module *recording_module_at(const struct recording *l, uint32_t i)
{
	const struct sequence *s = &l->modules;
	const struct amon_chunk *c;
	const char *at;
	uint32_t k = s->nplaces - 1;

	while (s->places[k].base > i)
		k--;
	c = recording_chunk_at(l, s->places[k].at);
	at = (const char *)c + c->first;
	for (uint32_t skip = i - s->places[k].base; skip > 0; skip--)
		at += ((const struct amon_module *)at)->size;
	return (const struct amon_module *)at;
}

uint32_t recording_module_rank(const struct recording *l, uint32_t module)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < module; i++) {
		bool known = false;

		for (uint32_t k = 0; k < i && !known; k++)
			known = recording_is_same_file(recording_module_at(l, k), recording_module_at(l, i));
		rank += !known;
	}
	return rank;
}

uint32_t recording_routine(struct recording *l, uint64_t address, uint32_t module, uint32_t flags)
{
	return recording_append(l, &l->routines, AMON_ROUTINES, AMON_NONE, &(struct amon_routine){ address, module, flags },
		sizeof(struct amon_routine));
}

uint32_t recording_routines(const struct recording *l) { return l->routines.n; }

struct amon_routine recording_routine_at(const struct recording *l, uint32_t i)
{
	return *(const struct amon_routine *)recording_item_of(l, &l->routines, i, sizeof(struct amon_routine));
}

void recording_routine_is(struct recording *l, uint32_t i, uint32_t as)
{
	*(struct amon_routine *)recording_item_of(l, &l->routines, i, sizeof(struct amon_routine)) = recording_routine_at(l, as);
}

uint32_t recording_modules(const struct recording *l) { return l->modules.n; }

void recording_command(struct recording *l, const struct amon_command *command)
{
	uint64_t at = recording_chunk_new(l, AMON_COMMANDS, AMON_NONE, 1, sizeof *command);

	if (!at)
		return;
	memcpy((char *)recording_chunk_at(l, at) + recording_chunk_at(l, at)->first, command, sizeof *command);
	__atomic_store_n(&recording_chunk_at(l, at)->count, 1, __ATOMIC_RELEASE);
}

uint32_t recording_thread(struct recording *l, uint32_t tid)
{
	struct amon_thread record = { .tid = tid, .state = AMON_THREAD_LIVE, .current = AMON_NONE, .folded = 1 };
	uint32_t i = l->threads.n;

	if (!array_grow(&l->contexts, &l->contexts_room, i, sizeof *l->contexts) || !array_grow(&l->pcs, &l->pcs_room, i, sizeof *l->pcs) ||
	    !array_grow(&l->slices, &l->slices_room, i, sizeof *l->slices))
		return RECORDING_NONE;
	l->contexts[i] = (struct sequence){ 0 };
	l->pcs[i] = (struct counted){ .n = 0 };
	l->slices[i] = (struct sliced){ 0 };
	if (recording_append(l, &l->threads, AMON_THREADS, AMON_NONE, &record, sizeof record) == RECORDING_NONE)
		return RECORDING_NONE;
	return recording_item(l, i, AMON_NONE, AMON_ROUTINE_ROOT) == RECORDING_NONE ? RECORDING_NONE : i;
}

struct amon_thread *recording_thread_record(struct recording *l, uint32_t thread)
{
	return recording_item_of(l, &l->threads, thread, sizeof(struct amon_thread));
}

uint32_t recording_item(struct recording *l, uint32_t thread, uint32_t parent, uint32_t routine)
{
	return recording_append(l, &l->contexts[thread], AMON_CONTEXTS, thread, &(struct amon_link){ parent, routine }, sizeof(struct amon_link));
}

bool recording_add(struct recording *l, uint32_t thread, uint32_t item, uint64_t calls, uint64_t time, uint64_t ticks)
{
	bool weighed = !l->weighs || !time || !ticks || recording_amount(l, thread, item, 0, time, ticks);
	struct amon_chunk *c = chunk_of(l, &l->contexts[thread], &item);
	struct amon_counter *counters = (struct amon_counter *)((char *)c + c->counters);
	uint32_t *samples = (uint32_t *)(counters + c->capacity);

	add_capped(&counters[item].calls, calls);
	add_capped(&counters[item].time, time);
	samples[item] = ticks < UINT32_MAX - samples[item] ? samples[item] + (uint32_t)ticks : UINT32_MAX;
	add_capped(&recording_thread_record(l, thread)->ticks, ticks);
	return weighed;
}

bool recording_charge(struct recording *l, uint32_t thread, uint32_t item, uint64_t time)
{
	return recording_add(l, thread, item, 0, time, 1);
}

uint32_t recording_value(struct recording *l, const char *name, const char *unit, uint32_t flags)
{
	struct amon_value v = { .flags = flags };

	memcpy(v.name, name, strnlen(name, sizeof v.name - 1));
	memcpy(v.unit, unit, strnlen(unit, sizeof v.unit - 1));
	l->weighs |= l->values.n == 0 && flags & AMON_VALUE_WEIGHED;
	return recording_append(l, &l->values, AMON_VALUES, AMON_NONE, &v, sizeof v);
}

bool recording_clock_value(struct recording *l)
{
	return recording_value(l, recording_header(l)->clock == AMON_CLOCK_WALL ? "wall" : "cpu", "ns", AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED) != RECORDING_NONE;
}

/* What is kept of VALUE beside the chunk at P, of THREAD's contexts or, if that is NONE, of arcs; NULL: no room. */
static struct amon_amount *amounts_beside(struct recording *l, struct place *p, uint32_t thread, uint32_t value)
{
	uint64_t at = p->amounts ? p->amounts[value] : 0;

	if (!p->amounts && !(p->amounts = calloc(l->values.n, sizeof *p->amounts)))
		return NULL;
	if (!at) {
		uint32_t capacity = recording_chunk_at(l, p->at)->capacity;

		at = recording_chunk_new(l, AMON_AMOUNTS, thread, capacity, sizeof(struct amon_amount));
		if (!at)
			return NULL;
		recording_chunk_at(l, at)->base = p->base;
		recording_chunk_at(l, at)->value = value;
		__atomic_store_n(&recording_chunk_at(l, at)->count, capacity, __ATOMIC_RELEASE);
		p->amounts[value] = at;
	}
	return (struct amon_amount *)((char *)recording_chunk_at(l, at) + sizeof(struct amon_chunk));
}

bool recording_amount(struct recording *l, uint32_t thread, uint32_t item, uint32_t value, uint64_t amount, uint64_t samples)
{
	struct place *p = recording_place_of(&l->contexts[thread], &item);
	struct amon_amount *a = amounts_beside(l, p, thread, value);

	if (a)
		amount_add(&a[item], amount, samples);
	return a != NULL;
}

bool recording_amount_drawn(struct recording *l, uint32_t thread, uint32_t item, uint32_t value, uint64_t amount, const uint64_t square[2])
{
	struct place *p = recording_place_of(&l->contexts[thread], &item);
	struct amon_amount *a = amounts_beside(l, p, thread, value);

	if (!a)
		return false;
	amount_add(&a[item], amount, 0);
	a[item].samples++;
	squares_add(a[item].squares, square);
	return true;
}

bool recording_arc_amount(struct recording *l, uint32_t arc, uint32_t value, uint64_t amount)
{
	struct place *p = recording_place_of(&l->arcs, &arc);
	struct amon_amount *a = amounts_beside(l, p, AMON_NONE, value);

	if (a)
		amount_add(&a[arc], amount, 0);
	return a != NULL;
}

/* The time of ITEM of THREAD, ns. */
static uint64_t recording_time_of(const struct recording *l, uint32_t thread, uint32_t item)
{
	const struct amon_chunk *c = chunk_of(l, &l->contexts[thread], &item);

	return ((const struct amon_counter *)((const char *)c + c->counters))[item].time;
}

uint64_t recording_time(const struct recording *l, uint32_t thread)
{
	uint64_t time = 0;

	for (uint32_t i = 0; i < l->contexts[thread].n; i++)
		add_capped(&time, recording_time_of(l, thread, i));
	return time;
}

/* What the samples of A brought, AMOUNT, becomes TO, and what each of them stands for in proportion. */
static void squares_scale(struct amon_amount *a, uint64_t amount, uint64_t to)
{
	unsigned __int128 x = squares_wide(a->squares);

	for (int i = 0; i < 2; i++)
		x = x / amount * to + x % amount * to / amount;
	a->squares[0] = (uint64_t)x;
	a->squares[1] = (uint64_t)(x >> 64);
}

/* What ITEM of THREAD has of VALUE; NULL: nothing. */
static struct amon_amount *amount_of(struct recording *l, uint32_t thread, uint32_t item, uint32_t value)
{
	const struct place *p = recording_place_of(&l->contexts[thread], &item);
	struct amon_amount *of = p->amounts && p->amounts[value] ? (void *)((char *)recording_chunk_at(l, p->amounts[value]) + sizeof(struct amon_chunk)) : NULL;

	return of ? &of[item] : NULL;
}

void recording_amount_scale(struct recording *l, uint32_t thread, uint32_t value, uint64_t to)
{
	uint64_t all = 0, before = 0, given = 0;
	struct amon_amount *a;

	for (uint32_t i = 0; i < l->contexts[thread].n; i++)
		all += (a = amount_of(l, thread, i, value)) ? a->amount : 0;
	for (uint32_t i = 0; i < l->contexts[thread].n; i++) {
		uint64_t part;

		if (!(a = amount_of(l, thread, i, value)) || !a->amount)
			continue;
		before += a->amount;
		part = (uint64_t)((unsigned __int128)to * before / all) - given;
		given += part;
		squares_scale(a, a->amount, part);
		a->amount = part;
	}
}

void recording_share(struct recording *l, uint32_t thread, uint64_t nsec, uint64_t at)
{
	uint64_t all = recording_time(l, thread), before = 0, given = 0;
	struct amon_amount *a;

	for (uint32_t i = 0; i < l->contexts[thread].n; i++) {
		uint64_t time = recording_time_of(l, thread, i), part;

		if (time == 0)
			continue;
		before += time;
		part = (uint64_t)((unsigned __int128)nsec * before / all) - given;
		given += part;
		recording_add(l, thread, i, 0, part, 0);
		if (l->weighs && (a = amount_of(l, thread, i, 0)) != NULL)
			squares_scale(a, time, time + part);
		recording_slice(l, thread, i, at, part, 0);
	}
}

void recording_keep_slices(struct recording *l) { l->keeps_slices = true; }

void recording_keep_sites(struct recording *l) { l->keeps_sites = true; }

bool recording_keeps_sites(const struct recording *l) { return l->keeps_sites; }

void recording_site(struct recording *l, uint32_t thread, uint32_t item, uint64_t site)
{
	const struct place *p = recording_place_of(&l->contexts[thread], &item);

	if (p->sites)
		((uint64_t *)((char *)recording_chunk_at(l, p->sites) + sizeof(struct amon_chunk)))[item] = site;
}

uint64_t recording_site_counter(const struct recording *l, uint32_t thread, uint32_t item)
{
	const struct place *p = recording_place_of(&l->contexts[thread], &item);

	return p->sites && p->spent ? p->spent + sizeof(struct amon_chunk) + item * sizeof(struct amon_spent) : 0;
}

void recording_count_site(struct recording *l, uint64_t counter, bool self, uint64_t ticks)
{
	struct amon_spent *spent = (struct amon_spent *)(l->bytes + counter);
	uint32_t *n = self ? &spent->self : &spent->children;

	*n = ticks < UINT32_MAX - *n ? *n + (uint32_t)ticks : UINT32_MAX;
}

/* At AT the run has lasted so long, ns. */
static uint64_t recording_elapsed(const struct recording *l, uint64_t at)
{
	uint64_t start = ((const struct amon_header *)l->bytes)->start_monotonic;

	return at > start ? at - start : 0;
}

uint64_t recording_interval_end(const struct recording *l, uint64_t at)
{
	uint64_t since = recording_elapsed(l, at), length = slice_length(slice_level(since, l->level));

	return l->keeps_slices ? at + length - since % length : UINT64_MAX;
}

/* The next table of THREAD.  False: no room, or what is left is for contexts. */
static bool slices_add(struct recording *l, uint32_t thread)
{
	struct sliced *s = &l->slices[thread];
	uint32_t slots = slice_room(s->slots, s->at ? recording_chunk_at(l, s->at)->base : 0, l->level);
	bool fits = slots <= MOST_SLICES && leaves_room(l, slots * sizeof(struct amon_slice));
	uint64_t at = fits ? recording_chunk_new(l, AMON_SLICES, thread, slots, sizeof(struct amon_slice)) : 0;

	if (!at)
		return false;
	recording_chunk_at(l, at)->base = l->level;
	*s = (struct sliced){ at, slots };
	return true;
}

static bool slice_add(struct recording *l, uint32_t thread, uint32_t item, uint64_t since, uint64_t time, uint32_t ticks)
{
	const struct sliced *s = &l->slices[thread];

	return s->at && recording_chunk_at(l, s->at)->base == l->level &&
	       slice_charge(recording_chunk_at(l, s->at), s->slots, since / slice_length(l->level), item, 0, time, ticks);
}

void recording_slice(struct recording *l, uint32_t thread, uint32_t item, uint64_t at, uint64_t time, uint64_t ticks)
{
	uint64_t since = recording_elapsed(l, at);
	uint32_t most = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;

	if (!l->keeps_slices)
		return;
	l->level = slice_level(since, l->level);
	if (!slice_add(l, thread, item, since, time, most) && !(slices_add(l, thread) && slice_add(l, thread, item, since, time, most)))
		recording_header(l)->notes[AMON_NOTE_SLICES_BOUND]++;
}

uint32_t recording_arc(struct recording *l, uint32_t from, uint32_t to, uint64_t calls, uint64_t time)
{
	return recording_append(l, &l->arcs, AMON_ARCS, AMON_NONE, &(struct amon_arc){ from, to, calls, time }, sizeof(struct amon_arc));
}

bool recording_symbols(struct recording *l, uint32_t module, const struct profile_symbols *s)
{
	struct amon_symbols record = { .module = module, .data_size = s->size, .plain_size = s->plain_size };
	uint64_t size = (sizeof record + s->size + 7) / 8 * 8, at;
	struct amon_chunk *c;

	at = size <= UINT32_MAX / 2 ? recording_chunk_new(l, AMON_SYMBOLS, AMON_NONE, (uint32_t)size, 1) : 0;
	if (!at)
		return false;
	c = recording_chunk_at(l, at);
	record.size = (uint32_t)size;
	memcpy((char *)c + c->first, &record, sizeof record);
	memcpy((char *)c + c->first + sizeof record, s->data, s->size);
	__atomic_store_n(&c->count, c->capacity, __ATOMIC_RELEASE);
	return true;
}

/* Count N in the table of chunk C, where the pair is or, with ADD, where it fits; false: it is not there. */
static bool count_in(struct amon_chunk *c, uint32_t item, uint64_t pc, uint32_t n, bool add)
{
	struct amon_pc *slots = (struct amon_pc *)((char *)c + c->first);
	uint32_t mask = c->capacity - 1, i = (uint32_t)hash_mix(pc, item) & mask;

	for (; slots[i].pc; i = (i + 1) & mask)
		if (slots[i].pc == pc && slots[i].context == item) {
			slots[i].count += n < UINT32_MAX - slots[i].count ? n : UINT32_MAX - slots[i].count;
			return true;
		}
	if (!add)
		return false;
	slots[i].context = item;
	slots[i].count = n;
	__atomic_store_n(&slots[i].pc, pc, __ATOMIC_RELEASE);
	c->count++;
	return true;
}

/* The tables of THREAD and VALUE; NULL: out of memory. */
static struct tables *tables_of(struct recording *l, uint32_t thread, uint32_t value)
{
	struct counted *c = &l->pcs[thread];

	if (!array_reserve(&c->of, &c->room, (size_t)value + 1, sizeof *c->of))
		return NULL;
	for (; c->n <= value; c->n++)
		c->of[c->n] = (struct tables){ .n = 0 };
	return &c->of[value];
}

bool recording_pc(struct recording *l, uint32_t thread, uint32_t value, uint32_t item, uint64_t pc, uint32_t n)
{
	struct tables *t = tables_of(l, thread, value);
	struct amon_chunk *last = t && t->n ? recording_chunk_at(l, t->at[t->n - 1]) : NULL;

	if (!t)
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		if (count_in(recording_chunk_at(l, t->at[i]), item, pc, n, false))
			return true;
	if (!last || last->count >= last->capacity / 4 * 3) {
		uint64_t at = t->n < BLOCKS && t->n < 24 ? recording_chunk_new(l, AMON_PCS, thread, FIRST_PCS << t->n, sizeof(struct amon_pc)) : 0;

		if (!at) {
			recording_header(l)->notes[AMON_NOTE_PC_LOST]++;
			return false;
		}
		t->at[t->n++] = at;
		last = recording_chunk_at(l, at);
		last->value = value;
	}
	return count_in(last, item, pc, n, true);
}
