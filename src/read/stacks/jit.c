/* jit.c - perf maps and jitdumps, read as they grow.
 *
 *     told    what the files say, in order                     settled    disjoint, by address, the newer ones
 *
 * Reading and settling takes a part of the time at most: the more that took, the later it is done again. */
#include "read/stacks/jit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/proc.h"
#include "base/task_stat.h"

enum {
	SOON = 10000000,		/* ns after which files are looked at again for an address that was not told */
	LATER = 100000000,		/* the same for one that was: it may be another function's by now */
	PART = 50,			/* of the time goes into it, one in so many parts at most */
	BLOCK = 1 << 16,		/* bytes that are read at once */
	MOST = 1 << 28,			/* bytes of a file that are read, and of a record */
};

#define DUMP_MAGIC	UINT32_C(0x4a695444)	/* "JiTD", in the machine's own order */

enum { DUMP_LOAD, DUMP_MOVE, DUMP_LINES, DUMP_CLOSE };

struct code {
	struct jit_function f;
	uint32_t order;			/* in which it was told */
};

/* A file that grows. */
struct told {
	int fd;				/* -1: there is none */
	bool dump;
	char *rest;			/* bytes that are no whole line or record yet */
	size_t n, room;			/* how many, for how many there is room */
	uint64_t read;			/* bytes so far */
};

struct jit {
	pid_t pid;			/* 0: it is over */
	uid_t user;			/* whose process it is */
	int64_t began;			/* when it began, s since 1970; 0: not known */
	char map[64];			/* path of the perf map, seen from the process */
	struct told files[2];		/* perf map, jitdump */
	struct arena arena;		/* names */
	struct code *all;		/* settled ones, then those that were told since */
	uint32_t n, settled;
	size_t room;
	uint32_t order;
	uint64_t next_soon, next_later;	/* when to look again, ns */
	const char *file;		/* of the function that a jitdump tells next; NULL: not told */
	uint64_t file_address;		/* its code */
	uint32_t line;
};

static uint64_t jit_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- the process and its files ---- */

/* The number that the process has in its own namespace. */
static pid_t own_number(pid_t pid)
{
	char path[64], line[256];
	long number = pid;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "NStgid:", 7) == 0)
			number = strtol(strrchr(line, '\t') ? strrchr(line, '\t') : line + 7, NULL, 10);
	if (f)
		fclose(f);
	return (pid_t)number;
}

/* When what began at START began, s since 1970; 0: not known. */
static int64_t jit_begin_of(uint64_t start)
{
	struct timespec real, boot;

	if (start == 0)
		return 0;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return real.tv_sec - boot.tv_sec + (int64_t)start / sysconf(_SC_CLK_TCK);
}

/* Of a process of USER that has NUMBER itself. */
static struct jit *jit_make(uid_t user, pid_t number)
{
	struct jit *j = calloc(1, sizeof *j);

	if (!j)
		return NULL;
	j->user = user;
	snprintf(j->map, sizeof j->map, "/tmp/perf-%d.map", (int)number);
	j->files[0].fd = j->files[1].fd = -1;
	j->files[1].dump = true;
	return j;
}

struct jit *jit_new(pid_t pid, uint64_t start)
{
	struct jit *j;
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	j = jit_make(stat(path, &st) == 0 ? st.st_uid : geteuid(), own_number(pid));
	if (j) {
		j->pid = pid;
		j->began = jit_begin_of(start);
	}
	return j;
}

struct jit *jit_new_over(pid_t pid) { return jit_make(geteuid(), pid); }

void jit_free(struct jit *j)
{
	if (!j)
		return;
	for (int i = 0; i < 2; i++) {
		if (j->files[i].fd >= 0)
			close(j->files[i].fd);
		free(j->files[i].rest);
	}
	free(j->all);
	arena_free(&j->arena);
	free(j);
}

