/* status.c - what /proc tells of the program's threads, read by the sampler: in a descriptor table of its own, so that the program sees none of it. */
#include "inside/clock/status.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

#include "contract/amon.h"
#include "inside/process/thread.h"
#include "inside/state.h"
#include "inside/sys.h"
#include "inside/text.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

static uint64_t filters;		/* of system calls that there were when we began: a container's, most often */
static int proc = -1;			/* /proc/self, in our descriptor table; -1: we have none of our own */

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

/* How many filters of system calls TEXT tells of, or 1 where it tells only that there are some. */
static uint64_t filters_in(const char *text)
{
	const char *mode = text_after(text, "\nSeccomp:\t"), *number = text_after(text, "\nSeccomp_filters:\t");

	if (number)
		return text_number(&number);
	return mode && *mode != '0';
}

/* Our own. */
static uint64_t filters_now(void)
{
	char text[2048];
	int fd = proc >= 0 ? task_open((int)sys0(gettid), "/status") : 0;
	long n = fd ? sys4(pread64, fd, text, sizeof text - 1, 0) : 0;

	if (fd)
		sys1(close, fd);
	text[n > 0 ? n : 0] = 0;
	return filters_in(text);
}

bool status_begin(void)
{
	proc = -1;
	if (sys_failed(sys3(close_range, 0, ~0u, CLOSE_RANGE_UNSHARE)))
		return false;
	sys4(openat, AT_FDCWD, "/proc/self", O_PATH | O_CLOEXEC, 0);	/* 0 stands for none */
	proc = (int)sys4(openat, AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (proc < 0)
		note_once(AMON_NOTE_NO_PROC);
	filters = filters_now();
	return true;
}

/* ---- a thread ---- */

void status_close(struct thread *t)
{
	if (t->clock.state_fd)
		sys1(close, t->clock.state_fd);
	t->clock.state_fd = 0;
	t->clock.state_tid = 0;
}

static void status_open(struct thread *t)
{
	status_close(t);
	t->clock.state_fd = task_open(t->tid, "/status");
	t->clock.state_tid = t->tid;
	t->clock.slept = 0;
}

bool status_read(struct thread *t, char *text, size_t size)
{
	long n;

	if (proc >= 0 && t->clock.state_tid != t->tid)
		status_open(t);
	n = t->clock.state_fd ? sys4(pread64, t->clock.state_fd, text, size - 1, 0) : 0;
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Of the line of the file `stat', whose name in parentheses may hold anything, what follows FIELD - 3 blanks behind these. */
static const char *stat_field(const char *line, long n, int field)
{
	while (n > 0 && line[n] != ')')
		n--;
	for (n += 2; line[n] && field > 3; n++)
		field -= line[n] == ' ';
	return line + n;
}

int status_processor(int tid)
{
	char text[1024];
	const char *at;
	long fd = proc >= 0 ? task_open(tid, "/stat") : 0, n = fd ? sys4(pread64, fd, text, sizeof text - 1, 0) : 0;

	if (fd)
		sys1(close, fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	at = stat_field(text, n, 39);
	return *at ? (int)text_number(&at) : -1;
}

uint64_t status_slept(struct thread *t)
{
	char text[2048];
	const char *number = status_read(t, text, sizeof text) ? text_after(text, "\nvoluntary_ctxt_switches:\t") : NULL;
	uint64_t before = t->clock.slept;

	if (number)
		t->clock.slept = text_number(&number);
	return t->clock.slept > before ? t->clock.slept - before : 0;
}

bool status_is_blocked(struct thread *t, int sig)
{
	char text[2048];
	const char *mask = status_read(t, text, sizeof text) ? text_after(text, "\nSigBlk:\t") : NULL;

	return mask && text_hex(&mask) >> (sig - 1) & 1;
}

bool status_is_filtered(struct thread *t)
{
	char text[2048];

	return status_read(t, text, sizeof text) && filters_in(text) != filters;
}

/* ---- the process ---- */

/* Is it so, without /proc?  The first thread has given up the memory, and none of those that called a hook is there. */
static bool is_left(void)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &byte, 1 };

	for (struct thread *t = monitor.threads; t; t = t->chain.next)
		if (t->tid != monitor.pid && sys3(tgkill, monitor.pid, t->tid, 0) != -ESRCH)
			return false;
	return sys6(process_vm_readv, monitor.pid, &to, 1, &from, 1, 0) == -ESRCH;
}

/* The first thread is a zombie, and the process has two threads. */
bool status_is_alone(int *status)
{
	char text[1024];
	long n = proc < 0 ? -1 : sys_read_file("/proc/self/stat", text, sizeof text - 1), last = n;
	const char *code, *threads;

	if (n <= 0)
		return is_left();
	text[n] = 0;
	if (*stat_field(text, n, 3) != 'Z')
		return false;
	threads = stat_field(text, n, 20);
	while (text + last > threads && text[last - 1] != ' ')
		last--;
	code = text + last;
	*status = (int)text_number(&code);
	return threads[0] == '2' && threads[1] == ' ';
}
