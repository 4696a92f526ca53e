/* process.c - from a sample to a context in the file of its program. */
#include "record/sample/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/proc.h"
#include "base/task_stat.h"
#include "read/stacks/unnamed_code.h"
#include "read/stacks/walk.h"
#include "record/sample/perf_events.h"
#include "record/sample/heap.h"
#include "understand/analysis.h"

enum {
	DEEPEST = 4096,			/* frames of a stack that are kept, from the innermost on */
	KERNEL_DEEPEST = 128,		/* the same of the kernel's */
	INLINED_DEEPEST = 4096,		/* and of inlined functions, beside the frames */
	KNOWN = 8192,			/* places for addresses */
	MOST_UNNAMED = 1 << 14,		/* addresses in code without a name that are told apart */
	NOT_A_ROUTINE = RECORDING_NONE - 1,	/* an address of a linker's jump */
};

struct known {
	uint64_t address;		/* 0: none */
	uint32_t epoch;			/* mappings that there had been */
	uint32_t routine;
};

static uint64_t process_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- what it is ---- */

struct process *process_new(uint32_t pid, const struct process *parent, struct images *images)
{
	struct process *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->pid = pid;
	p->running = 1;
	p->programs = 1;
	space_init(&p->space, (pid_t)pid, images);
	if (!parent)
		return p;
	p->ppid = parent->pid;
	p->accounts = parent->accounts;
	p->reason = parent->reason;
	p->met = parent->met;
	memcpy(p->name, parent->name, sizeof p->name);
	memcpy(p->command, parent->command, parent->command_size);
	p->command_size = parent->command_size;
	p->program = parent->program ? strdup(parent->program) : NULL;
	if (space_copy(&p->space, &parent->space, (pid_t)pid))
		return p;
	process_free(p);
	return NULL;
}

/* The module of the file that M is, of anonymous code the one that stands for that; RECORDING_NONE: there is no room. */
static uint32_t process_module_of(struct process *p, const struct mapping *m)
{
	struct amon_module record = { .start = m->start, .end = m->end, .offset = m->offset, .bias = m->bias };
	char path[64];

	if (!array_reserve(&p->modules, &p->modules_room, (size_t)m->number + 1, sizeof *p->modules))
		return RECORDING_NONE;
	while (p->nmodules <= m->number)
		p->modules[p->nmodules++] = RECORDING_NONE;
	if (p->modules[m->number] != RECORDING_NONE)
		return p->modules[m->number];
	if (!m->image) {
		snprintf(path, sizeof path, AMON_ANONYMOUS_MODULE "%" PRIx64 "]", m->start);
		return p->modules[m->number] = recording_module(p->live, &record, path);
	}
	record.build_id_size = m->image->build_id_size;
	memcpy(record.build_id, m->image->build_id, sizeof record.build_id);
	record.main_program = p->program && !strcmp(p->program, m->image->path);
	return p->modules[m->number] = recording_module(p->live, &record, m->image->path);
}

/* The file has the module of the program though no sample may have been in it: who reads it finds there what the program says of its hooks. */
static void program_module(struct process *p)
{
	const struct mapping *first = NULL;

	for (uint32_t i = 0; p->program && i < p->space.n; i++) {
		const struct mapping *m = &p->space.mappings[i];

		if (!m->image || strcmp(m->image->path, p->program) != 0)
			continue;
		if (m->number < p->nmodules && p->modules[m->number] != RECORDING_NONE)
			return;
		first = first ? first : m;
	}
	if (first)
		process_module_of(p, first);
}

/* The thread that has samples of P's first thread, or of any; NULL: none has. */
static struct process_thread *thread_sampled(const struct process *p)
{
	struct process_thread *found = NULL;

	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i]->folds && (!found || p->threads[i]->tid == p->pid))
			found = p->threads[i];
	return found;
}

/* What came of event E to thread T of P while it was this program, as the kernel tells; 0: it does not. */
static uint64_t event_told(const struct process *p, const struct process_thread *t, size_t e)
{
	uint64_t earlier = t->tid == p->pid && p->events ? p->events[e].sampled : 0;

	return t->events[e].told > earlier ? t->events[e].told - earlier : 0;
}

/* AMOUNT of event E came to P in contexts that nobody knows. */
static void event_unplaced(struct process *p, size_t e, uint64_t amount)
{
	struct process_thread *t = thread_sampled(p);
	uint32_t item = t ? fold_stack(&t->fold, &(struct fold_call){ AMON_ROUTINE_UNPLACED, AMON_SITE_NONE }, 1) : RECORDING_NONE;

	if (item != RECORDING_NONE)
		recording_amount(p->live, t->fold.thread, item, p->counted + (uint32_t)e, amount, 0);
}

/* Share AMOUNT of event E among P's threads as their samples say, ALL together. */
static void event_share(struct process *p, size_t e, uint64_t amount, uint64_t all)
{
	uint64_t before = 0, given = 0;

	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct process_thread *t = p->threads[i];
		uint64_t part;

		if (!t->events || !t->events[e].sampled)
			continue;
		before += t->events[e].sampled;
		part = (uint64_t)((unsigned __int128)amount * before / all) - given;
		given += part;
		recording_amount_scale(p->live, t->fold.thread, p->counted + (uint32_t)e, t->events[e].sampled + part);
	}
}

/* What the kernel counted of event E is what the contexts of each of P's threads have, as its samples say, and of threads without samples all: for a sample
 * tells of what came before it, by a period that may have changed since, and after the last one of a thread comes some more.  Where samples were lost, or there
 * is none at all, nobody knows in which contexts the rest is. */
