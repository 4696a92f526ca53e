/* place.c - how a new file comes to its place, whole, and what is there goes only if nobody wants it.
 *
 * A new file has no name, or one for a moment (NAME.new), until what is in it can be read.  Who takes a name locks what had it. */
#include "inside/file/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "contract/amon.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"

enum { LOCK_EXCLUSIVE = 2, LOCK_NOW = 4, RENAME_KEEP = 1, RENAME_SWAP = 2 };

const char *place_base_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

long place_lock(long fd)
{
	return sys2(flock, fd, LOCK_EXCLUSIVE | LOCK_NOW);
}

/* May the file behind FD, which nobody holds, be replaced?  It is empty, or a profile, but not one that this very process wrote before
 * an exec. */
static bool may_go(long fd, const struct stat *st)
{
	struct amon_header *h = sys_memory(sizeof *h, false);
	long n = h ? sys4(pread64, fd, h, sizeof *h, 0) : -ENOMEM;
	bool may = st->st_size == 0;

	for (size_t i = 0; n >= (long)sizeof h->magic && (i == 0 || may) && i < sizeof h->magic; i++)
		may = h->magic[i] == AMON_MAGIC[i];
	if (n == (long)sizeof *h && h->pid == monitor.pid && h->start_ticks == monitor.header->start_ticks)
		may = false;
	if (h)
		sys2(munmap, h, sizeof *h);
	return may;
}

