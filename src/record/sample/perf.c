/* perf.c - perf events: opened, and their rings read. */
#include "record/sample/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/table.h"
#include "record/sample/permission.h"

enum {
	MOST_RING = 8 << 20,		/* bytes of a ring; where so much may not be locked, half as long as it takes */
	LEAST_RING = 128 << 10,
	MOST_STACK = 32 << 10,		/* bytes of a stack that are copied, where rings are long */
	STACKS_IN_RING = 16,		/* that a ring holds at least */
	TELLING_SHARE = 8,		/* a ring of what is told is so much shorter than that of samples, */
	LEAST_TELLING = 32 << 10,	/* but not than so many bytes */
	SWITCH_STACK = 8 << 10,		/* bytes of a stack that are copied when its thread does not run any more, which may be often */
	SWITCH_PERIOD = 1,		/* of such a sample, which no other has */
	WHOSE_AT = 32,			/* where a record that is no sample has its process and thread, bytes from its end: there stand these, the time, the event twice */
	TIME_AT = 24,			/* and its time */
	ID_AT = 16,			/* and the event */
	BRIEF = 4,			/* threads that end within so many periods, in the mean, are to be looked at sooner: */
	SOONEST = 8, SOON = 3,		/* after a part of a period, between these */
};

/* Bits of the registers in the kernel's order (asm/perf_regs.h), and the place of each in ours. */
#define REGISTERS 0xff01ffu
static const unsigned char place[HAPPENING_REGS] = { 0, 3, 2, 1, 4, 5, 6, 7, HAPPENING_IP, 8, 9, 10, 11, 12, 13, 14, 15 };

struct ring {
	struct perf_event_mmap_page *page;
	const char *data;
	uint64_t size, head, tail;	/* bytes; positions */
	int fd;				/* of the event that it belongs to */
};

struct perf {
	struct source source;
	struct perf_event_attr attr;	/* samples */
	struct perf_event_attr telling;	/* word of what processes and threads begin, end, map, and are called: where there are too many samples that is not lost */
	struct perf_event_attr switches; /* clock wall: a sample of each thread that stops to run, and word of when it runs again */
	bool wall, all;			/* as in struct perf_wishes */
	struct ring *rings;		/* two for each processor: of samples, and behind all of these, of what is told */
	long ncpus, nrings;
	int *fds;			/* of all events */
	size_t nfds;
	uint64_t ring_size;
	char *whole;			/* a record that goes around the end of its ring */
	struct ring *given;		/* whose record was given out last; NULL: none */
	uint16_t given_size;		/* bytes of that */
	/* A thread's first sample comes a period after its start, so that those that end before have none.  Who begins has the period that the first event has
	 * by then, and keeps it. */
	const struct event *events;	/* beside that of time */
	size_t nevents;
	struct {
		uint64_t id;		/* what the kernel calls it, of each thread and processor */
		size_t event;
		int fd;
	} *event_ids;
	size_t nevent_ids;
	pid_t first;			/* the thread that all others come from; 0: there are several */
	int *firsts;			/* of each of these events one that counts it for the first thread alone, of whose end no record tells; -1: none */
	size_t nfirsts, firsts_told;	/* how many, and of these what was told at the end */
	bool stopped;			/* nothing happens any more */
	bool tells_lost;		/* the kernel counts for each event what found no room in its ring */
	uint64_t lost;			/* of that, what records have told of */
	struct stream {
		uint64_t id;		/* of the kernel's, of one thread on one processor */
		uint64_t period;	/* that its last sample told */
	} *streams;			/* of events that are counted by software */
	uint32_t nstreams;
	size_t streams_room;
	struct table streams_by_id;
	uint64_t *ids;			/* of the events that take samples of the first thread, one for each processor */
	size_t nids;
	uint64_t period, before;	/* of these, and the one that they had before `changed`, CLOCK_MONOTONIC ns; the kernel tells the very first */
	uint64_t changed;
};

