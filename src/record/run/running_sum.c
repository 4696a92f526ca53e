/* running_sum.c - taking in files of processes that ended, and adding them up.
 *
 * Only the one process that made the directory moves files in it, so what is in added.K is known here without looking. */
#include "record/run/running_sum.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "record/run/harvest.h"

/* What has ended of one program, as far as it makes one profile. */
struct group {
	char *program;		/* its executable */
	uint32_t kind;		/* as profile_kind */
	bool gone;		/* and go, since nobody asked for them */
	bool summed;		/* there is a sum, */
	uint64_t sum_size;	/* of so many bytes, */
	size_t processes;	/* of so many processes */
	char **parts;		/* names, in added.K, of the files that are not in it */
	size_t n, room;		/* how many, and room for how many */
	uint64_t bytes;		/* of these */
	uint64_t least;		/* before so many bytes are together it is not tried again, since it failed */
};

/* The profile of the first process that began last, of those that have ended. */
struct last {
	char *name;		/* NULL: none so far */
	uint64_t start;		/* when, ns */
};

struct running_sum {
	char *directory;
	int fd;			/* that directory */
	bool asked;		/* as in running_sum_new */
	bool hooked;		/* a program with hooks ran */
	int32_t pid;		/* the first process */
	struct last last[2];	/* of it: exact contexts, and call stacks */
	struct group *groups;	/* K is the index */
	size_t n, room;		/* how many, and room for how many */
	size_t taken;		/* files, so far: their names are numbered */
	const struct input_listener *listener;
};

enum { NAME = 64 };		/* bytes of a name added.K or .next.K, and more */

static void added_name(char *name, size_t k)
{
	snprintf(name, NAME, HARVEST_ADDED "%zu", k);
}

static void next_name(char *name, size_t k)
{
	snprintf(name, NAME, ".next.%zu", k);
}

struct running_sum *running_sum_new(const char *directory, bool asked, int32_t pid, const struct input_listener *listener)
{
	struct running_sum *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	*p = (struct running_sum){ .directory = strdup(directory), .fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .asked = asked, .pid = pid, .listener = listener };
	if (p->directory && p->fd >= 0)
		return p;
	running_sum_free(p);
	return NULL;
}

void running_sum_free(struct running_sum *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		for (size_t k = 0; k < p->groups[i].n; k++)
			free(p->groups[i].parts[k]);
		free(p->groups[i].parts);
		free(p->groups[i].program);
	}
	free(p->groups);
	free(p->last[0].name);
	free(p->last[1].name);
	free(p->directory);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

size_t running_sum_files(const struct running_sum *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->groups[i].n;
	return n;
}

/* ---- taking in ---- */

/* The group of the program of H, with its directory; NULL: it cannot be made. */
static struct group *running_sum_group_of(struct running_sum *p, const struct amon_header *h)
{
	uint32_t kind = profile_kind(h);
	char name[NAME];
	struct group *g;

	for (size_t i = 0; i < p->n; i++)
		if (p->groups[i].kind == kind && strcmp(p->groups[i].program, h->program) == 0)
			return &p->groups[i];
	added_name(name, p->n);
	if (!array_reserve(&p->groups, &p->room, p->n + 1, sizeof *p->groups) || mkdirat(p->fd, name, 0700) != 0)
		return NULL;
	g = &p->groups[p->n];
	*g = (struct group){ .program = strdup(h->program), .kind = kind };
	if (!g->program) {
		unlinkat(p->fd, name, AT_REMOVEDIR);
		return NULL;
	}
	p->n++;
	p->hooked |= !profile_kind_is_stacks(kind);
	return g;
}

/* Move the file NAME, which has ended and has the header H, to the others of its program. */
static void running_sum_part_add(struct running_sum *p, const char *name, const struct amon_header *h)
{
	struct group *g = running_sum_group_of(p, h);
	char folder[NAME], *path = NULL, *part = NULL;

	if (g && g->gone) {
		unlinkat(p->fd, name, 0);
		return;
	}
	if (!g || !array_reserve(&g->parts, &g->room, g->n + 1, sizeof *g->parts) || asprintf(&part, "%s.%zu", name, p->taken) < 0)
		return;
	added_name(folder, (size_t)(g - p->groups));
	if (asprintf(&path, "%s/%s", folder, part) < 0 || renameat(p->fd, name, p->fd, path) != 0) {
		free(part);
	} else {
		p->taken++;
		g->parts[g->n++] = part;
		g->bytes += h->used;
	}
	free(path);
}

static void running_sum_part_take(struct running_sum *p, const char *name);

/* Is NAME, with the header H, the profile of the first process that began last?  It stays; the one that was takes its way. */
static bool running_sum_is_last(struct running_sum *p, const char *name, const struct amon_header *h)
{
	struct last *l = &p->last[h->way >> AMON_WAY_STACKS & 1], before = *l;

	if (h->pid != p->pid || (l->name && strcmp(l->name, name) != 0 && h->start_monotonic <= l->start))
		return false;
	if (l->name && strcmp(l->name, name) == 0)
		return true;
	*l = (struct last){ strdup(name), h->start_monotonic };
	if (before.name)
		running_sum_part_take(p, before.name);
	free(before.name);
	return true;
}