/* PATH of the process, if it is a file that it may have written, and no earlier process of its number. */
static int open_own(const struct jit *j, const char *path)
{
	char whole[PATH_MAX + 64];
	struct stat st;
	int fd;

	snprintf(whole, sizeof whole, "/proc/%d/root%s", (int)proc_thread(j->pid), path);
	fd = j->pid ? open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);	/* it is gone, or we may not look there */
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == j->user || st.st_uid == 0) && st.st_mtime + 1 >= j->began)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void jit_mapped(struct jit *j, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	int end = 0;
	unsigned pid;

	if (j->files[1].fd >= 0 || sscanf(base, "jit-%u.dump%n", &pid, &end) != 1 || end == 0 || base[end] != '\0')
		return;
	j->files[1].fd = open_own(j, path);
	j->next_soon = 0;
}

/* ---- what they tell ---- */

/* SIZE bytes of code at START are called NAME, of N bytes. */
static void jit_add(struct jit *j, uint64_t start, uint64_t size, const char *name, size_t n)
{
	bool placed = j->file && j->file_address == start;
	struct code c = { .f = { .start = start, .end = start + size, .file = placed ? j->file : NULL, .line = placed ? j->line : 0 }, .order = j->order++ };

	j->file = NULL;
	if (size == 0 || c.f.end < start || !array_grow(&j->all, &j->room, j->n, sizeof *j->all))
		return;
	c.f.name = arena_copy(&j->arena, name, n);
	if (c.f.name)
		j->all[j->n++] = c;
}

/* `3ef414c0 398 JS:~fib file:3`, without its end. */
static void take_line(struct jit *j, const char *line, size_t n)
{
	char numbers[48];
	uint64_t start, size;
	int at = 0;

	snprintf(numbers, sizeof numbers, "%.*s", (int)(n < sizeof numbers - 1 ? n : sizeof numbers - 1), line);
	if (sscanf(numbers, "%lx %lx %n", &start, &size, &at) == 2 && at > 0 && (size_t)at < n)
		jit_add(j, start, size, line + at, n - (size_t)at);
}

/* Numbers of a record. */
static uint64_t jit_word(const char *at)
{
	uint64_t x;

	memcpy(&x, at, sizeof x);
	return x;
}

/* The record of a function that moved: what is at the old place is also at the new one. */
static void take_move(struct jit *j, uint64_t from, uint64_t to, uint64_t size)
{
	for (uint32_t i = j->n; i-- > 0;)
		if (j->all[i].f.start == from) {
			struct jit_function f = j->all[i].f;

			j->file = f.file;
			j->file_address = to;
			j->line = f.line;
			jit_add(j, to, size, f.name, strlen(f.name));
			return;
		}
}

/* The first place of `entries` is the function's. */
static void take_lines(struct jit *j, const char *body, size_t n)
{
	int32_t line;
	size_t length;

	if (n < 40 || jit_word(body + 8) == 0)
		return;
	length = strnlen(body + 32, n - 32);
	memcpy(&line, body + 24, sizeof line);
	j->file = length > 0 && length < n - 32 ? arena_copy(&j->arena, body + 32, length) : NULL;
	j->file_address = jit_word(body);
	j->line = line > 0 ? (uint32_t)line : 0;
}

/* A record of kind ID, N bytes of it behind its head. */
static void take_record(struct jit *j, uint32_t id, const char *body, size_t n)
{
	if (id == DUMP_LOAD && n > 40)
		jit_add(j, jit_word(body + 16), jit_word(body + 24), body + 40, strnlen(body + 40, n - 40));
	else if (id == DUMP_MOVE && n >= 48)
		take_move(j, jit_word(body + 16), jit_word(body + 24), jit_word(body + 32));
	else if (id == DUMP_LINES)
		take_lines(j, body, n);
}

/* The whole lines among the N bytes at DATA; returns how many bytes these are. */
static size_t take_lines_of_map(struct jit *j, const char *data, size_t n)
{
	size_t done = 0;
	const char *end;

	while ((end = memchr(data + done, '\n', n - done)) != NULL) {
		take_line(j, data + done, (size_t)(end - data) - done);
		done = (size_t)(end - data) + 1;
	}
	return done;
}

