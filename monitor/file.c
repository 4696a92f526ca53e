/* file.c - amon.out as memory: made, mapped, appended to, cut at the end.
 *
 * The whole file is mapped at once, sparsely, at the size of the memory bound; a chunk is
 * made resident (and so has its disk space) before anybody writes to it, so a full disk is
 * an error here and never a SIGBUS there.  The descriptor is closed at once: the lock that
 * says "in use" lives with the mapping.  Where no file can be had, memory takes its place,
 * copied out at exit if at all possible. */
#include "monitor/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "format/amon.h"
#include "monitor/environment.h"
#include "monitor/fit.h"
#include "monitor/hooks.h"
#include "monitor/process.h"
#include "monitor/state.h"
#include "monitor/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PATH = 4096, LOCK_EXCLUSIVE = 2, LOCK_NOW = 4, RENAME_KEEP = 1, RENAME_SWAP = 2, TRIES = 100 };
enum {
	LEAST = 1 << 20,		/* bytes that a mapping has at least */
	SPACE_PART = 16,		/* of a limited address space, its part */
	MOST_LOCKED = 16 << 20,		/* bytes to grow in where all of them are resident */
};

static struct sys_lock chunk_lock;
static char wanted[PATH];	/* where the file belongs */
static char actual[PATH];	/* where it is; empty: anonymous memory */
static uint64_t device, inode;	/* of the file mapped */
static bool cut;			/* at exit, to the used length; lengthened again for later chunks */
static bool sealed;			/* at the end, if it was truncated: no chunk is made any more */
static bool truncated;		/* somebody cut the file under us: its contents are lost */
static uint32_t spilled;		/* pages that are memory of ours: the disk refused to take them again */
static struct amon_header saved; /* as it was at the start, to say so */

/* ---- names ---- */

struct text { char *at, *end; };

static void put(struct text *t, const char *s)
{
	while (*s && t->at < t->end - 1)
		*t->at++ = *s++;
	*t->at = 0;
}

static void put_number(struct text *t, uint64_t n)
{
	char digits[24], *d = digits + sizeof digits;

	*--d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	put(t, d);
}

static const char *base_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

