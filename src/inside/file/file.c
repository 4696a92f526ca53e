/* file.c - amon.out as memory: made, mapped, appended to, cut at the end.
 *
 * As much is mapped at once as the bound on memory allows, most of it behind the end of the
 * file, which is made longer in time, and stays so short that it can be copied if the process is
 * killed.  A chunk is made resident (and so has its disk space) before anybody writes to it, so a
 * full disk is an error here and never a SIGBUS there.  The descriptor is closed at once: the lock
 * that says "in use" lives with the mapping.  Where no file can be had, memory takes its place,
 * copied out at exit if at all possible.
 *
 * A forked child begins in a place of the file that others share (nursery.h), with copies of the chunks that say what its parent knew.  When that is full, or
 * the process grows, a file of its own is mapped over it.  That is not done while another thread may count. */
#include "inside/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "contract/amon.h"
#include "inside/file/fit.h"
#include "inside/file/name.h"
#include "inside/file/place.h"
#include "inside/file/sigbus.h"
#include "inside/origin.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
	LEAST = 1 << 20,		/* bytes that a mapping has at least */
	FIRST_LENGTH = 16 << 20,	/* of the file, sparse: some 350,000 contexts; twice as long each time that it is filled */
	SPACE_PART = 16,		/* of a limited address space, its part */
	MOST_LOCKED = 16 << 20,		/* bytes to grow in where all of them are resident */
	MOST_LOOKS = 1000,		/* times that a lock is asked for which somebody else has */
	MOST_KEPT = 32,			/* chunks of the process alone that a child copies */
	PLACE_RESIDENT = 4 * AMON_PAGE,	/* bytes of a place in the nursery, beside those copies, that are made resident at once: header, thread, contexts */
};

static struct sys_lock chunk_lock OF_PROCESS;
static const char *wanted;	/* where the file belongs */
static char actual[PLACE_PATH];	/* where it is; empty: anonymous memory */
static uint64_t device, inode;	/* of the file mapped */
static uint64_t length OF_PROCESS;			/* of the file, bytes; all chunks lie before it.  At exit it is cut to what is used.  Of memory: of the mapping */
static bool stuck OF_PROCESS;			/* it could not be made longer when it should have been */
static bool sealed OF_PROCESS;			/* at the end, if it was truncated: no chunk is made any more */
static bool trimmed OF_PROCESS;			/* there may be chunks that nobody reads */
static uint64_t resident OF_PROCESS;		/* bytes from the start on that need not be made so */
static bool pinned OF_PROCESS;			/* in the nursery: for good */
static struct amon_chunk *kept[MOST_KEPT] OF_PROCESS; /* modules, routines and scripts, in the order of the file */
static uint32_t nkept OF_PROCESS;	/* of them; more than MOST_KEPT: some are not there */
static uint32_t counts[MOST_KEPT] OF_PROCESS; /* of their items, as the last fork began */
static uint32_t ncounts OF_PROCESS;	/* how many of them there were; AMON_NONE while that is written */
static struct amon_header *ancestor;	/* first page of the file or, while there is none, of that of the nearest ancestor that has one; NULL: not kept */

/* ---- the file and its place ---- */

/* File systems on which a shared mapping is slow, incoherent or not to be trusted. */
bool file_is_remote(long fd)
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

/* A new file or memory, before it is the process's: where it is mapped, and how many bytes of it. */
static struct { char *at; uint64_t size; } fresh;

/* Map FD at SIZE bytes or the largest power-of-two part of it that can be had, as `fresh`, with what header stands in for in it.  False: no. */
static bool file_map(long fd, uint64_t size)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	uint64_t used = monitor.in_nursery ? monitor.header->used : AMON_PAGE;
	long at = -ENOMEM;

	for (; size >= LEAST; size /= 2) {
		length = fd >= 0 && size > FIRST_LENGTH ? FIRST_LENGTH : size;
		if (fd >= 0 && sys_failed(sys2(ftruncate, fd, length)))
			continue;
		at = sys6(mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
		if (!sys_failed(at))
			break;
	}
	if (sys_failed(at))
		return false;
	if (fd >= 0)	/* else the first fault reads megabytes of the hole ahead, and the cut at exit frees them */
		sys3(madvise, at, size, MADV_RANDOM);
	if (fd >= 0 && sys_failed(sys3(madvise, at, used, MADV_POPULATE_WRITE)) &&
	    sys_failed(sys4(fallocate, fd, 0, 0, used))) {
		sys2(munmap, at, size);
		return false;
	}
	mem_copy((void *)at, monitor.header, used > AMON_PAGE ? used : sizeof *monitor.header);
	((struct amon_header *)at)->magic[0] = AMON_MAGIC[0];	/* in the nursery it may not be there yet */
	fresh.at = (char *)at;
	fresh.size = size;
	return true;
}

