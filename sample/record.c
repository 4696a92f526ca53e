/* record.c - what the kernel tells, in the order of time, to the processes it is of. */
#include "sample/record.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "sample/perf.h"
#include "sample/process.h"

enum {
	WAIT = 20,			/* ms between looks, where rings do not fill: what a process is must be read before it is gone */
	LATE = 2000000,			/* ns after which records of all processors have come */
};

struct recorder {
	struct perf *perf;
	struct process_wishes wishes;
	struct images images;
	struct process **processes;	/* by their numbers */
	uint32_t most;			/* number that no process has */
	pthread_t thread;
	int wake;			/* eventfd: stop */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The process PID; one of which nobody told is made, as a copy of PARENT if that is known. NULL: there cannot be one. */
static struct process *process_of(struct recorder *r, uint32_t pid, uint32_t parent)
{
	if (pid == 0 || pid >= r->most)
		return NULL;
	if (!r->processes[pid])
		r->processes[pid] = process_new(pid, parent < r->most ? r->processes[parent] : NULL, &r->images);
	return r->processes[pid];
}

static void forget(struct recorder *r, uint32_t pid)
{
	process_free(r->processes[pid]);
	r->processes[pid] = NULL;
}

static void take_fork(struct recorder *r, const struct perf_happening *h)
{
	struct process *p;

	if (h->pid == h->ppid) {
		p = process_of(r, h->pid, 0);
		if (p)
			p->running++;
		return;
	}
	if (h->pid < r->most && r->processes[h->pid])
		forget(r, h->pid);		/* its end was lost */
	p = process_of(r, h->pid, h->ppid);
	if (p)
		p->started = h->time;
}

static void take(struct recorder *r, const struct perf_happening *h)
{
	struct process *p;

	if (h->kind == PERF_FORKED) {
		take_fork(r, h);
		return;
	}
	p = process_of(r, h->pid, 0);
	if (!p)
		return;
	switch (h->kind) {
	case PERF_SAMPLE:
		process_sample(p, h, &r->wishes);
		break;
	case PERF_MAPPED:
		process_map(p, h);
		break;
	case PERF_NAMED:
		process_name(p, h->tid, h->name);
		break;
	case PERF_EXEC:
		process_exec(p, h->name, h->time);
		break;
	case PERF_ENDED:
		process_ended(p, h->tid);
		if (p->running == 0)
			forget(r, h->pid);
		break;
	case PERF_LOST:
		if (p->live)
			recording_header(p->live)->notes[AMON_NOTE_LOST_STACK] += h->lost;
		break;
	default:
		break;
	}
}

static void drain(struct recorder *r, uint64_t before)
{
	struct perf_happening h = { 0 };

	while (perf_next(r->perf, before, &h))
		take(r, &h);
}

static void *run(void *arg)
{
	struct recorder *r = arg;
	uint64_t stop;

	while (read(r->wake, &stop, sizeof stop) < 0 && (errno == EAGAIN || errno == EINTR)) {
		perf_wait(r->perf, r->wake, WAIT);
		drain(r, now() - LATE);
	}
	drain(r, UINT64_MAX);
	return NULL;
}

static void wishes_make(struct process_wishes *w, const struct record_options *o)
{
	uint64_t period = 1000000000 / o->rate;

	*w = (struct process_wishes){
		.directory = o->directory, .skip = o->skip, .ways = o->ways,
		.header = { .machine = EM_X86_64, .state = AMON_RUNNING, .exit_status = -1, .clock = AMON_CLOCK_TICK, .source = AMON_SOURCE_PERF,
			    .pc_source = AMON_SOURCE_PERF, .rate = o->rate, .pc_period = period, .memory_bound = o->memory,
			    .way = 1u << AMON_WAY_STACKS },
	};
	gethostname(w->header.host, sizeof w->header.host - 1);
}

/* Numbers of processes end before this one. */
static uint32_t most_processes(void)
{
	unsigned most = 1 << 22;		/* the kernel's own limit */
	FILE *f = fopen("/proc/sys/kernel/pid_max", "re");

	if (f && fscanf(f, "%u", &most) != 1)
		most = 1 << 22;
	if (f)
		fclose(f);
	return most + 1;
}

static void recorder_free(struct recorder *r)
{
	for (uint32_t i = 0; r->processes && i < r->most; i++)
		if (r->processes[i])
			forget(r, i);
	images_free(&r->images);
	if (r->perf)
		perf_close(r->perf);
	if (r->wake >= 0)
		close(r->wake);
	free(r->processes);
	free(r);
}

/* All but the events and the thread.  NULL with *ERR set. */
static struct recorder *recorder_new(const struct record_options *options, struct error *err)
{
	struct recorder *r = calloc(1, sizeof *r);