/* The MPI rank, as the usual launchers tell it. */
static const char *rank(void)
{
	static const char *const names[] = {
		"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (environment_get(names[i]))
			return environment_get(names[i]);
	return "0";
}

/* APROF_OUT with %p, %n, %h, %r and %% replaced, or amon.out, in the directory of the start. */
static void name_target(void)
{
	const char *pattern = environment_get("APROF_OUT");
	struct text t = { wanted, wanted + sizeof wanted };

	if (!pattern || !*pattern)
		pattern = "amon.out";
	if (*pattern != '/') {
		put(&t, monitor.header->directory);
		put(&t, "/");
	}
	for (; *pattern; pattern++) {
		char one[2] = { *pattern, 0 };

		if (*pattern != '%' || !pattern[1]) {
			put(&t, one);
			continue;
		}
		switch (*++pattern) {
		case 'p': put_number(&t, (uint64_t)monitor.pid); break;
		case 'n': put(&t, base_name(monitor.header->program)); break;
		case 'h': put(&t, monitor.header->host); break;
		case 'r': put(&t, rank()); break;
		case '%': put(&t, "%"); break;
		default: one[0] = *pattern; put(&t, "%"); put(&t, one);
		}
	}
}

/* TARGET itself (try 0), TARGET.PID, TARGET.PID.1, ... */
static void name_try(char *out, int try)
{
	struct text t = { out, out + PATH };

	put(&t, wanted);
	if (try > 0) {
		put(&t, ".");
		put_number(&t, (uint64_t)monitor.pid);
	}
	if (try > 1) {
		put(&t, ".");
		put_number(&t, (uint64_t)try - 1);
	}
}

/* ---- the file and its place ---- */

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
	char path[40];
	struct text t = { path, path + sizeof path };

	put(&t, "/proc/self/fd/");
	put_number(&t, (uint64_t)fd);
	return sys5(linkat, AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* The new file behind FD, which is at TEMP, or has no name if that is empty, gets NAME if nobody has it. 0 or minus an errno. */
static long place(long fd, const char *temp, const char *name)
{
	return temp[0] ? sys5(renameat2, AT_FDCWD, temp, AT_FDCWD, name, RENAME_KEEP) : link_name(fd, name);
}

/* The same if somebody has it.  A file without a name takes it from the old one: NAME is absent for a moment, but whoever is killed
 * leaves nothing that is neither.  One with a name is exchanged with the old one where that can be done, as file systems that hear
 * of a file replaced by renaming write the new one to the disk at once. */
static bool replace(long fd, const char *temp, const char *name)
{
	if (!temp[0])
		return !sys_failed(sys3(unlinkat, AT_FDCWD, name, 0)) && !sys_failed(link_name(fd, name));
	if (sys_failed(sys5(renameat2, AT_FDCWD, temp, AT_FDCWD, name, RENAME_SWAP)))
		return !sys_failed(sys4(renameat, AT_FDCWD, temp, AT_FDCWD, name));
	sys3(unlinkat, AT_FDCWD, temp, 0);
	return true;
}

/* Is the file behind FD the one at NAME?  *ST: what it is. */
static bool is_at(long fd, const char *name, struct stat *st)
{
	struct stat now;

	return !sys_failed(sys2(fstat, fd, st)) && !sys_failed(sys4(newfstatat, AT_FDCWD, name, &now, AT_SYMLINK_NOFOLLOW)) &&
	       now.st_ino == st->st_ino && now.st_dev == st->st_dev;
}

/* Give the new file NAME, as in place, unless a live process holds NAME or what is there is no profile.
 * Holding the lock of what is replaced keeps two starters from replacing one another.  0 or minus an errno; -EEXIST: NAME stays. */
static long take_name(long fd, const char *temp, const char *name)
{
	long ret = place(fd, temp, name), old;
	struct stat st;
	bool taken;

	if (!sys_failed(ret) || (ret != -EEXIST && (!temp[0] || (ret != -EINVAL && ret != -ENOSYS))))
		return ret;
	old = sys4(openat, AT_FDCWD, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
	if (old == -ENOENT)
		return temp[0] ? sys4(renameat, AT_FDCWD, temp, AT_FDCWD, name) : -EEXIST;
	if (sys_failed(old))
		return -EEXIST;
	taken = !sys_failed(sys2(flock, old, LOCK_EXCLUSIVE | LOCK_NOW)) && is_at(old, name, &st) && S_ISREG(st.st_mode) &&
		may_go(old, &st) && replace(fd, temp, name);
	sys1(close, old);
	return taken ? 0 : -EEXIST;
}

/* Give the new file one of the names that are wanted; ACTUAL is it.  0 or minus an errno. */
static long take_any_name(long fd, const char *temp)
{
	long ret = -EEXIST;

	for (int try = 0; try < TRIES && ret == -EEXIST; try++) {
		name_try(actual, try);
		ret = take_name(fd, temp, actual);
		if (!sys_failed(ret) && try > 0)
			note(AMON_NOTE_OTHER_NAME);
	}
	if (sys_failed(ret))
		actual[0] = 0;
	return ret;
}

/* File systems on which a shared mapping is slow, incoherent or not to be trusted. */
static bool is_remote(long fd)
{
	struct statfs fs;

	if (sys_failed(sys2(fstatfs, fd, &fs)))
		return false;
	switch ((uint32_t)fs.f_type) {
	case NFS_SUPER_MAGIC: case 0xff534d42 /* CIFS */: case SMB2_SUPER_MAGIC: case FUSE_SUPER_MAGIC:
	case V9FS_MAGIC: case CEPH_SUPER_MAGIC: case AFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* A file without a name in the directory of NAME, that link_name can give one.  A descriptor or minus an errno. */
static long create_unnamed(const char *name, char *room)
{
	struct text t = { room, room + PATH };
	long fd;

	if (base_name(name) - name >= PATH)
		return -ENAMETOOLONG;
	put(&t, name);
	room[base_name(name) - name] = 0;
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
	cleared = !sys_failed(sys2(flock, fd, LOCK_EXCLUSIVE | LOCK_NOW)) && is_at(fd, temp, &st) && S_ISREG(st.st_mode) &&
		  may_go(fd, &st) && !sys_failed(sys3(unlinkat, AT_FDCWD, temp, 0));
	sys1(close, fd);
	return cleared;
}

static long create_exclusive(const char *path)
{
	return sys4(openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* A name for a moment, of a file that is to be at NAME, to TEMP: always the same, so that what somebody left who was killed is found;
 * UNIQUE: while that one is taken, another. */
static void name_temp(char *temp, const char *name, bool unique)
{
	struct text t = { temp, temp + PATH };

	put(&t, name);
	put(&t, ".new");
	if (!unique)
		return;
	put(&t, ".");
	put_number(&t, (uint64_t)monitor.pid);
}

/* Lock the file behind FD, which this process has just made at TEMP. False: it is not there any more, since somebody has taken it for one that
 * was left, or is no longer, since locks cannot be had. */
static bool hold_new(long fd, const char *temp)
{
	bool locked = sys2(flock, fd, LOCK_EXCLUSIVE | LOCK_NOW) != -EWOULDBLOCK;
	struct stat st;

	if (!is_at(fd, temp, &st))
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
	fd = create_exclusive(temp);
	if (fd == -EEXIST && clear_stale(temp))
		fd = create_exclusive(temp);
	if (!sys_failed(fd) && hold_new(fd, temp))
		return fd;
	if (!sys_failed(fd))
		sys1(close, fd);
	else if (fd != -EEXIST)
		return fd;
	name_temp(temp, name, true);
	sys3(unlinkat, AT_FDCWD, temp, 0);
	return create_exclusive(temp);
}

/* Create a new file, locked, in the directory of NAME: without a name, or, if NAMED or that cannot be had, with one that stands in
 * TEMP, which else is empty.  Returns the descriptor or minus an errno. */
static long create_beside(const char *name, char *temp, bool named)
{
	long fd = named ? -EOPNOTSUPP : create_unnamed(name, temp);

	if (sys_failed(fd))
		fd = create_named(name, temp);
	if (!sys_failed(fd))
		sys2(flock, fd, LOCK_EXCLUSIVE | LOCK_NOW);
	return fd;
}

/* The new file behind FD is not to be, after all. */
static void drop(long fd, const char *temp)
{
	if (temp[0])
		sys3(unlinkat, AT_FDCWD, temp, 0);
	sys1(close, fd);
}

/* Largest file that this process may have, bytes. */
static uint64_t size_limit(void)
{
	struct rlimit limit;

	if (sys_failed(sys4(prlimit64, 0, RLIMIT_FSIZE, NULL, &limit)))
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* Map FD at SIZE bytes or the largest power-of-two part of it that can be had.  Replaces the mapping that
 * header stands in for.  False: no. */
static bool map(long fd, uint64_t size)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	long at = -ENOMEM;

	for (; size >= LEAST; size /= 2) {
		if (fd >= 0 && sys_failed(sys2(ftruncate, fd, size)))
			continue;
		at = sys6(mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
		if (!sys_failed(at))
			break;
	}
	if (sys_failed(at))
		return false;
	if (fd >= 0)	/* else the first fault reads megabytes of the hole ahead, and the cut at exit frees them */
		sys3(madvise, at, size, MADV_RANDOM);
	if (fd >= 0 && sys_failed(sys3(madvise, at, AMON_PAGE, MADV_POPULATE_WRITE)) &&
	    sys_failed(sys4(fallocate, fd, 0, 0, AMON_PAGE))) {
		sys2(munmap, at, size);
		return false;
	}
	mem_copy((void *)at, monitor.header, sizeof *monitor.header);
	if (monitor.mapped)			/* of a file that could not be had after all */
		sys2(munmap, monitor.header, monitor.mapped);
	monitor.header = (struct amon_header *)at;
	monitor.mapped = size;
	return true;
}

/* The file behind *FD, which is mapped, had no name then, and /proc/PID/maps goes on showing it as deleted, where others look for it by its name
 * (some file systems show no true inode).  So map it once more, by the name that it has now, *FD being what it was opened by; where that
 * cannot be had it stays as it is.  For a moment nobody holds its lock.  0, or -EAGAIN: somebody has taken the name meanwhile. */
static long map_by_name(long *fd)
{
	long again = sys4(openat, AT_FDCWD, actual, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
	struct stat was, st;

	if (sys_failed(again))
		return 0;
	if (sys_failed(sys2(fstat, *fd, &was)) || !is_at(again, actual, &st) || st.st_ino != was.st_ino || st.st_dev != was.st_dev ||
	    sys_failed(sys6(mmap, monitor.header, monitor.mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, again, 0))) {
		sys1(close, again);
		return 0;
	}
	sys3(madvise, monitor.header, monitor.mapped, MADV_RANDOM);
	sys1(close, *fd);
	*fd = again;
	return sys_failed(sys2(flock, again, LOCK_EXCLUSIVE | LOCK_NOW)) || !is_at(again, actual, &st) ? -EAGAIN : 0;
}

/* Map the new file behind *OPENED, at TEMP, and give it a name.  0 or minus an errno. */
static long settle(long *opened, const char *temp, uint64_t size, bool remote_too)
{
	struct stat st;
	long fd = *opened, ret;

	if (!remote_too && is_remote(fd))
		return -EREMOTE;
	if (!map(fd, size))
		return -ENOSPC;
	ret = take_any_name(fd, temp);
	if (!sys_failed(ret) && !temp[0]) {
		ret = map_by_name(opened);
		fd = *opened;
	}
	if (!sys_failed(ret) && !sys_failed(sys2(fstat, fd, &st))) {
		device = st.st_dev;
		inode = st.st_ino;
	}
	return ret;
}

/* Make a file at one of the names that fit, mapped.  False: *ERROR says why. */
static bool open_named(uint64_t size, bool remote_too, long *error)
{
	char *temp = sys_memory(PATH, false);
	bool named = false, done = false;
	long fd;

	*error = -ENOMEM;
	while (temp && !done) {
		fd = create_beside(wanted, temp, named);
		*error = fd;
		if (sys_failed(fd))
			break;
		named = temp[0];
		*error = settle(&fd, temp, size, remote_too);
		done = !sys_failed(*error);
		if (done)
			sys1(close, fd);
		else
			drop(fd, temp);
		if (named || *error == -EREMOTE || *error == -ENOSPC)
			break;
		named = true;			/* it could not be given a name: begin with one */
	}
	if (temp)
		sys2(munmap, temp, PATH);
	return done;
}

static char reason[PATH];	/* file that tells aprof run why there is no profile; empty: there is none */

static void reason_remove(void)
{
	if (reason[0])
		sys3(unlinkat, AT_FDCWD, reason, 0);
	reason[0] = 0;
}

/* aprof run is told of a process whose profile cannot be had, as long as it cannot: by an empty file beside where it would be, its name
 * ending in WHY, an errno, which takes no space.  Nobody else wants it. */
static void reason_leave(long why)
{
	struct text t = { reason, reason + PATH };
	long fd;

	if (!environment_get("APROF_RUN"))
		return;
	put(&t, wanted);
	put(&t, ".errno.");
	put_number(&t, (uint64_t)-why);
	fd = create_exclusive(reason);
	if (sys_failed(fd))
		reason[0] = 0;
	else
		sys1(close, fd);
}

static void tell(void);

/* Memory in place of a file: in /dev/shm, from where a dead process can still be read, else anonymous. */
static bool open_memory(uint64_t size, long why)
{
	char name[64];
	struct text t = { name, name + sizeof name };
	long fd;

	put(&t, "/dev/shm/amon.out.");
	put_number(&t, (uint64_t)monitor.pid);
	sys3(unlinkat, AT_FDCWD, name, 0);
	fd = sys4(openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	monitor.anonymous = true;
	if (!sys_failed(fd)) {
		struct stat st;
		bool mapped = size_limit() > size && map(fd, size);

		if (mapped && !sys_failed(sys2(fstat, fd, &st))) {
			sys2(flock, fd, LOCK_EXCLUSIVE | LOCK_NOW);
			device = st.st_dev;
			inode = st.st_ino;
			mem_copy(actual, name, sizeof name);
		} else {
			sys3(unlinkat, AT_FDCWD, name, 0);
		}
		sys1(close, fd);
		if (mapped) {
			note_error(AMON_NOTE_COPIED, why);
			return true;
		}
	}
	actual[0] = 0;
	reason_leave(why);
	if (!map(-1, size))
		return false;
	note_error(AMON_NOTE_COPIED, why);
	return true;
}

/* The bound on memory: what was ASKED for, but no more than a small part of the address space that the program may have, all
 * of which it may want. */
static uint64_t bound(uint64_t asked)
{
	uint64_t part = sys_address_space() / SPACE_PART & -(uint64_t)AMON_PAGE;

	if (part < LEAST)
		part = LEAST;
	if (asked < LEAST)
		asked = LEAST;
	return asked < part ? asked : part;
}

bool file_open(uint64_t size)
{
	uint64_t limit = size_limit();
	long error;

	size = bound(size);
	name_target();
	actual[0] = 0;
	monitor.header->used = AMON_PAGE;
	monitor.header->memory_bound = size;
	if (limit < size)
		size = limit & -(uint64_t)AMON_PAGE;
	if (size >= LEAST && open_named(size, false, &error))
		return true;
	if (size < LEAST)
		error = -EFBIG;
	if (open_memory(monitor.header->memory_bound, error))
		return true;
	note_error(AMON_NOTE_NO_FILE, -ENOMEM);
	tell();
	return false;
}

void file_shrink(void)
{
	struct amon_header *h = monitor.header;
	uint64_t room = sys_address_space() / SPACE_PART & -(uint64_t)AMON_PAGE, keep, bound;

	room = room < MOST_LOCKED ? room : MOST_LOCKED;
	sys_lock(&chunk_lock);
	keep = h->used + room;
	bound = keep + monitor.memory_private + room;
	if (keep < monitor.mapped && !sys_failed(sys2(munmap, (char *)h + keep, monitor.mapped - keep))) {
		monitor.mapped = keep;
		h->memory_bound = bound < h->memory_bound ? bound : h->memory_bound;
	}
	sys_unlock(&chunk_lock);
}

/* Who still holds an address in it may look there and write there, and finds nobody's counters: a hook, if a signal handler that
 * interrupted it forked and the child returns from the handler; an open routine of way inline (clock tsc). */
static void leave_mapping(char *start, uint64_t used)
{
	if (sys_failed(sys6(mmap, start, used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0)))
		used = 0;
	if (used < monitor.mapped)
		sys2(munmap, start + used, monitor.mapped - used);
}

void file_leave(void)
{
	static struct amon_header copy;
	struct amon_header *old = monitor.header;

	mem_copy(&copy, old, sizeof copy);
	monitor.header = &copy;
	if (monitor.mapped)
		leave_mapping((char *)old, copy.used);
	monitor.mapped = 0;
	monitor.anonymous = false;
	cut = sealed = false;
	chunk_lock.taken = 0;
	actual[0] = 0;
	reason[0] = 0;			/* the parent's */
}

/* ---- chunks ---- */

/* Is AMOUNT past three quarters of BOUND; or with the reserve half as much again? */
static bool is_past(uint64_t amount, uint64_t bound, bool reserve)
{
	return amount > (reserve ? bound + bound / 2 : bound - bound / 4);
}

bool file_over_bound(bool reserve)
{
	uint64_t used = __atomic_load_n(&monitor.header->used, __ATOMIC_RELAXED);
	uint64_t all = used + __atomic_load_n(&monitor.memory_private, __ATOMIC_RELAXED);

	return sealed || is_past(all, monitor.header->memory_bound, reserve) || is_past(used, monitor.mapped, reserve);
}

/* The file behind the mapping, if it is still where it was; or minus an errno. */
static long reopen(void)
{
	struct stat st;
	long fd = actual[0] ? sys4(openat, AT_FDCWD, actual, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0) : -ENOENT;

	if (sys_failed(fd))
		return fd;
	if (!sys_failed(sys2(fstat, fd, &st)) && st.st_ino == inode && st.st_dev == device)
		return fd;
	sys1(close, fd);
	return -ESTALE;
}

/* After the cut at exit: make the file as long as SIZE again, for what is called later still. */
static bool lengthen(uint64_t size)
{
	long fd = size <= size_limit() ? reopen() : -EFBIG;
	bool done = !sys_failed(fd) && !sys_failed(sys2(ftruncate, fd, size));

	if (!sys_failed(fd))
		sys1(close, fd);
	return done;
}

/* Make SIZE bytes at AT resident, with disk space behind them. */
static bool commit(char *at, uint64_t size)
{
	long ret = sys3(madvise, at, size, MADV_POPULATE_WRITE);

	if (!sys_failed(ret))
		return true;
	if (ret == -EINVAL) {		/* before Linux 5.14 */
		long fd = reopen();

		if (sys_failed(fd))
			return !actual[0];	/* anonymous memory needs no space */
		ret = sys4(fallocate, fd, 0, at - (char *)monitor.header, size);
		sys1(close, fd);
		if (!sys_failed(ret))
			return true;
	}
	note_error(AMON_NOTE_DISK_FULL, ret);
	return false;
}

/* USED is in the file, which others may have overwritten. */
static bool is_room(uint64_t used, uint64_t size)
{
	return !sealed && used % AMON_PAGE == 0 && used >= AMON_PAGE && used <= monitor.mapped && size <= monitor.mapped - used;
}

static struct amon_chunk *chunk_new(enum amon_kind kind, uint32_t thread, uint32_t capacity, size_t item_size)
{
	struct amon_header *h = monitor.header;
	uint64_t first = sizeof(struct amon_chunk), counters = 0, size;
	struct amon_chunk *c = (struct amon_chunk *)((char *)h + h->used);

	size = first + capacity * item_size;
	if (kind == AMON_CONTEXTS) {
		counters = (first + capacity * sizeof(struct amon_link) + AMON_PAGE - 1) & -(uint64_t)AMON_PAGE;
		size = counters + capacity * (sizeof(struct amon_counter) + sizeof(uint32_t));
	}
	size = (size + AMON_PAGE - 1) & -(uint64_t)AMON_PAGE;
	if (!is_room(h->used, size) || (cut && !lengthen(h->used + size)) || !commit((char *)c, size))
		return NULL;
	*c = (struct amon_chunk){
		.magic = AMON_CHUNK_MAGIC, .kind = kind, .size = size, .thread = thread,
		.capacity = capacity, .first = (uint32_t)first, .counters = (uint32_t)counters,
	};
	__atomic_store_n(&h->used, h->used + size, __ATOMIC_RELEASE);
	return c;
}

struct amon_chunk *file_chunk(enum amon_kind kind, uint32_t thread, uint32_t capacity, size_t item_size)
{
	struct amon_chunk *c;

	sys_lock(&chunk_lock);
	c = chunk_new(kind, thread, capacity, item_size);
	sys_unlock(&chunk_lock);
	return c;
}

/* ---- the end ---- */

/* Write SIZE bytes at DATA to FD, from AT on.  False: not all of them. */
bool file_write_at(long fd, const void *data, uint64_t size, uint64_t at)
{
	for (uint64_t done = 0; done < size;) {
		long n = sys4(pwrite64, fd, (const char *)data + done, size - done, at + done);

		if (n <= 0 && n != -EINTR)
			return false;
		done += n > 0 ? (uint64_t)n : 0;
	}
	return true;
}

/* Write what is mapped to a new file, and give it a name.  0 or minus an errno. */
static long write_out(char *temp, bool named)
{
	uint64_t used = monitor.header->used, limit = size_limit();
	long fd = create_beside(wanted, temp, named), ret = -EFBIG;

	if (sys_failed(fd))
		return fd;
	if (used <= limit ? file_write_at(fd, monitor.header, used, 0) : fit_write(fd, limit))
		ret = take_any_name(fd, temp);
	if (sys_failed(ret))
		drop(fd, temp);
	else
		sys1(close, fd);
	return ret;
}

/* Write what is mapped to where it belongs; what stood in for it goes. */
static void copy_out(void)
{
	char *temp = sys_memory(PATH, false), *instead = temp ? sys_memory(PATH, false) : NULL;
	long ret = -ENOMEM;

	if (instead)
		mem_copy(instead, actual, PATH);
	actual[0] = 0;
	for (int named = 0; instead && named < 2 && sys_failed(ret) && ret != -EFBIG; named++)
		ret = write_out(temp, named);
	if (instead && instead[0])
		sys3(unlinkat, AT_FDCWD, instead, 0);
	reason_remove();
	if (sys_failed(ret)) {
		note_error(AMON_NOTE_NO_FILE, ret);
		reason_leave(ret);
	}
}

/* What ERROR says, of those that a profile meets: strerror may be anybody's, and translates. */
static void put_reason(struct text *t, uint32_t error)
{
	static const struct { uint32_t error; const char *text; } reasons[] = {
		{ ENOENT, "there is no such directory" }, { EACCES, "permission denied" }, { EPERM, "not permitted" },
		{ ENOTDIR, "its directory is none" }, { EISDIR, "it is a directory" }, { ELOOP, "it is a symbolic link" },
		{ EROFS, "the disk is read-only" }, { ENOSPC, "the disk is full" }, { EDQUOT, "the quota of the disk is used up" },
		{ EFBIG, "the limit on the size of files is too low" }, { ENOMEM, "there is no memory" },
	};

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].error == error) {
			put(t, reasons[i].text);
			return;
		}
	put(t, "errno ");
	put_number(t, error);
}

/* With APROF_VERBOSE set: one line to standard error, where the profile is or why there is none. */
static void tell(void)
{
	static char line[PATH + 128];
	struct text t = { line, line + sizeof line };

	if (!environment_get("APROF_VERBOSE"))
		return;
	put(&t, "aprof: ");
	if (actual[0]) {
		put(&t, "profile of process ");
		put_number(&t, (uint64_t)monitor.pid);
		put(&t, " is in ");
		put(&t, actual);
	} else {
		put(&t, "no profile could be written to ");
		put(&t, wanted);
		put(&t, ": ");
		put_reason(&t, monitor.header->note_errno);
	}
	put(&t, "\n");
	sys3(write, 2, line, t.at - line);
}

/* In place of what somebody cut: whose profile this was, and that it is lost. */
static void write_saved(long fd)
{
	saved.notes[AMON_NOTE_TRUNCATED] = 1;
	saved.state = AMON_ENDED;
	if (sizeof saved <= size_limit())
		sys4(pwrite64, fd, &saved, sizeof saved, 0);
}

/* There may be room again. */
static void write_spilled(long fd)
{
	note_error(AMON_NOTE_DISK_FULL, -ENOSPC);
	if (monitor.header->used <= size_limit())
		file_write_at(fd, monitor.header, monitor.header->used, 0);
}

void file_finish(void)
{
	long fd;

	if (monitor.anonymous)
		copy_out();
	tell();
	if (monitor.anonymous)
		return;
	fd = reopen();
	if (sys_failed(fd))
		return;
	sys_lock(&chunk_lock);
	if (truncated) {
		sealed = true;
		write_saved(fd);
	} else {
		if (spilled)
			write_spilled(fd);
		cut = !sys_failed(sys2(ftruncate, fd, monitor.header->used));
	}
	sys_unlock(&chunk_lock);
	sys1(close, fd);
}

/* ---- a copy, while the program runs ---- */

/* A chunk of the copy. */
struct copied {
	uint64_t at;		/* where it begins, bytes */
	struct amon_chunk head;	/* with the count that holds for the copy */
};

static bool is_owned(const struct amon_chunk *c)
{
	return c->thread != AMON_NONE;
}

/* The heads of the chunks from FROM up to TO to LIST, which has room for them, or NULL.  Returns their number. */
static size_t list_chunks(struct copied *list, uint64_t from, uint64_t to)
{
	size_t n = 0;

	for (uint64_t at = from; at < to; n++) {
		const struct amon_chunk *c = (struct amon_chunk *)((char *)monitor.header + at);

		if (list)
			list[n] = (struct copied){ at, *c };
		at += c->size;
	}
	return n;
}

static void take_counts(struct copied *list, size_t n, bool owned)
{
	while (n-- > 0)
		if (is_owned(&list[n].head) == owned)
			list[n].head.count = __atomic_load_n(&((struct amon_chunk *)((char *)monitor.header + list[n].at))->count,
							     __ATOMIC_ACQUIRE);
}

/* All chunks, with counts as a reader takes them (doc/format.md): those of threads' chunks first, the last of them first; then
 * what was appended meanwhile, of which no more is of use than what those refer to.  0: they do not fit in ROOM; *USED is
 * where the last one ends. */
static size_t list_all(struct copied *list, size_t room, uint64_t *used)
{
	uint64_t first = __atomic_load_n(&monitor.header->used, __ATOMIC_ACQUIRE);
	size_t n = list_chunks(NULL, AMON_PAGE, first), all;

	if (n > room)
		return 0;
	list_chunks(list, AMON_PAGE, first);
	take_counts(list, n, true);
	*used = __atomic_load_n(&monitor.header->used, __ATOMIC_ACQUIRE);
	all = n + list_chunks(NULL, first, *used);
	if (all > room)
		return 0;
	list_chunks(list + n, first, *used);
	for (size_t i = n; i < all; i++)
		list[i].head.count = 0;
	take_counts(list, all, false);
	return all;
}

static bool write_copy(long fd, const struct copied *list, size_t n, uint64_t used)
{
	static struct amon_header copy;

	mem_copy(&copy, monitor.header, sizeof copy);
	copy.used = used;
	copy.state = AMON_ENDED;
	copy.end_monotonic = sys_clock(1);
	copy.cpu_total = sys_clock(2);
	for (size_t i = 0; i < n; i++)
		if (!file_write_at(fd, &list[i].head, sizeof list[i].head, list[i].at) ||
		    !file_write_at(fd, (char *)monitor.header + list[i].at + sizeof list[i].head,
			      list[i].head.size - sizeof list[i].head, list[i].at + sizeof list[i].head))
			return false;
	return file_write_at(fd, &copy, sizeof copy, 0);
}

/* The new file behind FD, which is at TEMP, in the place of PATH, which is never absent meanwhile. 0 or minus an errno. */
static long put_over(long fd, char *temp, const char *path)
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

/* The copy, whole or not there, at PATH. */
static long write_beside(const char *path, const struct copied *list, size_t n, uint64_t used)
{
	static char temp[PATH];
	bool named = false, again;
	long fd, error;

	do {
		fd = create_beside(path, temp, named);
		if (sys_failed(fd))
			return fd;
		named = temp[0];
		error = write_copy(fd, list, n, used) ? put_over(fd, temp, path) : -ENOSPC;
		again = sys_failed(error) && error != -ENOSPC && !named;
		if (sys_failed(error))
			drop(fd, temp);
		else
			sys1(close, fd);
		named = true;
	} while (again);
	return error;
}

int file_flush(const char *path)
{
	size_t room = list_chunks(NULL, AMON_PAGE, monitor.header->used) + 256, n;
	struct copied *list = sys_memory(room * sizeof *list, false);
	uint64_t used;
	long error = -EAGAIN;

	if (!list)
		return ENOMEM;
	n = list_all(list, room, &used);
	if (n)
		error = used > size_limit() ? -EFBIG : write_beside(path, list, n, used);
	sys2(munmap, list, room * sizeof *list);
	return sys_failed(error) ? (int)-error : 0;
}

/* ---- SIGBUS: somebody truncated the file under us ---- */

struct kernel_action {		/* as rt_sigaction has it */
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static struct kernel_action previous_sigbus;
static bool installed;

static bool is_ours_address(uintptr_t address)
{
	return address - (uintptr_t)monitor.header < monitor.mapped;
}

/* Put a copy in memory in the place of PAGE.  False: it cannot be read. */
static bool spill(uintptr_t page)
{
	char *copy = sys_memory(AMON_PAGE, false);
	struct iovec to = { copy, AMON_PAGE }, from = { (void *)page, AMON_PAGE };

	if (!copy)
		return false;
	if (sys6(process_vm_readv, sys0(getpid), &to, 1, &from, 1, 0) == AMON_PAGE &&
	    !sys_failed(sys5(mremap, copy, AMON_PAGE, AMON_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page)))
		return true;
	sys2(munmap, copy, AMON_PAGE);
	return false;
}

/* A disk that writes each version of a page to a new place refuses, when it is full, pages that it had taken before: what is in them
 * can still be read, and is kept in memory from now on.  One at a time: of two threads that write to one page the second tries again. */
static bool rescue(uintptr_t page)
{
	static struct sys_lock lock;
	uint32_t before = __atomic_load_n(&spilled, __ATOMIC_ACQUIRE);
	bool done = true;

	sys_lock(&lock);
	if (before == spilled && (done = spill(page)))
		__atomic_store_n(&spilled, before + 1, __ATOMIC_RELEASE);
	sys_unlock(&lock);
	return done;
}

/* To the program's own handler, with the signals blocked that would be if the kernel had called it. */
static void pass_on(int sig, void *info, ucontext_t *context)
{
	uint64_t mask;

	mem_copy(&mask, &context->uc_sigmask, sizeof mask);
	mask |= previous_sigbus.mask;
	if (!(previous_sigbus.flags & SA_NODEFER))
		mask |= UINT64_C(1) << (sig - 1);
	sys_restore_signals(&mask);
	((void (*)(int, void *, void *))previous_sigbus.handler)(sig, info, context);
}

/* Nothing that was in pages cut off is known any more; zeros take their place and no chunk is made again.  A signal that somebody sent has no
 * address. */
static void on_sigbus(int sig, void *info, void *context)
{
	bool sent = ((int *)info)[2] <= 0;			/* si_code */
	uintptr_t address = *(uintptr_t *)((char *)info + 16);	/* si_addr */
	uintptr_t page = address & -(uintptr_t)AMON_PAGE;

	if (!sent && is_ours_address(address)) {
		if (rescue(page))
			return;
		sys6(mmap, page, AMON_PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		truncated = true;
		return;
	}
	if ((uintptr_t)previous_sigbus.handler > 1) {
		pass_on(sig, info, context);
		return;
	}
	if (sent && previous_sigbus.handler)			/* SIG_IGN */
		return;
	/* The default, as if we were not here: the access that faulted faults again, and what was sent comes again when this is left. */
	sys4(rt_sigaction, sig, &previous_sigbus, NULL, sizeof(uint64_t));
	if (sent)
		sys3(tgkill, sys0(getpid), sys0(gettid), sig);
}

void file_sigbus_show(struct sigaction *old)
{
	if ((void *)old->sa_sigaction != (void *)on_sigbus)
		return;
	mem_zero(old, sizeof *old);
	old->sa_sigaction = (void (*)(int, siginfo_t *, void *))previous_sigbus.handler;
	old->sa_flags = (int)(previous_sigbus.flags & ~UINT64_C(0x04000000));	/* SA_RESTORER, libc's own affair */
	mem_copy(&old->sa_mask, &previous_sigbus.mask, sizeof previous_sigbus.mask);
}

void file_sigbus(void)
{
	struct kernel_action action = {
		.handler = (void *)on_sigbus,
		.flags = 4 | 0x08000000 | 0x04000000,	/* SA_SIGINFO, SA_ONSTACK, SA_RESTORER */
		.restorer = (void *)aprof_signal_return,
		.mask = ~UINT64_C(0),		/* a handler that met another such page here would be death */
	};

	mem_copy(&saved, monitor.header, sizeof saved);
	truncated = false;
	spilled = 0;
	if (installed)
		return;			/* a forked child has it from its parent */
	installed = true;
	sys4(rt_sigaction, 7 /* SIGBUS */, &action, &previous_sigbus, sizeof(uint64_t));
}
