/* counter.c - what allocations_test.py holds aprof's count against: preloaded by LD_PRELOAD it stands in front of libc's allocator, and writes down, for each process, in the file
 * COUNTER.NAME.PID, calls that got memory, bytes asked for, bytes not freed, and the most of these that there were.  A forked child begins with nothing.
 *
 * It shares nothing with aprof, neither code nor the way: one lock, one table by a hash of the address. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 1 << 20, EARLY = 1 << 14 };

static struct { void *p; size_t n; } slots[SLOTS];	/* p: (void *)1: taken once, free now */
static struct counts { uint64_t calls, bytes, live, peak; } none, *counts = &none;
static int lock;
static char early[EARLY];
static size_t early_used;
static int looking;

static void *(*next_malloc)(size_t), (*next_free)(void *), *(*next_calloc)(size_t, size_t), *(*next_realloc)(void *, size_t), *(*next_memalign)(size_t, size_t);

static void find(void)
{
	looking = 1;
	*(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&next_free = dlsym(RTLD_NEXT, "free");
	*(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&next_memalign = dlsym(RTLD_NEXT, "memalign");
	looking = 0;
}

static void hold(void) { while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) ; }
static void let_go(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

static size_t place(void *p) { return ((uintptr_t)p >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 44; }

static void add(void *p, size_t n)
{
	size_t i = place(p);

	while (slots[i].p && slots[i].p != (void *)1)
		i = (i + 1) % SLOTS;
	slots[i].p = p;
	slots[i].n = n;
	counts->calls++;
	counts->bytes += n;
	counts->live += n;
	if (counts->live > counts->peak)
		counts->peak = counts->live;
}

static void drop(void *p)
{
	for (size_t i = place(p); slots[i].p; i = (i + 1) % SLOTS)
		if (slots[i].p == p) {
			counts->live -= slots[i].n;
			slots[i].p = (void *)1;
			return;
		}
}

static void *told(void *p, size_t n)
{
	if (p) {
		hold();
		add(p, n);
		let_go();
	}
	return p;
}

static void *from_early(size_t n)
{
	n = (n + 31) / 16 * 16;
	early_used += n;
	return early_used <= EARLY ? early + early_used - n : NULL;
}

void *malloc(size_t n)
{
	if (looking)
		return from_early(n);
	if (!next_malloc)
		find();
	return told(next_malloc(n), n);
}

void *calloc(size_t k, size_t n)
{
	if (looking)
		return from_early(k * n);
	if (!next_malloc)
		find();
	return told(next_calloc(k, n), k * n);
}

void free(void *p)
{
	if (!p || ((char *)p >= early && (char *)p < early + EARLY))
		return;
	hold();
	drop(p);
	let_go();
	next_free(p);
}

void *realloc(void *p, size_t n)
{
	void *q;

	if (!p)
		return malloc(n);
	hold();			/* nobody is to get what it leaves before that is told */
	q = next_realloc(p, n);
	if (q || n == 0)
		drop(p);
	if (q)
		add(q, n);
	let_go();
	return q;
}

void *memalign(size_t alignment, size_t n)
{
	if (!next_malloc)
		find();
	return told(next_memalign(alignment, n), n);
}

void *aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }
void *valloc(size_t n) { return memalign(4096, n); }
void *pvalloc(size_t n) { return memalign(4096, n); }

int posix_memalign(void **p, size_t alignment, size_t n)
{
	*p = memalign(alignment, n);
	return *p ? 0 : 12;
}

static void begin(void)
{
	const char *name = getenv("COUNTER");
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s.%s.%d", name ? name : "/dev/null", program_invocation_short_name, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (!name || fd < 0 || ftruncate(fd, sizeof *counts) != 0)
		return;
	struct counts *at = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (at == MAP_FAILED)
		return;
	hold();
	*at = *counts;
	counts = at;
	let_go();
}

static void forked(void)
{
	counts = &none;
	none = (struct counts){ 0 };
	for (size_t i = 0; i < SLOTS; i++)
		slots[i].p = NULL;
	lock = 0;
	begin();
}

static void __attribute__((constructor)) start(void)
{
	begin();
	pthread_atfork(NULL, NULL, forked);
}
