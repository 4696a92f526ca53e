/* open_files.c - a list of names and descriptors; a recorder's thread adds to it while others read. */
#include "read/symbols/open_files.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"

static struct kept {
	char *name;
	int fd;
} *all;
static size_t n, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether one more leaves most descriptors to others: a recorder of the whole machine meets files of thousands of containers. */
static bool open_files_has_room(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && n < limit.rlim_cur / ELSEWHERE_PART;
}

static bool open_files_add(const char *name, int fd)
{
	char *copy = strdup(name);

	if (copy && open_files_has_room() && array_reserve(&all, &room, n + 1, sizeof *all)) {
		all[n++] = (struct kept){ copy, fd };
		return true;
	}
	free(copy);
	return false;
}

bool open_files_keep(const char *name, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool kept;

	if (fd < 0)
		return false;
	pthread_mutex_lock(&lock);
	kept = open_files_add(name, fd);
	pthread_mutex_unlock(&lock);
	if (!kept)
		close(fd);
	return kept;
}

bool open_files_next(const char *name, size_t *i, char path[ELSEWHERE_PATH])
{
	bool found = false;

	pthread_mutex_lock(&lock);
	while (!found && *i < n) {
		found = strcmp(all[*i].name, name) == 0;
		if (found)
			snprintf(path, ELSEWHERE_PATH, "/proc/self/fd/%d", all[*i].fd);
		++*i;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