/* The fresh file takes over the addresses of the place in the nursery, which is nobody's any more; nor is the rest of the nursery mapped then.  False: it cannot. */
static bool take_place(void)
{
	struct amon_chunk *nursery = monitor.nursery;
	char *place = (char *)monitor.header, *begin = (char *)nursery - AMON_PAGE, *behind = place + fresh.size;
	char *end = begin + AMON_PAGE + nursery->size + monitor.header->memory_bound;
	long again = sys4(mremap, place, 0, AMON_PAGE, MREMAP_MAYMOVE);

	if (sys_failed(again) || sys_failed(sys5(mremap, fresh.at, fresh.size, fresh.size, MREMAP_MAYMOVE | MREMAP_FIXED, place)))
		return false;
	((struct amon_header *)again)->magic[0] = 0;
	sys2(munmap, again, AMON_PAGE);
	sys2(munmap, begin, place - begin);
	if (end > behind)
		sys2(munmap, behind, end - behind);
	monitor.nursery = NULL;
	monitor.in_nursery = false;
	return true;
}

/* The fresh file, or memory, is the process's from now on.  False: it stays in the nursery. */
static bool file_adopt(void)
{
	if (monitor.in_nursery) {
		if (!take_place()) {
			sys2(munmap, fresh.at, fresh.size);
			return false;
		}
	} else if (fresh.size <= monitor.mapped) {	/* of a file that could not be had after all; there may be counters in it, which do not move */
		if (sys_failed(sys5(mremap, fresh.at, fresh.size, fresh.size, MREMAP_MAYMOVE | MREMAP_FIXED, monitor.header)))
			return false;
		if (monitor.mapped > fresh.size)
			sys2(munmap, (char *)monitor.header + fresh.size, monitor.mapped - fresh.size);
	} else {
		if (monitor.mapped)
			sys2(munmap, monitor.header, monitor.mapped);
		monitor.header = (struct amon_header *)fresh.at;
	}
	monitor.mapped = fresh.size;
	resident = monitor.header->used;
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
	if (sys_failed(sys2(fstat, *fd, &was)) || !place_is_at(again, actual, &st) || st.st_ino != was.st_ino || st.st_dev != was.st_dev ||
	    sys_failed(sys6(mmap, monitor.header, monitor.mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, again, 0))) {
		sys1(close, again);
		return 0;
	}
	sys3(madvise, monitor.header, monitor.mapped, MADV_RANDOM);
	sys1(close, *fd);
	*fd = again;
	for (int i = 0; i < MOST_LOOKS && place_lock(again) == -EWOULDBLOCK && place_is_at(again, actual, &st); i++)
		sys0(sched_yield);	/* somebody looks whether it is anybody's */
	return place_is_at(again, actual, &st) ? 0 : -EAGAIN;
}

/* Map the new file behind *OPENED, at TEMP, and give it a name.  0 or minus an errno. */
static long file_settle(long *opened, const char *temp, uint64_t size, bool remote_too)
{
	bool moves = monitor.in_nursery;
	struct stat st;
	long fd = *opened, ret;

	if (!remote_too && file_is_remote(fd))
		return -EREMOTE;
	if (!file_map(fd, size))
		return -ENOSPC;
	if (!moves && !file_adopt()) {
		sys2(munmap, fresh.at, fresh.size);
		return -ENOSPC;
	}
	ret = name_take(fd, temp, actual);
	if (moves && sys_failed(ret))
		sys2(munmap, fresh.at, fresh.size);
	else if (moves && !file_adopt())
		ret = -ENOSPC;
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
	char *temp = sys_memory(PLACE_PATH, false);
	bool named = false, done = false;
	long fd;

	*error = -ENOMEM;
	while (temp && !done) {
		fd = place_create(wanted, temp, named);
		*error = fd;
		if (sys_failed(fd))
			break;
		named = temp[0];
		*error = file_settle(&fd, temp, size, remote_too);
		done = !sys_failed(*error);
		if (done)
			sys1(close, fd);
		else
			place_drop(fd, temp);
		if (named || *error == -EREMOTE || *error == -ENOSPC)
			break;
		named = true;			/* it could not be given a name: begin with one */
	}
	if (temp)
		sys2(munmap, temp, PLACE_PATH);
	return done;
}

