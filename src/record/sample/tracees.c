/* tracees.c - who is seized, and what /proc says of them. */
#include "record/sample/tracees.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/proc.h"
#include "base/task_stat.h"

enum {
	UNSERVED = 30,			/* ms of CPU time after which a program that says nothing will say nothing */
	HELD = 64,			/* threads whose file in /proc stays open, at most: others need descriptors, too */
	HELD_SHARE = 16,		/* of the descriptors that there may be, one in so many is for these */
};

static uint64_t tracees_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void tracee_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
}

void tracee_missing(pid_t pid, struct error *err)
{
	bool proc = access("/proc/self", F_OK) == 0;

	error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, proc ? "%d: no such process" : "%d: /proc is not there, which lists its threads", (int)pid);
}

void tracee_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	tracee_read(path, name, size);
	name[strcspn(name, "\n")] = 0;
}

void tracees_tell(struct tracees *t, const struct happening *h)
{
	if (array_grow(&t->queue, &t->queue_room, t->nqueue, sizeof *t->queue))
		t->queue[t->nqueue++] = *h;
}

static bool may_hold(const struct tracees *t)
{
	struct rlimit limit;

	return t->nthreads < HELD && (getrlimit(RLIMIT_NOFILE, &limit) != 0 || t->nthreads < limit.rlim_cur / HELD_SHARE);
}

static int schedstat_open(const struct traced_thread *t)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)t->process->pid, (int)t->tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct tracee_time tracee_time(const struct traced_thread *t)
{
	char text[64], *at = text;
	int fd = t->fd < 0 ? schedstat_open(t) : t->fd;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	struct tracee_time time = { 0 };

	if (t->fd < 0 && fd >= 0)
		close(fd);
	if (n <= 0)
		return time;
	text[n] = 0;
	time.cpu = strtoull(at, &at, 10);
	time.waited = strtoull(at, &at, 10);
	time.slices = strtoull(at, NULL, 10);
	return time;
}

uint64_t tracee_slices(const struct traced_thread *t, uint64_t *slices)
{
	struct tracee_time time = tracee_time(t);

	*slices = time.slices;
	return time.cpu;
}

uint64_t tracee_cpu(const struct traced_thread *t) { return tracee_time(t).cpu; }

char tracee_state(const struct traced_thread *t)
{
	struct task_stat stat;

	task_stat_read(t->process->pid, t->tid, &stat);
	return stat.state;
}

struct traced_thread *tracees_find(struct tracees *t, pid_t tid)
{
	for (size_t i = 0; i < t->nthreads; i++)
		if (t->threads[i].tid == tid)
			return &t->threads[i];
	return NULL;
}

/* Seize TID of P.  False, with errno: it cannot be, or there is no memory. */
static bool tracees_thread_add(struct tracees *t, struct traced *p, pid_t tid)
{
	struct traced_thread new = { .tid = tid, .process = p, .found = true };

	if (!array_grow(&t->threads, &t->threads_room, t->nthreads, sizeof *t->threads))
		return false;
	if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0)
		return false;
	new.fd = may_hold(t) ? schedstat_open(&new) : -1;
	new.seen = new.met = p->told ? 0 : tracee_cpu(&new);
	new.cpu = new.seen;
	new.charged = tracees_now();
	t->threads[t->nthreads++] = new;
	return true;
}

void tracees_end(struct tracees *t, struct traced_thread *thread)
{
	if (thread->sleeps)
		tracees_tell(t, &(struct happening){ .kind = HAPPENED_RESUMED, .pid = (uint32_t)thread->process->pid, .tid = (uint32_t)thread->tid, .time = thread->charged });
	if (thread->process->told && !thread->process->left)
		tracees_tell(t, &(struct happening){ .kind = HAPPENED_ENDED, .pid = (uint32_t)thread->process->pid, .tid = (uint32_t)thread->tid, .time = tracees_now() });
	if (thread->fd >= 0)
		close(thread->fd);
	*thread = t->threads[--t->nthreads];
}

static struct traced *process_find(struct tracees *t, pid_t pid)
{
	for (size_t i = 0; i < t->nprocesses; i++)
		if (t->processes[i]->pid == pid)
			return t->processes[i];
	return NULL;
}

