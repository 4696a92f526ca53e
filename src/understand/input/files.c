/* files.c - reading and writing amon.out files. */
#include "understand/input/files.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/bulk.h"
#include "base/task_stat.h"
#include "read/gmon/gmon.h"
#include "read/import/import.h"
#include "read/stacks/unnamed_code.h"
#include "understand/input/live_profile.h"
#include "understand/input/nursery.h"

enum { FOLD = 11 };			/* bytes in memory, of all that the commands which take most, as html, make of one in a file */

static bool system_error(struct error *err, const char *what, const char *path)
{
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%s: %s: %s", path, what, strerror(errno));
}

/* Read up to LEN bytes; returns how many, or -1. */
static ssize_t files_read_all(int fd, void *buffer, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buffer + done, len - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Whether PATH is a gmon.out in BSD's format: its numbers go with its size, in some layout. */
static bool is_bsd_gmon(const char *path)
{
	static const struct gmon_layout layouts[] = { { 8, false }, { 4, false }, { 8, true }, { 4, true } };
	size_t len;
	void *data = files_load(path, &len, NULL);
	bool found = false;

	for (size_t i = 0; data && i < sizeof layouts / sizeof *layouts; i++)
		found |= gmon_is_bsd(data, len, layouts[i]);
	free(data);
	return found;
}

const char *files_name(const char *path)
{
	static _Thread_local char name[NAME_MAX + 64];
	static const char begin[] = "/memfd:", end[] = " (deleted)";
	ssize_t n = strncmp(path, "/proc/self/fd/", 14) == 0 ? readlink(path, name, sizeof name - 1) : -1;

	if (n < (ssize_t)(sizeof begin + sizeof end) || memcmp(name, begin, sizeof begin - 1) != 0)
		return path;
	name[n - (ssize_t)(sizeof end - 1)] = '\0';
	return name + sizeof begin - 1;
}

enum file_kind files_kind(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum file_kind kind = FILE_OTHER;
	char *head;
	ssize_t n;

	if (fd < 0)
		return FILE_MISSING;
	head = malloc(IMPORT_HEAD);
	n = head ? files_read_all(fd, head, IMPORT_HEAD) : -1;
	if (n >= 8 && memcmp(head, AMON_MAGIC, 8) == 0)
		kind = FILE_PROFILE;
	else if (n >= 4 && memcmp(head, GMON_MAGIC, 4) == 0)
		kind = FILE_GMON;
	else if (n >= 4 && memcmp(head, "\177ELF", 4) == 0)
		kind = FILE_PROGRAM;
	else if (n > 0 && import_is(head, (size_t)n))
		kind = FILE_IMPORT;
	else if (is_bsd_gmon(path))
		kind = FILE_GMON;
	close(fd);
	free(head);
	return kind;
}

/* Open PATH, a regular file; *SIZE is its size in bytes. */
static int open_profile(const char *path, size_t *size, struct error *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		system_error(err, "cannot open", path);
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (size_t)st.st_size;
		return fd;
	}
	close(fd);
	error_set(err, ERROR_NOT_AMON, ERROR_NO_OFFSET, "%s: not a regular file, so no profile", path);
	return -1;
}

/* Did a process that ends pack the file at FD (inside/clock/pack.c) while its N bytes were read to DATA? */
static bool was_packed_meanwhile(int fd, const void *data, size_t n)
{
	const struct amon_header *was = data;
	struct amon_header now;
	struct amon_chunk next;

	if (n < sizeof *was || memcmp(was->magic, AMON_MAGIC, sizeof was->magic) != 0 || was->state == AMON_ENDED ||
	    files_read_all(fd, &now, sizeof now) != sizeof now)
		return false;
	return now.state == AMON_ENDED || now.used < was->used ||
	       (now.used > was->used && pread(fd, &next, sizeof next, (off_t)was->used) == sizeof next && next.kind == AMON_PCS_PACKED);
}

/* Read up to SIZE bytes of the profile at FD, and again if what came is partly of before its end and partly of after it. */
static ssize_t read_profile(int fd, void *data, size_t size)
{
	ssize_t n = files_read_all(fd, data, size);

	for (int tries = 0; tries < 3 && n > 0 && was_packed_meanwhile(fd, data, (size_t)n); tries++)
		n = files_read_all(fd, data, size);
	return n;
}

void *files_load(const char *path, size_t *len, struct error *err)
{
	size_t size;
	int fd = open_profile(path, &size, err);
	void *data = fd < 0 ? NULL : malloc(size ? size : 1);
	ssize_t n = data ? read_profile(fd, data, size) : -1;

	if (fd >= 0 && !data)
		error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "%s: no memory for %zu bytes", path, size);
	else if (data && n < 0)
		system_error(err, "cannot read", path);
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(data);
		return NULL;
	}
	*len = (size_t)n;
	return data;
}

