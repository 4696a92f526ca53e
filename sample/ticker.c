/* ticker.c - the recorder's side of format/ring.h. */
#include "sample/ticker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "format/ring.h"

enum { MOST_SIZE = 64 << 20 };		/* bytes of a ring that is believed */

struct ring {
	struct ring_head *head;
	const char *data;
	uint64_t size;			/* of the data, bytes */
	uint64_t lost;			/* that were told */
	int process;			/* pidfd; -1: there is none */
	pid_t pid;
	bool began;			/* HAPPENED_BEGAN was told */
	bool gone;			/* the process is, or its program: what is here now is all */
	bool replaced;			/* it is another program by now */
	char *maps;			/* pieces so far */
	size_t maps_size, maps_room;
};

struct ticker {
	struct source source;
	char *directory;
	struct ring **rings;
	size_t nrings, room;
	size_t at;			/* ring that is read */
	struct ring_record *given;	/* the record that was told last, which is the program's again then; NULL: none */
	const struct ring_sample *sample; /* the same, for its other stack */
};

/* ---- rings ---- */

/* Map the ring FD: the head, and the data twice.  False: it is none, or not whole yet. */
static bool map(struct ring *r, int fd)
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
	if (r->process >= 0)
		close(r->process);
	free(r->maps);
	free(r);
}

/* The ring in the file PATH, which is taken away.  NULL: it is none yet. */
static struct ring *ring_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct ring *r = fd >= 0 ? calloc(1, sizeof *r) : NULL;
	bool ok;

	if (r)
		r->process = -1;
	ok = r && map(r, fd);
	if (fd >= 0)
		close(fd);
	if (!ok) {
		if (r)
			ring_free(r);
		return NULL;
	}
	r->pid = r->head->pid;
	r->process = (int)syscall(SYS_pidfd_open, r->pid, 0);
	r->gone = r->process < 0 && errno == ESRCH;
	unlink(path);
	return r;
}

static void rings_look_for(struct ticker *t)
{
	DIR *dir = opendir(t->directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = NULL;
		struct ring *r = NULL;

		if (strncmp(entry->d_name, RING_NAME, strlen(RING_NAME)) != 0)
			continue;
		if (array_grow(&t->rings, &t->room, t->nrings, sizeof *t->rings) && asprintf(&path, "%s/%s", t->directory, entry->d_name) >= 0)
			r = ring_open(path);
		free(path);
		if (r)
			t->rings[t->nrings++] = r;
	}
	if (dir)
		closedir(dir);
}

/* Has R's process become another program, which has another ring? */
static bool is_replaced(const struct ticker *t, const struct ring *r)
{
	for (size_t i = 0; i < t->nrings; i++)
		if (t->rings[i] != r && t->rings[i]->pid == r->pid && t->rings[i]->head->started > r->head->started)
			return true;
	return false;
}

static bool is_gone(const struct ring *r)
{
	struct pollfd fd = { .fd = r->process, .events = POLLIN };

	return r->process >= 0 ? poll(&fd, 1, 0) == 1 : kill(r->pid, 0) != 0 && errno == ESRCH;
}

/* ---- records ---- */

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
static bool other_read(void *arg, uint64_t address, uint64_t *word)
{
	const struct ring_sample *s = arg;
	uint64_t at = address - s->other;

	if (!s->other || s->other_size < sizeof *word || at > s->other_size - sizeof *word)
		return false;
	memcpy(word, (const char *)(s + 1) + s->stack_size + at, sizeof *word);
	return true;
}

