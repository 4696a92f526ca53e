/* nursery.c - the file that short processes share: each place in it is laid out as a file of its own. */
#include "understand/input/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/amon.h"
#include "read/profile/profile.h"

/* What is being added up. */
struct nursery_reading {
	int fd;
	const char *path;		/* in messages */
	struct amon_chunk head;		/* of the chunk of places */
	uint64_t waits;			/* CPU time that is in none of them, ns */
	struct profile *profile;	/* of those that were read */
	void *room;			/* for one of them */
	uint64_t lost;			/* that cannot be read */
};

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	ssize_t n;

	do
		n = pread(fd, to, size, (off_t)at);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

static bool nursery_head_read(int fd, struct amon_chunk *head)
{
	char magic[sizeof ((struct amon_header *)0)->magic];

	return read_at(fd, magic, sizeof magic, 0) && memcmp(magic, AMON_MAGIC, sizeof magic) == 0 && read_at(fd, head, sizeof *head, AMON_PAGE) &&
	       head->magic == AMON_CHUNK_MAGIC && head->kind == AMON_PROCESSES && head->base >= AMON_PAGE && head->base % AMON_PAGE == 0 &&
	       head->first >= sizeof *head + sizeof(struct amon_processes);
}

bool nursery_is(int fd)
{
	struct amon_chunk head;

	return nursery_head_read(fd, &head);
}

static uint64_t place_at(const struct amon_chunk *head, uint32_t i) { return AMON_PAGE + head->first + (uint64_t)i * head->base; }

/* Read the header of what is in the place at AT to *H.  False: nothing is. */
static bool nursery_header_read(int fd, uint64_t at, struct amon_header *h)
{
	return read_at(fd, h, sizeof *h, at) && memcmp(h->magic, AMON_MAGIC, sizeof h->magic) == 0;
}

bool nursery_is_empty(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct amon_chunk head;
	struct amon_header h;
	bool empty = fd >= 0 && nursery_head_read(fd, &head);

	for (uint32_t i = 0; empty && i < head.count && i < head.capacity; i++)
		empty = !nursery_header_read(fd, place_at(&head, i), &h);
	if (fd >= 0)
		close(fd);
	return empty;
}

/* Add what is in the place I. */
static bool nursery_place_add(struct nursery_reading *p, uint32_t i, struct error *err)
{
	uint64_t at = place_at(&p->head, i);
	struct amon_header h;

	if (!nursery_header_read(p->fd, at, &h))
		return true;
	if (h.used < AMON_PAGE || h.used > p->head.base || !read_at(p->fd, p->room, h.used, at)) {
		p->lost++;
		return true;
	}
	if (profile_read(p->profile, p->room, h.used, p->path, err))
		return true;
	p->lost++;
	return err->code != ERROR_MEMORY;
}

/* Time that no sample has placed is some process's, whichever it is, and so one thread's. */
static void waits_add(struct nursery_reading *p)
{
	struct amon_thread *t = p->profile->nthreads ? &p->profile->threads[p->profile->nthreads - 1].record : NULL;

	if (!t)
		return;
	t->unplaced += p->waits;
	t->cpu_last += p->waits;
	p->profile->unplaced += p->waits;
}

/* No process has left anything: a profile of nothing. */
static void *nursery_nothing(const struct nursery_reading *p, size_t *len)
{
	struct amon_header *h = calloc(1, AMON_PAGE);

	if (h && read_at(p->fd, h, sizeof *h, 0)) {
		h->used = AMON_PAGE;
		h->notes[AMON_NOTE_PROCESS_LOST] = p->lost;
		*len = AMON_PAGE;
	}
	return h;
}

static void *nursery_sum_make(struct nursery_reading *p, size_t *len, struct error *err)
{
	if (p->profile->nruns == 0)
		return nursery_nothing(p, len);
	waits_add(p);
	p->profile->runs[0].header.notes[AMON_NOTE_PROCESS_LOST] += p->lost;
	return profile_write(p->profile, len, err);
}

void *nursery_sum(int fd, const char *path, size_t *len, struct error *err)
{
	struct nursery_reading p = { .fd = fd, .path = path, .profile = profile_new() };
	struct amon_processes common;
	void *data = NULL;
	bool ok;

	if (!nursery_head_read(fd, &p.head) || !read_at(fd, &common, sizeof common, AMON_PAGE + sizeof p.head)) {
		profile_free(p.profile);
		error_set(err, ERROR_CORRUPT, AMON_PAGE, "%s: no file that processes share", path);
		return NULL;
	}
	p.waits = common.waits;
	p.room = malloc(p.head.base);
	ok = (p.profile && p.room) || error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "%s: out of memory while reading it", path);
	for (uint32_t i = 0; ok && i < p.head.count && i < p.head.capacity; i++)
		ok = nursery_place_add(&p, i, err);
	if (ok)
		data = nursery_sum_make(&p, len, err);
	free(p.room);
	profile_free(p.profile);
	return data;
}