static void event_settle(struct process *p, size_t e)
{
	uint64_t rest = p->events ? p->events[e].told : 0, all = 0;

	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct process_thread *t = p->threads[i];
		uint64_t told = t->events ? event_told(p, t, e) : 0;

		if (!t->events)
			continue;
		if (!t->events[e].sampled || (p->loses && told > t->events[e].sampled)) {
			rest += told - t->events[e].sampled;
		} else if (told) {
			recording_amount_scale(p->live, t->fold.thread, p->counted + (uint32_t)e, told);
			t->events[e].sampled = told;
		}
		all += t->events[e].sampled;
	}
	if (rest && (p->loses || !all))
		event_unplaced(p, e, rest);
	else if (rest)
		event_share(p, e, rest, all);
}

/* The same of all events; what the first thread's samples say is settled, whatever becomes of the process. */
static void events_settle(struct process *p)
{
	for (size_t e = 0; p->live && p->counted != RECORDING_NONE && e < p->nevents; e++) {
		event_settle(p, e);
		if (p->events)
			p->events[e].told = 0;
		for (uint32_t i = 0; p->events && i < p->nthreads; i++)
			p->events[e].sampled += p->threads[i]->tid == p->pid && p->threads[i]->events ? p->threads[i]->events[e].sampled : 0;
	}
}

/* Close the file, and forget all that was in it. */
static void file_close(struct process *p)
{
	events_settle(p);
	for (uint32_t i = 0; i < p->nthreads; i++) {
		if (p->threads[i]->folds)
			fold_free(&p->threads[i]->fold);
		free(p->threads[i]->events);
		free(p->threads[i]);
	}
	if (p->live && p->jit && p->unnamed) {
		jit_look(p->jit);
		unnamed_code_settle(p->live, &p->made, p->jit);
	}
	p->unnamed = 0;
	synthetic_end(&p->made);
	synthetic_end(&p->kernel);
	synthetic_end(&p->inlined_made);
	inlined_free(&p->inlined);
	jit_free(p->jit);
	p->jit = NULL;
	if (p->live) {
		program_module(p);
		ledger_end(&p->ledger, p->live);
		recording_header(p->live)->end_monotonic = process_now();
		recording_end(p->live, true);
	}
	table_free(&p->by_address);
	free(p->known);
	p->known = NULL;
	p->live = NULL;
	p->nthreads = p->nroutines = p->nmodules = 0;
	p->samples = p->sampled = p->placed = p->brief = 0;
	memset(p->missing, 0, sizeof p->missing);
	p->unwanted = false;
	p->error = 0;
}

void process_free(struct process *p)
{
	file_close(p);
	space_free(&p->space);
	free(p->threads);
	free(p->routines);
	free(p->modules);
	free(p->program);
	free(p->events);
	free(p);
}

static void command_read(struct process *p)
{
	size_t n;
	char *text = proc_text((pid_t)p->pid, "cmdline", sizeof p->command, &n);

	if (text) {
		memcpy(p->command, text, n);
		p->command_size = (uint32_t)n;
	}
	free(text);
	if (text || p->told)
		return;
	p->command_size = (uint32_t)strlen(p->name) + 1;	/* it is gone already */
	memcpy(p->command, p->name, p->command_size);
}

/* The time that samples of T stand for, ns. */
static double thread_sampled_time(const struct process *p, const struct process_thread *t)
{
	return t->folds ? (double)recording_time(p->live, t->fold.thread) : 0;
}

/* What the kernel told of T at its end, of this program, ns; 0: nothing. */
static double thread_told(const struct process *p, const struct process_thread *t)
{
	return fmax((double)t->used - (t->tid == p->pid ? (double)p->earlier : 0), 0);
}

/* What P's threads, which used USED ns, lack to that beyond their samples: each what it was told to have used, and one of which nothing was told its part of what is left by
 * then, as its samples are of theirs.  Threads that ended before a sample met them were like those that ended and were met.  Where none lacks anything: as all their
 * samples are.  malloc'ed, and *SUM of them, ns; NULL: out of memory. */
static double *lacks_make(const struct process *p, uint64_t used, double *sum)
{
	double *lacks = calloc(p->nthreads + 1, sizeof *lacks), ended = 0, others = 0, left = (double)used;
	bool none;

	for (uint32_t i = 0; lacks && i < p->nthreads; i++) {
		*(p->threads[i]->used ? &ended : &others) += thread_sampled_time(p, p->threads[i]);
		left -= thread_told(p, p->threads[i]);
	}
	left = fmax(left - others - (ended > 0 ? (double)p->brief : 0), 0);
	*sum = 0;
	for (uint32_t i = 0; lacks && i < p->nthreads; i++) {
		const struct process_thread *t = p->threads[i];
		double sampled = thread_sampled_time(p, t);

		if (sampled > 0)
			lacks[i] = t->used ? fmax(thread_told(p, t) - sampled, 0) + (double)p->brief * sampled / ended : left * sampled / others;
		*sum += lacks[i];
	}
	none = *sum <= 0;
	for (uint32_t i = 0; lacks && none && i < p->nthreads; i++) {
		lacks[i] = thread_sampled_time(p, p->threads[i]);
		*sum += lacks[i];
	}
	return lacks;
}

/* Share NSEC of the USED ns of P, which no sample saw, among the contexts of its threads by what each of these lacks.  Returns what was shared: all, or nothing. */
static uint64_t process_share(struct process *p, uint64_t used, uint64_t nsec)
{
	double sum, before = 0, *lacks = nsec ? lacks_make(p, used, &sum) : NULL;
	uint64_t now = process_now(), given = 0;

	for (uint32_t i = 0; lacks && before < sum && i < p->nthreads; i++) {
		const struct process_thread *t = p->threads[i];
		uint64_t part;

		if (lacks[i] <= 0)
			continue;
		before += lacks[i];
		part = before < sum ? (uint64_t)((double)nsec * (before / sum)) - given : nsec - given;
		given += part;
		recording_share(p->live, t->fold.thread, part, now);
		recording_thread_record(p->live, t->fold.thread)->cpu_last += part;
	}
	free(lacks);
	if (given)
		recording_header(p->live)->unsure += given;
	return given;
}

