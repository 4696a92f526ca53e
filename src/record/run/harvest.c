/* harvest.c - grouping profiles by program. */
#include "record/run/harvest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "understand/analysis.h"

/* One profile of the directory. */
struct found {
	char *file;		/* its path */
	char *program;		/* the executable */
	uint64_t start;		/* when it began, ns */
	uint32_t kind;		/* as profile_kind */
	bool sum;		/* of many processes */
};

struct list {
	struct found *found;
	size_t n, room;
	size_t lacking;		/* as in struct harvest */
	int why;		/* the same */
};

/* Were call stacks sampled, as of a program without hooks? */
static bool is_stacks(const struct found *f)
{
	return profile_kind_is_stacks(f->kind);
}

static void harvest_list_free(struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->found[i].file);
		free(l->found[i].program);
	}
	free(l->found);
}

/* Write SIZE bytes of the header of the profile at PATH.  Without them it lacks a word of information: failures are nobody's business. */
static void harvest_header_write(const char *path, size_t offset, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return;
	n = pwrite(fd, data, size, (off_t)offset);
	(void)n;
	close(fd);
}

/* Of a process that execs each program has a file, and the later ones another name than was wanted: the user did not want any. */
void harvest_forget_name(const char *path, const struct amon_header *h)
{
	size_t at = offsetof(struct amon_header, notes) + AMON_NOTE_OTHER_NAME * sizeof *h->notes;

	if (h->notes[AMON_NOTE_OTHER_NAME])
		harvest_header_write(path, at, &(uint64_t){ 0 }, sizeof *h->notes);
}

static bool harvest_list_add(struct list *l, const char *path, bool sum)
{
	struct amon_header h;
	const char *why = strstr(path, ".errno.");

	if (why) {
		l->lacking++;
		l->why = atoi(why + strlen(".errno."));
		return true;
	}
	if (!files_header(path, &h, NULL) || nursery_is_empty(path))
		return true;			/* not a profile: somebody else's file, or a profile of nobody */
	harvest_forget_name(path, &h);
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 16;
		struct found *more = reallocarray(l->found, room, sizeof *more);

		if (!more)
			return false;
		l->found = more;
		l->room = room;
	}
	l->found[l->n++] = (struct found){ strdup(path), strdup(h.program), h.start_monotonic, profile_kind(&h), sum };
	return l->found[l->n - 1].file && l->found[l->n - 1].program;
}

/* Add what is in DIRECTORY; ADDED: it is one in it, with files of one program. */
static bool list_fill(struct list *l, const char *directory, bool added, struct error *err)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	bool ok = true;

	if (!dir)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: %s", directory, strerror(errno));
	while (ok && (entry = readdir(dir))) {
		char *path = NULL;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", directory, entry->d_name) < 0)
			ok = error_no_memory(err, NULL);
		else if (!added && harvest_is_added(entry->d_name))
			ok = list_fill(l, path, true, err);
		else
			ok = harvest_list_add(l, path, added && strcmp(entry->d_name, HARVEST_SUM) == 0) || error_no_memory(err, NULL);
		free(path);
	}
	closedir(dir);
	return ok;
}

static bool harvest_is_sampled(const struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!is_stacks(&l->found[i]))
			return false;
	return l->n > 0;
}

/* Where programs with hooks ran, what started them, shells and the like, is not what the user looks for. */
static void harvest_stacks_drop(struct list *l)
{
	size_t kept = 0, hooked = 0;

	for (size_t i = 0; i < l->n; i++)
		hooked += !is_stacks(&l->found[i]);
	for (size_t i = 0; hooked && i < l->n; i++) {
		if (!is_stacks(&l->found[i])) {
			l->found[kept++] = l->found[i];
			continue;
		}
		free(l->found[i].file);
		free(l->found[i].program);
	}
	l->n = hooked ? kept : l->n;
}

