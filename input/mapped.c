/* mapped.c - looking for a profile in /proc/PID/maps.
 *
 * A mapping is told by device and inode where they are those that stat has: btrfs and overlay file systems show others in maps. So what is
 * mapped is opened, through map_files, which asks for more rights, or by its name, and its header tells: no two
 * programs that a process became begin in one nanosecond. */
#include "input/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What process PID has mapped, line by line. */
struct maps {
	int32_t pid;		/* of the process */
	FILE *file;		/* /proc/PID/maps */
	char *line;		/* getline's */
	size_t room;		/* of line, bytes */
	uint64_t start, end;	/* addresses of the mapping */
	dev_t device;		/* of the file mapped, as the kernel has it inside */
	uint64_t inode;		/* of that file */
	const char *name;	/* of that file, in line; " (deleted)" follows if it has none any more */
};

/* False: there is no such process, or we may not look into it; errno says which. */
static bool maps_begin(struct maps *m, int32_t pid)
{
	char path[64];

	*m = (struct maps){ .pid = pid };
	snprintf(path, sizeof path, "/proc/%" PRId32 "/maps", pid);
	m->file = fopen(path, "re");
	return m->file;
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

/* Open the file of the mapping where M is. -1: that is not to be had. */
static int maps_open(const struct maps *m, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, m->pid, m->start, m->end);
	fd = open_plain(path, flags);
	return fd >= 0 ? fd : open_plain(m->name, flags | O_NOFOLLOW);
}

/* Is a profile of process PID open at FD?  Its header to H. */
static bool is_profile_of(int fd, int32_t pid, struct amon_header *h)
{
	return pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h && memcmp(h->magic, AMON_MAGIC, sizeof h->magic) == 0 && h->pid == pid;
}

int mapped_open(int32_t pid)
{
	struct amon_header h;
	struct maps m;
	int found = -1;

	if (!maps_begin(&m, pid))
		return -1;
	while (found < 0 && maps_next(&m)) {
		int fd = maps_open(&m, O_RDWR);

		if (fd >= 0 && is_profile_of(fd, pid, &h))
			found = fd;
		else if (fd >= 0)
			close(fd);
	}
	maps_end(&m);
	errno = 0;
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
	fd = maps_open(m, O_RDONLY);
	if (fd < 0)
		return m->inode == st->st_ino;
	same = is_profile_of(fd, h->pid, &other) && other.start_monotonic == h->start_monotonic && other.start_ticks == h->start_ticks;
	close(fd);
	return same;
}

bool mapped_is(int fd, const struct amon_header *h)
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