/* What samples of P lack of the USED ns of its program, LEFT ns, by the reasons: what has one of those that are chance is shared, if it was SAMPLED; by the clock wall it is in the elapsed
 * time that samples stand for.  Returns what is not. */
static uint64_t left_settle(struct process *p, struct account *a, uint64_t used, uint64_t left, bool sampled)
{
	uint64_t parts[ACCOUNT_REASONS], shared = 0, rest = left;

	for (int i = 0; i < ACCOUNT_REASONS; i++) {
		parts[i] = p->missing[i] < rest ? p->missing[i] : rest;
		rest -= parts[i];
	}
	parts[p->reason] += rest;
	if (sampled) {
		shared = parts[ACCOUNT_SOON] + parts[ACCOUNT_LOST];
		shared = p->accounts->wall ? shared : process_share(p, used, shared);
	}
	if (shared)
		parts[ACCOUNT_SOON] = parts[ACCOUNT_LOST] = 0;
	a->shared += shared;
	for (int i = 0; i < ACCOUNT_REASONS; i++)
		a->missing[i] += parts[i];
	return left - shared;
}

void process_settle(struct process *p, uint64_t used, bool goes)
{
	const char *program = p->program ? p->program : p->name;
	struct account *a = NULL;
	struct process_thread *t = thread_sampled(p);
	uint64_t left;

	if (!p->accounts || !*program)
		return;
	if (p->accounts->skip && p->accounts->skip(program))
		p->accounts->skipped++;
	else
		a = account_of(p->accounts, program);
	if (!a)
		return;
	used = used ? used : p->placed;
	left = account_settle(a, used, p->placed);
	left = left_settle(p, a, used, left, t);
	account_begin(a, p->started, p->command, p->command_size);
	a->processes += goes;
	a->error = p->error ? p->error : a->error;
	left = p->accounts->wall ? 0 : left;
	if (t)
		recording_thread_record(p->live, t->fold.thread)->unplaced += left;
	else
		account_bare(a, goes, left);
}

/* P becomes another program at TIME.  Of what the kernel counts for it by then nobody tells; it ran without a pause as a rule, if it began a moment ago. */
static void settle_at_exec(struct process *p, uint64_t time)
{
	uint64_t most = p->accounts ? p->accounts->period : 0, elapsed = time > p->started ? time - p->started : 0, used = p->placed;

	if (elapsed > used)
		used += elapsed - used < most ? elapsed - used : 0;
	process_settle(p, used, false);
	p->earlier += used;
}

void process_exec(struct process *p, const char *name, uint64_t time)
{
	settle_at_exec(p, time);
	file_close(p);				/* what it was has ended, with all threads but one */
	p->running = 1;
	space_free(&p->space);
	free(p->program);
	p->program = NULL;
	p->started = time;
	p->programs++;
	p->bare = true;
	p->met = false;
	snprintf(p->name, sizeof p->name, "%s", name);
	command_read(p);
	p->told = false;
}

void process_tell(struct process *p, char **command)
{
	p->command_size = 0;
	p->told = true;
	for (; *command && p->command_size < sizeof p->command; command++) {
		size_t size = strlen(*command) + 1, room = sizeof p->command - p->command_size;

		memcpy(p->command + p->command_size, *command, size < room ? size : room);
		p->command_size += (uint32_t)(size < room ? size : room);
	}
}

/* What P runs now, by its link, to PROGRAM; "": it is gone. */
static void program_read(const struct process *p, char program[PATH_MAX])
{
	proc_link((pid_t)p->pid, "exe", program, PATH_MAX);
}

/* Is it still the program that is recorded? */
static bool is_same_program(const struct process *p)
{
	char program[PATH_MAX];

	program_read(p, program);
	return p->live && p->program && !strcmp(p->program, program);
}

void process_begin(struct process *p, const struct happening *h)
{
	if (!h->program && is_same_program(p))
		return;				/* another source took over */
	if (p->looked)				/* else what is known of it is the program that it was to become */
		process_exec(p, h->name ? h->name : "", h->time);
	else if (h->name)
		snprintf(p->name, sizeof p->name, "%s", h->name);
	p->started = h->time;
	p->ppid = h->ppid ? h->ppid : p->ppid;
	p->running = PROCESS_UNCOUNTED;
	if (!p->looked)
		p->looked = 1;			/* what it is: what it has mapped comes with its first sample */
	if (!h->program) {
		process_look(p);
		return;
	}
	free(p->program);
	p->program = strdup(h->program);
	p->command_size = (uint32_t)(h->command_size < sizeof p->command ? h->command_size : sizeof p->command);
	memcpy(p->command, h->command, p->command_size);
	p->told = false;
}

void process_maps(struct process *p, const char *text)
{
	p->looked = process_now();
	space_renew(&p->space, text);
}

