/* ticker.c - programs that take samples of themselves: their rings (rings.h), and the recorder's side of contract/roll.h. */
#include "record/sample/ticker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "contract/roll.h"
#include "record/sample/rings.h"

enum {
	MOST_PID = 1 << 22,		/* the kernel's own limit */
	GRACE = 50000000,		/* ns after the end of a process in which its parent may say what it used */
};

/* A program that is in the roll. */
struct member {
	pid_t pid;
	uint64_t started;
	uint32_t entry;			/* its place there */
	int process;			/* pidfd; -1: there is none */
	bool began;			/* HAPPENED_BEGAN was told */
	bool replaced;			/* its process is another program by now */
	uint64_t gone;			/* when it was seen to be gone, CLOCK_MONOTONIC ns; 0: it runs */
	uint64_t used;			/* what it used, of which its parent told, ns; 0: nobody did */
	bool used_told;			/* HAPPENED_USED was told */
};

/* Somebody waited for the process PID, which used so much, ns, with those that it had waited for itself. */
struct waited {
	pid_t pid;
	uint64_t used;
};

struct ticker {
	struct source source;
	char *directory;
	struct roll_head *roll;
	struct roll_entry *entries;	/* of it */
	struct member *members;		/* in the order in which they began */
	size_t nmembers, members_room;
	bool *known;			/* whether a member has it, for each entry */
	struct waited *waited;		/* found by the last look: by the next one, all that these waited for before is added up, too */
	size_t nwaited, waited_room;
	uint64_t *below;		/* what the children used that a process has waited for, by its number, ns */
	struct rings rings;
	bool looked;			/* at the rings and the roll, for what is told now */
	size_t at;			/* ring that is read */
};

static uint64_t ticker_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- the roll ---- */

static struct member *member_of(const struct ticker *t, pid_t pid, uint64_t started)
{
	for (size_t i = 0; i < t->nmembers; i++)
		if (t->members[i].pid == pid && t->members[i].started == started)
			return &t->members[i];
	return NULL;
}

/* The program that PID is now; NULL: it is none of those. */
static struct member *member_now(const struct ticker *t, pid_t pid)
{
	for (size_t i = t->nmembers; i-- > 0;)
		if (t->members[i].pid == pid && !t->members[i].replaced)
			return &t->members[i];
	return NULL;
}

static void member_add(struct ticker *t, uint32_t i)
{
	const struct roll_entry *e = &t->entries[i];
	struct member m = { .pid = e->pid, .started = e->started, .entry = i };
	size_t at;

	if (!array_grow(&t->members, &t->members_room, t->nmembers, sizeof *t->members))
		return;
	m.process = (int)syscall(SYS_pidfd_open, m.pid, 0);
	m.gone = m.process < 0 && errno == ESRCH ? ticker_now() : 0;
	t->known[i] = true;
	for (at = t->nmembers++; at > 0 && t->members[at - 1].started > m.started; at--) {
		m.replaced |= t->members[at - 1].pid == m.pid;
		t->members[at] = t->members[at - 1];
	}
	t->members[at] = m;
	for (size_t k = 0; k < at; k++)
		t->members[k].replaced |= t->members[k].pid == m.pid;
}

/* Its place is free for another. */
static void member_remove(struct ticker *t, size_t i)
{
	struct member *m = &t->members[i];

	if (m->process >= 0)
		close(m->process);
	t->known[m->entry] = false;
	__atomic_store_n(&t->roll->state[m->entry], ROLL_FREE, __ATOMIC_RELEASE);
	memmove(m, m + 1, (--t->nmembers - i) * sizeof *m);
}

static void members_look(struct ticker *t)
{
	for (size_t i = 0; i < t->nmembers; i++) {
		struct member *m = &t->members[i];
		struct pollfd fd = { .fd = m->process, .events = POLLIN };

		if (!m->gone && (m->process >= 0 ? poll(&fd, 1, 0) == 1 : kill(m->pid, 0) != 0 && errno == ESRCH))
			m->gone = ticker_now();
	}
}

/* What those used that somebody has waited for: themselves, without what they waited for. */
static void waited_settle(struct ticker *t)
{
	for (size_t i = 0; i < t->nwaited; i++) {
		const struct waited *w = &t->waited[i];
		struct member *m = member_now(t, w->pid);

		if (m)
			m->used = w->used > t->below[w->pid] ? w->used - t->below[w->pid] : 1;
		t->below[w->pid] = 0;
	}
	t->nwaited = 0;
}

