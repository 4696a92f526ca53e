/* live_profile.c - looking for a profile in /proc/PID/maps.
 *
 * A mapping is told by device and inode where they are those that stat has: btrfs and overlay file systems show others in maps. So what is
 * mapped is opened, by its name, which the kernel keeps true to a renaming, or through map_files, which needs no name but asks for more rights, and its
 * header tells: no two programs that a process became begin in one nanosecond.  The name is the process's own: where its file system is another than
 * ours, as in a container, it holds below /proc/PID/root. */
#include "understand/input/live_profile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/proc.h"

/* What process PID has mapped, line by line. */
struct maps {
	int32_t thread;		/* of the process, for which /proc tells of it */
	FILE *file;		/* its maps */
	char *line;		/* getline's */
	size_t room;		/* of line, bytes */
	uint64_t start, end;	/* addresses of the mapping */
	bool elsewhere;		/* its file system is not ours */
	int32_t inner;		/* its pid as it knows it itself */
	dev_t device;		/* of the file mapped, as the kernel has it inside */
	uint64_t inode;		/* of that file */
	const char *name;	/* of that file, in line; " (deleted)" follows if it has none any more */
};

/* The pid of process PID in the innermost namespace that it is in: getpid's. */
static int32_t inner_pid(int32_t pid)
{
	char path[64], line[256];
	int32_t inner = pid;
	FILE *status;

	snprintf(path, sizeof path, "/proc/%" PRId32 "/status", pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof line, status))
		if (strncmp(line, "NSpid:", 6) == 0)
			inner = (int32_t)strtol(strrchr(line, '\t'), NULL, 10);
	if (status)
		fclose(status);
	return inner;
}

/* Has process PID another file system than we? */
static bool is_elsewhere(int32_t pid)
{
	struct stat theirs, ours;
	char path[64];

	snprintf(path, sizeof path, "/proc/%" PRId32 "/ns/mnt", pid);
	return stat(path, &theirs) == 0 && stat("/proc/self/ns/mnt", &ours) == 0 && theirs.st_ino != ours.st_ino;
}

/* False: there is no such process, or we may not look into it; errno says which. */
static bool maps_begin(struct maps *m, int32_t pid)
{
	char path[64];

	*m = (struct maps){ .thread = proc_thread(pid) };
	snprintf(path, sizeof path, "/proc/%" PRId32 "/maps", m->thread);
	m->file = fopen(path, "re");
	if (!m->file)
		return false;
	m->elsewhere = is_elsewhere(m->thread);
	m->inner = inner_pid(pid);
	return true;
}

static void maps_end(struct maps *m)
{
	free(m->line);
	fclose(m->file);
}

/* Go to the next mapping of a file that is shared for writing.  False: there is none. */
static bool maps_next(struct maps *m)
{
	while (getline(&m->line, &m->room, m->file) > 0) {
		unsigned major, minor;
		int name = 0;

		m->line[strcspn(m->line, "\n")] = '\0';
		if (sscanf(m->line, "%" SCNx64 "-%" SCNx64 " rw%*1[x-]s %*x %x:%x %" SCNu64 " %n", &m->start, &m->end, &major, &minor,
			   &m->inode, &name) != 5 || !name || !m->inode)
			continue;
		m->device = makedev(major, minor);
		m->name = m->line + name;
		return true;
	}
	return false;
}

/* Open PATH if it is a plain file: to open a device may do something. */
static int open_plain(const char *path, int flags)
{
	struct stat st;

	if (fstatat(AT_FDCWD, path, &st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0) != 0 || !S_ISREG(st.st_mode))
		return -1;
	return open(path, flags | O_CLOEXEC | O_NONBLOCK);
}

/* Whether the file of the mapping where M is has no name any more. */
static bool maps_deleted(const struct maps *m)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(m->name);

	return n >= sizeof mark && strcmp(m->name + n - (sizeof mark - 1), mark) == 0;
}

/* Ways to come to that file. */
enum { BY_NAME, BY_ADDRESS, WAYS };