/* Is NAME, in FOLDER, the file PROGRAM by another name?  Then TO, of SIZE bytes, is that path. */
static bool is_link(const char *folder, size_t length, const char *name, const char *program, char *to, size_t size)
{
	struct stat link, file;
	int n;

	while (name[0] == '.' && name[1] == '/')
		name += 2;
	n = snprintf(to, size, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
	return n > 0 && (size_t)n < size && to[0] == '/' && stat(to, &link) == 0 && stat(program, &file) == 0 && link.st_ino == file.st_ino && link.st_dev == file.st_dev;
}

/* The path by which the program was started, to TO, of SIZE bytes: a file of many names is many programs (busybox, redis-server).  Its own path where the first argument is no name of it, or
 * hooks tell of it, whose profile has that. */
static void process_name_find(const struct process *p, const struct amon_header *h, char *to, size_t size)
{
	const char *called = p->command, *slash = strrchr(p->program, '/'), *last = memchr(called, 0, p->command_size) ? strrchr(called, '/') : NULL;
	bool plain = h->way == 1u << AMON_WAY_STACKS && p->command_size > 1 && memchr(called, 0, p->command_size) && *called && slash;

	if (plain && strcmp(last ? last + 1 : called, slash + 1) != 0) {
		if (last && is_link(h->directory, called[0] == '/' ? 0 : strlen(h->directory), called, p->program, to, size))
			return;
		if (!last && is_link(p->program, (size_t)(slash - p->program), called, p->program, to, size))
			return;
		for (const char *at = last ? NULL : getenv("PATH"); at; at = at[strcspn(at, ":")] ? at + strcspn(at, ":") + 1 : NULL)
			if (is_link(at, strcspn(at, ":"), called, p->program, to, size))
				return;
	}
	snprintf(to, size, "%s", p->program);
}

/* It is known what P is.  There is a file where samples came before that. */
static void program_set(struct process *p, const char *program)
{
	p->program = strdup(program);
	if (p->live && p->program)
		process_name_find(p, recording_header(p->live), recording_header(p->live)->program, sizeof recording_header(p->live)->program);
}

void process_map(struct process *p, const struct happening *h)
{
	bool is_file = h->name[0] == '/' && h->name[1] != '/';

	if (!p->program && p->bare && is_file)
		program_set(p, h->name);	/* the first that is mapped is the program itself */
	p->bare &= !is_file;
	space_map(&p->space, h->start, h->length, h->offset, h->device, h->inode, h->name);
}

static bool maps_look_at(struct process *p)
{
	p->looked = process_now();
	return space_read(&p->space);
}

bool process_look(struct process *p)
{
	char program[PATH_MAX];

	command_read(p);
	program_read(p, program);
	if (*program && !p->program)
		program_set(p, program);
	return maps_look_at(p);
}

/* ---- its threads ---- */

static struct process_thread *process_thread_find(struct process *p, uint32_t tid)
{
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i]->runs && p->threads[i]->tid == tid)
			return p->threads[i];
	return NULL;
}

/* The thread TID, which has ended and of which there were samples: the kernel may still be at work for it. */
static struct process_thread *thread_dying(struct process *p, uint32_t tid)
{
	for (uint32_t i = p->nthreads; i-- > 0;)
		if (!p->threads[i]->runs && p->threads[i]->folds && p->threads[i]->tid == tid)
			return p->threads[i];
	return NULL;
}

/* A place for thread TID; NULL: out of memory. */
static struct process_thread *process_thread_new(struct process *p, uint32_t tid)
{
	struct process_thread *t;

	if (!array_grow(&p->threads, &p->threads_room, p->nthreads, sizeof *p->threads) || !(t = calloc(1, sizeof *t)))
		return NULL;
	*t = (struct process_thread){ .tid = tid, .runs = true };
	memcpy(t->name, p->name, sizeof t->name);
	return p->threads[p->nthreads++] = t;
}

/* The thread TID, which has contexts; where many have ended, one takes the place of another: files do not grow with threads. */
static struct process_thread *thread_folds(struct process *p, uint32_t tid)
{
	enum { MANY = 64 };
	struct process_thread *t = process_thread_find(p, tid);
	struct amon_thread *record;

	if (!t)
		t = thread_dying(p, tid);
	for (uint32_t i = 0; !t && p->nthreads > MANY && i < p->nthreads; i++)
		if (!p->threads[i]->runs && p->threads[i]->folds) {
			t = p->threads[i];
			record = recording_thread_record(p->live, t->fold.thread);
			record->state = AMON_THREAD_FOLDED;
			record->folded++;
			record->tid = t->tid = tid;
			t->runs = true;
		}
	if (!t)
		t = process_thread_new(p, tid);
	if (t && !t->folds && fold_init(&t->fold, p->live, tid)) {
		t->folds = true;
		memcpy(recording_thread_record(p->live, t->fold.thread)->name, t->name, sizeof t->name);
	}
	return t && t->folds ? t : NULL;
}

static void name_renew(struct process *p, struct process_thread *t, const char *name)
{
	memset(t->name, 0, sizeof t->name);
	snprintf(t->name, sizeof t->name, "%s", name);
	if (t->folds)
		memcpy(recording_thread_record(p->live, t->fold.thread)->name, t->name, sizeof t->name);
}

void process_name(struct process *p, uint32_t tid, const char *name)
{
	struct process_thread *t = process_thread_find(p, tid);

	if (tid == p->pid)
		snprintf(p->name, sizeof p->name, "%s", name);
	if (!t)
		t = process_thread_new(p, tid);
	if (t)
		name_renew(p, t, name);
}

void process_look_at_thread(struct process *p, uint32_t tid)
{
	char path[64], name[16] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%u/task/%u/comm", p->pid, tid);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof name, f))
		name[strcspn(name, "\n")] = 0;
	if (f)
		fclose(f);
	process_name(p, tid, name);
}

/* How many periods T has had with TIME ns more. */
static uint64_t periods_of(struct process_thread *t, uint64_t time)
{
	uint64_t n = (t->rest + time) / t->period;

	t->rest = (t->rest + time) % t->period;
	return n;
}

/* Charge the waiting of T up to TIME, within an interval, as so many samples as that has periods: a poll would have taken them. */
static void wait_part(struct process *p, struct process_thread *t, uint64_t time)
{
	uint64_t waited = time - t->since, ticks = periods_of(t, waited);

	recording_add(p->live, t->fold.thread, t->waiting, 0, waited, ticks);
	fold_count_sites(&t->fold, ticks);
	recording_slice(p->live, t->fold.thread, t->waiting, t->since, waited, ticks);
	recording_header(p->live)->notes[AMON_NOTE_CUT_STACK] += t->cut ? ticks : 0;
	t->since = time;
}