static int event_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Since Linux 6.0. */
static bool perf_tells_lost(void)
{
	struct perf_event_attr attr = { .size = sizeof attr, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1, .exclude_hv = 1, .read_format = PERF_FORMAT_LOST };
	int fd = event_open(&attr, 0, -1);

	return fd >= 0 && close(fd) == 0;
}

static struct perf_event_attr attr_make(unsigned rate, bool on_exec)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / rate,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.exclude_callchain_kernel = 1,
		.sample_regs_user = REGISTERS, .sample_stack_user = MOST_STACK,
		.disabled = 1, .inherit = 1, .enable_on_exec = on_exec, .exclude_hv = 1, .exclude_guest = 1, .exclude_idle = 1,
		.sample_id_all = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1,
	};
}

/* The event beside ATTR that takes no samples, and tells; and counts, so that the end of each thread comes with its CPU time. */
static struct perf_event_attr telling_make(const struct perf_event_attr *attr, uint64_t ring_size)
{
	return (struct perf_event_attr){
		.size = attr->size, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .inherit_stat = attr->inherit, .read_format = attr->read_format,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID,
		.disabled = 1, .inherit = attr->inherit, .enable_on_exec = attr->enable_on_exec, .exclude_kernel = attr->exclude_kernel, .exclude_hv = 1,
		.exclude_guest = 1, .mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.sample_id_all = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1, .wakeup_watermark = (uint32_t)(ring_size / 4),
	};
}

/* The event beside ATTR that tells of threads that wait: the kernel counts one when a thread is taken off its processor, with the thread's stack. */
static struct perf_event_attr perf_switches_make(const struct perf_event_attr *attr)
{
	struct perf_event_attr s = *attr;

	s.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	s.sample_period = SWITCH_PERIOD;
	s.sample_stack_user = s.sample_stack_user < SWITCH_STACK ? s.sample_stack_user : SWITCH_STACK;
	s.context_switch = 1;
	return s;
}

/* Map the ring of FD; false: not so many bytes. */
static bool ring_map(struct ring *r, int fd, uint64_t size)
{
	long page = sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, size + (uint64_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return false;
	*r = (struct ring){ .page = at, .data = (char *)at + page, .size = size, .fd = fd };
	return true;
}

/* Add an event for the ring R, which is mapped if it is the first there. */
static bool event_add(struct perf *p, const struct perf_event_attr *attr, pid_t tid, int cpu, struct ring *r)
{
	int fd = event_open(attr, tid, cpu);

	if (fd < 0)
		return false;
	p->fds[p->nfds++] = fd;
	if (r->page)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) == 0;
	return ring_map(r, fd, p->ring_size);
}

/* Event E of thread TID on the processor CPU, beside ATTR: the kernel sees that it comes as often as that. */
static bool counted_add(struct perf *p, size_t e, pid_t tid, int cpu, struct ring *r)
{
	struct perf_event_attr attr = p->attr;

	attr.type = p->events[e].type;
	attr.config = p->events[e].config;
	attr.freq = 1;
	attr.sample_freq = p->source.rate;
	attr.inherit_stat = attr.inherit;
	if (!event_add(p, &attr, tid, cpu, r))
		return false;
	p->event_ids[p->nevent_ids].event = e;
	p->event_ids[p->nevent_ids].fd = p->fds[p->nfds - 1];
	return ioctl(p->fds[p->nfds - 1], PERF_EVENT_IOC_ID, &p->event_ids[p->nevent_ids++].id) == 0;
}

static uint64_t telling_size(uint64_t ring_size)
{
	return ring_size / TELLING_SHARE > LEAST_TELLING ? ring_size / TELLING_SHARE : LEAST_TELLING;
}