static bool files_header_read(int fd, struct amon_header *h)
{
	memset(h, 0, sizeof *h);
	if (files_read_all(fd, h, sizeof *h) < (ssize_t)sizeof h->magic || memcmp(h->magic, AMON_MAGIC, sizeof h->magic) != 0)
		return false;
	h->host[sizeof h->host - 1] = '\0';
	h->program[sizeof h->program - 1] = '\0';
	h->directory[sizeof h->directory - 1] = '\0';
	h->command[sizeof h->command - 1] = '\0';
	return true;
}

bool files_header(const char *path, struct amon_header *header, struct error *err)
{
	size_t size;
	int fd = open_profile(path, &size, err);
	bool ok;

	if (fd < 0)
		return false;
	ok = files_header_read(fd, header);
	close(fd);
	return ok || error_set(err, ERROR_NOT_AMON, 0, "%s: does not begin as an amon.out does", path);
}

/* When the process PID began, clock ticks since boot; 0: there is none. */
static uint64_t start_ticks(int32_t pid)
{
	struct task_stat stat;

	task_stat_read(pid, 0, &stat);
	return stat.start;
}

/* Whether a monitor holds its lock on the file open at FD.  Another reader, who asks just now, does not count. */
static bool is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

/* How the process stands that wrote the file open at FD, which has the header H and no lock. */
static enum report_life life_unlocked(int fd, const struct amon_header *h)
{
	struct utsname system;

	if (h->state == AMON_ENDED)
		return REPORT_ENDED;
	if (uname(&system) != 0 || strncmp(system.nodename, h->host, sizeof h->host - 1) != 0)
		return REPORT_UNKNOWN;
	return h->start_ticks && start_ticks(h->pid) == h->start_ticks && live_profile_is(fd, h) ? REPORT_RUNNING : REPORT_DIED;
}

/* The same, whether it has one or not.  The lock tells at once, but a copy of the file has none, nor has any
 * file on some disks; nor has one that the same process wrote before an exec. */
static enum report_life files_life_of(int fd, const struct amon_header *h)
{
	return h->state != AMON_ENDED && is_locked(fd) ? REPORT_RUNNING : life_unlocked(fd, h);
}

void files_cut(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), failed = 0;
	struct amon_header h;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && files_header_read(fd, &h) && h.used >= AMON_PAGE &&
	    (uint64_t)st.st_size > h.used && files_life_of(fd, &h) == REPORT_DIED)
		failed = ftruncate(fd, (off_t)h.used);
	(void)failed;				/* then it stays long and sparse */
	close(fd);
}

bool files_held(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool held = fd >= 0 && is_locked(fd);

	if (fd >= 0)
		close(fd);
	return held;
}

/* Is nothing to come any more into the file open at FD, which we have locked, with the header H? */
static bool files_is_over(int fd, const struct amon_header *h)
{
	enum report_life life = life_unlocked(fd, h);

	return life == REPORT_ENDED || life == REPORT_DIED;
}

/* Has the file open at FD, its header to H, anything in it?  A monitor that has just made its file has no lock for a moment, and would lose it to us. */
static bool is_begun(int fd, struct amon_header *h)
{
	return files_header_read(fd, h) && (h->used > AMON_PAGE || h->state == AMON_ENDED);
}

int files_hold(const char *path, struct amon_header *h)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_begun(fd, h) && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_begun(fd, h) &&
	    files_is_over(fd, h))
		return fd;
	close(fd);
	return -1;
}

/* Bytes worth reading: a live file is large and sparse beyond what its header says. */
static size_t used_size(const struct amon_header *h, size_t size)
{
	return h->used >= AMON_PAGE && h->used < size ? (size_t)h->used : size;
}

/* The part of a live file of LEN bytes that was whole when we looked: what its header, BEFORE then, says to be in use since may not have been read. */
static void use_before(void *data, size_t len, const struct amon_header *before)
{
	struct amon_header *now = data;

	if (len >= sizeof *now && now->used > len && before->used <= len)
		now->used = before->used;
}