static int by_program(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	int c = strcmp(a->program, b->program);

	c = c ? c : (a->kind > b->kind) - (a->kind < b->kind);
	return c ? c : (a->start > b->start) - (a->start < b->start);
}

static int harvest_by_weight(const void *left, const void *right)
{
	const struct harvest_program *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(a->path, b->path);
}

/* The paths of the profiles I..END-1, which change hands, ended by NULL. */
static char **files_take(struct list *l, size_t i, size_t end)
{
	char **files = calloc(end - i + 1, sizeof *files);

	for (size_t k = i; files && k < end; k++) {
		files[k - i] = l->found[k].file;
		l->found[k].file = NULL;
	}
	return files;
}

/* Is one of the profiles I..END-1 of many processes? */
static bool has_sum(const struct list *l, size_t i, size_t end)
{
	while (i < end && !l->found[i].sum)
		i++;
	return i < end;
}

/* The profiles I..END-1, of one program and kind, become a group; its strings change hands.  Call stacks go beside exact contexts, where there are some. */
static bool group_make(struct harvest *h, struct list *l, size_t i, size_t end)
{
	struct harvest_program *p = &h->programs[h->n];
	bool sum = has_sum(l, i, end);

	if (is_stacks(&l->found[i]) && i > 0 && !is_stacks(&l->found[i - 1]) && strcmp(p[-1].path, l->found[i].program) == 0) {
		p[-1].stacks = files_take(l, i, end);
		p[-1].nstacks = p[-1].stacks ? end - i : 0;
		p[-1].stacks_summed = sum;
		return p[-1].stacks;
	}
	*p = (struct harvest_program){ .path = l->found[i].program, .files = files_take(l, i, end), .n = end - i, .summed = sum };
	l->found[i].program = NULL;
	h->n++;
	return p->files;
}

/* The end of the profiles that are of the program and kind of profile I. */
static size_t group_end(const struct list *l, size_t i)
{
	size_t end = i + 1;

	while (end < l->n && l->found[end].kind == l->found[i].kind && strcmp(l->found[end].program, l->found[i].program) == 0)
		end++;
	return end;
}

static bool group_all(struct harvest *h, struct list *l, bool asked, struct error *err)
{
	bool ok;

	if (!asked)
		harvest_stacks_drop(l);
	if (l->n)
		qsort(l->found, l->n, sizeof *l->found, by_program);
	h->programs = calloc(l->n + 1, sizeof *h->programs);
	ok = h->programs != NULL;
	for (size_t i = 0, end; ok && i < l->n; i = end) {
		end = group_end(l, i);
		ok = group_make(h, l, i, end);
	}
	return ok || error_no_memory(err, NULL);
}

bool harvest_make(struct harvest *h, const char *directory, bool asked, struct error *err)
{
	struct list l = { 0 };
	bool ok;

	*h = (struct harvest){ 0 };
	ok = list_fill(&l, directory, false, err);
	h->sampled = ok && harvest_is_sampled(&l);
	ok = ok && group_all(h, &l, asked, err);
	h->lacking = l.lacking;
	h->why = l.why;
	harvest_list_free(&l);
	if (!ok)
		harvest_free(h);
	return ok;
}

static void files_free(char **files, size_t n)
{
	for (size_t i = 0; files && i < n; i++)
		free(files[i]);
	free(files);
}

void harvest_free(struct harvest *h)
{
	for (size_t i = 0; i < h->n; i++) {
		files_free(h->programs[i].files, h->programs[i].n);
		files_free(h->programs[i].stacks, h->programs[i].nstacks);
		files_free(h->programs[i].unreadable, h->programs[i].nunreadable);
		free(h->programs[i].path);
	}
	free(h->programs);
	*h = (struct harvest){ 0 };
}

/* How many processes RUN is of. */
static uint64_t processes_of(const struct profile_run *run)
{
	uint64_t n = 0;

	for (size_t i = 0; i < run->ncommands; i++)
		n += run->commands[i].processes;
	return run->ncommands ? n : 1;
}