static struct traced *tracees_process_add(struct tracees *t, pid_t pid)
{
	struct traced *p;

	if (!array_grow(&t->processes, &t->processes_room, t->nprocesses, sizeof *t->processes) || !(p = calloc(1, sizeof *p)))
		return NULL;
	p->pid = pid;
	p->ours = t->below && pid == t->roots[0];
	return t->processes[t->nprocesses++] = p;
}

/* Seize the threads of P that are not yet.  False, with errno: it may not be. */
static bool process_scan(struct tracees *t, struct traced *p)
{
	char path[64];
	struct dirent *entry;
	bool ok = true;
	int error;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)p->pid);
	dir = opendir(path);
	if (!dir)
		return errno = ESRCH, false;
	while (ok && (entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);
		struct traced_thread *thread = tid > 0 ? tracees_find(t, tid) : NULL;

		if (thread)
			thread->found = true;
		else if (tid > 0)
			ok = tracees_thread_add(t, p, tid) || errno == ESRCH || errno == ENOMEM || (errno == EPERM && task_has_ended(p->pid, tid));
	}
	error = errno;
	closedir(dir);
	errno = error;
	return ok;
}

/* Tell of the program that P is, if that is news. */
static void process_tell_of(struct tracees *t, struct traced *p)
{
	char program[PATH_MAX], name[16];
	bool known = proc_link(p->pid, "exe", program, sizeof program);

	if (p->told && (!known || !strcmp(program, p->program)))
		return;
	memcpy(p->program, program, sizeof program);
	p->told = true;
	tracees_tell(t, &(struct happening){ .kind = HAPPENED_BEGAN, .pid = (uint32_t)p->pid, .tid = (uint32_t)p->pid, .time = tracees_now(), .cpu = p->before });
	for (size_t i = 0; i < t->nthreads; i++)
		if (t->threads[i].process == p) {
			tracee_name(p->pid, t->threads[i].tid, name, sizeof name);
			tracees_tell(t, &(struct happening){ .kind = HAPPENED_NAMED, .pid = (uint32_t)p->pid, .tid = (uint32_t)t->threads[i].tid, .time = tracees_now(),
							       .name = strdup(name) });
		}
}