/* The same of a jitdump's records; FIRST: they begin with its head. A dump that is none is over at once: MOST + 1. */
static size_t take_records(struct jit *j, const char *data, size_t n, bool first)
{
	size_t done = 0;
	uint32_t head[4];

	if (first) {
		if (n < 40)
			return 0;
		memcpy(head, data, sizeof head);
		if (head[0] != DUMP_MAGIC || head[2] < 40 || head[2] > n)
			return head[0] != DUMP_MAGIC || head[2] < 40 ? MOST + (size_t)1 : 0;
		done = head[2];
	}
	while (n - done >= 16) {
		memcpy(head, data + done, 8);			/* id, size of the record */
		if (head[1] < 16 || head[1] > MOST)
			return MOST + (size_t)1;
		if (head[1] > n - done)
			break;
		take_record(j, head[0], data + done + 16, head[1] - 16);
		done += head[1];
	}
	return done;
}

static void file_end(struct told *t)
{
	close(t->fd);
	t->fd = -1;
	t->read = MOST;
}

/* Read what is new in T. */
static void jit_file_read(struct jit *j, struct told *t)
{
	bool first = t->read == t->n;
	ssize_t n;

	while (t->fd >= 0 && array_reserve(&t->rest, &t->room, t->n + BLOCK, 1) && (n = read(t->fd, t->rest + t->n, BLOCK)) > 0) {
		size_t done;

		t->n += (size_t)n;
		t->read += (uint64_t)n;
		done = t->dump ? take_records(j, t->rest, t->n, first) : take_lines_of_map(j, t->rest, t->n);
		if (done > t->n || t->read > MOST) {
			file_end(t);
			break;
		}
		first &= done == 0;
		memmove(t->rest, t->rest + done, t->n - done);
		t->n -= done;
	}
}

/* ---- where it is ---- */

static int jit_by_start(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	if (a->f.start != b->f.start)
		return a->f.start < b->f.start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Make all of them disjoint: where two are at one place, the one that was told later is there. */
static void jit_settle(struct jit *j)
{
	uint32_t kept = 0;

	qsort(j->all, j->n, sizeof *j->all, jit_by_start);
	for (uint32_t i = 0; i < j->n; i++) {
		struct code c = j->all[i], *last = kept ? &j->all[kept - 1] : NULL;

		if (last && last->f.end > c.f.start && c.order < last->order) {
			if (c.f.end <= last->f.end)
				continue;
			c.f.start = last->f.end;
		} else if (last && last->f.end > c.f.start) {
			last->f.end = c.f.start;
			kept -= last->f.start == last->f.end;
		}
		j->all[kept++] = c;
	}
	j->n = j->settled = kept;
}

static void stacks_jit_look(struct jit *j, uint64_t time)
{
	uint64_t took;

	if (j->files[0].fd < 0 && j->files[0].read == 0)
		j->files[0].fd = open_own(j, j->map);
	for (int i = 0; i < 2; i++)
		if (j->files[i].fd >= 0)
			jit_file_read(j, &j->files[i]);
	if (j->n > j->settled)
		jit_settle(j);
	took = PART * (jit_now() - time);
	j->next_soon = j->pid ? time + (took > SOON ? took : SOON) : UINT64_MAX;
	j->next_later = j->pid ? time + (took > LATER ? took : LATER) : UINT64_MAX;
}

static const struct code *jit_code_at(const struct jit *j, uint64_t address)
{
	uint32_t low = 0, high = j->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (j->all[middle].f.end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < j->n && j->all[low].f.start <= address ? &j->all[low] : NULL;
}

void jit_look(struct jit *j)
{
	struct told *map = &j->files[0];
	struct stat st;

	if (map->fd >= 0 && (fstat(map->fd, &st) != 0 || (uint64_t)st.st_size != map->read || st.st_nlink == 0)) {
		close(map->fd);			/* it may have been written anew: what is told again changes nothing */
		map->fd = -1;
		map->n = map->read = 0;
	}
	stacks_jit_look(j, jit_now());
}

const struct jit_function *jit_find(struct jit *j, uint64_t address)
{
	const struct code *c = jit_code_at(j, address);
	uint64_t time = jit_now();

	if (time >= (c ? j->next_later : j->next_soon)) {
		stacks_jit_look(j, time);
		c = jit_code_at(j, address);
	}
	return c ? &c->f : NULL;
}