static bool sample_read(struct ring_record *record, struct happening *h)
{
	struct ring_sample *s = (struct ring_sample *)record;

	if (record->used < sizeof *s - sizeof *record || record->used - (sizeof *s - sizeof *record) < (uint64_t)s->stack_size + s->other_size)
		return false;
	s->name[sizeof s->name - 1] = 0;
	h->kind = HAPPENED_SAMPLE;
	h->period = h->cpu = s->period;
	h->kernel = s->kernel;
	h->readable = true;
	memcpy(h->regs, s->regs, sizeof h->regs);
	h->stack = s + 1;
	h->stack_size = s->stack_size;
	h->more = other_read;
	h->more_arg = s;
	h->name = s->name;
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
static bool record_read(struct ring *r, struct ring_record *record, struct happening *h)
{
	*h = (struct happening){ .pid = (uint32_t)r->pid, .tid = record->tid, .time = record->time };
	switch (record->kind) {
	case RING_SAMPLE:
		return sample_read(record, h);
	case RING_MAPS:
		return maps_read(r, record, h);
	case RING_ENDED:
		h->kind = HAPPENED_ENDED;
		return true;
	default:
		return false;
	}
}

static void begin_read(struct ring *r, struct happening *h)
{
	struct ring_head *head = r->head;

	r->began = true;
	head->program[sizeof head->program - 1] = 0;
	head->name[sizeof head->name - 1] = 0;
	*h = (struct happening){
		.kind = HAPPENED_BEGAN, .pid = (uint32_t)r->pid, .tid = (uint32_t)r->pid, .ppid = (uint32_t)head->ppid, .time = head->started, .name = head->name,
		.program = head->program, .command = head->command,
		.command_size = head->command_size < sizeof head->command ? head->command_size : sizeof head->command,
	};
}

/* What R has to tell; false: nothing now. */
static bool ring_read(struct ticker *t, struct ring *r, struct happening *h)
{
	struct ring_record *record;
	uint64_t lost = __atomic_load_n(&r->head->lost, __ATOMIC_RELAXED);

	if (!r->began)
		return begin_read(r, h), true;
	while ((record = record_next(r)) != NULL) {
		if (record_read(r, record, h)) {
			t->given = record;
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

/* ---- the source ---- */

/* Which rings there are, and whose process is gone: that first, so that what is read behind it is all. */
static void rings_look(struct ticker *t)
{
	rings_look_for(t);
	for (size_t i = 0; i < t->nrings; i++) {
		struct ring *r = t->rings[i];

		r->replaced = r->replaced || is_replaced(t, r);
		r->gone = r->gone || r->replaced || is_gone(r);
	}
}

static bool ticker_next(struct source *source, uint64_t before, struct happening *h)
{
	struct ticker *t = (struct ticker *)source;

	(void)before;
	if (t->given)
		record_pass(t->rings[t->at], t->given);
	else if (t->at == 0)
		rings_look(t);
	t->given = NULL;
	while (t->at < t->nrings) {
		struct ring *r = t->rings[t->at];
		bool replaced = r->replaced;

		if (ring_read(t, r, h))
			return true;
		if (!r->gone) {
			t->at++;
			continue;
		}
		*h = (struct happening){ .kind = HAPPENED_GONE, .pid = (uint32_t)r->pid };
		ring_free(r);
		memmove(&t->rings[t->at], &t->rings[t->at + 1], (--t->nrings - t->at) * sizeof *t->rings);
		if (!replaced)
			return true;
	}
	t->at = 0;
	return false;
}

static bool has_ring(const struct ticker *t, pid_t pid)
{
	for (size_t i = 0; i < t->nrings; i++)
		if (t->rings[i]->pid == pid && !t->rings[i]->gone && !t->rings[i]->head->closed)
			return true;
	return false;
}

bool ticker_serves(void *source, pid_t pid)
{
	struct ticker *t = source;

	if (has_ring(t, pid))
		return true;
	rings_look_for(t);			/* it may have come just now */
	return has_ring(t, pid);
}

static void ticker_close(struct source *source)
{
	struct ticker *t = (struct ticker *)source;

	for (size_t i = 0; i < t->nrings; i++) {
		t->rings[i]->head->unwanted = 1;
		ring_free(t->rings[i]);
	}
	free(t->rings);
	free(t->directory);
	free(t);
}

/* PID's library deletes its timers when it next has a sample. */
static void ticker_leave(struct source *source, pid_t pid)
{
	struct ticker *t = (struct ticker *)source;

	for (size_t i = 0; i < t->nrings; i++)
		if (t->rings[i]->pid == pid)
			t->rings[i]->head->unwanted = 1;
}

static const struct source_kind by_timer = {
	.number = AMON_SOURCE_TIMER, .wait = source_rest, .next = ticker_next, .leave = ticker_leave, .close = ticker_close,
};

struct source *ticker_open(const char *directory, struct error *err)
{
	struct ticker *t = calloc(1, sizeof *t);

	if (t) {
		t->source = (struct source){ .kind = &by_timer, .sees_kernel = true };
		t->directory = strdup(directory);
	}
	if (t && t->directory)
		return &t->source;
	error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory");
	free(t);
	return NULL;
}
