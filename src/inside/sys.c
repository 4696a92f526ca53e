/* sys.c - what the monitor needs of the kernel, and the few string functions that it needs
 * of nobody: libc's may be the program's own, instrumented ones. */
#include "inside/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { LARGE_PAGE = 2 << 20 };

void *sys_memory(size_t size, bool populate)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (populate ? MAP_POPULATE : 0);	/* one kind, that neighbours are one mapping, and forks cheaper */
	long ret = sys6(mmap, NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);

	return sys_failed(ret) ? NULL : (void *)ret;
}

void *sys_memory_large(size_t before, size_t size)
{
	size_t all = before + size + LARGE_PAGE;
	char *map = size < LARGE_PAGE ? NULL : sys_memory(all, false), *begin, *end;

	if (!map)			/* too small, or no room to choose from */
		return sys_memory(before + size, false);
	begin = (char *)(((uintptr_t)map + before + LARGE_PAGE - 1) & -(uintptr_t)LARGE_PAGE) - before;
	end = begin + before + size;
	if (begin > map)
		sys2(munmap, map, begin - map);
	if (map + all > end)
		sys2(munmap, end, map + all - end);
	sys3(madvise, begin + before, size, MADV_HUGEPAGE);
	return begin;
}

static bool dear;

void sys_memory_is_dear(void)
{
	dear = true;
}

uint64_t sys_address_space(void)
{
	static const int kinds[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK };
	uint64_t least = UINT64_MAX;
	struct rlimit limit;

	for (int i = 0; i < (dear ? 3 : 2); i++)
		if (!sys_failed(sys4(prlimit64, 0, kinds[i], NULL, &limit)) && limit.rlim_cur < least)
			least = limit.rlim_cur;
	return least;
}

uint64_t sys_file_limit(void)
{
	struct rlimit limit;

	if (sys_failed(sys4(prlimit64, 0, RLIMIT_FSIZE, NULL, &limit)))
		return UINT64_MAX;
	return limit.rlim_cur;
}

uint64_t sys_clock(int clock)
{
	struct timespec now;

	if (sys_failed(sys2(clock_gettime, clock, &now)))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

long sys_read_file(const char *path, char *buffer, size_t size)
{
	long fd = sys4(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	size_t got = 0;
	int interrupted = 0;
	long n = 0;

	if (sys_failed(fd))
		return fd;
	while (got < size && (n = sys3(read, fd, buffer + got, size - got)) != 0) {
		if (n == -EINTR && ++interrupted < 1000)
			continue;
		if (sys_failed(n))
			break;
		got += (size_t)n;
	}
	sys1(close, fd);
	return sys_failed(n) ? n : (long)got;
}

bool sys_write_at(long fd, const void *data, uint64_t size, uint64_t at)
{
	for (uint64_t done = 0; done < size;) {
		long n = sys4(pwrite64, fd, (const char *)data + done, size - done, at + done);

		if (n <= 0 && n != -EINTR)
			return false;
		done += n > 0 ? (uint64_t)n : 0;
	}
	return true;
}

void sys_lock(struct sys_lock *lock)
{
	static const struct timespec moment = { .tv_nsec = 50000 };

	for (int tries = 0; __atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE); tries++)
		if (tries > 1000)		/* who holds it may have a lower priority */
			sys2(nanosleep, &moment, NULL);
		else if (tries > 100)
			sys0(sched_yield);
}

bool sys_lock_if_free(struct sys_lock *lock)
{
	return !__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE);
}

void sys_unlock(struct sys_lock *lock)
{
	__atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}