/* The event of thread TID on the processor CPU that tells: to a ring of its own, or, where so much more may not be locked, to that of the samples. */
static bool telling_add(struct perf *p, pid_t tid, int cpu)
{
	struct ring *telling = &p->rings[p->ncpus + cpu], *r;
	int fd = event_open(&p->telling, tid, cpu);

	if (fd < 0)
		return false;
	p->fds[p->nfds++] = fd;
	r = telling->page || ring_map(telling, fd, telling_size(p->ring_size)) ? telling : &p->rings[cpu];
	return r->fd == fd || ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) == 0;
}

/* The events of thread TID on the processor CPU that take samples. */
static bool perf_samples_add(struct perf *p, pid_t tid, int cpu)
{
	struct ring *samples = &p->rings[cpu];

	if (!event_add(p, &p->attr, tid, cpu, samples) || (p->wall && !event_add(p, &p->switches, tid, cpu, samples)))
		return false;
	for (size_t e = 0; e < p->nevents; e++)
		if (!counted_add(p, e, tid, cpu, samples))
			return false;
	return true;
}

static void close_all(struct perf *p)
{
	for (long i = 0; i < p->nrings; i++)
		if (p->rings[i].page)
			munmap(p->rings[i].page, p->rings[i].size + (uint64_t)sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < p->nfds; i++)
		close(p->fds[i]);
	memset(p->rings, 0, (size_t)p->nrings * sizeof *p->rings);
	p->nfds = p->nevent_ids = 0;
}

/* Each event of the first thread alone: it costs what one more event does, and what a full ring loses is not needed. */
static void firsts_add(struct perf *p)
{
	struct perf_event_attr attr = { .size = sizeof attr, .disabled = 1, .enable_on_exec = 1, .exclude_kernel = p->attr.exclude_kernel, .exclude_hv = 1, .exclude_guest = 1, .exclude_idle = 1 };

	for (size_t e = 0; e < p->nevents; e++) {
		attr.type = p->events[e].type;
		attr.config = p->events[e].config;
		p->firsts[p->nfirsts++] = event_open(&attr, p->first, -1);
	}
}

/* ADD events on all processors for all of TIDS; a thread that is gone is none, a processor that is off neither. */
static bool add_all(struct perf *p, const pid_t *tids, size_t n, bool (*add)(struct perf *p, pid_t tid, int cpu))
{
	for (size_t i = 0; i < n; i++)
		for (int cpu = 0; cpu < p->ncpus; cpu++)
			if (!add(p, tids[i], cpu) && errno != ESRCH && errno != ENODEV)
				return false;
	return true;
}

/* The rings of samples come first: the longer they are, the more is copied of a stack. */
static bool perf_open_all(struct perf *p, const pid_t *tids, size_t n)
{
	if (!add_all(p, tids, n, perf_samples_add) || !add_all(p, tids, n, telling_add)) {
		int error = errno;

		close_all(p);
		errno = error;
		return false;
	}
	errno = ESRCH;
	return p->nfds > 0;
}

/* Try with the kernel's part and without, and with ever shorter rings. */
static bool open_some(struct perf *p, const pid_t *tids, size_t n)
{
	for (p->ring_size = MOST_RING; p->ring_size >= LEAST_RING; p->ring_size /= 2) {
		uint64_t stack = p->ring_size / STACKS_IN_RING;

		p->attr.sample_stack_user = (uint32_t)(stack < MOST_STACK ? stack : MOST_STACK);
		p->attr.wakeup_watermark = (uint32_t)(p->ring_size / 4);
		p->switches = perf_switches_make(&p->attr);
		p->telling = telling_make(&p->attr, telling_size(p->ring_size));
		if (perf_open_all(p, tids, n))
			return true;
		if ((errno == EACCES || errno == EPERM) && !p->attr.exclude_kernel && !p->wall && !p->all) {
			p->attr.exclude_kernel = 1;
			p->ring_size *= 2;
		} else if (errno != EPERM && errno != ENOMEM && errno != EINVAL) {
			return false;
		}
	}
	return false;
}