/* What is worth reading of the file open at FD, of SIZE bytes or more since: malloc'ed, its length in *LEN.  NULL with *ERR set. */
static void *data_read(int fd, const char *path, size_t size, size_t *len, struct error *err)
{
	struct amon_header header;
	bool is_profile = files_header_read(fd, &header);
	struct stat st;
	void *data;
	ssize_t n;

	if (nursery_is(fd))
		return nursery_sum(fd, path, len, err);
	if (is_profile && fstat(fd, &st) == 0)		/* it grows before its header says so */
		size = used_size(&header, (size_t)st.st_size);
	bulk_expect(size < SIZE_MAX / FOLD ? size * FOLD : 0);
	data = malloc(size ? size : 1);
	if (!data) {
		error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "%s: no memory for %zu bytes", path, size);
		return NULL;
	}
	n = files_read_all(fd, data, size);
	if (n < 0) {
		system_error(err, "cannot read", path);
		free(data);
		return NULL;
	}
	*len = (size_t)n;
	if (is_profile)
		use_before(data, *len, &header);
	return data;
}

/* The modules of a profile that was found below /proc/PID/root are there, too. */
static bool modules_found(struct profile *p, uint32_t first, const char *path)
{
	const char *root = strstr(path, "/root/");
	bool ok = true;

	if (strncmp(path, "/proc/", 6) != 0 || !root)
		return true;
	for (uint32_t i = first; ok && i < p->nmodules; i++) {
		char *place = NULL;

		ok = asprintf(&place, "%.*s%s", (int)(root - path) + 5, path, p->modules[i].path) >= 0 && profile_module_at(p, i, place);
		free(place);
	}
	return ok;
}

bool files_read(struct profile *p, const char *path, const char *label, enum report_life *life, struct error *err)
{
	struct amon_header header;
	uint32_t known = p->nmodules;
	size_t size, len;
	int fd;
	void *data;
	bool ok;

	unnamed_code_settle_file(path);
	fd = open_profile(path, &size, err);
	if (fd < 0)
		return false;
	data = data_read(fd, path, size, &len, err);
	files_header_read(fd, &header);
	if (data && nursery_is(fd))
		memcpy(&header, data, sizeof header);		/* how its processes stand, and not who made it */
	*life = files_life_of(fd, &header);
	close(fd);
	if (data && *life != REPORT_RUNNING && profile_kind_is_stacks(profile_kind(&header)))
		data = unnamed_code_settle_bytes(data, &len);	/* the file may not be written */
	ok = data && profile_read(p, data, len, label ? label : files_name(path), err) &&
	     (modules_found(p, known, path) || error_no_memory_for(err, path));
	free(data);
	return ok;
}

static bool files_write_all(int fd, const void *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, (const char *)data + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Whether PATH is there and no plain file: a device, a pipe. */
static bool is_special(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

/* What is written to a device or pipe goes into it; only a plain file is replaced. */
static bool special_write(const char *path, const void *data, size_t len, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && files_write_all(fd, data, len);

	if (!ok)
		system_error(err, "cannot write", path);
	if (fd >= 0 && close(fd) != 0 && ok)
		ok = system_error(err, "cannot write", path);
	return ok;
}

bool files_write(const char *path, const void *data, size_t len, struct error *err)
{
	char *temporary = NULL;
	int fd;

	if (is_special(path))
		return special_write(path, data, len, err);
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return error_no_memory(err, NULL);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		free(temporary);
		return system_error(err, "cannot make", path);
	}
	bool ok = files_write_all(fd, data, len);
	ok = close(fd) == 0 && ok && rename(temporary, path) == 0;
	if (!ok) {
		system_error(err, "cannot write", path);
		unlink(temporary);
	}
	free(temporary);
	return ok;
}

void files_drop(const char *path)
{
	if (path && !is_special(path))
		unlink(path);
}

bool files_move(const char *from, const char *to, struct error *err)
{
	size_t size, len;
	void *data;
	bool ok;
	int fd;

	if (!is_special(to) && rename(from, to) == 0)
		return true;
	fd = open_profile(from, &size, err);
	if (fd < 0)
		return false;
	data = data_read(fd, from, size, &len, err);
	close(fd);
	ok = data && files_write(to, data, len, err);
	free(data);
	if (ok)
		unlink(from);
	return ok;
}

char **files_siblings(const char *path)
{
	char *pattern = NULL, **names = NULL;
	size_t n = 0;
	glob_t g;

	if (asprintf(&pattern, "%s.*", path) < 0)
		return NULL;
	if (glob(pattern, 0, NULL, &g) == 0) {
		names = calloc(g.gl_pathc + 1, sizeof *names);
		for (size_t i = 0; names && i < g.gl_pathc; i++)
			if (files_kind(g.gl_pathv[i]) == FILE_PROFILE)
				names[n++] = strdup(g.gl_pathv[i]);
		globfree(&g);
	}
	free(pattern);
	if (names && n == 0) {
		free(names);
		names = NULL;
	}
	return names;
}

void files_free_names(char **names)
{
	for (char **p = names; p && *p; p++)
		free(*p);
	free(names);
}
