/* record.c - what sources tell, each in the order of time, to the processes it is of. */
#include "record/sample/record.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/proc.h"
#include "base/task_stat.h"
#include "record/sample/heap.h"
#include "record/sample/sleeper.h"
#include "record/sample/perf.h"
#include "record/sample/permission.h"
#include "record/sample/process.h"
#include "record/sample/ticker.h"
#include "record/sample/trace.h"
#include "record/sample/tracees.h"

enum {
	SHORT_WAIT = 10,		/* the same where nobody wakes us when rings fill */
	WAIT = 20,			/* ms between looks, where rings do not fill: what a process is must be read before it is gone */
	SOURCES = 2,			/* at once */
	LATE = 2000000,			/* ns after which records of all processors have come */
	RENEWAL = 250000000,		/* ns after which threads that wait are charged, though nothing happens */
	SURE = 250000000,		/* ns ago: what was to be told of then has been */
	DYING = 250000000,		/* ns that the kernel works for a process, at most, after it has told of its end */
	DEAD = 20000000,		/* ns after which it has told all that a process used, as a rule, */
	LAST_WORD = 1000000000,		/* and ns for which that is waited for, where many threads want a processor to end */
	HASTE = 100000000,		/* ns between looks whether processes end sooner than they are sampled */
	RECENT = 32,			/* processes that tell */
};

/* Whether the program of a process is none of ours. */
struct judged {
	pid_t pid;
	bool skip;
};

struct recorder {
	struct source *sources[SOURCES]; /* NULL: there is one only; the last one's pace is that of all */
	struct source *heap;		/* what is allocated; NULL: nobody asks */
	struct error *why;		/* of the thread: why its sources do not begin */
	sem_t begun;			/* posted when they did, or not */
	struct process_wishes wishes;
	struct images images;
	struct kernel *kernel;		/* NULL: not asked for, or refused */
	struct error refused;		/* why */
	struct process **processes;	/* by their numbers */
	uint32_t most;			/* number that no process has */
	bool all;			/* whatever runs */
	struct record_untold untold;
	struct accounts accounts;
	enum amon_source number;	/* of the first source */
	uint32_t child;			/* the process that was to be recorded; 0: there are several.  Only its waiter knows what it used */
	uint64_t child_used, all_used;	/* which is told at the end, ns: itself, and with all that it waited for */
	uint64_t over, over_used;	/* processes that ended of late, and their CPU time, ns */
	uint64_t hastened;		/* when that was looked at, CLOCK_MONOTONIC ns */
	struct process *first;		/* all of them, in no order */
	uint32_t gone;			/* of them, that are to be forgotten */
	uint64_t renewed;		/* when threads that wait were charged, CLOCK_MONOTONIC ns */
	pthread_t thread;
	int wake;			/* eventfd: stop */
	struct judged judged[256];	/* by numbers of processes */
};

