/* roll.c - entries in shared memory, each written by one process. */
#include "inside/preload/roll.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "inside/sys.h"
#include "inside/text.h"

enum { MOST_PATH = 400 };

static struct roll_head *roll;		/* NULL: there is none */
static struct roll_entry *own;		/* of this process; NULL: none */
static int pid;				/* its number */

bool roll_open(const char *directory)
{
	char path[MOST_PATH];
	struct text t = { path, path + sizeof path };
	long fd, at;

	text_put(&t, directory);
	text_put(&t, "/" ROLL_NAME);
	fd = sys3(open, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (sys_failed(fd))
		return false;
	at = sys6(mmap, NULL, ROLL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	sys1(close, fd);
	if (sys_failed(at))
		return false;
	roll = (struct roll_head *)at;
	if (roll->version == ROLL_VERSION)
		return true;
	sys2(munmap, roll, ROLL_SIZE);
	roll = NULL;
	return false;
}

bool roll_is_filtered(void)
{
	char text[4096];
	const char *at;
	long n = sys_read_file("/proc/thread-self/status", text, sizeof text - 1);

	if (sys_failed(n))
		return false;
	text[n] = 0;
	at = text_after(text, "\nSeccomp_filters:\t");	/* since Linux 5.9 */
	if (!at)
		at = text_after(text, "\nSeccomp:\t");
	return at && text_number(&at) > roll->filters;
}

/* An entry that was free; NULL: none is. */
static struct roll_entry *entry_take(uint32_t *i)
{
	struct roll_entry *entries = (struct roll_entry *)(roll + 1);

	for (*i = 0; *i < ROLL_ENTRIES; ++*i) {
		uint32_t is_free = ROLL_FREE;

		if (__atomic_load_n(&roll->state[*i], __ATOMIC_RELAXED) == ROLL_FREE &&
		    __atomic_compare_exchange_n(&roll->state[*i], &is_free, ROLL_TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &entries[*i];
	}
	return NULL;
}

bool roll_enter(void)
{
	uint32_t i;
	long n;

	own = entry_take(&i);
	if (!own)
		return false;
	mem_zero(own, sizeof *own);
	own->pid = pid = (int)sys0(getpid);
	own->ppid = (int)sys0(getppid);
	own->started = sys_clock(CLOCK_MONOTONIC);
	n = sys3(readlink, "/proc/thread-self/exe", own->program, sizeof own->program - 1);
	own->program[sys_failed(n) ? 0 : n] = 0;
	n = sys_read_file("/proc/thread-self/cmdline", own->command, sizeof own->command);
	own->command_size = sys_failed(n) ? 0 : (uint32_t)n;
	n = sys_read_file("/proc/self/comm", own->name, sizeof own->name - 1);
	own->name[sys_failed(n) || n == 0 ? 0 : n - 1] = 0;
	__atomic_store_n(&roll->state[i], ROLL_RUNS, __ATOMIC_RELEASE);
	return true;
}

/* A child that libc knows nothing of has its parent's entry. */
static bool roll_is_own(void) { return own && pid == (int)sys0(getpid); }

void roll_close(enum roll_closed why)
{
	if (roll_is_own())
		__atomic_store_n(&own->closed, why, __ATOMIC_RELEASE);
}

uint64_t roll_started(void) { return own ? own->started : 0; }

void roll_end(uint64_t used)
{
	if (roll_is_own())
		__atomic_store_n(&own->used, used, __ATOMIC_RELEASE);
}

void roll_waited(int child, uint64_t used)
{
	struct roll_entry *e;
	uint32_t i;

	e = roll && own ? entry_take(&i) : NULL;
	if (!e)
		return;
	e->pid = child;
	e->ppid = pid;
	e->used = used;
	__atomic_store_n(&roll->state[i], ROLL_WAITED, __ATOMIC_RELEASE);
}