/* ERROR is why the threads from TID on, as W has them, cannot be sampled. */
static int perf_refuse(struct error *err, const struct perf_wishes *w, pid_t tid, int error)
{
	int most = w->all ? 0 : w->wall ? 1 : 2;	/* where a thread waits the kernel's part tells */
	struct permission permission;
	char why[400];

	if (error == EACCES || error == EPERM) {
		permission = permission_look(tid, most);
		permission_explain(&permission, why, sizeof why);
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%sthe kernel does not let this user sample %s: %s", w->all ? "--all: " : w->wall ? "--clock=wall: " : "",
				 w->all ? "the whole machine" : w->wall ? "where threads wait" : "call stacks", why);
	}
	return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "call stacks cannot be sampled: perf_event_open: %s", strerror(error));
}

/* Each thread takes two or three descriptors for each processor. */
static void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void perf_close(struct source *source)
{
	struct perf *p = (struct perf *)source;

	if (p->rings)
		close_all(p);
	free(p->rings);
	free(p->fds);
	free(p->ids);
	free(p->event_ids);
	for (size_t e = 0; e < p->nfirsts; e++)
		if (p->firsts[e] >= 0)
			close(p->firsts[e]);
	free(p->firsts);
	free(p->streams);
	table_free(&p->streams_by_id);
	free(p->whole);
	free(p);
}

static void perf_wait(struct source *source, int wake, int ms);
static void perf_stop(struct source *source);
static void perf_hasten(struct source *source, uint64_t mean);
static void anchor(struct perf *p, pid_t tid);
static bool perf_next(struct source *source, uint64_t before, struct happening *h);

static const struct source_kind by_perf = {
	.number = AMON_SOURCE_PERF, .tells_maps = true, .wait = perf_wait, .next = perf_next, .hasten = perf_hasten, .stop = perf_stop, .close = perf_close,
};