static uint64_t record_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* CPU time of process PID so far, ns; 0: it is gone. */
static uint64_t process_cpu(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void link_in(struct recorder *r, struct process *p)
{
	if (!p)
		return;
	p->next = r->first;
	p->at = &r->first;
	if (p->next)
		p->next->at = &p->next;
	r->first = p;
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
			tracee_missing(pids[i], err);
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

/* The process PID; one of which nobody told is made, as a copy of PARENT if that is known. NULL: there cannot be one. */
static struct process *process_of(struct recorder *r, uint32_t pid, uint32_t parent)
{
	if (pid == 0 || pid >= r->most)
		return NULL;
	if (!r->processes[pid]) {
		r->processes[pid] = process_new(pid, parent < r->most ? r->processes[parent] : NULL, &r->images);
		link_in(r, r->processes[pid]);
		if (r->processes[pid] && r->all && !(parent < r->most && r->processes[parent]))
			r->processes[pid]->met = true;
		if (r->processes[pid] && !r->all) {
			r->processes[pid]->accounts = &r->accounts;
			r->processes[pid]->reason = r->sources[0]->sees_kernel ? ACCOUNT_SOON : ACCOUNT_KERNEL;
		}
	}
	return r->processes[pid];
}

static void record_forget(struct recorder *r, uint32_t pid)
{
	struct process *p = r->processes[pid];

	process_settle(p, p->used > p->earlier ? p->used - p->earlier : 0, true);
	r->gone -= p->gone != 0;
	*p->at = p->next;
	if (p->next)
		p->next->at = p->at;
	process_free(p);
	r->processes[pid] = NULL;
}

/* Whether process PID is a thread of the kernel's: a child of its number 2. */
static bool is_kernels(uint32_t pid)
{
	struct task_stat stat;

	return pid == 2 || (task_stat_read((pid_t)pid, 0, &stat) && stat.parent == 2);
}

/* The kernel's threads are many, and named by their work and where they do it, kworker/1:2: one program of that name. */
static void kernels_name(struct process *p)
{
	char name[sizeof p->name];

	snprintf(name, sizeof name, "%s", p->name);
	name[strcspn(name, "/:")] = 0;
	free(p->program);
	p->program = NULL;
	if (asprintf(&p->program, "[%s]", name) < 0)
		p->program = NULL;
}

/* P ran before we came: what /proc knows of it now. */
static void meet(struct recorder *r, struct process *p)
{
	struct error ignored;
	size_t n = 0;
	pid_t *tids = threads_of(&(pid_t){ (pid_t)p->pid }, 1, &n, &ignored);

	p->met = false;
	p->running = PROCESS_UNCOUNTED;		/* some of its threads may have ended that we are still to be told of */
	p->started = record_now();
	if (!tids) {				/* gone */
		r->untold.processes++;
		if (!p->name[0])
			strcpy(p->name, "(unknown)");
		return;
	}
	for (size_t i = 0; i < n; i++)
		process_look_at_thread(p, (uint32_t)tids[i]);
	if (is_kernels(p->pid))
		kernels_name(p);
	else
		r->untold.processes += !process_look(p);
	free(tids);
}

/* Is the process PID gone, or about to be: nothing left but its end, which somebody is to wait for? */
static bool record_is_over(uint32_t pid)
{
	struct error ignored;
	size_t n = 0;
	pid_t *tids = threads_of(&(pid_t){ (pid_t)pid }, 1, &n, &ignored);
	struct traced_thread t = { .tid = (pid_t)pid, .process = &(struct traced){ .pid = (pid_t)pid } };
	char state = tids ? tracee_state(&t) : 0;

	free(tids);
	return state == 0 || (n <= 1 && (state == 'Z' || state == 'X'));
}

/* P has ended at TIME.  An event of a processor sees what the kernel does for it from then on; one of a process tells what it used. */
static void take_end(struct recorder *r, struct process *p, uint64_t time)
{
	if (p->pid == r->child)
		return;
	r->gone += p->gone == 0;
	p->gone = time + (r->all ? DYING : DEAD);
}

/* Of its threads we know no number: one of them has ended, maybe some time ago, and others were to be told of since. */
static void look_whether_gone(struct recorder *r, struct process *p)
{
	if (p->gone || !record_is_over(p->pid))
		return;
	p->gone = record_now();
	r->gone++;
}

/* P is to be forgotten: another one that says how long processes live. */
static void over_count(struct recorder *r, const struct process *p)
{
	if (r->over == RECENT) {
		r->over /= 2;
		r->over_used /= 2;
	}
	r->over++;
	r->over_used += p->used;
}

/* P was gone before TIME: has all come that is to be told of it? */
static bool is_all_told(const struct recorder *r, const struct process *p, uint64_t time)
{
	return p->uses >= p->ends * r->sources[0]->ends || p->gone + LAST_WORD < time;
}

/* All that happened before TIME is told: who was gone by then is forgotten. */
static void forget_gone(struct recorder *r, uint64_t time)
{
	for (struct process *next, *p = r->gone ? r->first : NULL; p; p = next) {
		next = p->next;
		if (!p->gone || p->gone >= time || !is_all_told(r, p, time))
			continue;
		over_count(r, p);
		record_forget(r, p->pid);
	}
}

static void take_fork(struct recorder *r, const struct happening *h)
{
	struct process *p;

	if (h->pid == h->ppid) {
		p = process_of(r, h->pid, 0);
		if (p && p->running != PROCESS_UNCOUNTED)
			p->running++;
		return;
	}
	if (h->pid < r->most && r->processes[h->pid])
		record_forget(r, h->pid);		/* its end was lost */
	p = r->all ? process_of(r, h->ppid, 0) : NULL;
	if (p && p->met)
		meet(r, p);			/* its child is what it is, and may be gone sooner */
	p = process_of(r, h->pid, h->ppid);
	if (p)
		p->started = h->time;
}

static void take_sample(struct recorder *r, struct process *p, const struct happening *h, struct source *source)
{
	if (p->met)
		meet(r, p);
	process_sample(p, h, source, &r->wishes);
	if (p->unwanted && source->kind->leave)
		source->kind->leave(source, (pid_t)p->pid);
}

static void take_used(struct process *p, const struct happening *h)
{
	p->uses++;
	if (h->tid)
		process_thread_used(p, h->tid, h->cpu);
	else if (h->cpu > p->used)
		p->used = h->cpu;
	if (h->filtered)
		p->reason = ACCOUNT_FILTER;
}

static void take_thread_end(struct recorder *r, struct process *p, const struct happening *h)
{
	p->ends++;
	process_ended(p, h->tid, h->time);
	if (p->running == 0)
		take_end(r, p, h->time);
	else if (r->all && p->running == PROCESS_UNCOUNTED)
		look_whether_gone(r, p);
}

static void heap_drain(struct recorder *r, uint64_t before);

static void record_take(struct recorder *r, const struct happening *h, struct source *source)
{
	struct process *p;

	if (h->kind == HAPPENED_FORKED) {
		take_fork(r, h);
		return;
	}
	if ((h->kind == HAPPENED_GONE || h->kind == HAPPENED_RESUMED || h->kind == HAPPENED_USED || h->kind == HAPPENED_COUNTED_ALL) && (h->pid >= r->most || !r->processes[h->pid]))
		return;
	if (r->all && h->pid == (uint32_t)getpid())
		return;
	r->untold.samples += h->kind == HAPPENED_SAMPLE && (h->pid == 0 || h->pid >= r->most);
	r->untold.lost += r->all && h->kind == HAPPENED_LOST ? h->lost : 0;
	p = h->kind == HAPPENED_LOST && !h->pid && !r->all ? r->first : process_of(r, h->pid, 0);	/* of nobody's in particular: any of them tells it */
	if (!p)
		return;
	switch (h->kind) {
	case HAPPENED_SAMPLE:
		take_sample(r, p, h, source);
		break;
	case HAPPENED_RESUMED:
		process_resumed(p, h->tid, h->time);
		break;
	case HAPPENED_BEGAN:
		heap_drain(r, h->time);
		p->before = h->cpu > p->before ? h->cpu : p->before;
		process_begin(p, h);
		break;
	case HAPPENED_MAPS:
		if (source != r->heap || !r->sources[0]->kind->tells_maps)
			process_maps(p, h->name);
		break;
	case HAPPENED_USED:
		take_used(p, h);
		break;
	case HAPPENED_GONE:
		heap_drain(r, UINT64_MAX);
		if (h->pid != r->child)		/* what that used is told at the end */
			record_forget(r, h->pid);
		break;
	case HAPPENED_MAPPED:
		if (!p->met)			/* it will be looked at */
			process_map(p, h);
		break;
	case HAPPENED_NAMED:
		process_name(p, h->tid, h->name);
		break;
	case HAPPENED_EXEC:
		heap_drain(r, h->time);		/* what it was until now */
		process_exec(p, h->name, h->time);
		break;
	case HAPPENED_COUNTED:
		process_counted(p, h, source, &r->wishes);
		break;
	case HAPPENED_COUNTED_ALL:
		p->uses++;
		process_counted_all(p, h, &r->wishes);
		break;
	case HAPPENED_ALLOCATED:
		process_allocated(p, h, r->sources[0], &r->wishes);
		if (p->unwanted)
			source->kind->leave(source, (pid_t)p->pid);
		break;
	case HAPPENED_FREED:
		process_freed(p, h);
		break;
	case HAPPENED_ENDED:
		take_thread_end(r, p, h);
		break;
	case HAPPENED_LOST:
		process_lost(p, h->lost, source != r->heap);
		break;
	default:
		break;
	}
}

static void source_drain(struct recorder *r, struct source *source, uint64_t before)
{
	struct happening h = { 0 };

	while (source->kind->next(source, before, &h)) {
		record_take(r, &h, source);
		h = (struct happening){ 0 };
	}
}

static void heap_drain(struct recorder *r, uint64_t before)
{
	if (r->heap)
		source_drain(r, r->heap, before);
}

static void drain(struct recorder *r, uint64_t before)
{
	for (int i = 0; i < SOURCES && r->sources[i]; i++)
		source_drain(r, r->sources[i], before);
	heap_drain(r, before);
	forget_gone(r, before);
}

/* Begin all sources; false with R->why set: one is not permitted. */
static bool record_begin(struct recorder *r)
{
	for (int i = 0; i < SOURCES && r->sources[i]; i++)
		if (r->sources[i]->kind->begin && !r->sources[i]->kind->begin(r->sources[i], r->why))
			return false;
	return true;
}

static struct source *last_source(const struct recorder *r)
{
	return r->sources[1] ? r->sources[1] : r->sources[0];
}

/* Clock wall: threads wait though nothing happens; up to TIME they did, or as far as the source knows. */
static void waiting_charge(struct recorder *r, uint64_t time)
{
	if (r->wishes.header.clock != AMON_CLOCK_WALL)
		return;
	r->renewed = record_now();
	if (last_source(r)->kind->told)
		time = last_source(r)->kind->told(last_source(r));
	for (struct process *p = r->first; p; p = p->next)
		process_wait(p, time);
}

static void sources_close(struct recorder *r)
{
	if (r->heap)
		r->heap->kind->close(r->heap);
	r->heap = NULL;
	for (int i = 0; i < SOURCES; i++) {
		r->untold.refused += r->sources[i] ? r->sources[i]->refused : 0;
		if (r->sources[i])
			r->sources[i]->kind->close(r->sources[i]);
		r->sources[i] = NULL;
	}
}

/* On a busy machine more is lost the later this thread reads.  Beside hundreds of threads that want a processor, as of a program that it records, less than the highest priority leaves it a
 * few parts in a hundred of one.  Where this user may not have that, as much as he may. */
static void hurry(void)
{
	enum { HIGHEST = -20, ZERO = 20 };	/* nice; what the limit counts from */
	struct rlimit limit;

	if (setpriority(PRIO_PROCESS, (id_t)gettid(), HIGHEST) != 0 && getrlimit(RLIMIT_NICE, &limit) == 0 && limit.rlim_cur > ZERO)
		setpriority(PRIO_PROCESS, (id_t)gettid(), ZERO - (int)limit.rlim_cur);
}

static void hasten(struct recorder *r)
{
	r->hastened = record_now();
	if (r->over && r->sources[0]->kind->hasten)
		r->sources[0]->kind->hasten(r->sources[0], r->over_used / r->over);
}

static void *record_run(void *arg)
{
	struct recorder *r = arg;
	bool begun = record_begin(r);
	uint64_t stop, end;

	hurry();
	r->why = begun ? NULL : r->why;
	sem_post(&r->begun);
	while (begun && read(r->wake, &stop, sizeof stop) < 0 && (errno == EAGAIN || errno == EINTR)) {
		last_source(r)->kind->wait(last_source(r), r->wake, r->sources[0]->kind->number == AMON_SOURCE_PERF ? WAIT : SHORT_WAIT);
		drain(r, record_now() - LATE);
		if (record_now() > r->renewed + RENEWAL)
			waiting_charge(r, record_now() - SURE);
		if (record_now() > r->hastened + HASTE)
			hasten(r);
	}
	for (int i = 0; i < SOURCES && r->sources[i]; i++)
		if (r->sources[i]->kind->stop)
			r->sources[i]->kind->stop(r->sources[i]);
	end = record_now();
	if (begun) {
		drain(r, UINT64_MAX);
		waiting_charge(r, end);
	}
	sources_close(r);
	return NULL;
}

static void wishes_make(struct process_wishes *w, const struct record_options *o)
{
	uint64_t period = 1000000000 / o->rate;

	*w = (struct process_wishes){
		.directory = o->directory, .skip = o->skip, .ways = o->ways, .inlined = o->inlined, .events = o->events, .nevents = o->nevents, .allocations = o->allocations, .intervals = o->intervals,
		.header = { .machine = EM_X86_64, .state = AMON_RUNNING, .exit_status = -1, .clock = o->wall ? AMON_CLOCK_WALL : AMON_CLOCK_TICK, .rate = o->rate,
			    .pc_period = period, .memory_bound = o->memory, .way = 1u << AMON_WAY_STACKS },
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

static void processes_forget(struct recorder *r)
{
	for (uint32_t i = 0; i < r->most; i++)
		if (r->processes[i])
			record_forget(r, i);
}

static void recorder_free(struct recorder *r)
{
	if (r->processes)
		processes_forget(r);
	images_free(&r->images);
	accounts_free(&r->accounts);
	kernel_free(r->kernel);
	sources_close(r);
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
		return error_no_memory(err, NULL), NULL;
	wishes_make(&r->wishes, options);
	r->accounts = (struct accounts){ .skip = options->skip, .wall = options->wall };
	r->most = most_processes();
	r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->processes = calloc(r->most, sizeof *r->processes);
	if (r->processes && r->wake >= 0 && (!options->inlined || images_with_debug_files(&r->images)))
		return r;
	error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "call stacks cannot be sampled: %s", strerror(errno));
	recorder_free(r);
	return NULL;
}

static void part_refused(struct recorder *r)
{
	struct permission permission = permission_look(-1, 1);
	char why[400];

	permission_explain(&permission, why, sizeof why);
	error_set(&r->refused, ERROR_SYSTEM, ERROR_NO_OFFSET, "the kernel does not let this user see its part of the time: %s", why);
}

/* The names of the kernel's routines, before the first sample. */
static void kernel_begin(struct recorder *r)
{
	if (r->sources[0]->kind->number != AMON_SOURCE_PERF)
		error_set(&r->refused, ERROR_SYSTEM, ERROR_NO_OFFSET, "the kernel's frames are known by perf events only, which are not permitted or not asked for here");
	else if (r->sources[0]->sees_kernel)
		r->kernel = kernel_read(NULL, &r->refused);
	else
		part_refused(r);
	r->wishes.kernel = r->kernel;
}

const char *record_kernel_refused(const struct recorder *r) { return r->refused.code ? r->refused.text : NULL; }

/* What a sample stands for, ns; timers are as precise as the kernel's clock. */
static uint64_t tick_of(const struct recorder *r)
{
	struct timespec coarse = { 0 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &coarse);
	if (r->sources[0]->kind->number != AMON_SOURCE_TIMER || (uint64_t)coarse.tv_nsec < r->wishes.header.pc_period)
		return r->wishes.header.pc_period;
	return (uint64_t)coarse.tv_nsec;
}

/* Begin the thread that the sources work in; R, or NULL with *ERR set. */
static struct recorder *recorder_start(struct recorder *r, bool kernel, struct error *err)
{
	bool begun;
	int error;

	if (kernel)
		kernel_begin(r);
	r->accounts.tick = tick_of(r);
	r->number = r->sources[0]->kind->number;
	r->accounts.period = r->sources[0]->kind->number == AMON_SOURCE_PERF ? r->wishes.header.pc_period : 0;
	r->wishes.header.notes[AMON_NOTE_NO_KERNEL] = !r->sources[0]->sees_kernel;
	r->why = err;
	sem_init(&r->begun, 0, 0);
	error = pthread_create(&r->thread, NULL, record_run, r);
	if (error) {
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "no thread can be had to sample in: %s", strerror(error));
		recorder_free(r);
		return NULL;
	}
	while (sem_wait(&r->begun) != 0)
		;
	begun = !r->why;
	if (begun)
		return r;
	pthread_join(r->thread, NULL);
	recorder_free(r);
	return NULL;
}

enum amon_source record_source(enum amon_source wanted, bool wall)
{
	if (wanted != AMON_SOURCE_NONE)
		return wanted;
#if defined(__x86_64__)
	if (!perf_is_permitted(wall))
		return wall ? AMON_SOURCE_PTRACE : AMON_SOURCE_TIMER;
#endif
	return AMON_SOURCE_PERF;
}

/* Has the process PID samples by the first source, or is it none of ours?  Its program is asked for once. */
static bool is_served(void *arg, pid_t pid)
{
	struct recorder *r = arg;
	struct judged *j = &r->judged[pid % (sizeof r->judged / sizeof *r->judged)];
	char program[PATH_MAX];

	if (r->sources[0]->kind->number == AMON_SOURCE_TIMER && ticker_serves(r->sources[0], pid))
		return true;
	if (j->pid == pid || !r->wishes.skip)
		return j->pid == pid && j->skip;
	if (!proc_link(pid, "exe", program, sizeof program))
		return true;
	*j = (struct judged){ pid, r->wishes.skip(program) };
	r->accounts.skipped += j->skip;		/* nobody looks at it, and so nobody tells of its end */
	return j->skip;
}

/* The sources for the child PID; false with *ERR set. */
static bool child_open(struct recorder *r, pid_t pid, const struct record_options *o, struct error *err)
{
	struct error ignored;

	if (o->source == AMON_SOURCE_PERF) {
		r->sources[0] = perf_open(&pid, 1, &(struct perf_wishes){ .rate = o->rate, .on_exec = true, .frames = o->kernel, .wall = o->wall, .events = o->events, .nevents = o->nevents }, err);
		return r->sources[0] != NULL;
	}
	if (o->source == AMON_SOURCE_TIMER)
		r->sources[0] = ticker_open(o->directory, &ignored);	/* without it ptrace sees to all */
	r->sources[r->sources[0] != NULL] = trace_open_below(pid, o->rate, o->wall, r->sources[0] != NULL, is_served, r, err);
	return last_source(r) && last_source(r)->kind->number == AMON_SOURCE_PTRACE;
}

struct recorder *record_child(pid_t pid, const struct record_options *options, struct error *err)
{
	struct recorder *r = recorder_new(options, err);

	if (!r)
		return NULL;
	if (!child_open(r, pid, options, err) || (options->allocations && !(r->heap = heap_open(options->directory, err)))) {
		recorder_free(r);
		return NULL;
	}
	r->child = (uint32_t)pid;
	if (process_of(r, (uint32_t)pid, 0)) {
		r->processes[pid]->ppid = (uint32_t)getpid();
		process_tell(r->processes[pid], options->command);
	}
	return recorder_start(r, options->kernel, err);
}

/* Open events of all threads; those that began meanwhile are to be there, too: so until there are no more of them. */
static bool record_open_all(struct recorder *r, const pid_t *pids, size_t n, const struct record_options *options, struct error *err)
{
	enum { TRIES = 10 };
	size_t count = 0, before;
	pid_t *tids;

	for (int i = 0; i < TRIES; i++) {
		before = count;
		tids = threads_of(pids, n, &count, err);
		if (!tids)
			return false;
		if (r->sources[0] && count <= before) {
			free(tids);
			return true;
		}
		sources_close(r);
		r->sources[0] = perf_open(tids, count, &(struct perf_wishes){ .rate = options->rate, .frames = options->kernel, .wall = options->wall }, err);
		free(tids);
		if (!r->sources[0])
			return false;
	}
	return true;
}

/* Thread TID of P may wait already: no event will tell where. */
static void look_asleep(struct recorder *r, struct process *p, pid_t tid)
{
	struct sleeper *a = malloc(sizeof *a);
	struct happening h;

	if (a && sleeper_look(a, (pid_t)p->pid, tid)) {
		h = sleeper_happening(a);
		h.time = record_now();
		process_sample(p, &h, r->sources[0], &r->wishes);
	}
	free(a);
}

/* What is known of the threads of PID before the first event of it. */
static void record_look_at(struct recorder *r, pid_t pid)
{
	struct process *p = process_of(r, (uint32_t)pid, 0);
	struct error ignored;
	size_t n;
	pid_t *tids = p ? threads_of(&pid, 1, &n, &ignored) : NULL;

	if (!tids)
		return;
	process_look(p);
	p->started = record_now();
	p->before = process_cpu((pid_t)p->pid);
	p->running = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		process_look_at_thread(p, (uint32_t)tids[i]);
		if (r->wishes.header.clock == AMON_CLOCK_WALL)
			look_asleep(r, p, tids[i]);
	}
	free(tids);
}

struct recorder *record_processes(const pid_t *pids, size_t n, const struct record_options *options, struct error *err)
{
	struct recorder *r = recorder_new(options, err);

	if (!r)
		return NULL;
	if (record_source(options->source, options->wall) == AMON_SOURCE_PERF ? !record_open_all(r, pids, n, options, err) :
	    !(r->sources[0] = trace_open(pids, n, options->rate, options->wall, err))) {
		recorder_free(r);
		return NULL;
	}
	for (size_t i = 0; i < n && r->sources[0]->kind->number == AMON_SOURCE_PERF; i++)
		record_look_at(r, pids[i]);
	return recorder_start(r, options->kernel, err);
}

struct recorder *record_all(const struct record_options *options, struct error *err)
{
	struct recorder *r = recorder_new(options, err);

	if (!r)
		return NULL;
	r->all = true;
	r->sources[0] = perf_open(&(pid_t){ -1 }, 1, &(struct perf_wishes){ .rate = options->rate, .frames = options->kernel, .all = true }, err);
	if (r->sources[0])
		return recorder_start(r, options->kernel, err);
	recorder_free(r);
	return NULL;
}

void record_child_used(struct recorder *r, uint64_t cpu, uint64_t all)
{
	r->child_used = cpu;
	r->all_used = all;
}

/* The end has come, and P may still run. */
static void living_settle(struct recorder *r, struct process *p)
{
	bool wanted = !p->program || !r->wishes.skip || !r->wishes.skip(p->program);

	if (p->pid == r->child && r->child_used)
		p->used = r->child_used;
	else if (!p->gone && !record_is_over(p->pid)) {
		r->untold.running += wanted;
		p->used = process_cpu((pid_t)p->pid) - p->before;
	}
}

/* Where nothing was, there is nothing that files of the rest would complete. */
static bool is_any_sampled(const struct accounts *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->programs[i].placed)
			return true;
	return false;
}

/* What the files of processes without samples have in common. */
static void bare_header(const struct recorder *r, struct amon_header *h)
{
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	*h = r->wishes.header;
	h->source = h->pc_source = r->number;
	h->start_realtime = (uint64_t)real.tv_sec * 1000000000 + (uint64_t)real.tv_nsec - record_now();
	h->end_monotonic = record_now();
}

void record_end(struct recorder *r, struct record_untold *untold)
{
	struct amon_header header;
	ssize_t n = write(r->wake, &(uint64_t){ 1 }, sizeof(uint64_t));

	(void)n;
	pthread_join(r->thread, NULL);
	for (struct process *p = r->first; p; p = p->next)
		living_settle(r, p);
	processes_forget(r);
	accounts_even(&r->accounts, r->all_used);
	bare_header(r, &header);
	if (is_any_sampled(&r->accounts))
		accounts_write(&r->accounts, r->wishes.directory, &header);
	if (untold) {
		*untold = r->untold;
		untold->accounts = r->accounts;
		r->accounts = (struct accounts){ 0 };
	}
	recorder_free(r);
}