/* Take in the file NAME, if it is a profile that has ended. */
static void running_sum_part_take(struct running_sum *p, const char *name)
{
	struct amon_header h;
	char *path = NULL;
	int fd = asprintf(&path, "%s/%s", p->directory, name) < 0 ? -1 : files_hold(path, &h);

	if (fd >= 0 && !running_sum_is_last(p, name, &h)) {
		harvest_forget_name(path, &h);
		running_sum_part_add(p, name, &h);
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

/* Does a file called NAME say why there is no profile, or is it no process's? */
static bool running_sum_is_other(const char *name)
{
	return name[0] == '.' || strstr(name, ".errno.") || harvest_is_added(name);
}

static void running_sum_parts_take(struct running_sum *p)
{
	int fd = openat(p->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!running_sum_is_other(entry->d_name))
			running_sum_part_take(p, entry->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* ---- adding up ---- */

/* Remove the directory NAME in that of P with its files. */
static void folder_remove(struct running_sum *p, const char *name)
{
	int fd = openat(p->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	unlinkat(p->fd, name, AT_REMOVEDIR);
}

static void running_sum_paths_free(char **paths, size_t n)
{
	for (size_t i = 0; paths && i < n; i++)
		free(paths[i]);
	free(paths);
}

/* The paths of the files of group K, *N of them: the sum first.  NULL: out of memory. */
static char **paths_make(const struct running_sum *p, size_t k, size_t *n)
{
	const struct group *g = &p->groups[k];
	char **paths = calloc(g->n + 2, sizeof *paths), folder[NAME];
	bool ok = paths != NULL;

	*n = 0;
	added_name(folder, k);
	if (ok && g->summed)
		ok = asprintf(&paths[(*n)++], "%s/%s/" HARVEST_SUM, p->directory, folder) >= 0;
	for (size_t i = 0; ok && i < g->n; i++)
		ok = asprintf(&paths[(*n)++], "%s/%s/%s", p->directory, folder, g->parts[i]) >= 0;
	if (ok)
		return paths;
	if (paths && *n)
		paths[*n - 1] = NULL;
	running_sum_paths_free(paths, *n);
	return NULL;
}

/* The sum of the N profiles PATHS as a file: malloc'ed, its size in *LEN; NULL: it cannot be made. */
static void *running_sum_sum_make(const struct running_sum *p, char **paths, size_t n, size_t *len)
{
	struct input in = { .listener = p->listener };
	struct error ignored;
	void *data = NULL;

	if (input_add_up(&in, paths, n, NULL, &ignored))
		data = profile_write(in.profile, len, &ignored);
	input_free(&in);
	return data;
}

/* Put the LEN bytes at DATA in the place of all files of group K. */
static bool sum_put(struct running_sum *p, size_t k, const void *data, size_t len)
{
	char added[NAME], next[NAME], *path = NULL;
	struct error ignored;
	bool ok;

	added_name(added, k);
	next_name(next, k);
	folder_remove(p, next);
	ok = mkdirat(p->fd, next, 0700) == 0 && asprintf(&path, "%s/%s/" HARVEST_SUM, p->directory, next) >= 0 && files_write(path, data, len, &ignored) &&
	     renameat2(p->fd, next, p->fd, added, RENAME_EXCHANGE) == 0;
	folder_remove(p, next);
	free(path);
	return ok;
}

static void group_add_up(struct running_sum *p, size_t k)
{
	struct group *g = &p->groups[k];
	size_t n, len = 0;
	char **paths = paths_make(p, k, &n);
	void *data = paths ? running_sum_sum_make(p, paths, n, &len) : NULL;

	if (!data || !sum_put(p, k, data, len)) {
		g->least = 2 * g->bytes;
	} else {
		g->processes += g->n;
		g->summed = true;
		g->sum_size = len;
		for (size_t i = 0; i < g->n; i++)
			free(g->parts[i]);
		g->n = 0;
		g->bytes = g->least = 0;
	}
	free(data);
	running_sum_paths_free(paths, paths ? n : 0);
}

/* Call stacks beside hooks nobody asked for. */
static void running_sum_stacks_drop(struct running_sum *p)
{
	char name[NAME];

	for (size_t k = 0; p->hooked && !p->asked && k < p->n; k++) {
		struct group *g = &p->groups[k];

		if (!profile_kind_is_stacks(g->kind) || g->gone)
			continue;
		g->gone = true;
		added_name(name, k);
		folder_remove(p, name);
		for (size_t i = 0; i < g->n; i++)
			free(g->parts[i]);
		g->n = 0;
		g->bytes = 0;
	}
}

static bool is_worth_it(const struct group *g)
{
	return g->n && g->processes + g->n > SUM_APART && g->bytes >= g->sum_size / 2 && g->bytes >= g->least;
}

bool running_sum_work(struct running_sum *p)
{
	int lock = harvest_lock(p->directory, false);

	if (lock < 0)
		return false;
	running_sum_parts_take(p);
	running_sum_stacks_drop(p);
	for (size_t k = 0; k < p->n; k++)
		if (is_worth_it(&p->groups[k]))
			group_add_up(p, k);
	close(lock);
	return true;
}