/* Profile FILE of P cannot be read.  False: there is no room to say so. */
static bool unreadable_add(struct harvest_program *p, char *file)
{
	char **more = reallocarray(p->unreadable, p->nunreadable + 1, sizeof *more);

	if (more) {
		p->unreadable = more;
		p->unreadable[p->nunreadable++] = file;
	}
	return more;
}

void harvest_sift(struct harvest_program *p, const struct input_listener *listener)
{
	size_t kept = 0;

	p->time = p->calls = p->processes = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct input in = { .listener = listener };
		struct error err;

		if (input_read(&in, &p->files[i], 1, NULL, &err)) {
			p->time += in.profile->time + in.profile->monitor + in.profile->unplaced;
			p->calls += in.profile->runs[0].calls;
			p->processes += processes_of(&in.profile->runs[0]);
			p->counted = profile_counts_calls(in.profile);
			p->files[kept++] = p->files[i];
		} else if (err.code == ERROR_MEMORY || !unreadable_add(p, p->files[i])) {
			p->files[kept++] = p->files[i];
		}
		input_free(&in);
	}
	p->n = kept;
	p->files[kept] = NULL;
}

void harvest_weigh(struct harvest *h, const struct input_listener *listener)
{
	for (size_t i = 0; i < h->n; i++)
		for (size_t j = 0; j < h->programs[i].n; j++)
			h->programs[i].running |= files_held(h->programs[i].files[j]);
	if (h->n < 2)
		return;				/* nothing to compare */
	for (size_t i = 0; i < h->n; i++)
		harvest_sift(&h->programs[i], listener);
	qsort(h->programs, h->n, sizeof *h->programs, harvest_by_weight);
}

/* Of the N profiles FILES that of process PID which began last, and after *START, or LAST: what it was before an exec did not end with it. */
static const char *later_of(char **files, size_t n, int32_t pid, uint64_t *start, const char *last)
{
	struct amon_header header;

	for (size_t i = 0; i < n; i++)
		if (files_header(files[i], &header, NULL) && header.pid == pid && header.start_monotonic >= *start) {
			last = files[i];
			*start = header.start_monotonic;
		}
	return last;
}

void harvest_status(const struct harvest *h, int32_t pid, int status)
{
	const char *last[2] = { NULL, NULL };
	uint64_t start[2] = { 0, 0 };

	for (size_t i = 0; i < h->n; i++) {
		last[0] = later_of(h->programs[i].files, h->programs[i].n, pid, &start[0], last[0]);
		last[1] = later_of(h->programs[i].stacks, h->programs[i].nstacks, pid, &start[1], last[1]);
	}
	for (int i = 0; i < 2; i++)
		if (last[i])
			harvest_header_write(last[i], offsetof(struct amon_header, exit_status), &(int32_t){ status }, sizeof(int32_t));
}

int harvest_lock(const char *directory, bool read)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), locked = -1;

	if (fd < 0)
		return -1;
	do
		locked = flock(fd, read ? LOCK_SH : LOCK_EX | LOCK_NB);
	while (locked != 0 && errno == EINTR);
	if (locked == 0 || errno != EWOULDBLOCK)
		return fd;
	close(fd);
	return -1;
}

/* Remove the files in DIRECTORY, and in directories in it, if it is not one itself. */
static void harvest_directory_clear(const char *directory, bool inner)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = NULL;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || unlinkat(dirfd(dir), entry->d_name, 0) == 0 ||
		    inner || asprintf(&path, "%s/%s", directory, entry->d_name) < 0)
			continue;
		harvest_directory_clear(path, true);
		free(path);
	}
	if (dir)
		closedir(dir);
	rmdir(directory);
}

void harvest_remove(const char *directory)
{
	char *done = NULL;

	if (asprintf(&done, "%s.done", directory) < 0)
		done = NULL;
	harvest_directory_clear(done && rename(directory, done) == 0 ? done : directory, false);
	free(done);
}
