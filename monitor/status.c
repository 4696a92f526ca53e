/* status.c - what /proc tells of the program's threads, read by the sampler: in a descriptor table of its own, so that the program sees none of it. */
#include "monitor/status.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

#include "format/amon.h"
#include "monitor/state.h"
#include "monitor/sys.h"
#include "monitor/text.h"
#include "monitor/thread.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

enum { SWITCH = 1000 };		/* ns, at most, from the end of a thread to our beginning on its processor, which are one reading of the clock of that */

static int proc = -1;			/* /proc/self, in our descriptor table; -1: we have none of our own */
static int own_sched;			/* task/TID/sched of the sampler, there; 0: none */
static int own_waits;			/* .../schedstat, the same */
static uint64_t waited_before;		/* what that said last */

/* A descriptor of the FILE of thread TID; 0: none. */
static int task_open(int tid, const char *file)
{
	char path[40];
	struct text at = { path, path + sizeof path };
	long fd;

	text_put(&at, "task/");
	text_put_number(&at, (uint32_t)tid);
	text_put(&at, file);
	fd = sys4(openat, proc, path, O_RDONLY | O_CLOEXEC, 0);
	return sys_failed(fd) ? 0 : (int)fd;
}

bool status_begin(void)
{
	proc = -1;
	own_sched = own_waits = 0;
	if (sys_failed(sys3(close_range, 0, ~0u, CLOSE_RANGE_UNSHARE)))
		return false;
	sys4(openat, AT_FDCWD, "/proc/self", O_PATH | O_CLOEXEC, 0);	/* 0 stands for none */
	proc = (int)sys4(openat, AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (proc < 0)
		note_once(AMON_NOTE_NO_PROC);
	if (proc >= 0) {
		own_sched = task_open((int)sys0(gettid), "/sched");
		own_waits = task_open((int)sys0(gettid), "/schedstat");
	}
	return true;
}

/* The file has the time with a processor and the time of waiting for one, ns. */
uint64_t status_waited(void)
{
	char text[64];
	const char *at = text;
	long n = own_waits ? sys4(pread64, own_waits, text, sizeof text - 1, 0) : 0;
	uint64_t before = waited_before;

	if (n <= 0)
		return UINT64_MAX;
	text[n] = 0;
	text_number(&at);
	if (*at++ != ' ')
		return UINT64_MAX;
	waited_before = text_number(&at);
	return waited_before - before;
}

/* ---- a thread ---- */

void status_close(struct thread *t)
{
	if (t->state_fd)
		sys1(close, t->state_fd);
	if (t->sched_fd)
		sys1(close, t->sched_fd);
	t->state_fd = t->sched_fd = 0;
	t->state_tid = 0;
}

static void status_open(struct thread *t)
{
	status_close(t);
	t->state_fd = task_open(t->tid, "/status");
	t->sched_fd = own_sched ? task_open(t->tid, "/sched") : 0;
	t->state_tid = t->tid;
	t->slept = t->preempted = 0;
}

bool status_read(struct thread *t, char *text, size_t size)
{
	long n;

	if (proc >= 0 && t->state_tid != t->tid)
		status_open(t);
	n = t->state_fd ? sys4(pread64, t->state_fd, text, size - 1, 0) : 0;
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Read the number that follows WORD in *TEXT, and go behind it; *TEXT NULL: it is not there. */
static uint64_t read_number(const char **text, const char *word)
{
	*text = *text ? text_after(*text, word) : NULL;
	return *text ? text_number(text) : 0;
}

/* When the thread of the descriptor FD last had a processor, by the clock of that one, ns: `se.exec_start : MILLISECONDS.NANOSECONDS`.  The scheduler
 * notes it when it is given to another, and then as the beginning of that one.  0: not told. */
static uint64_t last_ran(int fd)
{
	char text[512];
	const char *at;
	long n = fd ? sys4(pread64, fd, text, sizeof text - 1, 0) : 0;
	uint64_t ms;

	text[n > 0 ? n : 0] = 0;
	at = text_after(text, "se.exec_start");
	while (at && (*at == ' ' || *at == ':'))
		at++;
	if (!at)
		return 0;
	ms = text_number(&at);
	return *at == '.' ? at++, ms * 1000000 + text_number(&at) : 0;
}

/* Did T run until we began?  JUST as below. */
static bool made_way(const struct thread *t, bool just, bool taken)
{
	uint64_t began = last_ran(own_sched), ended = last_ran(t->sched_fd);

	if (!began || !ended)
		return just && taken;
	return ended <= began && began - ended <= SWITCH;	/* clocks of two processors are further apart */
}

bool status_was_preempted(struct thread *t, bool just)
{
	char text[2048];
	const char *state, *at;
	uint64_t slept = t->slept, preempted = t->preempted;
	bool was_asleep = t->asleep;

	if (!status_read(t, text, sizeof text))
		return true;
	at = state = text_after(text, "\nState:\t");
	t->slept = read_number(&at, "\nvoluntary_ctxt_switches:\t");
	t->preempted = read_number(&at, "\nnonvoluntary_ctxt_switches:\t");
	t->asleep = at && *state != 'R';
	return !at || (!t->asleep && ((t->slept == slept && !was_asleep) || made_way(t, just, t->preempted != preempted)));
}

bool status_is_blocked(struct thread *t, int sig)
{
	char text[2048];
	const char *mask = status_read(t, text, sizeof text) ? text_after(text, "\nSigBlk:\t") : NULL;

	return mask && text_hex(&mask) >> (sig - 1) & 1;
}

/* ---- the process ---- */

/* Is it so, without /proc?  The first thread has given up the memory, and none of those that called a hook is there. */
static bool is_left(void)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &byte, 1 };

	for (struct thread *t = monitor.threads; t; t = t->next)
		if (t->tid != monitor.pid && sys3(tgkill, monitor.pid, t->tid, 0) != -ESRCH)
			return false;
	return sys6(process_vm_readv, monitor.pid, &to, 1, &from, 1, 0) == -ESRCH;
}

/* The first thread is a zombie, and the process has two threads. */
bool status_is_alone(int *status)
{
	char text[1024];
	long n = proc < 0 ? -1 : sys_read_file("/proc/self/stat", text, sizeof text - 1), last = n;
	const char *code;
	int field = 3;

	if (n <= 0)
		return is_left();
	text[n] = 0;
	while (n > 0 && text[n] != ')')		/* the name before may hold anything */
		n--;
	if (text[n + 2] != 'Z')
		return false;
	for (n += 2; text[n] && field < 20; n++) /* the number of threads */
		field += text[n] == ' ';
	while (last > n && text[last - 1] != ' ')
		last--;
	code = text + last;
	*status = (int)text_number(&code);
	return text[n] == '2' && text[n + 1] == ' ';
}