uint64_t tracee_process_cpu(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Is the process PID for us?  A child that is not its program yet is not, nor what another source has. */
static bool tracees_is_for_us(struct tracees *t, pid_t pid)
{
	char program[PATH_MAX], self[PATH_MAX];

	if (!t->below)
		return true;
	if (proc_link(pid, "exe", program, sizeof program) && proc_link(getpid(), "exe", self, sizeof self) && !strcmp(program, self))
		return false;
	return (!t->late || tracee_process_cpu(pid) > UNSERVED * 1000000) && !t->serves(t->arg, pid);
}

/* Who has no descriptor left for /proc is told by the kernel at least who is there. */
static bool is_there(pid_t pid, pid_t tid) { return syscall(SYS_tgkill, pid, tid, 0) == 0 || errno != ESRCH; }

static bool is_alive(pid_t pid)
{
	struct task_stat stat;

	return task_stat_read(pid, 0, &stat) ? stat.state != 'Z' && stat.state != 'X' : is_there(pid, pid);
}

/* Somebody else sees to P, who came late: each tick of its timer would be a stop. */
static void process_leave(struct tracees *t, struct traced *p)
{
	p->left = true;
	for (size_t i = 0; i < t->nthreads; i++)
		if (t->threads[i].process == p)
			t->threads[i].asked |= ptrace(PTRACE_INTERRUPT, t->threads[i].tid, 0, 0) == 0;
}

/* See to PID, and to what it started. */
static void scan_from(struct tracees *t, pid_t pid, int depth)
{
	enum { DEEPEST = 64 };
	struct traced *p = process_find(t, pid);
	char path[64], *text = NULL, *at;
	struct dirent *entry;
	size_t room = 0;
	DIR *dir;

	if (!p && tracees_is_for_us(t, pid))
		p = tracees_process_add(t, pid);
	if (p && !p->left && t->late && t->serves(t->arg, pid))
		process_leave(t, p);
	if (p)
		p->found = true;
	if (p && !p->left) {
		if (!p->refused && !process_scan(t, p) && (errno == EPERM || errno == ENOSYS) && is_alive(pid) && ++p->tries > 1) {
			p->refused = true;
			t->nrefused++;
		}
		if (!p->refused)
			process_tell_of(t, p);
	}
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = depth < DEEPEST ? opendir(path) : NULL;
	while (dir && (entry = readdir(dir))) {
		char file[64 + 256 + 16];
		FILE *f;

		snprintf(file, sizeof file, "%s/%s/children", path, entry->d_name);
		f = entry->d_name[0] != '.' ? fopen(file, "re") : NULL;
		if (f && getline(&text, &room, f) > 0)
			for (at = text; *at >= '0' && *at <= '9'; at += strspn(at, " "))
				scan_from(t, (pid_t)strtol(at, &at, 10), depth + 1);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	free(text);
}

static void tracees_process_end(struct tracees *t, size_t i)
{
	struct traced *p = t->processes[i];

	if (p->used)
		tracees_tell(t, &(struct happening){ .kind = HAPPENED_USED, .pid = (uint32_t)p->pid, .cpu = p->used - p->before,
			.time = tracees_now() });
	if (p->told && !p->left)
		tracees_tell(t, &(struct happening){ .kind = HAPPENED_GONE, .pid = (uint32_t)p->pid, .time = tracees_now() });
	free(p);
	t->processes[i] = t->processes[--t->nprocesses];
}

bool tracees_begin(struct tracees *t, pid_t *pid)
{
	for (size_t i = 0; i < t->nroots && !t->below; i++) {
		struct traced *p = tracees_process_add(t, t->roots[i]);

		*pid = t->roots[i];
		if (!p)
			errno = ENOMEM;
		else
			p->before = tracee_process_cpu(p->pid);
		if (!p || !process_scan(t, p))
			return false;
		process_tell_of(t, p);
	}
	return true;
}

void tracees_scan(struct tracees *t)
{
	for (size_t i = 0; i < t->nthreads; i++)
		t->threads[i].found = false;
	for (size_t i = 0; i < t->nprocesses; i++)
		t->processes[i]->found = false;
	for (size_t i = 0; i < t->nroots; i++)
		scan_from(t, t->roots[i], 0);
	for (size_t i = t->nprocesses; i-- > 0;)		/* whose parent has ended is nobody's child, and is still there */
		if (!t->processes[i]->found && !t->processes[i]->refused && is_alive(t->processes[i]->pid))
			scan_from(t, t->processes[i]->pid, 0);
	for (size_t i = t->nthreads; i-- > 0;)	/* a list of threads that end meanwhile may lack others */
		if (!t->threads[i].found && !t->threads[i].process->left && !is_there(t->threads[i].process->pid, t->threads[i].tid))
			tracees_end(t, &t->threads[i]);
	for (size_t i = t->nprocesses; i-- > 0;)
		if (!t->processes[i]->found)
			tracees_process_end(t, i);
}

void tracees_free(struct tracees *t)
{
	for (size_t i = 0; i < t->nthreads; i++)
		if (t->threads[i].fd >= 0)
			close(t->threads[i].fd);
	for (size_t i = 0; i < t->nprocesses; i++)
		free(t->processes[i]);
	for (size_t i = 0; i < t->nqueue; i++)
		free((char *)t->queue[i].name);
	free(t->queue);
	free(t->processes);
	free(t->threads);
}

bool tracee_has_signal(const struct traced_thread *t)
{
	uint64_t own = 0, shared = 0, blocked = 0;
	char path[64], text[4096];
	const char *at;

	snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)t->process->pid, (int)t->tid);
	tracee_read(path, text, sizeof text);
	if ((at = strstr(text, "\nSigPnd:")))
		own = strtoull(at + 8, NULL, 16);
	if ((at = strstr(text, "\nShdPnd:")))
		shared = strtoull(at + 8, NULL, 16);
	if ((at = strstr(text, "\nSigBlk:")))
		blocked = strtoull(at + 8, NULL, 16);
	return ((own | shared) & ~blocked) != 0;
}