bool perf_is_permitted(bool kernel)
{
	struct perf_event_attr attr = attr_make(1, true);
	int fd;

	attr.exclude_kernel = !kernel;
	fd = event_open(&attr, 0, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct source *perf_open(const pid_t *tids, size_t n, const struct perf_wishes *w, struct error *err)
{
	struct perf *p = calloc(1, sizeof *p);

	if (!p)
		return error_no_memory(err, NULL), NULL;
	p->source = (struct source){ .kind = &by_perf, .rate = w->rate };
	p->wall = w->wall;
	p->attr = attr_make(w->rate, w->on_exec);
	p->attr.exclude_callchain_kernel = !w->frames;
	p->all = w->all;
	p->first = w->on_exec && n == 1 ? tids[0] : 0;
	p->tells_lost = perf_tells_lost();
	p->attr.read_format = p->tells_lost ? PERF_FORMAT_LOST : 0;
	p->attr.inherit = !w->all;		/* a processor's event sees children as it sees all */
	p->ncpus = sysconf(_SC_NPROCESSORS_CONF);
	p->nrings = 2 * p->ncpus;
	p->rings = calloc((size_t)p->nrings, sizeof *p->rings);
	p->events = w->events;
	p->nevents = w->nevents;
	p->fds = calloc(((w->wall ? 3 : 2) + w->nevents) * n * (size_t)p->ncpus + 1, sizeof *p->fds);
	p->event_ids = calloc(w->nevents * n * (size_t)p->ncpus + 1, sizeof *p->event_ids);
	p->firsts = calloc(w->nevents + 1, sizeof *p->firsts);
	p->whole = malloc(UINT16_MAX + 1);
	if (n > 1)
		descriptors_raise();
	if (p->rings && p->fds && p->event_ids && p->firsts && p->whole && open_some(p, tids, n)) {
		for (size_t i = 0; i < p->nfds && !w->on_exec; i++)
			ioctl(p->fds[i], PERF_EVENT_IOC_ENABLE, 0);
		p->source.sees_kernel = !p->attr.exclude_kernel;
		p->source.ends = w->all ? 0 : (unsigned)((1 + w->nevents) * (size_t)sysconf(_SC_NPROCESSORS_ONLN));
		if (p->first)
			firsts_add(p);
		if (w->on_exec && !w->wall)
			anchor(p, tids[0]);
		return &p->source;
	}
	perf_refuse(err, w, tids[0], errno);
	perf_close(&p->source);
	return NULL;
}

/* Is FD an event beside that of time? */
static bool is_counted(const struct perf *p, int fd)
{
	for (size_t i = 0; i < p->nevent_ids; i++)
		if (p->event_ids[i].fd == fd)
			return true;
	return false;
}

/* Events that take no samples refuse a period. */
static void perf_hasten(struct source *source, uint64_t mean)
{
	struct perf *p = (struct perf *)source;
	uint64_t usual = p->attr.sample_period, least = usual / SOONEST, most = usual / SOON;
	uint64_t period = mean < BRIEF * usual ? least + (uint64_t)random() % (most - least) : usual;
	struct timespec t;

	if (p->nids == 0 || period == p->period)
		return;
	for (size_t i = 0; i < p->nfds; i++)
		if (!is_counted(p, p->fds[i]))
			ioctl(p->fds[i], PERF_EVENT_IOC_PERIOD, &period);
	clock_gettime(CLOCK_MONOTONIC, &t);
	p->before = p->period;
	p->period = period;
	p->changed = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* See that the events of thread TID, which is to become a program, stay its own, so that what it starts can be hastened.  Where two threads have equal
 * events the kernel exchanges these instead of switching them, and with its first child that ends a thread's own are gone.  One that no child has makes
 * them unequal.  Not by the clock wall, where each switch is a sample, too. */
static void anchor(struct perf *p, pid_t tid)
{
	struct perf_event_attr attr = { .size = sizeof attr, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1 };
	int fd = event_open(&attr, tid, -1);

	if (fd < 0)
		return;
	p->fds[p->nfds++] = fd;
	p->period = p->before = p->attr.sample_period;
	p->ids = calloc(p->nfds, sizeof *p->ids);
	for (size_t i = 0; p->ids && i < p->nfds; i++)
		p->nids += !is_counted(p, p->fds[i]) && ioctl(p->fds[i], PERF_EVENT_IOC_ID, &p->ids[p->nids]) == 0;
}

/* Else on a busy machine things happen as fast as they are told. */
static void perf_stop(struct source *source)
{
	struct perf *p = (struct perf *)source;

	for (size_t i = 0; i < p->nfds; i++)
		ioctl(p->fds[i], PERF_EVENT_IOC_DISABLE, 0);
	p->stopped = true;
}

static void perf_wait(struct source *source, int wake, int ms)
{
	struct perf *p = (struct perf *)source;
	struct pollfd fds[p->nrings + 1];
	nfds_t n = 0;

	fds[n++] = (struct pollfd){ .fd = wake, .events = POLLIN };
	for (long i = 0; i < p->nrings; i++)
		if (p->rings[i].page)
			fds[n++] = (struct pollfd){ .fd = p->rings[i].fd, .events = POLLIN };
	for (nfds_t i = 1; i < n; i++)		/* an event whose threads are gone can always be read */
		if (poll(&fds[i], 1, 0) == 1 && fds[i].revents & (POLLHUP | POLLERR))
			fds[i].fd = -1;
	poll(fds, n, ms);
}

/* ---- records ---- */

/* The record at the tail of R, in one piece; NULL: there is none. */
static const struct perf_event_header *ring_peek(struct perf *p, struct ring *r)
{
	uint64_t at = r->tail & (r->size - 1);
	const struct perf_event_header *h = (const void *)(r->data + at);

	if (!r->page)
		return NULL;
	if (r->tail == r->head)
		r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	if (r->tail == r->head)
		return NULL;
	if (at + h->size <= r->size)
		return h;
	memcpy(p->whole, h, r->size - at);
	memcpy(p->whole + (r->size - at), r->data, h->size - (r->size - at));
	return (const void *)p->whole;
}

/* The time of a record: it is at a fixed place from its start if it is a sample, else from its end. */
static uint64_t perf_time_of(const struct perf_event_header *h)
{
	uint64_t time;

	memcpy(&time, h->type == PERF_RECORD_SAMPLE ? (const char *)h + sizeof *h + 16 : (const char *)h + h->size - TIME_AT, sizeof time);
	return time;
}

static uint64_t sample_perf_take(const char **at)
{
	uint64_t word;

	memcpy(&word, *at, sizeof word);
	*at += sizeof word;
	return word;
}

static void take_pair(const char **at, uint32_t *a, uint32_t *b)
{
	memcpy(a, *at, sizeof *a);
	memcpy(b, *at + sizeof *a, sizeof *b);
	*at += sizeof(uint64_t);
}

/* The frames behind the mark WHOSE among the N at CHAIN; *COUNT: how many, to the next mark. */
static const uint64_t *perf_frames_of(const uint64_t *chain, uint64_t n, uint64_t whose, size_t *count)
{
	uint64_t i = 0;

	while (i < n && chain[i] != whose)
		i++;
	chain += i < n ? ++i : i;
	for (*count = 0; i + *count < n && chain[*count] < (uint64_t)PERF_CONTEXT_MAX;)
		++*count;
	return chain;
}

/* The frames of a sample, the kernel's and the program's. */
static void read_chain(const char **at, struct happening *h)
{
	uint64_t n = sample_perf_take(at);
	const uint64_t *chain = (const uint64_t *)(const void *)*at;

	*at += n * sizeof *chain;
	h->chain = perf_frames_of(chain, n, (uint64_t)PERF_CONTEXT_KERNEL, &h->nchain);
	h->user = perf_frames_of(chain, n, (uint64_t)PERF_CONTEXT_USER, &h->nuser);
}

/* Which of the events beside that of time the kernel calls ID, counting from 1; 0: it is that of time. */
static size_t event_of(const struct perf *p, uint64_t id)
{
	for (size_t i = 0; i < p->nevent_ids; i++)
		if (p->event_ids[i].id == id)
			return p->event_ids[i].event + 1;
	return 0;
}

static uint64_t stream_hash(const void *owner, uint32_t position) { return hash_mix(((const struct perf *)owner)->streams[position].id, 0); }

/* The stream called ID.  It begins with the period 1; one of a thread that began later with that of the first thread, of the same event: FIRST.  NULL: out of memory. */
static struct stream *stream_of(struct perf *p, uint64_t id, uint64_t first)
{
	const struct stream *parent = id == first ? NULL : stream_of(p, first, first);
	uint64_t i = hash_mix(id, 0), period = parent ? parent->period : 1;
	uint32_t k;

	while ((k = table_next(&p->streams_by_id, &i)) != UINT32_MAX)
		if (p->streams[k].id == id)
			return &p->streams[k];
	if (!array_grow(&p->streams, &p->streams_room, p->nstreams, sizeof *p->streams) || !table_reserve(&p->streams_by_id, p->nstreams + 1, stream_hash, p))
		return NULL;
	p->streams[p->nstreams] = (struct stream){ id, period };
	table_add(&p->streams_by_id, hash_mix(id, 0), p->nstreams);
	return &p->streams[p->nstreams++];
}

/* How often EVENT, of the number FIRST, has come in the stream ID, whose sample tells TOLD.  Where the kernel counts by software that is the period that it goes on with by then; the one that is over is what
 * the sample before told. */
static uint64_t counted_period(struct perf *p, size_t event, uint64_t first, uint64_t id, uint64_t told)
{
	struct stream *s = p->events[event].type == PERF_TYPE_SOFTWARE || p->events[event].type == PERF_TYPE_TRACEPOINT ? stream_of(p, id, first) : NULL;
	uint64_t over = s ? s->period : told;

	if (s)
		s->period = told;
	return over;
}

/* What a sample of event ID at TIME stands for, where the kernel says TOLD. */
static uint64_t period_of(const struct perf *p, uint64_t id, uint64_t time, uint64_t told)
{
	for (size_t i = 0; i < p->nids; i++)
		if (p->ids[i] == id)
			return time < p->changed ? p->before : p->period;
	return told;
}

static void read_sample(struct perf *p, const struct perf_event_header *record, const char *at, struct happening *h)
{
	uint64_t size, abi, first, id;
	size_t event;

	h->kind = HAPPENED_SAMPLE;
	h->kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	sample_perf_take(&at);				/* the address; that of the program is among the registers */
	take_pair(&at, &h->pid, &h->tid);
	sample_perf_take(&at);				/* time */
	first = sample_perf_take(&at);
	event = event_of(p, first);
	id = sample_perf_take(&at);
	h->period = period_of(p, id, h->time, sample_perf_take(&at));
	h->waits = p->wall && !event && h->period == SWITCH_PERIOD;
	h->period = h->cpu = h->waits ? 0 : h->period;
	if (event) {
		h->kind = HAPPENED_COUNTED;
		h->event = event - 1;
		h->period = counted_period(p, h->event, first, id, h->period);
		h->cpu = 0;
	}
	read_chain(&at, h);
	abi = sample_perf_take(&at);
	for (unsigned i = 0; abi != PERF_SAMPLE_REGS_ABI_NONE && i < HAPPENING_REGS; i++)
		h->regs[place[i]] = sample_perf_take(&at);
	h->readable = abi == PERF_SAMPLE_REGS_ABI_64;
	size = sample_perf_take(&at);
	h->stack = at;
	h->stack_size = 0;
	if (size) {
		at += size;
		h->stack_size = sample_perf_take(&at);
	}
}

static void read_mapped(const char *at, struct happening *h)
{
	uint32_t major, minor;

	h->kind = HAPPENED_MAPPED;
	take_pair(&at, &h->pid, &h->tid);
	h->start = sample_perf_take(&at);
	h->length = sample_perf_take(&at);
	h->offset = sample_perf_take(&at);
	take_pair(&at, &major, &minor);
	h->device = makedev(major, minor);
	h->inode = sample_perf_take(&at);
	sample_perf_take(&at);				/* generation of the inode */
	sample_perf_take(&at);				/* protection, flags */
	h->name = at;
}

/* A thread ended, which used so much CPU time on this ring's processor, or to which an event came so often there. */
static void read_used(struct perf *p, const struct perf_event_header *record, const char *at, struct happening *h)
{
	const char *id = (const char *)record + record->size - ID_AT;
	size_t event = event_of(p, sample_perf_take(&id));

	h->kind = event ? HAPPENED_COUNTED_ALL : HAPPENED_USED;
	take_pair(&at, &h->pid, &h->tid);
	*(event ? &h->period : &h->cpu) = sample_perf_take(&at);
	h->event = event ? event - 1 : 0;
}

/* What came to the first thread in all, once nothing happens any more.  False: that was all. */
static bool firsts_next(struct perf *p, struct happening *h)
{
	while (p->firsts_told < p->nfirsts) {
		size_t e = p->firsts_told++;

		if (p->firsts[e] < 0 || read(p->firsts[e], &h->period, sizeof h->period) != (ssize_t)sizeof h->period || h->period == 0)
			continue;
		h->kind = HAPPENED_COUNTED_ALL;
		h->pid = h->tid = (uint32_t)p->first;
		h->event = e;
		return true;
	}
	return false;
}

/* What found no room in any ring, and no record tells of: that needs room, too. */
static bool lost_next(struct perf *p, struct happening *h)
{
	struct { uint64_t count, lost; } of;
	uint64_t all = 0;

	for (size_t i = 0; p->tells_lost && i < p->nfds; i++)
		if (read(p->fds[i], &of, sizeof of) == (ssize_t)sizeof of)
			all += of.lost;
	if (all <= p->lost)
		return false;
	h->kind = HAPPENED_LOST;
	h->pid = h->tid = (uint32_t)p->first;
	h->lost = all - p->lost;
	p->lost = all;
	return true;
}

static void read_task(const char *at, struct happening *h, enum what_happened kind)
{
	h->kind = kind;
	take_pair(&at, &h->pid, &h->ppid);
	take_pair(&at, &h->tid, &h->ptid);
}

/* Whose a record is that does not begin with that: it is at the end, before the time. */
static void read_whose(const struct perf_event_header *record, struct happening *h)
{
	const char *at = (const char *)record + record->size - WHOSE_AT;

	take_pair(&at, &h->pid, &h->tid);
}

/* A thread came to its processor, or left it: of that its sample tells. */
static bool read_switch(const struct perf_event_header *record, struct happening *h)
{
	h->kind = HAPPENED_RESUMED;
	read_whose(record, h);
	return !(record->misc & PERF_RECORD_MISC_SWITCH_OUT);
}

/* Make *H of a record; false: it is of a kind that says nothing here. */
static bool perf_record_read(struct perf *p, const struct perf_event_header *record, struct happening *h)
{
	const char *at = (const char *)(record + 1);

	h->time = perf_time_of(record);
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		read_sample(p, record, at, h);
		return true;
	case PERF_RECORD_MMAP2:
		read_mapped(at, h);
		return true;
	case PERF_RECORD_COMM:
		h->kind = record->misc & PERF_RECORD_MISC_COMM_EXEC ? HAPPENED_EXEC : HAPPENED_NAMED;
		take_pair(&at, &h->pid, &h->tid);
		h->name = at;
		return true;
	case PERF_RECORD_FORK:
		read_task(at, h, HAPPENED_FORKED);
		return true;
	case PERF_RECORD_EXIT:
		read_task(at, h, HAPPENED_ENDED);
		return true;
	case PERF_RECORD_READ:
		read_used(p, record, at, h);
		return true;
	case PERF_RECORD_SWITCH:
		return read_switch(record, h);
	case PERF_RECORD_LOST:
		h->kind = HAPPENED_LOST;
		read_whose(record, h);		/* at its turn: most of what was lost is its, too */
		sample_perf_take(&at);			/* which event */
		h->lost = sample_perf_take(&at);
		p->lost += h->lost;
		return true;
	default:
		return false;
	}
}

/* What was given out last is the kernel's again. */
static void ring_pass(struct ring *r, uint16_t size)
{
	r->tail += size;
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

/* The ring whose next record is the earliest, if that is before BEFORE. */
static struct ring *earliest(struct perf *p, uint64_t before)
{
	struct ring *found = NULL;

	for (long i = 0; i < p->nrings; i++) {
		const struct perf_event_header *h = ring_peek(p, &p->rings[i]);

		if (h && perf_time_of(h) < before) {
			before = perf_time_of(h);
			found = &p->rings[i];
		}
	}
	return found;
}

static bool perf_next(struct source *source, uint64_t before, struct happening *h)
{
	struct perf *p = (struct perf *)source;
	struct ring *r;

	if (p->given) {
		ring_pass(p->given, p->given_size);
		p->given = NULL;
	}
	while ((r = earliest(p, before)) != NULL) {
		const struct perf_event_header *record = ring_peek(p, r);

		p->given = r;
		p->given_size = record->size;
		if (perf_record_read(p, record, h))
			return true;
		ring_pass(r, p->given_size);
		p->given = NULL;
	}
	return p->stopped && (lost_next(p, h) || firsts_next(p, h));
}
