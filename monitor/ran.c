/* ran.c - when the program's threads had a processor: rings of perf events that count nothing.
 *
 * A ring is all that is kept of an event, whose descriptor is closed at once.  It is not mapped in a forked child.  Its place in the address space is reserved before: what the
 * program maps stands where it would without the sampler, at whatever moment that asks for a ring.  The kernel writes it from its end to
 * its beginning, each record below the last one, and over the oldest: so the last ones are always there, and are read back in time. */
#include "monitor/ran.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>

#include "format/amon.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/thread.h"

enum {
	RECORD = 24,			/* bytes of a record */
	RECORDS = 4096,			/* of a ring beside the kernel's page */
	RING = AMON_PAGE + RECORDS,
	PLACES = 64,			/* for rings; as much as an ordinary user may have (perf_event_mlock_kb) */
};

static struct {
	char *base;			/* reserved; NULL: there are none */
	uint64_t taken;			/* a bit for each: a ring is there, or the place is lost */
} places;
static bool permitted;			/* to ask */

/* A record as the attributes below ask for it. */
struct change {
	bool in;			/* the thread got a processor; else it left it */
	bool preempted;			/* which was taken from it */
	uint32_t cpu;			/* which */
	uint64_t time;			/* CLOCK_MONOTONIC, ns */
};

/* A descriptor of the event of thread TID, or minus an errno. */
static long event_open(int tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.context_switch = 1,
		.write_backward = 1,
	};

	return sys5(perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void ran_reserve(void)
{
	long base = -1;

	if (!places.base && monitor.clock.pc_wanted == AMON_SOURCE_PERF)
		base = sys6(mmap, NULL, PLACES * RING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base != -1 && !sys_failed(base))
		places.base = (char *)base;
}

/* The ring of thread TID; NULL: it cannot be had.  Where mapping fails its place may be somebody else's, and is lost. */
static void *ring_map(int tid)
{
	int place = places.base && ~places.taken ? __builtin_ctzll(~places.taken) : -1;
	long fd = place >= 0 ? event_open(tid) : -1, pages;

	if (sys_failed(fd))
		return NULL;
	places.taken |= UINT64_C(1) << place;
	pages = sys6(mmap, places.base + place * RING, RING, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	sys1(close, fd);
	return sys_failed(pages) ? NULL : (void *)pages;
}

static void ring_unmap(void *pages)
{
	if (pages && !sys_failed(sys6(mmap, pages, RING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)))
		places.taken &= ~(UINT64_C(1) << ((char *)pages - places.base) / RING);
}

void ran_begin(bool own_descriptors)
{
	permitted = own_descriptors && monitor.clock.pc_wanted == AMON_SOURCE_PERF;
}

void ran_forget(void) { permitted = false; }

void ran_close(struct thread *t)
{
	ring_unmap(t->ran.pages);
	t->ran = (struct ran_ring){ .tid = 0 };
}

static void ring_open(struct thread *t)
{
	ran_close(t);
	t->ran = (struct ran_ring){ .tid = t->tid, .pages = ring_map(t->tid) };
}

/* The 8 bytes at the position AT in PAGES; records are multiples of that, and may go around the end. */
static uint64_t word_at(const void *pages, uint64_t at)
{
	return *(const volatile uint64_t *)((const char *)pages + AMON_PAGE + at % RECORDS);
}

/* Read the record at *AT to C, and go to the one before it in time.  False: there is none. */
static bool change_read(const void *pages, uint64_t *at, struct change *c)
{
	uint64_t head = word_at(pages, *at);	/* struct perf_event_header: type, misc, size */

	c->in = !(head >> 32 & PERF_RECORD_MISC_SWITCH_OUT);
	c->preempted = head >> 32 & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	c->time = word_at(pages, *at + 8);
	c->cpu = (uint32_t)word_at(pages, *at + 16);
	*at += head >> 48;
	return (uint32_t)head == PERF_RECORD_SWITCH && head >> 48 == RECORD;
}

/* The position of the last record, below which the next one will be. */
static uint64_t position(const void *pages)
{
	return __atomic_load_n(&((const volatile struct perf_event_mmap_page *)pages)->data_head, __ATOMIC_ACQUIRE);
}

/* From the last record back to one that is not after SINCE.  What the kernel may have written over meanwhile does not count. */
static struct ran ring_read(const void *pages, uint64_t since)
{
	uint64_t first = position(pages), at = first, until = sys_clock(CLOCK_MONOTONIC);
	struct ran ran = { .known = false };
	struct change c;

	while (!ran.known && at - first < RECORDS && change_read(pages, &at, &c)) {
		uint64_t from = c.time > since ? c.time : since;

		if (at - first == RECORD) {
			ran.has = c.in;
			ran.preempted = c.preempted;
			ran.cpu = c.cpu;
		}
		if (c.in && until > from)
			ran.nsec += until - from;
		until = c.time;
		ran.had = c.in;
		ran.known = c.time <= since;
		ran.left += !c.in && !ran.known;
		ran.slept = ran.slept || (!c.in && !c.preempted);
	}
	ran.known = ran.known && at - position(pages) <= RECORDS;
	return ran;
}

struct ran ran_since(struct thread *t, uint64_t since)
{
	struct ran none = { .known = false };

	if (!permitted || (t->index > 0 && t->sampled_cpu < clock_period()))
		return none;
	if (t->ran.tid != t->tid)
		ring_open(t);
	return t->ran.pages ? ring_read(t->ran.pages, since) : none;
}

uint32_t ran_cpu(void)
{
	uint32_t cpu;

	return sys_failed(sys3(getcpu, &cpu, NULL, NULL)) ? UINT32_MAX : cpu;
}
