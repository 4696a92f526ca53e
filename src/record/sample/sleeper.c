/* sleeper.c - what /proc tells of a thread that sleeps. */
#include "record/sample/sleeper.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/table.h"
#include "record/sample/tracees.h"

bool sleeper_in(pid_t pid, pid_t tid, struct sleeper_call *c)
{
	char path[64], text[512];
	uint64_t *a = c->arguments;

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	tracee_read(path, text, sizeof text);
	if (sscanf(text, "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &c->number,
		   &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &c->sp, &c->ip) == 9)
		return true;
	c->number = -1;
	memset(c->arguments, 0, sizeof c->arguments);
	return sscanf(text, "-1 %" SCNx64 " %" SCNx64, &c->sp, &c->ip) == 2;
}

bool sleeper_is_same(const struct sleeper_call *a, const struct sleeper_call *b)
{
	bool again = b->number == SYS_restart_syscall;

	return a->sp == b->sp && a->ip == b->ip && (again || (a->number == b->number && !memcmp(a->arguments, b->arguments, sizeof a->arguments)));
}

/* Is descriptor FD of PID a pipe?  Of sockets some reads end with EINTR, those with a timeout. */
static bool is_pipe(pid_t pid, uint64_t fd)
{
	char path[64], target[16];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, (int)fd);
	n = readlink(path, target, sizeof target);
	return n > 5 && !memcmp(target, "pipe:", 5);
}

bool sleeper_goes_on(pid_t pid, const struct sleeper_call *c)
{
	switch (c->number) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_restart_syscall:
		return true;
	case SYS_futex:
		return (c->arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT || (c->arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int32_t)c->arguments[3] < 0;	/* it can be begun again: there is no time to wait less for */
	case SYS_read:
	case SYS_write:
		return is_pipe(pid, c->arguments[0]);
	default:
		return false;
	}
}

/* Read SIZE bytes at ADDRESS of thread TID, as many as there are; returns how many. */
static size_t memory_read(pid_t tid, uint64_t address, void *to, size_t size)
{
	enum { PAGE = 4096, MOST = sizeof ((struct sleeper_memory *)0)->stack / PAGE + 2 };
	struct iovec here = { to, size }, there[MOST];
	size_t n = 0, done = 0;
	ssize_t got;

	while (done < size && n < MOST) {		/* by pages: what can be read is, up to one that cannot */
		size_t piece = PAGE - (address + done) % PAGE;

		piece = piece < size - done ? piece : size - done;
		there[n++] = (struct iovec){ (void *)(address + done), piece };
		done += piece;
	}
	got = process_vm_readv(tid, &here, 1, there, n, 0);
	return got > 0 ? (size_t)got : 0;
}

void sleeper_memory_read(struct sleeper_memory *m, pid_t tid, uint64_t sp)
{
	m->tid = tid;
	m->chunk_start = 0;
	m->stack_size = memory_read(tid, sp, m->stack, sizeof m->stack);
}

bool sleeper_more(void *memory, uint64_t address, uint64_t *word)
{
	struct sleeper_memory *m = memory;
	uint64_t start = address / sizeof m->chunk * sizeof m->chunk;

	if (!m->chunk_start || address < m->chunk_start || address + sizeof *word > m->chunk_start + m->chunk_size) {
		m->chunk_start = address % sizeof m->chunk > sizeof m->chunk - sizeof *word ? address : start;
		m->chunk_size = memory_read(m->tid, m->chunk_start, m->chunk, sizeof m->chunk);
	}
	if (address + sizeof *word > m->chunk_start + m->chunk_size)
		return false;
	memcpy(word, m->chunk + (address - m->chunk_start), sizeof *word);
	return true;
}

uint64_t sleeper_stack(const struct sleeper_memory *m)
{
	uint64_t hash = m->stack_size, word;

	for (size_t at = 0; at + sizeof word <= m->stack_size; at += sizeof word) {
		memcpy(&word, m->stack + at, sizeof word);
		hash = hash_mix(hash, word);
	}
	return hash;
}

bool sleeper_look(struct sleeper *a, pid_t pid, pid_t tid)
{
	a->pid = pid;
	a->tid = tid;
	if (!sleeper_in(pid, tid, &a->call))
		return false;
	sleeper_memory_read(&a->memory, tid, a->call.sp);
	return true;
}

struct happening sleeper_happening(struct sleeper *a)
{
	enum { RSP = 7 };
	struct happening h = {
		.kind = HAPPENED_SAMPLE, .pid = (uint32_t)a->pid, .tid = (uint32_t)a->tid, .waits = true, .kernel = true, .readable = true,
		.stack = a->memory.stack, .stack_size = a->memory.stack_size, .more = sleeper_more, .more_arg = &a->memory,
	};

	h.regs[RSP] = a->call.sp;
	h.regs[HAPPENING_IP] = a->call.ip;
	return h;
}