static void waited_take(struct ticker *t, uint32_t i)
{
	const struct roll_entry *e = &t->entries[i];

	if (e->pid > 0 && e->pid < MOST_PID && e->ppid > 0 && e->ppid < MOST_PID && array_grow(&t->waited, &t->waited_room, t->nwaited, sizeof *t->waited)) {
		t->below[e->ppid] += e->used;
		t->waited[t->nwaited++] = (struct waited){ e->pid, e->used };
	}
	__atomic_store_n(&t->roll->state[i], ROLL_FREE, __ATOMIC_RELEASE);
}

static void roll_look(struct ticker *t)
{
	waited_settle(t);
	for (uint32_t i = 0; i < ROLL_ENTRIES; i++) {
		uint32_t state = __atomic_load_n(&t->roll->state[i], __ATOMIC_ACQUIRE);

		if (state == ROLL_RUNS && !t->known[i])
			member_add(t, i);
		else if (state == ROLL_WAITED)
			waited_take(t, i);
	}
}

/* ---- records ---- */

/* ---- the source ---- */

/* Whose program is gone: that first, so that what is read behind it is all.  A parent that waits for a child says so before it ends itself: what was missing the first
 * time is there the second. */
static void ticker_look(struct ticker *t, bool last)
{
	members_look(t);
	rings_look(&t->rings, t->directory, RING_NAME);
	for (int i = 0; i < 1 + 2 * last; i++)
		roll_look(t);
	for (size_t i = 0; i < t->rings.n; i++) {
		const struct member *m = member_of(t, t->rings.all[i]->pid, t->rings.all[i]->started);

		t->rings.all[i]->gone = !m || m->gone || m->replaced;
	}
	t->looked = true;
}

/* Another member that is to be told of: what its process was before is done with. */
static bool began_read(struct ticker *t, struct happening *h)
{
	for (size_t i = 0; i < t->nmembers; i++) {
		struct member *m = &t->members[i];
		const struct roll_entry *e = &t->entries[m->entry];

		for (size_t k = 0; k < i && !m->began; k++)
			if (t->members[k].pid == m->pid)
				return false;
		if (m->began)
			continue;
		m->began = true;
		*h = (struct happening){
			.kind = HAPPENED_BEGAN, .pid = (uint32_t)m->pid, .tid = (uint32_t)m->pid, .ppid = (uint32_t)e->ppid, .time = e->started, .name = e->name,
			.program = e->program, .command = e->command, .command_size = e->command_size < sizeof e->command ? e->command_size : sizeof e->command,
		};
		return true;
	}
	return false;
}

static bool has_ring(const struct ticker *t, const struct member *m)
{
	for (size_t i = 0; i < t->rings.n; i++)
		if (t->rings.all[i]->pid == m->pid && t->rings.all[i]->started == m->started)
			return true;
	return false;
}

/* The kernel tells a parent what its child used a moment after its end. */
static bool ticker_is_settled(const struct member *m, bool last)
{
	return m->gone && (m->used || last || ticker_now() > m->gone + GRACE);
}

/* Another member that is gone, whose samples have been read: first what it used. */
static bool ended_read(struct ticker *t, bool last, struct happening *h)
{
	for (size_t i = 0; i < t->nmembers; i++) {
		struct member *m = &t->members[i];
		const struct roll_entry *e = &t->entries[m->entry];

		if (!m->began || has_ring(t, m) || (!m->replaced && !ticker_is_settled(m, last)))
			continue;
		if (m->replaced) {
			member_remove(t, i--);
			continue;
		}
		*h = (struct happening){ .kind = m->used_told ? HAPPENED_GONE : HAPPENED_USED, .pid = (uint32_t)m->pid, .cpu = m->used ? m->used : e->used,
					 .filtered = e->closed == ROLL_FILTER };
		if (m->used_told)
			member_remove(t, i);
		else
			m->used_told = true;
		return true;
	}
	return false;
}

static bool ticker_is_told(const struct ticker *t, const struct ring *r)
{
	const struct member *m = member_of(t, r->pid, r->started);

	return !m || m->began;
}