/* A path for it; to be freed, NULL: out of memory. */
static char *maps_path(const struct maps *m, int way)
{
	char *path = NULL;
	int n = way == BY_ADDRESS ? asprintf(&path, "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, m->thread, m->start, m->end) :
		m->elsewhere ? asprintf(&path, "/proc/%" PRId32 "/root%s", m->thread, m->name) : asprintf(&path, "%s", m->name);

	return n < 0 ? NULL : path;
}

/* Open it.  -1: that is not to be had. */
static int maps_open(const struct maps *m, int way, int flags)
{
	char *path = way == BY_NAME && maps_deleted(m) ? NULL : maps_path(m, way);
	int fd = path ? open_plain(path, way == BY_NAME ? flags | O_NOFOLLOW : flags) : -1;

	free(path);
	return fd;
}

/* Is a profile open at FD of the process that calls itself PID?  Its header to H. */
static bool is_profile_of(int fd, int32_t pid, struct amon_header *h)
{
	return pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h && memcmp(h->magic, AMON_MAGIC, sizeof h->magic) == 0 && h->pid == pid;
}

/* Open what is mapped where M is with FLAGS, if that is a profile of its process.  The way to it goes to *WAY;
 * *OPENED says whether any file could be opened there.  -1: it is none. */
static int profile_open(const struct maps *m, int flags, int *way, bool *opened)
{
	struct amon_header h;

	*opened = false;
	for (*way = 0; *way < WAYS; ++*way) {
		int fd = maps_open(m, *way, flags);

		*opened |= fd >= 0;
		if (fd >= 0 && is_profile_of(fd, m->inner, &h))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* Whether what is mapped where M is may have been a plain file with a name, which was deleted. */
static bool maps_lost(const struct maps *m)
{
	return m->name[0] == '/' && maps_deleted(m) && strncmp(m->name, "/memfd:", 7) != 0 && strncmp(m->name, "/SYSV", 5) != 0 &&
	       strncmp(m->name, "/dev/zero", 9) != 0;
}

int live_profile_open(int32_t pid, int flags, char **path)
{
	struct maps m;
	int found = -1, why = 0, way = BY_NAME;
	bool opened;

	if (!maps_begin(&m, pid))
		return -1;
	while (found < 0 && maps_next(&m)) {
		found = profile_open(&m, flags, &way, &opened);
		if (found < 0 && !opened && maps_lost(&m))
			why = ESTALE;
	}
	if (found >= 0 && path && !(*path = maps_path(&m, way))) {
		close(found);
		found = -1;
		why = ENOMEM;
	}
	maps_end(&m);
	errno = found < 0 ? why : 0;
	return found;
}

/* Is the file ST, with the header H, or one of which it is a copy, what is mapped where M is?  What cannot be opened is told by its inode. */
static bool maps_is(const struct maps *m, const struct stat *st, const struct amon_header *h)
{
	struct amon_header other;
	bool same;
	int fd;

	if (m->inode == st->st_ino && m->device == st->st_dev)
		return true;
	fd = maps_open(m, BY_NAME, O_RDONLY);
	if (fd < 0)
		fd = maps_open(m, BY_ADDRESS, O_RDONLY);
	if (fd < 0)
		return m->inode == st->st_ino;
	same = is_profile_of(fd, m->inner, &other) && other.start_monotonic == h->start_monotonic && other.start_ticks == h->start_ticks;
	close(fd);
	return same;
}

bool live_profile_is(int fd, const struct amon_header *h)
{
	struct stat st;
	struct maps m;
	bool found = false;

	if (fstat(fd, &st) != 0)
		return false;
	if (!maps_begin(&m, h->pid))
		return errno != ENOENT;
	while (!found && maps_next(&m))
		found = maps_is(&m, &st, h);
	maps_end(&m);
	return found;
}

/* The header to H of the profile of call stacks of another process that is mapped where M is.  Its path, to be freed; NULL: it is none. */
static char *recorded_path(const struct maps *m, struct amon_header *h)
{
	for (int way = 0; way < WAYS; way++) {
		int fd = maps_open(m, way, O_RDONLY);
		bool found = fd >= 0 && pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h && memcmp(h->magic, AMON_MAGIC, sizeof h->magic) == 0 &&
			     h->way >> AMON_WAY_STACKS & 1;

		if (fd >= 0)
			close(fd);
		if (found)
			return maps_path(m, way);
	}
	return NULL;
}

bool live_profile_recorded(int32_t pid, void (*visit)(void *arg, const struct amon_header *header, const char *path), void *arg)
{
	struct amon_header h;
	struct maps m;
	char *path;

	if (!maps_begin(&m, pid))
		return false;
	while (maps_next(&m)) {
		path = recorded_path(&m, &h);
		if (path)
			visit(arg, &h, path);
		free(path);
	}
	maps_end(&m);
	return true;
}

/* What live_profile_recorded_of looks for. */
struct sought {
	int32_t pid;
	uint64_t start;			/* of the one that was found; a process may have been several programs */
	char *path;			/* NULL: none yet */
};

static void recorded_take(void *arg, const struct amon_header *h, const char *path)
{
	struct sought *s = arg;

	if (h->pid != s->pid || (s->path && h->start_monotonic < s->start))
		return;
	free(s->path);
	s->path = strdup(path);
	s->start = h->start_monotonic;
}

char *live_profile_recorded_of(int32_t pid)
{
	struct sought s = { .pid = pid };
	DIR *folder = opendir("/proc");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			live_profile_recorded((int32_t)strtol(entry->d_name, NULL, 10), recorded_take, &s);
	if (folder)
		closedir(folder);
	return s.path;
}