	if (!r)
		return error_set(err, ERROR_MEMORY, ERROR_NO_OFFSET, "out of memory"), NULL;
	wishes_make(&r->wishes, options);
	r->most = most_processes();
	r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->processes = calloc(r->most, sizeof *r->processes);
	if (r->processes && r->wake >= 0)
		return r;
	error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "call stacks cannot be sampled: %s", strerror(errno));
	recorder_free(r);
	return NULL;
}

/* Begin the thread that reads the events; R, or NULL with *ERR set. */
static struct recorder *recorder_start(struct recorder *r, struct error *err)
{
	r->wishes.header.notes[AMON_NOTE_NO_KERNEL] = !perf_sees_kernel(r->perf);
	if (pthread_create(&r->thread, NULL, run, r) == 0)
		return r;
	error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "no thread can be had to sample in");
	recorder_free(r);
	return NULL;
}

struct recorder *record_child(pid_t pid, const struct record_options *options, struct error *err)
{
	struct recorder *r = recorder_new(options, err);

	if (!r)
		return NULL;
	r->perf = perf_open(&pid, 1, options->rate, true, err);
	if (!r->perf) {
		recorder_free(r);
		return NULL;
	}
	if (process_of(r, (uint32_t)pid, 0)) {
		r->processes[pid]->ppid = (uint32_t)getpid();
		process_tell(r->processes[pid], options->command);
	}
	return recorder_start(r, err);
}

/* The threads of PIDS now, malloc'ed; how many: *COUNT.  NULL with *ERR set. */
static pid_t *threads_of(const pid_t *pids, size_t n, size_t *count, struct error *err)
{
	pid_t *tids = NULL;
	size_t room = 0;

	*count = 0;
	for (size_t i = 0; i < n; i++) {
		char path[64];
		struct dirent *entry;
		DIR *dir;

		snprintf(path, sizeof path, "/proc/%d/task", (int)pids[i]);
		dir = opendir(path);
		if (!dir) {
			error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%d: no such process", (int)pids[i]);
			free(tids);
			return NULL;
		}
		while ((entry = readdir(dir)))
			if (entry->d_name[0] != '.' && array_reserve(&tids, &room, *count + 1, sizeof *tids))
				tids[(*count)++] = (pid_t)atoi(entry->d_name);
		closedir(dir);
	}
	return tids;
}

/* Open events of all threads; those that began meanwhile are to be there, too: so until there are no more of them. */
static bool open_all(struct recorder *r, const pid_t *pids, size_t n, unsigned rate, struct error *err)
{
	enum { TRIES = 10 };
	size_t count = 0, before;
	pid_t *tids;

	for (int i = 0; i < TRIES; i++) {
		before = count;
		tids = threads_of(pids, n, &count, err);
		if (!tids)
			return false;
		if (r->perf && count <= before) {
			free(tids);
			return true;
		}
		if (r->perf)
			perf_close(r->perf);
		r->perf = perf_open(tids, count, rate, false, err);
		free(tids);
		if (!r->perf)
			return false;
	}
	return true;
}

/* What is known of the threads of PID before the first event of it. */
static void look_at(struct recorder *r, pid_t pid)
{
	struct process *p = process_of(r, (uint32_t)pid, 0);
	struct error ignored;
	size_t n;
	pid_t *tids = p ? threads_of(&pid, 1, &n, &ignored) : NULL;

	if (!tids)
		return;
	process_look(p);
	p->started = now();
	p->running = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		process_look_at_thread(p, (uint32_t)tids[i]);
	free(tids);
}

struct recorder *record_processes(const pid_t *pids, size_t n, const struct record_options *options, struct error *err)
{
	struct recorder *r = recorder_new(options, err);

	if (!r)
		return NULL;
	if (!open_all(r, pids, n, options->rate, err)) {
		recorder_free(r);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		look_at(r, pids[i]);
	return recorder_start(r, err);
}

void record_end(struct recorder *r)
{
	ssize_t n = write(r->wake, &(uint64_t){ 1 }, sizeof(uint64_t));

	(void)n;
	pthread_join(r->thread, NULL);
	recorder_free(r);
}