static bool ticker_next(struct source *source, uint64_t before, struct happening *h)
{
	struct ticker *t = (struct ticker *)source;
	bool last = before == UINT64_MAX;

	if (!t->looked)
		ticker_look(t, last);
	if (began_read(t, h))
		return true;
	while (t->at < t->rings.n) {
		struct ring *r = t->rings.all[t->at];

		if (ticker_is_told(t, r) && ring_next(r, UINT64_MAX, h))
			return true;
		if (!r->gone || !ticker_is_told(t, r)) {
			t->at++;
			continue;
		}
		rings_remove(&t->rings, t->at);
	}
	if (ended_read(t, last, h))
		return true;
	t->at = 0;
	t->looked = false;
	return false;
}

bool ticker_serves(void *source, pid_t pid)
{
	struct ticker *t = source;
	const struct member *m = member_now(t, pid);

	if (!m)
		roll_look(t);			/* it may have come just now */
	m = m ? m : member_now(t, pid);
	return m && !m->gone && __atomic_load_n(&t->entries[m->entry].closed, __ATOMIC_ACQUIRE) == ROLL_OPEN;
}

static void ticker_close(struct source *source)
{
	struct ticker *t = (struct ticker *)source;

	rings_free(&t->rings);
	while (t->nmembers > 0)
		member_remove(t, t->nmembers - 1);
	if (t->roll)
		munmap(t->roll, ROLL_SIZE);
	free(t->members);
	free(t->known);
	free(t->waited);
	free(t->below);
	free(t->directory);
	free(t);
}

/* PID's library deletes its timers when it next has a sample. */
static void ticker_leave(struct source *source, pid_t pid)
{
	struct ticker *t = (struct ticker *)source;

	for (size_t i = 0; i < t->rings.n; i++)
		if (t->rings.all[i]->pid == pid)
			t->rings.all[i]->head->unwanted = 1;
}

/* The samples wait in memory that is looked at: for WAKE alone. */
static void ticker_rest(struct source *s, int wake, int ms)
{
	struct pollfd fd = { .fd = wake, .events = POLLIN };

	(void)s;
	poll(&fd, 1, ms);
}

static const struct source_kind by_timer = {
	.number = AMON_SOURCE_TIMER, .wait = ticker_rest, .next = ticker_next, .leave = ticker_leave, .close = ticker_close,
};

/* Filters of system calls that hold for this process; where the kernel does not count them, their mode. */
static uint32_t filters(void)
{
	unsigned n = 0, mode = 0;
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");
	bool counted = false;

	while (f && fgets(line, sizeof line, f)) {
		counted |= sscanf(line, "Seccomp_filters: %u", &n) == 1;
		sscanf(line, "Seccomp: %u", &mode);
	}
	if (f)
		fclose(f);
	return counted ? n : mode;
}

/* Make the roll, with the disk's space behind it: a program that writes to it is not to meet a full disk.  False, with errno. */
static bool roll_make(struct ticker *t)
{
	char *path = NULL;
	int fd = asprintf(&path, "%s/" ROLL_NAME, t->directory) < 0 ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int error = fd < 0 ? errno : posix_fallocate(fd, 0, ROLL_SIZE);
	void *at = error ? MAP_FAILED : mmap(NULL, ROLL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (error && fd >= 0)
		unlink(path);
	if (fd >= 0)
		close(fd);
	free(path);
	if (at == MAP_FAILED)
		return errno = error ? error : errno, false;
	t->roll = at;
	t->entries = (struct roll_entry *)(t->roll + 1);
	memcpy(t->roll->magic, ROLL_MAGIC, sizeof t->roll->magic);
	t->roll->filters = filters();
	t->roll->version = ROLL_VERSION;
	return true;
}

struct source *ticker_open(const char *directory, struct error *err)
{
	struct ticker *t = calloc(1, sizeof *t);

	if (t) {
		t->source = (struct source){ .kind = &by_timer, .sees_kernel = true };
		t->directory = strdup(directory);
		t->known = calloc(ROLL_ENTRIES, sizeof *t->known);
		t->below = calloc(MOST_PID, sizeof *t->below);
	}
	errno = ENOMEM;
	if (t && t->directory && t->known && t->below && roll_make(t))
		return &t->source;
	error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: no memory can be shared with programs there: %s", directory, strerror(errno));
	if (t)
		ticker_close(&t->source);
	return NULL;
}