static void wait_charge(struct process *p, struct process_thread *t, uint64_t time)
{
	while (t->since < time) {
		uint64_t end = recording_interval_end(p->live, t->since);

		wait_part(p, t, end < time ? end : time);
	}
}

void process_resumed(struct process *p, uint32_t tid, uint64_t time)
{
	struct process_thread *t = process_thread_find(p, tid);

	if (!t || !t->waits)
		return;
	wait_charge(p, t, time);
	t->waits = false;
}

void process_wait(struct process *p, uint64_t time)
{
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i]->waits)
			wait_charge(p, p->threads[i], time);
}

void process_ended(struct process *p, uint32_t tid, uint64_t time)
{
	struct process_thread *t = process_thread_find(p, tid);

	process_resumed(p, tid, time);
	if (p->running > 0 && p->running != PROCESS_UNCOUNTED)
		p->running--;
	if (!t)
		return;
	t->runs = false;
	if (t->folds && recording_thread_record(p->live, t->fold.thread)->state == AMON_THREAD_LIVE)
		recording_thread_record(p->live, t->fold.thread)->state = AMON_THREAD_ENDED;
}

void process_thread_used(struct process *p, uint32_t tid, uint64_t cpu)
{
	struct process_thread *t = process_thread_find(p, tid);

	t = t ? t : thread_dying(p, tid);
	*(t && t->folds ? &t->used : &p->brief) += cpu;
	p->used += cpu;
}

/* ---- its file ---- */

static void header_fill(const struct process *p, struct amon_header *h)
{
	struct timespec real;
	struct task_stat stat;

	clock_gettime(CLOCK_REALTIME, &real);
	h->pid = (int32_t)p->pid;
	h->ppid = (int32_t)p->ppid;
	h->start_monotonic = p->started;
	h->start_realtime = (uint64_t)real.tv_sec * 1000000000 + (uint64_t)real.tv_nsec - (process_now() - p->started);
	task_stat_read((pid_t)p->pid, 0, &stat);
	h->start_ticks = stat.start;
	memcpy(h->command, p->command, p->command_size);
	h->command_size = p->command_size;
	h->command_cut = p->command_size == sizeof h->command;
	proc_link((pid_t)p->pid, "cwd", h->directory, sizeof h->directory);
	if (p->program)
		process_name_find(p, h, h->program, sizeof h->program);
	else
		snprintf(h->program, sizeof h->program, "%s", p->name);
}

/* A sample may come between an exec and the first that the new program maps: what it is by its link, unless that is another one by now. */
static void program_look(struct process *p)
{
	char program[PATH_MAX];
	const char *slash;

	if (p->program)
		return;
	program_read(p, program);
	slash = strrchr(program, '/');
	if (slash && *p->name && !strncmp(slash + 1, p->name, sizeof p->name - 1))
		p->program = strdup(program);
}

static void process_path_make(const struct process *p, const struct process_wishes *w, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/stacks.%u.%u", w->directory, p->pid, p->programs);
}

static bool is_unwanted(const struct process *p, const struct process_wishes *w)
{
	return p->program && w->skip && w->skip(p->program);
}

/* The program became known after samples of it had come: its file goes if it is not wanted. */
static void program_judge(struct process *p, const struct process_wishes *w)
{
	char path[PATH_MAX];

	p->judged = true;
	if (is_unwanted(p, w)) {
		process_path_make(p, w, path);
		file_close(p);
		unlink(path);
		p->unwanted = true;
		return;
	}
	if (w->ways)
		recording_header(p->live)->way |= w->ways(p->program);
}

/* The file of P has the clock's time, and events, and what is allocated. */
static void values_begin(struct process *p, const struct process_wishes *w)
{
	p->counted = RECORDING_NONE;
	if (!recording_clock_value(p->live))
		return;
	for (size_t i = 0; i < w->nevents; i++) {
		uint32_t value = recording_value(p->live, w->events[i].name, w->events[i].unit, AMON_VALUE_SAMPLED | AMON_VALUE_WEIGHED);

		p->counted = i == 0 ? value : p->counted;
	}
	p->allocates = w->allocations && ledger_begin(&p->ledger, p->live);
}

static uint32_t inlined_number(void *arg, const struct debug_inlined *f)
{
	return synthetic_routine(&((struct process *)arg)->inlined_made, &(struct jit_function){ .name = f->name, .file = f->file, .line = f->line });
}

static void process_file_open(struct process *p, enum amon_source source, const struct process_wishes *w)
{
	struct amon_header h = w->header;
	struct error ignored;
	char path[PATH_MAX];

	program_look(p);
	p->unwanted = is_unwanted(p, w);
	if (p->unwanted)
		return;
	if (w->ways && p->program)
		h.way |= w->ways(p->program);
	header_fill(p, &h);
	h.source = h.pc_source = source;
	process_path_make(p, w, path);
	for (; access(path, F_OK) == 0; process_path_make(p, w, path))
		p->programs++;				/* of an earlier process of that number */
	p->live = recording_new(path, &h, &ignored);
	p->error = p->live ? 0 : errno;
	p->unwanted = !p->live;
	p->judged = p->program != NULL;
	if (p->live)
		recording_header(p->live)->notes[AMON_NOTE_LOST_STACK] = p->lost;
	if (p->live)
		recording_keep_sites(p->live);
	if (p->live && w->intervals)
		recording_keep_slices(p->live);
	if (p->live)
		values_begin(p, w);
	p->lost = 0;
	p->made = (struct synthetic){ .live = p->live, .path = "[jit]" };
	p->kernel = (struct synthetic){ .live = p->live, .path = "[kernel]" };
	p->inlined_made = (struct synthetic){ .live = p->live, .path = SYMBOLS_INLINED_MODULE };
	p->inlined = (struct inlined){ .number = inlined_number, .arg = p };
}

