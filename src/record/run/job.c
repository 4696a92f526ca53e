/* job.c - ranks by their environment, and the folder in which they meet. */
#include "record/run/job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK ".lock"

/* Of the file LOCK, which holds the job's name where there is one: the bytes that are locked. */
enum { RUNS = 0, READY = 1 };

static bool job_number_get(const char *name, int *n)
{
	const char *text = getenv(name);
	char *end;
	long value = text && *text ? strtol(text, &end, 10) : -1;

	if (value < 0 || *end || value > 1 << 30)
		return false;
	*n = (int)value;
	return true;
}

bool job_find(struct job *j)
{
	static const struct {
		const char *rank, *size;
	} launchers[] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" }, { "PMI_RANK", "PMI_SIZE" } };
	const char *wish = getenv("APROF_MPI");

	*j = (struct job){ .lock = -1, .bare = wish && strcmp(wish, "no") == 0 };
	j->alone = j->bare || (wish && strcmp(wish, "ranks") == 0);
	if (getenv("APROF_RUN"))
		return false;
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
		if (job_number_get(launchers[i].rank, &j->rank) && job_number_get(launchers[i].size, &j->size))
			return j->size > 1 && j->rank < j->size;
	j->size = 0;
	return false;
}

/* What tells this job from another one in the same folder, as far as the launcher has a name for it. */
static const char *job_name(void)
{
	const char *name = getenv("PMIX_NAMESPACE");

	return name ? name : "";
}

static struct flock byte_of(int byte, short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
}

static bool byte_lock(int fd, int byte)
{
	struct flock f = byte_of(byte, F_WRLCK);

	return fcntl(fd, F_OFD_SETLK, &f) == 0;
}

static bool byte_is_locked(int fd, int byte)
{
	struct flock f = byte_of(byte, F_WRLCK);

	return fcntl(fd, F_OFD_GETLK, &f) == 0 && f.l_type != F_UNLCK;
}

/* Remove what is in the directory PATH, but its lock. */
static void job_directory_clear(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* Make the directory NAME in the folder and its lock.  0, or an errno: EBUSY if another job's rank is in it. */
static int directory_take(struct job *j, const char *name)
{
	const char *job = job_name();
	char *path = NULL, *lock = NULL;
	int fd = -1, error = 0;

	if (asprintf(&path, "%s/%s", j->folder, name) < 0 || asprintf(&lock, "%s/" LOCK, path) < 0)
		error = ENOMEM;
	else if (mkdir(path, 0777) != 0 && errno != EEXIST)
		error = errno;
	else if ((fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) < 0)
		error = errno;
	else if (!byte_lock(fd, RUNS))
		error = errno == EAGAIN || errno == EACCES ? EBUSY : 0;		/* else there are no locks here: nobody meets, each keeps its own */
	if (error == 0 && (ftruncate(fd, 0) != 0 || pwrite(fd, job, strlen(job), 0) != (ssize_t)strlen(job)))
		error = errno;
	if (error == 0 && !(j->directory = realpath(path, NULL)))
		error = errno;
	if (error && fd >= 0)
		close(fd);
	j->lock = error ? -1 : fd;
	free(path);
	free(lock);
	return error;
}

/* A larger job was here before, and did not end: its last ranks' profiles go as those do that are replaced. */
static void others_drop(const struct job *j)
{
	DIR *dir = opendir(j->folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *end, *lock = NULL;
		long rank = strtol(entry->d_name, &end, 10);
		int fd = -1;

		if (*end || end == entry->d_name || rank < j->size || asprintf(&lock, "%s/%s/" LOCK, j->folder, entry->d_name) < 0)
			continue;
		fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0 && byte_lock(fd, RUNS)) {
			unlink(lock);
			*strrchr(lock, '/') = 0;
			job_directory_clear(lock);
			rmdir(lock);
		}
		if (fd >= 0)
			close(fd);
		free(lock);
	}
	if (dir)
		closedir(dir);
}

/* Another rank of an earlier command may remove the folder as empty while we come. */
static int job_directory_make(struct job *j, const char *name)
{
	int error, tries = 100;

	do
		error = mkdir(j->folder, 0777) == 0 || errno == EEXIST ? directory_take(j, name) : errno;
	while (error == ENOENT && --tries > 0);
	return error;
}

bool job_begin(struct job *j, const char *data, struct error *err)
{
	char name[32];
	int error;

	if (asprintf(&j->folder, "%s.ranks", data) < 0) {
		j->folder = NULL;
		return error_no_memory(err, NULL);
	}
	snprintf(name, sizeof name, "%d", j->rank);
	error = job_directory_make(j, name);
	if (error == EBUSY) {
		j->alone = true;
		snprintf(name, sizeof name, "%d.%ld", j->rank, (long)getpid());
		error = job_directory_make(j, name);
	}
	if (error)
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: cannot make a directory for the profiles of this rank: %s; aprof run --data=FILE puts them "
			  "beside FILE", j->folder, strerror(error));
	else
		job_directory_clear(j->directory);
	if (!error && j->rank == 0)
		others_drop(j);
	return error == 0;
}

void job_ready(struct job *j)
{
	if (!j->alone)
		byte_lock(j->lock, READY);
}

bool job_meets(const struct job *j, int other)
{
	char *path = NULL, name[256] = "";
	const char *ours = job_name();
	bool meets;
	int fd;

	if (asprintf(&path, "%s/../%d/" LOCK, j->directory, other) < 0)
		return false;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	free(path);
	if (fd < 0)
		return false;
	meets = byte_is_locked(fd, READY) && pread(fd, name, sizeof name - 1, 0) >= 0 && strncmp(name, ours, sizeof name - 1) == 0;
	close(fd);
	return meets;
}

void job_end(struct job *j)
{
	char *lock = NULL;
	bool kept = false;
	DIR *dir = j->directory ? opendir(j->directory) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		kept |= entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	if (dir && !kept && asprintf(&lock, "%s/" LOCK, j->directory) >= 0) {
		unlink(lock);
		rmdir(j->directory);
		rmdir(j->folder);
		free(lock);
	}
	if (j->lock >= 0)
		close(j->lock);
	free(j->directory);
	free(j->folder);
}