/* The file behind FD, which has no name, gets NAME, which nobody has.  0 or minus an errno. */
static long link_name(long fd, const char *name)
{
	char path[48];
	struct text t = { path, path + sizeof path };

	text_put(&t, "/proc/thread-self/fd/");
	text_put_number(&t, (uint64_t)fd);
	return sys5(linkat, AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* The new file behind FD, which is at TEMP, or has no name if that is empty, gets NAME if nobody has it. 0 or minus an errno. */
static long file_place_place(long fd, const char *temp, const char *name)
{
	return temp[0] ? sys5(renameat2, AT_FDCWD, temp, AT_FDCWD, name, RENAME_KEEP) : link_name(fd, name);
}

/* The same if somebody has it.  A file without a name takes it from the old one: NAME is absent for a moment, but whoever is killed
 * leaves nothing that is neither.  One with a name is exchanged with the old one where that can be done, as file systems that hear
 * of a file replaced by renaming write the new one to the disk at once. */
static bool place_replace(long fd, const char *temp, const char *name)
{
	if (!temp[0])
		return !sys_failed(sys3(unlinkat, AT_FDCWD, name, 0)) && !sys_failed(link_name(fd, name));
	if (sys_failed(sys5(renameat2, AT_FDCWD, temp, AT_FDCWD, name, RENAME_SWAP)))
		return !sys_failed(sys4(renameat, AT_FDCWD, temp, AT_FDCWD, name));
	sys3(unlinkat, AT_FDCWD, temp, 0);
	return true;
}

bool place_is_at(long fd, const char *name, struct stat *st)
{
	struct stat now;

	return !sys_failed(sys2(fstat, fd, st)) && !sys_failed(sys4(newfstatat, AT_FDCWD, name, &now, AT_SYMLINK_NOFOLLOW)) &&
	       now.st_ino == st->st_ino && now.st_dev == st->st_dev;
}

long place_take(long fd, const char *temp, const char *name, bool keep)
{
	long ret = file_place_place(fd, temp, name), old;
	struct stat st;
	bool taken;

	if (!sys_failed(ret) || (ret != -EEXIST && (!temp[0] || (ret != -EINVAL && ret != -ENOSYS))))
		return ret;
	old = sys4(openat, AT_FDCWD, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
	if (old == -ENOENT)
		return temp[0] ? sys4(renameat, AT_FDCWD, temp, AT_FDCWD, name) : -EEXIST;
	if (sys_failed(old))
		return -EEXIST;
	taken = !sys_failed(place_lock(old)) && place_is_at(old, name, &st) && S_ISREG(st.st_mode) &&
		(keep ? st.st_size == 0 : may_go(old, &st)) && place_replace(fd, temp, name);
	sys1(close, old);
	return taken ? 0 : -EEXIST;
}

/* Into H what the file behind FD begins with. False: it is no profile, or of this process's program. */
static bool file_place_is_others(long fd, struct amon_header *h)
{
	bool other = sys4(pread64, fd, h, sizeof *h, 0) == (long)sizeof *h && h->program[0];

	for (size_t i = 0; other && i < sizeof h->magic; i++)
		other = h->magic[i] == AMON_MAGIC[i];
	h->program[sizeof h->program - 1] = 0;
	return other && !str_equal(h->program, monitor.header->program);
}

static long open_there(const char *name)
{
	return sys4(openat, AT_FDCWD, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
}

bool place_is_others(const char *name)
{
	struct amon_header *h = sys_memory(sizeof *h, false);
	long fd = h ? open_there(name) : -ENOMEM;
	bool other = !sys_failed(fd) && file_place_is_others(fd, h);

	if (!sys_failed(fd))
		sys1(close, fd);
	if (h)
		sys2(munmap, h, sizeof *h);
	return other;
}

/* A file without a name in the directory of NAME, that link_name can give one.  A descriptor or minus an errno. */
static long create_unnamed(const char *name, char *room)
{
	struct text t = { room, room + PLACE_PATH };
	long fd;

	if (place_base_name(name) - name >= PLACE_PATH)
		return -ENAMETOOLONG;
	text_put(&t, name);
	room[place_base_name(name) - name] = 0;
	fd = sys4(openat, AT_FDCWD, room[0] ? room : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	room[0] = 0;
	return fd;
}

/* Remove what was left at TEMP by one who was killed: nobody holds it, and it is a profile or the beginning of one. */
static bool clear_stale(const char *temp)
{
	long fd = sys4(openat, AT_FDCWD, temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
	struct stat st;
	bool cleared;

	if (sys_failed(fd))
		return fd == -ENOENT;
	cleared = !sys_failed(place_lock(fd)) && place_is_at(fd, temp, &st) && S_ISREG(st.st_mode) &&
		  may_go(fd, &st) && !sys_failed(sys3(unlinkat, AT_FDCWD, temp, 0));
	sys1(close, fd);
	return cleared;
}

void place_aside(const char *name)
{
	static char aside[PLACE_PATH];
	struct text t = { aside, aside + sizeof aside };
	struct amon_header *h = sys_memory(sizeof *h, false);
	long old = h ? open_there(name) : -ENOMEM;
	struct stat st;

	if (!sys_failed(old) && !sys_failed(place_lock(old)) && place_is_at(old, name, &st) && S_ISREG(st.st_mode) && may_go(old, &st) &&
	    file_place_is_others(old, h)) {
		text_put(&t, name);
		text_put(&t, ".");
		text_put(&t, place_base_name(h->program));
		if (clear_stale(aside))
			sys4(renameat, AT_FDCWD, name, AT_FDCWD, aside);
	}
	if (!sys_failed(old))
		sys1(close, old);
	if (h)
		sys2(munmap, h, sizeof *h);
}

long place_create_exclusive(const char *path)
{
	return sys4(openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* A name for a moment, of a file that is to be at NAME, to TEMP: always the same, so that what somebody left who was killed is found;
 * UNIQUE: while that one is taken, another. */
static void name_temp(char *temp, const char *name, bool unique)
{
	struct text t = { temp, temp + PLACE_PATH };

	text_put(&t, name);
	text_put(&t, ".new");
	if (!unique)
		return;
	text_put(&t, ".");
	text_put_number(&t, (uint64_t)monitor.pid);
}

/* Lock the file behind FD, which this process has just made at TEMP. False: it is not there any more, since somebody has taken it for one that
 * was left, or is no longer, since locks cannot be had. */
static bool hold_new(long fd, const char *temp)
{
	bool locked = place_lock(fd) != -EWOULDBLOCK;
	struct stat st;

	if (!place_is_at(fd, temp, &st))
		return false;
	if (!locked)
		sys3(unlinkat, AT_FDCWD, temp, 0);
	return locked;
}

/* The same for a file at TEMP. */
static long create_named(const char *name, char *temp)
{
	long fd;

	name_temp(temp, name, false);
	fd = place_create_exclusive(temp);
	if (fd == -EEXIST && clear_stale(temp))
		fd = place_create_exclusive(temp);
	if (!sys_failed(fd) && hold_new(fd, temp))
		return fd;
	if (!sys_failed(fd))
		sys1(close, fd);
	else if (fd != -EEXIST)
		return fd;
	name_temp(temp, name, true);
	sys3(unlinkat, AT_FDCWD, temp, 0);
	return place_create_exclusive(temp);
}

long place_create(const char *name, char *temp, bool named)
{
	long fd = named ? -EOPNOTSUPP : create_unnamed(name, temp);

	if (sys_failed(fd))
		fd = create_named(name, temp);
	if (!sys_failed(fd))
		place_lock(fd);
	return fd;
}

void place_drop(long fd, const char *temp)
{
	if (temp[0])
		sys3(unlinkat, AT_FDCWD, temp, 0);
	sys1(close, fd);
}

long place_put_over(long fd, char *temp, const char *path)
{
	long ret;

	if (!temp[0]) {
		ret = link_name(fd, path);
		if (ret != -EEXIST)
			return ret;
		name_temp(temp, path, false);
		clear_stale(temp);
		ret = link_name(fd, temp);
		if (ret == -EEXIST) {
			name_temp(temp, path, true);
			sys3(unlinkat, AT_FDCWD, temp, 0);
			ret = link_name(fd, temp);
		}
		if (sys_failed(ret)) {
			temp[0] = 0;
			return ret;
		}
	}
	return sys4(renameat, AT_FDCWD, temp, AT_FDCWD, path);
}