void process_lost(struct process *p, uint64_t n, bool of_time)
{
	p->loses |= of_time;
	p->missing[ACCOUNT_LOST] += p->accounts && of_time ? n * p->accounts->tick : 0;
	if (p->live)
		recording_header(p->live)->notes[AMON_NOTE_LOST_STACK] += n;
	else
		p->lost += n;
}

static uint64_t process_routine_hash(const void *owner, uint32_t position)
{
	const struct process_routine *r = &((const struct process *)owner)->routines[position];

	return hash_mix(r->address, r->module);
}

/* The routine of the file at ADDRESS in MODULE; RECORDING_NONE: it is not there yet. */
static uint32_t routine_find(const struct process *p, uint64_t address, uint32_t module)
{
	uint64_t i = hash_mix(address, module);
	uint32_t k;

	while ((k = table_next(&p->by_address, &i)) != UINT32_MAX)
		if (p->routines[k].address == address && p->routines[k].module == module)
			return p->routines[k].number;
	return RECORDING_NONE;
}

/* The routine of the file that begins at ADDRESS in MODULE. */
static uint32_t process_routine_of(struct process *p, uint64_t address, uint32_t module)
{
	uint64_t key = hash_mix(address, module);
	uint32_t k = routine_find(p, address, module);

	if (k != RECORDING_NONE)
		return k;
	if (!array_grow(&p->routines, &p->routines_room, p->nroutines, sizeof *p->routines) || !table_reserve(&p->by_address, p->nroutines + 1, process_routine_hash, p))
		return RECORDING_NONE;
	k = recording_routine(p->live, address, module, 0);
	if (k == RECORDING_NONE)
		return RECORDING_NONE;
	p->routines[p->nroutines] = (struct process_routine){ address, module, k };
	table_add(&p->by_address, key, p->nroutines++);
	return k;
}

/* The routine at ADDRESS of M, code that no file has and nobody has told the name of: by its address, so that it can have one later, as long as these are not too many; of later ones
 * one for the mapping, which has no module, and waits for no name. */
static uint32_t unnamed_at(struct process *p, const struct mapping *m, uint64_t address)
{
	uint32_t module = process_module_of(p, m), routine = routine_find(p, address, module);

	if (routine != RECORDING_NONE)
		return routine;
	if (p->unnamed == MOST_UNNAMED)
		return process_routine_of(p, m->start, RECORDING_NONE);
	routine = process_routine_of(p, address, module);
	p->unnamed += routine != RECORDING_NONE;
	return routine;
}

/* The routine at ADDRESS of M, code that no file has: as the process tells, else without a name. */
static uint32_t made_at(struct process *p, const struct mapping *m, uint64_t address)
{
	const struct jit_function *f;

	if (!p->jit) {
		p->jit = jit_new((pid_t)p->pid, recording_header(p->live)->start_ticks);
		p->dumps_looked = ~p->space.made;
	}
	if (!p->jit)
		return unnamed_at(p, m, address);
	for (uint32_t i = 0; p->dumps_looked != p->space.made && i < p->space.n; i++)
		if (p->space.mappings[i].image)
			jit_mapped(p->jit, p->space.mappings[i].image->path);
	p->dumps_looked = p->space.made;
	f = jit_find(p->jit, address);
	return f ? synthetic_routine(&p->made, f) : unnamed_at(p, m, address);
}

/* The routine that ADDRESS is in; *LASTS: as long as the mappings stay. */
static uint32_t process_routine_at(struct process *p, uint64_t address, bool *lasts)
{
	const struct mapping *m = space_find(&p->space, address);
	uint64_t start;

	*lasts = !m || m->image;
	if (!m)
		return RECORDING_NONE;
	if (!m->image)
		return made_at(p, m, address);
	if (image_is_signal(m->image, address - m->bias))
		return AMON_ROUTINE_SIGNAL;
	start = image_function(m->image, address - m->bias);
	return start ? process_routine_of(p, start + m->bias, process_module_of(p, m)) : NOT_A_ROUTINE;
}

/* The same, as it was found before; *IN_FILE: in code that a file has. */
static uint32_t process_routine_known(struct process *p, uint64_t address, bool *in_file)
{
	struct known *k;
	uint32_t routine;

	*in_file = true;
	if (!p->known && !(p->known = calloc(KNOWN, sizeof *p->known)))
		return RECORDING_NONE;
	k = &p->known[hash_mix(address, 0) % KNOWN];
	if (k->address == address && k->epoch == p->space.made)
		return k->routine;
	routine = process_routine_at(p, address, in_file);
	if (*in_file)
		*k = (struct known){ address, p->space.made, routine };
	return routine;
}

/* Behind the routine that ADDRESS is in: those that its code was inlined from, ROOM at most, outermost first into OUT; returns how many. */
static size_t inlined_at(struct process *p, uint64_t address, struct fold_call *out, size_t room)
{
	const struct mapping *m = space_find(&p->space, address);
	const uint32_t *routines;
	uint64_t entry;
	uint32_t n;

	if (!m || !m->image)
		return 0;
	routines = inlined_find(&p->inlined, m->image, address - m->bias, &n, &entry);
	if (n > room)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct fold_call){ routines[i], i == 0 && entry ? entry + m->bias + 1 : AMON_SITE_NONE };
	return n;
}

