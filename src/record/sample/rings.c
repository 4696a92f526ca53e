/* rings.c - see rings.h. */
#include "record/sample/rings.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

enum { MOST_SIZE = 64 << 20 };		/* bytes of a ring that is believed */

/* ---- found ---- */

/* Map the ring FD: the head, and the data twice.  False: it is none, or not whole yet. */
static bool rings_map(struct ring *r, int fd)
{
	struct stat st;
	char *at;

	if (fstat(fd, &st) != 0 || st.st_size <= RING_DATA || st.st_size > MOST_SIZE)
		return false;
	r->size = (uint64_t)st.st_size - RING_DATA;
	at = mmap(NULL, RING_DATA + 2 * r->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return false;
	r->head = (struct ring_head *)at;
	r->data = at + RING_DATA;
	if (mmap(at, RING_DATA + r->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mmap(at + RING_DATA + r->size, r->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, RING_DATA) == MAP_FAILED)
		return false;
	return __atomic_load_n(&r->head->ready, __ATOMIC_ACQUIRE) == 1 && !memcmp(r->head->magic, RING_MAGIC, sizeof r->head->magic) &&
	       r->head->version == RING_VERSION && r->head->size == r->size && r->head->pid > 0;
}

static void ring_free(struct ring *r)
{
	if (r->head)
		munmap(r->head, RING_DATA + 2 * r->size);
	free(r->maps);
	free(r);
}

/* The ring in the file PATH, which is taken away.  NULL: it is none yet. */
static struct ring *ring_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct ring *r = fd >= 0 ? calloc(1, sizeof *r) : NULL;
	bool ok;

	ok = r && rings_map(r, fd);
	if (fd >= 0)
		close(fd);
	if (!ok) {
		if (r)
			ring_free(r);
		return NULL;
	}
	r->pid = r->head->pid;
	r->started = r->head->started;
	unlink(path);
	return r;
}

void rings_look(struct rings *rings, const char *directory, const char *name)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = NULL;
		struct ring *r = NULL;

		if (strncmp(entry->d_name, name, strlen(name)) != 0)
			continue;
		if (array_grow(&rings->all, &rings->room, rings->n, sizeof *rings->all) && asprintf(&path, "%s/%s", directory, entry->d_name) >= 0)
			r = ring_open(path);
		free(path);
		if (r)
			rings->all[rings->n++] = r;
	}
	if (dir)
		closedir(dir);
}

void rings_remove(struct rings *rings, size_t i)
{
	ring_free(rings->all[i]);
	memmove(&rings->all[i], &rings->all[i + 1], (--rings->n - i) * sizeof *rings->all);
}

void rings_free(struct rings *rings)
{
	for (size_t i = 0; i < rings->n; i++) {
		rings->all[i]->head->unwanted = 1;
		ring_free(rings->all[i]);
	}
	free(rings->all);
	*rings = (struct rings){ 0 };
}

/* ---- read ---- */

/* The next whole record of R; NULL: there is none. */
static struct ring_record *record_next(const struct ring *r)
{
	uint64_t tail = r->head->tail;
	struct ring_record *record = (struct ring_record *)(r->data + tail % r->size);

	if (tail == __atomic_load_n(&r->head->head, __ATOMIC_ACQUIRE) || __atomic_load_n(&record->at, __ATOMIC_ACQUIRE) != tail + 1)
		return NULL;
	if (record->size < sizeof *record || record->size % 8 || record->size > r->size || record->used > record->size - sizeof *record)
		return NULL;
	return record;
}

static void record_pass(struct ring *r, const struct ring_record *record)
{
	__atomic_store_n(&r->head->tail, r->head->tail + record->size, __ATOMIC_RELEASE);
}

/* The memory of the stack that a handler's own one interrupted. */
static bool rings_other_read(void *arg, uint64_t address, uint64_t *word)
{
	const struct ring_sample *s = arg;
	uint64_t at = address - s->other;

	if (!s->other || s->other_size < sizeof *word || at > s->other_size - sizeof *word)
		return false;
	memcpy(word, (const char *)(s + 1) + s->stack_size + at, sizeof *word);
	return true;
}

static void allocation_read(const struct ring_sample *s, struct happening *h)
{
	h->bytes = s->period;
	h->mean = s->mean;
	h->allocation = s->allocation;
	h->others = s->lost;
	h->others_bytes = s->lost_bytes;
}

static bool rings_sample_read(struct ring_record *record, struct happening *h, enum what_happened kind)
{
	struct ring_sample *s = (struct ring_sample *)record;

	if (record->used < sizeof *s - sizeof *record || record->used - (sizeof *s - sizeof *record) < (uint64_t)s->stack_size + s->other_size)
		return false;
	s->name[sizeof s->name - 1] = 0;
	h->kind = kind;
	if (kind == HAPPENED_SAMPLE)
		h->period = h->cpu = s->period;
	else
		allocation_read(s, h);
	h->kernel = s->kernel;
	h->readable = true;
	memcpy(h->regs, s->regs, sizeof h->regs);
	h->stack = s + 1;
	h->stack_size = s->stack_size;
	h->more = rings_other_read;
	h->more_arg = s;
	h->name = s->name;
	return true;
}

static bool freed_read(const struct ring_record *record, struct happening *h)
{
	const struct ring_freed *f = (const struct ring_freed *)record;

	if (record->used < sizeof *f - sizeof *record)
		return false;
	h->kind = HAPPENED_FREED;
	h->allocation = f->allocation;
	h->untracked = f->untracked;
	return true;
}

/* One more piece of what is mapped; true: that was all, and is told. */
static bool maps_read(struct ring *r, const struct ring_record *record, struct happening *h)
{
	if (!array_reserve(&r->maps, &r->maps_room, r->maps_size + record->used + 1, 1))
		return false;
	memcpy(r->maps + r->maps_size, record + 1, record->used);
	r->maps_size += record->used;
	r->maps[r->maps_size] = 0;
	if (record->used)
		return false;
	r->maps_size = 0;
	h->kind = HAPPENED_MAPS;
	h->name = r->maps;
	return true;
}

/* Make *H of RECORD; false: it tells nothing yet. */
static bool rings_record_read(struct ring *r, struct ring_record *record, struct happening *h)
{
	*h = (struct happening){ .pid = (uint32_t)r->pid, .tid = record->tid, .time = record->time };
	switch (record->kind) {
	case RING_SAMPLE:
		return rings_sample_read(record, h, HAPPENED_SAMPLE);
	case RING_ALLOCATED:
		return rings_sample_read(record, h, HAPPENED_ALLOCATED);
	case RING_FREED:
		return freed_read(record, h);
	case RING_MAPS:
		return maps_read(r, record, h);
	case RING_ENDED:
		h->kind = HAPPENED_ENDED;
		return true;
	default:
		return false;
	}
}

bool ring_next(struct ring *r, uint64_t before, struct happening *h)
{
	uint64_t lost = __atomic_load_n(&r->head->lost, __ATOMIC_RELAXED);
	struct ring_record *record;

	if (r->given)
		record_pass(r, r->given);
	r->given = NULL;
	while ((record = record_next(r)) != NULL && record->time < before) {
		if (rings_record_read(r, record, h)) {
			r->given = record;
			return true;
		}
		record_pass(r, record);
	}
	if (lost == r->lost)
		return false;
	*h = (struct happening){ .kind = HAPPENED_LOST, .pid = (uint32_t)r->pid, .tid = (uint32_t)r->pid, .lost = lost - r->lost };
	r->lost = lost;
	return true;
}