/* Memory in place of a file: in /dev/shm, from where a dead process can still be read, else anonymous. */
static bool open_memory(uint64_t size, long why)
{
	char name[64];
	struct text t = { name, name + sizeof name };
	long fd;

	text_put(&t, "/dev/shm/amon.out.");
	text_put_number(&t, (uint64_t)monitor.pid);
	sys3(unlinkat, AT_FDCWD, name, 0);
	fd = sys4(openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	monitor.anonymous = true;
	if (!sys_failed(fd)) {
		struct stat st;
		bool mapped = sys_file_limit() > size && file_map(fd, size) && file_adopt();

		if (mapped && !sys_failed(sys2(fstat, fd, &st))) {
			place_lock(fd);
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
	name_leave_reason(why);
	if (!file_map(-1, size) || !file_adopt())
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

/* Keep the first page of the new file once more, if children may give up rights, or change their root, and then cannot make files of their own.  It is
 * opened for that alone: the file's lock lives as long as what it was taken by is open or mapped, in a child, too. */
static void ancestor_begin(void)
{
	long fd = sys0(geteuid) == 0 ? sys4(openat, AT_FDCWD, actual, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0) : -EPERM, page = -EPERM;
	struct stat st;

	if (ancestor)
		sys2(munmap, ancestor, AMON_PAGE);
	if (!sys_failed(fd) && !sys_failed(sys2(fstat, fd, &st)) && st.st_dev == device && st.st_ino == inode)
		page = sys6(mmap, NULL, AMON_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!sys_failed(fd))
		sys1(close, fd);
	ancestor = sys_failed(page) ? NULL : (struct amon_header *)page;
}

/* This process cannot make its file, for WHY, and perhaps can tell nobody else.  The ancestor's may have been cut meanwhile: then it has no such page. */
static void ancestor_note(long why)
{
	if (ancestor && (why == -EACCES || why == -EPERM || why == -ENOENT) && !sys_failed(sys3(madvise, ancestor, AMON_PAGE, MADV_POPULATE_WRITE)))
		__atomic_fetch_add(&ancestor->notes[AMON_NOTE_CHILD_BARRED], 1, __ATOMIC_RELAXED);
}

bool file_open(uint64_t size)
{
	uint64_t limit = sys_file_limit();
	long error;

	size = bound(size);
	wanted = name_want();
	actual[0] = 0;
	nkept = 0;
	monitor.header->used = AMON_PAGE;
	monitor.header->memory_bound = size;
	if (limit < size)
		size = limit & -(uint64_t)AMON_PAGE;
	if (size >= LEAST && open_named(size, false, &error)) {
		ancestor_begin();
		return true;
	}
	if (size < LEAST)
		error = -EFBIG;
	ancestor_note(error);
	if (open_memory(monitor.header->memory_bound, error))
		return true;
	note_error(AMON_NOTE_NO_FILE, -ENOMEM);
	name_tell(actual);
	return false;
}

void file_shrink(void)
{
	struct amon_header *h = monitor.header;
	uint64_t room = sys_address_space() / SPACE_PART & -(uint64_t)AMON_PAGE, keep, bound;

	if (monitor.in_nursery)
		return;
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
static void leave_mapping(char *start, uint64_t used, uint64_t mapped)
{
	if (sys_failed(sys6(mmap, start, used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0)))
		used = 0;
	if (used < mapped)
		sys2(munmap, start + used, mapped - used);
}

/* What is said of the parent's file is not of the child's. */
static void file_forget(void)
{
	monitor.anonymous = false;
	stuck = sealed = trimmed = pinned = false;
	chunk_lock.taken = 0;
	if (actual[0])
		actual[0] = 0;
	name_forget();
}

void file_leave(void)
{
	static struct amon_header copy;
	struct amon_header *old = monitor.header;

	mem_copy(&copy, old, sizeof copy);
	monitor.header = &copy;
	if (monitor.mapped)
		leave_mapping((char *)old, copy.used, monitor.mapped);
	monitor.mapped = 0;
	monitor.in_nursery = false;
	file_forget();
}

void file_fork(void)
{
	ncounts = AMON_NONE;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < nkept && i < MOST_KEPT; i++)
		counts[i] = __atomic_load_n(&kept[i]->count, __ATOMIC_ACQUIRE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ncounts = nkept;
}

/* Is what file_fork found what the memory of the child knows of?  Another thread may have found more of it in between; and its parent may, now, which goes on. */
static bool is_as_known(void)
{
	uint32_t routines = 0;

	if (!monitor.mapped || ncounts > MOST_KEPT || ncounts != nkept)
		return false;
	for (uint32_t i = 0; i < nkept; i++)
		routines += kept[i]->kind == AMON_ROUTINES ? counts[i] : 0;
	return routines == monitor.nroutines;
}

/* The size of a copy of COUNT items of C that has room for little more, bytes; *CAPACITY: the items that fit. */
static uint64_t copy_size(const struct amon_chunk *c, uint32_t count, uint32_t *capacity)
{
	uint32_t item = c->kind == AMON_ROUTINES ? sizeof(struct amon_routine) : 1;
	uint64_t size = (c->first + (uint64_t)count * item + AMON_PAGE - 1) & -(uint64_t)AMON_PAGE;

	*capacity = (uint32_t)(size - c->first) / item < c->capacity ? (uint32_t)(size - c->first) / item : c->capacity;
	return size;
}

/* Write a copy of COUNT items of C behind what is used of the new file H. */
static struct amon_chunk *copy_chunk(struct amon_header *h, const struct amon_chunk *c, uint32_t count)
{
	struct amon_chunk *to = (struct amon_chunk *)((char *)h + h->used);
	uint32_t capacity, item = c->kind == AMON_ROUTINES ? sizeof(struct amon_routine) : 1;
	uint64_t size = copy_size(c, count, &capacity);

	mem_copy(to, c, c->first + (uint64_t)count * item);
	to->count = count;
	to->size = size;
	to->capacity = capacity;
	h->used += size;
	return to;
}

bool file_enter(void *place, uint64_t size, void (*moved)(const struct amon_chunk *from, struct amon_chunk *to))
{
	struct amon_header *h = place, *old = monitor.header;
	uint64_t needed = PLACE_RESIDENT, mapped = monitor.mapped;
	uint32_t capacity;

	if (!is_as_known())
		return false;
	for (uint32_t i = 0; i < nkept; i++)
		needed += copy_size(kept[i], counts[i], &capacity);
	if (needed > size / 2 || sys_failed(sys3(madvise, place, needed, MADV_POPULATE_WRITE)))
		return false;
	mem_copy(h, old, sizeof *h);
	h->magic[0] = 0;			/* until there is a process in it */
	h->used = AMON_PAGE;
	for (uint32_t i = 0; i < nkept; i++) {
		struct amon_chunk *to = copy_chunk(h, kept[i], counts[i]);

		moved(kept[i], to);
		kept[i] = to;
	}
	monitor.header = h;
	monitor.mapped = length = size;
	resident = needed;
	monitor.in_nursery = true;
	leave_mapping((char *)old, mapped, mapped);
	file_forget();
	return true;
}

/* ---- chunks ---- */

/* Is AMOUNT past three quarters of BOUND; or with the reserve half as much again? */
static bool file_is_past(uint64_t amount, uint64_t bound, bool reserve)
{
	return amount > (reserve ? bound + bound / 2 : bound - bound / 4);
}

bool file_over_bound(bool reserve)
{
	uint64_t used = __atomic_load_n(&monitor.header->used, __ATOMIC_RELAXED);
	uint64_t all = used + __atomic_load_n(&monitor.memory_private, __ATOMIC_RELAXED);

	return sealed || file_is_past(all, monitor.header->memory_bound, reserve) ||
	       ((!monitor.in_nursery || pinned) && file_is_past(used, stuck ? length : monitor.mapped, reserve));
}

/* The file behind the mapping, if it is still where it was; or minus an errno. */
static long reopen(struct stat *st)
{
	long fd = actual[0] ? sys4(openat, AT_FDCWD, actual, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0) : -ENOENT;

	if (sys_failed(fd))
		return fd;
	if (!sys_failed(sys2(fstat, fd, st)) && st->st_ino == inode && st->st_dev == device)
		return fd;
	sys1(close, fd);
	return -ESTALE;
}

/* Make the file as long as SIZE; one that somebody has cut stays so, since what is lost could not be told from zeros. 0 or minus an errno. */
static long lengthen(uint64_t size)
{
	struct stat st;
	long fd = size <= sys_file_limit() ? reopen(&st) : -EFBIG, ret;

	if (sys_failed(fd))
		return fd;
	ret = (uint64_t)st.st_size < length ? -ESTALE : (uint64_t)st.st_size < size ? sys2(ftruncate, fd, size) : 0;
	sys1(close, fd);
	return ret;
}

/* Is the file long enough for chunks up to END?  It is lengthened before it has to be, so that those who make contexts know in time that it
 * cannot be, and keep what is left for a few; and after the cut at exit by no more than is enough, for what is called later still. */
static bool reaches(uint64_t end)
{
	uint64_t enough = length;
	long ret;

	if (length < monitor.mapped && file_is_past(end, length, false)) {
		if (monitor.header->state == AMON_ENDED)
			enough = end;
		while (file_is_past(end, enough, false) && enough < monitor.mapped && enough != end)
			enough *= 2;
		enough = enough < monitor.mapped ? enough : monitor.mapped;
		ret = lengthen(enough);
		stuck = sys_failed(ret);
		if (stuck)
			note_error(AMON_NOTE_NO_GROWTH, ret);
		else
			length = enough;
	}
	return end <= length;
}

/* Make SIZE bytes at AT resident, with disk space behind them.  0 or minus an errno. */
static long file_commit(char *at, uint64_t size)
{
	long ret = sys3(madvise, at, size, MADV_POPULATE_WRITE);

	if (ret == -EINVAL) {		/* before Linux 5.14 */
		struct stat st;
		long fd = reopen(&st);

		if (sys_failed(fd))
			return actual[0] ? fd : 0;	/* anonymous memory needs no space */
		ret = sys4(fallocate, fd, 0, at - (char *)monitor.header, size);
		sys1(close, fd);
	}
	return ret;
}

/* USED is in the file, which others may have overwritten. */
static bool is_room(uint64_t used, uint64_t size)
{
	return !sealed && used % AMON_PAGE == 0 && used >= AMON_PAGE && used <= monitor.mapped && size <= monitor.mapped - used;
}

/* NULL: no room; *ERROR, else untouched, is what the disk said if it refused. */
static struct amon_chunk *file_chunk_new(enum amon_kind kind, uint32_t thread, uint32_t capacity, size_t item_size, long *error)
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
	if (!is_room(h->used, size) || !reaches(h->used + size))
		return NULL;
	*error = h->used + size > resident ? file_commit((char *)c, size) : 0;
	if (sys_failed(*error))
		return NULL;
	*c = (struct amon_chunk){
		.magic = AMON_CHUNK_MAGIC, .kind = kind, .size = size, .thread = thread,
		.capacity = capacity, .first = (uint32_t)first, .counters = (uint32_t)counters,
	};
	__atomic_store_n(&h->used, h->used + size, __ATOMIC_RELEASE);
	return c;
}

/* Out of the nursery, into a file of its own.  False: it stays there for good. */
static bool move_out(void)
{
	uint64_t limit = sys_file_limit(), size = monitor.header->memory_bound;
	long error = -EFBIG;

	if (!monitor.in_nursery || pinned)
		return false;
	wanted = name_want();
	if (limit < size)
		size = limit & -(uint64_t)AMON_PAGE;
	monitor.header->start_ticks = origin_start_ticks();	/* before others find it: who looks while it has no lock sees that the process runs */
	if (size >= LEAST && open_named(size, false, &error)) {
		ancestor_begin();
		sigbus_begin();
		return true;
	}
	monitor.header->start_ticks = 0;
	length = monitor.mapped;
	actual[0] = 0;
	pinned = true;
	return false;
}

void file_move_out(void)
{
	if (!sys_lock_if_free(&chunk_lock))
		return;
	move_out();
	sys_unlock(&chunk_lock);
}

void file_pin(void)
{
	sys_lock(&chunk_lock);
	pinned = true;
	sys_unlock(&chunk_lock);
}

/* A child begins with copies of what says where routines are. */
static void file_keep(struct amon_chunk *c)
{
	if (c->kind != AMON_MODULES && c->kind != AMON_ROUTINES && c->kind != AMON_SCRIPTS)
		return;
	if (nkept < MOST_KEPT)
		kept[nkept] = c;
	nkept++;
}

static struct amon_chunk *file_append(enum amon_kind kind, uint32_t thread, uint32_t capacity, size_t item_size, long *error)
{
	struct amon_chunk *c;

	sys_lock(&chunk_lock);
	c = file_chunk_new(kind, thread, capacity, item_size, error);
	if (!c && !sys_failed(*error) && move_out())
		c = file_chunk_new(kind, thread, capacity, item_size, error);
	if (c)
		file_keep(c);
	sys_unlock(&chunk_lock);
	return c;
}

struct amon_chunk *file_chunk(enum amon_kind kind, uint32_t thread, uint32_t capacity, size_t item_size)
{
	long error = 0;
	struct amon_chunk *c = file_append(kind, thread, capacity, item_size, &error);

	if (sys_failed(error))
		note_error(AMON_NOTE_DISK_FULL, error);
	return c;
}

struct amon_chunk *file_chunk_to_spare(enum amon_kind kind, uint32_t thread, uint32_t capacity, size_t item_size)
{
	long error = 0;

	return file_append(kind, thread, capacity, item_size, &error);
}

/* ---- the end ---- */

/* The chunk at AT; NULL: there is none, or others have written to the file. */
static const struct amon_chunk *file_chunk_at(uint64_t at)
{
	const struct amon_header *h = monitor.header;
	const struct amon_chunk *c = (const struct amon_chunk *)((const char *)h + at);

	return at < h->used && c->magic == AMON_CHUNK_MAGIC && c->size >= AMON_PAGE && c->size <= h->used - at ? c : NULL;
}

void file_trim(void)
{
	struct amon_header *h = monitor.header;
	const struct amon_chunk *c;
	uint64_t end = AMON_PAGE, at = AMON_PAGE;

	sys_lock(&chunk_lock);
	while ((c = file_chunk_at(at)) != NULL) {
		at += c->size;
		if (c->kind != AMON_FILLER)
			end = at;
	}
	if (at == h->used)
		__atomic_store_n(&h->used, end, __ATOMIC_RELEASE);
	trimmed = true;
	sys_unlock(&chunk_lock);
}

/* Write what is mapped to a new file, and give it a name.  0 or minus an errno. */
static long write_out(char *temp, bool named)
{
	uint64_t used = monitor.header->used, limit = sys_file_limit();
	long fd = place_create(wanted, temp, named), ret = -EFBIG;

	if (sys_failed(fd))
		return fd;
	if (used <= limit ? sys_write_at(fd, monitor.header, used, 0) : fit_write(fd, limit))
		ret = name_take(fd, temp, actual);
	if (sys_failed(ret))
		place_drop(fd, temp);
	else
		sys1(close, fd);
	return ret;
}

/* Write what is mapped to where it belongs; what stood in for it goes. */
static void copy_out(void)
{
	char *temp = sys_memory(PLACE_PATH, false), *instead = temp ? sys_memory(PLACE_PATH, false) : NULL;
	long ret = -ENOMEM;

	if (instead)
		mem_copy(instead, actual, PLACE_PATH);
	actual[0] = 0;
	for (int named = 0; instead && named < 2 && sys_failed(ret) && ret != -EFBIG; named++)
		ret = write_out(temp, named);
	if (instead && instead[0])
		sys3(unlinkat, AT_FDCWD, instead, 0);
	name_remove_reason();
	if (sys_failed(ret)) {
		note_error(AMON_NOTE_NO_FILE, ret);
		name_leave_reason(ret);
	}
}

/* What nobody reads between chunks in use needs no room on the disk. */
static void punch_holes(long fd)
{
	const struct amon_chunk *c;

	for (uint64_t at = AMON_PAGE; trimmed && (c = file_chunk_at(at)) != NULL; at += c->size)
		if (c->kind == AMON_FILLER && c->size > AMON_PAGE)
			sys4(fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at + AMON_PAGE, c->size - AMON_PAGE);
}

/* There may be room again. */
static void write_spilled(long fd)
{
	note_error(AMON_NOTE_DISK_FULL, -ENOSPC);
	if (monitor.header->used <= sys_file_limit())
		sys_write_at(fd, monitor.header, monitor.header->used, 0);
}

void file_finish(void)
{
	struct stat st;
	long fd;

	if (monitor.in_nursery)
		return;
	if (monitor.anonymous)
		copy_out();
	name_tell(actual);
	if (monitor.anonymous)
		return;
	fd = reopen(&st);
	if (sys_failed(fd))
		return;
	sys_lock(&chunk_lock);
	if (sigbus_has_truncated()) {
		sealed = true;
		sigbus_write_saved(fd);
	} else {
		if (sigbus_has_spilled())
			write_spilled(fd);
		if (!sys_failed(sys2(ftruncate, fd, monitor.header->used)))
			length = monitor.header->used;
		punch_holes(fd);
	}
	sys_unlock(&chunk_lock);
	sys1(close, fd);
}