/* The calls that made the N FRAMES, innermost first, of a stack, outermost first in OUT, which has room for ROOM; returns how many.  INLINED: those that
 * the code was inlined from are among them, as far as there is room beside those that have code.
 *
 * A call's site is in the last routine before it, whatever jumped on from there.  None has what no instruction called: what a signal interrupted, its handler.
 * That of code made at run time is none that anybody could find again.  What was inlined into a routine that has code is called where its own begins:
 * an address less one tells both what it stands for in that routine and in what was inlined. */
static size_t process_calls_of(struct process *p, const struct walk_frame *frames, size_t n, bool inlined, struct fold_call *out, size_t room)
{
	uint64_t back = AMON_SITE_NONE;
	size_t count = 0;
	bool in_file;

	while (n > 0) {
		const struct walk_frame *f = &frames[--n];
		uint32_t routine = process_routine_known(p, f->address, &in_file);

		if (routine == NOT_A_ROUTINE || routine == RECORDING_NONE)
			continue;
		out[count++] = (struct fold_call){ routine, back };
		back = in_file && routine != AMON_ROUTINE_SIGNAL ? f->back : AMON_SITE_NONE;
		if (inlined && routine != AMON_ROUTINE_SIGNAL)
			count += inlined_at(p, f->address, out + count, room - count - n);
	}
	return count;
}

/* The kernel, and below it its routines that were at work, outermost first into OUT; returns how many. */
static size_t kernel_calls(struct process *p, const struct happening *h, const struct kernel *kernel, struct fold_call *out)
{
	size_t n = h->nchain < KERNEL_DEEPEST - 1 ? h->nchain : KERNEL_DEEPEST - 1, count = 0;

	out[count++] = (struct fold_call){ AMON_ROUTINE_KERNEL, AMON_SITE_NONE };
	for (size_t i = n; kernel && i-- > 0;) {
		const char *name = kernel_name(kernel, h->chain[i] - (i > 0));	/* all but the innermost are behind a call */
		uint32_t routine = name ? synthetic_routine(&p->kernel, &(struct jit_function){ .name = name }) : RECORDING_NONE;

		if (routine != RECORDING_NONE)
			out[count++] = (struct fold_call){ routine, AMON_SITE_NONE };
	}
	return count;
}

/* Follow the stack of H; false: not to the thread's start. */
static bool process_follow(const struct process *p, const struct happening *h, struct walk_frame *frames, size_t *n)
{
	struct walk w = { .space = &p->space, .stack = h->stack, .size = h->stack_size, .more = h->more, .more_arg = h->more_arg,
		.chain = h->user, .nchain = h->nuser };

	*n = 0;
	memcpy(w.regs, h->regs, sizeof w.regs);
	return h->readable && walk_stack(&w, frames, DEEPEST, n) == WALK_WHOLE;
}

/* The same where nobody tells when something is mapped: ask /proc what is, after a while, and sooner if the stack leads nowhere. */
static bool follow_asking(struct process *p, const struct happening *h, struct walk_frame *frames, size_t *n)
{
	enum { WHILE = 250000000, SOON = 10000000 };	/* ns */
	uint64_t age = process_now() - p->looked;
	bool whole;

	if (age > WHILE)
		maps_look_at(p);
	whole = process_follow(p, h, frames, n);
	if (whole || age <= SOON || age > WHILE)
		return whole;
	maps_look_at(p);
	return process_follow(p, h, frames, n);
}

/* One more sample, of PERIOD ns: a source that took less than it was asked for says how much. */
static void rate_renew(struct process *p, uint64_t period, uint32_t most)
{
	struct amon_header *h = recording_header(p->live);
	uint64_t mean;

	p->sampled += period;
	mean = p->sampled / ++p->samples;
	h->rate = mean > 0 && 1000000000 / mean < most ? (uint32_t)(1000000000 / mean) : most;
	h->rate += h->rate == 0;
	h->pc_period = mean;
}

/* The file is of the source that samples now: another one may have begun, before the program took the signal for itself. */
static void source_renew(struct process *p, enum amon_source source)
{
	struct amon_header *h = recording_header(p->live);

	if (h->source != source)
		h->source = h->pc_source = source;
}

/* Is T the thread of the monitor in a program with hooks (inside/clock/sampler.c)?  It always waits, and on nobody's behalf.  Where the program has that name, its
 * own threads may have it, too. */
static bool process_is_monitors(const struct process *p, const struct process_thread *t)
{
	return recording_header(p->live)->way & ~(1u << AMON_WAY_STACKS) && strcmp(t->name, "aprof") == 0 && strcmp(p->name, t->name) != 0;
}

/* There is a file that samples of P go to: made, if this is the first. */
static bool process_is_recorded(struct process *p, enum amon_source source, const struct process_wishes *wishes)
{
	if (!p->live && !p->unwanted)
		process_file_open(p, source, wishes);
	if (p->live && !p->judged && p->program)
		program_judge(p, wishes);
	return p->live;
}

/* The stack of a sample: whether it goes back to its thread's start, and the calls that made it, outermost first. */
struct stack_found {
	bool whole;
	size_t count;
	struct fold_call calls[DEEPEST + 2 + KERNEL_DEEPEST + INLINED_DEEPEST];
};

/* How many of the N FRAMES, innermost first, are of the library that told of an allocation. */
static size_t frames_of_ours(const struct process *p, const struct walk_frame *frames, size_t n)
{
	size_t i = 0;

	for (; i < n; i++) {
		const struct mapping *m = space_find(&p->space, frames[i].address);
		const char *slash = m && m->image ? strrchr(m->image->path, '/') : NULL;

		if (!slash || strcmp(slash + 1, HEAP_LIBRARY) != 0)
			break;
	}
	return i;
}

/* Follow the stack of H, as a source does that TELLS_MAPS or not. */
static void stack_find(struct process *p, const struct happening *h, bool tells_maps, const struct process_wishes *wishes, struct stack_found *s)
{
	struct walk_frame frames[DEEPEST];
	size_t n = 0, ours;

	s->whole = tells_maps ? process_follow(p, h, frames, &n) : follow_asking(p, h, frames, &n);
	s->count = 0;
	if (!s->whole)
		s->calls[s->count++] = (struct fold_call){ AMON_ROUTINE_TRUNCATED, AMON_SITE_NONE };
	recording_header(p->live)->notes[AMON_NOTE_CUT_STACK] += !s->whole;
	ours = h->kind == HAPPENED_ALLOCATED ? frames_of_ours(p, frames, n) : 0;
	s->count += process_calls_of(p, frames + ours, n - ours, wishes->inlined, s->calls + s->count, DEEPEST + INLINED_DEEPEST);
	if (h->kernel)
		s->count += kernel_calls(p, h, wishes->kernel, s->calls + s->count);
}

/* The names of routines that were made for the last sample are written down. */
static void names_write(struct process *p, uint64_t time)
{
	synthetic_write(&p->made, time);
	synthetic_write(&p->kernel, time);
	synthetic_write(&p->inlined_made, time);
}

/* The context of T, of P, that the stack of H leads to; RECORDING_NONE: there is no room. */
static uint32_t context_find(struct process *p, struct process_thread *t, const struct happening *h, bool tells_maps, const struct process_wishes *wishes)
{
	struct stack_found s;
	uint32_t item;

	stack_find(p, h, tells_maps, wishes, &s);
	item = fold_stack(&t->fold, s.calls, s.count);
	names_write(p, h->time);
	return item;
}

/* Room for counts of all events at *EVENTS, of P or a thread of it.  False: out of memory. */
static bool events_of(struct process *p, struct event_count **events, const struct process_wishes *wishes)
{
	p->nevents = wishes->nevents;
	return *events || (*events = calloc(wishes->nevents, sizeof **events)) != NULL;
}

void process_counted(struct process *p, const struct happening *h, const struct source *source, const struct process_wishes *wishes)
{
	struct process_thread *t = process_is_recorded(p, source->kind->number, wishes) && p->counted != RECORDING_NONE ? thread_folds(p, h->tid) : NULL;
	uint32_t item = t ? context_find(p, t, h, source->kind->tells_maps, wishes) : RECORDING_NONE;

	if (item == RECORDING_NONE || !recording_amount(p->live, t->fold.thread, item, p->counted + (uint32_t)h->event, h->period, 1))
		return;
	if (events_of(p, &t->events, wishes) && events_of(p, &p->events, wishes))
		add_capped(&t->events[h->event].sampled, h->period);
}

void process_counted_all(struct process *p, const struct happening *h, const struct process_wishes *wishes)
{
	struct process_thread *t = process_thread_find(p, h->tid);
	struct event_count **to;

	t = t ? t : thread_dying(p, h->tid);
	to = t && t->events ? &t->events : &p->events;
	if (events_of(p, &p->events, wishes))
		add_capped(&(*to)[h->event].told, h->period);
}

void process_allocated(struct process *p, const struct happening *h, const struct source *source, const struct process_wishes *wishes)
{
	struct process_thread *t = process_is_recorded(p, source->kind->number, wishes) && p->allocates ? thread_folds(p, h->tid) : NULL;
	uint32_t item;

	if (!t || h->bytes == 0 || h->mean == 0)
		return;
	name_renew(p, t, h->name);
	item = context_find(p, t, h, source->kind->tells_maps, wishes);
	if (item != RECORDING_NONE)
		ledger_allocated(&p->ledger, p->live, t->fold.thread, item, h);
}

void process_freed(struct process *p, const struct happening *h)
{
	ledger_freed(&p->ledger, h->allocation);
	if (p->live)
		recording_header(p->live)->notes[AMON_NOTE_UNTRACKED] += h->untracked;
}

void process_sample(struct process *p, const struct happening *h, const struct source *source, const struct process_wishes *wishes)
{
	const struct source_kind *kind = source->kind;
	bool wall = wishes->header.clock == AMON_CLOCK_WALL;
	struct stack_found s;
	struct process_thread *t;
	uint32_t item;

	if (!process_is_recorded(p, kind->number, wishes) || !(t = thread_folds(p, h->tid))) {
		p->missing[p->live ? ACCOUNT_ROOM : ACCOUNT_FILE] += h->cpu;
		return;
	}
	if (h->name)
		name_renew(p, t, h->name);
	if (h->waits && process_is_monitors(p, t)) {
		t->waits = false;
		return;
	}
	source_renew(p, kind->number);
	stack_find(p, h, kind->tells_maps, wishes, &s);
	if (!h->waits)
		process_resumed(p, h->tid, h->time - h->period);	/* what told that it did was lost */
	item = fold_stack(&t->fold, s.calls, s.count);
	if (item == RECORDING_NONE) {
		p->missing[ACCOUNT_ROOM] += h->cpu;
		return;
	}
	p->placed += h->cpu;
	recording_charge(p->live, t->fold.thread, item, h->period);
	t->period = 1000000000 / (source->rate ? source->rate : wishes->header.rate);
	fold_count_sites(&t->fold, wall ? periods_of(t, h->period) : 1);
	recording_slice(p->live, t->fold.thread, item, h->time, h->period, 1);
	if (kind->number != AMON_SOURCE_PERF)
		rate_renew(p, h->period, wishes->header.rate);
	recording_thread_record(p->live, t->fold.thread)->cpu_last += h->cpu;
	t->waits = h->waits && t->runs;
	t->waiting = item;
	t->since = h->time;
	t->cut = !s.whole;
	if (!h->kernel && h->regs[HAPPENING_IP])
		recording_pc(p->live, t->fold.thread, 0, item, h->regs[HAPPENING_IP], 1);
	recording_thread_record(p->live, t->fold.thread)->current = item;
	names_write(p, h->time);
}
